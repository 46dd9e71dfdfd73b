//! What the page does beyond drawing: simulations, files, frames, keys.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use yew::prelude::*;

use crate::app::lazy;
use crate::browser::dom::{around, is_in, prefers_reduced_motion};
use crate::browser::fatal::{self, Work};
use crate::browser::first_paint::after_picture;
use crate::store::{
    Action, Direction, DocumentAction, LogImport, Motion, PlaybackAction, RunAction, RunPhase, State,
    UiAction, ViewAction,
};
use crate::ui::hooks::{NEED_ARROWS, NEED_SPACE, NEED_TEXT, use_listener};
use crate::workers::pool::{Order, Pool};
use crate::workers::work::Unreachable;
use fairlane::metrics::EvaluationDetail;
use fairlane::policy::PolicyId;
use fairlane::units::Time;
use fairlane_view::TimeAxis;

/// Yew's form of the store.
#[derive(Clone, PartialEq)]
pub struct Store(pub State);

impl Reducible for Store {
    type Action = Action;
    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        // After a panic nothing that is here can be relied on.
        if fatal::has_stopped() {
            return self;
        }
        if action.begins_step() {
            fatal::begin_step(&action.describe(), Rc::new(Store(self.0.without_results())));
        } else if !matches!(
            action,
            Action::Playback(PlaybackAction::Tick(_)) | Action::Run(RunAction::Progress(..))
        ) {
            fatal::note(&action.describe());
        }
        let next = Rc::new(Store(self.0.reduce(action)));
        fatal::keep(next.clone());
        next
    }
}

impl Store {
    /// The store as the page starts.
    pub fn first(state: State) -> Store {
        let store = Store(state);
        fatal::keep(Rc::new(store.clone()));
        store
    }
}

impl Work for Store {
    fn session(&self) -> Option<String> {
        self.0.to_stored().ok()
    }

    fn file(&self) -> (String, String) {
        let document = &self.0.document;
        (format!("{}.json", document.file_stem()), document.own().to_json())
    }
}

/// A way to change the state.
pub type Dispatch = UseReducerDispatcher<Store>;

/// Most tasks whose schedules are shown within one frame, if it is more than one schedule: each is drawn, and a frame
/// has no time for more.
const TASKS_PER_FRAME: usize = 60_000;

/// Results waiting for a frame.
#[derive(Default)]
struct Inbox {
    actions: VecDeque<Action>,
    frame: Option<AnimationFrame>,
}

impl Inbox {
    /// The results that are shown next, together.
    fn batch(&mut self) -> Vec<Action> {
        let mut tasks = 0;
        let fits = |action: &Action| {
            if let Action::Run(RunAction::Finished(_, _, Ok(analysis))) = action {
                tasks += analysis.trace.tasks.len();
            }
            tasks <= TASKS_PER_FRAME
        };
        let count = self.actions.iter().map(fits).take_while(|fits| *fits).count();
        self.actions.drain(..count.max(1).min(self.actions.len())).collect()
    }
}

/// Dispatches a batch in the next frame, and what is left in those that follow.
fn dispatch_in_frames(inbox: &Rc<RefCell<Inbox>>, dispatch: &Dispatch) {
    let next = (Rc::downgrade(inbox), dispatch.clone());
    let frame = request_animation_frame(move |_| {
        let (inbox, dispatch) = next;
        let Some(inbox) = inbox.upgrade() else { return };
        inbox.borrow_mut().frame = None;
        let batch = inbox.borrow_mut().batch();
        batch.into_iter().for_each(|action| dispatch.dispatch(action));
        if !inbox.borrow().actions.is_empty() {
            dispatch_in_frames(&inbox, &dispatch);
        }
    });
    inbox.borrow_mut().frame = Some(frame);
}

/// The workers. Results that arrive within one frame are dispatched together, so that they are drawn together.
#[hook]
pub fn use_pool(dispatch: Dispatch) -> Pool {
    let pool = use_memo((), move |()| {
        let inbox: Rc<RefCell<Inbox>> = Rc::default();
        Pool::new(lazy::load_work, move |action| {
            inbox.borrow_mut().actions.push_back(action);
            if inbox.borrow().frame.is_none() {
                dispatch_in_frames(&inbox, &dispatch);
            }
        })
    });
    (*pool).clone()
}

