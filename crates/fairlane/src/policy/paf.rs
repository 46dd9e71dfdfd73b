//! PAF: each job starts from its weighted fair share of the cores, and jobs that hardly slow down without a core give
//! it to those that speed up most with it (PAF, Algorithm 1).
//!
//! ```
//! use fairlane::{Scenario, simulate};
//! // On four cores, two jobs of which only the second gains from more than one.
//! let scenario = Scenario::from_json(r#"{ "format": "fairlane/scenario@1", "jobs": [
//!     { "user": "ana", "arrival_s": 0, "curve": [[1, 1]], "stages": [{ "tasks_s": [1, 1, 1, 1, 1, 1, 1, 1] }] },
//!     { "user": "ben", "arrival_s": 0, "curve": [[4, 4]], "stages": [{ "tasks_s": [1, 1, 1, 1] }] } ] }"#)?;
//! let [paf, fifo] = ["paf", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // At 1 s ana's job gets one core and ben's three.
//! let held = |trace: &fairlane::Trace| trace.tasks[4..8].iter().filter(|run| run.job.0 == 1).count();
//! assert_eq!((held(&paf), held(&fifo)), (3, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeSet;

use super::explain::{Contender, Key, KeyComponent, NumberedFacts, Target, Value};
use super::fair::reason_in_job;
use super::job_queue::{JobQueue, ordered};
use super::targets::{furthest_below_target, held_less_target};
use super::{
    Actions, Admission, Context, Info, JobView, KeyOrder, Launch, Policy, PolicyGroup, RankedFrom, StageView,
    View,
};
use crate::ids::{Rank, StageIndex};
use crate::number;
use crate::scenario::parameter::declared;
use crate::scenario::{Job, PartitionMode, PerformanceCurve, Scenario};
use crate::tournament::{self, Tournament};
use crate::units::Weight;

/// What readers should know of PAF.
pub const INFO: Info = Info {
    id: "paf",
    title: "PAF",
    name: "Performance-Aware Fair",
    source: "PAF paper",
    summary: "Cores move from jobs that hardly need them to jobs that gain most.",
    key: "-(target - running tasks of the job), rank of arrival, running tasks of the stage, stage id",
    group: PolicyGroup::Elasticity,
    look: 10,
    parameters: declared::PAF.parameters,
    order: KeyOrder::EachLaunch,
    targets: true,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// What PAF gives a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PafAllocation {
    /// Its weighted fair share, in cores.
    pub fair_share: u32,
    /// The least cores at which it keeps the part `alpha` of its progress at the fair share.
    pub minimum: u32,
    /// Its cores after all transfers.
    pub target: u32,
}

/// What PAF would give the jobs of a scenario if all were there at once, by rank: Algorithm 1 on paper, without a
/// schedule.
pub fn allocations(scenario: &Scenario) -> Vec<PafAllocation> {
    let context = Context::new(scenario, PartitionMode::Default);
    let mut paf = Paf::new(&context);
    for job in scenario.arrival_order() {
        let job = &scenario.jobs()[job.index()];
        let tasks =
            job.stages.iter().map(|stage| scenario.partitioning().task_count(stage, PartitionMode::Default));
        let parallelism = tasks.max().unwrap_or(0) as u32;
        paf.insert(job, parallelism, context.weight(job.user));
    }
    paf.update();
    let allocation = |job: &JobShare| PafAllocation {
        fair_share: job.fair_share,
        minimum: job.minimum,
        target: job.target,
    };
    paf.jobs.iter().map(allocation).collect()
}

/// Performance-aware fair sharing. Key: (-(target - running tasks of the job), rank of arrival, running tasks of the
/// stage, stage id).
#[derive(Clone, Debug)]
pub struct Paf {
    cores: u32,
    alpha: f64,
    /// The jobs, indexed by rank.
    jobs: Vec<JobShare>,
    /// Active jobs.
    active: BTreeSet<Rank>,
    /// The parallelism of all of them.
    wanted: u64,
    /// Those with a curve, by how much they gain with a first slot, greatest first.
    by_first_gain: BTreeSet<(u64, Rank)>,
    /// Those with a fair share, by rank.
    sharing: Vec<Rank>,
    /// Those with a target that is not 0.
    allotted: Vec<Rank>,
    /// Slots that went over in the last update: from, to, how many at once.
    transfers: Vec<(Rank, Rank, u32)>,
    queue: JobQueue,
}

#[derive(Clone, Debug)]
struct JobShare {
    /// Its user's weight.
    weight: f64,
    /// m: the largest number of tasks of its stages.
    parallelism: u32,
    curve: Option<PerformanceCurve>,
    /// p(0), p(1), … as far as they were asked for; none before its arrival and after its end.
    rates: Vec<f64>,
    fair_share: u32,
    /// The least slots at which it keeps `alpha` of its progress.
    minimum: u32,
    /// Its allocation.
    target: u32,
}

