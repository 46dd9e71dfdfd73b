//! A decision as a question: some jobs wait, and the policy serves one of them next.

use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::replay::RankedQueue;
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;
use fairlane::units::Time;

/// Most jobs that are offered, each with a digit as its key.
pub const MAX_JOBS: usize = 9;
/// Most stages that are looked at for jobs to offer.
pub const MAX_STAGES: usize = 64;

/// A job that may be next.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictOption {
    /// The job.
    pub job: JobId,
    /// Who submitted it.
    pub user: UserId,
    /// Its name.
    pub label: String,
    /// Its user, its arrival, how many of its tasks wait and run at the decision, and the estimated work that the
    /// policy goes by, if it does.
    pub facts: String,
    /// The first part of the keys in which the jobs differ, as a bar: one of the shortest is next. `None` where that is
    /// no number.
    pub bar: Option<KeyBar>,
}

/// A part of a job's key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyBar {
    /// The length as a part of the longest.
    pub part: f64,
    /// The value without its unit.
    pub value: String,
}

/// A decision between jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictQuestion {
    /// When it is made.
    pub at: Time,
    /// Cores that are free.
    pub free: u32,
    /// Whether a decision at the same instant comes before it.
    pub is_further: bool,
    /// The jobs to choose from in the order of arrival, which says nothing about the policy's order.
    pub jobs: Vec<PredictOption>,
    /// What the bars show, in the policy's own terms, with its unit.
    pub measure: Option<String>,
    /// How many stages of other jobs wait, or are not looked at.
    pub more: usize,
    /// The job that is served.
    pub right: JobId,
    /// Why, in the policy's own terms.
    pub reason: String,
}

/// The first launch at the instant of a launch, by index in the trace: a decision from there on that is not the launch
/// itself comes before it.
pub fn first_at_instant(trace: &Trace, task: usize) -> usize {
    trace.tasks.partition_point(|run| run.start < trace.tasks[task].start)
}

/// The question about the offer round whose ranked queue this is; `None` if it launches nothing. `is_further` says that
/// a decision at the same instant comes before it.
pub fn question(scenario: &Scenario, queue: &RankedQueue, is_further: bool) -> Option<PredictQuestion> {
    let right = queue.stages.get(queue.chosen?)?.job;
    let mut jobs = vec![right];
    let mut users = vec![queue.stages[queue.chosen?].user];
    // A job of each user before further ones of the same.
    for stage in &queue.stages {
        if jobs.len() < MAX_JOBS && !users.contains(&stage.user) {
            users.push(stage.user);
            jobs.push(stage.job);
        }
    }
    for stage in &queue.stages {
        if jobs.len() < MAX_JOBS && !jobs.contains(&stage.job) {
            jobs.push(stage.job);
        }
    }
    let ranks = scenario.ranks();
    jobs.sort_by_key(|job| ranks[job.index()]);
    // The queue is in the order of keys: the first stage of a job is its best.
    let best = |job: JobId| queue.stages.iter().find(|stage| stage.job == job);
    let others = jobs.iter().filter_map(|&job| best(job));
    let part = best(right).and_then(|one| others.filter_map(|other| one.key.decided_by(&other.key)).min());
    let deciding = |job: JobId| best(job)?.key.parts().get(part?);
    let number = |job: JobId| deciding(job)?.value.number().filter(|number| number.is_finite());
    let numbers: Option<Vec<f64>> = jobs.iter().map(|&job| number(job)).collect();
    // From zero on, or from the least where there are negative ones.
    let least = numbers.iter().flatten().copied().fold(0.0, f64::min);
    let most = numbers.iter().flatten().copied().fold(least, f64::max);
    let bar = |job: JobId| {
        let (part, _) = numbers.as_ref().and(number(job)).zip(deciding(job))?;
        let part = if most > least { (part - least) / (most - least) } else { 0.0 };
        let text = deciding(job)?.value.to_string();
        Some(KeyBar { part, value: text.split(' ').next().unwrap_or_default().to_owned() })
    };
    let measure = || {
        let part = deciding(right)?;
        let text = part.value.to_string();
        Some(match text.split_once(' ') {
            // Running tasks are tasks.
            Some((_, unit)) if !part.name.contains(unit.split(' ').next()?) => {
                format!("{}, {unit}", part.name)
            }
            _ => part.name.clone().into_owned(),
        })
    };
    let offered = queue.stages.iter().filter(|stage| jobs.contains(&stage.job)).count();
    let contestant = |&job: &JobId| {
        let stages = || queue.stages.iter().filter(move |stage| stage.job == job);
        let pending: u32 = stages().map(|stage| stage.pending).sum();
        let running: u32 = stages().map(|stage| stage.running).sum();
        let estimate = best(job).and_then(|stage| {
            let known = stage.facts.parts.iter().find(|part| part.name.ends_with("estimated work"))?;
            Some(format!(", estimated at {}", known.value))
        });
        let spec = &scenario.jobs()[job.index()];
        PredictOption {
            job,
            user: spec.user,
            label: scenario.job_label(job),
            facts: format!(
                "{}, since {}: {pending} wait, {running} run{}",
                scenario.user_name(job),
                number::instant(spec.arrival),
                estimate.unwrap_or_default(),
            ),
            bar: bar(job),
        }
    };
    Some(PredictQuestion {
        at: queue.time,
        free: queue.free,
        is_further,
        jobs: jobs.iter().map(contestant).collect(),
        measure: numbers.as_ref().and_then(|_| measure()),
        more: queue.waiting.saturating_sub(offered),
        right,
        reason: queue.reason.clone(),
    })
}

