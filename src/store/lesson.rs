//! A lesson on the page: what it sets up, what the reader has answered, and what was there before.

mod guide;
mod place;
mod progress;
mod scene;
mod set_up;

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::{Document, Motion, State};
use crate::results::shared::Shared;
use fairlane::scenario::Scenario;
use fairlane::units::Time;
use fairlane_study::lesson::document::GuessState;
use fairlane_study::lesson::{ChallengeScore, LessonFacts, OUTLINES, StepId};
use fairlane_view::TimeAxis;
pub use guide::{AnswerShown, Card, Guide, LessonEnd, ReadDocument, ResumedLesson};
pub use place::{LessonPlace, OpenedLesson};
pub use progress::{GivenAnswer, LessonProgress, ReachedChallenge};
pub use set_up::of_others;
use set_up::{facts_at, is_recorded};

/// Most events of a simulation that a figure of somebody else's lesson may take.
const MAX_EVENTS: u32 = 300_000;

/// A lesson under way.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveLesson {
    /// The step.
    pub at: LessonPlace,
    /// How much of it is shown.
    pub card: Card,
    /// What was done in this lesson.
    pub progress: LessonProgress,
    /// Counts how often the page was set up, so that what is pointed at is scrolled into view again.
    pub set_ups: u32,
    /// What the step says is about this scenario; `None` while the recorded run is being opened.
    facts: Option<Shared<LessonFacts>>,
    /// The recorded run, once a step has asked for it.
    recording: Option<Shared<Document>>,
    /// The page as the reader had it, without its simulations.
    before: Shared<State>,
}

/// The lessons on the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lessons {
    /// The one under way.
    pub tour: Option<ActiveLesson>,
    /// Names of those that were gone through to the end.
    pub done: BTreeSet<&'static str>,
    /// The best score in each challenge that was reached, by name.
    pub scores: BTreeMap<&'static str, ChallengeScore>,
    /// Counts how often the recorded run was to be read.
    pub requests: u32,
    /// Whether the document under way is being written on the page.
    pub writing: bool,
    /// Whether the reader opens the recorded run, and not a step alone.
    pub(super) opens: bool,
}

impl ActiveLesson {
    /// A lesson that begins over the page `before`.
    fn new(at: LessonPlace, facts: Option<Shared<LessonFacts>>, before: Shared<State>) -> ActiveLesson {
        ActiveLesson {
            at,
            card: Card::Open,
            progress: LessonProgress::default(),
            set_ups: 0,
            facts,
            recording: None,
            before,
        }
    }

    /// The answer that was given to the step's question.
    pub fn answer(&self) -> Option<&GivenAnswer> {
        self.progress.answers.get(&self.at.index())
    }

    /// Whether the step's question has been answered.
    pub fn guess_state(&self) -> GuessState {
        if self.answer().is_some() { GuessState::Answered } else { GuessState::Open }
    }

    /// Whether the scenario on the page is the one that the step speaks of.
    pub fn speaks_of(&self, scenario: &Scenario) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.scenario() == scenario)
    }

    /// Whether what the step says is true of a scenario, whatever that is called.
    pub fn is_about(&self, scenario: &Scenario) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.scenario().has_schedules_of(scenario))
    }

    /// Whether the step waits for the recorded run.
    pub fn is_awaiting(&self) -> bool {
        self.facts.is_none() && self.at.own().is_some()
    }

    /// What the step's text is about, with what happened in a recorded run; `None` while that is being opened.
    pub fn whole_facts(&self) -> Option<Shared<LessonFacts>> {
        let recorded = is_recorded(self.at.scene(GuessState::Open));
        let Some(recording) = self.recording.as_ref().filter(|_| recorded) else { return self.facts.clone() };
        let log = recording.log.as_ref()?.read.as_ref()?;
        let facts =
            LessonFacts::recorded((*recording.scenario).clone(), log.analysis.trace.clone(), log.ties);
        Some(Shared::new(facts))
    }

    /// The page from before the lesson, to be stored for a reload in the middle of it.
    pub fn before(&self) -> &State {
        &self.before
    }
}

impl State {
    /// A stored page in the middle of a lesson: the page as it is, and the one before the lesson.
    pub fn resumed(self, at: impl Into<LessonPlace>, card: Card, before: &State) -> State {
        self.resumed_with(at.into(), card, LessonProgress::default(), before)
    }

