//! Challenges: goals to reach on the page, judged by the simulator while the reader plays.
//!
//! A challenge is a [step](LessonStep) with a goal: a [figure](LessonFacts) of the scenario as the reader has it,
//! compared with another one, and rules that must hold as well. In all of them `$` is any ticked policy, the best of
//! several, and the variant `@ start` is the scenario that the challenge began with. The best solution known, its par,
//! is kept as edits, and a test plays it.
//!
//! ```
//! use fairlane_study::lesson::{LessonFacts, challenges};
//! let challenge = &challenges()[0];
//! let start = challenge.start().expect("the project's own have a scenario");
//! let policies: Vec<_> = challenge.step.scene.view.policies.iter().copied().collect();
//! let same = LessonFacts::new(start.scenario().clone());
//! assert!(!challenge.judged(&start, same, &policies).is_reached());
//! ```

mod words;

pub use words::GoalWords;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::document::LessonStep;
use super::{LessonFacts, Quantity, challenges};
use fairlane::number;
use fairlane::policy::{PolicyId, custom};
use fairlane::scenario::{Edit, Scenario};

/// A goal to play for.
#[derive(Clone, Debug, PartialEq)]
pub struct Challenge {
    /// Name in links and in the browser's storage.
    pub id: String,
    /// The task, and what the page shows at the start. Its text is about the scenario at the start.
    pub step: LessonStep,
    /// What is to be reached.
    pub goal: ChallengeGoal,
    /// What of the scenario may change, by the keys of its file, such as `jobs`.
    pub free: Vec<String>,
    /// What must hold as well.
    pub rules: Vec<ChallengeRule>,
    /// Most changes of the scenario and the policy, as [`changes`] counts them; `None`: any number.
    pub most_changes: Option<u32>,
    /// Whether only a program of the scenario wins, not the policies that there are.
    pub by_program: bool,
    /// The best solution known.
    pub par: Par,
}

/// A figure and its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct ChallengeGoal {
    /// Its line in the document.
    pub line: usize,
    /// What is measured, for people.
    pub words: String,
    /// The figure.
    pub figure: String,
    /// On which side of the limit it is to be.
    pub side: GoalSide,
    /// The limit, a figure.
    pub limit: String,
}

/// On which side of its limit a figure is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalSide {
    /// Not below the limit; more is better.
    AtLeast,
    /// Not above the limit; less is better.
    AtMost,
}

/// What must hold besides the goal.
#[derive(Clone, Debug, PartialEq)]
pub struct ChallengeRule {
    /// Its line in the document.
    pub line: usize,
    /// For people.
    pub words: String,
    /// What is checked, as in [`LessonStep::claims`].
    pub claim: String,
}

/// The best solution known.
#[derive(Clone, Debug, PartialEq)]
pub struct Par {
    /// Its line in the document.
    pub line: usize,
    /// The line of its solution.
    pub solution_line: usize,
    /// What is reached, and by how many changes.
    pub score: ChallengeScore,
    /// The edits, one after the other.
    pub edits: Vec<Edit>,
    /// The ticked policies.
    pub policies: Vec<PolicyId>,
}

/// A goal's figure, in the figure's unit, and how many changes it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChallengeScore {
    /// The figure.
    pub value: f64,
    /// How many changes, as [`changes`] counts them.
    pub changes: u32,
}

/// How a scenario does in a challenge.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The goal's figure; `None` if there is none, such as once its job is deleted.
    pub figure: Option<Quantity>,
    /// The goal's limit; `None` likewise.
    pub limit: Option<Quantity>,
    /// The policy that is judged, the best of the ticked ones; `None` if none is ticked.
    pub policy: Option<PolicyId>,
    /// How many changes there are.
    pub changes: u32,
    /// Whether there are no more changes than allowed.
    pub is_within_changes: bool,
    /// Whether the policy is a program, if only a program wins.
    pub is_own: bool,
    /// Whether nothing has changed but what may.
    pub is_free: bool,
    /// Whether each rule holds.
    pub rules: Vec<bool>,
    /// Whether the figure is on its side of the limit.
    pub is_met: bool,
}

