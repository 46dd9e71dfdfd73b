//! Spark's own scheduler: FIFO between Spark jobs, or FAIR between pools as `fairscheduler.xml` declares them (Spark's
//! `SchedulableBuilder`, `Pool` and `SchedulingAlgorithm`; docs/model.md section 12).
//!
//! ```
//! use fairlane::{PolicyKind, catalog, simulate};
//! use fairlane::policy::spark::Pool;
//! let scenario = catalog::find("weights").expect("an entry").scenario();
//! // FAIR pools of the users' weights, by user, are UJF.
//! let pools: Vec<Pool> = scenario.users().iter().map(Pool::fair_for).collect();
//! let parameters = scenario.parameters().with("spark", "pools", serde_json::to_value(pools)?)?;
//! let parameters = parameters.with("spark", "by", "user".into())?;
//! let scenario = scenario.to_builder().parameters(parameters).build()?;
//! let [spark, ujf] = ["spark", "ujf"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! assert_eq!((spark.policy.kind, &spark.tasks), (PolicyKind::Spark, &ujf.tasks));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::explain::{Contender, Key, KeyComponent, NumberedFacts, Value, running};
use super::fair::reason_among_stages;
use super::tie::tie_order;
use super::{Cap, Context, Idling, Info, Launch, Party, Policy, PolicyGroup, StageView, View, by_key, tie};
use crate::ids::{JobId, Rank, StageIndex};
use crate::scenario::parameter::declared;
use crate::scenario::{DEFAULT_POOL, FairTieBreak, Job, Scenario};
use crate::units::Weight;

pub use crate::scenario::pool::{
    POOL, Pool, PoolMode, declared, has_pools, pool_name, read, stage_pool_name,
};

/// What readers should know of Spark's scheduler.
pub const INFO: Info = Info {
    id: "spark",
    title: "Spark",
    source: "Spark",
    summary: "FAIR between pools, as fairscheduler.xml declares them, and FIFO or FAIR inside; or FIFO between \
        Spark jobs.",
    key: "FAIR: below its minimum share or not, running tasks of the pool / minimum share or weight, pool name, \
        then inside \
          the pool: Spark job and stage id, or running tasks of the stage and tie; FIFO: Spark job, stage id",
    group: PolicyGroup::Spark,
    look: 22,
    parameters: declared::SPARK.parameters,
    // Where a pool has a cap.
    idling: Idling::OnPurpose,
    ..Info::DEFAULT
};

/// Spark's scheduler with pools.
#[derive(Clone, Debug)]
pub struct Spark {
    is_fair: bool,
    tie_break: FairTieBreak,
    /// In the order of their names.
    pools: Vec<PoolState>,
    /// The pools of the stages of each job, by index in the file.
    pool_of: Vec<JobPools>,
    /// The numbers of the Spark jobs that have been submitted.
    numbers: BTreeMap<(Rank, u32), u32>,
    /// What is counted of each stage.
    stages: Vec<SparkStage>,
    /// Pools with waiting stages, by their keys.
    waiting: BTreeSet<(PoolKey, u32)>,
}

/// A pool and its stages.
#[derive(Clone, Debug)]
struct PoolState {
    pool: Pool,
    running: u32,
    /// The waiting stages by their keys inside the pool.
    stages: BTreeSet<(StageKey, StageIndex)>,
}

/// The pools of a job's stages.
#[derive(Clone, Debug)]
enum JobPools {
    /// All are in one.
    One(u32),
    /// Pools, indexed by stage.
    Several(Vec<u32>),
}

