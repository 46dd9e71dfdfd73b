//! The Gantt chart of a trace as an image: a row per core, honest at any scale.
//!
//! A pixel column that several tasks share shows the mix of their colours by the time each takes of
//! it, so a picture of a million tasks still tells the truth about who held the cores.

use super::TimeAxis;
use crate::ids::CoreId;
use crate::trace::{CoreIndex, TaskRun, Trace};
use crate::units::Time;

/// A colour without transparency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// The colour so far on the way to another: 0 is this one, 1 the other.
    pub fn towards(self, other: Rgb, part: f64) -> Rgb {
        let mix =
            |from: u8, to: u8| (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8;
        Rgb(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// The colours of a chart.
pub struct Palette<'a> {
    /// Between the rows.
    pub surface: Rgb,
    /// An idle core.
    pub row: Rgb,
    /// A task.
    pub task: &'a dyn Fn(&TaskRun) -> Rgb,
}

/// A stretch of a core's row to be set off by stripes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// The core.
    pub core: CoreId,
    /// Where the stretch begins.
    pub from: Time,
    /// Where it ends.
    pub to: Time,
    /// The stripes' colour.
    pub colour: Rgb,
}

/// Where the rows of a chart lie, in device pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Each row's top and bottom, by row; with more cores than fit, several share a row.
    pub bands: Vec<(u32, u32)>,
    /// Cores, which are dealt out to the rows evenly.
    pub cores: u32,
    /// Height of the whole chart.
    pub height: u32,
}

/// Most rows that a chart has; more cores than that share rows.
const MOST_ROWS: u32 = 400;

impl Rows {
    /// Rows for a cluster: cores of one executor close together, a wider gap between executors.
    /// `scale` is device pixels per logical pixel.
    pub fn new(executors: u32, cores_per_executor: u32, scale: f64) -> Rows {
        let cores = executors * cores_per_executor;
        let pixels = |logical: f64| ((logical * scale).round() as u32).max(1);
        let (row, gap, executor_gap) = match cores {
            0..=4 => (18.0, 2.0, 8.0),
            5..=8 => (14.0, 2.0, 7.0),
            9..=12 => (11.0, 2.0, 6.0),
            13..=20 => (7.0, 1.0, 4.0),
            21..=40 => (4.0, 1.0, 3.0),
            41..=100 => (2.0, 0.0, 1.0),
            _ => (1.0, 0.0, 0.0),
        };
        let rows = cores.min(MOST_ROWS);
        let gap = if gap == 0.0 { 0 } else { pixels(gap) };
        let executor_gap = if executor_gap == 0.0 { 0 } else { pixels(executor_gap) };
        let mut bands = Vec::with_capacity(rows as usize);
        let mut y = 0;
        for place in 0..rows {
            if place > 0 {
                let first_of_executor = rows == cores && place.is_multiple_of(cores_per_executor);
                y += if first_of_executor { executor_gap } else { gap };
            }
            bands.push((y, y + pixels(row)));
            y += pixels(row);
        }
        Rows { bands, cores, height: y }
    }

    /// The row that shows a core.
    pub fn row_of(&self, core: CoreId) -> usize {
        (u64::from(core.0) * self.bands.len() as u64 / u64::from(self.cores.max(1))) as usize
    }

    /// The cores that a row shows.
    pub fn cores_of(&self, row: usize) -> std::ops::Range<u32> {
        let bound =
            |row: usize| (row as u64 * u64::from(self.cores)).div_ceil(self.bands.len() as u64) as u32;
        bound(row)..bound(row + 1)
    }
}

/// An image, four bytes (red, green, blue, opaque) a pixel, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Device pixels.
    pub width: u32,
    /// Device pixels.
    pub height: u32,
    /// Bytes, `4 * width * height`.
    pub bytes: Vec<u8>,
}

