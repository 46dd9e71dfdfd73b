//! What a worker sends back, as bytes: small, without names, the same on both sides.

use std::collections::BTreeSet;

use super::shared::Shared;
use crate::engine;
use crate::ids::{CoreId, JobId, UserId};
use crate::metrics::{self, Inversion, Reference, Straggler, Summary};
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::Scenario;
use crate::trace::{
    self, At, CoreIndex, JobRun, Journal, Load, LoadIndex, QueueIndex, RankedQueue, TaskRun, Trace,
    VirtualTimeSeries,
};
use crate::units::{Span, Time};

/// One policy's simulation, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What was simulated.
    pub scenario: Shared<Scenario>,
    /// What happened.
    pub trace: Trace,
    /// The trace by core and by instant.
    pub index: CoreIndex,
    /// Response time of every job alone on the idle cluster.
    pub alone: Vec<Span>,
    /// All figures. Those against practical UJF and of what blocks jobs come with careful simulations.
    pub summary: Summary,
    /// The trace's fingerprint.
    pub hash: u64,
    /// Who runs and who waits at any instant.
    load: LoadIndex,
    /// When each job would finish under the ideal fluid UJF, by place in the file.
    pub ideal: Vec<Time>,
    /// What only a careful simulation brings.
    pub detail: Option<Detail>,
}

/// How much is wanted of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// The schedule alone, as fast as can be: something is being dragged.
    Quick,
    /// With its journal and its checks.
    Full,
}

impl Care {
    /// The word for messages.
    pub fn word(self) -> &'static str {
        match self {
            Care::Quick => "quick",
            Care::Full => "full",
        }
    }
}

/// What a careful simulation brings beyond the schedule.
#[derive(Clone, Debug)]
pub struct Detail {
    /// Whether the trace keeps the rules; else the rule it breaks.
    pub checks: Result<(), String>,
    /// What the policy did inside.
    pub journal: Journal,
    /// For looking up ranked queues.
    queue: QueueIndex,
    /// Each job's waits behind cores held by others with a later turn; empty under policies that know none.
    inversions: Vec<Vec<Inversion>>,
    /// Each stage's straggler.
    stragglers: Vec<Straggler>,
}

/// What a worker sends of a careful simulation besides the schedule.
#[derive(Clone, Debug)]
pub struct Careful {
    /// Whether the trace keeps the rules; else the rule it breaks.
    pub checks: Result<(), String>,
    /// What the policy did inside.
    pub journal: Journal,
    /// When each job finishes under practical UJF with the same partitioning, by place in the file.
    pub ujf: Vec<Time>,
}

impl PartialEq for Detail {
    fn eq(&self, other: &Self) -> bool {
        // The index follows from the journal and the trace.
        self.checks == other.checks && self.journal == other.journal
    }
}

impl Outcome {
    /// Completes a trace with all that is shown of it.
    pub fn new(
        scenario: &Shared<Scenario>,
        trace: Trace,
        alone: Vec<Span>,
        careful: Option<Careful>,
    ) -> Outcome {
        let summary = Summary::new(scenario, &trace, &alone);
        let (summary, detail) = match careful {
            None => (summary, None),
            Some(Careful { checks, journal, ujf }) => {
                let inversions = metrics::inversions(scenario, &trace, &journal);
                let stragglers = metrics::stragglers(&trace);
                let ujf = ujf.into_iter().map(|finish| finish.0 as f64).collect();
                let summary = summary.against_ujf(&trace, Reference::new(scenario, ujf)).blocked(
                    &trace,
                    inversions.as_deref(),
                    &stragglers,
                );
                let queue = QueueIndex::new(scenario, &trace, &journal);
                let inversions = inversions.unwrap_or_default();
                (summary, Some(Detail { checks, journal, queue, inversions, stragglers }))
            }
        };
        let ideal = summary.fluid.reference.finishes.iter().map(|micros| Time(micros.round() as u64));
        Outcome {
            index: CoreIndex::new(&trace),
            hash: trace.hash(),
            load: LoadIndex::new(scenario, &trace),
            ideal: ideal.collect(),
            summary,
            scenario: scenario.clone(),
            trace,
            alone,
            detail,
        }
    }

    /// The first `most` stages of the ranked queue at a decision or an instant, once the careful
    /// simulation is there.
    pub fn ranked_queue(&self, at: At, most: usize) -> Option<RankedQueue> {
        let detail = self.detail.as_ref()?;
        if let At::Dispatch(task) = at {
            self.trace.tasks.get(task)?;
        }
        Some(trace::ranked_queue(&self.scenario, &self.trace, &detail.journal, &detail.queue, at, most))
    }

