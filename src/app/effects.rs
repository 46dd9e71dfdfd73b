//! What the page does beyond drawing: simulations, files, frames, keys.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::file::{Blob, futures::read_as_text};
use gloo::render::{AnimationFrame, request_animation_frame};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::pool::{News, Pool, Task};
use super::store::{Action, Direction, Document, Motion, Notice, Origin, Run, State};
use crate::policy::PolicyId;
use crate::scenario::{Limits, Scenario};

/// Yew's form of the store.
#[derive(Clone, PartialEq)]
pub struct Store(pub State);

impl Reducible for Store {
    type Action = Action;
    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Store(self.0.reduce(action)))
    }
}

/// A way to change the state.
pub type Dispatch = UseReducerDispatcher<Store>;

/// The workers, telling the store what they find out.
#[hook]
pub fn use_pool(dispatch: Dispatch) -> Pool {
    (*use_memo((), move |()| Pool::new(move |news| take_in(&dispatch, news)))).clone()
}

fn take_in(dispatch: &Dispatch, news: News) {
    match news {
        News::Progress { revision, policy, part } => {
            dispatch.dispatch(Action::Progress(revision, policy, part))
        }
        News::Simulated { revision, policy, result } => {
            dispatch.dispatch(Action::Finished(revision, policy, result));
        }
        News::Checked { name, text, result } => {
            // The worker has found it sound, so reading it once more here cannot take long or fail.
            let scenario =
                result.and_then(|()| Scenario::from_json(&text).map_err(|error| error.to_string()));
            dispatch.dispatch(match scenario {
                Ok(scenario) => Action::Open(Rc::new(Document::new(scenario, Origin::File(name)))),
                Err(detail) => not_opened(&name, detail),
            });
        }
    }
}

fn not_opened(name: &str, detail: String) -> Action {
    Action::Warn(Notice { title: format!("{name} was not opened; everything here is as it was"), detail })
}

/// Asks for the simulations that are pending and drops those that nobody wants any more.
#[hook]
pub fn use_simulations(state: &State, pool: &Pool) {
    let asked = use_mut_ref(BTreeSet::<(u32, PolicyId)>::new);
    let pending: BTreeSet<PolicyId> = state
        .runs
        .iter()
        .filter(|(_, run)| matches!(run, Run::Pending(_)))
        .map(|(&policy, _)| policy)
        .collect();
    let (pool, document) = (pool.clone(), Rc::clone(&state.document));
    use_effect_with((state.revision, pending), move |(revision, pending)| {
        let mut asked = asked.borrow_mut();
        asked.retain(|(of, policy)| of == revision && pending.contains(policy));
        pool.keep_only(*revision, |policy| pending.contains(&policy));
        for &policy in pending {
            if asked.insert((*revision, policy)) {
                pool.submit(Task::Simulate { revision: *revision, policy, document: Rc::clone(&document) });
            }
        }
    });
}

/// Reads a file that the reader chose or dropped, and has a worker check it.
pub fn open_file(file: web_sys::File, pool: Pool, dispatch: Dispatch) {
    let name = file.name();
    let limit = Limits::default().bytes as f64;
    if file.size() > limit {
        let detail = format!(
            "The file is {:.0} MB long; the limit is {:.0} MB. Split it or take a sample of it.",
            file.size() / 1048576.0,
            limit / 1048576.0
        );
        dispatch.dispatch(not_opened(&name, detail));
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        match read_as_text(&Blob::from(file)).await {
            Ok(text) => pool.submit(Task::Check { name, text: Rc::from(text) }),
            Err(_) => {
                let detail =
                    "The browser could not read the file. Check that it still exists and may be read.";
                dispatch.dispatch(not_opened(&name, detail.to_owned()));
            }
        }
    });
}

/// Moves the playhead frame by frame while it plays.
#[hook]
pub fn use_playback(motion: Motion, dispatch: Dispatch) {
    use_effect_with(motion, move |motion| {
        let frame: Rc<RefCell<Option<AnimationFrame>>> = Rc::default();
        if *motion == Motion::Playing {
            next_frame(&frame, dispatch, None);
        }
        // Dropping the handle cancels the frame that is waited for.
        move || drop(frame.borrow_mut().take())
    });
}

fn next_frame(slot: &Rc<RefCell<Option<AnimationFrame>>>, dispatch: Dispatch, before: Option<f64>) {
    let again = Rc::downgrade(slot);
    let frame = request_animation_frame(move |now| {
        if let Some(before) = before {
            // A tab that was hidden does not leap ahead.
            dispatch.dispatch(Action::Tick(((now - before) / 1000.0).clamp(0.0, 0.1)));
        }
        if let Some(slot) = again.upgrade() {
            next_frame(&slot, dispatch, Some(now));
        }
    });
    *slot.borrow_mut() = Some(frame);
}

/// Keys that work wherever no control needs them: space plays, arrows step.
#[hook]
pub fn use_keys(dispatch: Dispatch) {
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let listener =
            EventListener::new_with_options(&gloo::utils::document(), "keydown", options, move |event| {
                let Some(event) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
                let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
                let taken = target.is_some_and(|target| {
                    ["INPUT", "SELECT", "BUTTON", "TEXTAREA", "A", "SUMMARY"]
                        .contains(&target.tag_name().as_str())
                });
                if taken || event.ctrl_key() || event.meta_key() || event.alt_key() {
                    return;
                }
                let action = match event.key().as_str() {
                    " " => Action::PlayPause,
                    "ArrowLeft" => Action::Step(Direction::Back),
                    "ArrowRight" => Action::Step(Direction::Forward),
                    _ => return,
                };
                event.prevent_default();
                dispatch.dispatch(action);
            });
        move || drop(listener)
    });
}

/// Tells the outside, by `data-ready` on the root element, whether all panels show what they should.
#[hook]
pub fn use_ready_mark(settled: bool, revision: u32) {
    use_effect_with((settled, revision), move |&(settled, _)| {
        let mark = |word: &'static str| {
            let _ = gloo::utils::document_element().set_attribute("data-ready", word);
        };
        let frames: Rc<RefCell<Vec<AnimationFrame>>> = Rc::default();
        if settled {
            // Two frames later the canvases have been drawn and shown.
            let inner = Rc::downgrade(&frames);
            let first = request_animation_frame(move |_| {
                if let Some(frames) = inner.upgrade() {
                    frames.borrow_mut().push(request_animation_frame(move |_| mark("true")));
                }
            });
            frames.borrow_mut().push(first);
        } else {
            mark("false");
        }
        move || frames.borrow_mut().clear()
    });
}

/// The width of an element in logical pixels, followed as it changes; 0 until it is known.
#[hook]
pub fn use_width(node: &NodeRef) -> f64 {
    use wasm_bindgen::prelude::Closure;
    let width = use_state(|| 0.0);
    let (node, setter) = (node.clone(), width.setter());
    use_effect_with((), move |()| {
        let on_resize = Closure::<dyn Fn(js_sys::Array)>::new({
            let node = node.clone();
            move |_| {
                if let Some(element) = node.cast::<web_sys::Element>() {
                    setter.set(element.get_bounding_client_rect().width());
                }
            }
        });
        let observer = web_sys::ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, node.cast::<web_sys::Element>()) {
            observer.observe(&element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(on_resize);
        }
    });
    *width
}
