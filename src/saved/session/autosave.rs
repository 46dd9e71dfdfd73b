//! The page as the browser stores it, and the reader's scenarios under *Mine*, saved a moment after each change or when
//! the page is left.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::{KEY, approvals_of_other_tabs, is_unknown, keep_approvals, owner};
use crate::browser::{address, storage};
use crate::results::shared::Shared;
use crate::saved::library::{self, NotKept};
use crate::store::{
    Action, Document, DocumentCondition, KeptVersion, Notice, State, WelcomeScene, stored, stored_record,
};
use fairlane_view::link::{self, LinkBounds};

/// How long the page waits for the next change before it is saved, in milliseconds.
const PAUSE_MS: u32 = 400;

/// Something that is done once nothing has replaced it for a moment, or at once when the page is left.
#[derive(Clone, Default)]
struct Delayed(Rc<RefCell<Option<DelayedJob>>>);

struct DelayedJob {
    job: Box<dyn FnOnce()>,
    /// Ends the moment, unless it is dropped.
    _timer: Timeout,
}

impl Delayed {
    fn set(&self, job: impl FnOnce() + 'static) {
        let delayed = self.clone();
        let _timer = Timeout::new(PAUSE_MS, move || delayed.flush());
        self.0.replace(Some(DelayedJob { job: Box::new(job), _timer }));
    }

    fn flush(&self) {
        // Taken out before it is done: it may set another one.
        let due = self.0.take();
        if let Some(DelayedJob { job, .. }) = due {
            job();
        }
    }
}

/// A document, and the session that was stored of it.
type SavedPage = (Shared<Document>, String);

/// What saves a page.
#[derive(Clone)]
struct Keeper {
    /// The page as it was rendered last.
    latest: Rc<RefCell<State>>,
    /// Its session as it was stored last, and the document of it.
    saved: Rc<RefCell<Option<SavedPage>>>,
    page: Delayed,
    /// The record that is to be written, of the state at its change.
    record: Delayed,
    /// The scenario whose record is to be written.
    due: Rc<RefCell<Option<State>>>,
    report: Callback<Notice>,
    send: Callback<Action>,
}

impl Keeper {
    /// Stores the page as it is; a failure is reported once for each scenario.
    fn save_page(&self, warned: &RefCell<Option<Shared<Document>>>) {
        let document = self.latest.borrow().document.clone();
        let failure = self.store_page().err();
        let failure = failure.filter(|_| warned.replace(Some(document.clone())) != Some(document));
        if let Some(detail) = failure {
            let title = "This browser cannot save the page; a reload will lose your changes".to_owned();
            self.report.emit(Notice { title, detail });
        }
    }

    fn store_page(&self) -> Result<(), String> {
        let state = self.latest.borrow();
        let session = state.session().to_text(&LinkBounds::STORAGE);
        let session = session.map_err(|error| format!("The page {error}. {}", error.remedy()))?;
        let text = stored(&session, &state.document.record);
        self.saved.replace(Some((state.document.clone(), session)));
        storage::set_own(KEY, &text).map_err(|error| error.to_string())
    }

    /// Stores what has become of the record of the page that is stored.
    fn store_record(&self) {
        if let Some((document, session)) = &*self.saved.borrow() {
            // Whether the page can be stored at all was reported when it was.
            let _ = storage::set_own(KEY, &stored(session, &document.record));
        }
    }

    /// Keeps a state's scenario a moment from now. Another one that waits has been left and is kept at once.
    fn keep_soon(&self, state: State) {
        let record = &state.document.record;
        let version = record.get().unwrap_or_else(|| KeptVersion::new(library::new_id()));
        record.set(KeptVersion { is_kept: false, ..version });
        if self.due.borrow().as_ref().is_some_and(|due| id(due) != id(&state)) {
            self.record.flush();
        }
        self.due.replace(Some(state));
        let keeper = self.clone();
        self.record.set(move || {
            if let Some(state) = keeper.due.take() {
                keeper.keep(state);
            }
        });
    }

    /// Writes a state's scenario to its record.
    fn keep(&self, state: State) {
        let record = &state.document.record;
        let Some(version) = record.get() else { return };
        record.set(version.begun_by(library::writer()));
        self.store_record();
        let keeper = self.clone();
        spawn_local(async move {
            // Whoever holds it longer than a page that is being left may have a version of its own, or not: two are
            // better than none.
            let is_free = owner::claim(version.id).await;
            let mut result = if is_free { library::put(&state).await } else { Err(NotKept::OfAnother) };
            if let Err(NotKept::OfAnother) = result {
                result = keeper.keep_apart(&state).await;
            }
            keeper.store_record();
            if let Err(error) = result {
                let title = format!("{} is not kept under Mine", state.document.title());
                keeper.report.emit(Notice { title, detail: error.to_string() });
            }
        });
    }

    /// Keeps a scenario in a record of its own, because another tab writes to the one that it had.
    async fn keep_apart(&self, state: &State) -> Result<(), NotKept> {
        let id = library::new_id();
        state.document.record.set(KeptVersion::new(id).begun_by(library::writer()));
        owner::claim(id).await;
        library::put(state).await?;
        let title = format!("{} is also changed in another tab", state.document.title());
        let detail = "Your changes here are kept beside it, under Mine.".to_owned();
        self.send.emit(Action::done(Notice { title, detail }));
        Ok(())
    }
}