    /// The policy's virtual time and the deadlines of some jobs over real time.
    pub fn virtual_time(&self, jobs: &[JobId]) -> Option<VirtualTimeSeries> {
        let detail = self.detail.as_ref()?;
        Some(trace::virtual_time_series(&self.scenario, &self.trace, &detail.journal, jobs))
    }

    /// Stretches of cores held while a chosen job (any, if none is chosen) with an earlier turn waits.
    /// Empty under policies whose order changes with every launch, which know no inversion.
    pub fn inversions(&self, chosen: &BTreeSet<JobId>) -> Vec<(CoreId, Time, Time)> {
        let jobs = (0..).map(JobId).zip(self.detail.iter().flat_map(|detail| &detail.inversions));
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
        let inversions = &self.detail.as_ref()?.inversions;
        inversions.get(job.index()).map(|inversions| metrics::inversion_time(inversions))
    }

    /// Stragglers of chosen jobs' stages (any, if none is chosen) and the cores that idle behind them.
    pub fn stragglers(&self, chosen: &BTreeSet<JobId>) -> Vec<(CoreId, Time, Time)> {
        let wanted = |straggler: &&Straggler| {
            straggler.idle.0 > 0 && (chosen.is_empty() || chosen.contains(&straggler.job))
        };
        let mut stretches = Vec::new();
        for straggler in self.detail.iter().flat_map(|detail| &detail.stragglers).filter(wanted) {
            let run = &self.trace.tasks[straggler.run as usize];
            stretches.push((run.core, straggler.from.max(run.start), straggler.to));
            let idle = metrics::idle_behind(&self.trace, &self.index, straggler);
            stretches.extend(idle.into_iter().map(|core| (core.core, core.from, core.to)));
        }
        stretches
    }

    /// Each user's running and waiting tasks at an instant.
    pub fn load_at(&self, at: Time) -> Vec<Load> {
        self.load.at(&self.trace, at)
    }
}

/// Checks a trace against the rules and against the figures that are shown of it.
///
/// # Errors
/// The rule it breaks, in words.
pub fn checked(scenario: &Scenario, trace: &Trace) -> Result<(), String> {
    trace::check(scenario, trace).map_err(|fault| fault.to_string())
}

/// When each job finishes, by place in the file.
pub fn finishes(trace: &Trace) -> Vec<Time> {
    trace.jobs.iter().map(|job| job.finish).collect()
}

/// A message from a worker that does not follow this module, such as one cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the worker's answer is damaged")]
pub struct Damaged;

/// Says which version of this layout the bytes follow.
const MAGIC: u64 = u64::from_le_bytes(*b"fairwir2");

/// The policy whose finish times those under this one are measured against.
pub fn reference_of(policy: PolicyId) -> PolicyId {
    PolicyId { kind: PolicyKind::Ujf, ..policy }
}

