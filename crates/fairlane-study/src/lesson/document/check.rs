//! A lesson against the simulator: figures, claims, scenes and targets.

use std::rc::Rc;

use super::{
    Answers, Claim, Lesson, LessonFault, LessonScene, LessonSeed, LessonStep, MAX_FAULTS, Severity,
    StepSource, StepTarget, StyledText, TextBlock, TextStyle, Trial,
};
use crate::lesson::facts::MAX_DECIMALS;
use crate::lesson::{Challenge, ChallengeScore, LessonFacts, Par, walk};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;

/// Most events of a simulation that a lesson asks for: a second or two.
pub(in crate::lesson) const MAX_EVENTS: u32 = 2_000_000;

/// Words before a number that is the name of something in a paper.
const NAMES: [&str; 14] = [
    "Algorithm",
    "Algorithms",
    "Figure",
    "Figures",
    "Section",
    "Sections",
    "Table",
    "Tables",
    "line",
    "lines",
    "Line",
    "to",
    "and",
    "equation",
];

/// What a recorded run says, by the name of its log.
///
/// # Errors
/// Why it cannot be had, with the remedy.
pub type FactSource<'a> = &'a dyn Fn(&str) -> Result<LessonFacts, String>;

/// A lesson with what its steps speak of.
#[derive(Debug)]
pub struct CheckedLesson {
    /// The scenario of each step with its figures; `None` where it cannot be had.
    pub facts: Vec<Option<Rc<LessonFacts>>>,
    /// What is wrong, with what was wrong before, in the order of lines.
    pub faults: Vec<LessonFault>,
}

impl CheckedLesson {
    /// Whether the lesson says something other than its author means.
    pub fn is_sound(&self) -> bool {
        self.faults.iter().all(|fault| fault.severity == Severity::Warning)
    }
}

/// Evaluates every figure and claim of a lesson, and sets up every scene. `recorded` has the runs of logs.
pub fn check(lesson: &Lesson, recorded: FactSource) -> CheckedLesson {
    let mut facts: Vec<Option<Rc<LessonFacts>>> = Vec::new();
    let mut faults: Vec<LessonFault> = lesson.faults().cloned().collect();
    for (index, step) in lesson.steps.iter().enumerate() {
        // Steps about the same scenario share its schedules.
        let same = lesson.steps[..index].iter().position(|other| other.scene.has_scenario_of(&step.scene));
        let here = match same {
            Some(same) => Ok(facts[same].clone()),
            // A fault says why.
            None if step.scene.source == StepSource::Unreadable => Ok(None),
            None => facts_of(&step.scene, recorded).map(|facts| Some(Rc::new(facts))),
        };
        let here = here.unwrap_or_else(|message| {
            faults.push(LessonFault::new(step.line, message));
            None
        });
        if let Some(facts) = &here {
            let is_drawn = is_drawn(lesson);
            let mut checker = StepChecker { facts, start: Some(facts), faults: &mut faults, is_drawn };
            if index == 0 {
                checker.introduction(lesson);
            }
            checker.step(step);
            if let Some(challenge) = &step.challenge {
                checker.challenge(challenge, facts);
            }
        }
        facts.push(here);
    }
    faults.sort_by_key(|fault| fault.line);
    faults.truncate(MAX_FAULTS);
    CheckedLesson { facts, faults }
}

/// Whether the scenarios of a lesson were drawn from a student's seed.
pub(super) fn is_drawn(lesson: &Lesson) -> bool {
    lesson.seed == LessonSeed::Student && lesson.student.is_some()
}

/// What is wrong with a step of a lesson as its reader has it, in the order of lines. Its challenge is not played, and
/// what its text asks to try is not tried.
pub fn check_step(lesson: &Lesson, step: &LessonStep, facts: &LessonFacts) -> Vec<LessonFault> {
    let mut faults = step.faults.clone();
    StepChecker { facts, start: None, faults: &mut faults, is_drawn: is_drawn(lesson) }.step(step);
    faults.sort_by_key(|fault| fault.line);
    faults.truncate(MAX_FAULTS);
    faults
}

