//! The browser saves the page and restores it; a link shares it with others.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::effects::prefers_reduced_motion;
use super::library::{self, KeptScenario};
use super::shared::Shared;
use super::store::{Action, Consent, Document, DocumentCondition, Notice, State, Toast};
use super::{address, storage};
use fairlane::catalog;
use fairlane::policy::custom;
use fairlane_study::lesson::StepId;
use fairlane_view::link::{self, LinkBounds, Session};

/// Where the browser stores the page.
const KEY: &str = "fairlane.session";
/// Set while the stored page has programs that a link brought and the reader has not let run.
const UNREAD: &str = "fairlane.programs-unread";
/// Where the browser stores the page that a lesson leads back to.
pub const BEFORE: &str = "fairlane.before-lesson";
/// What a newcomer sees: a policy that counts stages above one that counts users.
const OPENING_POLICIES: [&str; 2] = ["fair", "uwfq"];
/// Simulated seconds per second of the opening: about seven seconds in all.
const OPENING_SPEED: f64 = 2.0;
/// How long the page waits for the next change before it is saved, in milliseconds.
const PAUSE_MS: u32 = 400;

/// The page as a newcomer sees it, paused.
pub fn newcomers_state() -> State {
    let policies = OPENING_POLICIES.iter().filter_map(|policy| policy.parse().ok()).collect();
    State::new(Document::from_catalog(&catalog::OPENING).into()).reduce(Action::Policies(policies))
}

/// The page as a newcomer sees it: it plays once, unless less motion is preferred.
fn opening_state() -> State {
    match prefers_reduced_motion() {
        true => newcomers_state(),
        false => newcomers_state().reduce(Action::Speed(Some(OPENING_SPEED))).reduce(Action::PlayPause),
    }
}

/// The page as it starts: from the link in the address, else as it was saved, else as a newcomer sees it; with
/// a notice if a link or what was saved cannot be read. The second is the challenge that a link opens, by name.
pub fn initial_state() -> (State, Option<String>) {
    let fragment = address::fragment();
    let session = match link::is_link(&fragment) {
        true => Some(Session::from_text(&fragment, &LinkBounds::LINK).map_err(|error| Notice {
            title: format!("The link {error}"),
            detail: error.remedy().to_owned(),
        })),
        false => storage::get(KEY).map(|text| {
            Session::from_text(&text, &LinkBounds::STORAGE).map_err(|error| Notice {
                title: format!("The page saved in this browser {error}"),
                detail: "The opening scenario is shown instead.".to_owned(),
            })
        }),
    };
    let challenge = session.as_ref().and_then(|session| session.as_ref().ok()?.display.challenge.clone());
    let challenge = challenge.filter(|_| link::is_link(&fragment));
    let state = match session {
        Some(Ok(session)) => asking_first(State::from_session(session), link::is_link(&fragment)),
        Some(Err(notice)) => newcomers_state().reduce(Action::Warn(notice)),
        None => opening_state(),
    };
    if !is_unknown(&fragment) {
        return (state, challenge);
    }
    let detail = "Copy the whole address again, or choose a scenario from the list.".to_owned();
    let title = "The address ends in a link of no known kind".to_owned();
    (state.reduce(Action::Warn(Notice { title, detail })), None)
}

/// A page whose programs, if a link brought them, wait until the reader lets them run; a reload does not change that.
fn asking_first(state: State, is_link: bool) -> State {
    let has_programs = !custom::programs(&state.document.scenario).is_empty();
    if has_programs && (is_link || storage::get(UNREAD).is_some()) {
        return State { consent: Consent::Missing, ..state }.with_runs();
    }
    state
}

/// The page that this browser has saved, or else as a newcomer sees it.
pub fn saved_session() -> Session {
    let saved = storage::get(KEY).and_then(|text| Session::from_text(&text, &LinkBounds::STORAGE).ok());
    saved.unwrap_or_else(|| newcomers_state().session())
}

/// Whether the end of an address is neither a link to a page nor to a step of a lesson or a challenge.
fn is_unknown(fragment: &str) -> bool {
    let is_empty = fragment.trim_start_matches('#').is_empty();
    !is_empty && !link::is_link(fragment) && StepId::from_fragment(fragment).is_none()
}

/// Has the browser save the page a moment after each change. A link in the address, once it has been read, is removed
/// from it, so that a reload brings what is on the page and not what was in the link. `report` shows why it is not saved.
#[hook]
pub fn use_persistence(state: &State, report: Callback<Notice>) {
    // Once for each scenario as it is: the playhead alone is no work that is lost.
    let warned = use_mut_ref(|| None::<Shared<Document>>);
    let opened = state.clone();
    let timer: Rc<RefCell<Option<Timeout>>> = use_mut_ref(|| None);
    let where_to = (state.playhead, state.window);
    let parts =
        (state.document.clone(), state.ticked.clone(), where_to, state.display(), state.drag.is_some());
    let state_consent = state.consent;
    let state = state.clone();
    use_effect_with(parts, move |(.., dragging)| {
        if *dragging {
            return;
        }
        let save = move || {
            let document = Some(state.document.clone());
            let failure = save(&state).err().filter(|_| warned.replace(document.clone()) != document);
            if let Some(detail) = failure {
                let title = "This browser cannot save the page; a reload will lose your changes".to_owned();
                report.emit(Notice { title, detail });
            }
        };
        *timer.borrow_mut() = Some(Timeout::new(PAUSE_MS, save));
    });
    use_effect_with(state_consent, |consent| match consent {
        // Without storage there is no reload that would forget it.
        Consent::Missing => drop(storage::set(UNREAD, "yes")),
        Consent::Given => storage::remove(UNREAD),
    });
    use_effect_with((), move |()| {
        // Saved before the link is gone: whoever reloads at once loses nothing.
        let fragment = address::fragment();
        if is_unknown(&fragment) || (link::is_link(&fragment) && save(&opened).is_ok()) {
            address::remove_fragment();
        }
    });
}

