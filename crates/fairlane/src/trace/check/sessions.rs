//! When jobs of sessions must arrive (docs/model.md section 13).

use crate::ids::JobId;
use crate::scenario::{Predecessor, Scenario};
use crate::trace::Trace;
use crate::units::Time;

/// When each job must have arrived, by what a trace with as many jobs says of the others.
pub(super) fn expected_arrivals(scenario: &Scenario, trace: &Trace) -> Vec<Time> {
    let own = |job: usize| scenario.jobs()[job].arrival;
    let predecessor = |job: usize| scenario.predecessor(JobId(job as u32));
    let is_taken =
        |job: usize, before: &Predecessor| before.batch && own(job) <= trace.jobs[before.job.index()].arrival;
    // By job: the first of those that arrived with it.
    let mut first: Vec<Option<usize>> = vec![None; trace.jobs.len()];
    let mut ends = vec![Time::ZERO; trace.jobs.len()];
    for (job, run) in trace.jobs.iter().enumerate() {
        let (mut path, mut at) = (Vec::new(), job);
        while first[at].is_none()
            && let Some(before) = predecessor(at).filter(|before| is_taken(at, before))
        {
            path.push(at);
            at = before.job.index();
        }
        let root = first[at].unwrap_or(at);
        path.push(at);
        path.into_iter().for_each(|job| first[job] = Some(root));
        ends[root] = ends[root].max(run.end());
    }
    let expected = |job: usize| match predecessor(job) {
        None => own(job),
        Some(before) if !before.batch => trace.jobs[before.job.index()].end() + before.think,
        Some(before) if is_taken(job, &before) => trace.jobs[before.job.index()].arrival,
        Some(before) => {
            let end = first[before.job.index()].map_or(Time::ZERO, |root| ends[root]);
            own(job).max(end + before.think)
        }
    };
    (0..trace.jobs.len()).map(expected).collect()
}