    fn resumed_with(self, at: LessonPlace, card: Card, progress: LessonProgress, before: &State) -> State {
        let facts = facts_at(&at, None);
        let tour = ActiveLesson { card, progress, ..ActiveLesson::new(at, facts, before.set_aside()) };
        let awaits = tour.is_awaiting() && !matches!(card, Card::Over(_));
        // A challenge may have been changed by nothing but its policies.
        let undisturbed = tour.speaks_of(&self.document.scenario) && !tour.at.is_challenge();
        let mut state = self;
        state.lessons.tour = Some(tour);
        if awaits {
            state.ask_for_recording();
        }
        // With changes of the reader's the page stays as it is: nothing of theirs is overwritten unasked.
        if undisturbed && !matches!(card, Card::Over(_)) {
            state.reduce(super::Action::Guide(Guide::SetUp))
        } else {
            state
        }
    }

    /// The challenge of the project under way.
    pub fn challenge(&self) -> Option<StepId> {
        let tour = self.lessons.tour.as_ref().filter(|tour| !matches!(tour.card, Card::Over(_)))?;
        tour.at.own().filter(|at| at.is_challenge())
    }

    /// The page with the scores that this browser remembers; of unknown challenges none.
    pub fn with_scores<'a>(mut self, scores: impl IntoIterator<Item = (&'a str, ChallengeScore)>) -> State {
        let known = |(id, score)| Some((StepId::challenge_named(id).ok()?.challenge_id()?, score));
        self.lessons.scores = scores.into_iter().filter_map(known).collect();
        self
    }

    /// The page with the lessons marked that this browser remembers as done; unknown names are passed over.
    pub fn with_lessons_done<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> State {
        let known = |name: &str| OUTLINES.iter().find(|lesson| lesson.id == name).map(|lesson| lesson.id);
        self.lessons.done = names.into_iter().filter_map(known).collect();
        self
    }

    pub(super) fn guide(&mut self, guide: Guide) {
        let leads_away = Guide::Return == guide || Guide::Stay == guide || Guide::Leave == guide;
        if leads_away
            || matches!(guide, Guide::Start(_) | Guide::Open(..) | Guide::Resume(_) | Guide::Write(None))
        {
            self.lessons.writing = false;
        }
        match guide {
            Guide::Start(at) => self.start_lesson(at.into()),
            Guide::Open(lesson, step) => {
                self.ui.opening = None;
                self.start_lesson(LessonPlace::opened(lesson, step));
            }
            Guide::Resume(resumed) => {
                let ResumedLesson { at, card, progress, before } = *resumed;
                *self = self.clone().resumed_with(at, card, progress, &before);
            }
            Guide::Write(None) => {}
            Guide::Recall(progress) => self.recall(*progress),
            Guide::WriteNew(ReadDocument(read)) => {
                let lesson = Shared::new(read(self.new_document()));
                self.write(LessonPlace::opened(lesson, 0));
            }
            Guide::Write(Some((lesson, step))) => self.write(LessonPlace::opened(lesson, step)),
            Guide::At(step) => {
                if let Some(at) = self.lessons.tour.as_ref().map(|tour| tour.at.at(step)) {
                    self.start_lesson(at);
                }
            }
            Guide::SetUp => self.set_up(),
            Guide::Explain => self.explain(),
            Guide::Guess(answer, motion) => {
                let Some(tour) = &mut self.lessons.tour else { return };
                let first = answer.is_sound() && tour.progress.answer(tour.at.index(), answer);
                let reveals = tour.at.reveal().is_some();
                // Not over the reader's own changes, which the answer says nothing about.
                let undisturbed = tour.speaks_of(&self.document.scenario);
                if first && reveals && undisturbed {
                    self.set_up();
                    if motion == Motion::Playing {
                        self.play_to_the_answer();
                    }
                }
            }
            Guide::Fold => self.turn_card(|card| match card {
                Card::Open => Card::Folded,
                Card::Folded => Card::Open,
                over => over,
            }),
            Guide::Finish => {
                let own = self.lessons.tour.as_ref().and_then(|tour| tour.at.own());
                if let Some(at) = own.filter(|at| !at.is_challenge()) {
                    self.lessons.done.insert(at.outline().id);
                }
                self.turn_card(|_| Card::Over(LessonEnd::Finished));
            }
            Guide::Leave => self.turn_card(|_| Card::Over(LessonEnd::Closed)),
            Guide::Return => {
                if let Some(tour) = self.lessons.tour.take() {
                    self.restore(&tour.before);
                }
            }
            Guide::Stay => self.lessons.tour = None,
            Guide::Reach(at, score) => {
                let id = at.own().and_then(StepId::challenge_id);
                let tour = self.lessons.tour.as_mut().filter(|tour| tour.at == at);
                match (id, tour) {
                    (Some(id), _) => drop(self.lessons.scores.insert(id, score)),
                    (None, Some(tour)) if score.value.is_finite() => {
                        let reached = ReachedChallenge {
                            value: score.value,
                            changes: score.changes,
                            policies: self.view.policies.iter().copied().collect(),
                            scenario: self.document.json().to_string(),
                        };
                        tour.progress.reached.insert(at.index(), reached);
                    }
                    (None, _) => {}
                }
            }
        }
    }

    /// Puts what was done before into a document in which nothing has been done.
    fn recall(&mut self, progress: LessonProgress) {
        let is_new = |tour: &&mut ActiveLesson| {
            tour.at.document().is_some() && tour.progress == LessonProgress::default()
        };
        if let Some(tour) = self.lessons.tour.as_mut().filter(is_new) {
            tour.progress = progress;
            self.set_up();
        }
    }

    /// Plays from the start of what is shown to where the step's answer has set the playhead.
    fn play_to_the_answer(&mut self) {
        let part = TimeAxis {
            from: self.view.window.map_or(Time::ZERO, |window| window.from),
            to: self.view.playhead,
        };
        if part.from < part.to {
            self.view.playhead = part.from;
            self.playback.motion = Motion::Playing;
            self.playback.reveal = Some(part);
        }
    }

    /// Whether the answer to the step's question is played, or shown where the schedule has stopped.
    pub fn answer_shown(&self) -> AnswerShown {
        let answer = self.lessons.tour.as_ref().filter(|tour| tour.guess_state() == GuessState::Answered);
        let reveal = answer.and_then(|tour| tour.at.reveal());
        match reveal {
            _ if self.playback.reveal.is_some() => AnswerShown::Playing,
            Some(scene) if scene.view.playhead > Time::ZERO && self.view.playhead == scene.view.playhead => {
                AnswerShown::Marked
            }
            _ => AnswerShown::Not,
        }
    }

    fn turn_card(&mut self, turned: impl Fn(Card) -> Card) {
        if let Some(tour) = &mut self.lessons.tour {
            tour.card = turned(tour.card);
        }
    }

    fn start_lesson(&mut self, at: LessonPlace) {
        self.commit_drag();
        // A challenge that was left goes on as it was played.
        let name = self.document.scenario.name();
        let is_left = |tour: &&mut ActiveLesson| {
            let is_its = tour.facts.as_ref().is_some_and(|facts| facts.scenario().name() == name);
            tour.at == at && at.is_challenge() && tour.card == Card::Over(LessonEnd::Closed) && is_its
        };
        if let Some(tour) = self.lessons.tour.as_mut().filter(is_left) {
            tour.card = Card::Open;
            return;
        }
        let recording = self.lessons.tour.as_ref().and_then(|tour| tour.recording.clone());
        let facts = facts_at(&at, recording.as_ref());
        let tour = match self.lessons.tour.take() {
            // The reader returns to what was there before the first of several lessons.
            Some(tour) if tour.at.is_in_lesson_of(&at) => {
                // Steps with the same scenario share its schedules.
                let same = facts.as_ref().is_some_and(|facts| tour.speaks_of(facts.scenario()));
                let facts = if same { tour.facts.clone() } else { facts };
                ActiveLesson { at, card: Card::Open, facts, ..tour }
            }
            Some(tour) => ActiveLesson { recording, ..ActiveLesson::new(at, facts, tour.before) },
            None => ActiveLesson::new(at, facts, self.set_aside()),
        };
        self.lessons.tour = Some(tour);
        self.set_up();
    }

    /// Shows a document as it is written. What it shows already stays, with its schedules.
    fn write(&mut self, at: LessonPlace) {
        let was_writing = mem::replace(&mut self.lessons.writing, true);
        let tour = self.lessons.tour.as_mut().filter(|tour| was_writing && tour.at.document().is_some());
        let Some(tour) = tour else { return self.start_lesson(at) };
        let guess = tour.guess_state();
        let is_shown = tour.at.index() == at.index() && tour.at.scene(guess) == at.scene(guess);
        if !is_shown {
            let facts = facts_at(&at, None);
            if !facts.as_ref().is_some_and(|facts| tour.speaks_of(facts.scenario())) {
                tour.facts = facts;
            }
        }
        tour.at = at;
        tour.card = Card::Open;
        if !is_shown {
            self.set_up();
        }
    }
}

#[cfg(test)]
mod tests;
