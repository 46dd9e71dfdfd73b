//! Tetris: packs tasks by how much of what an executor has left they use (Tetris as the Decima paper implements it,
//! section 7.1).
//!
//! ```
//! use fairlane::{Scenario, simulate};
//! // An executor of 4 cores and 8 MB: the larger task goes first, though it arrived later.
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1",
//!     "cluster": { "memory_mb_per_executor": 8 }, "jobs": [
//!     { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1], "memory_mb": 8 }] },
//!     { "user": "ben", "arrival_s": 0, "stages": [{ "tasks_s": [1], "memory_mb": 2 }] },
//!     { "user": "zoe", "arrival_s": 0, "stages": [{ "tasks_s": [1], "memory_mb": 7 }] } ] }"#)?;
//! let trace = simulate(&scenario, "tetris".parse()?);
//! let order: Vec<u32> = trace.tasks.iter().map(|run| run.job.0).collect();
//! assert_eq!(order, [0, 2, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::explain::{Contender, Key, KeyComponent, NumberedFacts, Value};
use super::{Context, Info, KeyOrder, Launch, Placement, Policy, PolicyGroup, RankedFrom, StageView, View};
use crate::ids::CoreId;
use crate::number;

/// What readers should know of Tetris.
pub const INFO: Info = Info {
    id: "tetris",
    title: "Tetris",
    source: "Decima paper",
    summary: "The task that fills an executor best goes first.",
    key: "-(1 / c * free cores / c + memory / M * free memory / M), rank of arrival, stage id; c and M of an executor",
    group: PolicyGroup::JobSizes,
    look: 9,
    order: KeyOrder::EachLaunch,
    ranked_from: RankedFrom::Arrival,
    placement: Placement::FirstExecutor,
    ..Info::DEFAULT
};

/// Packing: the first executor on which some stage fits; there the stage with the greatest score, then rank of arrival,
/// then stage id.
#[derive(Clone, Debug)]
pub struct Tetris;

/// What an executor has, in cores and MB.
#[derive(Clone, Copy)]
struct ExecutorCapacity {
    cores: f64,
    free_cores: f64,
    /// Memory and free memory, if modelled.
    memory: Option<(f64, f64)>,
}

impl ExecutorCapacity {
    /// How well a task fits: the greater, the more of what is left it uses.
    fn score(self, needed: u64) -> f64 {
        let ExecutorCapacity { cores, free_cores, memory } = self;
        let by_cores = 1.0 / cores * (free_cores / cores);
        match memory {
            None => by_cores,
            Some((memory, free)) => by_cores + needed as f64 / memory * (free / memory),
        }
    }
}

impl ExecutorCapacity {
    /// The first executor on which a waiting stage fits; the first one as it is without tasks if there is none.
    fn first(view: &View) -> (u32, ExecutorCapacity) {
        let least = view.waiting().map(|stage| stage.memory()).min().unwrap_or(0);
        let executor = view.lowest_core_with(least).map(|core| view.executor_of(core));
        (executor.unwrap_or(0), ExecutorCapacity::of(executor, view))
    }

    /// That of an executor; of one without tasks if it is `None`.
    fn of(executor: Option<u32>, view: &View) -> ExecutorCapacity {
        let cluster = view.scenario().cluster();
        let cores = f64::from(cluster.cores_per_executor);
        let memory = cluster.memory_per_executor.map(|all| {
            let free = executor.and_then(|executor| view.free_memory_of(executor)).unwrap_or(all);
            (all as f64, free as f64)
        });
        let free_cores = executor.map_or(cluster.cores_per_executor, |executor| view.free_cores_of(executor));
        ExecutorCapacity { cores, free_cores: f64::from(free_cores), memory }
    }

    /// The score with a minus; infinite if the task does not fit there.
    fn negative_score(self, needed: u64) -> f64 {
        match self.memory {
            Some((_, free)) if needed as f64 > free => f64::INFINITY,
            _ => -self.score(needed),
        }
    }
}

impl Policy for Tetris {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        Tetris
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        if !view.models_memory() {
            // All scores are equal.
            return Some(Launch { stage: view.waiting().next()?.index(), core: view.lowest_free_core()? });
        }
        let least = view.waiting().map(|stage| stage.memory()).min()?;
        let core = view.lowest_core_with(least)?;
        let (_, room) = ExecutorCapacity::first(view);
        let score = |stage: &StageView| room.negative_score(stage.memory());
        let stage = view.waiting().min_by(|one, other| score(one).total_cmp(&score(other)))?.index();
        Some(Launch { stage, core })
    }

    fn key(&self, stage: StageView) -> Key {
        let (_, room) = ExecutorCapacity::first(stage.view());
        Key::new(stage, [KeyComponent::new("-score", Value::Score(room.negative_score(stage.memory())))])
    }

    /// By the score on the core's executor, whether the task fits it now or not.
    fn key_on(&self, stage: StageView, core: CoreId) -> Key {
        let view = stage.view();
        let room = ExecutorCapacity::of(Some(view.executor_of(core)), view);
        Key::new(stage, [KeyComponent::new("-score", Value::Score(-room.score(stage.memory())))])
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let (executor, ExecutorCapacity { free_cores, memory, .. }) = ExecutorCapacity::first(stage.view());
        let mut facts = vec![
            KeyComponent::new("first executor with room", Value::Number(u64::from(executor))),
            KeyComponent::new("free there", Value::Cores(free_cores)),
        ];
        if let Some((_, free)) = memory {
            let memory = |megabytes: f64| Value::Text(format!("{} MB", number::trimmed(megabytes, 0)).into());
            facts.push(KeyComponent::new("free memory there", memory(free)));
            facts.push(KeyComponent::new("memory of a task", memory(stage.memory() as f64)));
        }
        facts.into()
    }

    fn reason(&self, first: &Contender, second: &Contender, _: usize) -> String {
        let (label, other) = (first.label, second.label);
        let [mine, theirs] = [first, second].map(|stage| match stage.key.parts()[0].value {
            Value::Score(negative) => -negative,
            _ => 0.0,
        });
        if theirs == f64::NEG_INFINITY {
            return format!(
                "{label} fits the first executor with room and {other} does not, so {label} goes first."
            );
        }
        let [mine, theirs] = [mine, theirs].map(|score| number::trimmed(score, 4));
        format!(
            "{label} uses more of what the first executor with room has left (score {mine} against {theirs}), so it \
             goes first."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 of 4 cores and 5 of 10 MB are free: 1/4 * 2/4 and 3/10 * 5/10.
    #[test]
    fn the_score_is_what_a_task_needs_times_what_is_free() {
        let room = ExecutorCapacity { cores: 4.0, free_cores: 2.0, memory: None };
        assert_eq!(room.score(3), 0.125);
        let room = ExecutorCapacity { memory: Some((10.0, 5.0)), ..room };
        assert_eq!(room.score(0), 0.125);
        assert!((room.score(3) - 0.275).abs() < 1e-12);
    }
}
