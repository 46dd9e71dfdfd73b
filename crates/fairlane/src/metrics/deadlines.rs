//! Deadlines met, and core time that was worth while: Justice's metrics (Justice, section V.B and V.C; docs/model.md
//! section 10).

use serde::{Deserialize, Serialize};

use crate::policy::parameters;
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::Scenario;
use crate::scenario::parameter::declared::DEADLINES;
use crate::trace::{JobRun, Trace};
use crate::units::{SlotTime, Span};

/// How jobs fare against their deadlines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadlineFigures {
    /// Jobs, all of which have a deadline.
    pub jobs: usize,
    /// Successes: jobs that finished no later than their deadline.
    pub met: usize,
    /// Core time that the successes' tasks held, in core-µs.
    pub productive: SlotTime,
    /// Core time that the other jobs' tasks held, in core-µs.
    pub wasted: SlotTime,
    /// The true work of all jobs, in core-µs.
    pub work: SlotTime,
}

impl DeadlineFigures {
    /// Judges the jobs of a schedule by how long after its arrival each is due, by index in the file.
    pub fn new(scenario: &Scenario, trace: &Trace, due: &[Span]) -> DeadlineFigures {
        let met: Vec<bool> = trace.jobs.iter().zip(due).map(|(job, &due)| is_met(job, due)).collect();
        let work = scenario.jobs().iter().map(|job| job.work()).sum();
        let met_count = met.iter().filter(|&&met| met).count();
        let mut deadlines =
            DeadlineFigures { jobs: met.len(), met: met_count, work, ..DeadlineFigures::default() };
        for run in &trace.tasks {
            let time = if met[run.job.index()] { &mut deadlines.productive } else { &mut deadlines.wasted };
            time.0 += run.end.since(run.start).0;
        }
        deadlines
    }

    /// SDR, the satisfied deadlines ratio: successes over jobs (Justice, section V.B). `None` without jobs.
    pub fn satisfied_ratio(&self) -> Option<f64> {
        (self.jobs > 0).then(|| self.met as f64 / self.jobs as f64)
    }

    /// PTR, the productive time ratio: core time spent on successes over the true work of all jobs (Justice, section
    /// V.C). More than 1 is possible with overhead. `None` if there is no work.
    pub fn productive_ratio(&self) -> Option<f64> {
        self.of_work(self.productive)
    }

    /// WTR, the wasted time ratio: the same of the other jobs.
    pub fn wasted_ratio(&self) -> Option<f64> {
        self.of_work(self.wasted)
    }

    fn of_work(&self, time: SlotTime) -> Option<f64> {
        (self.work.0 > 0).then(|| time.0 as f64 / self.work.0 as f64)
    }
}

/// Whether a job finished no later than so long after its arrival.
fn is_met(job: &JobRun, due: Span) -> bool {
    job.response().is_some_and(|response| response <= due)
}

/// Whether jobs are judged by deadlines under a policy: the scenario has some or says what they are by default, or the
/// policy is one of those under which every job has one.
pub fn has_deadlines(scenario: &Scenario, policy: PolicyId) -> bool {
    let sets = policy.kind.info().shared;
    policy.kind == PolicyKind::BaselineFs
        || sets.iter().any(|set| set.id == DEADLINES.id)
        || scenario.parameters().get(DEADLINES.id, "factor").is_some()
        || scenario.jobs().iter().any(|job| job.deadline.is_some())
}

/// How long after its arrival each job is due, by index in the file: as the scenario gives it, else by its response
/// alone under FIFO.
pub(super) fn due(scenario: &Scenario, alone_under_fifo: &[Option<Span>]) -> Vec<Span> {
    let jobs = scenario.jobs().iter().zip(alone_under_fifo);
    jobs.map(|(job, alone)| {
        job.deadline.unwrap_or_else(|| parameters::default_deadline(scenario, alone.unwrap_or_default()))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Control;
    use crate::metrics::{Baselines, EvaluationDetail, evaluate};

    fn deadlines(scenario: &Scenario, policy: &str) -> Option<DeadlineFigures> {
        let policy = policy.parse().expect("a policy");
        let mut baselines = Baselines::new(1);
        let run = evaluate(scenario, policy, EvaluationDetail::Responses, &mut baselines, &mut |_| {
            Control::Continue
        });
        run.expect("nobody stops it").summary.special.deadlines
    }

    /// One core. ana's job of 2 s is due at 2 s and ends then. ben's of 3 s arrives at 1 s, is due at 4.5 s and ends
    /// at 5 s under FIFO: 1 of 2 met, 2 of 5 core-seconds productive, 3 wasted. Under Reactive FS ben's is dropped at
    /// 4.5 s: 2.5 wasted.
    #[test]
    fn met_productive_and_wasted_by_hand() {
        let scenario = Scenario::from_json(
            r#"{"format": "fairlane/scenario@1", "cluster": {"cores_per_executor": 1}, "jobs": [
                {"user": "ana", "arrival_s": 0, "deadline_s": 2, "stages": [{"tasks_s": [2]}]},
                {"user": "ben", "arrival_s": 1, "deadline_s": 3.5, "stages": [{"tasks_s": [3]}]}]}"#,
        )
        .expect("a good scenario");
        let fifo = deadlines(&scenario, "fifo").expect("the jobs have deadlines");
        assert_eq!((fifo.jobs, fifo.met), (2, 1));
        assert_eq!(fifo.satisfied_ratio(), Some(0.5));
        assert_eq!((fifo.productive_ratio(), fifo.wasted_ratio()), (Some(0.4), Some(0.6)));
        let reactive = deadlines(&scenario, "reactive-fs").expect("the jobs have deadlines");
        assert_eq!((reactive.satisfied_ratio(), reactive.wasted_ratio()), (Some(0.5), Some(0.5)));
    }

    /// Two jobs of 1 s on one core: the second ends after 2 s, which is its default deadline, 2 times its response
    /// alone.
    #[test]
    fn default_deadlines_count_under_the_policies_that_set_them_or_where_their_factor_is_given() {
        let scenario = |policies: &str| {
            let text = format!(
                r#"{{"format": "fairlane/scenario@1", "cluster": {{"cores_per_executor": 1}}, {policies} "jobs": [
                    {{"user": "ana", "arrival_s": 0, "stages": [{{"tasks_s": [1]}}]}},
                    {{"user": "ben", "arrival_s": 0, "stages": [{{"tasks_s": [1]}}]}}]}}"#
            );
            Scenario::from_json(&text).expect("a good scenario")
        };
        assert_eq!(deadlines(&scenario(""), "fifo"), None);
        let met = |scenario: &Scenario, policy| deadlines(scenario, policy).map(|deadlines| deadlines.met);
        assert_eq!(met(&scenario(""), "baseline-fs"), Some(2));
        let tight = scenario(r#""policies": {"deadlines": {"factor": 1.5}},"#);
        assert_eq!((met(&tight, "fifo"), met(&tight, "baseline-fs")), (Some(1), Some(1)));
    }

    #[test]
    fn nothing_is_no_ratio() {
        let none = DeadlineFigures::default();
        assert_eq!(
            (none.satisfied_ratio(), none.productive_ratio(), none.wasted_ratio()),
            (None, None, None)
        );
    }
}
