//! What is laid over stretches of the rows: stripes of marks, and the textures and borders by which bars are told apart
//! without their colours.

use super::{ChartRows, Image, Rgb};
use crate::TimeAxis;
use TextureStroke::{Dot, Falling, Level, Rising, Upright};
use fairlane::ids::CoreId;
use fairlane::units::Time;

/// A stretch of a core's row with a pattern over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// The core.
    pub core: CoreId,
    /// Where the stretch begins.
    pub from: Time,
    /// Where it ends.
    pub to: Time,
    /// The pattern's colour.
    pub colour: Rgb,
    /// Which of its pixels have that colour.
    pub pattern: Pattern,
}

/// A pattern over a stretch of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The diagonal stripes of a mark.
    Mark,
    /// A user's texture.
    Texture {
        /// Its strokes.
        strokes: &'static [TextureStroke],
        /// Device pixels from one line to the next.
        every: u32,
    },
    /// A line around the stretch.
    Border,
}

/// Device pixels from one stripe of a mark to the next, and how many of them are coloured.
const STRIPE_EVERY: u32 = 7;
const STRIPE_WIDE: u32 = 2;
/// How much of a pixel is the pattern's colour: what is below stays recognizable.
const STRENGTH: f64 = 0.6;
/// Stretches narrower than this, in device pixels, have neither texture nor border: side by side they would be speckles.
const MIN_WIDE: u32 = 6;
/// Rows lower than this, in device pixels, have no texture, and borders only between tasks.
const MIN_TALL: u32 = 5;

/// A stroke of a texture, which repeats in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureStroke {
    /// A diagonal from the lower left to the upper right.
    Rising,
    /// A diagonal from the upper left to the lower right.
    Falling,
    /// A horizontal line.
    Level,
    /// A vertical line.
    Upright,
    /// A square, twice as wide and high as a line.
    Dot,
}

/// The textures by which users are told apart; the first is plain. The stylesheet has the same for what is neither an
/// image nor a drawing.
pub const TEXTURES: [&[TextureStroke]; 8] =
    [&[], &[Rising], &[Level], &[Dot], &[Falling], &[Upright], &[Rising, Falling], &[Level, Upright]];

impl TextureStroke {
    /// Whether a pixel is the stroke's, in an image with `every` pixels from one line to the next.
    fn covers(self, x: u32, y: u32, every: u32) -> bool {
        let thick = (every / 5).max(1);
        match self {
            Rising => (x + y) % every < thick,
            Falling => (x + every - y % every) % every < thick,
            Level => y % every < thick,
            Upright => x % every < thick,
            Dot => x % every < 2 * thick && y % every < 2 * thick,
        }
    }

    /// The stroke as a path of SVG, to be drawn one unit wide within a square of [`TextureStroke::SIDE`] that repeats.
    pub fn path(self) -> &'static str {
        match self {
            Rising => "M-1 1l2-2M0 6l6-6M5 7l2-2",
            Falling => "M-1 5l2 2M0 0l6 6M5-1l2 2",
            Level => "M0 .5h6",
            Upright => "M.5 0v6",
            Dot => "M0 .5h2M0 1.5h2",
        }
    }

    /// The side of the square in which a path is, in its units.
    pub const SIDE: u32 = 6;
}

impl Pattern {
    /// Whether a pixel at this column and line of an area of this width and height has the pattern's colour; `x` is the
    /// column in the image, so that a texture does not move with the task.
    fn covers(self, x: u32, (column, line): (u32, u32), (width, height): (u32, u32)) -> bool {
        match self {
            Pattern::Mark => (x + line) % STRIPE_EVERY < STRIPE_WIDE,
            Pattern::Texture { strokes, every } => strokes.iter().any(|stroke| stroke.covers(x, line, every)),
            Pattern::Border => {
                let ends = column == 0 || column + 1 == width;
                ends || (height >= MIN_TALL && (line == 0 || line + 1 == height))
            }
        }
    }
}

