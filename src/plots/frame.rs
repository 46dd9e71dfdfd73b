//! Charts on canvases as sharp as the display and as files, in the page's colours.

use gloo::events::EventListener;
use plotters_canvas::CanvasBackend;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::plots::theme::{self, ThemeColours};
use crate::store::selectors::{self, Hue};
use fairlane_view::chart::{self, Chart, ChartLayout, Paint, SeriesInk, draw};
use fairlane_view::gantt::Rgb;

fn paint<'a>(colours: &ThemeColours, ink: &'a dyn Fn(SeriesInk) -> Rgb) -> Paint<'a> {
    Paint { surface: colours.surface, grid: colours.grid, text: colours.ink, dim: colours.dim, ink }
}

/// The colour of a series.
fn rgb(ink: SeriesInk, colours: &ThemeColours) -> Rgb {
    match ink {
        SeriesInk::Policy(policy) => colours.job(selectors::policy_hue(policy)),
        SeriesInk::User(user) => colours.job(Hue { hue: selectors::hue_of(user.0 + 1), shade: 0 }),
        SeriesInk::Text | SeriesInk::Job(_) => colours.ink,
        SeriesInk::Faint => colours.dim,
    }
}

/// The colour of a series for the stylesheet: as [`rgb`] on a canvas.
pub fn css(ink: SeriesInk) -> String {
    match ink {
        SeriesInk::Policy(policy) => theme::hue_colour(selectors::policy_hue(policy)),
        SeriesInk::User(id) => theme::hue_colour(Hue { hue: selectors::hue_of(id.0 + 1), shade: 0 }),
        SeriesInk::Text | SeriesInk::Job(_) => "var(--ink)".to_owned(),
        SeriesInk::Faint => "var(--dim)".to_owned(),
    }
}

/// Device pixels per logical pixel, followed as the window moves to another display or is zoomed.
#[hook]
pub fn use_scale() -> f64 {
    let now = || web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
    let scale = use_state_eq(now);
    {
        let scale = scale.clone();
        use_effect_with(*scale, move |dots| {
            let query = gloo::utils::window().match_media(&format!("(resolution: {dots}dppx)"));
            let listener = query
                .ok()
                .flatten()
                .map(|query| EventListener::new(&query, "change", move |_| scale.set(now())));
            move || drop(listener)
        });
    }
    *scale
}

/// Draws a chart on a canvas as large as its layout. A failure is reported on the console: the numbers are in
/// the table, too.
pub fn draw_on_canvas(
    canvas: &HtmlCanvasElement,
    chart: &Chart,
    layout: &ChartLayout,
    colours: &ThemeColours,
    scale: f64,
) {
    let pixels = |logical: f64| (logical * scale).round() as u32;
    canvas.set_width(pixels(layout.width));
    canvas.set_height(pixels(layout.height));
    let drawn = match CanvasBackend::with_canvas_object(canvas.clone()) {
        Some(backend) => draw(backend, chart, layout, &paint(colours, &|ink| rgb(ink, colours)), scale)
            .map_err(|error| error.to_string()),
        None => Err("no 2d context".to_owned()),
    };
    if let Err(error) = drawn {
        web_sys::console::warn_2(&"a chart could not be drawn".into(), &error.into());
    }
}

/// The chart as an SVG file of a size of its own.
pub fn svg(chart: &Chart, size: (f64, f64), colours: &ThemeColours) -> String {
    chart::svg(chart, size, &paint(colours, &|ink| rgb(ink, colours)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::theme::Texture;
    use crate::store::selectors::HUES;
    use fairlane::policy::PolicyId;

    /// On the canvas, in the legend and in a file the curves of policies have hues, not greys.
    #[test]
    fn curves_of_policies_have_their_hues() {
        let [surface, row, grid, ink, dim, inversion, skew, moved] = [Rgb(0, 0, 0); 8];
        let users = (1..=HUES as u8).map(|hue| [Rgb(hue, 1, 0), Rgb(hue, 2, 0)]).collect();
        let texture = Texture::None;
        let colours = ThemeColours { surface, row, grid, ink, dim, inversion, skew, moved, users, texture };
        for policy in PolicyId::all() {
            let Hue { hue, shade } = selectors::policy_hue(policy);
            let series = SeriesInk::Policy(policy);
            assert_eq!(rgb(series, &colours), Rgb(hue as u8, shade as u8 + 1, 0), "{policy}");
            assert_eq!(css(series), theme::hue_colour(Hue { hue, shade }), "{policy}");
        }
    }
}
