//! What is shown of a job in its lane.

use crate::store::selectors::Hue;
use fairlane::units::SlotTime;
use fairlane_view::lanes;

/// How a block looks beside the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BlockAppearance {
    /// Chosen.
    Chosen,
    /// Nothing is chosen.
    Normal,
    /// Something else is chosen.
    Back,
}

/// All that is shown of a job.
#[derive(Clone, PartialEq)]
pub struct JobBlock {
    pub label: String,
    pub work: SlotTime,
    /// When it arrives, in words, if it waits for other jobs.
    pub waits: Option<String>,
    /// The estimate over the true work, where they differ.
    pub estimate: Option<f64>,
    pub block: lanes::LaneBlock,
    pub hue: Hue,
    pub face: BlockAppearance,
    /// Whether Tab leads to it.
    pub reached: bool,
}