fn id(state: &State) -> Option<u64> {
    state.document.record.get().map(|version| version.id)
}

/// Makes the browser store the page and keep every scenario that the reader changes under *Mine*, with the ticked
/// policies: a moment after each change, and at once when the page is hidden or left. A link in the address, once it
/// has been read, is removed from it, so that a reload brings what is on the page and not what was in the link.
/// `report` shows why something is not saved.
#[hook]
pub fn use_autosave(state: &State, report: Callback<Notice>, send: Callback<Action>) {
    let keeper = {
        let latest = state.clone();
        use_memo((), move |()| Keeper {
            latest: Rc::new(RefCell::new(latest)),
            saved: Rc::default(),
            page: Delayed::default(),
            record: Delayed::default(),
            due: Rc::default(),
            report,
            send,
        })
    };
    keeper.latest.replace(state.clone());
    // At once: another tab may be opened or reloaded before the page is stored.
    use_effect_with(state.approvals.clone(), keep_approvals);
    let hearing = keeper.send.clone();
    use_effect_with((), move |()| {
        let listener = approvals_of_other_tabs(hearing);
        move || drop(listener)
    });
    use_first(&keeper);
    use_page(state, &keeper);
    use_records(state, &keeper);
}

/// Keeps what the page before this one had not written, and removes the link from the address.
#[hook]
fn use_first(keeper: &Rc<Keeper>) {
    let keeper = Rc::clone(keeper);
    use_effect_with((), move |()| {
        let is_unkept = |text: &String| stored_record(text).is_some_and(|record| !record.is_kept);
        if let Some(text) = storage::get_own(KEY).filter(is_unkept) {
            let now = keeper.latest.borrow().clone();
            // The page that goes on has the record already.
            let is_restored = id(&now) == stored_record(&text).map(|record| record.id);
            let earlier = if is_restored { Ok(now) } else { State::from_stored(&text) };
            if let Ok(earlier) = earlier {
                keeper.keep(earlier);
            }
        }
        // Stored before the link is gone: whoever reloads at once loses nothing.
        let fragment = address::fragment();
        if is_unknown(&fragment) || (link::is_link(&fragment) && keeper.store_page().is_ok()) {
            address::remove_fragment();
        }
        let leave = move || {
            // The record first: the page stores what becomes of it.
            keeper.record.flush();
            keeper.page.flush();
        };
        let hidden = leave.clone();
        let document = gloo::utils::document();
        // A browser may have begun the next page by the time that it tells this one that it is hidden.
        let leaving = ["beforeunload", "pagehide"].map(|event| {
            let leave = leave.clone();
            EventListener::new(&gloo::utils::window(), event, move |_| leave())
        });
        let hiding = EventListener::new(&document.clone(), "visibilitychange", move |_| {
            if document.hidden() {
                hidden();
            }
        });
        let listeners = (leaving, hiding);
        move || drop(listeners)
    });
}

/// Stores the page a moment after each change.
#[hook]
fn use_page(state: &State, keeper: &Rc<Keeper>) {
    // Once for each scenario as it is: the playhead alone is no work that is lost.
    let warned = use_mut_ref(|| None::<Shared<Document>>);
    let page = (
        state.document.clone(),
        state.view.clone(),
        state.ui.sheet,
        state.predicted(),
        state.asked_of_class(),
        state.challenge(),
    );
    let keeper = Rc::clone(keeper);
    // Whoever reloads in the middle of the welcome is welcomed again, unless there is work to keep.
    let is_held =
        state.drag.is_some() || state.welcome_scene().is_some_and(|scene| scene != WelcomeScene::Changed);
    use_effect_with((page, is_held), move |(_, is_held)| {
        if !*is_held {
            let saving = Rc::clone(&keeper);
            keeper.page.set(move || saving.save_page(&warned));
        }
    });
}

/// Keeps every scenario that the reader changes, a moment after each change.
#[hook]
fn use_records(state: &State, keeper: &Rc<Keeper>) {
    let first = use_mut_ref(|| Some((state.document.clone(), state.view.policies.clone())));
    let page = (state.document.clone(), state.view.policies.clone());
    let keeper = Rc::clone(keeper);
    use_effect_with((page, state.drag.is_some()), move |(page, dragging)| {
        // A page that was restored and not touched has nothing new.
        let is_untouched = first.borrow().as_ref() == Some(page);
        if *dragging || is_untouched {
            return;
        }
        first.borrow_mut().take();
        let state = keeper.latest.borrow().clone();
        let document = &state.document;
        let of_lesson = state.lessons.tour.as_ref().is_some_and(|tour| tour.speaks_of(&document.scenario));
        if document.condition == DocumentCondition::Pristine || of_lesson {
            // The scenario that was left is kept at once.
            keeper.record.flush();
        } else {
            keeper.keep_soon(state);
        }
    });
}