fn save(state: &State) -> Result<(), String> {
    let text = state
        .session()
        .to_text(&LinkBounds::STORAGE)
        .map_err(|error| format!("The page {error}. {}", error.remedy()))?;
    storage::set(KEY, &text).map_err(|error| error.to_string())
}

/// Copies a link to the page as it is to the clipboard; the action that reports it.
async fn share(state: State) -> Action {
    match state.session().to_text(&LinkBounds::LINK) {
        Ok(text) => Action::Toast(Some(Toast::Done(address::copy_link(&text, "page").await))),
        Err(error) => {
            Action::Warn(Notice { title: format!("A link {error}"), detail: error.remedy().to_owned() })
        }
    }
}

/// A handler that copies a link to the page as it is.
pub fn sharing(state: &State, send: &Callback<Action>) -> Callback<MouseEvent> {
    let (state, send) = (state.clone(), send.clone());
    Callback::from(move |_: MouseEvent| {
        let (state, send) = (state.clone(), send.clone());
        wasm_bindgen_futures::spawn_local(async move { send.emit(share(state).await) });
    })
}

/// Key of the kept scenario that the stored page is about.
const RECORD: &str = "fairlane.record";

/// A scenario that is kept once nothing has changed for a moment.
struct Pending {
    /// Where it is kept.
    id: u64,
    state: State,
    /// Ends the moment, unless it is dropped.
    timer: Timeout,
}

impl Pending {
    fn save(self, report: Callback<Notice>) {
        let Pending { id, state, timer } = self;
        drop(timer);
        wasm_bindgen_futures::spawn_local(async move {
            let failure = match KeptScenario::new(id, &state) {
                Ok(record) => library::put(&record).await.err().map(|error| error.to_string()),
                Err(error) => Some(format!("It {error}. {}", error.remedy())),
            };
            if let Some(detail) = failure {
                let title = format!("{} is not kept under Mine", state.document.title());
                report.emit(Notice { title, detail });
            }
        });
    }
}

/// Keeps every scenario that the reader changes among their own with the ticked policies, a moment after each change.
/// `report` shows why one is not kept.
#[hook]
pub fn use_library(state: &State, report: Callback<Notice>) {
    // By the lineage of a scenario, where it is kept; that of a restored page has been kept before.
    let kept = use_mut_ref(|| {
        let stored = storage::get(RECORD).and_then(|id| id.parse::<u64>().ok());
        stored.map(|id| (0, id)).into_iter().collect::<BTreeMap<u32, u64>>()
    });
    let first = use_mut_ref(|| Some((state.document.clone(), state.ticked.clone())));
    let pending: Rc<RefCell<Option<Pending>>> = use_mut_ref(|| None);
    let state = state.clone();
    let parts = ((state.document.clone(), state.ticked.clone()), state.drag.is_some());
    use_effect_with(parts, move |(page, dragging)| {
        // A page that was restored and not touched has nothing new.
        let restored = first.borrow().as_ref() == Some(page);
        let document = &page.0;
        if *dragging || restored {
            return;
        }
        first.borrow_mut().take();
        let of_lesson = state.lessons.tour.as_ref().is_some_and(|tour| tour.speaks_of(&document.scenario));
        if document.condition == DocumentCondition::Pristine || of_lesson {
            match document.record {
                Some(id) => drop(storage::set(RECORD, &id.to_string())),
                None => storage::remove(RECORD),
            }
            // The scenario that was left is kept at once.
            if let Some(pending) = pending.take() {
                pending.save(report);
            }
            return;
        }
        let id = document.record.unwrap_or_else(|| {
            *kept.borrow_mut().entry(state.lineage).or_insert_with(|| js_sys::Date::now() as u64)
        });
        // Without storage a reload makes another record, no more.
        let _ = storage::set(RECORD, &id.to_string());
        // An earlier save of the same scenario is overtaken by this one; another scenario has been left.
        if let Some(other) = pending.take().filter(|pending| pending.id != id) {
            other.save(report.clone());
        }
        let due = Rc::clone(&pending);
        let timer = Timeout::new(PAUSE_MS, move || {
            let saved = due.take();
            if let Some(pending) = saved {
                pending.save(report);
            }
        });
        *pending.borrow_mut() = Some(Pending { id, state: state.clone(), timer });
    });
}
