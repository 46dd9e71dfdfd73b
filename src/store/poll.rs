//! A lecturer asks a class how long a job waits, collects the guesses while the future is hidden, and reveals it.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::{DisplayQuestion, Motion, Notice, SideSheet, State, Toast};
use crate::results::shared::Shared;
use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane::scenario::Scenario;
use fairlane::units::{Span, Time};
use fairlane_view::TimeAxis;

/// Most guesses that a question collects.
pub const MAX_GUESSES: usize = 200;
/// The longest guess, in seconds.
const MAX_SECONDS: f64 = 1e6;
/// Said when time is moved to the answer before it is revealed.
const STILL_HIDDEN: &str = "The answer is still hidden";
/// A guess is near if it misses the answer by at most this fraction of it: a tenth.
const NEAR: u64 = 10;

/// A question to a class: how long a job waits from its arrival to its answer, under one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Poll {
    /// The policy that is asked about.
    pub policy: PolicyId,
    /// The job that waits.
    pub job: JobId,
    /// Why the last guess was not taken.
    pub refused: Option<GuessError>,
    guesses: BTreeMap<Span, usize>,
    /// The scenario that was asked about.
    scenario: Shared<Scenario>,
    /// Whether the lecturer has asked for the answer.
    revealed: bool,
    /// What came out, once it is known to all.
    answer: Option<PollAnswer>,
}

/// What came out, and of which scenario.
#[derive(Clone, Debug, PartialEq)]
struct PollAnswer {
    wait: Option<Span>,
    scenario: Shared<Scenario>,
}

/// What a lecturer does about a question.
#[derive(Clone, Debug, PartialEq)]
pub enum PollAction {
    /// Asks about a job, or about one that suits if none is meant, under the policy whose panel is in front.
    Start(Option<JobId>),
    /// Asks about a job under a policy.
    Ask(PolicyId, JobId),
    /// Notes a guess as it was typed, in seconds.
    Guess(String),
    /// Takes back one guess of this length.
    Remove(Span),
    /// Plays the schedule up to the answer, or shows it at once; if it plays already, too.
    Reveal(Motion),
    /// Asks the same again, of others.
    Again,
    /// Ends the question.
    Done,
}

/// How far a question has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollScene {
    /// Guesses are collected.
    Asked,
    /// The schedule is played up to the answer.
    Playing,
    /// The answer was seen: how long the job waited, if it ever ended.
    Answered(Option<Span>),
}

/// Why a guess was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuessError {
    /// The text is no number.
    NotANumber(String),
    /// The number is no possible wait.
    OutOfRange(String),
    /// There are [`MAX_GUESSES`] already.
    Full,
}

impl Display for GuessError {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            GuessError::NotANumber(text) if text.is_empty() => {
                f.write_str("A guess is missing; type a number of seconds, such as 4.5.")
            }
            GuessError::NotANumber(text) => {
                write!(f, "“{text}” is no number; type a number of seconds, such as 4.5.")
            }
            GuessError::OutOfRange(text) => {
                write!(f, "{text} s is no possible wait; type a number of seconds from 0 to {MAX_SECONDS}.")
            }
            GuessError::Full => {
                write!(
                    f,
                    "There are {MAX_GUESSES} guesses, which is all there is room for; reveal the answer, or \
                           press one to remove it."
                )
            }
        }
    }
}

/// A guess as people type it: with a comma or a point, and with or without its unit.
fn guess(text: &str) -> Result<Span, GuessError> {
    let text: String = text.trim().chars().take(40).collect();
    let plain = text.trim_end_matches(['s', ' ', '\u{a0}']).replace(',', ".");
    let plain = plain.trim_start_matches('+').trim_end_matches('.');
    let digits = plain.trim_start_matches('0');
    // A number as JSON has it: one digit in front of the point, and no zeros before others.
    let lead = if plain.starts_with(['0', '.']) && !digits.starts_with(|digit: char| digit.is_ascii_digit()) {
        "0"
    } else {
        ""
    };
    let seconds = number::parse(&format!("{lead}{digits}"));
    match seconds {
        None => Err(GuessError::NotANumber(text)),
        Some(seconds) if !(0.0..=MAX_SECONDS).contains(&seconds) => {
            Err(GuessError::OutOfRange(plain.to_owned()))
        }
        Some(seconds) => Ok(Span((seconds * 1e3).round() as u64 * 1_000)),
    }
}

