//! The page's state and the one function that changes it. No browser types: tested natively.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::wire::Outcome;
use crate::policy::PolicyId;
use crate::scenario::{Scenario, catalog};
use crate::units::Time;
use crate::view::TimeAxis;

/// Where the scenario on the page comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The catalog's entry of that name.
    Catalog(&'static str),
    /// A file of that name.
    File(String),
}

/// A scenario on the page. Never changed: another scenario is another document.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What is simulated.
    pub scenario: Scenario,
    /// The same as a file, which is what workers are sent.
    pub json: Rc<str>,
    /// Where it comes from.
    pub origin: Origin,
}

/// How far a policy's simulation is.
#[derive(Clone, Debug, PartialEq)]
pub enum Run {
    /// Under way: the part of the tasks launched, 0 to 1.
    Pending(f64),
    /// There.
    Done(Rc<Outcome>),
    /// Not to be had, and why.
    Failed(String),
}

/// Whether the playhead moves by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It stands.
    Paused,
    /// It moves.
    Playing,
}

/// Which way to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the event before.
    Back,
    /// To the next event.
    Forward,
}

/// Something the reader is told until they close it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What did not work.
    pub title: String,
    /// Where and why, and what to do about it.
    pub detail: String,
}

/// Everything the page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The scenario.
    pub document: Rc<Document>,
    /// Counts documents, so that an answer about an earlier one can be told apart.
    pub revision: u32,
    /// The ticked policies.
    pub ticked: BTreeSet<PolicyId>,
    /// A run for every ticked policy.
    pub runs: BTreeMap<PolicyId, Run>,
    /// The instant shown.
    pub playhead: Time,
    /// Whether the playhead moves.
    pub motion: Motion,
    /// Simulated seconds a real second shows; `None`: such that the whole takes [`WHOLE_S`].
    pub speed: Option<f64>,
    /// What the reader should be told.
    pub notice: Option<Notice>,
}

/// Real seconds that a whole schedule takes to play unless a speed is chosen.
pub const WHOLE_S: f64 = 20.0;

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Another scenario is shown.
    Open(Rc<Document>),
    /// Something did not work; what is on the page stays.
    Warn(Notice),
    /// The notice was read.
    CloseNotice,
    /// A policy is ticked or unticked.
    Toggle(PolicyId),
    /// A simulation goes on.
    Progress(u32, PolicyId, f64),
    /// A simulation has ended, or failed with a message.
    Finished(u32, PolicyId, Result<Rc<Outcome>, String>),
    /// A failed simulation is to be tried again.
    Retry(PolicyId),
    /// The playhead is put somewhere.
    Seek(Time),
    /// The playhead goes to the next or previous event of any ticked policy.
    Step(Direction),
    /// Play or pause.
    PlayPause,
    /// So many real seconds have passed while playing.
    Tick(f64),
    /// Simulated seconds per real second are chosen.
    Speed(Option<f64>),
}

impl Document {
    /// A document of a catalog entry.
    pub fn from_catalog(entry: &catalog::Entry) -> Document {
        Document::new(entry.scenario(), Origin::Catalog(entry.name))
    }

    /// A document of a checked scenario.
    pub fn new(scenario: Scenario, origin: Origin) -> Document {
        let json = Rc::from(scenario.to_json());
        Document { scenario, json, origin }
    }

    /// The catalog entry that the document is.
    pub fn entry(&self) -> Option<&'static catalog::Entry> {
        match &self.origin {
            Origin::Catalog(name) => catalog::find(name),
            Origin::File(_) => None,
        }
    }
}

impl State {
    /// A page with a document and the policies that suit it.
    pub fn new(document: Rc<Document>) -> State {
        let ticked = match document.entry() {
            Some(entry) => catalog::suggested(entry).into_iter().collect(),
            None => ["fair", "ujf", "cfq", "uwfq"].iter().filter_map(|policy| policy.parse().ok()).collect(),
        };
        State {
            document,
            revision: 0,
            ticked,
            runs: BTreeMap::new(),
            playhead: Time::ZERO,
            motion: Motion::Paused,
            speed: None,
            notice: None,
        }
        .with_a_run_for_every_ticked_policy()
    }

