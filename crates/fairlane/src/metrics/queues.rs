//! Average completion by kind of queue (BoPF, section 5.1): latency queues want their bursts to end soon, throughput
//! queues are to be protected from them. The average of each queue is that of its user.

use serde::{Deserialize, Serialize};

use super::mean_of;
use crate::scenario::{QueueKind, Scenario};
use crate::trace::JobRun;
use crate::units::Span;

/// Average completion times by kind of queue, in seconds; `None` if no job of the kind finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Completions {
    /// Mean completion time of the jobs of latency queues.
    pub latency: Option<f64>,
    /// Mean completion time of all other jobs.
    pub throughput: Option<f64>,
}

impl Completions {
    /// The means over the jobs that finished; `None` if no user of the scenario is a queue.
    pub fn measure(scenario: &Scenario, jobs: &[JobRun]) -> Option<Completions> {
        let users = scenario.users();
        if users.iter().all(|user| user.queue.is_none()) {
            return None;
        }
        let kind =
            |job: &JobRun| users[job.user.index()].queue.as_ref().map(|queue| queue.kind).unwrap_or_default();
        let mean = |of: QueueKind| {
            let jobs = jobs.iter().filter(|job| kind(job) == of);
            mean_of(jobs.filter_map(JobRun::response).map(Span::seconds))
        };
        Some(Completions { latency: mean(QueueKind::Latency), throughput: mean(QueueKind::Throughput) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One core under FIFO: lq's jobs of 1 s at 0 and 4 s, tq's of 2 s at 0 s, and one of 3 s of a user without a
    /// queue at 0 s. Responses: 1; 1 + 2 = 3; 3 + 3 = 6; from 6 s on, after 4 s: 3.
    #[test]
    fn means_by_hand() {
        let scenario = |queues: bool| {
            let queue = |kind: &str| {
                if queues { format!(r#", "queue": {{"kind": "{kind}"}}"#) } else { String::new() }
            };
            let text = format!(
                r#"{{"format": "fairlane/scenario@1", "cluster": {{"cores_per_executor": 1}},
                    "users": [{{"name": "lq"{}}}, {{"name": "tq"{}}}], "jobs": [
                    {{"user": "lq", "arrival_s": 0, "stages": [{{"tasks_s": [1]}}]}},
                    {{"user": "tq", "arrival_s": 0, "stages": [{{"tasks_s": [2]}}]}},
                    {{"user": "other", "arrival_s": 0, "stages": [{{"tasks_s": [3]}}]}},
                    {{"user": "lq", "arrival_s": 4, "stages": [{{"tasks_s": [1]}}]}}]}}"#,
                queue("latency"),
                queue("throughput")
            );
            Scenario::from_json(&text).expect("a good scenario")
        };
        let completions = |scenario: &Scenario| {
            Completions::measure(scenario, &crate::simulate(scenario, "fifo".parse().expect("a policy")).jobs)
        };
        let expected = Completions { latency: Some(2.0), throughput: Some(4.5) };
        assert_eq!(completions(&scenario(true)), Some(expected));
        assert_eq!(completions(&scenario(false)), None);
    }
}
