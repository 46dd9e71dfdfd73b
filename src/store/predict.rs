//! The reader predicts which job a policy serves next; the schedule stops at each decision.
//!
//! The store knows when it stops, and which answers were right. What is asked is looked up by the card on the page,
//! which reports the decisions that it finds.

use std::collections::BTreeMap;

use super::{Action, Motion, Notice, PlaybackAction, State, Toast};
use crate::results::codec::Analysis;
use fairlane::ids::JobId;
use fairlane::policy::PolicyId;
use fairlane::replay::ChoiceFilter;
use fairlane::units::Time;

/// A decision between jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredictDecision {
    /// The first task that it launches, by index in the trace.
    pub task: usize,
    /// When it is made.
    pub at: Time,
}

/// Where the next decision is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The first decision from the playhead on.
    Playhead,
    /// The first one behind the decision that launches this task.
    Decision(usize),
    /// Behind that decision, as soon as other jobs wait.
    OtherJobs(usize),
}

/// What the quiz waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictTurn {
    /// The next decision is looked for, to be asked at once, or when the schedule has been played to it.
    Sought(After),
    /// The reader has moved the playhead: the next decision from there on is looked for.
    Moved,
    /// The next decision is ahead of the playhead.
    Ahead(PredictDecision),
    /// The reader is asked.
    Asked(PredictDecision),
    /// The reader has answered, or wants to see the answer.
    Answered(PredictDecision, Option<JobId>),
    /// No decision is left.
    Over,
}

/// How many predictions were right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredictScore {
    /// Right answers.
    pub right: usize,
    /// All answers.
    pub answers: usize,
}

/// For each decision that the reader has predicted, by policy and first task, whether that was right the first time.
pub type Answers = BTreeMap<(PolicyId, usize), bool>;

/// The predictions under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Quiz {
    /// The policy whose decisions are asked.
    pub policy: PolicyId,
    /// What it waits for.
    pub turn: PredictTurn,
    answers: Answers,
}

/// What the reader does about predictions, and what is found for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predict {
    /// The decisions of this policy are to be predicted, from the playhead on.
    Start(PolicyId),
    /// This is the next decision, or there is none.
    Found(Option<PredictDecision>),
    /// The reader says which job goes next.
    Answer {
        /// The job.
        job: JobId,
        /// Whether it is.
        is_right: bool,
    },
    /// The reader wants to see the answer.
    Reveal,
    /// The next decision is to be asked.
    Next,
    /// The next decision between other jobs is to be asked.
    OtherJobs,
    /// The predictions end; everything is shown again.
    Leave,
}

impl PredictTurn {
    /// The decision that is looked for, if the turn waits for one; the outer `None` if it does not.
    pub fn found(self, analysis: &Analysis, playhead: Time) -> Option<Option<PredictDecision>> {
        let tasks = &analysis.trace.tasks;
        let (from, filter) = match self {
            // Launches are in the order of time.
            PredictTurn::Sought(After::Playhead) | PredictTurn::Moved => {
                (tasks.partition_point(|run| run.start < playhead), ChoiceFilter::Any)
            }
            PredictTurn::Sought(After::Decision(task)) => (task + 1, ChoiceFilter::Any),
            PredictTurn::Sought(After::OtherJobs(task)) => (task + 1, ChoiceFilter::OtherJobs(task)),
            PredictTurn::Ahead(_) | PredictTurn::Asked(_) | PredictTurn::Answered(..) | PredictTurn::Over => {
                return None;
            }
        };
        let task = analysis.next_choice(from, filter);
        Some(task.map(|task| PredictDecision { task, at: tasks[task].start }))
    }
}

impl Quiz {
    /// Predictions of a policy's decisions from the playhead on.
    pub fn new(policy: PolicyId) -> Quiz {
        Quiz { policy, turn: PredictTurn::Sought(After::Playhead), answers: BTreeMap::new() }
    }

    /// Whether there is something to be predicted still.
    pub fn is_open(&self) -> bool {
        self.turn != PredictTurn::Over
    }

    /// The task that a policy was seen to launch, once the reader has answered: an index in the trace.
    pub fn launched(&self, policy: PolicyId) -> Option<usize> {
        match self.turn {
            PredictTurn::Answered(decision, _) if policy == self.policy => Some(decision.task),
            _ => None,
        }
    }

    /// The last decision that was answered, if this one was.
    fn last_answer(&self, task: usize) -> Option<usize> {
        let of_policy = (self.policy, task)..=(self.policy, usize::MAX);
        self.answers.get(&(self.policy, task))?;
        self.answers.range(of_policy).next_back().map(|(&(_, task), _)| task)
    }

    /// The answers so far as text, such as `fair:0=1 fair:7=0`.
    pub fn answers_to_text(&self) -> String {
        let answer = |(&(policy, task), &is_right)| format!("{policy}:{task}={}", u8::from(is_right));
        let answers: Vec<String> = self.answers.iter().map(answer).collect();
        answers.join(" ")
    }

    /// Answers from what [`Quiz::answers_to_text`] wrote. What cannot be read is left out.
    pub fn answers_from(text: &str) -> Answers {
        let answer = |word: &str| {
            let (policy, rest) = word.split_once(':')?;
            let (task, is_right) = rest.split_once('=')?;
            Some(((policy.parse().ok()?, task.parse().ok()?), is_right == "1"))
        };
        let mut answers = Answers::new();
        answers.extend(text.split(' ').filter_map(answer));
        answers
    }