impl Poll {
    fn new(policy: PolicyId, job: JobId, scenario: Shared<Scenario>) -> Poll {
        Poll { policy, job, refused: None, guesses: BTreeMap::new(), scenario, revealed: false, answer: None }
    }

    /// Whether what follows the playhead is hidden because of it.
    pub fn is_open(&self) -> bool {
        self.answer.is_none()
    }

    /// Each guess with how often it was made, the shortest first.
    pub fn guesses(&self) -> impl Iterator<Item = (Span, usize)> {
        self.guesses.iter().map(|(&guess, &count)| (guess, count))
    }

    /// How many guesses there are.
    pub fn count(&self) -> usize {
        self.guesses.values().sum()
    }

    /// The guess in the middle; of an even number halfway between the two there.
    pub fn median(&self) -> Option<Span> {
        let count = self.count();
        let nth = |place: usize| {
            let mut passed = 0;
            self.guesses().find_map(|(guess, count)| {
                passed += count;
                (passed > place).then_some(guess.0)
            })
        };
        Some(Span((nth(count.checked_sub(1)? / 2)? + nth(count / 2)?) / 2))
    }

    /// How many guesses are within a tenth of a wait.
    pub fn near(&self, wait: Span) -> usize {
        let is_near = |guess: Span| guess.0.abs_diff(wait.0).saturating_mul(NEAR) <= wait.0;
        self.guesses().filter(|(guess, _)| is_near(*guess)).map(|(_, count)| count).sum()
    }

    /// The guess nearest to a wait; of two as near the shorter one.
    pub fn nearest(&self, wait: Span) -> Option<Span> {
        self.guesses().map(|(guess, _)| guess).min_by_key(|guess| guess.0.abs_diff(wait.0))
    }

    fn add(&mut self, text: &str) {
        let taken = match guess(text) {
            Ok(_) if self.count() >= MAX_GUESSES => Err(GuessError::Full),
            taken => taken,
        };
        match taken {
            Ok(guess) => {
                *self.guesses.entry(guess).or_default() += 1;
                self.refused = None;
            }
            Err(why) => self.refused = Some(why),
        }
    }

    fn remove(&mut self, guess: Span) {
        if let Some(count) = self.guesses.get_mut(&guess) {
            *count -= 1;
            self.guesses.retain(|_, count| *count > 0);
            self.refused = None;
        }
    }
}

impl State {
    pub(super) fn poll(&mut self, action: PollAction) {
        match action {
            PollAction::Start(job) => {
                let front = self.ui.front.filter(|policy| self.runs.contains_key(policy));
                let told = self.worst_served().map(|verdict| verdict.policy);
                let policy = front.or(told).or_else(|| self.panels().first().copied());
                let job = policy.and_then(|policy| job.or_else(|| self.job_to_ask_about(policy)));
                if let Some((policy, job)) = policy.zip(job) {
                    self.ask_class(policy, job);
                }
            }
            PollAction::Ask(policy, job) => self.ask_class(policy, job),
            PollAction::Again => {
                if let Some((policy, job)) = self.poll.as_ref().map(|poll| (poll.policy, poll.job)) {
                    self.ask_class(policy, job);
                }
            }
            PollAction::Done => self.poll = None,
            PollAction::Reveal(motion) => self.reveal_wait(motion),
            PollAction::Guess(text) => {
                if let Some(poll) = self.poll.as_mut().filter(|poll| poll.is_open()) {
                    poll.add(&text);
                }
            }
            PollAction::Remove(guess) => {
                if let Some(poll) = self.poll.as_mut().filter(|poll| poll.is_open()) {
                    poll.remove(guess);
                }
            }
        }
    }

    /// The chosen job, or else the one that waits longest of the user whom the headline is about, or else that of a user
    /// who has no other, or else the last one that arrives.
    fn job_to_ask_about(&self, policy: PolicyId) -> Option<JobId> {
        let jobs = self.document.scenario.jobs();
        let chosen = self.view.chosen.first().copied().filter(|job| job.index() < jobs.len());
        let chosen = chosen.or_else(|| self.longest_wait(self.worst_served()?.user, policy));
        let mut count = vec![0_usize; self.document.scenario.users().len()];
        jobs.iter().for_each(|job| count[job.user.index()] += 1);
        let order =
            |index: &usize| (std::cmp::Reverse(count[jobs[*index].user.index()]), jobs[*index].arrival);
        chosen.or_else(|| (0..jobs.len()).max_by_key(order).map(|index| JobId(index as u32)))
    }

