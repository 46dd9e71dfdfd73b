//! What is drawn on canvases.

pub mod chart;
pub mod ecdf;
pub mod frame;
pub mod gantt;
mod svg;
pub mod virtual_time;

use plotters::style::RGBColor;

use crate::view::gantt::Rgb;

/// A colour for plotters.
fn rgb(Rgb(red, green, blue): Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

/// Device pixels per logical pixel, now.
fn scale() -> f64 {
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio())
}
