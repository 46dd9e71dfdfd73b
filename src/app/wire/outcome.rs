//! What the page knows of one policy's simulation.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::source::Source;
use super::{Undecodable, decode};
use crate::app::shared::Shared;
use crate::ids::{CoreId, JobId};
use crate::metrics::{self, Inversion, Straggler, Summary};
use crate::scenario::Scenario;
use crate::trace::{
    self, At, CoreIndex, Journal, Load, LoadIndex, QueueIndex, RankedQueue, Trace, VirtualTimeSeries,
};
use crate::units::{Span, Time};

/// One policy's simulation, ready to be shown. Everything in it was found out by a worker, but for what is only
/// read or made once somebody asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What was simulated.
    pub scenario: Shared<Scenario>,
    /// What happened.
    pub trace: Trace,
    /// When the last task ends.
    pub end: Time,
    /// The trace by core; made when first asked for, which most schedules of a drag never are.
    pub(super) index: OnceCell<CoreIndex>,
    /// Response time of every job alone on the idle cluster.
    pub alone: Vec<Span>,
    /// All figures. Those against practical UJF and of what blocks jobs come with careful simulations.
    pub summary: Summary,
    /// The trace's fingerprint.
    pub hash: u64,
    /// Who runs and who waits at any instant, and when that changes.
    pub(super) load: Rc<LoadIndex>,
    /// What only a careful simulation brings.
    pub detail: Option<Detail>,
}

/// What a careful simulation brings beyond the schedule and its figures.
#[derive(Debug)]
pub struct Detail {
    /// Whether the trace keeps the rules; else the rule it breaks.
    pub checks: Result<(), String>,
    /// The bytes of the rest, which lie outside of the page's own memory.
    later: Box<dyn Source>,
    /// For looking up ranked queues; read when first asked for, nothing if damaged.
    queue: OnceCell<Option<(Journal, QueueIndex)>>,
    /// Each job's waits behind cores held by others with a later turn, empty under policies that know none;
    /// and each stage's straggler. Read when first asked for.
    blocking: OnceCell<(Vec<Vec<Inversion>>, Vec<Straggler>)>,
}

impl Detail {
    /// Keeps bytes for later.
    ///
    /// # Errors
    /// They are no such bytes. What lies within them is only found out when they are read.
    pub(super) fn new(checks: Result<(), String>, later: Box<dyn Source>) -> Result<Detail, Undecodable> {
        if !decode::are_for_later(&*later) {
            return Err(Undecodable::Damaged);
        }
        Ok(Detail { checks, later, queue: OnceCell::new(), blocking: OnceCell::new() })
    }
}

impl Clone for Detail {
    fn clone(&self) -> Self {
        Detail {
            checks: self.checks.clone(),
            later: self.later.another(),
            queue: self.queue.clone(),
            blocking: self.blocking.clone(),
        }
    }
}

impl PartialEq for Detail {
    fn eq(&self, other: &Self) -> bool {
        // The rest follows from scenario and policy.
        self.checks == other.checks
    }
}

impl Outcome {
    /// The trace by core; the first call takes time in proportion to the tasks.
    pub fn index(&self) -> &CoreIndex {
        self.index.get_or_init(|| CoreIndex::new(&self.trace))
    }

    /// When a job would finish under the ideal fluid UJF.
    pub fn ideal(&self, job: JobId) -> Option<Time> {
        let finish = self.summary.fluid.reference.finishes.get(job.index())?;
        Some(Time(finish.round() as u64))
    }

    fn queue(&self) -> Option<&(Journal, QueueIndex)> {
        let detail = self.detail.as_ref()?;
        let read = || {
            // Each by itself is in bounds; only together are they known to tell one story.
            if self.trace.hash() != self.hash {
                return None;
            }
            let journal = decode::journal(&*detail.later, &self.scenario, &self.trace).ok()?;
            let index = QueueIndex::with_loads(&self.scenario, &self.trace, &journal, Rc::clone(&self.load));
            Some((journal, index))
        };
        detail.queue.get_or_init(read).as_ref()
    }

