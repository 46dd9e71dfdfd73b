//! How series look besides their colours.

use super::SeriesInk;
use fairlane::scenario::PartitionMode;

/// How a series looks beside its colour: policies differ in their dashes and markers, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesStyle {
    /// Lengths of its line's dashes and the gaps between them, in logical pixels.
    pub dash: Option<[f64; 2]>,
    /// The shape of its points.
    pub marker: Marker,
    /// Whether its shapes are hollow and its line thin, as under runtime partitioning.
    pub hollow: bool,
}

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Marker {
    Disc,
    Square,
    Triangle,
    Diamond,
}

const DASHES: [Option<[f64; 2]>; 4] = [None, Some([7.0, 3.0]), Some([2.0, 3.0]), Some([16.0, 4.0])];
const MARKERS: [Marker; 4] = [Marker::Disc, Marker::Square, Marker::Triangle, Marker::Diamond];

impl SeriesInk {
    /// How a series of this ink looks.
    pub fn look(self) -> SeriesStyle {
        let plain = SeriesStyle { dash: None, marker: Marker::Disc, hollow: false };
        match self {
            SeriesInk::Policy(policy) => {
                let number = policy.kind.info().look;
                SeriesStyle {
                    dash: DASHES[number % DASHES.len()],
                    marker: MARKERS[number % MARKERS.len()],
                    hollow: policy.partitioning == PartitionMode::Runtime,
                }
            }
            SeriesInk::Faint => SeriesStyle { dash: DASHES[1], ..plain },
            _ => plain,
        }
    }
}

impl Marker {
    /// The corners of a marker about a point; none for a disc.
    pub fn corners(self, (x, y): (f64, f64), size: f64) -> Vec<(f64, f64)> {
        let corners: &[(f64, f64)] = match self {
            Marker::Disc => &[],
            Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9), (-0.9, -0.9)],
            Marker::Triangle => &[(0.0, -1.2), (1.1, 0.9), (-1.1, 0.9), (0.0, -1.2)],
            Marker::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0), (0.0, -1.3)],
        };
        corners.iter().map(|&(across, down)| (x + across * size, y + down * size)).collect()
    }
}