    /// The state after an action.
    pub fn reduce(&self, action: Action) -> State {
        let mut state = self.clone();
        match action {
            Action::Open(document) => {
                let from_catalog = document.entry().map(catalog::suggested);
                state.document = document;
                state.revision += 1;
                state.runs.clear();
                state.playhead = Time::ZERO;
                state.motion = Motion::Paused;
                state.notice = None;
                // A catalog entry brings the policies that tell its story; a file keeps the reader's.
                if let Some(policies) = from_catalog {
                    state.ticked = policies.into_iter().collect();
                }
            }
            Action::Warn(notice) => state.notice = Some(notice),
            Action::CloseNotice => state.notice = None,
            Action::Toggle(policy) => {
                if !state.ticked.remove(&policy) {
                    state.ticked.insert(policy);
                }
            }
            Action::Progress(revision, policy, part) => {
                if let (true, Some(run @ Run::Pending(_))) =
                    (revision == state.revision, state.runs.get_mut(&policy))
                {
                    *run = Run::Pending(part);
                }
            }
            Action::Finished(revision, policy, result) => {
                if let (true, Some(run)) = (revision == state.revision, state.runs.get_mut(&policy)) {
                    *run = match result {
                        Ok(outcome) => Run::Done(outcome),
                        Err(message) => Run::Failed(message),
                    };
                }
            }
            Action::Retry(policy) => {
                if let Some(run @ Run::Failed(_)) = state.runs.get_mut(&policy) {
                    *run = Run::Pending(0.0);
                }
            }
            Action::Seek(time) => {
                state.playhead = time.min(state.end());
                state.motion = Motion::Paused;
            }
            Action::Step(direction) => {
                state.motion = Motion::Paused;
                if let Some(time) = state.event_beside(direction) {
                    state.playhead = time;
                }
            }
            Action::PlayPause => match state.motion {
                Motion::Playing => state.motion = Motion::Paused,
                Motion::Paused => {
                    state.motion = Motion::Playing;
                    if state.playhead >= state.end() {
                        state.playhead = Time::ZERO;
                    }
                }
            },
            Action::Tick(seconds) => {
                let advance = seconds * state.simulated_per_second() * 1e6;
                state.playhead = Time(state.playhead.0 + advance.max(0.0) as u64).min(state.end());
                if state.playhead >= state.end() {
                    state.motion = Motion::Paused;
                }
            }
            Action::Speed(speed) => state.speed = speed,
        }
        state.with_a_run_for_every_ticked_policy()
    }

    fn with_a_run_for_every_ticked_policy(mut self) -> State {
        self.runs.retain(|policy, _| self.ticked.contains(policy));
        for &policy in &self.ticked {
            self.runs.entry(policy).or_insert(Run::Pending(0.0));
        }
        self
    }

    /// The outcomes that are there, in the order of their panels.
    pub fn outcomes(&self) -> impl Iterator<Item = (PolicyId, &Rc<Outcome>)> {
        self.runs.iter().filter_map(|(&policy, run)| match run {
            Run::Done(outcome) => Some((policy, outcome)),
            Run::Pending(_) | Run::Failed(_) => None,
        })
    }

    /// The last instant at which anything happens under any ticked policy, or the last arrival
    /// while nothing is known yet.
    pub fn end(&self) -> Time {
        let arrivals = self.document.scenario.jobs.iter().map(|job| job.arrival);
        self.outcomes().map(|(_, outcome)| outcome.trace.end()).chain(arrivals).max().unwrap_or_default()
    }

    /// The axis that all panels share.
    pub fn axis(&self) -> TimeAxis {
        TimeAxis::whole(self.end())
    }

    /// Simulated seconds that a real second shows.
    pub fn simulated_per_second(&self) -> f64 {
        self.speed.unwrap_or_else(|| (self.end().seconds() / WHOLE_S).max(1e-6))
    }

