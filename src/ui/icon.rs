//! Icons: a few strokes on a square of 24 units.

use yew::prelude::*;

/// A part of an icon: a path that is filled, or drawn as a line.
#[derive(Clone, Copy)]
pub enum Stroke {
    Solid(&'static str),
    Line(&'static str),
}

/// An icon of one line.
pub fn icon(line: &'static str) -> Html {
    drawn(&[Stroke::Line(line)])
}

/// An icon of several strokes.
pub fn drawn(icon: &[Stroke]) -> Html {
    html! {
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            { for icon.iter().map(|stroke| match *stroke {
                Stroke::Solid(d) => html! { <path class="solid" {d} /> },
                Stroke::Line(d) => html! { <path {d} /> },
            }) }
        </svg>
    }
}
