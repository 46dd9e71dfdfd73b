//! What policies have in common that want jobs to hold certain numbers of cores.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Bound;

use super::explain::{Contender, KeyComponent, Target, Value};
use super::job_queue::{StagesByJob, ordered};
use super::{Context, JobView, Launch, OfferCause, StageView, View};
use crate::ids::{CoreId, Rank};

/// Shares of the cores in proportion to a power of the active jobs' estimated work; a freed core goes first to the job
/// that it served.
///
/// An arrival or an end changes the targets of all jobs, but not the order of those that hold equally many cores. So a
/// launch costs O(log jobs) for each number of cores that waiting jobs hold. An end costs O(active jobs) unless all
/// powers are 1: S is added up again, because the order of addition counts.
#[derive(Clone, Debug)]
pub(super) struct PowerShares {
    cores: f64,
    alpha: f64,
    /// T^alpha of each job, by rank.
    powers: Vec<f64>,
    /// Active jobs with their powers, by rank; none where all powers are 1.
    active: Vec<(Rank, f64)>,
    /// S: the sum of the active jobs' powers.
    sum: f64,
    /// The waiting jobs.
    waiting: BTreeSet<JobPlace>,
    /// By rank: where a job is in `waiting`.
    places: Vec<Option<JobPlace>>,
    /// The job whose place may have changed: a core that becomes free mostly goes to a task of the same job.
    changed: Option<Rank>,
    stages: StagesByJob,
    /// In the offer round after a task's end: the freed core and the job that it served.
    freed: Option<(CoreId, Rank)>,
}

/// A job's place: by how many cores it holds, then by its power, the greatest first, then by rank.
type JobPlace = (u32, u64, Rank);

/// A job's key and rank, and where it is: how many cores it holds, and its power.
type QueuedJob = (u64, Rank, (u32, u64));

impl PowerShares {
    pub(super) fn new(context: &Context, alpha: f64) -> PowerShares {
        PowerShares {
            cores: f64::from(context.cores()),
            alpha,
            powers: Vec::new(),
            active: Vec::new(),
            sum: 0.0,
            waiting: BTreeSet::new(),
            places: Vec::new(),
            changed: None,
            stages: StagesByJob::default(),
            freed: None,
        }
    }

    pub(super) fn job_arrived(&mut self, job: Rank, view: &View) {
        let work = view.job(job).estimate().0.max(1) as f64;
        // Exact where no library is needed.
        let power = match self.alpha {
            0.0 => 1.0,
            1.0 => work,
            -1.0 => 1.0 / work,
            alpha => libm::pow(work, alpha),
        };
        self.powers.push(power);
        self.places.push(None);
        if self.alpha != 0.0 {
            self.active.push((job, power));
        }
        // The last summand.
        self.sum += power;
    }

    pub(super) fn job_ended(&mut self, job: Rank) {
        if self.alpha == 0.0 {
            self.sum -= 1.0;
            return;
        }
        if let Ok(index) = self.active.binary_search_by_key(&job, |(other, _)| *other) {
            self.active.remove(index);
        }
        self.sum = self.active.iter().map(|(_, power)| power).sum();
    }

    /// The counts of a stage have changed; a number that orders it in its job.
    pub(super) fn counts_changed(&mut self, stage: StageView, order: u32) {
        self.stages.stage_changed(stage, order);
        let job = stage.job();
        if let Some(other) = self.changed.replace(job).filter(|&other| other != job) {
            self.set_place(stage.view().job(other));
        }
    }

    fn set_place(&mut self, job: JobView) {
        self.set_held(job.rank(), (job.pending() > 0).then(|| job.held()));
    }

    /// Sets how many cores a waiting job holds; `None` if it does not wait.
    fn set_held(&mut self, job: Rank, held: Option<u32>) {
        let place = held.map(|held| (held, !ordered(self.powers[job.index()]), job));
        let before = std::mem::replace(&mut self.places[job.index()], place);
        if before == place {
            return;
        }
        if let Some(before) = before {
            self.waiting.remove(&before);
        }
        if let Some(place) = place {
            self.waiting.insert(place);
        }
    }

    pub(super) fn offer_started(&mut self, cause: OfferCause, view: &View) {
        self.freed = match cause {
            OfferCause::TaskEnd(Launch { stage, core }) if view.is_free(core) => {
                Some((core, view.stage(stage).job()))
            }
            _ => None,
        };
    }

