//! Gantt charts as one SVG picture, which can be printed at any size and has every task's facts as its
//! tooltip. As on the page, tasks narrower than a pixel are drawn as the mix of their colours, each pixel
//! column by the part of it they take.
//!
//! ```
//! use fairlane_view::export::svg::{Picture, SvgChart, SvgColours, SvgTasks, svg};
//! use fairlane::trace::CoreIndex;
//! use fairlane_view::{TimeAxis, gantt::Rgb};
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let comparison = fairlane::compare(&scenario, ["uwfq".parse()?]);
//! let run = &comparison.evaluations[0];
//! let (black, white, grey) = (Rgb(0, 0, 0), Rgb(255, 255, 255), Rgb(128, 128, 128));
//! let users = &[[grey, black]];
//! let colours = SvgColours { background: white, row: white, grid: grey, text: black, dim: grey, users };
//! let index = &CoreIndex::new(&run.trace);
//! let charts = [SvgChart { run: run.into(), index, caption: String::new() }];
//! let axis = TimeAxis::whole(run.trace.end());
//! let tasks = SvgTasks::WithFacts;
//! let text = svg(&Picture { scenario: &scenario, axis, width: 800, charts: &charts, colours: &colours, tasks });
//! assert!(text.starts_with("<svg"));
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

mod layout;
mod segments;
mod text;

use std::collections::BTreeMap;

use crate::TimeAxis;
use crate::gantt::{ChartRows, MemoryOf, Rgb};
use crate::hue::{Hue, job_hues, user_hue};
use crate::memory::MemoryInUse;
use fairlane::ids::UserId;
use fairlane::metrics::Evaluation;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::{CoreIndex, TaskRun};
use layout::SvgLayout;
use text::{SvgWriter, TextAnchor};
pub use text::{colour, escaped, shortened, valid};

/// What is drawn.
pub struct Picture<'a> {
    /// The scenario of the title, the legend and the rows: that of all charts.
    pub scenario: &'a Scenario,
    /// The window of time that all charts show.
    pub axis: TimeAxis,
    /// Width of the plots without the names beside them, in SVG pixels.
    pub width: u32,
    /// The charts, from top to bottom.
    pub charts: &'a [SvgChart<'a>],
    /// The colours.
    pub colours: &'a SvgColours<'a>,
    /// How tasks are drawn.
    pub tasks: SvgTasks,
}

/// How tasks are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgTasks {
    /// Each as an element of its own, with its facts as its tooltip.
    WithFacts,
    /// Those of one colour as one path: a tenth of the bytes.
    Merged,
}

/// One policy's chart.
pub struct SvgChart<'a> {
    /// What happened.
    pub run: &'a Evaluation,
    /// Its trace by core.
    pub index: &'a CoreIndex,
    /// Text beside the policy's name, such as its mean response time; may be empty.
    pub caption: String,
}

/// The colours of a picture.
pub struct SvgColours<'a> {
    /// Behind everything.
    pub background: Rgb,
    /// An idle core.
    pub row: Rgb,
    /// Grid lines.
    pub grid: Rgb,
    /// Text.
    pub text: Rgb,
    /// Secondary text.
    pub dim: Rgb,
    /// Users and their tasks: the [hues](crate::hue), each with its two shades, or as many as the scenario has users.
    pub users: &'a [[Rgb; 2]],
}

impl SvgColours<'_> {
    fn of(&self, Hue { hue, shade }: Hue) -> Rgb {
        self.users.get(hue - 1).map_or(self.dim, |shades| shades[shade])
    }
}

/// Ticks that a time axis has, about.
const TICKS: usize = 8;

