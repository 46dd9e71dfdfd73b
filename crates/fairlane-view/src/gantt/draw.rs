//! The image: a row per core, or several cores in one, exact at any scale.
//!
//! A pixel column with one or two tasks of a core shows them in their order, its pixels blended by the part
//! of each. With more tasks it shows the shares of the colours stacked on each other in a fixed order from the
//! bottom, and idle time above them. A row too low for that, or one of several cores, shows
//! the mix of the colours. Every column's colours together have their true shares, but for the rounding of a pixel's
//! channels to whole numbers.

use super::sums::{ColourShares, ColumnWalk, FEW, MAX_COLOURS, PixelColumn, Spans, bits};
use super::{ChartRows, Image, Rgb};
use crate::TimeAxis;

/// The colours of a chart.
pub struct Palette<'a> {
    /// Between the rows.
    pub surface: Rgb,
    /// An idle core.
    pub row: Rgb,
    /// Tasks, by the numbers of [`ColourShares`].
    pub tasks: &'a [Rgb],
}

/// Rows of at least this many device pixels show shares stacked on each other.
const MIN_STACK: u32 = 3;

/// Red, green and blue, as parts of a pixel add up.
type PixelBlend = [f32; 3];

fn mix_of(Rgb(red, green, blue): Rgb) -> PixelBlend {
    [red, green, blue].map(f32::from)
}

fn add(to: &mut PixelBlend, colour: PixelBlend, part: f32) {
    for (sum, channel) in to.iter_mut().zip(colour) {
        *sum += channel * part;
    }
}

fn pixel(mix: PixelBlend) -> [u8; 4] {
    // Half up; parts of a pixel add up to 1, and what rounding adds to that is far from a step.
    let [red, green, blue] = mix.map(|channel| (channel + 0.5) as i32 as u8);
    [red, green, blue, 255]
}

/// Draws a window of time, `width` device pixels wide, into an image, whose memory is used again.
pub fn draw(
    image: &mut Image,
    spans: &Spans,
    shares: &ColourShares,
    axis: TimeAxis,
    rows: &ChartRows,
    width: u32,
    palette: &Palette<'_>,
) {
    image.resize(width, rows.height);
    if width == 0 {
        return;
    }
    let walk = ColumnWalk {
        spans,
        shares,
        from: axis.from.0 as f64,
        span: axis.length() as f64 / f64::from(width),
        columns: width as usize,
    };
    let mut colours = [[0.0; 3]; MAX_COLOURS];
    for (colour, &number) in colours.iter_mut().zip(&shares.numbers) {
        *colour = mix_of(palette.tasks.get(usize::from(number)).copied().unwrap_or_default());
    }
    let ink = GanttInk { colours, idle: mix_of(palette.row), per_span: 1.0 / walk.span };
    let mut line = Vec::new();
    let mut below = 0;
    for (row, &(top, bottom)) in rows.bands.iter().enumerate() {
        image.lines(below, top).fill(pixel(mix_of(palette.surface)));
        below = bottom;
        let cores = rows.cores_of(row);
        let cores = cores.start as usize..(cores.end as usize).min(spans.cores());
        let band = image.lines(top, bottom);
        if cores.len() == 1 && bottom - top >= MIN_STACK {
            ink.core(band, &walk, cores.start);
        } else {
            ink.blended(band, &mut line, &walk, cores);
        }
    }
    image.lines(below, rows.height).fill(pixel(mix_of(palette.surface)));
}

struct GanttInk {
    /// By index in [`ColourShares`].
    colours: [PixelBlend; MAX_COLOURS],
    idle: PixelBlend,
    /// The part of a column that a microsecond is.
    per_span: f64,
}

impl GanttInk {
    /// One core's row: a band of lines of pixels.
    fn core(&self, band: &mut [[u8; 4]], walk: &ColumnWalk<'_>, core: usize) {
        let width = walk.columns;
        walk.along(core, |columns, column| {
            if column.tasks > FEW {
                // Never a range: ranges hold one task or none.
                self.stack(band, width, columns.start, column);
            } else {
                let colour = pixel(self.mix(column, 1.0));
                for line in band.chunks_exact_mut(width) {
                    line[columns.clone()].fill(colour);
                }
            }
        });
    }

    /// The mix of a column's colours, as a part of a pixel; what is left of it is idle.
    fn mix(&self, column: &PixelColumn, part: f32) -> PixelBlend {
        let mut mix = [0.0; 3];
        let mut left = part;
        for colour in bits(column.touched) {
            let share = (column.busy[colour] * self.per_span) as f32 * part;
            add(&mut mix, self.colours[colour], share);
            left -= share;
        }
        add(&mut mix, self.idle, left.max(0.0));
        mix
    }

    /// A column's shares stacked from the bottom up; a pixel in which two meet is blended.
    fn stack(&self, band: &mut [[u8; 4]], width: usize, index: usize, column: &PixelColumn) {
        let height = band.len() / width;
        let tall = self.per_span as f32 * height as f32;
        let (mut line, mut room, mut mix) = (height, 1.0_f32, [0.0; 3]);
        for colour in bits(column.touched) {
            let ink = self.colours[colour];
            let mut part = column.busy[colour] as f32 * tall;
            // The usual case where there are many colours: it does not fill the pixel.
            if part < room {
                add(&mut mix, ink, part);
                room -= part;
                continue;
            }
            add(&mut mix, ink, room);
            part -= room;
            if line > 0 {
                line -= 1;
                band[line * width + index] = pixel(mix);
            }
            let full = (part as usize).min(line);
            for _ in 0..full {
                line -= 1;
                band[line * width + index] = pixel(ink);
            }
            part -= full as f32;
            (room, mix) = (1.0 - part, ink.map(|channel| channel * part));
        }
        while line > 0 {
            add(&mut mix, self.idle, room.max(0.0));
            line -= 1;
            band[line * width + index] = pixel(mix);
            (room, mix) = (1.0, [0.0; 3]);
        }
    }

    /// A row of several cores, or a low one: in each column the mix over all of them.
    fn blended(
        &self,
        band: &mut [[u8; 4]],
        line: &mut Vec<PixelBlend>,
        walk: &ColumnWalk<'_>,
        cores: std::ops::Range<usize>,
    ) {
        line.clear();
        line.resize(walk.columns, [0.0; 3]);
        let part = 1.0 / cores.len().max(1) as f32;
        for core in cores.clone() {
            walk.along(core, |columns, column| {
                let mix = self.mix(column, part);
                line[columns].iter_mut().for_each(|sum| add(sum, mix, 1.0));
            });
        }
        if cores.is_empty() {
            line.fill(self.idle);
        }
        for pixels in band.chunks_exact_mut(walk.columns) {
            for (out, mix) in pixels.iter_mut().zip(line.iter()) {
                *out = pixel(*mix);
            }
        }
    }
}

#[cfg(test)]
mod tests;