/// Lays patterns over stretches of the rows; a mark's stretch is at least a pixel wide.
pub fn stripe(image: &mut Image, axis: TimeAxis, rows: &ChartRows, stripes: &[Stripe]) {
    let width = f64::from(image.width);
    for stripe in stripes {
        let (from, to) = (axis.fraction(stripe.from) * width, axis.fraction(stripe.to) * width);
        let Some(row) = rows.row_of(stripe.core).filter(|_| to >= 0.0 && from < width) else { continue };
        let first = from.max(0.0) as u32;
        // The next border is this one's end, wherever in a pixel they meet.
        let end = if stripe.pattern == Pattern::Border { to as u32 + 1 } else { to.ceil() as u32 };
        let last = end.clamp(first + 1, image.width.max(first + 1));
        if stripe.pattern != Pattern::Mark && last - first < MIN_WIDE {
            continue;
        }
        let (top, bottom) = rows.bands[row];
        if matches!(stripe.pattern, Pattern::Texture { .. }) && bottom - top < MIN_TALL {
            continue;
        }
        // Textures begin with their row, marks run through all of them.
        let above = if stripe.pattern == Pattern::Mark { 0 } else { top };
        let strength = if stripe.pattern == Pattern::Border { 1.0 } else { STRENGTH };
        for y in top..bottom {
            for x in first..last.min(image.width) {
                if stripe.pattern.covers(x, (x - first, y - above), (last - first, bottom - top)) {
                    let at = 4 * (y * image.width + x) as usize;
                    let below = Rgb(image.bytes[at], image.bytes[at + 1], image.bytes[at + 2]);
                    let Rgb(red, green, blue) = below.towards(stripe.colour, strength);
                    image.bytes[at..at + 3].copy_from_slice(&[red, green, blue]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INK: Rgb = Rgb(0, 0, 0);

    /// An image of one row with a pattern over its columns 2 to 14, a line of letters a line of pixels.
    fn patterned(pattern: Pattern, height: u32) -> Vec<String> {
        let mut image = Image::default();
        image.clear(16, height, Rgb(255, 255, 255));
        let rows = ChartRows { bands: vec![(0, height)], first: 0, cores: 1, height };
        let axis = TimeAxis { from: Time(0), to: Time(16) };
        let stretch = Stripe { core: CoreId(0), from: Time(2), to: Time(14), colour: INK, pattern };
        stripe(&mut image, axis, &rows, &[stretch]);
        let letter = |x: u32, y: u32| match image.bytes[4 * (y * 16 + x) as usize] {
            255 => '.',
            _ => '#',
        };
        (0..height).map(|y| (0..16).map(|x| letter(x, y)).collect()).collect()
    }

    #[test]
    fn a_border_goes_around_and_in_low_rows_only_between() {
        let tall = patterned(Pattern::Border, 5);
        assert_eq!(tall[0], "..#############.");
        assert_eq!(tall[1], "..#...........#.");
        assert_eq!(tall[4], tall[0]);
        assert_eq!(patterned(Pattern::Border, 4)[0], "..#...........#.");
    }

    #[test]
    fn the_textures_differ_and_stay_within_their_stretch() {
        let all = TEXTURES.map(|strokes| patterned(Pattern::Texture { strokes, every: 6 }, 12));
        assert!(all[0].iter().all(|line| !line.contains('#')), "the first is plain");
        for (number, texture) in all.iter().enumerate() {
            assert!(texture.iter().all(|line| line.starts_with("..") && line.ends_with("..")), "{texture:?}");
            assert!(all[..number].iter().all(|other| other != texture), "{number}: {texture:?}");
            let covered = texture.concat().matches('#').count();
            assert!(covered < 12 * 12 / 2, "the colour stays: {number} covers {covered}");
        }
    }

    #[test]
    fn narrow_stretches_have_marks_alone() {
        let of = |pattern| {
            let mut image = Image::default();
            image.clear(16, 8, Rgb(255, 255, 255));
            let before = image.clone();
            let rows = ChartRows { bands: vec![(0, 8)], first: 0, cores: 1, height: 8 };
            let stretch = Stripe { core: CoreId(0), from: Time(3), to: Time(6), colour: INK, pattern };
            stripe(&mut image, TimeAxis { from: Time(0), to: Time(16) }, &rows, &[stretch]);
            image != before
        };
        assert!(of(Pattern::Mark));
        assert!(!of(Pattern::Border) && !of(Pattern::Texture { strokes: &[Rising], every: 6 }));
    }
}