/// The picture as an SVG file.
pub fn svg(picture: &Picture) -> String {
    let cluster = picture.scenario.cluster();
    let rows = ChartRows::of_cluster(cluster, 1.0);
    let names: Vec<&str> = picture.scenario.users().iter().map(|user| user.name.as_str()).collect();
    let layout = SvgLayout::new(picture.width, rows.height, picture.charts.len(), &names);
    let mut text = String::new();
    let size = (layout.width, layout.height);
    let mut out = SvgWriter::new(&mut text, size, &title(picture), &description(picture));
    let colours = picture.colours;
    let whole = [0.0, 0.0, f64::from(layout.width), f64::from(layout.height)];
    out.rect(whole, colours.background, 1.0, None);
    out.text(
        (layout::MARGIN, layout::TITLE_BASELINE),
        16.0,
        colours.text,
        TextAnchor::Start,
        &title(picture),
    );
    for (index, &(x, y)) in layout.legend.iter().enumerate() {
        let user = Hue { hue: user_hue(picture.scenario, UserId(index as u32)), shade: 0 };
        out.rect([x, y - 9.0, 10.0, 10.0], colours.of(user), 1.0, None);
        out.text((x + 15.0, y), 12.0, colours.text, TextAnchor::Start, &layout::shortened(names[index]));
    }
    for (chart, &top) in picture.charts.iter().zip(&layout.charts) {
        draw_chart(&mut out, picture, chart, &rows, top);
    }
    out.finish();
    text
}

fn title(picture: &Picture) -> String {
    match picture.scenario.name() {
        "" => "Unnamed scenario".to_owned(),
        name => name.to_owned(),
    }
}

fn description(picture: &Picture) -> String {
    let policies: Vec<String> = picture.charts.iter().map(|chart| chart.run.trace.policy.title()).collect();
    format!(
        "{} jobs of {} users on {} cores, from {} s to {} s, under {}. Drawn by Fairlane.",
        picture.scenario.jobs().len(),
        picture.scenario.users().len(),
        picture.scenario.cluster().cores(),
        picture.axis.from.seconds(),
        picture.axis.to.seconds(),
        policies.join(", ")
    )
}

/// One chart: its heading, rows by executor, grid, tasks in the colours of their jobs, and time axis.
fn draw_chart(out: &mut SvgWriter, picture: &Picture, chart: &SvgChart, rows: &ChartRows, top: f64) {
    let (colours, left) = (picture.colours, layout::GUTTER);
    let width = f64::from(picture.width);
    let Evaluation { scenario, trace, .. } = chart.run;
    let jobs: Vec<Rgb> = job_hues(scenario).into_iter().map(|hue| colours.of(hue)).collect();
    let policy: PolicyId = trace.policy;
    out.open(&format!("panel-{policy}"), &policy.title());
    out.text((layout::MARGIN, top + 14.0), 13.0, colours.text, TextAnchor::Start, &policy.title());
    let facts = match chart.caption.as_str() {
        "" => format!("trace {}", super::trace_hash(trace)),
        caption => format!("{caption} · trace {}", super::trace_hash(trace)),
    };
    out.text((left + width, top + 14.0), 11.0, colours.dim, TextAnchor::End, &facts);
    let plot = top + layout::HEADING;
    let per_executor = picture.scenario.cluster().cores_per_executor as usize;
    let every_core_has_a_row = rows.bands.len() == rows.cores as usize;
    let mut merged: BTreeMap<(String, u32), String> = BTreeMap::new();
    for (row, &(upper, lower)) in rows.bands.iter().enumerate() {
        let first_of_executor = every_core_has_a_row && row % per_executor == 0;
        if first_of_executor {
            if row > 0 {
                out.close();
            }
            let executor = row / per_executor;
            out.open(&format!("{policy}-executor-{executor}"), &format!("executor {executor}"));
            let bottom = rows.bands[row + per_executor - 1].1;
            if bottom - upper >= layout::MIN_LABELLED {
                let middle = plot + f64::from(upper + bottom) / 2.0 + 4.0;
                let name = format!("executor {executor}");
                out.text((left - 8.0, middle), 11.0, colours.dim, TextAnchor::End, &name);
            }
        }
        let (y, height) = (plot + f64::from(upper), f64::from(lower - upper));
        out.rect([left, y, width, height], colours.row, 1.0, None);
        for segment in segments::of_row(chart, picture, rows, &jobs, row) {
            let area = [left + segment.from, y, segment.to - segment.from, height];
            if picture.tasks == SvgTasks::Merged && segment.opacity == 1.0 {
                *merged.entry((colour(segment.fill), lower - upper)).or_default() +=
                    &text::line_through(area);
                continue;
            }
            let title = segment.run.map(|run| facts_of(scenario, run));
            out.rect(area, segment.fill, segment.opacity, title.as_deref());
        }
    }
    if every_core_has_a_row {
        out.close();
    }
    for ((stroke, width), path) in merged {
        out.lines(path, stroke, width);
    }
    draw_memory(out, picture, chart, rows, plot);
    draw_killed(out, picture, chart, rows, plot);
    if !every_core_has_a_row {
        let name = format!("{} cores", rows.cores);
        out.text((left - 8.0, plot + 12.0), 11.0, colours.dim, TextAnchor::End, &name);
    }
    let bottom = plot + f64::from(rows.height);
    for tick in picture.axis.ticks(TICKS) {
        let x = left + tick.fraction * width;
        out.grid_line(x, plot, bottom + 3.0, colours.grid);
        out.text((x, bottom + 15.0), 11.0, colours.dim, TextAnchor::Middle, &tick.label);
    }
    out.close();
}