/// Requests the pending simulations and drops those that are no longer needed. Requests the recorded run when something
/// waits for it.
#[hook]
pub fn use_simulations(state: &State, pool: &Pool, dispatch: Dispatch) {
    use_effect_with((), move |()| {
        after_picture(move || dispatch.dispatch(Action::Run(RunAction::AnalyzeInFull)))
    });
    let pending = state.runs.iter().filter(|(_, run)| matches!(run.phase, RunPhase::Pending(_)));
    let pending: BTreeSet<PolicyId> = pending.map(|(&policy, _)| policy).collect();
    let mut policies: Vec<PolicyId> = pending.iter().copied().collect();
    // The policy with the oldest schedule is the most urgent.
    policies.sort_by_key(|policy| state.runs[policy].shown);
    let (pool, source, oldest) = (pool.clone(), state.source(), state.opened);
    let detail = if state.drag.is_none() && state.full_results {
        EvaluationDetail::Full
    } else {
        EvaluationDetail::Responses
    };
    let requests = state.lessons.requests;
    use_effect_with((state.revision, requests, pending), move |&(revision, requests, _)| {
        pool.import_recording(requests);
        pool.simulate(&Order { revision, oldest, source: &source, policies: &policies, detail });
    });
}

/// Opens files that the reader chose or dropped, by what is loaded later.
pub fn open_files(files: Vec<web_sys::File>, log: Option<LogImport>, pool: Pool, dispatch: Dispatch) {
    wasm_bindgen_futures::spawn_local(async move {
        match lazy::load().await {
            Ok(parts) => (parts.open_files)(files, log, pool, dispatch),
            Err(Unreachable) => {
                let detail = "A part of the page failed to load; check your connection and open it again.";
                let name = files.first().map_or_else(|| "The file".to_owned(), web_sys::File::name);
                dispatch.dispatch(Action::not_opened(&name, detail.to_owned()));
            }
        }
    });
}

/// What moves the playhead and the window of time without a button: playing, keys and the wheel.
#[hook]
pub fn use_time_controls(state: &State, dispatch: Dispatch) {
    let axis = state.axis();
    use_playback(state.playback.motion, dispatch.clone());
    use_keys(axis, state.view.playhead, dispatch.clone());
    use_wheel(axis, dispatch);
}

/// Moves the playhead frame by frame while it plays.
#[hook]
fn use_playback(motion: Motion, dispatch: Dispatch) {
    use_effect_with(motion, move |motion| {
        let frame: Rc<RefCell<Option<AnimationFrame>>> = Rc::default();
        if *motion == Motion::Playing {
            next_frame(&frame, dispatch, None);
        }
        // Dropping the handle cancels the frame that is waited for.
        move || drop(frame.borrow_mut().take())
    });
}

/// Real seconds from one jump of the playhead to the next where less motion is preferred.
const JUMP_S: f64 = 0.5;

fn next_frame(slot: &Rc<RefCell<Option<AnimationFrame>>>, dispatch: Dispatch, before: Option<f64>) {
    let again = Rc::downgrade(slot);
    let frame = request_animation_frame(move |now| {
        let passed = before.map_or(0.0, |before| (now - before) / 1000.0);
        // Those who prefer less motion see the playhead jump twice a second.
        let (least, most) = if prefers_reduced_motion() { (JUMP_S, JUMP_S + 0.1) } else { (0.0, 0.1) };
        let moves = before.is_some() && passed >= least;
        if moves {
            // A tab that was hidden does not skip ahead.
            dispatch.dispatch(Action::Playback(PlaybackAction::Tick(passed.clamp(0.0, most))));
        }
        if let Some(slot) = again.upgrade() {
            next_frame(&slot, dispatch, before.filter(|_| !moves).or(Some(now)));
        }
    });
    *slot.borrow_mut() = Some(frame);
}