impl JobShare {
    /// p(x) of a job with a curve.
    fn progress(&mut self, slots: u32) -> f64 {
        let JobShare { curve, rates, .. } = self;
        let Some(curve) = curve else { return 0.0 };
        while rates.len() <= slots as usize {
            rates.push(curve.progress(rates.len() as u32));
        }
        rates[slots as usize]
    }

    /// What it loses with a slot, in the order of numbers. It has one.
    fn loss(&mut self) -> u64 {
        ordered(self.progress(self.target) - self.progress(self.target - 1))
    }

    /// What it gains with one more slot, in the order of numbers.
    fn gain(&mut self) -> u64 {
        ordered(self.progress(self.target + 1) - self.progress(self.target))
    }
}

impl Paf {
    /// A job is active from now on.
    fn insert(&mut self, job: &Job, parallelism: u32, weight: Weight) {
        let rank = Rank(self.jobs.len() as u32);
        let mut share = JobShare {
            weight: weight.value(),
            parallelism,
            curve: job.curve.clone(),
            rates: Vec::new(),
            fair_share: 0,
            minimum: 0,
            target: 0,
        };
        self.active.insert(rank);
        self.wanted += u64::from(parallelism);
        if share.curve.is_some() {
            self.by_first_gain.insert((!share.gain(), rank));
        }
        self.jobs.push(share);
    }

    /// A job is no longer active.
    fn remove(&mut self, rank: Rank) {
        let job = &mut self.jobs[rank.index()];
        self.active.remove(&rank);
        self.wanted -= u64::from(job.parallelism);
        job.target = 0;
        if job.curve.is_some() {
            self.by_first_gain.remove(&(!job.gain(), rank));
        }
        job.rates = Vec::new();
    }

    /// Jobs have arrived or ended. The jobs whose targets may be others than before.
    fn update(&mut self) -> Vec<Rank> {
        let mut changed = std::mem::take(&mut self.allotted);
        self.share();
        for rank in &changed {
            let job = &mut self.jobs[rank.index()];
            job.target = job.fair_share;
        }
        self.transfer();
        changed.extend(&self.allotted);
        changed.retain(|rank| self.active.contains(rank));
        changed
    }

    /// Sets the keys of jobs whose targets are others.
    fn update_queue(&mut self, changed: Vec<Rank>, view: &View) {
        for job in changed {
            let job = view.job(job);
            self.queue.update(job, ordered(self.running_less_target(job)));
        }
    }

    /// The least (share / weight, rank) among the jobs below their parallelism gets a slot, as often as there are
    /// cores. So the jobs of the least ranks get a slot each before any gets a second one.
    fn share(&mut self) {
        let Paf { cores, jobs, active, sharing, wanted, .. } = self;
        for rank in sharing.drain(..) {
            (jobs[rank.index()].fair_share, jobs[rank.index()].minimum) = (0, 0);
        }
        sharing.extend(active.iter().take(*cores as usize));
        if *wanted <= u64::from(*cores) {
            sharing.iter().for_each(|job| jobs[job.index()].fair_share = jobs[job.index()].parallelism);
            return;
        }
        let mut order = Tournament::new(sharing.len());
        let slots = (0..sharing.len() as u32).zip(&*sharing);
        order.set_all(slots.map(|(slot, job)| (slot, tournament::key(ordered(0.0), job.0, slot))));
        for _ in 0..*cores {
            let Some(first) = order.first() else { break };
            let slot = tournament::slot(first);
            let rank = sharing[slot as usize];
            let job = &mut jobs[rank.index()];
            job.fair_share += 1;
            if job.fair_share < job.parallelism {
                let share = ordered(f64::from(job.fair_share) / job.weight);
                order.set(slot, tournament::key(share, rank.0, slot));
            } else {
                order.clear(slot);
            }
        }
    }

