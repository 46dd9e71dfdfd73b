//! Measurements that workers make for a panel as long as it is shown.

use yew::prelude::*;

use crate::results::measurement::{SweepPoint, SweepSetting};
use crate::store::{SimulationInput, State, chart_data};
use crate::workers::pool::Pool;

/// Requests the missing points of a sweep, as long as the chart is shown.
#[hook]
pub fn use_sweep(state: &State, settings: &[SweepSetting], pool: &Pool) {
    use_points(state.revision, state.source(), chart_data::wanted(state, settings), pool);
}

/// Makes workers measure some points of a version of the document, as long as what wants them is shown.
#[hook]
pub fn use_points(revision: u32, source: SimulationInput, points: Vec<SweepPoint>, pool: &Pool) {
    let (ask, of) = (pool.clone(), source.clone());
    use_effect_with((revision, points), move |(revision, points)| {
        ask.sweep(*revision, &of, points);
    });
    let end = pool.clone();
    use_effect_with((), move |()| move || end.sweep(0, &source, &[]));
}

/// Makes workers find out what policies guarantee, as long as the table is shown and the reader has asked for it.
#[hook]
pub fn use_properties(state: &State, pool: &Pool) {
    let (ask, source) = (pool.clone(), state.source());
    use_effect_with((state.revision, chart_data::unchecked(state)), move |(revision, policies)| {
        ask.check_properties(*revision, &source, policies);
    });
    let (end, source) = (pool.clone(), state.source());
    use_effect_with((), move |()| move || end.check_properties(0, &source, &[]));
}