    /// The scores of the policies that were asked about, in the policies' order.
    pub fn scores(&self) -> BTreeMap<PolicyId, PredictScore> {
        let mut scores: BTreeMap<PolicyId, PredictScore> = BTreeMap::new();
        for (&(policy, _), &is_right) in &self.answers {
            let score = scores.entry(policy).or_default();
            score.right += usize::from(is_right);
            score.answers += 1;
        }
        scores
    }
}

impl State {
    pub(super) fn predict(&mut self, action: Predict) {
        match action {
            Predict::Start(policy) => {
                self.view.policies.insert(policy);
                self.poll = None;
                self.playback.motion = Motion::Paused;
                if self.view.playhead >= self.end() {
                    self.view.playhead = Time::ZERO;
                }
                let answers = self.predict.take().map(|quiz| quiz.answers).unwrap_or_default();
                self.predict = Some(Quiz { answers, ..Quiz::new(policy) });
                return;
            }
            Predict::Leave => {
                self.predict = None;
                return;
            }
            _ => {}
        }
        let (playhead, motion) = (self.view.playhead, self.playback.motion);
        let Some(quiz) = &mut self.predict else { return };
        // They go on behind what was predicted before, also where several decisions have one instant.
        if let (Predict::Found(Some(decision)), PredictTurn::Sought(After::Playhead)) = (action, quiz.turn)
            && let Some(last) = quiz.last_answer(decision.task)
        {
            quiz.turn = PredictTurn::Sought(After::Decision(last));
            return;
        }
        match (action, quiz.turn) {
            (Predict::Found(Some(decision)), PredictTurn::Sought(_)) if motion == Motion::Paused => {
                self.ask(decision)
            }
            (Predict::Found(Some(decision)), PredictTurn::Sought(_) | PredictTurn::Moved) => {
                if playhead >= decision.at {
                    self.ask(decision);
                } else {
                    quiz.turn = PredictTurn::Ahead(decision);
                }
            }
            (Predict::Found(None), PredictTurn::Sought(_) | PredictTurn::Moved) => {
                quiz.turn = PredictTurn::Over
            }
            (Predict::Answer { job, is_right }, PredictTurn::Asked(decision)) => {
                quiz.answers.entry((quiz.policy, decision.task)).or_insert(is_right);
                quiz.turn = PredictTurn::Answered(decision, Some(job));
            }
            (Predict::Reveal, PredictTurn::Asked(decision)) => {
                quiz.turn = PredictTurn::Answered(decision, None)
            }
            (Predict::Next, PredictTurn::Answered(decision, _)) => {
                quiz.turn = PredictTurn::Sought(After::Decision(decision.task));
            }
            (Predict::OtherJobs, PredictTurn::Answered(decision, _)) => {
                quiz.turn = PredictTurn::Sought(After::OtherJobs(decision.task));
            }
            (Predict::Next, PredictTurn::Ahead(decision)) => self.ask(decision),
            // An answer to a question that is no longer asked.
            _ => {}
        }
    }

    /// Adds answers that were given before; those given since stay.
    pub(super) fn remember(&mut self, answers: Answers) {
        if let Some(quiz) = &mut self.predict {
            let given = std::mem::replace(&mut quiz.answers, answers);
            quiz.answers.extend(given);
        }
    }

    fn ask(&mut self, decision: PredictDecision) {
        if let Some(quiz) = &mut self.predict {
            quiz.turn = PredictTurn::Asked(decision);
            self.step_to(Some(decision.at));
        }
    }

    /// What follows for the predictions from anything else that has happened to the page.
    pub(super) fn keep_predicting(&mut self, before: &State, action: PredictCause) {
        let first = self.panels().first().copied();
        let Some(quiz) = &mut self.predict else { return };
        if !self.runs.contains_key(&quiz.policy) {
            match first {
                Some(policy) => (quiz.policy, quiz.turn) = (policy, PredictTurn::Moved),
                None => {
                    self.predict = None;
                    return;
                }
            }
        }
        if self.document != before.document {
            // The tasks are others.
            quiz.answers.clear();
            quiz.turn = PredictTurn::Moved;
        }
        let starts = self.playback.motion == Motion::Playing && before.playback.motion == Motion::Paused;
        match (action, quiz.turn) {
            (PredictCause::Time, PredictTurn::Ahead(decision)) if self.view.playhead >= decision.at => {
                self.ask(decision)
            }
            (PredictCause::Reader, _) if self.view.playhead != before.view.playhead => {
                quiz.turn = PredictTurn::Moved
            }
            (PredictCause::Reader, PredictTurn::Asked(_)) if starts => {
                self.playback.motion = Motion::Paused;
                let title = "Say first which job goes next".to_owned();
                let detail = "Or press Show me; after the answer, Play goes on.".to_owned();
                self.ui.toast = Some(Toast::Done(Notice { title, detail }));
            }
            (PredictCause::Reader, PredictTurn::Answered(decision, _)) if starts => {
                quiz.turn = PredictTurn::Sought(After::Decision(decision.task));
            }
            _ => {}
        }
    }
}

/// Who has changed the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PredictCause {
    /// The schedule plays.
    Time,
    /// The predictions themselves.
    Prediction,
    /// The reader, or a result.
    Reader,
}

impl PredictCause {
    pub(super) fn of_action(action: &Action) -> PredictCause {
        match action {
            Action::Playback(PlaybackAction::Tick(_)) => PredictCause::Time,
            Action::Predict(_) | Action::Answers(_) => PredictCause::Prediction,
            _ => PredictCause::Reader,
        }
    }
}

#[cfg(test)]
mod tests;