    /// Slots go over, one by one, from the job with the least loss to the other one with the greatest gain.
    fn transfer(&mut self) {
        let Paf { jobs, sharing, by_first_gain, allotted, transfers, alpha, .. } = self;
        transfers.clear();
        let [mut givers, mut takers] = [(); 2].map(|()| Tournament::new(sharing.len()));
        let give = |givers: &mut Tournament, slot: u32, rank: Rank, job: &mut JobShare| {
            givers.set(slot, tournament::key(job.loss(), rank.0, slot));
        };
        let take = |takers: &mut Tournament, slot: u32, rank: Rank, job: &mut JobShare| {
            if job.target < job.parallelism {
                takers.set(slot, tournament::key(!job.gain(), rank.0, slot));
            } else {
                takers.clear(slot);
            }
        };
        // The jobs that have slots, or had some: those that share, and then those that have taken a first one.
        let mut by_slot = sharing.clone();
        for (slot, &rank) in (0..).zip(&*sharing) {
            let job = &mut jobs[rank.index()];
            job.target = job.fair_share;
            job.minimum = job.fair_share;
            if job.curve.is_none() {
                continue;
            }
            let least = *alpha * job.progress(job.fair_share);
            job.minimum = (0..job.fair_share).find(|&x| job.progress(x) >= least).unwrap_or(job.fair_share);
            if job.target > 0 {
                give(&mut givers, slot, rank, job);
            }
            take(&mut takers, slot, rank, job);
        }
        let without_share = |entry: &&(u64, Rank)| sharing.binary_search(&entry.1).is_err();
        let mut newcomers = by_first_gain.iter().filter(without_share).peekable();
        while let Some(loss) = givers.first() {
            let giver = tournament::slot(loss);
            let rank = by_slot[giver as usize];
            // It does not take from itself.
            let own = takers.get(giver);
            takers.clear(giver);
            let newcomer =
                newcomers.peek().map(|&&(gain, rank)| tournament::key(gain, rank.0, by_slot.len() as u32));
            let gain = takers.first().into_iter().chain(newcomer).min();
            if let Some(own) = own {
                takers.set(giver, own);
            }
            let Some(gain) = gain else { break };
            if (loss >> 64) as u64 >= !((gain >> 64) as u64) {
                break;
            }
            let job = &mut jobs[rank.index()];
            if job.target == job.minimum {
                givers.clear(giver);
                continue;
            }
            job.target -= 1;
            if job.target == 0 {
                givers.clear(giver);
            } else {
                give(&mut givers, giver, rank, job);
            }
            take(&mut takers, giver, rank, job);
            let taker = tournament::slot(gain);
            if taker as usize == by_slot.len() {
                by_slot.extend(newcomers.next().map(|(_, rank)| *rank));
            }
            let other = by_slot[taker as usize];
            let job = &mut jobs[other.index()];
            job.target += 1;
            if givers.get(taker).is_some() {
                give(&mut givers, taker, other, job);
            }
            take(&mut takers, taker, other, job);
            match transfers.last_mut() {
                Some((from, to, slots)) if (*from, *to) == (rank, other) => *slots += 1,
                _ => transfers.push((rank, other, 1)),
            }
        }
        allotted.extend(by_slot.into_iter().filter(|rank| jobs[rank.index()].target > 0));
    }

    fn running_less_target(&self, job: JobView) -> f64 {
        -(f64::from(self.jobs[job.rank().index()].target) - f64::from(job.held()))
    }

    /// The transfers that a job takes part in: `1 to b, 2 from c`.
    fn transfers_of(&self, job: Rank, view: &View) -> String {
        let label = |job: Rank| view.scenario().job_label(view.job(job).id());
        let mut parts = Vec::new();
        for &(from, to, slots) in &self.transfers {
            if from == job {
                parts.push(format!("{slots} to {}", label(to)));
            } else if to == job {
                parts.push(format!("{slots} from {}", label(from)));
            }
        }
        if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
    }
}