/// Draws a trace's window of time, `width` device pixels wide.
pub fn draw(
    trace: &Trace,
    index: &CoreIndex,
    axis: TimeAxis,
    rows: &Rows,
    width: u32,
    palette: &Palette<'_>,
) -> Image {
    let mut bytes = vec![255; 4 * (width * rows.height) as usize];
    let line_bytes = 4 * width as usize;
    fill(&mut bytes, palette.surface);
    let mut line = Line::new(width as usize);
    for (row, &(top, bottom)) in rows.bands.iter().enumerate() {
        line.clear();
        let cores = rows.cores_of(row);
        let share = 1.0 / cores.len().max(1) as f32;
        for core in cores {
            for run in index.runs(trace, CoreId(core), axis.from, axis.to) {
                let from = axis.fraction(run.start) * f64::from(width);
                let to = axis.fraction(run.end) * f64::from(width);
                line.add(from, separated(from, to), (palette.task)(run), share);
            }
        }
        let first = top as usize * line_bytes;
        line.write(&mut bytes[first..first + line_bytes], palette.row);
        for y in top + 1..bottom {
            bytes.copy_within(first..first + line_bytes, y as usize * line_bytes);
        }
    }
    Image { width, height: rows.height, bytes }
}

/// Device pixels from one stripe to the next, and how many of them are coloured.
const STRIPE_EVERY: u32 = 7;
const STRIPE_WIDE: u32 = 2;
/// How much of a stripe's pixel is the stripe's colour: what lies below stays recognizable.
const STRIPE_STRENGTH: f64 = 0.6;

/// Lays diagonal stripes over stretches of the rows; a stretch is at least a pixel wide.
pub fn stripe(image: &mut Image, axis: TimeAxis, rows: &Rows, stripes: &[Stripe]) {
    let width = f64::from(image.width);
    for stripe in stripes {
        let (from, to) = (axis.fraction(stripe.from) * width, axis.fraction(stripe.to) * width);
        if to < 0.0 || from >= width {
            continue;
        }
        let first = from.max(0.0) as u32;
        let last = (to.ceil() as u32).clamp(first + 1, image.width.max(first + 1));
        let (top, bottom) = rows.bands[rows.row_of(stripe.core)];
        for y in top..bottom {
            for x in first..last.min(image.width) {
                if (x + y) % STRIPE_EVERY < STRIPE_WIDE {
                    let at = 4 * (y * image.width + x) as usize;
                    let below = Rgb(image.bytes[at], image.bytes[at + 1], image.bytes[at + 2]);
                    let Rgb(red, green, blue) = below.towards(stripe.colour, STRIPE_STRENGTH);
                    image.bytes[at..at + 3].copy_from_slice(&[red, green, blue]);
                }
            }
        }
    }
}

/// The right edge of a task as drawn: tasks wide enough leave a hairline to the next one, so that
/// two tasks of one colour can be told apart.
fn separated(from: f64, to: f64) -> f64 {
    if to - from > 4.0 { to - 1.0 } else { to }
}

fn fill(bytes: &mut [u8], colour: Rgb) {
    for pixel in bytes.chunks_exact_mut(4) {
        pixel[..3].copy_from_slice(&[colour.0, colour.1, colour.2]);
    }
}

/// One line of pixels in the making: colours weighted by the part of the pixel they cover.
struct Line {
    red: Vec<f32>,
    green: Vec<f32>,
    blue: Vec<f32>,
    covered: Vec<f32>,
}

impl Line {
    fn new(width: usize) -> Line {
        let zeros = || vec![0.0; width];
        Line { red: zeros(), green: zeros(), blue: zeros(), covered: zeros() }
    }

    fn clear(&mut self) {
        for channel in [&mut self.red, &mut self.green, &mut self.blue, &mut self.covered] {
            channel.fill(0.0);
        }
    }

    /// Covers the pixels between two edges; `share` is the part of the row that the core has.
    fn add(&mut self, from: f64, to: f64, colour: Rgb, share: f32) {
        let width = self.covered.len();
        let (from, to) = (from.clamp(0.0, width as f64), to.clamp(0.0, width as f64));
        let (first, last) = (from.floor() as usize, to.ceil() as usize);
        for pixel in first..last.min(width) {
            let part = (to.min(pixel as f64 + 1.0) - from.max(pixel as f64)) as f32 * share;
            self.red[pixel] += part * f32::from(colour.0);
            self.green[pixel] += part * f32::from(colour.1);
            self.blue[pixel] += part * f32::from(colour.2);
            self.covered[pixel] += part;
        }
    }

