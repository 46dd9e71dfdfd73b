//! Schedules as an SVG picture in the page's light colours, for where there is no widget.

use fairlane::metrics::Evaluation;
use fairlane::scenario::Scenario;
use fairlane::trace::CoreIndex;
use fairlane_view::TimeAxis;
use fairlane_view::export::svg::{self, Picture, SvgChart, SvgColours, SvgTasks};
use fairlane_view::gantt::Rgb;
use fairlane_view::hue::HUES;

/// The page's stylesheet, the one place of its colours.
const STYLES: &str = include_str!("../../styles/fairlane.css");
/// Width of the plots, in pixels.
const WIDTH: u32 = 800;

/// The schedules, one below the other.
pub fn picture(scenario: &Scenario, runs: &[Evaluation]) -> String {
    let indices: Vec<CoreIndex> = runs.iter().map(|run| CoreIndex::new(&run.trace)).collect();
    let charts: Vec<SvgChart> = runs
        .iter()
        .zip(&indices)
        .map(|(run, index)| SvgChart {
            run: run.into(),
            index,
            caption: run.summary.mean_response_in_words(),
        })
        .collect();
    let users: Vec<[Rgb; 2]> =
        (1..=HUES).map(|hue| ["", "-alt"].map(|shade| light(&format!("user-{hue}{shade}")))).collect();
    let colours = SvgColours {
        background: light("surface"),
        row: light("row"),
        grid: light("grid"),
        text: light("ink"),
        dim: light("dim"),
        users: &users,
    };
    let axis = TimeAxis::whole(runs.iter().map(|run| run.trace.end()).max().unwrap_or_default());
    svg::svg(&Picture {
        scenario,
        axis,
        width: WIDTH,
        charts: &charts,
        colours: &colours,
        tasks: SvgTasks::Merged,
    })
}

/// The light colour of a token: `--NAME: light-dark(#rrggbb, …)`. A token that there is not is black.
fn light(token: &str) -> Rgb {
    let value = STYLES.split_once(&format!("--{token}: light-dark(#")).map_or("", |(_, value)| value);
    let channel = |at: usize| value.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let [red, green, blue] = [0, 2, 4].map(|at| channel(at).unwrap_or_default());
    Rgb(red, green, blue)
}
