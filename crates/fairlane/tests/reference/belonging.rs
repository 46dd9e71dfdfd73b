//! Section 28: cores that belong to jobs.

use super::Simulation;
use super::offers::Choice;
use super::policies;
use super::state::Phase;

impl Simulation<'_> {
    /// An offer round, in which jobs use only their own cores; after a task's end with the core that it freed and the
    /// job that this served.
    pub(super) fn own_round(&mut self, freed: Option<(usize, usize)>) {
        if let Some((core, job)) = freed
            && self.state.owner(core) == Some(job)
        {
            let (_, stage) = self.state.cores[core].last.unwrap();
            let waits = self.state.pending(job, stage) > 0 && self.policy.room(&self.state, job, stage) > 0;
            if waits && self.state.fits(job, stage, core) {
                self.launch_next(job, stage, core);
            }
        }
        while let Some((job, stage, core)) = self.next_own_task() {
            self.launch_next(job, stage, core);
        }
    }

    fn launch_next(&mut self, job: usize, stage: usize, core: usize) {
        let task = self.state.counts[job][stage].pending[0];
        self.launch(job, stage, Choice { task, core, is_copy: false, pass: 3 });
    }

    /// The job and the stage of the task that goes next, and its core.
    fn next_own_task(&self) -> Option<(usize, usize, usize)> {
        let may_launch = |&(job, stage): &(usize, usize)| self.policy.room(&self.state, job, stage) > 0;
        let launches = self.state.waiting().into_iter().filter(may_launch).filter_map(|(job, stage)| {
            let own =
                |&core: &usize| self.state.owner(core) == Some(job) && self.state.fits(job, stage, core);
            let mut cores: Vec<usize> = (0..self.state.cores.len()).filter(own).collect();
            cores.sort_by_key(|&core| (self.state.cores[core].last != Some((job, stage)), core));
            Some((job, stage, *cores.first()?))
        });
        let key =
            |&(job, stage, core): &(usize, usize, usize)| self.policy.key_on(&self.state, job, stage, core);
        launches.min_by(|a, b| policies::compare(&key(a), &key(b)))
    }

    /// The need of a job that has not ended.
    fn need(&self, job: usize) -> usize {
        (0..self.state.counts[job].len()).map(|stage| self.state.not_launched(job, stage)).sum()
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
                if self.state.not_launched(job, stage) == 0 || !(counts.submitted || self.policy.ranks_all())
                {
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