/// What a scene speaks of.
pub(in crate::lesson) fn facts_of(scene: &LessonScene, recorded: FactSource) -> Result<LessonFacts, String> {
    let facts = match (&scene.source, scene.scenario()?) {
        (StepSource::Recorded(name), _) => recorded(name)?,
        (_, Some(scenario)) => LessonFacts::new(scenario),
        (_, None) => return Err("the scene has no scenario; write a source such as catalog:skew".to_owned()),
    };
    Ok(facts.within(MAX_EVENTS))
}

struct StepChecker<'a> {
    facts: &'a LessonFacts,
    /// The same, if what the text asks to try is tried.
    start: Option<&'a Rc<LessonFacts>>,
    faults: &'a mut Vec<LessonFault>,
    /// Whether the scenario may be drawn from a student's seed.
    is_drawn: bool,
}

impl StepChecker<'_> {
    fn fault(&mut self, line: usize, message: impl Into<String>) {
        self.faults.push(LessonFault::new(line, message));
    }

    /// What is in front of the first step, whose scenario it speaks of. Its numbers may be of a paper.
    fn introduction(&mut self, lesson: &Lesson) {
        let before = self.faults.len();
        self.blocks(1, &lesson.introduction);
        let is_kept = |fault: &LessonFault| !fault.message.starts_with(NUMBER);
        let found = self.faults.split_off(before);
        self.faults.extend(found.into_iter().filter(is_kept));
    }

    fn step(&mut self, step: &LessonStep) {
        if let Some(number) = written_number("", &step.title) {
            self.faults.push(number_fault(step.line, number));
        }
        self.placeholder(step.line, &step.title);
        self.blocks(step.line, &step.text);
        self.shown(step.scene_line, &step.scene, &step.targets);
        if let Some(question) = &step.question {
            self.words(&question.words);
            self.answers(&question.answers);
            self.blocks(question.line, &question.explanation);
            if let Some(reveal) = &question.reveal {
                self.shown(reveal.line, &reveal.scene, &reveal.targets);
            }
        }
        for claim in &step.claims {
            self.claim(claim, self.facts);
        }
        let Some(start) = self.start else { return };
        for Trial { line, claims, edits } in &step.trials {
            let scenario = self.facts.scenario().clone();
            match edits.iter().try_fold(scenario, |scenario, edit| scenario.with(edit)) {
                Ok(scenario) => {
                    let tried = LessonFacts::new(scenario).within(MAX_EVENTS).with_start(Rc::clone(start));
                    claims.iter().for_each(|claim| self.claim(claim, &tried));
                }
                Err(error) => self.fault(*line, format!("what is to be tried fails: {error}")),
            }
        }
    }

    fn claim(&mut self, Claim { line, text }: &Claim, facts: &LessonFacts) {
        match facts.holds(text) {
            Ok(true) => {}
            Ok(false) => {
                let values = sides(facts, text);
                let message =
                    format!("the claim {text} does not hold: {values}; change the text or the scene");
                self.fault(*line, message);
            }
            Err(error) => self.fault(*line, error.to_string()),
        }
    }

    fn blocks(&mut self, line: usize, blocks: &[TextBlock]) {
        for block in blocks {
            match block {
                TextBlock::Text(words) => self.words(words),
                TextBlock::List { items, .. } => items.iter().for_each(|item| self.words(item)),
                TextBlock::Table { head, rows } => {
                    head.iter().chain(rows.iter().flatten()).for_each(|cell| self.words(cell));
                }
                TextBlock::Code(_) => {}
                TextBlock::Walk(job) => {
                    if let Err(error) = walk(self.facts, job) {
                        self.fault(line, error.to_string());
                    }
                }
            }
        }
    }

    /// Evaluates the figures of a text, and looks for numbers that are none and for what is still to be written.
    fn words(&mut self, words: &[StyledText]) {
        let mut before = "";
        for StyledText { style, words, line } in words {
            match style {
                TextStyle::Figure => self.figure(*line, words),
                TextStyle::Plain | TextStyle::Strong | TextStyle::Emphasis => {
                    if let Some(number) = written_number(before, words) {
                        self.faults.push(number_fault(*line, number));
                    }
                    self.placeholder(*line, words);
                    before = words.split_whitespace().next_back().unwrap_or(before);
                    continue;
                }
                TextStyle::Code | TextStyle::Link(_) | TextStyle::Image(_) => {}
            }
            before = "";
        }
    }

    fn figure(&mut self, line: usize, figure: &str) {
        if let Err(error) = self.facts.evaluate(figure) {
            self.fault(line, error.to_string());
        }
    }

    /// Warns of what a template has left to be written.
    fn placeholder(&mut self, line: usize, words: &str) {
        self.faults.extend(placeholder_fault(line, words));
    }

    fn answers(&mut self, answers: &Answers) {
        match answers {
            Answers::Number { figure, line, .. } => self.figure(*line, figure),
            Answers::Options(options) => {
                let mut seen: Vec<String> = Vec::new();
                for option in options {
                    for piece in &option.words {
                        match piece.style {
                            TextStyle::Figure => self.figure(piece.line, &piece.words),
                            _ => self.placeholder(piece.line, &piece.words),
                        }
                    }
                    let text = super::text_with_figures(&option.words, self.facts);
                    if seen.contains(&text) {
                        let line = option.words.first().map_or(1, |piece| piece.line);
                        self.fault(
                            line,
                            format!("the answer {text:?} can be chosen twice; change one of them"),
                        );
                    }
                    seen.push(text);
                }
            }
        }
    }

    /// Plays a challenge: the start misses the goal, and the solution reaches it exactly at par.
    fn challenge(&mut self, challenge: &Challenge, start: &Rc<LessonFacts>) {
        let scenario = start.scenario().clone();
        let judged =
            |scenario: Scenario, policies: &[PolicyId]| challenge.judged(start, start.of(scenario), policies);
        let goal = &challenge.goal;
        let named = challenge.rules.iter().map(|rule| (rule.line, &rule.words));
        for (line, words) in named.chain([(goal.line, &goal.words)]) {
            self.placeholder(line, words);
        }
        let ticked: Vec<PolicyId> = challenge.step.scene.view.policies.iter().copied().collect();
        let begun = judged(scenario.clone(), &ticked);
        if !self.can_be_judged(challenge, start, &ticked) {
            return;
        }
        let Par { line, solution_line, score: par, edits, policies } = &challenge.par;
        let solved = edits.iter().try_fold(scenario, |scenario, edit| scenario.with(edit));
        let solved = solved.map(|scenario| judged(scenario, policies).score());
        if begun.figure.is_none() || begun.limit.is_none() {
            self.fault(goal.line, "the goal has no figure or no limit at the start; correct its expressions");
        } else if begun.is_reached() {
            self.fault(goal.line, "the goal is reached at the start; ask for more");
        }
        match solved {
            Err(error) => self.fault(*solution_line, format!("an edit of the solution fails: {error}")),
            Ok(None) => self.fault(
                *solution_line,
                "the solution does not reach the goal under the rules; correct either",
            ),
            Ok(Some(score)) if challenge.is_par(score) && !score.beats(*par, goal.side) => {}
            // Par is that of the generator's own seed.
            Ok(Some(_)) if self.is_drawn => {}
            Ok(Some(ChallengeScore { value, changes })) => {
                let message = format!("the solution reaches {value} by {changes} changes; write that as par");
                self.fault(*line, message);
            }
        }
    }

    /// Whether goal and rules can be computed at the start; what of them cannot is said.
    fn can_be_judged(&mut self, challenge: &Challenge, start: &Rc<LessonFacts>, ticked: &[PolicyId]) -> bool {
        let Some(policy) = ticked.first().or(challenge.par.policies.first()) else { return true };
        let facts = start.of(start.scenario().clone()).with_start(Rc::clone(start));
        let of_policy = |text: &str| text.replace('$', &policy.to_string());
        let goal = &challenge.goal;
        let figures = [&goal.figure, &goal.limit].map(|text| facts.figure(&of_policy(text)).err());
        let rules = challenge.rules.iter();
        let rules = rules.map(|rule| (rule.line, facts.holds(&of_policy(&rule.claim)).err()));
        let errors = figures.into_iter().map(|error| (goal.line, error)).chain(rules);
        let errors: Vec<_> = errors.filter_map(|(line, error)| Some((line, error?))).collect();
        errors.iter().for_each(|(line, error)| self.fault(*line, error.to_string()));
        errors.is_empty()
    }

    /// Sets up a scene and finds what is pointed at.
    fn shown(&mut self, line: usize, scene: &LessonScene, targets: &[StepTarget]) {
        let set_up = scene.view(self.facts).and_then(|_| scene.question(self.facts));
        match set_up {
            Ok(Some((policy, _))) if !scene.view.policies.contains(&policy) => {
                self.fault(
                    line,
                    format!("the scene explains {policy}, which is not ticked; add it to policies="),
                );
            }
            Ok(_) => {}
            Err(error) => self.fault(line, error.to_string()),
        }
        for target in targets {
            let named = match target {
                StepTarget::Job(name) => self.facts.job(name).map(|_| ()),
                StepTarget::Lane(name) => self.facts.user(name).map(|_| ()),
                StepTarget::Panel(name) | StepTarget::Load(name) | StepTarget::Response(name) => {
                    let is_ticked = scene.view.policies.iter().any(|policy| policy.to_string() == *name);
                    let is_observed = name == "observed" && matches!(scene.source, StepSource::Recorded(_));
                    if !is_ticked && !is_observed {
                        let message = format!("the scene shows no panel of {name:?}; add it to policies=");
                        self.fault(line, message);
                    }
                    Ok(())
                }
                _ => Ok(()),
            };
            if let Err(error) = named {
                self.fault(line, error.to_string());
            }
        }
    }
}

