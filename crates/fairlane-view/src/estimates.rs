//! Which policies read an estimate, in words.

use fairlane::ids::JobId;
use fairlane::metrics::Evaluation;
use fairlane::number;
use fairlane::policy::{Info, PolicyId, PolicyKind};
use fairlane::scenario::{PartitionMode, Scenario, Stage};
use fairlane::units::SlotTime;

/// What an estimate is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimateSubject {
    /// A whole job.
    Job,
    /// A stage.
    Stage,
}

impl EstimateSubject {
    fn is_read_by(self, info: &Info) -> bool {
        match self {
            EstimateSubject::Job => info.estimates.of_jobs(),
            EstimateSubject::Stage => info.estimates.of_stages(),
        }
    }
}

/// What runtime partitioning is called beside policies.
const RUNTIME: &str = "runtime partitioning (-P)";

/// Which of the ticked policies read an estimate, in a sentence.
pub fn read_by_ticked(of: EstimateSubject, ticked: impl IntoIterator<Item = PolicyId>) -> String {
    let mut readers: Vec<String> = Vec::new();
    let mut runtime = false;
    for policy in ticked {
        let info = policy.kind.info();
        runtime |= policy.partitioning == PartitionMode::Runtime;
        if of.is_read_by(info) && !readers.iter().any(|reader| reader == info.title) {
            readers.push(info.title.to_owned());
        }
    }
    if of == EstimateSubject::Stage && runtime {
        readers.push(RUNTIME.to_owned());
    }
    match readers.is_empty() {
        true => "No ticked policy reads it.".to_owned(),
        false => format!("Used by {}.", number::list(&readers)),
    }
}

/// All that ever read an estimate, in a sentence.
pub fn read_by_any(of: EstimateSubject) -> String {
    let infos = PolicyKind::ALL.iter().map(|kind| kind.info());
    let mut readers: Vec<String> =
        infos.filter(|info| of.is_read_by(info)).map(|info| info.title.to_owned()).collect();
    if of == EstimateSubject::Stage {
        readers.push(RUNTIME.to_owned());
    }
    format!("Of all policies {} read it", number::list(&readers))
}

/// An estimate is far off from here on, as a factor of the true work, and below its inverse.
const FAR_OFF: f64 = 1.25;

/// The estimates by which a policy ranks a job too late, or another one that runs meanwhile too early, in sentences.
pub fn far_off(measured: &Evaluation, job: JobId) -> Vec<String> {
    let Evaluation { scenario, trace, .. } = measured;
    let own = worst(scenario, trace.policy, job).filter(|wrong| wrong.factor >= FAR_OFF);
    let Some(run) = trace.jobs.get(job.index()) else { return Vec::new() };
    let meanwhile = |other: &JobId| {
        let other_run = trace.jobs[other.index()];
        *other != job && other_run.arrival < run.end() && other_run.end() > run.arrival
    };
    let others = (0..trace.jobs.len() as u32).map(JobId).filter(meanwhile);
    let others = others.filter_map(|other| worst(scenario, trace.policy, other));
    let other = others.min_by(|one, other| one.factor.total_cmp(&other.factor));
    let other = other.filter(|wrong| wrong.factor <= 1.0 / FAR_OFF);
    own.into_iter().chain(other).map(|wrong| wrong.sentence(trace.policy)).collect()
}

/// An estimate that is not the true work.
struct WrongEstimate {
    /// Name of the job or stage whose estimate it is.
    label: String,
    estimate: SlotTime,
    work: SlotTime,
    /// The estimate over the work.
    factor: f64,
}

impl WrongEstimate {
    fn sentence(&self, policy: PolicyId) -> String {
        let WrongEstimate { label, estimate, work, factor } = self;
        let (ranked, times) = match *factor >= 1.0 {
            true => ("too late", format!("{} times the true work", number::trimmed(*factor, 2))),
            false => ("too early", format!("only {} of the true work", number::percent(*factor, 0))),
        };
        format!(
            "A wrong estimate: {} ranks {label} {ranked}, by {} core-seconds, {times} of {}.",
            policy.title(),
            number::trimmed(estimate.seconds(), 2),
            number::trimmed(work.seconds(), 2)
        )
    }
}

