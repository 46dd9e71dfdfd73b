//! What a step shows, in place of the page as it was, and that page again.

use std::mem;

use super::{LessonPlace, Lessons, MAX_EVENTS};
use crate::results::shared::Shared;
use crate::store::{
    Document, DocumentCondition, FutureWish, LogRules, Motion, Opening, Playback, SideSheet, State, Tab, Ui,
    View,
};
use fairlane::policy::OBSERVED;
use fairlane::scenario::Scenario;
use fairlane_study::lesson::document::{GuessState, LessonScene, StepSource};
use fairlane_study::lesson::{LessonFacts, RECORDING};
use fairlane_view::link::Origin;

impl State {
    pub(super) fn set_aside(&self) -> Shared<State> {
        Shared::new(State {
            playback: Playback { motion: Motion::Paused, ..self.playback },
            ui: Ui { notice: None, ..self.ui.clone() },
            drag: None,
            predict: None,
            poll: None,
            lessons: Lessons::default(),
            ..self.without_results()
        })
    }

    pub(in crate::store) fn ask_for_recording(&mut self) {
        self.lessons.requests += 1;
        self.ui.opening = Some(Opening::named(RECORDING));
    }

    /// Shows a document, or if it is the recorded run has the step that waits for it shown.
    pub(in crate::store) fn receive(&mut self, document: Shared<Document>) {
        let read = document.log.as_ref().and_then(|log| log.read.as_ref());
        let is_first = read.is_some_and(|log| log.rules == LogRules::recording());
        let is_recording = matches!(&document.origin, Origin::File(name) if name == RECORDING);
        if !(is_first && is_recording) || mem::take(&mut self.lessons.opens) {
            return self.open(document);
        }
        self.ui.opening = None;
        let Some(tour) = self.lessons.tour.as_mut().filter(|tour| tour.facts.is_none()) else { return };
        tour.facts = facts_at(&tour.at, Some(&document));
        tour.recording = Some(document);
        // What the reader had changed before a reload stays.
        if tour.set_ups > 0 || tour.speaks_of(&self.document.scenario) {
            self.set_up();
        }
    }

    /// Shows what the step speaks of. A scenario that it replaces can be brought back by undo.
    pub(super) fn set_up(&mut self) {
        self.commit_drag();
        let Some(tour) = &mut self.lessons.tour else { return };
        tour.set_ups += 1;
        let Some(facts) = tour.facts.clone() else {
            // Of a document whose scenario cannot be read the card says why.
            if tour.is_awaiting() {
                self.ask_for_recording();
            }
            return;
        };
        let at = tour.at.clone();
        let scene = at.scene(tour.guess_state());
        let recording = tour.recording.clone().filter(|_| is_recorded(scene));
        // What happened is above what would have happened.
        if recording.is_some() && !self.view.order.contains(&OBSERVED) {
            self.view.order.insert(0, OBSERVED);
        }
        // A page that was restored has the scenario of a recorded run and not its log.
        let has_log = self.document.log.as_ref().is_some_and(|log| log.read.is_some());
        let lacks_log = recording.is_some() && !has_log;
        if !tour.speaks_of(&self.document.scenario) || lacks_log {
            let title = match at.is_challenge() {
                true => "start the challenge".to_owned(),
                false => format!("set up the lesson {}", at.lesson_title()),
            };
            self.history.record(self.version(), title, None);
            let document = match recording {
                // What the reader has made of it before stays as it was kept.
                Some(recording) if recording.record.get().is_some() => Shared::new(recording.afresh()),
                Some(recording) => recording,
                None => Shared::new(made(scene, facts.scenario())),
            };
            self.load(document);
            self.lineage = self.revision;
        }
        // Tests set up every scene of the project's; elsewhere a job that there is not is not chosen.
        let view = scene.view(&facts).unwrap_or_else(|_| scene.view.clone());
        self.view = View {
            mode: self.view.mode,
            heights: self.view.heights,
            order: mem::take(&mut self.view.order),
            collapsed: mem::take(&mut self.view.collapsed),
            unmerged: mem::take(&mut self.view.unmerged),
            ..view
        };
        self.mark(scene.view.marks.clone().unwrap_or_default());
        self.playback.motion = Motion::Paused;
        self.playback.wish = FutureWish::Unsaid;
        self.predict = None;
        self.playback.played = false;
        self.question = None;
        self.explain();
        self.ui.sheet =
            if scene.view.tab == Tab::default() { SideSheet::Folded } else { SideSheet::Unfolded };
        self.pair = None;
        self.ui.notice = None;
    }

    /// Asks what the step explains. Under a policy that is loaded later there is nothing to ask before.
    pub(super) fn explain(&mut self) {
        let Some(tour) = &self.lessons.tour else { return };
        let scene = tour.at.scene(tour.guess_state());
        let is_unasked = self.question.is_none() && self.view.playhead == scene.view.playhead;
        if let Some(facts) = tour.facts.as_ref().filter(|_| is_unasked) {
            self.question = scene.question(facts).ok().flatten();
            self.view.virtual_time = self.question.map(|(policy, _)| policy);
        }
    }

    pub(super) fn restore(&mut self, before: &State) {
        self.commit_drag();
        if self.document != before.document {
            self.load(before.document.clone());
        }
        *self = State {
            revision: self.revision,
            opened: self.opened,
            runs: mem::take(&mut self.runs),
            means: mem::take(&mut self.means),
            properties: mem::take(&mut self.properties),
            approvals: mem::take(&mut self.approvals),
            ui: Ui {
                opening: self.ui.opening.take(),
                said: mem::take(&mut self.ui.said),
                ..before.ui.clone()
            },
            lessons: mem::take(&mut self.lessons),
            ..before.clone()
        };
    }
}

/// What a step speaks of; `None` if that is the recorded run, which has to be read, or a scenario that cannot be.
pub(super) fn facts_at(
    at: &LessonPlace,
    recording: Option<&Shared<Document>>,
) -> Option<Shared<LessonFacts>> {
    // A test reads every scenario of the project's.
    let scenario = at.scene(GuessState::Open).scenario().ok()?;
    match at {
        LessonPlace::Own(_) => {
            let scenario = scenario.or_else(|| Some((*recording?.scenario).clone()));
            scenario.map(|scenario| Shared::new(LessonFacts::new(scenario)))
        }
        LessonPlace::Opened(..) => scenario.map(|scenario| Shared::new(of_others(scenario))),
    }
}

/// The facts of a scenario that somebody else has written: nobody is held up, and no program runs unasked.
pub fn of_others(scenario: Scenario) -> LessonFacts {
    LessonFacts::new(scenario).within(MAX_EVENTS).without_programs()
}

pub(super) fn is_recorded(scene: &LessonScene) -> bool {
    matches!(scene.source, StepSource::Recorded(_))
}

/// A scene's document: the catalog's own where nothing differs from it.
fn made(scene: &LessonScene, scenario: &Scenario) -> Document {
    match (&scene.source, scene.atr) {
        (StepSource::Catalog(name), None) => Document::new(scenario.clone(), Origin::Catalog(name)),
        (StepSource::Catalog(name), Some(_)) => {
            Document::new(scenario.clone(), Origin::Catalog(name)).in_condition(DocumentCondition::Edited)
        }
        (StepSource::File(_) | StepSource::Recorded(_) | StepSource::Unreadable, _) => {
            Document::new(scenario.clone(), Origin::File(scenario.name().to_owned()))
        }
    }
}
