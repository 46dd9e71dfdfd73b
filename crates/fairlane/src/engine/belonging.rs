//! Cores that belong to jobs: a job keeps its cores from stage to stage, and gets another only by a gift (docs/model.md
//! section 28).

use std::cmp::Reverse;
use std::ops::Range;

use super::Engine;
use crate::ids::{CoreId, Rank, StageIndex};
use crate::policy::explain::Key;
use crate::policy::{JobPhase, Launch, OfferCause, Policy, RankedFrom, StageView, View, custom};
use crate::scenario::Cluster;
use crate::units::Time;

/// To whom each core belongs.
#[derive(Clone)]
pub(super) struct Belonging {
    cores: Vec<OwnedCore>,
    /// The jobs that may have begun and not ended, and how many had arrived when that was last looked at.
    begun: Vec<Rank>,
    arrived: u32,
}

/// A core and the job that it belongs to. One that has ended holds nothing any more.
#[derive(Clone, Copy, Default)]
struct OwnedCore {
    job: Option<Rank>,
    /// When it was given to the job.
    given: Time,
    /// The stage of its last task.
    last: Option<StageIndex>,
}

/// What a job holds, and what it could use.
struct JobNeed {
    rank: Rank,
    /// Its tasks that are not launched, of all stages.
    need: usize,
    /// Its free cores, ascending.
    free: Vec<CoreId>,
}

impl JobNeed {
    fn spare(&self) -> usize {
        self.free.len().saturating_sub(self.need)
    }
}

impl Belonging {
    /// `None` if cores belong to nobody.
    pub(super) fn new(cluster: &Cluster) -> Option<Belonging> {
        cluster.executors_belong.is_some().then(|| Belonging {
            cores: vec![OwnedCore::default(); cluster.cores() as usize],
            begun: Vec::new(),
            arrived: 0,
        })
    }

    /// Some cores have joined: they have run nothing and belong to nobody.
    pub(super) fn forget(&mut self, cores: Range<u32>) {
        self.cores[cores.start as usize..cores.end as usize].fill(OwnedCore::default());
    }

    /// The job that a core belongs to.
    fn owner(&self, core: CoreId, view: &View) -> Option<Rank> {
        self.cores[core.index()].job.filter(|&job| view.job(job).phase() != JobPhase::Ended)
    }

    /// A task is launched on a core, which then belongs to its job; when it was given to it.
    pub(super) fn launch(&mut self, Launch { stage, core }: Launch, view: &mut View) -> Time {
        let (rank, now) = (view.state(stage).rank, view.now);
        let owned = &mut self.cores[core.index()];
        owned.last = Some(stage);
        if owned.job == Some(rank) {
            view.jobs[rank.index()].free_cores -= 1;
        } else {
            (owned.job, owned.given) = (Some(rank), now);
        }
        owned.given
    }

    /// A task has ended and its core is free, unless its executor takes no more tasks.
    pub(super) fn release(&self, core: CoreId, view: &mut View) {
        if view.is_free(core)
            && let Some(owner) = self.owner(core, view)
        {
            view.jobs[owner.index()].free_cores += 1;
        }
    }

    /// Counts the free cores of each job afresh.
    fn count_free(&self, view: &mut View) {
        self.cores.iter().filter_map(|core| core.job).for_each(|job| view.jobs[job.index()].free_cores = 0);
        let owners: Vec<Rank> = view.every_free_core().filter_map(|core| self.owner(core, view)).collect();
        for owner in owners {
            view.jobs[owner.index()].free_cores += 1;
        }
    }

    /// The free cores of a job, ascending.
    fn free_of<'a>(&'a self, job: Rank, view: &'a View) -> impl Iterator<Item = CoreId> + 'a {
        view.every_free_core().filter(move |&core| self.owner(core, view) == Some(job))
    }

    /// The core for a job's next task of a stage: one whose last task was of the stage, if there is one, else any, the
    /// lowest-numbered that it fits.
    fn core_for(&self, stage: StageView) -> Option<CoreId> {
        let view = stage.view();
        let fitting = self.free_of(stage.job(), view).filter(|&core| view.fits(stage.index(), core));
        fitting.min_by_key(|&core| (self.cores[core.index()].last != Some(stage.index()), core))
    }

    /// Whether a job has arrived and not ended.
    pub(super) fn has_jobs(&self, view: &View) -> bool {
        self.arrived < view.jobs() || self.begun.iter().any(|&job| view.job(job).phase() != JobPhase::Ended)
    }

    /// The free cores that belong to nobody and what each job holds and needs that has begun and not ended.
    fn state(&mut self, view: &View) -> (Vec<CoreId>, Vec<JobNeed>) {
        self.begun.extend((self.arrived..view.jobs()).map(Rank));
        self.arrived = view.jobs();
        self.begun.retain(|&job| view.job(job).phase() != JobPhase::Ended);
        let need = |&rank: &Rank| {
            let job = view.job(rank);
            let need = job.stages().map(|stage| view.not_launched(stage.index()) as usize).sum();
            JobNeed { rank, need, free: Vec::new() }
        };
        let started = self.begun.iter().filter(|&&job| view.job(job).phase() == JobPhase::Started);
        let mut jobs: Vec<JobNeed> = started.map(need).collect();
        let mut unowned = Vec::new();
        for core in view.every_free_core() {
            let owner = self.owner(core, view);
            match owner.and_then(|owner| jobs.binary_search_by_key(&owner, |job| job.rank).ok()) {
                Some(index) => jobs[index].free.push(core),
                None => unowned.push(core),
            }
        }
        (unowned, jobs)
    }
}

