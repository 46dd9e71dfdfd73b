//! A lesson as text, with its figures.

use std::fmt::Write;
use std::rc::Rc;

use super::check::{is_drawn, sides};
use super::{
    Answers, CheckedLesson, Lesson, LessonSeed, LessonStep, StyledText, TextBlock, TextStyle, Trial,
};
use crate::lesson::{Challenge, LessonFacts, walk};
use fairlane::number;
use fairlane::policy::PolicyId;

/// Words without their style, with the figures as the simulator computes them; one that cannot be computed stays in its
/// braces.
pub fn text_with_figures(words: &[StyledText], facts: &LessonFacts) -> String {
    let piece = |piece: &StyledText| match piece.style {
        TextStyle::Figure => facts.evaluate(&piece.words).unwrap_or_else(|_| format!("{{{}}}", piece.words)),
        _ => piece.words.clone(),
    };
    words.iter().map(piece).collect()
}

impl CheckedLesson {
    /// What was read, as an outline: the texts with their figures, the questions with their answers, goals with their
    /// values, and claims.
    pub fn to_text(&self, lesson: &Lesson) -> String {
        let mut text = format!("{}\n{}\n{}\n", lesson.title, lesson.summary, contents(lesson));
        if let Some(Some(facts)) = self.facts.first().filter(|_| !lesson.introduction.is_empty()) {
            text.push('\n');
            blocks(&mut text, &lesson.introduction, facts);
        }
        for ((number, step), facts) in (1..).zip(&lesson.steps).zip(&self.facts) {
            let _ = write!(text, "\n{number}. {}\n", step.title);
            let Some(facts) = facts else { continue };
            let _ = writeln!(text, "   scene: {}", step.scene.text);
            blocks(&mut text, &step.text, facts);
            if let Some(question) = &step.question {
                let _ = writeln!(text, "   ? {}", text_with_figures(&question.words, facts));
                answers(&mut text, &question.answers, facts);
                blocks(&mut text, &question.explanation, facts);
            }
            if let Some(of) = &step.challenge {
                challenge(&mut text, of, facts, is_drawn(lesson));
            }
            for claim in &step.claims {
                let _ = writeln!(text, "   claim: {}: {}", claim.text, sides(facts, &claim.text));
            }
            for Trial { claims, edits, .. } in &step.trials {
                let claims: Vec<&str> = claims.iter().map(|claim| claim.text.as_str()).collect();
                let edits = number::counted(edits.len(), "edit");
                let _ = writeln!(text, "   try: after {edits}, {}", claims.join(" and "));
            }
        }
        text
    }
}

/// How much there is of a lesson.
fn contents(lesson: &Lesson) -> String {
    let count = |what: &dyn Fn(&LessonStep) -> usize| lesson.steps.iter().map(what).sum::<usize>();
    let parts = [
        (count(&|_| 1), "step"),
        (count(&|step| step.question.is_some().into()), "question"),
        (count(&|step| step.challenge.is_some().into()), "challenge"),
        (count(&|step| step.claims.len()), "claim"),
    ];
    let minutes = number::counted(lesson.minutes as usize, "minute");
    let parts =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| number::counted(count, noun));
    let due = lesson.due.map(|due| format!("due {due}"));
    let own = (lesson.seed == LessonSeed::Student).then(|| match &lesson.student {
        Some(student) => format!("as {student} has it"),
        None => "with the generator's own seed".to_owned(),
    });
    [minutes].into_iter().chain(parts).chain(due).chain(own).collect::<Vec<_>>().join(" · ")
}

/// What is to be reached, where the start is, what else must hold, and par: in a student's scenario that of the solution
/// there.
fn challenge(text: &mut String, challenge: &Challenge, start: &Rc<LessonFacts>, is_drawn: bool) {
    let ticked: Vec<PolicyId> = challenge.step.scene.view.policies.iter().copied().collect();
    let begun = challenge.judged(start, start.of(start.scenario().clone()), &ticked);
    let goal = challenge.goal_words(&begun);
    let now = goal.figure.unwrap_or_else(|| "nothing".to_owned());
    let side = challenge.goal.side.words();
    let _ = writeln!(text, "   goal: {}: {side} {}; at the start {now}", challenge.goal.words, goal.limit);
    let most =
        challenge.most_changes.map(|most| format!(", at most {}", number::counted(most as usize, "change")));
    let _ = writeln!(text, "   rule: {}{}", challenge.free_words(), most.unwrap_or_default());
    for rule in &challenge.rules {
        let _ = writeln!(text, "   rule: {}: {}", rule.words, rule.claim);
    }
    let par = match is_drawn {
        true => challenge.solved(start).map(|score| challenge.score_words(&begun, score)),
        false => Some(challenge.par_words(&begun)),
    };
    let policies: Vec<String> = challenge.par.policies.iter().map(ToString::to_string).collect();
    let edits = number::counted(challenge.par.edits.len(), "edit");
    let par = par.unwrap_or_else(|| "none, since the solution does not reach the goal".to_owned());
    let _ = writeln!(text, "   par: {par}, under {} with {edits}", number::list(&policies));
}

fn answers(text: &mut String, answers: &Answers, facts: &LessonFacts) {
    match answers {
        Answers::Options(options) => {
            for option in options {
                let mark = if option.is_right { 'x' } else { ' ' };
                let _ = writeln!(text, "     [{mark}] {}", text_with_figures(&option.words, facts));
            }
        }
        Answers::Number { figure, tolerance_percent, .. } => {
            let right = facts.evaluate(figure).unwrap_or_else(|_| format!("{{{figure}}}"));
            let _ = writeln!(text, "     [=] {right} ± {tolerance_percent} %");
        }
    }
}

fn blocks(text: &mut String, blocks: &[TextBlock], facts: &LessonFacts) {
    for block in blocks {
        match block {
            TextBlock::Text(words) => {
                let _ = writeln!(text, "   {}", text_with_figures(words, facts));
            }
            TextBlock::List { first, items } => {
                for (index, item) in (0..).zip(items) {
                    let mark = first
                        .map_or_else(|| "-".to_owned(), |first| format!("{}.", first.saturating_add(index)));
                    let _ = writeln!(text, "   {mark} {}", text_with_figures(item, facts));
                }
            }
            TextBlock::Table { head, rows } => {
                for row in [head].into_iter().chain(rows) {
                    let cells: Vec<String> = row.iter().map(|cell| text_with_figures(cell, facts)).collect();
                    let _ = writeln!(text, "   | {} |", cells.join(" | "));
                }
            }
            TextBlock::Code(code) => code.lines().for_each(|line| {
                let _ = writeln!(text, "       {line}");
            }),
            TextBlock::Walk(job) => {
                for line in walk(facts, job).map(|walk| walk.lines).unwrap_or_default() {
                    let _ = writeln!(text, "   {:>6}  {}", line.number, line.words);
                    line.state.iter().for_each(|state| {
                        let _ = writeln!(text, "           {state}");
                    });
                }
            }
        }
    }
}
