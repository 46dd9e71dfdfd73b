//! What the panels show, derived from the state: colours by number, marked tasks, lengths of blocks.

use std::collections::BTreeMap;

use super::shared::Shared;
use super::store::State;
use crate::ids::UserId;
use crate::metrics::Summary;
use crate::number;
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::{Difference, Moved};
use crate::units::Span;

/// A colour of the palette by number: a user's hue and one of two shades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hue {
    /// Number of the hue, from 1.
    pub hue: usize,
    /// 0 or 1: jobs of a user alternate.
    pub shade: usize,
}

/// How many hues the stylesheet has; further users start over, which is why users are always named.
pub const HUES: usize = 10;

/// A user's hue.
pub fn user_hue(user: UserId) -> usize {
    user.index() % HUES + 1
}

/// Each job's colour, by index in the file: its user's hue, shades alternating in the order of
/// arrival.
pub fn job_hues(scenario: &Scenario) -> Vec<Hue> {
    let mut hues = vec![Hue { hue: 1, shade: 0 }; scenario.jobs().len()];
    let mut seen = vec![0; scenario.users().len()];
    for job in scenario.arrival_order() {
        let user = scenario.jobs()[job.index()].user;
        hues[job.index()] = Hue { hue: user_hue(user), shade: seen[user.index()] % 2 };
        seen[user.index()] += 1;
    }
    hues
}

/// A colour by number for a job or a stage of its own.
pub fn cycling_hue(number: usize) -> Hue {
    Hue { hue: number % HUES + 1, shade: number / HUES % 2 }
}

/// The mean response time in words, with the jobs that did not finish.
pub fn mean_response(summary: &Summary) -> String {
    let mean =
        summary.mean_response.map_or_else(|| "–".to_owned(), |mean| format!("{} s", number::short(mean)));
    let parts = [format!("mean response {mean}")].into_iter().chain(summary.unfinished.words());
    parts.collect::<Vec<_>>().join(", ")
}

/// The tasks to be marked in the two compared charts, by index in the trace.
pub fn moved(
    state: &State,
    difference: Option<&Shared<Difference>>,
) -> BTreeMap<PolicyId, Shared<Vec<usize>>> {
    let tasks = |list: &[u32]| Shared::new(list.iter().map(|&task| task as usize).collect::<Vec<_>>());
    match (state.compared(), difference.map(|difference| &difference.moved)) {
        (Some((one, other)), Some(Moved::Tasks { first, second })) => {
            [(one, tasks(first)), (other, tasks(second))].into()
        }
        _ => BTreeMap::new(),
    }
}

/// Response times alone on the idle cluster, from the first run that is there.
/// While the jobs change, an older run's times serve as long as their number fits.
pub fn alone(state: &State) -> Option<&[Option<Span>]> {
    let jobs = state.document.scenario.jobs().len();
    state.analyses().map(|(_, analysis)| analysis.alone.as_slice()).find(|alone| alone.len() == jobs)
}
