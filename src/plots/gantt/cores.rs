//! Which cores a chart shows, where a cluster has more than have room: buttons, and the wheel
//! beside the chart.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::browser::dom::around;
use fairlane_view::gantt::CoreWindow;

/// One press shows this many times as many cores, or as few.
const FACTOR: f64 = 2.0;

/// How much a pixel of the wheel changes the number of cores, as a power of e.
const WHEEL_ZOOM: f64 = 0.002;

/// Part of the cores shown that a press goes up or down, and that a pixel of the wheel does.
const PRESS: f64 = 0.5;
const WHEEL: f64 = 1.0 / 400.0;

/// The buttons above a chart of many cores: `window` are the cores shown, and `look` asks for others.
pub fn core_tools(window: CoreWindow, cores: u32, look: &Callback<CoreWindow>) -> Html {
    let window = window.within(cores);
    let step = (f64::from(window.count) * PRESS).ceil() as i64;
    let button = |name: &'static str, title: &'static str, to: CoreWindow| {
        html! {
            <button class="small" {title} aria-label={title} disabled={to == window}
                onclick={look.reform(move |_: MouseEvent| to)}>{ name }</button>
        }
    };
    html! {
        <div class="row cores-shown" role="group" aria-label="Cores shown">
            <div class="gutter"><span>{ "Cores" }</span></div>
            <div>
                { button("+", "Fewer cores, in taller rows", window.zoomed(0.5, 1.0 / FACTOR, cores)) }
                { button("−", "More cores", window.zoomed(0.5, FACTOR, cores)) }
                { button("↑", "Scroll up", window.moved(-step, cores)) }
                { button("↓", "Scroll down", window.moved(step, cores)) }
                { button("All", "All cores", CoreWindow::whole(cores)) }
                <span class="hint">{ format!("{} to {} of {cores}", window.first, window.first + window.count - 1)
                    }</span>
            </div>
        </div>
    }
}

/// Beside the chart in this element the wheel goes through the cores and, with Ctrl, shows more or fewer of them;
/// over the chart it does the latter with Alt. Only while `cores`, how many there are, is given.
#[hook]
pub fn use_core_wheel(element: &NodeRef, cores: Option<u32>, window: CoreWindow, look: Callback<CoreWindow>) {
    let now = use_mut_ref(|| window);
    *now.borrow_mut() = window;
    let element = element.clone();
    use_effect_with(cores, move |cores| {
        let listener = element.cast::<web_sys::Element>().zip(*cores).map(|(element, cores)| {
            let options = EventListenerOptions::enable_prevent_default();
            let area = element.clone();
            EventListener::new_with_options(&element, "wheel", options, move |event| {
                let Some(event) = event.dyn_ref::<web_sys::WheelEvent>() else { return };
                if around(event, ".plot").is_some() != event.alt_key() {
                    return;
                }
                event.prevent_default();
                let window = *now.borrow();
                look.emit(if event.alt_key() || event.ctrl_key() || event.meta_key() {
                    let area = area.get_bounding_client_rect();
                    let at = (f64::from(event.client_y()) - area.top()) / area.height().max(1.0);
                    window.zoomed(at.clamp(0.0, 1.0), (event.delta_y() * WHEEL_ZOOM).exp(), cores)
                } else {
                    let by = event.delta_y() * WHEEL * f64::from(window.count);
                    window.moved((by.abs().ceil() * by.signum()) as i64, cores)
                });
            })
        });
        move || drop(listener)
    });
}