/// What a key does, and the elements that need it themselves.
fn action_of_key(
    event: &web_sys::KeyboardEvent,
    axis: TimeAxis,
    playhead: Time,
) -> Option<(Action, &'static str)> {
    let command = event.ctrl_key() || event.meta_key();
    let zoom = |factor| {
        Action::View(ViewAction::ZoomBy {
            base: axis,
            fraction: axis.fraction(playhead).clamp(0.0, 1.0),
            factor,
        })
    };
    let shift = event.shift_key();
    Some(match (event.key().as_str(), command) {
        ("z" | "Z", true) if shift => (Action::Document(DocumentAction::Redo), NEED_TEXT),
        ("z", true) => (Action::Document(DocumentAction::Undo), NEED_TEXT),
        ("y", true) => (Action::Document(DocumentAction::Redo), NEED_TEXT),
        (_, true) => return None,
        (_, false) if event.alt_key() => return None,
        ("Escape", _) => (Action::Ui(UiAction::Escape), ".none"),
        ("p" | "P", _) => (Action::View(ViewAction::Present), NEED_TEXT),
        ("?", _) => (Action::Ui(UiAction::Help(true)), NEED_TEXT),
        (" ", _) => (Action::Playback(PlaybackAction::PlayPause), NEED_SPACE),
        ("ArrowLeft", _) if shift => (Action::View(ViewAction::PanBy(-KEY_PAN)), NEED_ARROWS),
        ("ArrowRight", _) if shift => (Action::View(ViewAction::PanBy(KEY_PAN)), NEED_ARROWS),
        ("ArrowLeft", _) => (Action::Playback(PlaybackAction::Step(Direction::Back)), NEED_ARROWS),
        ("ArrowRight", _) => (Action::Playback(PlaybackAction::Step(Direction::Forward)), NEED_ARROWS),
        ("[", _) => (Action::Playback(PlaybackAction::StepChosen(Direction::Back)), NEED_TEXT),
        ("]", _) => (Action::Playback(PlaybackAction::StepChosen(Direction::Forward)), NEED_TEXT),
        ("+" | "=", _) => (zoom(1.0 / KEY_ZOOM), NEED_TEXT),
        ("-", _) => (zoom(KEY_ZOOM), NEED_TEXT),
        ("0", _) => (Action::View(ViewAction::Zoom(None)), NEED_TEXT),
        _ => return None,
    })
}

/// How far a key pans, in windows, and how much it zooms.
const KEY_PAN: f64 = 0.25;
const KEY_ZOOM: f64 = 1.5;

/// Keys that work wherever no control needs them: space plays, arrows step, plus and minus zoom.
#[hook]
fn use_keys(axis: TimeAxis, playhead: Time, dispatch: Dispatch) {
    let handle = move |event: &web_sys::KeyboardEvent, target: &web_sys::Element, &(axis, playhead): &_| {
        let Some((action, needed_by)) = action_of_key(event, axis, playhead) else { return };
        // In a dialog Escape closes that, and what is behind it cannot be reached.
        if !is_in(target, "dialog")
            && !target.matches(needed_by).unwrap_or(false)
            && !event.default_prevented()
        {
            event.prevent_default();
            dispatch.dispatch(action);
        }
    };
    use_listener("keydown", (axis, playhead), handle);
}

/// How much a wheel's pixel zooms.
const WHEEL_ZOOM: f64 = 0.002;

/// The wheel over a plot: with Ctrl (which a pinch on a touchpad is, too) it zooms, sideways or with
/// Shift it pans; otherwise the page scrolls as usual.
#[hook]
fn use_wheel(axis: TimeAxis, dispatch: Dispatch) {
    let handle = move |event: &web_sys::WheelEvent, _: &web_sys::Element, &base: &TimeAxis| {
        let Some(plot) = around(event, ".plot") else { return };
        let area = plot.get_bounding_client_rect();
        let width = area.width().max(1.0);
        let (x, y) = (event.delta_x(), event.delta_y());
        let sideways = if event.shift_key() && x == 0.0 { y } else { x };
        let action = if event.ctrl_key() || event.meta_key() {
            let fraction = (f64::from(event.client_x()) - area.left()) / width;
            Action::View(ViewAction::ZoomBy { base, fraction, factor: (y * WHEEL_ZOOM).exp() })
        } else if sideways.abs() > y.abs() || event.shift_key() {
            Action::View(ViewAction::PanBy(sideways / width))
        } else {
            return;
        };
        event.prevent_default();
        dispatch.dispatch(action);
    };
    use_listener("wheel", axis, handle);
}

/// Reports to tests and benches, by `data-ready` on the root element, whether all panels show what they should.
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