impl PredictQuestion {
    /// What is asked, in a sentence.
    pub fn words(&self, policy: &str) -> String {
        let at = number::instant(self.at);
        match (self.free, self.is_further) {
            (1, false) => format!("At {at} a core is free. Which job does {policy} serve next?"),
            (1, true) => format!("At {at} another core is free. Which job does {policy} serve now?"),
            (free, is_further) => {
                let more = if is_further { "more " } else { "" };
                format!(
                    "At {at}, {free} {more}cores are free. Which job does {policy} give the first of them?"
                )
            }
        }
    }

    /// Whether an answer is right, in a sentence; without an answer, what is right.
    pub fn verdict(&self, answer: Option<JobId>) -> String {
        let label = |job: JobId| {
            let known = self.jobs.iter().find(|contestant| contestant.job == job);
            known.map_or("that job", |contestant| contestant.label.as_str())
        };
        let right = label(self.right);
        match answer {
            Some(job) if job == self.right => format!("Right: {right} goes next."),
            Some(job) => format!("Not {}: {right} goes next.", label(job)),
            None => format!("{right} goes next."),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use fairlane::catalog;
    use fairlane::policy::PolicyId;
    use fairlane::replay::Replay;
    use fairlane::replay::{ChoiceFilter, ReplayPoint};
    use fairlane::simulate;

    /// Under every policy each decision between jobs is a question whose right answer is among those offered, and is
    /// the job that the engine serves.
    #[test]
    fn every_decision_of_every_policy_can_be_asked() {
        let mut asked: BTreeMap<PolicyId, usize> = PolicyId::all().map(|policy| (policy, 0)).collect();
        for name in ["two-users", "priority-inversion", "bopf-queues", "justice-severe"] {
            let scenario = catalog::find(name).expect("an entry").scenario();
            for policy in PolicyId::all() {
                let trace = simulate(&scenario, policy);
                let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
                let mut task = replay.next_choice(&trace, 0, ChoiceFilter::Any);
                for _ in 0..60 {
                    let Some(first) = task else { break };
                    let queue =
                        replay.queue(&trace, ReplayPoint::Dispatch(first), MAX_STAGES).expect("a moment");
                    let question = question(&scenario, &queue, false).expect("a launch");
                    let run = trace.tasks[first];
                    assert_eq!((question.right, question.at), (run.job, run.start), "{name}, {policy}");
                    assert!((2..=MAX_JOBS).contains(&question.jobs.len()), "{name}, {policy}");
                    assert!(question.jobs.iter().any(|contestant| contestant.job == run.job));
                    let ranks = scenario.ranks();
                    assert!(question.jobs.is_sorted_by_key(|contestant| ranks[contestant.job.index()]));
                    assert!(!question.reason.is_empty() && question.free > 0, "{name}, {policy}");
                    // More than a stage id decides.
                    let best = &queue.stages[0];
                    let other = queue.stages.iter().find(|stage| stage.job != best.job).expect("a choice");
                    assert!(!best.key.is_tie(&other.key), "{name}, {policy}");
                    if let (Some(0), Some(_)) = (queue.chosen, &question.measure) {
                        let part = |job: &PredictOption| job.bar.as_ref().expect("a bar each").part;
                        let right = question.jobs.iter().find(|job| job.job == run.job).map(part);
                        let shortest = question.jobs.iter().map(part).reduce(f64::min);
                        assert_eq!(right, shortest, "{name}, {policy}: one of the shortest bars is next");
                    }
                    *asked.entry(policy).or_default() += 1;
                    task = replay.next_choice(&trace, first + 1, ChoiceFilter::Any);
                }
            }
        }
        assert!(asked.values().all(|asked| *asked > 0), "{asked:?}");
    }

    #[test]
    fn a_search_for_other_jobs_skips_decisions_between_the_same() {
        let scenario = catalog::find("two-users").expect("an entry").scenario();
        let policy = "fifo".parse().expect("a policy");
        let trace = simulate(&scenario, policy);
        let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
        let mut next = |from, filter| replay.next_choice(&trace, from, filter);
        let first = next(0, ChoiceFilter::Any).expect("a decision");
        let any = next(first + 1, ChoiceFilter::Any).expect("another");
        let other = next(first + 1, ChoiceFilter::OtherJobs(first)).expect("another");
        assert_eq!(next(trace.tasks.len(), ChoiceFilter::Any), None);
        assert!(first < any && any <= other);
        let mut jobs = |task| {
            let queue = replay.queue(&trace, ReplayPoint::Dispatch(task), MAX_STAGES).expect("a moment");
            question(&scenario, &queue, false)
                .expect("a launch")
                .jobs
                .iter()
                .map(|one| one.job)
                .collect::<Vec<_>>()
        };
        assert_ne!(jobs(first), jobs(other));
    }

    #[test]
    fn questions_and_verdicts_in_words() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 1 }, "jobs": [
                { "user": "ana", "name": "etl", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2] }] },
                { "user": "ben", "name": "query", "arrival_s": 1, "stages": [{ "tasks_s": [1] }] } ] }"#,
        )
        .expect("a good scenario");
        let policy = "fifo".parse().expect("a policy");
        let trace = simulate(&scenario, policy);
        let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
        let queue = replay.queue(&trace, ReplayPoint::Dispatch(1), MAX_STAGES).expect("a moment");
        let question = question(&scenario, &queue, false).expect("a launch");
        assert_eq!(question.words("FIFO"), "At 2.000 s a core is free. Which job does FIFO serve next?");
        let further = PredictQuestion { is_further: true, ..question.clone() };
        assert_eq!(further.words("FIFO"), "At 2.000 s another core is free. Which job does FIFO serve now?");
        let facts: Vec<&str> = question.jobs.iter().map(|contestant| contestant.facts.as_str()).collect();
        assert_eq!(facts, ["ana, since 0.000 s: 1 wait, 0 run", "ben, since 1.000 s: 1 wait, 0 run"]);
        assert_eq!(question.measure.as_deref(), Some("rank of arrival"));
        let bars: Vec<_> =
            question.jobs.iter().map(|contestant| contestant.bar.clone().expect("a bar")).collect();
        assert_eq!(bars[0], KeyBar { part: 0.0, value: "0".to_owned() });
        assert_eq!(bars[1], KeyBar { part: 1.0, value: "1".to_owned() });
        assert_eq!(question.verdict(Some(JobId(0))), "Right: etl goes next.");
        assert_eq!(question.verdict(Some(JobId(1))), "Not query: etl goes next.");
        assert_eq!(question.verdict(None), "etl goes next.");
        assert!(question.reason.contains("etl"), "{}", question.reason);
    }
}