/// Writes a trace, its jobs' lone response times and, of a careful simulation, when they finish under
/// practical UJF.
pub fn encode(trace: &Trace, alone: &[Span], ujf: Option<&[Time]>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(40 + trace.tasks.len() * 32 + trace.jobs.len() * 24);
    let mut put = |value: u64| bytes.extend_from_slice(&value.to_le_bytes());
    put(MAGIC);
    put(trace.tasks.len() as u64);
    put(trace.jobs.len() as u64);
    for (job, alone) in trace.jobs.iter().zip(alone) {
        put(job.finish.0);
        put(alone.0);
    }
    for finish in ujf.into_iter().flatten() {
        put(finish.0);
    }
    for run in &trace.tasks {
        put(pair(run.job.0, run.stage));
        put(pair(run.task, run.core.0));
        put(run.start.0);
        put(run.end.0);
    }
    bytes
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Reads what [`encode`] wrote, for the scenario and policy that were asked for.
///
/// # Errors
/// [`Damaged`] if the bytes are not of this layout or do not fit the scenario.
pub fn decode(
    bytes: &[u8],
    scenario: &Shared<Scenario>,
    policy: PolicyId,
    detail: Option<(Result<(), String>, &[u8])>,
) -> Result<Outcome, Damaged> {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().ok_or(Damaged);
    let (magic, tasks, jobs) = (next()?, next()?, next()?);
    if jobs != scenario.jobs.len() as u64 {
        return Err(Damaged);
    }
    let of_jobs = if detail.is_some() { 3 * jobs } else { 2 * jobs };
    let expected = tasks.checked_mul(4).and_then(|words| words.checked_add(3 + of_jobs)).ok_or(Damaged)?;
    let fits = expected == bytes.len() as u64 / 8;
    if magic != MAGIC || !rest.is_empty() || !fits {
        return Err(Damaged);
    }
    let mut runs = Vec::with_capacity(scenario.jobs.len());
    let mut alone = Vec::with_capacity(scenario.jobs.len());
    for job in &scenario.jobs {
        runs.push(JobRun { user: UserId(job.user.0), arrival: job.arrival, finish: Time(next()?) });
        alone.push(Span(next()?));
    }
    let mut ujf = Vec::new();
    if detail.is_some() {
        for _ in 0..jobs {
            ujf.push(Time(next()?));
        }
    }
    let cores = scenario.cluster.cores();
    let mut list = Vec::with_capacity(tasks as usize);
    for _ in 0..tasks {
        let (of, place, start, end) = (next()?, next()?, next()?, next()?);
        let run = TaskRun {
            job: JobId(of as u32),
            stage: (of >> 32) as u32,
            task: place as u32,
            core: CoreId((place >> 32) as u32),
            start: Time(start),
            end: Time(end),
        };
        if run.core.0 >= cores || run.job.index() >= runs.len() {
            return Err(Damaged);
        }
        list.push(run);
    }
    let trace = Trace {
        scenario: scenario.name.clone(),
        policy,
        cores,
        users: scenario.users.iter().map(|user| user.name.clone()).collect(),
        tasks: list,
        jobs: runs,
    };
    let detail = match detail {
        None => None,
        Some((checks, bytes)) => {
            let journal = Journal::from_bytes(bytes, scenario, &trace).map_err(|_| Damaged)?;
            Some(Careful { checks, journal, ujf })
        }
    };
    Ok(Outcome::new(scenario, trace, alone, detail))
}

/// Simulates here and now what a worker would have sent: for tests, and for a page without workers.
pub fn simulate_here(scenario: &Shared<Scenario>, policy: PolicyId) -> Shared<Outcome> {
    let alone = metrics::alone_responses(scenario, policy);
    let record = engine::simulate_with_journal(scenario, policy, &mut |_| engine::Control::Continue);
    let (trace, journal) = record.expect("nobody asks to stop");
    let checks = checked(scenario, &trace);
    let ujf = finishes(&engine::simulate(scenario, reference_of(policy)));
    Shared::new(Outcome::new(scenario, trace, alone, Some(Careful { checks, journal, ujf })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::catalog;

    #[test]
    fn what_is_sent_arrives_and_damage_is_noticed() {
        let scenario = Shared::new(catalog::find("two-users").expect("an entry").scenario());
        let policy = "uwfq-p".parse().expect("a policy");
        let outcome = simulate_here(&scenario, policy);
        let ujf = finishes(&engine::simulate(&scenario, "ujf-p".parse().expect("a policy")));
        let bytes = encode(&outcome.trace, &outcome.alone, Some(&ujf));
        let journal = outcome.detail.as_ref().expect("a careful simulation").journal.to_bytes();
        let decoded = decode(&bytes, &scenario, policy, Some((Ok(()), &journal)));
        assert_eq!(decoded.as_ref(), Ok(&*outcome));
        assert_eq!(decode(&bytes, &scenario, policy, Some((Ok(()), &journal[1..]))), Err(Damaged));
        assert_eq!(decode(&bytes[..bytes.len() - 8], &scenario, policy, None), Err(Damaged));
        assert_eq!(decode(&bytes[..bytes.len() - 1], &scenario, policy, None), Err(Damaged));
        assert_eq!(decode(&[], &scenario, policy, None), Err(Damaged));
        // In haste there is no journal and nothing about UJF.
        let bytes_in_haste = encode(&outcome.trace, &outcome.alone, None);
        let in_haste = decode(&bytes_in_haste, &scenario, policy, None).expect("sound bytes");
        assert_eq!((&in_haste.trace, &in_haste.summary.ujf), (&outcome.trace, &None));
        assert_eq!(decode(&bytes_in_haste, &scenario, policy, Some((Ok(()), &journal))), Err(Damaged));
        assert_eq!(decode(&bytes, &scenario, policy, None), Err(Damaged));
        let other = Shared::new(catalog::find("skew").expect("an entry").scenario());
        assert_eq!(decode(&bytes, &other, policy, None), Err(Damaged));
    }
}