    /// The job of a user that waits longest for its answer under a policy; of equals the first.
    fn longest_wait(&self, user: UserId, policy: PolicyId) -> Option<JobId> {
        let analysis = self.runs.get(&policy)?.analysis.as_ref()?;
        let jobs = self.document.scenario.jobs().iter().zip(&analysis.trace.jobs).enumerate();
        let own = jobs.filter(|(_, (job, _))| job.user == user).rev();
        own.max_by_key(|(_, (_, run))| run.response()).map(|(index, _)| JobId(index as u32))
    }

    /// Asks at the instant at which the job arrives. A lesson asks its own questions.
    fn ask_class(&mut self, policy: PolicyId, job: JobId) {
        let Some(arrival) = self.document.scenario.jobs().get(job.index()).map(|job| job.arrival) else {
            return;
        };
        if self.lessons.tour.is_some() {
            let title = "The lesson asks its own questions".to_owned();
            let detail = "Close the lesson, then ask the class.".to_owned();
            self.ui.toast = Some(Toast::Done(Notice { title, detail }));
            return;
        }
        self.commit_drag();
        self.predict = None;
        if !self.runs.contains_key(&policy) {
            self.view.policies.insert(policy);
        }
        self.ui.front = Some(policy);
        // On a phone it would cover the question.
        self.ui.sheet = SideSheet::Folded;
        self.playback.played = false;
        self.poll = Some(Poll::new(policy, job, self.document.scenario.clone()));
        self.step_to(Some(arrival));
    }

    /// When the job that is asked about has its answer in the schedule as it is, or the schedule ends without one; the
    /// outer `None` while that is not known.
    fn poll_end(&self) -> Option<(Time, Option<Span>)> {
        let Poll { policy, job, .. } = self.poll.as_ref()?;
        let analysis = self.runs.get(policy)?.analysis.as_ref()?;
        let run = analysis.trace.jobs.get(job.index())?;
        let is_current = analysis.simulated == self.document.scenario;
        is_current.then(|| (run.finish().unwrap_or_else(|| self.end()), run.response()))
    }

    /// Whether the answer is known, so that it can be revealed.
    pub fn can_reveal(&self) -> bool {
        self.poll_end().is_some()
    }

    fn reveal_wait(&mut self, motion: Motion) {
        let is_open = self.poll.as_ref().is_some_and(Poll::is_open);
        let Some((end, _)) = self.poll_end().filter(|_| is_open) else { return };
        self.poll.iter_mut().for_each(|poll| poll.revealed = true);
        self.ui.toast.take_if(|toast| matches!(toast, Toast::Done(notice) if notice.title == STILL_HIDDEN));
        let part = TimeAxis { from: self.view.playhead, to: end };
        let plays = self.playback.reveal.is_some();
        match motion {
            Motion::Playing if !plays && part.from < part.to => {
                self.playback.motion = Motion::Playing;
                self.playback.reveal = Some(part);
            }
            _ => self.step_to(Some(end)),
        }
    }

    /// Shows the answer where the playhead is, if it is known; else the question ends.
    pub(super) fn answer_poll(&mut self) {
        let Some((_, wait)) = self.poll_end() else {
            self.poll = None;
            return;
        };
        let scenario = self.document.scenario.clone();
        let Some(poll) = self.poll.as_mut().filter(|poll| poll.is_open()) else { return };
        poll.refused = None;
        poll.answer = Some(PollAnswer { wait, scenario });
        // The inspector goes on from there.
        self.question = Some((poll.policy, DisplayQuestion::Playhead));
        if self.view.chosen.is_empty() {
            self.view.chosen.insert(poll.job);
        }
    }

    /// How far the question to the class has come; `None` while there is none.
    pub fn poll_scene(&self) -> Option<PollScene> {
        Some(match &self.poll.as_ref()?.answer {
            Some(answer) => PollScene::Answered(answer.wait),
            None if self.playback.reveal.is_some() => PollScene::Playing,
            None => PollScene::Asked,
        })
    }

