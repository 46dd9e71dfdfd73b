//! The Gantt chart of a trace as an image: a row per core, exact at any scale.
//!
//! [`Spans`] and [`ColourShares`] are built once per trace and colouring, in time and memory proportional to its
//! tasks; [`draw`] then draws each frame in a time that depends only on the image's size.
//!
//! ```
//! use fairlane_view::gantt::{ChartRows, Rgb};
//! let rows = ChartRows::new(2, 4, 1.0);
//! assert_eq!(rows.row_of(fairlane::ids::CoreId(7)), Some(7));
//! assert_eq!(Rgb(0, 0, 0).towards(Rgb(200, 100, 0), 0.5), Rgb(100, 50, 0));
//! ```

mod draw;
mod pattern;
mod rows;
mod sums;

pub use draw::{Palette, draw};
pub use pattern::{Pattern, Stripe, TEXTURES, TextureStroke, stripe};
pub use rows::{ChartRows, CoreWindow, MemoryOf};
pub use sums::{ColourShares, MAX_COLOURS, Spans};

/// A colour without transparency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// The mix with another colour: 0 is this one, 1 the other.
    pub fn towards(self, other: Rgb, part: f64) -> Rgb {
        let mix =
            |from: u8, to: u8| (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8;
        Rgb(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// An image, four bytes (red, green, blue, opaque) a pixel, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Device pixels.
    pub width: u32,
    /// Device pixels.
    pub height: u32,
    /// Bytes, `4 * width * height`.
    pub bytes: Vec<u8>,
}

impl Image {
    fn resize(&mut self, width: u32, height: u32) {
        (self.width, self.height) = (width, height);
        self.bytes.resize(4 * width as usize * height as usize, 255);
    }

    /// The image in another size and one colour.
    pub(super) fn clear(&mut self, width: u32, height: u32, colour: Rgb) {
        self.resize(width, height);
        self.fill((0, width), (0, height), colour);
    }

    /// Fills a rectangle within the image: from one column and line to before another.
    pub(super) fn fill(&mut self, columns: (u32, u32), lines: (u32, u32), Rgb(red, green, blue): Rgb) {
        let width = self.width as usize;
        let columns = columns.0 as usize..columns.1.max(columns.0) as usize;
        if width > 0 {
            for line in self.lines(lines.0, lines.1.max(lines.0)).chunks_exact_mut(width) {
                line[columns.clone()].fill([red, green, blue, 255]);
            }
        }
    }

    /// The pixels of the lines from one to before another.
    fn lines(&mut self, from: u32, to: u32) -> &mut [[u8; 4]] {
        let width = self.width as usize;
        let (pixels, _) = self.bytes.as_chunks_mut::<4>();
        &mut pixels[from as usize * width..to as usize * width]
    }
}

/// Rows of at least this many device pixels have outlines all around; lower ones below and between tasks.
const MIN_OUTLINED: u32 = 8;
/// Tasks narrower than this, in device pixels, have no outline: many of them are speckles.
const MIN_WIDE: usize = 3;
/// How far an outline's colour is from the task's towards that of text.
const OUTLINE_STRENGTH: f64 = 0.45;

/// Lays the outlines of an earlier image over one of the same size, where the two differ: what was there keeps its
/// colour, darkened, along the edge of its row and where one colour met another. `idle` is the colour of an idle core.
pub fn outline(image: &mut Image, before: &Image, rows: &ChartRows, idle: Rgb, ink: Rgb) {
    if (image.width, image.height) != (before.width, before.height) {
        return;
    }
    let width = image.width as usize;
    let (earlier, _) = before.bytes.as_chunks::<4>();
    let idle = [idle.0, idle.1, idle.2, 255];
    let mut inked = (idle, idle);
    for &(top, bottom) in rows.bands.iter().filter(|(top, bottom)| top < bottom) {
        let middle = top.midpoint(bottom) as usize * width;
        let earlier = &earlier[middle..middle + width];
        let band = image.lines(top, bottom);
        let height = (bottom - top) as usize;
        let middle = height / 2 * width;
        let mut until = 0;
        let mut wide = false;
        for x in 0..width {
            let colour = earlier[x];
            if x == until {
                until = x + earlier[x..].iter().take_while(|other| **other == colour).count();
                wide = until - x >= MIN_WIDE;
            }
            if colour == idle || colour == band[middle + x] || !wide {
                continue;
            }
            if inked.0 != colour {
                let Rgb(red, green, blue) =
                    Rgb(colour[0], colour[1], colour[2]).towards(ink, OUTLINE_STRENGTH);
                inked = (colour, [red, green, blue, 255]);
            }
            let edge = x == 0 || earlier[x - 1] != colour;
            for line in 0..height {
                let outer = line + 1 == height || (line == 0 && bottom - top >= MIN_OUTLINED);
                if edge || outer {
                    band[line * width + x] = inked.1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Rgb = Rgb(240, 240, 240);
    const INK: Rgb = Rgb(0, 0, 0);

    /// A row of a letter a pixel, as high as it says.
    fn image(row: &str, height: u32) -> Image {
        let mut image = Image::default();
        image.resize(row.len() as u32, height);
        let pixel = |letter: u8| match letter {
            b'a' => [200, 0, 0, 255],
            b'b' => [0, 0, 200, 255],
            _ => [240, 240, 240, 255],
        };
        let line: Vec<[u8; 4]> = row.bytes().map(pixel).collect();
        for y in 0..height {
            image.lines(y, y + 1).copy_from_slice(&line);
        }
        image
    }

    /// The image after outlines, a line of letters a line of pixels: `#` is an outline.
    fn outlined(now: &str, before: &str, height: u32) -> Vec<String> {
        let mut shown = image(now, height);
        let rows = ChartRows { bands: vec![(0, height)], first: 0, cores: 1, height };
        outline(&mut shown, &image(before, height), &rows, IDLE, INK);
        let plain = image(now, height);
        let letter = |(now, shown): (u8, bool)| if shown { '#' } else { char::from(now) };
        let lines = (0..height as usize).map(|y| {
            let changed = (0..now.len()).map(|x| {
                let at = 4 * (y * now.len() + x);
                shown.bytes[at..at + 4] != plain.bytes[at..at + 4]
            });
            now.bytes().zip(changed).map(letter).collect()
        });
        lines.collect()
    }

    #[test]
    fn outlines_show_where_tasks_were_that_are_elsewhere_now() {
        // Nothing where it is the same, nor where nothing ran.
        assert_eq!(outlined("aaaa..bb", "aaaa....", 3), ["aaaa..bb"; 3]);
        // A task of four pixels moved by two.
        assert_eq!(outlined("..aaaabb", "aaaabbbb", 3), ["#.aa#abb", "#.aa#abb", "##aa##bb"]);
        // Tall rows have an edge above, too.
        let tall = outlined("....", "aaaa", 8);
        assert_eq!((tall[0].as_str(), tall[1].as_str(), tall[7].as_str()), ("####", "#...", "####"));
        // Narrow tasks have none at all: side by side they would be speckles.
        assert_eq!(outlined("........", "abababba", 8), ["........"; 8]);
        assert_eq!(outlined(".......", "aabbbaa", 3), ["..#....", "..#....", "..###.."]);
        // An image of another size is left alone.
        let mut shown = image("aa", 2);
        let rows = ChartRows { bands: vec![(0, 2)], first: 0, cores: 1, height: 2 };
        outline(&mut shown, &image("bbb", 2), &rows, IDLE, INK);
        assert_eq!(shown, image("aa", 2));
    }
}
