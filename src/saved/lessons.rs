//! What the browser stores of lessons: which are done, the one under way, and the page before it; the best scores in
//! challenges; and links to both.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use gloo::events::EventListener;
use serde::{Deserialize, Serialize};
use yew::prelude::*;

use crate::browser::{address, storage};
use crate::results::shared::Shared;
use crate::saved::answers;
use crate::saved::session::{self, BEFORE};
use crate::store::{
    Action, ActiveLesson, Card, Guide, LessonEnd, LessonPlace, LessonProgress, Notice, OpenedLesson,
    ResumedLesson, State,
};
use fairlane::number;
use fairlane_study::lesson::{ChallengeScore, OUTLINES, StepId, StepIdError};
use fairlane_view::link::{self, LessonDocument, LessonLink, LinkedFile};

/// Key of the names of finished lessons, separated by commas.
const DONE: &str = "fairlane.lessons";
/// Key of the best scores in challenges, `ID:FIGURE:CHANGES` with commas between.
const SCORES: &str = "fairlane.challenges";
/// Key of the lesson under way: a word for its card, and its fragment or the number of its step.
const HERE: &str = "fairlane.lesson";
/// Key of the document under way, if the lesson is one that the reader has opened.
const DOCUMENT: &str = "fairlane.lesson-document";

/// The page as it starts, before its first picture, with the lesson that was under way, or the one that a link asks
/// for.
pub fn first_state() -> State {
    let done = storage::get(DONE).unwrap_or_default();
    let (state, challenge) = session::initial_state();
    let scores = storage::get(SCORES).unwrap_or_default();
    let state = state.with_lessons_done(done.split(',')).with_scores(scores.split(',').filter_map(score));
    let challenge = challenge.map(|id| StepId::challenge_named(&id));
    let state = match (challenge, under_way()) {
        // The scenario in the link is played on; the way back leads to the reader's own page.
        (Some(Ok(step)), under_way) => {
            let before = under_way.map_or_else(session::saved_page, |(.., before)| before);
            state.resumed(step, Card::Open, &before)
        }
        (Some(Err(error)), _) => state.reduce(follow(Err(error))),
        // A link to a scenario ends the lesson, but not the way back to the reader's own page.
        (None, Some((step, _, before))) if link::is_link(&address::fragment()) => {
            state.resumed(step, Card::Over(LessonEnd::Closed), &before)
        }
        (None, Some((step, card, before))) => state.resumed(step, card, &before),
        (None, None) => state,
    };
    let state = match StepId::from_fragment(&address::fragment()) {
        Some(step) => state.reduce(follow(step)),
        None => state,
    };
    State { full_results: false, ..state }
}

/// What a link to a step leads to.
fn follow(step: Result<StepId, StepIdError>) -> Action {
    match step {
        Ok(step) => Action::Guide(Guide::Start(step)),
        Err(error) => Action::warn(Notice {
            title: "The link points to no step of a lesson and no challenge; nothing has changed".to_owned(),
            detail: error.to_string(),
        }),
    }
}

/// A stored score; `None` for what cannot be read.
fn score(text: &str) -> Option<(&str, ChallengeScore)> {
    let mut parts = text.split(':');
    let (id, value, changes) = (parts.next()?, parts.next()?, parts.next()?);
    Some((id, ChallengeScore { value: number::parse(value)?, changes: changes.parse().ok()? }))
}

/// The lesson that was under way and the page before it. What cannot be read is forgotten: the page
/// itself is stored elsewhere.
fn under_way() -> Option<(StepId, Card, State)> {
    let here = storage::get_own(HERE)?;
    let (card, fragment) = card_and_place(&here)?;
    let step = StepId::from_fragment(fragment)?.ok()?;
    let before = State::from_stored(&storage::get_own(BEFORE)?).ok()?;
    Some((step, card, before))
}

fn card_and_place(here: &str) -> Option<(Card, &str)> {
    let (word, place) = here.split_once(' ')?;
    let card = CARDS.into_iter().find(|&(_, known)| known == word).map(|(card, _)| card)?;
    Some((card, place))
}

const CARDS: [(Card, &str); 4] = [
    (Card::Open, "open"),
    (Card::Folded, "folded"),
    (Card::Over(LessonEnd::Closed), "closed"),
    (Card::Over(LessonEnd::Finished), "finished"),
];

