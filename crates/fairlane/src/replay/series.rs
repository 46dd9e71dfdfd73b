//! What policies say over a whole simulation: virtual time and deadlines, and the cores that jobs are due.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Replay;
use crate::engine::Observation;
use crate::ids::{JobId, Rank};
use crate::policy::explain::{Target, Value};
use crate::policy::{Policy, StageView, View};
use crate::units::Time;

/// A point: an instant in µs (a fraction, because users and stages leave between microseconds) and
/// a virtual time in core-µs.
pub type SeriesPoint = (f64, f64);

/// A policy's virtual time over real time. Empty for policies that have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VirtualTimeSeries {
    /// V: straight lines between these points, 0 before the first, level after the last.
    pub v: Vec<SeriesPoint>,
    /// The deadlines of the jobs asked about: of each stage under CFQ, of each job under UWFQ.
    pub deadlines: Vec<DeadlineSpan>,
}

/// A deadline and how long it counted.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadlineSpan {
    /// The job.
    pub job: JobId,
    /// The stage whose deadline it is, by index in the job; `None` where it is the job's.
    pub stage: Option<u32>,
    /// When it was set.
    pub from: Time,
    /// When it was replaced, or when the last task it ranked was launched.
    pub to: Time,
    /// D, in core-µs (UWFQ: per unit of weight).
    pub deadline: f64,
}

/// A change of the cores that a policy wants a job to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetChange {
    /// From when on.
    pub at: Time,
    /// The job.
    pub job: JobId,
    /// What it wants, until the job ends or another change follows.
    pub target: Target,
}

impl Replay {
    /// V over the whole simulation, and the deadlines of the jobs given: all of thousands of jobs could not be
    /// distinguished in a plot, and a job's deadline can change with every later one. Simulates once.
    pub fn virtual_time(&self, jobs: &[JobId]) -> VirtualTimeSeries {
        let mut engine = self.start();
        if engine.policy().clock(engine.view()).is_none() {
            return VirtualTimeSeries::default();
        }
        let deadlines = Rc::new(RefCell::new(DeadlineCollector {
            jobs: jobs.iter().copied().collect(),
            ..DeadlineCollector::default()
        }));
        let of_observer = Rc::clone(&deadlines);
        engine.observe(Box::new(move |seen, policy, view| of_observer.borrow_mut().see(seen, policy, view)));
        let (mut v, mut grows): (Vec<SeriesPoint>, bool) = (Vec::new(), true);
        while engine.step() {
            let next = engine.next_instant();
            let now = engine.view().now();
            if next == Some(now) {
                continue;
            }
            // V is straight until the next event, but for virtual finishes before it.
            let mut at = now;
            while let Some(clock) = engine.policy().clock(engine.view()) {
                // What does not grow moves by steps.
                if let Some(&(_, before)) =
                    v.last().filter(|(_, before)| !grows && *before != clock.virtual_time)
                {
                    v.push((at.0 as f64, before));
                }
                v.push((at.0 as f64, clock.virtual_time));
                grows = clock.rate.is_some();
                let Some((rate, bend)) = clock.rate.zip(clock.next) else { break };
                let when = at.0 as f64 + (bend - clock.virtual_time) / rate;
                if next.is_some_and(|next| when >= next.0 as f64) {
                    break;
                }
                v.push((when, bend));
                at = Time((when as u64).max(at.0) + 1);
                if next.is_some_and(|next| at >= next) {
                    break;
                }
                engine.set_now(at);
            }
        }
        drop(engine);
        v.dedup();
        let spans = std::mem::take(&mut deadlines.borrow_mut().spans);
        let deadlines = spans.into_values().flatten().collect();
        VirtualTimeSeries { v, deadlines }
    }

    /// The cores that the policy wants jobs to hold, in the order of time; `None` if it has no such targets. Simulates
    /// once.
    pub fn targets(&self) -> Option<Vec<TargetChange>> {
        let mut engine = self.start();
        if !engine.view().info().targets {
            return None;
        }
        let targets = Rc::new(RefCell::new(Targets::default()));
        let of_observer = Rc::clone(&targets);
        engine.observe(Box::new(move |seen, policy, view| of_observer.borrow_mut().see(seen, policy, view)));
        while engine.step() {}
        Some(targets.take().changes).filter(|changes| !changes.is_empty())
    }
}

/// The deadlines of some jobs so far.
#[derive(Default)]
struct DeadlineCollector {
    jobs: BTreeSet<JobId>,
    /// By job, and by stage where each has its own; in the order of time.
    spans: BTreeMap<(JobId, Option<u32>), Vec<DeadlineSpan>>,
}

impl DeadlineCollector {
    fn see(&mut self, seen: Observation, policy: &dyn Policy, view: &View) {
        match seen {
            Observation::Submission(stage) => self.read(view.stage(stage), policy),
            Observation::Launch(launch) => {
                let stage = view.stage(launch.stage);
                for key in [(stage.job_view().id(), None), (stage.job_view().id(), Some(stage.position()))] {
                    if let Some(span) = self.spans.get_mut(&key).and_then(|spans| spans.last_mut()) {
                        span.to = view.now();
                    }
                }
            }
            Observation::Arrival(_)
            | Observation::End(_)
            | Observation::JobEnd(_)
            | Observation::InstantEnd => {}
        }
        // A submission may move the deadlines of its user's other jobs.
        if let Observation::Submission(stage) = seen {
            let user = view.stage(stage).user();
            let jobs = std::mem::take(&mut self.jobs);
            for other in
                view.waiting().filter(|other| other.user() == user && jobs.contains(&other.job_view().id()))
            {
                self.read_of(other, policy);
            }
            self.jobs = jobs;
        }
    }

    fn read(&mut self, stage: StageView, policy: &dyn Policy) {
        if self.jobs.contains(&stage.job_view().id()) {
            self.read_of(stage, policy);
        }
    }

    /// Reads the deadline of a stage now.
    fn read_of(&mut self, stage: StageView, policy: &dyn Policy) {
        let (job, now) = (stage.job_view().id(), stage.view().now());
        let (position, deadline) = match policy.key(stage).parts()[0].value {
            Value::WorkPerWeight(deadline) => (None, deadline),
            Value::Work(deadline) => (Some(stage.position()), deadline),
            _ => return,
        };
        let spans = self.spans.entry((job, position)).or_default();
        match spans.last_mut() {
            Some(last) if last.deadline == deadline => last.to = now,
            last => {
                if let Some(last) = last {
                    last.to = now;
                }
                spans.push(DeadlineSpan { job, stage: position, from: now, to: now, deadline });
            }
        }
    }
}

/// The targets of the active jobs so far.
#[derive(Default)]
struct Targets {
    active: BTreeMap<Rank, Option<Target>>,
    changes: Vec<TargetChange>,
}

impl Targets {
    fn see(&mut self, seen: Observation, policy: &dyn Policy, view: &View) {
        match seen {
            Observation::Arrival(job) => _ = self.active.insert(job, None),
            Observation::JobEnd(job) => _ = self.active.remove(&job),
            Observation::Submission(_) => {}
            Observation::Launch(_) | Observation::End(_) | Observation::InstantEnd => return,
        }
        for (&job, before) in &mut self.active {
            let now = policy.target(job, view);
            if let Some(target) = now.filter(|_| now != *before) {
                *before = now;
                self.changes.push(TargetChange { at: view.now(), job: view.job(job).id(), target });
            }
        }
    }
}
