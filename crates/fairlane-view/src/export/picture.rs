//! Schedules as one SVG picture in the page's light colours, for whoever has no page.

use fairlane::metrics::Evaluation;
use fairlane::scenario::Scenario;
use fairlane::trace::CoreIndex;
use fairlane::units::Time;

use super::svg::{Picture, SvgChart, SvgColours, SvgTasks, svg};
use crate::TimeAxis;
use crate::gantt::Rgb;
use crate::hue::HUES;

/// The page's colours, each as a token with its light and its dark value.
const STYLES: &str = include_str!("../../../../styles/fairlane.css");

/// The runs of a scenario, one below the other on the same time axis; the plots are `width` pixels wide.
pub fn picture(scenario: &Scenario, runs: &[Evaluation], width: u32, tasks: SvgTasks) -> String {
    let indices: Vec<CoreIndex> = runs.iter().map(|run| CoreIndex::new(&run.trace)).collect();
    let charts: Vec<SvgChart> = runs
        .iter()
        .zip(&indices)
        .map(|(run, index)| SvgChart { run, index, caption: run.summary.mean_response_in_words() })
        .collect();
    let end = runs.iter().map(|run| run.trace.last()).max().unwrap_or(Time::ZERO);
    let shades = |hue: usize| [format!("user-{hue}"), format!("user-{hue}-alt")].map(|name| colour(&name));
    let users: Vec<[Rgb; 2]> = (1..=HUES).map(shades).collect();
    svg(&Picture {
        scenario,
        axis: TimeAxis::whole(end),
        width,
        charts: &charts,
        colours: &SvgColours {
            background: colour("surface"),
            row: colour("row"),
            grid: colour("grid"),
            text: colour("ink"),
            dim: colour("dim"),
            users: &users,
        },
        tasks,
    })
}

/// The light colour of a token.
fn colour(token: &str) -> Rgb {
    light_colour(token).expect("the style sheet has the token, as a test claims")
}

fn light_colour(token: &str) -> Option<Rgb> {
    let (_, value) = STYLES.split_once(&format!("--{token}: light-dark(#"))?;
    let digits = |at: usize| u8::from_str_radix(value.get(at..at + 2)?, 16).ok();
    Some(Rgb(digits(0)?, digits(2)?, digits(4)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_has_every_colour_of_a_picture() {
        let users = (1..=HUES).flat_map(|hue| [format!("user-{hue}"), format!("user-{hue}-alt")]);
        let others = ["surface", "row", "grid", "ink", "dim"].map(str::to_owned);
        for token in users.chain(others) {
            assert!(light_colour(&token).is_some(), "{token}");
        }
        assert_eq!(light_colour("surface"), Some(Rgb(255, 255, 255)));
        assert_eq!(light_colour("none"), None);
    }
}