    pub(super) fn next_task<K: Ord>(
        &mut self,
        view: &View,
        order: impl Fn(StageView) -> K,
    ) -> Option<Launch> {
        if let Some((core, job)) = self.freed.take() {
            let free = view.free_memory_of(view.executor_of(core)).unwrap_or(u64::MAX);
            if let Some(stage) = self.stages.first_stage(view.job(job), free, view, &order) {
                return Some(Launch { stage, core });
            }
        }
        if let Some(changed) = self.changed.take() {
            self.set_place(view.job(changed));
        }
        let most = view.largest_free_memory()?;
        let first_stage = |job| self.stages.first_stage(view.job(job), most, view, &order);
        let stage = self.in_order().find_map(first_stage)?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    /// The waiting jobs by (key, rank).
    fn in_order(&self) -> impl Iterator<Item = Rank> + '_ {
        let mut next = BinaryHeap::new();
        let mut first = self.waiting.first();
        while let Some(&place) = first {
            self.enter(place, &mut next);
            first = self.waiting.range((place.0 + 1, 0, Rank(0))..).next();
        }
        let mut last = None;
        std::iter::from_fn(move || {
            if let Some(Reverse((key, rank, (held, power)))) = last {
                match self.following((held, power, rank)) {
                    Some((_, same, other)) if same == power => {
                        next.push(Reverse((key, other, (held, power))))
                    }
                    // Those of an equal key have been entered.
                    Some(place) if self.key(place.2, held) != key => self.enter(place, &mut next),
                    _ => {}
                }
            }
            last = next.pop();
            last.map(|Reverse((_, rank, _))| rank)
        })
    }

    /// Adds to a heap the job at a place, and the first of each other power that gives the same key where as many cores
    /// are held: these follow each other by rank, and not by power.
    fn enter(&self, place: JobPlace, heap: &mut BinaryHeap<Reverse<QueuedJob>>) {
        let key = self.key(place.2, place.0);
        let mut next = Some(place);
        while let Some((held, power, rank)) = next.filter(|&(held, _, rank)| self.key(rank, held) == key) {
            heap.push(Reverse((key, rank, (held, power))));
            next = self.following((held, power, Rank(u32::MAX)));
        }
    }

    /// The place after another one, where as many cores are held.
    fn following(&self, place: JobPlace) -> Option<JobPlace> {
        let mut after = self.waiting.range((Bound::Excluded(place), Bound::Unbounded));
        after.next().copied().filter(|next| next.0 == place.0)
    }

    /// A number that orders as the first part of the key of a job that holds some cores.
    fn key(&self, job: Rank, held: u32) -> u64 {
        ordered(-(self.due(job) - f64::from(held)))
    }

    /// The cores that a job is due.
    fn due(&self, job: Rank) -> f64 {
        self.cores * (self.powers[job.index()] / self.sum)
    }

    fn running_less_target(&self, job: JobView) -> f64 {
        -(self.due(job.rank()) - f64::from(job.held()))
    }

    /// The first part of a key.
    pub(super) fn part(&self, job: JobView) -> KeyComponent {
        KeyComponent::new(held_less_target(job), Value::Cores(self.running_less_target(job) + 0.0))
    }

    pub(super) fn facts(&self, job: JobView) -> Vec<KeyComponent> {
        vec![
            KeyComponent::new("target of the job", Value::Cores(self.due(job.rank()))),
            KeyComponent::new("running tasks of the job", Value::Tasks(job.running())),
        ]
    }

    pub(super) fn target(&self, job: Rank) -> Option<Target> {
        Some(Target { cores: self.due(job), fair_share: None })
    }
}

/// What the first part of a key is called that a job's target decides.
pub(super) fn held_less_target(job: JobView) -> &'static str {
    if job.keeps_cores() { "cores held less target" } else { "running tasks less target" }
}

/// Why a job goes first whose running tasks less its target are fewest.
pub(super) fn furthest_below_target(first: &Contender, second: &Contender) -> String {
    let [mine, theirs] = [first, second].map(|stage| &stage.key.parts()[0].value);
    let (label, name) = (first.label, &first.key.parts()[0].name);
    format!("{label}'s job is furthest below its target ({name}: {mine} against {theirs}), so it goes first.")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers of which many are equal or give equal keys, and jobs that hold few different numbers of cores.
    #[test]
    fn waiting_jobs_are_in_the_order_of_their_keys() {
        let mut state = 5_u64;
        let mut random = move |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        };
        for round in 0..200 {
            let jobs = 1 + random(40);
            let base = [1e-9, 1.0, 7e12][random(3) as usize];
            let apart = [0, 1, 1 << 20, 1 << 50][random(4) as usize];
            let powers: Vec<f64> =
                (0..jobs).map(|_| f64::from_bits(f64::to_bits(base) + random(5) * apart)).collect();
            let mut shares = PowerShares {
                cores: 1.0 + random(100) as f64,
                alpha: 1.0,
                active: (0..).map(Rank).zip(powers.iter().copied()).collect(),
                sum: powers.iter().sum(),
                places: vec![None; powers.len()],
                powers,
                waiting: BTreeSet::new(),
                changed: None,
                stages: StagesByJob::default(),
                freed: None,
            };
            for _ in 0..100 {
                let held = if random(4) == 0 { None } else { Some(random(3) as u32) };
                shares.set_held(Rank(random(jobs) as u32), held);
                let keys = shares.places.iter().flatten().map(|&(held, _, job)| (shares.key(job, held), job));
                let mut expected: Vec<(u64, Rank)> = keys.collect();
                expected.sort_unstable();
                let found: Vec<(u64, Rank)> = (shares.in_order())
                    .map(|job| {
                        (shares.places[job.index()].map_or(0, |(held, ..)| shares.key(job, held)), job)
                    })
                    .collect();
                assert_eq!(found, expected, "round {round}");
            }
        }
    }
}