/// The memory in use on each executor, below its cores, or of many on all together; and a line at the capacity.
fn draw_memory(out: &mut SvgWriter, picture: &Picture, chart: &SvgChart, rows: &ChartRows, plot: f64) {
    let cluster = picture.scenario.cluster();
    let bands = rows.memory_bands(cluster);
    let of = MemoryOf::cluster(cluster).filter(|_| !bands.is_empty());
    let Some((each, of)) = cluster.memory_per_executor.zip(of) else { return };
    let (memory, capacity) = match of {
        MemoryOf::Executors => (MemoryInUse::new(chart.run), each),
        MemoryOf::Cluster => {
            let capacity = each * u64::from(cluster.executors);
            (MemoryInUse::of_cluster(chart.run), capacity)
        }
    };
    let (left, width) = (layout::GUTTER, f64::from(picture.width));
    for (executor, &(top, bottom)) in bands.iter().enumerate() {
        let owner = match of {
            MemoryOf::Executors => format!("executor {executor}"),
            MemoryOf::Cluster => "all executors".to_owned(),
        };
        let peak = memory.peak(executor);
        let title = format!("memory of {owner}: at most {peak} of {capacity} MB in use");
        let (top, height) = (plot + f64::from(top), f64::from(bottom - top));
        out.rect([left, top, width, height], picture.colours.row, 0.5, Some(&title));
        out.text((left - 8.0, top + height - 2.0), 9.0, picture.colours.dim, TextAnchor::End, "memory");
        let means = memory.means(executor, picture.axis, picture.width as usize);
        let mut from = 0;
        while from < means.len() {
            let alike = means[from..].iter().take_while(|mean| (*mean - means[from]).abs() < 1e-9).count();
            let high = means[from] / capacity as f64 * height;
            if high > 0.0 {
                let area = [left + from as f64, top + height - high, alike as f64, high];
                out.rect(area, picture.colours.dim, 0.7, None);
            }
            from += alike;
        }
        out.rect([left, top, width, 0.75], picture.colours.dim, 1.0, None);
    }
}

/// A cross at the end of each task that a drop ended.
fn draw_killed(out: &mut SvgWriter, picture: &Picture, chart: &SvgChart, rows: &ChartRows, plot: f64) {
    let (left, width) = (layout::GUTTER, f64::from(picture.width));
    let trace = &chart.run.trace;
    for run in trace.killed.iter().map(|&index| &trace.tasks[index as usize]) {
        let at = picture.axis.fraction(run.end);
        let Some(row) = rows.row_of(run.core).filter(|_| (0.0..=1.0).contains(&at)) else { continue };
        let (top, bottom) = rows.bands[row];
        out.cross(
            (left + at * width, plot + f64::from(top + bottom) / 2.0),
            f64::from(bottom - top).min(8.0),
            picture.colours.text,
        );
    }
}

/// A task's facts, which a viewer shows when it is pointed at.
fn facts_of(scenario: &Scenario, run: &TaskRun) -> String {
    let stage = match scenario.jobs()[run.job.index()].stages[run.stage as usize].name.as_str() {
        "" => format!("stage {}", run.stage),
        name => format!("stage {name}"),
    };
    format!(
        "{} of {}, {stage}, task {}: core {}, {} s to {} s, {} s",
        scenario.job_label(run.job),
        scenario.user_name(run.job),
        run.task,
        run.core.0,
        run.start.seconds(),
        run.end.seconds(),
        run.end.since(run.start).seconds()
    )
}

#[cfg(test)]
mod tests;