impl Policy for Paf {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Paf {
            cores: context.cores(),
            alpha: context.number(&INFO, "alpha"),
            jobs: Vec::new(),
            active: BTreeSet::new(),
            wanted: 0,
            by_first_gain: BTreeSet::new(),
            sharing: Vec::new(),
            allotted: Vec::new(),
            transfers: Vec::new(),
            queue: JobQueue::default(),
        }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let job = view.job(job);
        let weight = view.scenario().users()[job.user().index()].weight;
        self.insert(job.spec(), job.parallelism(), weight);
        let changed = self.update();
        self.update_queue(changed, view);
        Admission::Start
    }

    fn job_ended(&mut self, job: Rank, view: &View, _: &mut Actions) {
        self.remove(job);
        let changed = self.update();
        self.update_queue(changed, view);
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let stage = view.stage(stage);
        self.queue.stage_changed(stage, stage.running());
        let job = stage.job_view();
        self.queue.update(job, ordered(self.running_less_target(job)));
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.queue.next_task(view, |stage| stage.running())
    }

    fn key(&self, stage: StageView) -> Key {
        let cores = Value::Cores(self.running_less_target(stage.job_view()) + 0.0);
        let running = KeyComponent::new("running tasks of the stage", Value::Tasks(stage.running()));
        Key::of_job(stage, KeyComponent::new(held_less_target(stage.job_view()), cores), running)
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let JobShare { fair_share, minimum, target, parallelism, ref curve, .. } =
            self.jobs[stage.job().index()];
        let cores = |slots: u32| Value::Cores(f64::from(slots));
        let mut facts = vec![
            KeyComponent::new("target of the job", cores(target)),
            KeyComponent::new("running tasks of the job", Value::Tasks(stage.job_view().running())),
            KeyComponent::new("fair share", cores(fair_share)),
        ];
        match curve {
            None => {
                facts.push(KeyComponent::new("curve", Value::Text("none: it keeps its fair share".into())))
            }
            Some(curve) => {
                let progress =
                    |slots: u32| format!("{} with {slots}", number::trimmed(curve.progress(slots), 3));
                let mut points =
                    vec![minimum, fair_share, target, (target + 1).min(parallelism).min(self.cores)];
                points.sort_unstable();
                points.dedup();
                let points: Vec<String> = points.into_iter().map(progress).collect();
                facts.push(KeyComponent::new("minimum", cores(minimum)));
                facts.push(KeyComponent::new("progress", Value::Text(points.join(", ").into())));
                let transfers = self.transfers_of(stage.job(), stage.view());
                facts.push(KeyComponent::new("transfers", Value::Text(transfers.into())));
            }
        }
        facts.into()
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        if part == 0 { furthest_below_target(first, second) } else { reason_in_job(first, second) }
    }

    fn target(&self, job: Rank, _: &View) -> Option<Target> {
        let job = &self.jobs[job.index()];
        Some(Target { cores: f64::from(job.target), fair_share: Some(f64::from(job.fair_share)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fair shares and targets of jobs that all arrive at 0: a curve, a weight and a number of tasks each.
    fn shares(cores: u32, alpha: f64, jobs: &[(&str, f64, usize)]) -> Vec<[u32; 3]> {
        let users: Vec<String> = (0..)
            .zip(jobs)
            .map(|(user, (_, weight, _))| format!(r#"{{ "name": "u{user}", "weight": {weight} }}"#))
            .collect();
        let list: Vec<String> = (0..)
            .zip(jobs)
            .map(|(user, (curve, _, tasks))| {
                let tasks = vec!["1"; *tasks].join(",");
                format!(r#"{{ "user": "u{user}", "arrival_s": 0, {curve} "stages": [{{ "tasks_s": [{tasks}] }}] }}"#)
            })
            .collect();
        let scenario = Scenario::from_json(&format!(
            r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "cores_per_executor": {cores} }},
                "policies": {{ "paf": {{ "alpha": {alpha} }} }}, "users": [{}], "jobs": [{}] }}"#,
            users.join(","),
            list.join(",")
        ))
        .expect("a sound scenario");
        let allocation = |job: PafAllocation| [job.fair_share, job.minimum, job.target];
        allocations(&scenario).into_iter().map(allocation).collect()
    }

    /// Weights 12, 3 and 1 on 128 slots (PAF, Figure 8): 96, 24 and 8.
    #[test]
    fn fair_shares_follow_the_weights() {
        let jobs = [("", 12.0, 200), ("", 3.0, 200), ("", 1.0, 200)];
        assert_eq!(shares(128, 0.9, &jobs), [[96, 96, 96], [24, 24, 24], [8, 8, 8]]);
        // No job gets more than it has tasks, and others get what it leaves.
        let jobs = [("", 12.0, 4), ("", 3.0, 200), ("", 1.0, 9)];
        let fair: Vec<u32> = shares(20, 0.9, &jobs).iter().map(|job| job[0]).collect();
        assert_eq!(fair, [4, 12, 4]);
    }

    /// One job is level from 3 slots on, the other grows by 1 with each: at alpha 0.9 the first keeps 3 of 4 slots,
    /// because p(2) = 2 is less than 0.9 * 3; at 0.5 its loss of 1 with the third slot is not less than the gain of 1.
    #[test]
    fn a_slot_goes_over_while_the_loss_is_less_than_the_gain() {
        let level = r#""curve": [[3, 3]],"#;
        let linear = r#""curve": [[8, 8]],"#;
        let jobs = [(level, 1.0, 8), (linear, 1.0, 8)];
        for alpha in [0.9, 0.5] {
            assert_eq!(shares(8, alpha, &jobs)[0][2], 3, "{alpha}");
            assert_eq!(shares(8, alpha, &jobs)[1], [4, if alpha == 0.9 { 4 } else { 2 }, 5], "{alpha}");
        }
        // A steeper one gets all but the minimum: 0.5 * p(4) = 1.5 needs 2 slots.
        let steep = r#""curve": [[8, 80]],"#;
        assert_eq!(shares(8, 0.5, &[(level, 1.0, 8), (steep, 1.0, 8)]), [[4, 2, 2], [4, 2, 6]]);
        // A job without a curve takes no part.
        assert_eq!(shares(8, 0.5, &[("", 1.0, 8), (steep, 1.0, 8)]), [[4, 4, 4], [4, 2, 4]]);
    }
}
