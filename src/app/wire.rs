//! What a worker sends back, as bytes: small, without names, the same on both sides.

use std::rc::Rc;

use crate::ids::{CoreId, JobId, UserId};
use crate::metrics::{self, Summary};
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::{CoreIndex, JobRun, TaskRun, Trace};
use crate::units::{Span, Time};

/// One policy's simulation, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What happened.
    pub trace: Trace,
    /// The trace by core and by instant.
    pub index: CoreIndex,
    /// Response time of every job alone on the idle cluster.
    pub alone: Vec<Span>,
    /// The row of the table.
    pub summary: Summary,
    /// The trace's fingerprint.
    pub hash: u64,
}

impl Outcome {
    /// Completes a trace with all that is shown of it.
    pub fn new(scenario: &Scenario, trace: Trace, alone: Vec<Span>) -> Outcome {
        let index = CoreIndex::new(&trace);
        let summary = Summary::new(scenario, &trace, &alone);
        let hash = trace.hash();
        Outcome { trace, index, alone, summary, hash }
    }
}

/// A message from a worker that does not follow this module, such as one cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the worker's answer is damaged")]
pub struct Damaged;

/// Says which version of this layout the bytes follow.
const MAGIC: u64 = u64::from_le_bytes(*b"fairwir1");

/// Writes a trace and its jobs' lone response times.
pub fn encode(trace: &Trace, alone: &[Span]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(40 + trace.tasks.len() * 32 + trace.jobs.len() * 16);
    let mut put = |value: u64| bytes.extend_from_slice(&value.to_le_bytes());
    put(MAGIC);
    put(trace.tasks.len() as u64);
    put(trace.jobs.len() as u64);
    for (job, alone) in trace.jobs.iter().zip(alone) {
        put(job.finish.0);
        put(alone.0);
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
pub fn decode(bytes: &[u8], scenario: &Scenario, policy: PolicyId) -> Result<Outcome, Damaged> {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().ok_or(Damaged);
    let (magic, tasks, jobs) = (next()?, next()?, next()?);
    let expected = tasks.checked_mul(4).and_then(|words| words.checked_add(3 + 2 * jobs)).ok_or(Damaged)?;
    let fits = jobs == scenario.jobs.len() as u64 && expected == bytes.len() as u64 / 8;
    if magic != MAGIC || !rest.is_empty() || !fits {
        return Err(Damaged);
    }
    let mut runs = Vec::with_capacity(scenario.jobs.len());
    let mut alone = Vec::with_capacity(scenario.jobs.len());
    for job in &scenario.jobs {
        runs.push(JobRun { user: UserId(job.user.0), arrival: job.arrival, finish: Time(next()?) });
        alone.push(Span(next()?));
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
    Ok(Outcome::new(scenario, trace, alone))
}

/// Simulates here and now what a worker would have sent: for tests, and for a page without workers.
pub fn simulate_here(scenario: &Scenario, policy: PolicyId) -> Rc<Outcome> {
    let alone = metrics::alone_responses(scenario, policy);
    Rc::new(Outcome::new(scenario, crate::simulate(scenario, policy), alone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::catalog;

    #[test]
    fn what_is_sent_arrives_and_damage_is_noticed() {
        let scenario = catalog::find("two-users").expect("an entry").scenario();
        let policy = "uwfq-p".parse().expect("a policy");
        let outcome = simulate_here(&scenario, policy);
        let bytes = encode(&outcome.trace, &outcome.alone);
        assert_eq!(decode(&bytes, &scenario, policy).as_ref(), Ok(outcome.as_ref()));
        assert_eq!(decode(&bytes[..bytes.len() - 8], &scenario, policy), Err(Damaged));
        assert_eq!(decode(&bytes[..bytes.len() - 1], &scenario, policy), Err(Damaged));
        assert_eq!(decode(&[], &scenario, policy), Err(Damaged));
        let other = catalog::find("skew").expect("an entry").scenario();
        assert_eq!(decode(&bytes, &other, policy), Err(Damaged));
    }
}
