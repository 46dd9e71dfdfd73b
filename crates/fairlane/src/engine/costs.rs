//! What a task costs where it runs (docs/model.md section 8): moving a core to another job, warm cores, the first wave
//! of a stage and wide stages, and of sections 22: slow executors and those that a task does not prefer.

use crate::ids::{CoreId, Rank, StageIndex};
use crate::policy::StageState;
use crate::scenario::{Scenario, Stage};
use crate::units::Span;

/// What each core ran last.
#[derive(Clone)]
pub(super) struct CoreCosts {
    core_move: Span,
    last: Vec<Option<(StageIndex, Rank)>>,
}

impl CoreCosts {
    /// `None` if no task of the scenario costs more or less than its duration and the overhead.
    pub(super) fn new(scenario: &Scenario) -> Option<CoreCosts> {
        let cluster = scenario.cluster();
        let as_given = |stage: &Stage| {
            let is_same_away = stage.away == 1.0 || !stage.has_preferences();
            stage.first_wave == 1.0 && stage.inflation.is_empty() && is_same_away
        };
        let mut jobs = scenario.jobs().iter();
        if cluster.core_move == Span(0)
            && cluster.speeds.iter().all(|&speed| speed == 1.0)
            && jobs.all(|job| job.warm_factor == 1.0 && job.stages.iter().all(as_given))
        {
            return None;
        }
        Some(CoreCosts { core_move: cluster.core_move, last: vec![None; cluster.cores() as usize] })
    }

    /// Some cores have joined: they have run nothing.
    pub(super) fn forget(&mut self, cores: std::ops::Range<u32>) {
        self.last[cores.start as usize..cores.end as usize].fill(None);
    }

    /// How long a task, by its index in its stage, that is launched now holds its core, the overhead aside. `state`
    /// counts it as running; a core that moves has been on its way to the job for some time.
    pub(super) fn held(
        &mut self,
        scenario: &Scenario,
        state: &StageState,
        stage: StageIndex,
        core: CoreId,
        task: u32,
        on_its_way: Span,
    ) -> Span {
        let job = &scenario.jobs()[state.job.index()];
        let spec = &job.stages[state.index as usize];
        let last = self.last[core.index()].replace((stage, state.rank));
        let warm = last.is_some_and(|(_, rank)| rank == state.rank);
        let mut factor = spec.inflation_at(state.running);
        if last.is_none_or(|(last, _)| last != stage) {
            factor *= spec.first_wave;
        }
        if warm {
            factor /= job.warm_factor;
        }
        let executor = core.0 / scenario.cluster().cores_per_executor;
        factor /= scenario.cluster().speed(executor);
        let preferred = spec.preferred_by(task, state.tasks);
        if !preferred.is_empty() && !preferred.contains(&executor) {
            factor *= spec.away;
        }
        scaled(state.duration(task), factor)
            + if warm { Span(0) } else { Span(self.core_move.0.saturating_sub(on_its_way.0)) }
    }
}

/// A duration times a factor, in whole microseconds: `floor(d * f + 0.5)`, unless the factor is exactly 1.
fn scaled(duration: Span, factor: f64) -> Span {
    if factor == 1.0 { duration } else { Span((duration.0 as f64 * factor + 0.5) as u64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_round_to_the_microsecond() {
        assert_eq!(scaled(Span(3), 0.5), Span(2));
        assert_eq!(scaled(Span(u64::MAX), 1.0), Span(u64::MAX));
    }
}
