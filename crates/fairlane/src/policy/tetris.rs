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

use super::explain::{self, Contender, Explainer, Explanation, Part, Ranking, Value};
use super::job_ranked::ordered;
use super::log::Snapshot;
use super::{Candidate, Context, Group, Info, Launch, Policy, View};
use crate::bits::BitSet;
use crate::ids::{Rank, StageId, StageIndex};
use crate::number;
use crate::order;
use crate::tournament::{self, Tournament};

/// What readers should know of Tetris.
pub const INFO: Info = Info {
    id: "tetris",
    title: "Tetris",
    source: "Decima paper",
    summary: "The task that fills an executor best goes first.",
    key: "-(1 / c * free cores / c + memory / M * free memory / M), rank of arrival, stage id; c and M of an executor",
    group: Group::JobSizes,
    ..Info::DEFAULT
};

/// Packing: the first executor on which some stage fits; there the stage with the greatest score, then rank of arrival,
/// then stage id.
#[derive(Default)]
pub struct Tetris {
    waiting: Option<Waiting>,
}

/// The waiting stages. Stage indices ascend by (rank of arrival, stage id).
enum Waiting {
    /// Where memory is not modelled all scores are equal.
    ByIndex(BitSet),
    ByMemory(ByMemory),
}

/// Every stage has a slot, by memory.
struct ByMemory {
    /// By stage index.
    slots: Vec<u32>,
    /// By slot.
    memory: Vec<u64>,
    /// The slots of waiting stages.
    waiting: BitSet,
    /// The same, the least stage index first.
    first: Tournament,
    /// The same, the last slot first.
    last: Tournament,
}

/// What an executor has, in cores and MB.
#[derive(Clone, Copy)]
struct Room {
    cores: f64,
    free_cores: f64,
    /// Memory and free memory, if modelled.
    memory: Option<(f64, f64)>,
}

impl Room {
    /// How well a task fits: the greater, the more of what is left it uses.
    fn score(self, needed: u64) -> f64 {
        let Room { cores, free_cores, memory } = self;
        let by_cores = 1.0 / cores * (free_cores / cores);
        match memory {
            None => by_cores,
            Some((memory, free)) => by_cores + needed as f64 / memory * (free / memory),
        }
    }
}

impl ByMemory {
    fn new(view: &View) -> ByMemory {
        let count = view.stages() as usize;
        let memory = |stage: u32| view.stage(StageIndex(stage)).memory();
        let by_memory = order::by_key(count, memory);
        let mut slots = vec![0; count];
        (0..).zip(&by_memory).for_each(|(slot, &stage)| slots[stage as usize] = slot);
        ByMemory {
            slots,
            memory: by_memory.into_iter().map(memory).collect(),
            waiting: BitSet::new(count),
            first: Tournament::new(count),
            last: Tournament::new(count),
        }
    }

    fn insert(&mut self, stage: StageIndex) {
        let slot = self.slots[stage.index()];
        self.waiting.insert(slot);
        self.first.set(slot, tournament::key(0, stage.0, slot));
        self.last.set(slot, tournament::key(0, u32::MAX - slot, slot));
    }

    fn remove(&mut self, stage: StageIndex) {
        let slot = self.slots[stage.index()];
        self.waiting.remove(slot);
        self.first.clear(slot);
        self.last.clear(slot);
    }

    fn next_task(&self, view: &View) -> Option<Launch> {
        let least = self.memory[self.waiting.first()? as usize];
        let core = view.lowest_core_with(least)?;
        let executor = view.executor_of(core);
        let free = view.free_memory_of(executor)?;
        let cluster = view.scenario().cluster();
        let cores = cluster.cores_per_executor;
        let room = Room {
            cores: f64::from(cores),
            free_cores: f64::from(cores - view.running_on(executor)?),
            memory: Some((cluster.memory_per_executor? as f64, free as f64)),
        };
        // The score grows with the memory; the last bits of it may be lost, so that several are the greatest.
        let fitting = self.memory.partition_point(|&memory| memory <= free) as u32;
        let last = tournament::slot(self.last.first_among(0..fitting)?);
        let greatest = room.score(self.memory[last as usize]);
        let from = self.memory.partition_point(|&memory| room.score(memory) < greatest) as u32;
        let first = self.first.first_among(from..last + 1)?;
        Some(Launch { stage: StageIndex((first >> 32) as u32), core })
    }
}

impl Tetris {
    fn waiting(&mut self, view: &View) -> &mut Waiting {
        self.waiting.get_or_insert_with(|| match view.models_memory() {
            true => Waiting::ByMemory(ByMemory::new(view)),
            false => Waiting::ByIndex(BitSet::new(view.stages() as usize)),
        })
    }
}

impl Policy for Tetris {
    type Explainer = TetrisExplainer;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        Tetris::default()
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        match self.waiting(view) {
            Waiting::ByIndex(stages) => stages.insert(stage.0),
            Waiting::ByMemory(stages) => stages.insert(stage),
        }
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        if view.stage(launch.stage).pending() > 0 {
            return;
        }
        match self.waiting(view) {
            Waiting::ByIndex(stages) => _ = stages.remove(launch.stage.0),
            Waiting::ByMemory(stages) => stages.remove(launch.stage),
        }
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        match self.waiting(view) {
            Waiting::ByIndex(stages) => {
                Some(Launch { stage: StageIndex(stages.first()?), core: view.lowest_free_core()? })
            }
            Waiting::ByMemory(stages) => stages.next_task(view),
        }
    }
}

