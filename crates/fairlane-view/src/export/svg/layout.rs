//! The positions of a picture's parts, in SVG pixels from its upper left corner.

/// Free space at the edges.
pub(super) const MARGIN: f64 = 16.0;
/// Left edge of the plots: names of executors are left of it.
pub(super) const GUTTER: f64 = 96.0;
/// Baseline of the title.
pub(super) const TITLE_BASELINE: f64 = 30.0;
/// From a chart's upper edge to its rows: the policy's name.
pub(super) const HEADING: f64 = 22.0;
/// Height of an executor that has room for its name.
pub(super) const MIN_LABELLED: u32 = 12;

/// Below a chart's rows: the time axis and some air.
const BELOW: f64 = 34.0;
/// From one line of the legend to the next.
const LEGEND_LINE: f64 = 18.0;
/// About the width of a letter of the legend, which has a font of 12 pixels.
const LETTER: f64 = 7.0;
/// Letters of a name that the legend shows.
const MAX_LETTERS: usize = 41;

/// The positions of the parts.
pub(super) struct SvgLayout {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Left edge and baseline of each user's entry.
    pub(super) legend: Vec<(f64, f64)>,
    /// Upper edge of each chart.
    pub(super) charts: Vec<f64>,
}

impl SvgLayout {
    /// A picture of charts, each with rows of this height, and a legend of names.
    pub(super) fn new(plot_width: u32, rows_height: u32, charts: usize, names: &[&str]) -> SvgLayout {
        let width = GUTTER + f64::from(plot_width) + MARGIN;
        let (mut x, mut y) = (MARGIN, TITLE_BASELINE + 24.0);
        let mut legend = Vec::with_capacity(names.len());
        for name in names {
            let entry = 15.0 + LETTER * shortened(name).chars().count() as f64 + 16.0;
            if x > MARGIN && x + entry > width - MARGIN {
                (x, y) = (MARGIN, y + LEGEND_LINE);
            }
            legend.push((x, y));
            x += entry;
        }
        let top = if names.is_empty() { TITLE_BASELINE + 14.0 } else { y + 16.0 };
        let chart = HEADING + f64::from(rows_height) + BELOW;
        let tops = (0..charts).map(|index| top + index as f64 * chart).collect();
        let height = top + charts as f64 * chart;
        SvgLayout { width: width.ceil() as u32, height: height.ceil() as u32, legend, charts: tops }
    }
}

/// A name as the legend shows it.
pub(super) fn shortened(name: &str) -> String {
    super::text::shortened(name, MAX_LETTERS)
}
