//! Beside a chart: names of executors and numbers of cores.

use yew::prelude::*;

use crate::store::{Action, DocumentAction};
use crate::ui::send::{Handlers, use_send};
use fairlane::number;
use fairlane_view::gantt::{ChartRows, CoreWindow};

#[derive(Properties, PartialEq)]
pub(super) struct GutterProps {
    pub rows: ChartRows,
    pub cores_per_executor: u32,
    /// How many times as fast as usual each executor is; empty if all are.
    pub speeds: Vec<f64>,
    pub window: CoreWindow,
    /// Logical pixels at the top that are the name's.
    pub reserved: u32,
}

/// How a chart is to be read.
const READING: &str = "Each row is a core. A pixel column with more than two tasks shows the users\u{2019} shares of that time, \
                       stacked from the bottom; the rest is idle time. Low rows and rows of several cores show a blend of the colours.";

/// Logical pixels that an executor needs for its name, and a core for its number.
const NAME_PX: u32 = 12;
const NUMBER_PX: u32 = 9;

/// Logical pixels of a panel's name and mean over its gutter where the name takes one line, how many characters that
/// has, and how high one more is.
const NAME_ROOM_PX: u32 = 42;
const NAME_LINE: usize = 13;
const LINE_PX: u32 = 18;

/// Logical pixels of a panel's name and mean over its gutter.
pub(super) fn name_room(title: &str) -> u32 {
    let lines = title.chars().count().div_ceil(NAME_LINE).max(1) as u32;
    NAME_ROOM_PX + (lines - 1) * LINE_PX
}

/// Names of executors and numbers of cores beside the chart, where there is room.
#[component]
pub(super) fn Gutter(props: &GutterProps) -> Html {
    let send = use_send::<Action>();
    let &GutterProps { ref rows, cores_per_executor, ref speeds, window, reserved } = props;
    // Keys reach the same in the set-up, without a stop for each executor of each panel.
    let handle = |(executor, (top, bottom)): (u32, (u32, u32))| {
        let onclick = send.press(DocumentAction::ToggleExecutor(executor));
        let style = format!("top:{top}px;height:{}px", bottom - top);
        let speed = mark_of(speeds, executor).map_or_else(String::new, |mark| format!(", {mark} as fast"));
        let title = format!(
            "executor {executor}{speed}: press to take it away at the playhead, or to bring it back then"
        );
        html! {
            <button type="button" class="executor-handle" {style} tabindex="-1" aria-label={title.clone()} {title}
                {onclick}></button>
        }
    };
    html! {
        <div class="gutter" style={format!("height:{}px", rows.height)} title={READING}>
            { for labels(rows, cores_per_executor, speeds, window, reserved).into_iter().map(|GutterLabel { class, middle, room, text }| html! {
                <span {class} style={format!("top:{middle}px;--room:{room}px")} aria-hidden="true">{ text }</span>
            }) }
            { for executor_bands(rows, cores_per_executor, window).into_iter().map(handle) }
        </div>
    }
}

/// Fractions that are one character, with their values.
const FRACTIONS: [(f64, &str); 9] = [
    (0.1, "⅒"),
    (0.2, "⅕"),
    (0.25, "¼"),
    (0.4, "⅖"),
    (0.5, "½"),
    (0.6, "⅗"),
    (0.75, "¾"),
    (0.8, "⅘"),
    (1.5, "1½"),
];

/// How many times as fast as usual an executor is, such as ½×; `None` if it is as fast as usual.
fn mark_of(speeds: &[f64], executor: u32) -> Option<String> {
    let speed = speeds.get(executor as usize).copied().filter(|speed| *speed != 1.0)?;
    let known = FRACTIONS.iter().find(|(value, _)| *value == speed).map(|(_, words)| (*words).to_owned());
    let words = known.unwrap_or_else(|| number::trimmed(speed, 2).trim_start_matches('0').to_owned());
    Some(format!("{words}×"))
}

/// The executors whose cores have rows of their own, each with the upper and lower edge of these, in logical pixels.
fn executor_bands(rows: &ChartRows, cores_per_executor: u32, window: CoreWindow) -> Vec<(u32, (u32, u32))> {
    if rows.bands.len() != rows.cores as usize {
        return Vec::new();
    }
    let end = window.first + window.count;
    let band = |core: u32| rows.bands[(core - window.first) as usize];
    let executors = window.first / cores_per_executor..=(end - 1) / cores_per_executor;
    let edges = |executor: u32| {
        let first = (executor * cores_per_executor).max(window.first);
        let last = ((executor + 1) * cores_per_executor).min(end) - 1;
        (executor, (band(first).0, band(last).1))
    };
    executors.map(edges).collect()
}