/// The estimate of a job, or of one of its stages, that is furthest off among those that a policy reads.
fn worst(scenario: &Scenario, policy: PolicyId, job: JobId) -> Option<WrongEstimate> {
    let spec = &scenario.jobs()[job.index()];
    let reads = policy.kind.info().estimates;
    let whole = reads.of_jobs().then(|| (scenario.job_label(job), spec.estimate, spec.work()));
    let stages = spec.stages.iter().enumerate().filter(|_| reads.of_stages());
    let stages = stages
        .map(|(index, stage)| (scenario.stage_label(job, index as u32), stage.estimate, stage.input.work()));
    let known = whole.into_iter().chain(stages).filter(|(_, estimate, work)| estimate != work && work.0 > 0);
    let wrong = known.map(|(label, estimate, work)| WrongEstimate {
        label,
        estimate,
        work,
        factor: estimate.0 as f64 / work.0 as f64,
    });
    wrong.max_by(|one, other| one.factor.ln().abs().total_cmp(&other.factor.ln().abs()))
}

/// Why runtime partitioning leaves a stage as it is under the ticked policies with it, in a sentence; `None` where it
/// does not.
pub fn unsplit(stage: &Stage, ticked: impl IntoIterator<Item = PolicyId>) -> Option<String> {
    let runtime = ticked.into_iter().filter(|policy| policy.partitioning == PartitionMode::Runtime);
    let titles: Vec<String> = runtime.map(PolicyId::title).collect();
    (!stage.splittable && !titles.is_empty()).then(|| {
        let tasks = number::counted(stage.partitions as usize, "task");
        format!("It cannot be split: under {} it keeps its {tasks}.", number::list(&titles))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::evaluated;
    use fairlane::scenario::Scenario;

    #[test]
    fn a_stage_that_cannot_be_split_is_explained_where_it_matters() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [
                { "work_s": 4, "partitions": 2, "splittable": false }, { "work_s": 4, "partitions": 2 }] }] }"#,
        )
        .expect("a good scenario");
        let stages = &scenario.jobs()[0].stages;
        let ticked = |names: &[&str]| -> Vec<PolicyId> {
            names.iter().map(|name| name.parse().expect("a policy")).collect()
        };
        let both = ticked(&["fair", "uwfq-p", "cfq-p"]);
        assert_eq!(
            unsplit(&stages[0], both.clone()).as_deref(),
            Some("It cannot be split: under UWFQ-P and CFQ-P it keeps its 2 tasks.")
        );
        assert_eq!((unsplit(&stages[1], both), unsplit(&stages[0], ticked(&["uwfq"]))), (None, None));
    }

    /// Two jobs at once: ana's is estimated at ten times its work, ben's at a fifth.
    #[test]
    fn a_wrong_estimate_is_named_where_it_decides() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 1 }, "jobs": [
                { "user": "ana", "name": "quick", "arrival_s": 0, "estimate_s": 20, "stages": [{ "tasks_s": [1, 1] }] },
                { "user": "ben", "name": "long", "arrival_s": 0, "estimate_s": 2, "stages": [{ "tasks_s": [5, 5] }] } ] }"#,
        )
        .expect("a good scenario");
        let of = |policy: &str, job| far_off(&evaluated(&scenario, policy), JobId(job));
        assert_eq!(
            of("uwfq", 0),
            [
                "A wrong estimate: UWFQ ranks quick too late, by 20 core-seconds, 10 times the true work of 2.",
                "A wrong estimate: UWFQ ranks long too early, by 2 core-seconds, only 20 % of the true work of 10.",
            ]
        );
        assert_eq!(of("uwfq", 1), [""; 0], "nobody is ranked too early beside it");
        assert_eq!(of("fair", 0), [""; 0], "it reads no estimates");
    }

    #[test]
    fn each_estimate_names_its_readers_once() {
        let ticked = |names: &[&str]| -> Vec<PolicyId> {
            names.iter().map(|name| name.parse().expect("a policy")).collect()
        };
        let some = ticked(&["fair", "cfq", "uwfq", "uwfq-p"]);
        assert_eq!(read_by_ticked(EstimateSubject::Job, some.clone()), "Used by UWFQ.");
        assert_eq!(
            read_by_ticked(EstimateSubject::Stage, some),
            "Used by CFQ and runtime partitioning (-P)."
        );
        assert_eq!(
            read_by_ticked(EstimateSubject::Stage, ticked(&["fifo", "fair"])),
            "No ticked policy reads it."
        );
        assert!(read_by_any(EstimateSubject::Job).starts_with("Of all policies UWFQ, UWFQ released, SJF-CP"));
    }
}
