//! A lesson as text, with its figures.

use std::fmt::Write;

use super::{Answers, CheckedLesson, Lesson, StyledText, TextBlock, TextStyle};
use crate::lesson::{LessonFacts, walk};

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
    /// The lesson as it is read, step by step.
    pub fn to_text(&self, lesson: &Lesson) -> String {
        let mut text = format!("{}\n{}\n", lesson.title, lesson.summary);
        for ((number, step), facts) in (1..).zip(&lesson.steps).zip(&self.facts) {
            let Some(facts) = facts else {
                let _ = write!(text, "\n{number}. {}\n", step.title);
                continue;
            };
            let _ = write!(text, "\n{number}. {}\n", step.title);
            blocks(&mut text, &step.text, facts);
            if let Some(question) = &step.question {
                let _ = writeln!(text, "   ? {}", text_with_figures(&question.words, facts));
                answers(&mut text, &question.answers, facts);
                blocks(&mut text, &question.explanation, facts);
            }
        }
        text
    }
}

fn answers(text: &mut String, answers: &Answers, facts: &LessonFacts) {
    match answers {
        Answers::Options(options) => {
            for option in options {
                let mark = if option.is_right { 'x' } else { ' ' };
                let _ = writeln!(text, "     [{mark}] {}", text_with_figures(&option.words, facts));
            }
        }
        Answers::Number { figure, tolerance_percent } => {
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