impl<P: Policy + ?Sized> Engine<P>
where
    Box<P>: Clone,
{
    /// The next task of an offer round, which uses only a job's own cores: of the stage whose task has freed a core, if
    /// it has more, else of the stage with the least key of those that have such a core.
    pub(super) fn next_own_task(&self, cause: OfferCause, is_first: bool) -> Option<Launch> {
        let (belonging, view) = (self.belonging.as_ref()?, &self.view);
        if let OfferCause::TaskEnd(Launch { stage, core }) = cause
            && is_first
        {
            let of_core = view.stage(stage);
            let is_own = belonging.owner(core, view) == Some(of_core.job());
            if is_own && self.may_launch(of_core) && view.fits(stage, core) {
                return Some(Launch { stage, core });
            }
        }
        if self.policy.moves_cores() {
            return None;
        }
        let mut jobs: Vec<Rank> =
            view.every_free_core().filter_map(|core| belonging.owner(core, view)).collect();
        jobs.sort_unstable();
        jobs.dedup();
        let stages = jobs.into_iter().flat_map(|job| view.job(job).stages());
        let mut ready = stages.filter(|&stage| self.may_launch(stage)).filter_map(|stage| {
            let core = belonging.core_for(stage)?;
            Some((Launch { stage: stage.index(), core }, stage))
        });
        let first = ready.next()?;
        let Some(second) = ready.next() else { return Some(first.0) };
        let all = [first, second].into_iter().chain(ready);
        let key = |&(launch, stage): &(Launch, StageView)| self.policy.key_on(stage, launch.core);
        all.min_by_key(key).map(|(launch, _)| launch)
    }

    /// Whether a stage is submitted, has pending tasks and may launch one.
    fn may_launch(&self, stage: StageView) -> bool {
        stage.is_submitted() && stage.pending() > 0 && self.policy.may_launch(stage)
    }

    /// Executors have come or gone.
    pub(super) fn count_owned(&mut self) {
        if let Some(belonging) = &self.belonging {
            belonging.count_free(&mut self.view);
        }
    }

    /// Gives the cores that nobody uses to jobs that accept them, one by one, each followed by launches on own cores:
    /// nothing more happens at this instant but what follows from these. Whether a task was launched.
    pub(super) fn give_cores(&mut self) -> bool {
        let launched = self.launched;
        if self.policy.moves_cores() {
            self.offer(OfferCause::Gift);
        } else {
            while self.fault.is_none() && self.give_core() {
                self.offer(OfferCause::Gift);
            }
        }
        let has_launched = self.launched > launched;
        if has_launched && self.events.next_tick().is_none() && self.open_jobs > 0 {
            // It may have seemed that nothing could happen any more.
            self.events.resume_ticks(self.view.now);
        }
        has_launched
    }

    /// Gives the first core that nobody uses to the job with the least key that accepts it; false if there is none.
    fn give_core(&mut self) -> bool {
        if self.view.cores.free() == 0 {
            return false;
        }
        let Some(belonging) = &mut self.belonging else { return false };
        let (unowned, jobs) = belonging.state(&self.view);
        let most_spare =
            jobs.iter().filter(|job| job.spare() > 0).max_by_key(|job| (job.spare(), Reverse(job.rank)));
        let Some(core) = unowned.first().copied().or_else(|| Some(most_spare?.free[0])) else { return false };
        let accepting = jobs.iter().filter(|job| self.accepts(job));
        let first = accepting.filter_map(|job| Some((self.least_key(job.rank, core)?, job.rank))).min();
        let Some((_, taker)) = first else { return false };
        let now = self.view.now;
        let Some(belonging) = &mut self.belonging else { return false };
        let owned = &mut belonging.cores[core.index()];
        let giver = owned.job.replace(taker);
        owned.given = now;
        if let Some(giver) = giver {
            let giver = &mut self.view.jobs[giver.index()];
            giver.free_cores = giver.free_cores.saturating_sub(1);
        }
        self.view.jobs[taker.index()].free_cores += 1;
        true
    }

    /// Whether a job takes another core.
    fn accepts(&self, job: &JobNeed) -> bool {
        let below_target = || {
            let target = self.policy.target(job.rank, &self.view);
            target.is_none_or(|target| f64::from(self.view.job(job.rank).held()) < target.cores)
        };
        // A program's targets are for its readers only.
        let is_bounded = self.info.targets && !custom::is_program(self.id.kind);
        job.free.len() < job.need && (!is_bounded || below_target())
    }

    /// The least key of a job's stages with pending tasks, on a core; `None` if no stage has a key yet.
    fn least_key(&self, job: Rank, core: CoreId) -> Option<Key> {
        let is_ranked =
            |stage: &StageView| stage.is_submitted() || self.info.ranked_from == RankedFrom::Arrival;
        let has_tasks = |stage: &StageView| self.view.not_launched(stage.index()) > 0;
        let stages = self.view.job(job).stages().filter(has_tasks).filter(is_ranked);
        stages.map(|stage| self.policy.key_on(stage, core)).min()
    }
}