    /// The nearest event of any ticked policy before or after the playhead.
    fn event_beside(&self, direction: Direction) -> Option<Time> {
        let beside = self.outcomes().filter_map(|(_, outcome)| match direction {
            Direction::Back => outcome.index.previous_instant(self.playhead),
            Direction::Forward => outcome.index.next_instant(self.playhead),
        });
        match direction {
            Direction::Back => beside.max(),
            Direction::Forward => beside.min(),
        }
    }

    /// Whether every ticked policy has an answer.
    pub fn is_settled(&self) -> bool {
        self.runs.values().all(|run| !matches!(run, Run::Pending(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::wire::simulate_here;

    fn policy(name: &str) -> PolicyId {
        name.parse().expect("a policy")
    }

    fn page(name: &str) -> State {
        State::new(Rc::new(Document::from_catalog(catalog::find(name).expect("an entry"))))
    }

    /// A page whose runs are all there.
    fn settled(name: &str) -> State {
        let mut state = page(name);
        for policy in state.ticked.clone() {
            let outcome = simulate_here(&state.document.scenario, policy);
            state = state.reduce(Action::Finished(state.revision, policy, Ok(outcome)));
        }
        state
    }

    #[test]
    fn a_catalog_entry_brings_its_policies_and_a_file_keeps_the_readers() {
        let state = page("skew");
        assert_eq!(state.ticked, [policy("uwfq"), policy("uwfq-p")].into());
        let file = Document::new(state.document.scenario.clone(), Origin::File("mine.json".into()));
        let opened = state.reduce(Action::Toggle(policy("fair"))).reduce(Action::Open(Rc::new(file)));
        assert_eq!(opened.ticked, [policy("fair"), policy("uwfq"), policy("uwfq-p")].into());
        assert!(opened.runs.values().all(|run| *run == Run::Pending(0.0)));
    }

    #[test]
    fn answers_about_an_earlier_document_are_ignored() {
        let state = settled("skew");
        let document = Rc::clone(&page("two-users").document);
        let opened = state.reduce(Action::Open(document));
        let late = simulate_here(&state.document.scenario, policy("uwfq"));
        assert_eq!(opened.reduce(Action::Finished(0, policy("uwfq"), Ok(late))), opened);
        assert_eq!(opened.reduce(Action::Progress(0, policy("uwfq"), 0.5)), opened);
    }

    #[test]
    fn a_warning_leaves_everything_else_as_it_was() {
        let state = settled("skew");
        let notice = Notice { title: "x".into(), detail: "y".into() };
        let warned = state.reduce(Action::Warn(notice));
        assert_eq!(warned.reduce(Action::CloseNotice), state);
    }

    #[test]
    fn steps_visit_every_event_and_come_back_the_same_way() {
        let mut state = settled("skew");
        let mut way = vec![state.playhead];
        loop {
            let next = state.reduce(Action::Step(Direction::Forward));
            if next == state {
                break;
            }
            state = next;
            way.push(state.playhead);
        }
        assert_eq!(state.playhead, state.end());
        assert!(way.len() > 10, "{way:?}");
        for &time in way.iter().rev() {
            assert_eq!(state.playhead, time);
            state = state.reduce(Action::Step(Direction::Back));
        }
        assert_eq!(state.playhead, Time::ZERO);
    }

    #[test]
    fn playing_takes_twenty_seconds_and_stops_at_the_end() {
        let mut state = settled("two-users").reduce(Action::PlayPause);
        for _ in 0..19 {
            state = state.reduce(Action::Tick(1.0));
            assert_eq!(state.motion, Motion::Playing);
        }
        state = state.reduce(Action::Tick(1.1));
        assert_eq!((state.motion, state.playhead), (Motion::Paused, state.end()));
        assert_eq!(state.reduce(Action::PlayPause).playhead, Time::ZERO);
    }

    #[test]
    fn a_failed_run_can_be_tried_again() {
        let state = page("skew");
        let failed = state.reduce(Action::Finished(0, policy("uwfq"), Err("no worker".into())));
        assert_eq!(failed.runs[&policy("uwfq")], Run::Failed("no worker".into()));
        assert_eq!(failed.reduce(Action::Retry(policy("uwfq"))), state);
    }
}