/// Stores the lessons as they change, and follows links when the page is open already.
#[hook]
pub fn use_keeping(state: &State, send: Callback<Action>) {
    let done = state.lessons.done.clone();
    use_effect_with(done, |done| {
        // Those that another tab has finished stay.
        let stored = storage::get(DONE).unwrap_or_default();
        let all: BTreeSet<&str> = stored
            .split(',')
            .filter(|id| OUTLINES.iter().any(|known| known.id == *id))
            .chain(done.iter().copied())
            .collect();
        store(DONE, &all.into_iter().collect::<Vec<_>>().join(","));
    });
    let scores = state.lessons.scores.clone();
    use_effect_with(scores, |scores| {
        let score = |(id, score): (&&str, &ChallengeScore)| format!("{id}:{}:{}", score.value, score.changes);
        store(SCORES, &scores.iter().map(score).collect::<Vec<_>>().join(","));
    });
    let resumed = use_resuming(&send);
    let tour = state.lessons.tour.clone();
    let progress =
        tour.as_ref().filter(|tour| tour.at.document().is_some()).map(|tour| tour.progress.clone());
    let here = tour.as_ref().map(|tour| (tour.at.clone(), tour.card, progress));
    use_effect_with(here, move |_| match &tour {
        Some(tour) => keep_place(tour),
        // What is being resumed is still there.
        None if resumed.replace(false) => {}
        None => [HERE, BEFORE, DOCUMENT].into_iter().for_each(storage::remove_own),
    });
    use_effect_with((), move |()| {
        clear_address();
        let listener = EventListener::new(&gloo::utils::window(), "hashchange", move |_| {
            let fragment = address::fragment();
            if let Some(step) = StepId::from_fragment(&fragment) {
                send.emit(follow(step));
                clear_address();
            } else if fragment.len() > 1 {
                // The page starts with what the link leads to, or says that it is damaged.
                let _ = gloo::utils::window().location().reload();
            }
        });
        move || drop(listener)
    });
}

/// Stores where the reader is. If the storage is full the lesson is lost on a reload; that is reported elsewhere.
fn keep_place(tour: &ActiveLesson) {
    let word = CARDS.iter().find(|(card, _)| *card == tour.card).map_or("open", |(_, word)| word);
    let Ok(before) = tour.before().to_stored() else { return };
    let _ = storage::set_own(BEFORE, &before);
    let _ = storage::set_own(HERE, &format!("{word} {}", tour.at.name()));
    match tour.at.document() {
        Some(lesson) => {
            answers::remember(lesson, &tour.progress);
            let kept = KeptDocument {
                document: lesson.document.clone(),
                student: lesson.student.clone(),
                progress: tour.progress.clone(),
            };
            let text = serde_json::to_string(&kept).unwrap_or_default();
            if storage::get_own(DOCUMENT).as_deref() != Some(&text) {
                let _ = storage::set_own(DOCUMENT, &text);
            }
        }
        None => storage::remove_own(DOCUMENT),
    }
}

/// A document under way, as it is stored.
#[derive(Deserialize, Serialize)]
struct KeptDocument {
    document: LessonDocument,
    student: Option<String>,
    #[serde(default)]
    progress: LessonProgress,
}

/// The document that was under way before a reload, and the page before it.
fn document_under_way() -> Option<ResumedLesson> {
    let here = storage::get_own(HERE)?;
    let (card, place) = card_and_place(&here)?;
    let step: usize = place.strip_prefix("document/")?.parse().ok()?;
    let KeptDocument { document, student, progress } =
        serde_json::from_str(&storage::get_own(DOCUMENT)?).ok()?;
    let before = State::from_stored(&storage::get_own(BEFORE)?).ok()?;
    let lesson = Shared::new(OpenedLesson::read(document, student));
    Some(ResumedLesson { at: LessonPlace::opened(lesson, step.saturating_sub(1)), card, progress, before })
}

/// Continues with the document that was under way before a reload, unless a link leads elsewhere. Whether it does is
/// taken once.
#[hook]
fn use_resuming(send: &Callback<Action>) -> Rc<Cell<bool>> {
    let resumed = use_memo((), |()| {
        let fragment = address::fragment();
        let leads_elsewhere = link::is_link(&fragment)
            || LessonLink::is_in(&fragment)
            || StepId::from_fragment(&fragment).is_some()
            || LinkedFile::from_fragment(&fragment).is_some();
        let resumed = document_under_way().filter(|_| !leads_elsewhere);
        (Rc::new(Cell::new(resumed.is_some())), resumed)
    });
    let send = send.clone();
    let found = resumed.1.clone();
    use_effect_with((), move |()| {
        if let Some(found) = found {
            send.emit(Action::Guide(Guide::Resume(Box::new(found))));
        }
    });
    Rc::clone(&resumed.0)
}

/// If the storage is full the lesson is lost on a reload; that the page itself is not stored is reported elsewhere.
fn store(key: &str, text: &str) {
    let _ = storage::set(key, text);
}

/// A link that has been followed is removed from the address, so that a reload continues where the reader is.
fn clear_address() {
    if StepId::from_fragment(&address::fragment()).is_some() {
        address::remove_fragment();
    }
}
