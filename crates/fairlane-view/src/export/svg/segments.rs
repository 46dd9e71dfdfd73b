//! What a row of a chart shows: tasks wide enough to be seen, and mixtures of narrower ones.

use super::{Picture, SvgChart};
use crate::gantt::{ChartRows, Rgb};
use fairlane::ids::CoreId;
use fairlane::trace::TaskRun;

/// Something in a row, with edges in pixels from the plot's left: a task, or neighbouring pixel columns that look
/// alike, in which tasks are mixed.
pub(super) struct Segment<'a> {
    pub(super) from: f64,
    pub(super) to: f64,
    /// The task's colour, or the mean colour of the tasks by the time each takes.
    pub(super) fill: Rgb,
    /// The part of the columns that tasks take; the rest is idle.
    pub(super) opacity: f64,
    /// The task, if it is a single one.
    pub(super) run: Option<&'a TaskRun>,
}

/// Least width of a task that is drawn individually, in pixels.
const MIN_TASK: f64 = 1.0;
/// A task wider than this leaves a hairline to the next one.
const MIN_SEPARATED: f64 = 4.0;
/// The hairline's width.
const HAIRLINE: f64 = 0.5;

/// The segments of a row, mixtures first so that tasks are on top of them.
pub(super) fn of_row<'a>(
    chart: &SvgChart<'a>,
    picture: &Picture,
    rows: &ChartRows,
    jobs: &[Rgb],
    row: usize,
) -> Vec<Segment<'a>> {
    let (axis, width) = (picture.axis, f64::from(picture.width));
    let cores = rows.cores_of(row);
    let share = 1.0 / cores.len().max(1) as f64;
    let mut columns = PixelRow::new(picture.width as usize);
    let mut tasks = Vec::new();
    let alone = cores.len() == 1;
    for core in cores {
        for run in chart.index.runs(&chart.run.trace, CoreId(core), axis.from, axis.to) {
            let from = (axis.fraction(run.start) * width).max(0.0);
            let to = (axis.fraction(run.end) * width).min(width);
            // A task at the window's edge is as wide as it is, not as it is shown.
            let whole = (axis.fraction(run.end) - axis.fraction(run.start)) * width;
            let fill = jobs[run.job.index()];
            if alone && whole >= MIN_TASK {
                let to = if to - from > MIN_SEPARATED { to - HAIRLINE } else { to };
                tasks.push(Segment { from, to, fill, opacity: 1.0, run: Some(run) });
            } else {
                columns.add(from, to, fill, share);
            }
        }
    }
    let mut segments = columns.mixes();
    segments.extend(tasks);
    segments
}

/// Pixel columns with the time that each colour takes of them.
struct PixelRow(Vec<PixelMix>);

#[derive(Clone, Copy, Default)]
struct PixelMix {
    /// Red, green and blue, each times the part of the column it takes.
    colour: [f64; 3],
    covered: f64,
}

impl PixelRow {
    fn new(width: usize) -> PixelRow {
        PixelRow(vec![PixelMix::default(); width])
    }

    fn add(&mut self, from: f64, to: f64, Rgb(red, green, blue): Rgb, share: f64) {
        let last = (to.ceil() as usize).min(self.0.len());
        for (index, column) in self.0.iter_mut().enumerate().take(last).skip(from.floor() as usize) {
            let left = index as f64;
            let part = (to.min(left + 1.0) - from.max(left)).max(0.0) * share;
            for (sum, channel) in column.colour.iter_mut().zip([red, green, blue]) {
                *sum += part * f64::from(channel);
            }
            column.covered += part;
        }
    }

    /// The columns that anything takes a hundredth of, neighbours that look alike as one.
    fn mixes<'a>(&self) -> Vec<Segment<'a>> {
        let mut mixes: Vec<Segment> = Vec::new();
        for (index, column) in self.0.iter().enumerate() {
            let opacity = (column.covered.min(1.0) * 100.0).round() / 100.0;
            if opacity == 0.0 {
                continue;
            }
            let [red, green, blue] = column.colour.map(|sum| (sum / column.covered).round() as u8);
            let (left, fill) = (index as f64, Rgb(red, green, blue));
            match mixes.last_mut() {
                Some(mix) if mix.to == left && mix.fill == fill && mix.opacity == opacity => {
                    mix.to = left + 1.0;
                }
                _ => mixes.push(Segment { from: left, to: left + 1.0, fill, opacity, run: None }),
            }
        }
        mixes
    }
}