/// A name in the gutter.
struct GutterLabel {
    class: &'static str,
    /// Its middle, in logical pixels from the top of the chart.
    middle: f64,
    /// Its height at most, in logical pixels.
    room: u32,
    text: String,
}

/// The names of executors and numbers of cores that have room. Of the pixels reserved at the top the numbers are clear,
/// as they stand at the right.
fn labels(
    rows: &ChartRows,
    cores_per_executor: u32,
    speeds: &[f64],
    window: CoreWindow,
    reserved: u32,
) -> Vec<GutterLabel> {
    if rows.bands.len() != rows.cores as usize {
        return vec![GutterLabel {
            class: "executor",
            middle: f64::from(reserved) + 8.0,
            room: NAME_PX,
            text: format!("{} cores", window.count),
        }];
    }
    let label = |class, least: u32, (top, bottom): (u32, u32), text: String| {
        let (middle, room) = (f64::from(top + bottom) / 2.0, bottom - top);
        (room >= least).then_some(GutterLabel { class, middle, room, text })
    };
    let executors = executor_bands(rows, cores_per_executor, window).into_iter();
    let executors = executors
        .filter_map(|(executor, band)| label("executor", NAME_PX, band, format!("executor {executor}")))
        .filter(|label| label.middle >= f64::from(reserved + NAME_PX / 2));
    let cores = (window.first..).zip(&rows.bands);
    let cores = cores.filter_map(|(core, &band)| match mark_of(speeds, core / cores_per_executor) {
        Some(mark) => label("core slow", NUMBER_PX, band, format!("{core} {mark}")),
        None => label("core", NUMBER_PX, band, core.to_string()),
    });
    let mut cores: Vec<GutterLabel> = cores.collect();
    if !cores.iter().any(|label| label.class == "core slow") {
        // Where no row has room for a number, an executor's rows have it together.
        let marks = executor_bands(rows, cores_per_executor, window)
            .into_iter()
            .filter_map(|(executor, band)| label("core slow", NUMBER_PX, band, mark_of(speeds, executor)?));
        cores.extend(marks);
    }
    executors.chain(cores).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_slow_executor_say_how_fast_it_is() {
        let texts = |speeds: &[f64]| {
            let rows = ChartRows::new(2, 2, 1.0);
            let labels = labels(&rows, 2, speeds, CoreWindow::whole(4), 0).into_iter();
            labels.filter(|label| label.class.starts_with("core")).map(|label| label.text).collect::<Vec<_>>()
        };
        assert_eq!(texts(&[1.0, 0.5]), ["0", "1", "2 ½×", "3 ½×"]);
        assert_eq!(texts(&[0.35, 1.0]), ["0 .35×", "1 .35×", "2", "3"]);
        assert_eq!(texts(&[]), ["0", "1", "2", "3"]);
        assert_eq!(mark_of(&[2.0], 0).as_deref(), Some("2×"));
        let low = labels(&ChartRows::new(2, 2, 0.3), 2, &[1.0, 0.5], CoreWindow::whole(4), 0).into_iter();
        let low = low.filter(|label| label.class == "core slow").map(|label| label.text);
        assert_eq!(low.collect::<Vec<_>>(), ["½×"]);
    }

    #[test]
    fn names_without_room_are_left_out() {
        let window = CoreWindow::whole(4);
        let texts = |rows: &ChartRows| {
            labels(rows, 2, &[], window, 0).into_iter().map(|label| label.text).collect::<Vec<_>>()
        };
        let tall = texts(&ChartRows::new(2, 2, 1.0));
        assert!(
            ["executor 0", "executor 1", "3"].iter().all(|name| tall.iter().any(|text| text == name)),
            "{tall:?}"
        );
        let low = labels(&ChartRows::new(2, 2, 0.3), 2, &[], window, 0);
        assert!(low.iter().all(|label| label.class != "core"));
        // None is higher than its row.
        let rows = ChartRows::new(2, 2, 1.0);
        let cores = labels(&rows, 2, &[], window, 0).into_iter().filter(|label| label.class == "core");
        assert_eq!(
            cores.map(|label| label.room).collect::<Vec<_>>(),
            rows.bands.iter().map(|(top, bottom)| bottom - top).collect::<Vec<_>>()
        );
        let below = labels(&ChartRows::new(2, 2, 1.5), 2, &[], window, 42);
        let names = below.iter().filter(|label| label.class == "executor").map(|label| label.text.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["executor 1"], "the first would lie under the panel's name");
        let many = labels(&ChartRows::new(100, 100, 1.0), 100, &[], CoreWindow::whole(10_000), 0);
        assert_eq!(many.last().map(|label| label.text.as_str()), Some("10000 cores"));
    }
}
