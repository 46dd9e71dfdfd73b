//! The page as the browser saves it, and as it starts: restored, from a link, or as a newcomer sees it.

mod autosave;
mod owner;
pub mod recovery;

use crate::browser::{address, fatal, storage};
use crate::store::{
    Action, Approvals, Document, DocumentAction, Notice, PlaybackAction, Restored, State, ViewAction,
};
pub use autosave::use_autosave;
use fairlane::catalog;
use fairlane_study::lesson::StepId;
use fairlane_view::link::{self, LessonLink, LinkBounds, LinkedFile, Session};
use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::StorageEvent;
use yew::Callback;

/// Where the browser stores the page.
const KEY: &str = "fairlane.session";
/// Digests of the programs that the reader has let run, of all tabs.
const PROGRAMS: &str = "fairlane.programs";
/// Where the browser stores the page that a lesson leads back to.
pub const BEFORE: &str = "fairlane.before-lesson";
/// What a newcomer sees: a policy that counts stages above one that counts users.
const OPENING_POLICIES: [&str; 2] = ["fair", "uwfq"];
/// Simulated seconds per second at which the opening plays: about seven seconds in all.
const OPENING_SPEED: f64 = 2.0;

/// The page as a newcomer sees it, paused.
pub fn newcomers_state() -> State {
    let policies = OPENING_POLICIES.iter().filter_map(|policy| policy.parse().ok()).collect();
    State::new(Document::from_catalog(catalog::opening()).into()).reduce(ViewAction::Policies(policies))
}

/// The page as it welcomes a newcomer: nothing has happened yet, and nothing plays unasked.
fn opening_state() -> State {
    newcomers_state().reduce(PlaybackAction::Speed(Some(OPENING_SPEED))).welcoming()
}

/// The page as it starts: as it was before it stopped, else from the link in the address, else as it was saved, else
/// as a newcomer sees it; with a notice if a link or what was saved cannot be read. The second is the challenge that a link opens, by name.
pub fn initial_state() -> (State, Option<String>) {
    if let Some(text) = fatal::rescued() {
        let state = match State::from_stored(&text) {
            Ok(state) => state.with_restored(Restored::Yes),
            Err(_) => recovery::stopped(),
        };
        return (with_approvals(state), None);
    }
    let fragment = address::fragment();
    let mut challenge = None;
    let state = match link::is_link(&fragment) {
        true => match Session::from_text(&fragment, &LinkBounds::LINK) {
            Ok(session) => {
                challenge.clone_from(&session.challenge);
                State::from_session(session)
            }
            Err(error) => newcomers_state().reduce(Action::warn(Notice {
                title: format!("The link {error}"),
                detail: error.remedy().to_owned(),
            })),
        },
        // What the link opens comes soon, and takes the place of what would play.
        false if LinkedFile::from_fragment(&fragment).is_some() || LessonLink::is_in(&fragment) => {
            recovery::restored().unwrap_or_else(newcomers_state)
        }
        false => recovery::restored().unwrap_or_else(opening_state),
    };
    let state = with_approvals(state);
    if !is_unknown(&fragment) {
        return (state, challenge);
    }
    let detail = "Copy the whole address again, or choose a scenario from the list.".to_owned();
    let title = "The address ends in a link of no known kind".to_owned();
    (state.reduce(Action::warn(Notice { title, detail })), None)
}

/// The page with the programs approved that the reader has let run before, in this tab or another.
pub fn with_approvals(state: State) -> State {
    let stored = storage::get(PROGRAMS).unwrap_or_default();
    State { approvals: state.approvals.after(&stored), ..state }.with_runs()
}

/// Hears of the programs that the reader lets run in another tab, as long as what it returns is there.
fn approvals_of_other_tabs(send: Callback<Action>) -> EventListener {
    EventListener::new(&gloo::utils::window(), "storage", move |event| {
        let event = event.dyn_ref::<StorageEvent>();
        let text =
            event.filter(|event| event.key().as_deref() == Some(PROGRAMS)).and_then(StorageEvent::new_value);
        if let Some(text) = text {
            send.emit(Action::Document(DocumentAction::ApprovedElsewhere(text)));
        }
    })
}

/// Stores approvals beside those that other tabs have stored meanwhile.
fn keep_approvals(approvals: &Approvals) {
    let stored = storage::get(PROGRAMS).unwrap_or_default();
    let text = approvals.after(&stored).to_text();
    if text != stored {
        // Without storage a program asks again after a reload, no more.
        let _ = storage::set(PROGRAMS, &text);
    }
}

/// The page that this browser has saved, or else as a newcomer sees it.
pub fn saved_page() -> State {
    let saved = storage::get_own(KEY).and_then(|text| State::from_stored(&text).ok());
    saved.unwrap_or_else(newcomers_state)
}

/// Whether the end of an address is neither a link to a page, nor to a step of a lesson or a challenge, nor to files.
fn is_unknown(fragment: &str) -> bool {
    let is_empty = fragment.trim_start_matches('#').is_empty();
    let is_known = link::is_link(fragment)
        || StepId::from_fragment(fragment).is_some()
        || LinkedFile::from_fragment(fragment).is_some()
        || LessonLink::is_in(fragment);
    !is_empty && !is_known
}