/// Explains the scores of Tetris.
pub struct TetrisExplainer {
    /// By stage index.
    memory: Vec<u64>,
    first_stage_id: u64,
    /// The first executor on which a waiting stage fits; the first one as it is without tasks if there is none.
    executor: u32,
    room: Room,
}

impl TetrisExplainer {
    /// The score with a minus; infinite if the task does not fit there.
    fn negative_score(&self, stage: &Candidate) -> f64 {
        let needed = self.needed(stage);
        match self.room.memory {
            Some((_, free)) if needed as f64 > free => f64::INFINITY,
            _ => -self.room.score(needed),
        }
    }

    fn needed(&self, stage: &Candidate) -> u64 {
        self.memory[(stage.id.0 - self.first_stage_id) as usize]
    }
}

impl Ranking for TetrisExplainer {
    type Key = (u64, Rank, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (ordered(self.negative_score(stage)), stage.rank, stage.id)
    }
}

impl Explainer for TetrisExplainer {
    fn at(context: &Context, snapshot: &Snapshot) -> Self {
        let scenario = context.scenario;
        let cluster = scenario.cluster();
        let stages = scenario.stages_by_id().into_iter();
        let memory: Vec<u64> =
            stages.map(|(job, stage)| scenario.jobs()[job.index()].stages[stage as usize].memory).collect();
        let needed = |stage: StageId| memory[(stage.0 - cluster.first_stage_id) as usize];
        let whole = (cluster.cores_per_executor, cluster.memory_per_executor.unwrap_or(0));
        let mut free = vec![whole; cluster.executors as usize];
        for (stage, core) in snapshot.jobs.held_cores() {
            let (cores, memory) = &mut free[(core.0 / cluster.cores_per_executor) as usize];
            *cores -= 1;
            *memory = memory.saturating_sub(needed(stage));
        }
        let least = snapshot.jobs.waiting().into_iter().map(needed).min().unwrap_or(0);
        let has_room = |&(cores, memory): &(u32, u64)| {
            cores > 0 && (cluster.memory_per_executor.is_none() || memory >= least)
        };
        let executor = free.iter().position(has_room);
        let (free_cores, free_memory) = executor.map_or(whole, |executor| free[executor]);
        let room = Room {
            cores: f64::from(whole.0),
            free_cores: f64::from(free_cores),
            memory: cluster.memory_per_executor.map(|all| (all as f64, free_memory as f64)),
        };
        let executor = executor.unwrap_or(0) as u32;
        TetrisExplainer { memory, first_stage_id: cluster.first_stage_id, executor, room }
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let (_, rank, id) = self.key(stage);
        let parts = vec![
            Part::new("-score", Value::Score(self.negative_score(stage))),
            Part::new("rank of arrival", Value::Number(u64::from(rank.0))),
            Part::new("stage id", Value::Number(id.0)),
        ];
        let Room { free_cores, memory, .. } = self.room;
        let mut facts = vec![
            Part::new("first executor with room", Value::Number(u64::from(self.executor))),
            Part::new("free there", Value::Cores(free_cores)),
        ];
        if let Some((_, free)) = memory {
            let memory = |megabytes: f64| Value::Text(format!("{} MB", number::trimmed(megabytes, 0)));
            facts.push(Part::new("free memory there", memory(free)));
            facts.push(Part::new("memory of a task", memory(self.needed(stage) as f64)));
        }
        Explanation { parts, facts, remark: None }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let (label, other) = (first.label, second.label);
        let [mine, theirs] = [first, second].map(|stage| match stage.key.parts[0].value {
            Value::Score(negative) => -negative,
            _ => 0.0,
        });
        match first.key.decided_by(second.key) {
            Some(0) if theirs == f64::NEG_INFINITY => {
                format!(
                    "{label} fits the first executor with room and {other} does not, so {label} goes first."
                )
            }
            Some(0) => {
                let [mine, theirs] = [mine, theirs].map(|score| number::trimmed(score, 4));
                format!(
                    "{label} uses more of what the first executor with room has left (score {mine} against \
                     {theirs}), so it goes first."
                )
            }
            Some(1) => {
                format!(
                    "{label} and {other} have the same score and {label}'s job arrived first, so it goes first."
                )
            }
            _ => format!(
                "{label} and {other} are of one job, have the same score and {}.",
                explain::tie_reason(first, second, 2)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 of 4 cores and 5 of 10 MB are free: 1/4 * 2/4 and 3/10 * 5/10.
    #[test]
    fn the_score_is_what_a_task_needs_times_what_is_free() {
        let room = Room { cores: 4.0, free_cores: 2.0, memory: None };
        assert_eq!(room.score(3), 0.125);
        let room = Room { memory: Some((10.0, 5.0)), ..room };
        assert_eq!(room.score(0), 0.125);
        assert!((room.score(3) - 0.275).abs() < 1e-12);
    }
}