/// What the sides of a comparison are: numbers as they are written, and figures with as many decimals as it takes to see
/// that they differ.
pub(super) fn sides(facts: &LessonFacts, claim: &str) -> String {
    let sides: Vec<&str> =
        claim.split(['<', '=', '>']).map(str::trim).filter(|side| !side.is_empty()).collect();
    let written =
        |side: &&str| number::parse(side).and_then(|_| side.split_once('.')).map(|(_, digits)| digits.len());
    let least = sides.iter().filter_map(written).max().unwrap_or_default();
    let words = |decimals: usize| -> Vec<String> {
        let side = |side: &&str| match (number::parse(side), facts.figure(side)) {
            (None, Ok(figure)) => figure.precise(decimals),
            _ => (*side).to_owned(),
        };
        sides.iter().map(side).collect()
    };
    let is_apart = |words: &Vec<String>| words.windows(2).all(|pair| pair[0] != pair[1]);
    let found = (least..=MAX_DECIMALS).map(words).find(is_apart);
    found.unwrap_or_else(|| words(least)).join(" against ")
}

/// What is still to be written begins with this, in the templates and wherever an author likes.
const PLACEHOLDER: &str = "TODO";

/// A warning of what is still to be written, if something is.
pub(super) fn placeholder_fault(line: usize, words: &str) -> Option<LessonFault> {
    words.contains(PLACEHOLDER).then(|| {
        let message = format!("{:?} is still to be written; replace it", words.trim());
        LessonFault::warning(line, message)
    })
}

/// How a warning of a number begins.
const NUMBER: &str = "the number";

fn number_fault(line: usize, number: &str) -> LessonFault {
    LessonFault::warning(
        line,
        format!(
            "{NUMBER} {number:?} is written down and does not follow the scenario; write an expression in braces \
             such as {{cores}}, or set it as `code`"
        ),
    )
}

/// The first number among words that is not the name of a part of a paper; `before` is the word in front of them.
fn written_number<'a>(before: &'a str, words: &'a str) -> Option<&'a str> {
    let is_no_word = |letter: char| !letter.is_alphanumeric();
    let words: Vec<&str> = words.split_whitespace().map(|word| word.trim_matches(is_no_word)).collect();
    let before = [before.trim_matches(is_no_word)].into_iter().chain(words.iter().copied());
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut named = before.zip(words.iter().copied());
    named.find(|(before, word)| is_number(word) && !NAMES.contains(before)).map(|(_, word)| word)
}
