//! Colours by number: each user has a hue, and the user's jobs alternate between its two shades. What the numbers look
//! like is the stylesheet's.

use crate::gantt::{TEXTURES, TextureStroke};
use fairlane::ids::UserId;
use fairlane::scenario::Scenario;

/// A colour of the palette by number: a user's hue and one of two shades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hue {
    /// Number of the hue, from 1.
    pub hue: usize,
    /// 0 or 1: jobs of a user alternate.
    pub shade: usize,
}

/// How many hues the stylesheet has; with more users they start over, which is why users are always named.
pub const HUES: usize = 32;
/// The highest number of a colour with which users' jobs alternate between two shades: with more of them a chart would
/// have too many colours.
pub const SHADED_USERS: usize = HUES / 2;

/// The hue of a colour by its number, from 1.
pub fn hue_of(colour: u32) -> usize {
    (colour as usize).saturating_sub(1) % HUES + 1
}

/// A user's hue, which stays the user's when others come and go.
pub fn user_hue(scenario: &Scenario, user: UserId) -> usize {
    hue_of(scenario.colour(user))
}

/// The strokes of a hue's texture.
pub fn texture(hue: usize) -> &'static [TextureStroke] {
    TEXTURES[(hue - 1) % TEXTURES.len()]
}

/// Each job's colour, by index in the file: its user's hue, shades alternating in the order of
/// arrival.
pub fn job_hues(scenario: &Scenario) -> Vec<Hue> {
    let mut hues = vec![Hue { hue: 1, shade: 0 }; scenario.jobs().len()];
    let mut seen = vec![0; scenario.users().len()];
    let shades = if scenario.highest_colour() as usize > SHADED_USERS { 1 } else { 2 };
    for job in scenario.arrival_order() {
        let user = scenario.jobs()[job.index()].user;
        hues[job.index()] = Hue { hue: user_hue(scenario, user), shade: seen[user.index()] % shades };
        seen[user.index()] += 1;
    }
    hues
}
