//! Who won the ties between fair pools: Spark ranks pools of equal weight by their running tasks, and equals by name
//! (`FairSchedulingAlgorithm`).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::log::Log;
use super::report::TiesReport;
use super::tasks::ImportedTasks;

/// Counts the launches for which several pools had equally few running tasks. A pool waits from the submission of a
/// stage until the last of its tasks in the log is launched.
pub(super) fn count(log: &Log, tasks: &ImportedTasks) -> TiesReport {
    let name_of = |node: u32| {
        let stage = &log.stages[tasks.nodes[node as usize].stage as usize];
        log.pool(stage.job)
    };
    let nodes = 0..tasks.nodes.len() as u32;
    // In the order of their names.
    let names: Vec<&str> = nodes.clone().map(name_of).collect::<BTreeSet<_>>().into_iter().collect();
    let pool_of: Vec<usize> =
        nodes.clone().map(|node| names.partition_point(|&name| name < name_of(node))).collect();
    let mut submissions: Vec<(u64, u32)> = nodes.map(|node| (tasks.submitted(log, node), node)).collect();
    submissions.sort_unstable();
    let mut submissions = submissions.into_iter().peekable();
    let mut ends: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut pools = Pools { loads: vec![PoolLoad::default(); names.len()], waiting: BTreeSet::new() };
    let mut report = TiesReport::default();
    for run in &tasks.runs {
        while let Some((_, pool)) = ends.peek().map(|end| end.0).filter(|end| end.0 <= run.launch) {
            ends.pop();
            pools.change(pool, |load| load.running -= 1);
        }
        while let Some((_, node)) = submissions.next_if(|submission| submission.0 <= run.launch) {
            let count = tasks.nodes[node as usize].runs.len();
            pools.change(pool_of[node as usize], |load| load.waiting += count);
        }
        let pool = pool_of[run.node as usize];
        report.launch(&pools, pool);
        pools.change(pool, |load| {
            load.waiting -= 1;
            load.running += 1;
        });
        ends.push(Reverse((run.finish, pool)));
    }
    report
}

/// Tasks of a pool.
#[derive(Clone, Copy, Default)]
struct PoolLoad {
    running: usize,
    waiting: usize,
}

/// The pools by index, which is their order by name.
struct Pools {
    loads: Vec<PoolLoad>,
    /// Those with waiting tasks, by running tasks and name.
    waiting: BTreeSet<(usize, usize)>,
}

impl Pools {
    fn change(&mut self, pool: usize, change: impl FnOnce(&mut PoolLoad)) {
        let load = &mut self.loads[pool];
        self.waiting.remove(&(load.running, pool));
        change(load);
        if load.waiting > 0 {
            self.waiting.insert((load.running, pool));
        }
    }
}

impl TiesReport {
    fn launch(&mut self, pools: &Pools, launched: usize) {
        let mut ranked = pools.waiting.iter();
        let (Some((running, first)), Some((next, _))) = (ranked.next(), ranked.next()) else { return };
        self.contested += 1;
        if running == next {
            self.ties += 1;
            self.to_first += u64::from(*first == launched);
        }
    }
}
