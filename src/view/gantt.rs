//! The Gantt chart of a trace as an image: a row per core, exact at any scale.
//!
//! [`Spans`] and [`Shares`] are built once per trace and colouring, in time and memory proportional to its
//! tasks; [`draw`] then draws each frame in a time that depends only on the image's size.
//!
//! ```
//! use fairlane::view::gantt::{Rgb, Rows};
//! let rows = Rows::new(2, 4, 1.0);
//! assert_eq!(rows.row_of(fairlane::ids::CoreId(7)), Some(7));
//! assert_eq!(Rgb(0, 0, 0).towards(Rgb(200, 100, 0), 0.5), Rgb(100, 50, 0));
//! ```

mod draw;
mod rows;
mod sums;

use super::TimeAxis;
use crate::ids::CoreId;
use crate::units::Time;

pub use draw::{Palette, draw};
pub use rows::{CoreWindow, Rows};
pub use sums::{MOST_COLOURS, Shares, Spans};

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

/// A stretch of a core's row marked by stripes.
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

    /// The pixels of the lines from one to before another.
    fn lines(&mut self, from: u32, to: u32) -> &mut [[u8; 4]] {
        let width = self.width as usize;
        let (pixels, _) = self.bytes.as_chunks_mut::<4>();
        &mut pixels[from as usize * width..to as usize * width]
    }
}

/// Device pixels from one stripe to the next, and how many of them are coloured.
const STRIPE_EVERY: u32 = 7;
const STRIPE_WIDE: u32 = 2;
/// How much of a stripe's pixel is the stripe's colour: what is below stays recognizable.
const STRIPE_STRENGTH: f64 = 0.6;

/// Lays diagonal stripes over stretches of the rows; a stretch is at least a pixel wide.
pub fn stripe(image: &mut Image, axis: TimeAxis, rows: &Rows, stripes: &[Stripe]) {
    let width = f64::from(image.width);
    for stripe in stripes {
        let (from, to) = (axis.fraction(stripe.from) * width, axis.fraction(stripe.to) * width);
        let Some(row) = rows.row_of(stripe.core).filter(|_| to >= 0.0 && from < width) else { continue };
        let first = from.max(0.0) as u32;
        let last = (to.ceil() as u32).clamp(first + 1, image.width.max(first + 1));
        let (top, bottom) = rows.bands[row];
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
