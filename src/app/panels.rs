//! The parts of the page.

pub mod header;
pub mod lanes;
pub mod notice;
pub mod panel;
pub mod policies;
pub mod results;
pub mod transport;

use wasm_bindgen::JsCast;
use yew::prelude::*;

/// Where a pointer is in the element that listens, as a fraction of its width.
fn pointer_fraction(event: &PointerEvent) -> Option<f64> {
    let element: web_sys::Element = event.current_target()?.dyn_into().ok()?;
    let area = element.get_bounding_client_rect();
    (area.width() > 0.0).then(|| (f64::from(event.client_x()) - area.left()) / area.width())
}

/// The two handlers that make an element seek while it is pressed: down and move.
fn seeking(seek: &Callback<f64>) -> (Callback<PointerEvent>, Callback<PointerEvent>) {
    let to = seek.clone();
    let down = Callback::from(move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        if let Some(element) =
            event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok())
        {
            // Without capture the drag ends at the element's edge, no worse.
            let _ = element.set_pointer_capture(event.pointer_id());
        }
        if let Some(fraction) = pointer_fraction(&event) {
            to.emit(fraction);
        }
    });
    let to = seek.clone();
    let moved = Callback::from(move |event: PointerEvent| {
        let pressed = event.buttons() & 1 == 1;
        if let Some(fraction) = pressed.then(|| pointer_fraction(&event)).flatten() {
            to.emit(fraction);
        }
    });
    (down, moved)
}
