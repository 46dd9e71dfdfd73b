//! Sessions: the jobs that arrive when others have ended, and micro-batches, which a late one takes with it
//! (docs/model.md section 13).

use std::rc::Rc;

use crate::ids::JobId;
use crate::scenario::{Predecessor, Scenario};
use crate::units::Time;

/// The jobs that follow others.
#[derive(Clone, Debug)]
pub(super) struct Followers {
    /// By job: those that follow it; empty if no arrival follows from another job.
    by_job: Rc<[Vec<JobId>]>,
    /// By job: the micro-batch that it arrived in, by index; empty if no job is a micro-batch.
    batch_of: Vec<Option<usize>>,
    batches: Vec<Batch>,
}

/// Jobs of a stream that have arrived together.
#[derive(Clone, Debug)]
struct Batch {
    jobs: Vec<JobId>,
    /// How many of them have not ended.
    open: usize,
    /// When the last of those ended that have.
    end: Time,
}

impl Followers {
    pub(super) fn new(scenario: &Scenario) -> Followers {
        let jobs = scenario.jobs().len();
        let mut by_job = vec![Vec::new(); if scenario.has_sessions() { jobs } else { 0 }];
        let mut has_batches = false;
        for job in (0..jobs as u32).map(JobId) {
            if let Some(before) = scenario.predecessor(job) {
                by_job[before.job.index()].push(job);
                has_batches |= before.batch;
            }
        }
        let batch_of = vec![None; if has_batches { jobs } else { 0 }];
        Followers { by_job: by_job.into(), batch_of, batches: Vec::new() }
    }

    fn of(&self, scenario: &Scenario, job: JobId) -> Vec<(JobId, Predecessor)> {
        let followers = self.by_job.get(job.index()).into_iter().flatten();
        followers.filter_map(|&follower| Some((follower, scenario.predecessor(follower)?))).collect()
    }

    /// A job arrives; the micro-batches after it that it takes with it, because their time has come.
    pub(super) fn arrive(&mut self, scenario: &Scenario, job: JobId, at: Time) -> Vec<JobId> {
        let Some(&known) = self.batch_of.get(job.index()) else { return Vec::new() };
        let index = known.unwrap_or_else(|| {
            self.batches.push(Batch { jobs: vec![job], open: 1, end: Time::ZERO });
            self.batches.len() - 1
        });
        self.batch_of[job.index()] = Some(index);
        let followers = self.of(scenario, job).into_iter();
        let is_taken = |(follower, before): &(JobId, Predecessor)| {
            before.batch && scenario.jobs()[follower.index()].arrival <= at
        };
        let taken: Vec<JobId> = followers.filter(is_taken).map(|(follower, _)| follower).collect();
        for follower in &taken {
            self.batch_of[follower.index()] = Some(index);
        }
        let batch = &mut self.batches[index];
        batch.open += taken.len();
        batch.jobs.extend(&taken);
        taken
    }

    /// A job has ended; who arrives when because of it.
    pub(super) fn end(&mut self, scenario: &Scenario, job: JobId, at: Time) -> Vec<(Time, JobId)> {
        let followers = self.of(scenario, job).into_iter();
        let sessions = followers.filter(|(_, before)| !before.batch);
        let mut next: Vec<(Time, JobId)> =
            sessions.map(|(follower, before)| (at + before.think, follower)).collect();
        let Some(&Some(index)) = self.batch_of.get(job.index()) else { return next };
        let batch = &mut self.batches[index];
        batch.open -= 1;
        batch.end = batch.end.max(at);
        if batch.open > 0 {
            return next;
        }
        let (end, jobs) = (batch.end, std::mem::take(&mut batch.jobs));
        for (follower, before) in jobs.into_iter().flat_map(|job| self.of(scenario, job)) {
            if before.batch && self.batch_of[follower.index()].is_none() {
                next.push((scenario.jobs()[follower.index()].arrival.max(end + before.think), follower));
            }
        }
        next
    }
}
