//! What is drawn on canvases: Gantt charts and other charts.
//!
//! Uses `browser`, `results`, `store` and `ui`.

pub mod chart;
pub mod ecdf;
pub mod frame;
pub mod gantt;
pub mod texture;
pub mod theme;

/// Device pixels per logical pixel, now.
fn scale() -> f64 {
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio())
}
