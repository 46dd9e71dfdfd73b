//! Section 28: cores that belong to jobs.

use super::policies::{self, Launch};
use super::{Phase, Simulation};

impl Simulation<'_> {
    /// An offer round, in which jobs use only their own cores; after a task's end with the core that it freed and the
    /// job that this served.
    pub(super) fn own_round(&mut self, freed: Option<(usize, usize)>) {
        if let Some((core, job)) = freed
            && self.state.owner(core) == Some(job)
        {
            let (_, stage) = self.state.cores[core].last.unwrap();
            let waits =
                self.state.pending(job, stage) > 0 && self.policy.lets_launch(&self.state, job, stage);
            if waits && self.state.fits(job, stage, core) {
                self.launch(Launch { job, stage, core });
            }
        }
        while let Some(launch) = self.next_own_task() {
            self.launch(launch);
        }
    }

    fn next_own_task(&self) -> Option<Launch> {
        let may_launch = |&(job, stage): &(usize, usize)| self.policy.lets_launch(&self.state, job, stage);
        let launches = self.state.waiting().into_iter().filter(may_launch).filter_map(|(job, stage)| {
            let own =
                |&core: &usize| self.state.owner(core) == Some(job) && self.state.fits(job, stage, core);
            let mut cores: Vec<usize> = (0..self.state.cores.len()).filter(own).collect();
            cores.sort_by_key(|&core| (self.state.cores[core].last != Some((job, stage)), core));
            Some(Launch { job, stage, core: *cores.first()? })
        });
        let key = |launch: &Launch| self.policy.key_on(&self.state, launch.job, launch.stage, launch.core);
        launches.min_by(|a, b| policies::compare(&key(a), &key(b)))
    }

    /// The need of a job that has not ended.
    fn need(&self, job: usize) -> usize {
        let stages = self.state.setting.jobs[job].stages.iter().zip(&self.state.counts[job]);
        stages.map(|(stage, counts)| stage.tasks.len() - counts.launched).sum()
    }

    fn free_of(&self, job: usize) -> Vec<usize> {
        let cores = 0..self.state.cores.len();
        cores.filter(|&core| self.state.is_free(core) && self.state.owner(core) == Some(job)).collect()
    }

    /// Step 1: the first of the free cores.
    fn core_to_give(&self) -> Option<usize> {
        let mut cores = 0..self.state.cores.len();
        if let Some(core) = cores.find(|&core| self.state.is_free(core) && self.state.owner(core).is_none()) {
            return Some(core);
        }
        let mut spare: Vec<(usize, usize)> = Vec::new();
        for job in self.state.active_jobs() {
            let free = self.free_of(job).len();
            if free > self.need(job) {
                spare.push((free - self.need(job), job));
            }
        }
        // Stable: ties stay in the order of rank.
        spare.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
        spare.first().map(|&(_, job)| self.free_of(job)[0])
    }

    /// Step 2.
    fn accepts(&self, job: usize) -> bool {
        let below_target = self
            .policy
            .target(&self.state, job)
            .is_none_or(|target| (self.state.held_by_job(job) as f64) < target);
        self.state.phases[job] == Phase::Started && self.free_of(job).len() < self.need(job) && below_target
    }

    /// Step 3: the job that a core goes to.
    fn taker(&self, core: usize) -> Option<usize> {
        let mut first: Option<(policies::Key, usize)> = None;
        for job in self.state.active_jobs().into_iter().filter(|&job| self.accepts(job)) {
            for (stage, counts) in self.state.counts[job].iter().enumerate() {
                let pending = self.state.setting.jobs[job].stages[stage].tasks.len() - counts.launched;
                if pending == 0 || !(counts.submitted || self.policy.ranks_all()) {
                    continue;
                }
                let key = self.policy.key_on(&self.state, job, stage, core);
                if first.as_ref().is_none_or(|(least, _)| policies::compare(&key, least).is_lt()) {
                    first = Some((key, job));
                }
            }
        }
        first.map(|(_, job)| job)
    }

    /// No event of this instant is left.
    pub(super) fn give_cores(&mut self) {
        while let Some(core) = self.core_to_give()
            && let Some(job) = self.taker(core)
        {
            self.state.cores[core].owner = Some(job);
            self.state.cores[core].given = self.state.now;
            self.offer_round(None);
        }
    }
}