    fn blocking(&self) -> Option<&(Vec<Vec<Inversion>>, Vec<Straggler>)> {
        let detail = self.detail.as_ref()?;
        let read = || decode::blocking(&*detail.later, &self.trace).unwrap_or_default();
        Some(detail.blocking.get_or_init(read))
    }

    /// The first `most` stages of the ranked queue at a decision or an instant, once the careful
    /// simulation is there.
    pub fn ranked_queue(&self, at: At, most: usize) -> Option<RankedQueue> {
        let (journal, index) = self.queue()?;
        if let At::Dispatch(task) = at {
            self.trace.tasks.get(task)?;
        }
        Some(trace::ranked_queue(&self.scenario, &self.trace, journal, index, at, most))
    }

    /// The policy's virtual time and the deadlines of some jobs over real time.
    pub fn virtual_time(&self, jobs: &[JobId]) -> Option<VirtualTimeSeries> {
        let (journal, _) = self.queue()?;
        Some(trace::virtual_time_series(&self.scenario, &self.trace, journal, jobs))
    }

    /// Stretches of cores held while a chosen job (any, if none is chosen) with an earlier turn waits.
    /// Empty under policies whose order changes with every launch, which know no inversion.
    pub fn inversions(&self, chosen: &BTreeSet<JobId>) -> Vec<(CoreId, Time, Time)> {
        let jobs = (0..).map(JobId).zip(self.blocking().into_iter().flat_map(|(inversions, _)| inversions));
        let wanted = jobs.filter(|(job, _)| chosen.is_empty() || chosen.contains(job));
        let held = wanted.flat_map(|(_, inversions)| inversions).flat_map(|inversion| {
            inversion.holders.iter().map(|&run| {
                let run = &self.trace.tasks[run as usize];
                (run.core, run.start.max(inversion.from), run.end.min(inversion.to))
            })
        });
        let mut stretches: Vec<_> = held.collect();
        stretches.sort_unstable();
        stretches.dedup();
        stretches
    }

    /// How long a job has waited behind cores held by others with a later turn; `None` under policies that
    /// know no inversion, or before the careful simulation is there.
    pub fn inversion_of(&self, job: JobId) -> Option<Span> {
        self.summary.blocking.as_ref()?.inversion.as_ref()?.get(job.index()).copied()
    }

    /// Stragglers of chosen jobs' stages (any, if none is chosen) and the cores that idle behind them.
    pub fn stragglers(&self, chosen: &BTreeSet<JobId>) -> Vec<(CoreId, Time, Time)> {
        let wanted = |straggler: &&Straggler| {
            straggler.idle.0 > 0 && (chosen.is_empty() || chosen.contains(&straggler.job))
        };
        let mut stretches = Vec::new();
        let all = self.blocking().into_iter().flat_map(|(_, stragglers)| stragglers);
        for straggler in all.filter(wanted) {
            let run = &self.trace.tasks[straggler.run as usize];
            stretches.push((run.core, straggler.from.max(run.start), straggler.to));
            let idle = metrics::idle_behind(&self.trace, self.index(), straggler);
            stretches.extend(idle.into_iter().map(|core| (core.core, core.from, core.to)));
        }
        stretches
    }

    /// The first instant of change after another.
    pub fn next_instant(&self, at: Time) -> Option<Time> {
        self.load.next_instant(&self.trace, at)
    }

    /// The last instant of change before another.
    pub fn previous_instant(&self, at: Time) -> Option<Time> {
        self.load.previous_instant(&self.trace, at)
    }

    /// Each user's running and waiting tasks at an instant.
    pub fn load_at(&self, at: Time) -> Vec<Load> {
        self.load.at(&self.trace, at)
    }
}