impl JobPools {
    fn of(&self, stage: u32) -> u32 {
        match self {
            JobPools::One(pool) => *pool,
            JobPools::Several(pools) => pools[stage as usize],
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct SparkStage {
    spark_job: u32,
    running: u32,
    /// Its key inside its pool while it waits.
    waiting: Option<StageKey>,
}

/// Smallest first: whether it has its minimum share, then running tasks over minimum share or weight.
type PoolKey = (bool, u64);
/// Smallest first: Spark job or running tasks, then stage id or tie.
type StageKey = (u32, u64);

/// The pools of a scenario in the order of their names: those that are declared and those of its jobs.
pub fn pools(scenario: &Scenario) -> Vec<Pool> {
    let default_mode = match INFO.own().choice(scenario, "default_mode") {
        0 => PoolMode::Fifo,
        _ => PoolMode::Fair,
    };
    let undeclared = all_stages(scenario).map(|(job, stage)| {
        let name = stage_pool_name(scenario, job, stage);
        let mode = if name == DEFAULT_POOL { default_mode } else { PoolMode::Fifo };
        Pool { mode, ..Pool::named(name) }
    });
    let mut pools = BTreeMap::new();
    for pool in declared(scenario).into_iter().chain(undeclared) {
        pools.entry(pool.name.clone()).or_insert(pool);
    }
    pools.into_values().collect()
}

fn all_stages(scenario: &Scenario) -> impl Iterator<Item = (JobId, u32)> + '_ {
    let jobs = (0..).map(JobId).zip(scenario.jobs());
    jobs.flat_map(|(id, job)| (0..job.stages.len() as u32).map(move |stage| (id, stage)))
}

impl Spark {
    fn pool_index(&self, stage: StageView) -> u32 {
        self.pool_of[stage.job_view().id().index()].of(stage.position())
    }

    fn pool(&self, stage: StageView) -> &PoolState {
        &self.pools[self.pool_index(stage) as usize]
    }

    /// A stage's key inside its pool.
    fn key_in_pool(&self, stage: StageView, pool: &PoolState) -> StageKey {
        match pool.pool.mode {
            PoolMode::Fifo => (self.stages[stage.index().index()].spark_job, u64::from(stage.index().0)),
            PoolMode::Fair => (stage.running(), tie_order(self.tie_break, stage.id())),
        }
    }
}

impl PoolState {
    /// Running tasks over the minimum share below it, else over the weight.
    fn ratio(&self) -> f64 {
        let per = if self.has_min_share() { self.pool.weight } else { self.pool.min_share.max(1) };
        f64::from(self.running) / f64::from(per)
    }

    fn has_min_share(&self) -> bool {
        self.running >= self.pool.min_share
    }

    fn key(&self) -> PoolKey {
        // The bits of numbers that are not negative ascend as these do.
        (self.has_min_share(), self.ratio().to_bits())
    }

    /// Whether another task may run, as far as the cap says.
    fn has_room(&self) -> bool {
        self.pool.max_share.is_none_or(|most| self.running < most)
    }
}

impl Policy for Spark {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let scenario = context.scenario;
        let is_fair = context.choice(&INFO, "mode") == 0;
        let pools = if is_fair { pools(scenario) } else { vec![Pool::named(DEFAULT_POOL)] };
        let index_of = |job: JobId, stage: u32| {
            let name = if is_fair { stage_pool_name(scenario, job, stage) } else { DEFAULT_POOL };
            let index = pools.binary_search_by(|pool| pool.name.as_str().cmp(name));
            index.expect("each stage's pool is there") as u32
        };
        let pools_of = |(job, spec): (JobId, &Job)| match spec.stages.iter().any(|stage| stage.pool.is_some())
        {
            true => {
                JobPools::Several((0..spec.stages.len() as u32).map(|stage| index_of(job, stage)).collect())
            }
            false => JobPools::One(index_of(job, 0)),
        };
        Spark {
            is_fair,
            tie_break: scenario.cluster().fair_tie_break,
            pool_of: (0..).map(JobId).zip(scenario.jobs()).map(pools_of).collect(),
            pools: pools
                .into_iter()
                .map(|pool| PoolState { pool, running: 0, stages: BTreeSet::new() })
                .collect(),
            numbers: BTreeMap::new(),
            stages: Vec::new(),
            waiting: BTreeSet::new(),
        }
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.stages.resize(view.stages() as usize, SparkStage::default());
        let seen = view.stage(stage);
        let next = self.numbers.len() as u32;
        let number = self.numbers.entry((seen.job(), seen.spec().spark_job)).or_insert(next);
        self.stages[stage.index()].spark_job = *number;
        self.counts_changed(stage, view);
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let seen = view.stage(stage);
        let index = self.pool_index(seen);
        let key = (seen.pending() > 0 && seen.is_submitted())
            .then(|| self.key_in_pool(seen, &self.pools[index as usize]));
        // A dropped job has stages that were never submitted.
        let Some(state) = self.stages.get_mut(stage.index()) else { return };
        let pool = &mut self.pools[index as usize];
        let before = (!pool.stages.is_empty()).then(|| pool.key());
        if state.waiting != key {
            state.waiting.take().map(|key| pool.stages.remove(&(key, stage)));
            key.map(|key| pool.stages.insert((key, stage)));
            state.waiting = key;
        }
        pool.running = pool.running + seen.running() - state.running;
        state.running = seen.running();
        let after = (!pool.stages.is_empty()).then(|| pool.key());
        if before != after {
            before.map(|key| self.waiting.remove(&(key, index)));
            after.map(|key| self.waiting.insert((key, index)));
        }
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        if !view.has_simple_round() {
            return by_key(self, view);
        }
        let mut pools = self.waiting.iter().map(|&(_, index)| &self.pools[index as usize]);
        let &(_, stage) = pools.find(|pool| pool.has_room())?.stages.first()?;
        Some(Launch { stage, core: view.lowest_free_core()? })
    }

    fn may_launch(&self, stage: StageView) -> bool {
        self.pool(stage).has_room()
    }

    fn cap(&self, stage: StageView) -> Option<Cap> {
        let (group, pool) = (self.pool_index(stage), self.pool(stage));
        Some(Cap { group, room: pool.pool.max_share?.saturating_sub(pool.running) })
    }

    fn parties(&self, view: &View) -> Vec<Party> {
        if !self.is_fair {
            let users = view.scenario().users().iter();
            return users.map(|user| Party { name: user.name.clone(), weight: user.weight }).collect();
        }
        let party = |state: &PoolState| Party {
            name: state.pool.name.clone(),
            weight: Weight::whole(state.pool.weight),
        };
        self.pools.iter().map(party).collect()
    }

    fn party(&self, stage: StageView) -> u32 {
        if self.is_fair { self.pool_index(stage) } else { stage.user().0 }
    }

    fn key(&self, stage: StageView) -> Key {
        let pool = self.pool(stage);
        let inside = match pool.pool.mode {
            PoolMode::Fifo => {
                let number = self.stages.get(stage.index().index()).map_or(0, |stage| stage.spark_job);
                [
                    KeyComponent::new("Spark job", Value::Number(number.into())),
                    KeyComponent::new("stage id", Value::Number(stage.id().0)),
                ]
            }
            PoolMode::Fair => [
                KeyComponent::new("running tasks of the stage", Value::Tasks(stage.running())),
                KeyComponent::new("tie", tie(self.tie_break, stage.id())),
            ],
        };
        if !self.is_fair {
            return Key::complete(inside);
        }
        let (share, ratio) = match pool.has_min_share() {
            false => ("below", "running tasks of the pool / minimum share"),
            true => ("reached", "running tasks of the pool / weight"),
        };
        let between = [
            KeyComponent::new("minimum share", Value::Text(share.into())),
            KeyComponent::new(ratio, Value::Score(pool.ratio())),
            KeyComponent::new("pool", Value::Text(pool.pool.name.clone().into())),
        ];
        Key::complete(between.into_iter().chain(inside))
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        if !self.is_fair {
            return NumberedFacts::default();
        }
        let state = self.pool(stage);
        let pool = &state.pool;
        let mut parts = vec![
            KeyComponent::new("running tasks of the pool", Value::Tasks(state.running)),
            KeyComponent::new("weight of the pool", Value::Number(pool.weight.into())),
        ];
        let shares =
            [("minimum share", (pool.min_share > 0).then_some(pool.min_share)), ("cap", pool.max_share)];
        let share =
            |(name, share): (&'static str, Option<u32>)| Some(KeyComponent::new(name, Value::Tasks(share?)));
        parts.extend(shares.into_iter().filter_map(share));
        let remark = (!state.has_room()).then_some("its pool is at its cap");
        NumberedFacts { parts, remark }
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let (label, other) = (first.label, second.label);
        let value = |stage: &Contender, part: usize| stage.key.parts()[part].value.to_string();
        let in_pool = if self.is_fair { 3 } else { 0 };
        if part >= in_pool {
            let is_fifo = first.key.parts()[in_pool].name == "Spark job";
            let both =
                if self.is_fair { format!("Both are in pool {}: ", value(first, 2)) } else { String::new() };
            return match part - in_pool {
                0 if is_fifo => format!("{both}{label}'s Spark job was submitted first, so it goes first."),
                1 if is_fifo => {
                    format!(
                        "{both}{label} and {other} are of one Spark job and {label} has the smaller stage id, so \
                            it goes first."
                    )
                }
                _ => format!("{both}{}, so {label} goes first.", reason_among_stages(first, second, in_pool)),
            };
        }
        let [mine, theirs] = [first, second].map(|stage| value(stage, 2));
        let pool_running = |stage: &Contender| match stage.facts.parts.first().map(|part| &part.value) {
            Some(&Value::Tasks(count)) => running(count),
            _ => String::new(),
        };
        match part {
            0 => format!(
                "Pool {mine} has {}, which is below its minimum share, and pool {theirs} is not below its own, so \
                    {label} goes first.",
                pool_running(first)
            ),
            1 => format!(
                "Pool {mine} has {} and pool {theirs} {}: {} against {} per {}, so {label} goes first.",
                pool_running(first),
                pool_running(second),
                value(first, 1),
                value(second, 1),
                if value(first, 0) == "below" { "task of the minimum share" } else { "unit of weight" },
            ),
            _ => format!(
                "Pools {mine} and {theirs} are level and the name {mine} comes first, so {label} goes first."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Scenario, simulate};

    /// One core. ana's query runs two Spark jobs, ben's comes between: FIFO goes by the Spark jobs' numbers, not by the
    /// queries' arrivals.
    #[test]
    fn fifo_goes_by_spark_jobs() {
        let text = r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 1 },
            "policies": { "spark": { "mode": "FIFO" } }, "jobs": [
            { "user": "ana", "arrival_s": 0, "stages": [
                { "tasks_s": [2] }, { "tasks_s": [1, 1], "spark_job": 1 }] },
            { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [1, 1] }] } ] }"#;
        let scenario = Scenario::from_json(text).expect("a good file");
        let order = |policy: &str| -> Vec<u32> {
            let trace = simulate(&scenario, policy.parse().expect("a policy"));
            trace.tasks.iter().map(|run| run.job.0).collect()
        };
        assert_eq!(order("spark"), [0, 1, 1, 0, 0]);
        assert_eq!(order("fifo"), [0, 1, 0, 0, 1]);
    }

    /// Eight cores, of which a capped pool takes two.
    #[test]
    fn a_capped_pool_leaves_cores_idle() {
        let text = r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 2 },
            "policies": { "spark": { "pools": [{ "name": "etl", "max_share": 2 }] } }, "jobs": [
            { "user": "ana", "pool": "etl", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }] } ] }"#;
        let trace =
            simulate(&Scenario::from_json(text).expect("a good file"), "spark".parse().expect("a policy"));
        assert_eq!(trace.end().seconds(), 2.0);
    }
}