    /// Whether the scenario is no longer the one that was asked about, or that the answer is of.
    pub fn poll_is_outdated(&self) -> bool {
        let of = |poll: &Poll| {
            let answered = poll.answer.as_ref().map_or(&poll.scenario, |answer| &answer.scenario);
            *answered != self.document.scenario || poll.scenario != self.document.scenario
        };
        self.poll.as_ref().is_some_and(of)
    }

    /// What is asked, as far as a link can name it.
    pub fn asked_of_class(&self) -> Option<(PolicyId, JobId)> {
        self.poll.as_ref().map(|poll| (poll.policy, poll.job)).filter(|(policy, _)| *policy != OBSERVED)
    }

    /// The page with the question of a link, if its job is there.
    #[must_use]
    pub(super) fn with_poll(mut self, asked: Option<(PolicyId, JobId)>) -> State {
        let jobs = self.document.scenario.jobs().len();
        let sound = asked.filter(|(_, job)| job.index() < jobs && self.predict.is_none());
        self.poll = sound.map(|(policy, job)| Poll::new(policy, job, self.document.scenario.clone()));
        self.view.policies.extend(sound.map(|(policy, _)| policy));
        self.ui.front = sound.map(|(policy, _)| policy).or(self.ui.front);
        self.with_runs()
    }

    /// What follows for the question from anything that has happened to the page: it is about the same job as before,
    /// is answered once the playhead has passed the answer, and ends with what it is about.
    pub(super) fn keep_poll(&mut self, before: &State) {
        let Some(Poll { policy, job, .. }) = self.poll else { return };
        if self.lessons.tour.is_some() || self.predict.is_some() {
            self.poll = None;
            return;
        }
        if self.lineage != before.lineage && before.poll.is_some() {
            return self.end_poll("Another scenario is shown. Ask about that one.".to_owned());
        }
        if !self.runs.contains_key(&policy) {
            let detail = format!("{} is not shown any more. Show it, then ask again.", policy.title());
            return self.end_poll(detail);
        }
        if self.document != before.document && before.poll.is_some() {
            match same_job(job, &before.document.scenario, &self.document.scenario) {
                Some(same) => self.poll.iter_mut().for_each(|poll| poll.job = same),
                None => {
                    let detail =
                        "Its job is not there any more. Undo brings it back; then ask again.".to_owned();
                    return self.end_poll(detail);
                }
            }
        }
        let is_past = |playhead: Time| self.poll_end().is_some_and(|(end, _)| playhead >= end);
        if !is_past(self.view.playhead) || self.drag.is_some() {
            return;
        }
        // A press that was meant for something else does not give the answer away.
        let is_open = self.poll.as_ref().is_some_and(|poll| poll.is_open() && !poll.revealed);
        if is_open && before.playback.motion == Motion::Paused && !is_past(before.view.playhead) {
            self.view.playhead = before.view.playhead;
            let title = STILL_HIDDEN.to_owned();
            let detail = "Reveal shows it; until then time can be moved to just before it.".to_owned();
            self.ui.toast = Some(Toast::Done(Notice { title, detail }));
            return;
        }
        self.answer_poll();
    }

    fn end_poll(&mut self, detail: String) {
        self.poll = None;
        let title = "The question to the class has ended".to_owned();
        match &mut self.ui.toast {
            // What was deleted can be brought back there.
            Some(Toast::Deleted(what)) => *what += ", which the question to the class was about,",
            toast => *toast = Some(Toast::Done(Notice { title, detail })),
        }
    }
}

/// The job of a scenario after a change that was `job` before it: jobs that come and go move the others.
fn same_job(job: JobId, before: &Scenario, now: &Scenario) -> Option<JobId> {
    let known = before.jobs().get(job.index())?;
    let jobs = now.jobs();
    if jobs.len() == before.jobs().len() {
        return Some(job);
    }
    let user = &before.users()[known.user.index()].name;
    let is_same = |index: &usize| {
        let other = &jobs[*index];
        now.users()[other.user.index()].name == *user
            && (&other.name, other.arrival, &other.stages) == (&known.name, known.arrival, &known.stages)
    };
    let distance = |index: &usize| index.abs_diff(job.index());
    (0..jobs.len()).filter(is_same).min_by_key(distance).map(|index| JobId(index as u32))
}

#[cfg(test)]
mod tests;