impl ChallengeGoal {
    /// Whether any ticked policy may reach it, rather than the one that the challenge begins with.
    pub fn is_of_any_policy(&self) -> bool {
        self.figure.contains('$')
    }
}

impl GoalSide {
    /// Whether a figure is at least as good as another one, as far as three digits show.
    pub fn is_as_good(self, value: f64, other: f64) -> bool {
        value == other || self.is_better(value, other) || shown(value) == shown(other)
    }

    fn is_better(self, value: f64, other: f64) -> bool {
        match self {
            GoalSide::AtLeast => value > other,
            GoalSide::AtMost => value < other,
        }
    }

    /// The words in front of a limit.
    pub fn words(self) -> &'static str {
        match self {
            GoalSide::AtLeast => "at least",
            GoalSide::AtMost => "at most",
        }
    }
}

/// A figure as it is compared: with three digits.
fn shown(value: f64) -> String {
    number::three_digits(value)
}

impl ChallengeScore {
    /// Whether it is better than another one: by its figure, or by fewer changes where the figures show the same.
    pub fn beats(self, other: ChallengeScore, side: GoalSide) -> bool {
        match shown(self.value) == shown(other.value) {
            true => self.changes < other.changes,
            false => side.is_better(self.value, other.value),
        }
    }

    /// Whether it is as good as par, in figure and changes.
    pub fn is_at(self, par: ChallengeScore, side: GoalSide) -> bool {
        side.is_as_good(self.value, par.value) && self.changes <= par.changes
    }
}

impl Judgement {
    /// Whether the goal is met and all rules hold.
    pub fn is_reached(&self) -> bool {
        self.is_met
            && self.is_within_changes
            && self.is_own
            && self.is_free
            && self.rules.iter().all(|holds| *holds)
    }

    /// What is reached; `None` if the goal is not.
    pub fn score(&self) -> Option<ChallengeScore> {
        let value = self.figure?.value;
        self.is_reached().then_some(ChallengeScore { value, changes: self.changes })
    }
}

