//! The instructions of a step that is a challenge.

use super::LessonStep;
use super::instruction::SEPARATOR;
use crate::lesson::{Challenge, ChallengeGoal, ChallengeRule, ChallengeScore, GoalSide, Par};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::Edit;

/// A part of a challenge.
#[derive(Debug)]
pub(super) enum ChallengePart {
    /// Its name, and what may change.
    Terms(Terms),
    /// What is to be reached.
    Goal(ChallengeGoal),
    /// What must hold as well.
    Rule(ChallengeRule),
    /// What the best solution known reaches.
    Par(ChallengeScore),
    /// The policies and the edits of the best solution known.
    Solution(Vec<PolicyId>, Vec<Edit>),
}

/// The name of a challenge, and what may change.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    id: String,
    free: Vec<String>,
    most_changes: Option<u32>,
    by_program: bool,
}

impl ChallengePart {
    /// `ten-times · only jobs · changes <= 1 · by a program`.
    pub(super) fn terms(text: &str) -> Result<ChallengePart, String> {
        let mut parts = text.split(SEPARATOR).map(str::trim);
        let id = parts.next().unwrap_or_default().to_owned();
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
            return Err(format!(
                "{id:?} is no name of a challenge; use letters from a to z and -, such as ten-times"
            ));
        }
        let mut terms = Terms { id, ..Terms::default() };
        for part in parts {
            if let Some(free) = part.strip_prefix("only ") {
                terms.free = free.split(',').map(|key| key.trim().to_owned()).collect();
            } else if let Some(Ok(most)) = part.strip_prefix("changes <= ").map(str::parse) {
                terms.most_changes = Some(most);
            } else if part == "by a program" {
                terms.by_program = true;
            } else {
                return Err(format!(
                    "{part:?} is no condition; write only KEY,… with keys of the scenario's file, changes <= N, or by \
                     a program"
                ));
            }
        }
        Ok(ChallengePart::Terms(terms))
    }

    /// `Response time of lookup: response $ lookup <= 2`.
    pub(super) fn goal(text: &str) -> Result<ChallengePart, String> {
        let usage = || {
            "a goal is words, a figure and its limit, such as goal: Response time: response $ lookup <= 2"
                .to_owned()
        };
        let (words, comparison) = text.rsplit_once(": ").ok_or_else(usage)?;
        let sides = [(" >= ", GoalSide::AtLeast), (" <= ", GoalSide::AtMost)];
        let goal = sides.into_iter().find_map(|(sign, side)| {
            let (figure, limit) = comparison.split_once(sign)?;
            let [words, figure, limit] = [words, figure, limit].map(|text| text.trim().to_owned());
            Some(ChallengeGoal { line: 0, words, figure, side, limit })
        });
        goal.map(ChallengePart::Goal).ok_or_else(usage)
    }

    /// `All work stays: all-work = all-work @ start`.
    pub(super) fn rule(text: &str) -> Result<ChallengePart, String> {
        let (words, claim) = text.rsplit_once(": ").ok_or_else(|| {
            "a rule is words and a claim, such as rule: All work stays: all-work = all-work @ start"
                .to_owned()
        })?;
        Ok(ChallengePart::Rule(ChallengeRule { line: 0, words: words.to_owned(), claim: claim.to_owned() }))
    }

    /// `1.8, 1 change`.
    pub(super) fn par(text: &str) -> Result<ChallengePart, String> {
        let score = text.split_once(',').and_then(|(value, changes)| {
            let changes = changes.trim().trim_end_matches('s').strip_suffix(" change")?.parse().ok()?;
            Some(ChallengeScore { value: number::parse(value.trim())?, changes })
        });
        score.map(ChallengePart::Par).ok_or_else(|| {
            "par is a number in the goal's unit and the number of changes, such as par: 1.8, 1 change"
                .to_owned()
        })
    }

    /// `uwfq-p · [edits as JSON]`.
    pub(super) fn solution(text: &str) -> Result<ChallengePart, String> {
        let usage = |what: String| {
            format!("{what}; a solution is policies and a list of edits, such as solution: uwfq-p · []")
        };
        let (policies, edits) =
            text.split_once(SEPARATOR).ok_or_else(|| usage("there is no list".to_owned()))?;
        let policy = |name: &str| {
            let name = name.trim();
            name.parse().map_err(|_| usage(format!("{name:?} is no policy")))
        };
        let policies = policies.split(',').map(policy).collect::<Result<_, _>>()?;
        let edits = serde_json::from_str(edits).map_err(|error| usage(error.to_string()))?;
        Ok(ChallengePart::Solution(policies, edits))
    }
}

/// A challenge while its instructions are read.
#[derive(Debug, Default)]
pub(super) struct ChallengeDraft {
    /// Line of the first instruction.
    line: Option<usize>,
    terms: Option<Terms>,
    goal: Option<ChallengeGoal>,
    rules: Vec<ChallengeRule>,
    /// With its line, as the solution.
    score: Option<(usize, ChallengeScore)>,
    solution: Option<(usize, Vec<PolicyId>, Vec<Edit>)>,
}

impl ChallengeDraft {
    pub(super) fn add(&mut self, line: usize, part: ChallengePart) {
        self.line.get_or_insert(line);
        match part {
            ChallengePart::Terms(terms) => self.terms = Some(terms),
            ChallengePart::Goal(goal) => self.goal = Some(ChallengeGoal { line, ..goal }),
            ChallengePart::Rule(rule) => self.rules.push(ChallengeRule { line, ..rule }),
            ChallengePart::Par(score) => self.score = Some((line, score)),
            ChallengePart::Solution(policies, edits) => self.solution = Some((line, policies, edits)),
        }
    }

    /// The challenge of a step, if it is one; else the line and what is missing.
    pub(super) fn finish(self, step: &LessonStep) -> Result<Option<Challenge>, (usize, String)> {
        let Some(line) = self.line else { return Ok(None) };
        let missing = |what: &str| {
            (line, format!("the challenge has no {what}; it needs challenge, goal, par and solution"))
        };
        let terms = self.terms.ok_or_else(|| missing("challenge"))?;
        let (solution_line, policies, edits) = self.solution.ok_or_else(|| missing("solution"))?;
        let goal = self.goal.ok_or_else(|| missing("goal"))?;
        let (par_line, score) = self.score.ok_or_else(|| missing("par"))?;
        Ok(Some(Challenge {
            id: terms.id,
            step: step.clone(),
            goal,
            free: terms.free,
            rules: self.rules,
            most_changes: terms.most_changes,
            by_program: terms.by_program,
            par: Par { line: par_line, solution_line, score, edits, policies },
        }))
    }
}