    fn write(&self, bytes: &mut [u8], idle: Rgb) {
        for (pixel, out) in bytes.chunks_exact_mut(4).enumerate() {
            let rest = (1.0 - self.covered[pixel]).max(0.0);
            out[0] = (self.red[pixel] + rest * f32::from(idle.0)).round() as u8;
            out[1] = (self.green[pixel] + rest * f32::from(idle.1)).round() as u8;
            out[2] = (self.blue[pixel] + rest * f32::from(idle.2)).round() as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    const IDLE: Rgb = Rgb(0, 0, 0);
    const RED: Rgb = Rgb(200, 0, 0);
    const BLUE: Rgb = Rgb(0, 0, 100);

    /// One core: job 0 from 0 to 1 s, job 1 from 1 to 2 s.
    fn image(width: u32, to: u64) -> Image {
        let scenario = Scenario::from_json(
            r#"{"format":"fairlane/scenario@1","cluster":{"cores_per_executor":1},"jobs":[
                {"user":"a","arrival_s":0,"stages":[{"tasks_s":[1]}]},
                {"user":"a","arrival_s":0,"stages":[{"tasks_s":[1]}]}]}"#,
        )
        .expect("a good scenario");
        let trace = crate::simulate(&scenario, "fifo".parse().expect("a policy"));
        let axis = TimeAxis { from: Time(0), to: Time(to) };
        let rows = Rows::new(1, 1, 1.0);
        let task = |run: &TaskRun| [RED, BLUE][run.job.index()];
        let palette = Palette { surface: IDLE, row: IDLE, task: &task };
        draw(&trace, &CoreIndex::new(&trace), axis, &rows, width, &palette)
    }

    fn pixel(image: &Image, x: usize) -> [u8; 3] {
        [image.bytes[4 * x], image.bytes[4 * x + 1], image.bytes[4 * x + 2]]
    }

    #[test]
    fn a_shared_pixel_shows_the_shares() {
        // One pixel for 4 s: a quarter red, a quarter blue, half idle.
        assert_eq!(pixel(&image(1, 4_000_000), 0), [50, 0, 25]);
    }

    #[test]
    fn wide_tasks_leave_a_hairline() {
        let image = image(20, 2_000_000);
        assert_eq!(pixel(&image, 0), [200, 0, 0]);
        assert_eq!(pixel(&image, 8), [200, 0, 0]);
        assert_eq!(pixel(&image, 9), [0, 0, 0]);
        assert_eq!(pixel(&image, 10), [0, 0, 100]);
    }

    #[test]
    fn stripes_stay_within_their_stretch() {
        let mut striped = image(20, 2_000_000);
        let before = striped.clone();
        let green = Rgb(0, 255, 0);
        let stretch = Stripe { core: CoreId(0), from: Time(1_000_000), to: Time(1_600_000), colour: green };
        let axis = TimeAxis { from: Time(0), to: Time(2_000_000) };
        stripe(&mut striped, axis, &Rows::new(1, 1, 1.0), &[stretch]);
        let changed: Vec<usize> = (0..20).filter(|&x| pixel(&striped, x) != pixel(&before, x)).collect();
        assert_eq!(changed, [14, 15]);
    }

    #[test]
    fn every_core_has_a_row_even_if_shared() {
        for (executors, cores) in [(1, 1), (2, 4), (8, 4), (3, 33), (100, 10)] {
            let rows = Rows::new(executors, cores, 2.0);
            let shown: Vec<u32> = (0..rows.bands.len()).flat_map(|row| rows.cores_of(row)).collect();
            assert_eq!(shown, (0..executors * cores).collect::<Vec<_>>());
            assert!(
                (0..executors * cores).all(|core| rows.cores_of(rows.row_of(CoreId(core))).contains(&core))
            );
        }
    }
}