impl Challenge {
    /// The challenge of that name.
    pub fn named(id: &str) -> Option<&'static Challenge> {
        challenges().iter().find(|challenge| challenge.id == id)
    }

    /// Whether a score is as good as the par that is written down.
    pub fn is_par(&self, score: ChallengeScore) -> bool {
        score.is_at(self.par.score, self.goal.side)
    }

    /// What the solution reaches from the scenario at the start, which is par there: where each student has a scenario
    /// of their own, another one than is written down. `None` if it does not reach the goal, or cannot be simulated.
    pub fn solved(&self, start: &Rc<LessonFacts>) -> Option<ChallengeScore> {
        let mut edits = self.par.edits.iter();
        let scenario = edits.try_fold(start.scenario().clone(), |scenario, edit| scenario.with(edit)).ok()?;
        self.judged(start, start.of(scenario), &self.par.policies).score()
    }

    /// The scenario at the start, with its figures; `None` if it cannot be read.
    pub fn start(&self) -> Option<Rc<LessonFacts>> {
        let scenario = self.step.scene.scenario().ok().flatten();
        scenario.map(|scenario| Rc::new(LessonFacts::new(scenario)))
    }

    /// How a scenario does under the best of some policies. `start` is as [`Challenge::start`] has it.
    pub fn judged(&self, start: &Rc<LessonFacts>, facts: LessonFacts, policies: &[PolicyId]) -> Judgement {
        let edited = changes(start.scenario(), facts.scenario());
        let is_free = edited.keys().all(|key| self.free.contains(key));
        let edited: u32 = edited.values().sum();
        let facts = facts.with_start(Rc::clone(start));
        let is_program = |policy: &&PolicyId| custom::is_program(policy.kind);
        // Without a program there is still something to compare with.
        let programs_only = self.by_program && policies.iter().any(|policy| is_program(&policy));
        let judged = policies.iter().filter(|policy| !programs_only || is_program(policy));
        let judgements = judged.map(|&policy| {
            let judgement = self.judged_under(&facts, policy, edited);
            Judgement { is_free, ..judgement }
        });
        let best = judgements.reduce(|best, other| if self.is_better(&other, &best) { other } else { best });
        best.unwrap_or_else(|| Judgement {
            figure: None,
            limit: None,
            policy: None,
            changes: edited,
            is_within_changes: true,
            is_own: false,
            is_free,
            rules: vec![false; self.rules.len()],
            is_met: false,
        })
    }

    /// How a scenario with some changes does under a policy.
    fn judged_under(&self, facts: &LessonFacts, policy: PolicyId, edited: u32) -> Judgement {
        let name = policy.to_string();
        let of_policy = |text: &str| text.replace('$', &name);
        let figure = facts.figure(&of_policy(&self.goal.figure)).ok();
        let limit = facts.figure(&of_policy(&self.goal.limit)).ok();
        // Another policy is a change like any other.
        let changes = edited + u32::from(!self.step.scene.view.policies.contains(&policy));
        Judgement {
            figure,
            limit,
            policy: Some(policy),
            changes,
            is_free: true,
            is_own: !self.by_program || custom::is_program(policy.kind),
            is_within_changes: self.most_changes.is_none_or(|most| changes <= most),
            // What is no longer there keeps no rule.
            rules: self
                .rules
                .iter()
                .map(|rule| facts.holds(&of_policy(&rule.claim)).unwrap_or(false))
                .collect(),
            is_met: figure.zip(limit).is_some_and(|(figure, limit)| match self.goal.side {
                GoalSide::AtLeast => figure.value >= limit.value,
                GoalSide::AtMost => figure.value <= limit.value,
            }),
        }
    }

    /// Whether one judgement is better than another: reached, or with a better figure.
    fn is_better(&self, one: &Judgement, other: &Judgement) -> bool {
        match (one.score(), other.score(), one.figure, other.figure) {
            (Some(one), Some(other), ..) => one.beats(other, self.goal.side),
            (one @ Some(_), None, ..) | (one @ None, Some(_), ..) => one.is_some(),
            (None, None, Some(one), Some(other)) => self.goal.side.is_better(one.value, other.value),
            (None, None, one, _) => one.is_some(),
        }
    }
}

/// How many changes lead from one scenario to another, however they were made, by the key of the scenario's file: users
/// and jobs that were added, removed or edited, and other fields that differ. A job that was edited in several fields
/// is one change. Keys without a change are left out.
pub fn changes(from: &Scenario, to: &Scenario) -> BTreeMap<String, u32> {
    let [from, to] = [from, to].map(|scenario| {
        let file = serde_json::from_str::<Map<String, Value>>(&scenario.to_compact_json());
        file.expect("a scenario's file is an object")
    });
    let keys: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
    let named = keys.into_iter().filter(|key| !WORDS.contains(&key.as_str()));
    let counted = named.map(|key| (key.clone(), differences(from.get(key), to.get(key))));
    counted.filter(|(_, count)| *count > 0).collect()
}

/// Fields of a scenario that say what it is called.
const WORDS: [&str; 2] = ["name", "description"];

fn differences(from: Option<&Value>, to: Option<&Value>) -> u32 {
    let object = |value: Option<&Value>| match value {
        Some(Value::Object(fields)) => Some(fields.clone()),
        Some(_) => None,
        None => Some(Map::new()),
    };
    match (from, to) {
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            let mut added: Vec<&Value> = other.iter().collect();
            let mut removed = 0;
            for item in one {
                match added.iter().position(|there| *there == item) {
                    Some(index) => drop(added.swap_remove(index)),
                    None => removed += 1,
                }
            }
            removed.max(added.len() as u32)
        }
        (one, other) if one == other => 0,
        (one, other) => match (object(one), object(other)) {
            (Some(one), Some(other)) => {
                let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
                keys.into_iter().map(|key| differences(one.get(key), other.get(key))).sum()
            }
            _ => 1,
        },
    }
}
