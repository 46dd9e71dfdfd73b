//! Handles that are pulled by pointer or finger: the slices of a skewed input, and the points of a curve.

use std::cell::Cell;
use std::rc::Rc;

use yew::prelude::*;

use crate::browser::dom::around;
use crate::store::{Action, DocumentAction};
use fairlane::scenario::edit::Edit;

/// Marks a handle within its picture; its value is the handle's index.
const HANDLE: &str = "data-handle";
const HANDLES: &str = "[data-handle]";

/// A handle that is pulled, with the scale of its picture, which stays meanwhile.
#[derive(Clone, Copy)]
struct HandlePull<S> {
    handle: usize,
    scale: S,
    /// Left and upper edge of what is inside the picture's border, and its size, in logical pixels.
    area: [f64; 4],
}

impl<S> HandlePull<S> {
    /// Where a pointer is, as parts of the picture from its left and from its lower edge.
    fn position(&self, event: &PointerEvent) -> (f64, f64) {
        let [left, top, width, height] = self.area;
        position_in([left, top, width, height], f64::from(event.client_x()), f64::from(event.client_y()))
    }
}

fn position_in([left, top, width, height]: [f64; 4], x: f64, y: f64) -> (f64, f64) {
    ((x - left) / width, 1.0 - (y - top) / height)
}

/// What is inside a picture's border.
fn area_of(picture: &web_sys::Element) -> [f64; 4] {
    let outer = picture.get_bounding_client_rect();
    let (left, top) = (f64::from(picture.client_left()), f64::from(picture.client_top()));
    // A drawing has no border, and in some browsers no size of its own.
    let inner = |inner: i32, outer: f64| if inner > 0 { f64::from(inner) } else { outer.max(1.0) };
    let width = inner(picture.client_width(), outer.width());
    [outer.left() + left, outer.top() + top, width, inner(picture.client_height(), outer.height())]
}

/// Where in a picture a press was, as parts of it from its left and from its lower edge; `None` on one of its handles.
pub fn press_beside(event: &MouseEvent, picture: &str) -> Option<(f64, f64)> {
    if around(event, HANDLES).is_some() {
        return None;
    }
    let area = area_of(&around(event, picture)?);
    Some(position_in(area, f64::from(event.client_x()), f64::from(event.client_y())))
}

/// The index of the handle that an event is on.
pub fn handle_of(event: &Event) -> Option<usize> {
    around(event, HANDLES)?.get_attribute(HANDLE)?.parse().ok()
}

/// The handlers of a picture whose handles are pulled.
pub struct PullHandlers<S> {
    /// The scale of the picture as it was when the pull began.
    pub scale: Option<S>,
    pub onpointerdown: Callback<PointerEvent>,
    pub onpointermove: Callback<PointerEvent>,
    pub onpointerup: Callback<PointerEvent>,
    pub onpointercancel: Callback<PointerEvent>,
    was_pulled: Rc<Cell<bool>>,
}

impl<S> PullHandlers<S> {
    /// Whether the press that has just ended has pulled a handle; asked once for each press.
    pub fn was_pulled(&self) -> impl Fn() -> bool + 'static {
        let was_pulled = Rc::clone(&self.was_pulled);
        move || was_pulled.replace(false)
    }
}

/// Makes the handles within the closest `picture` (a CSS selector) pullable, as one undo step each. `edit` is what it
/// means that a handle is at a position, as parts of the picture from its left and lower edge; what the rules forbid
/// is passed over.
#[hook]
pub fn use_pull<S: Copy + 'static>(
    picture: &'static str,
    scale: S,
    send: &Callback<Action>,
    edit: impl Fn(usize, S, (f64, f64)) -> Option<Edit> + 'static,
) -> PullHandlers<S> {
    let pull = use_memo((), |()| Rc::new(Cell::new(None::<HandlePull<S>>)));
    // A press that has pulled is no other one where it ends.
    let was_pulled = use_memo((), |()| Rc::new(Cell::new(false)));
    let onpointerdown = {
        let (pull, was_pulled, send) = (Rc::clone(&pull), Rc::clone(&was_pulled), send.clone());
        Callback::from(move |event: PointerEvent| {
            was_pulled.set(false);
            let (handle, picture) = (handle_of(&event), around(&event, picture));
            let Some((handle, picture)) = handle.zip(picture).filter(|_| event.button() == 0) else { return };
            // Without capture the drag only ends at the edge.
            let _ = picture.set_pointer_capture(event.pointer_id());
            pull.set(Some(HandlePull { handle, scale, area: area_of(&picture) }));
            send.emit(Action::Document(DocumentAction::DragStart));
        })
    };
    let onpointermove = {
        let (pull, send) = (Rc::clone(&pull), send.clone());
        Callback::from(move |event: PointerEvent| {
            let Some(now) = pull.get() else { return };
            if let Some(edit) = edit(now.handle, now.scale, now.position(&event)) {
                send.emit(Action::Document(DocumentAction::DragTo(edit)));
            }
        })
    };
    let end = |action: Action| {
        let (pull, was_pulled, send) = (Rc::clone(&pull), Rc::clone(&was_pulled), send.clone());
        Callback::from(move |_: PointerEvent| {
            if pull.take().is_some() {
                was_pulled.set(true);
                send.emit(action.clone());
            }
        })
    };
    PullHandlers {
        scale: pull.get().map(|pull| pull.scale),
        onpointerdown,
        onpointermove,
        onpointerup: end(Action::Document(DocumentAction::DragCommit)),
        onpointercancel: end(Action::Document(DocumentAction::DragCancel)),
        was_pulled: Rc::clone(&was_pulled),
    }
}
