//! Why a job takes longer than under the ideal, as one cause in words.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::estimates;
use fairlane::ids::{JobId, UserId};
use fairlane::metrics::{Evaluation, Stretch, holders, job_waits, stragglers};
use fairlane::number;
use fairlane::policy::spark::{self, Pool, PoolMode};
use fairlane::scenario::Scenario;
use fairlane::trace::{JobRun, TaskRun};
use fairlane::units::Time;

/// What most of a job's delay is due to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// One slow task, behind which cores are idle.
    Skew {
        /// How many, on average.
        idle_cores: u64,
    },
    /// Tasks of a user whose turn is later hold the cores.
    Inversion(UserId),
    /// Jobs of another user hold the cores.
    Jobs {
        /// The user whose jobs they are.
        of: UserId,
        /// How many there are meanwhile.
        count: usize,
    },
    /// Jobs of two others hold the cores, of neither most of them: who holds more comes first.
    JobsOfTwo([UserId; 2]),
    /// The user's own other jobs hold the cores.
    Own,
    /// Jobs of others are in the pool of this job, which is not declared: Spark makes it FIFO inside.
    UndeclaredPool(JobId),
    /// A job of this user is estimated wrongly, and goes first.
    Estimate(UserId),
    /// Launching the job's tasks takes longer than they save.
    Overhead {
        /// How many there are.
        tasks: u64,
    },
    /// The driver handles one event after another, and stages start late.
    Driver,
    /// More work arrives than the cores can do: this many tenths of it.
    Overload(u64),
}

/// The part of the delay that a cause has to explain.
const DECISIVE_PART: f64 = 0.5;
/// Work over what the cores can do from the first arrival to the last, from which on a cluster is overloaded; and up to
/// which it is: beyond, all jobs arrive at once.
const OVERLOAD: f64 = 1.2;
const MAX_LOAD: f64 = 12.0;

impl Cause {
    /// Why `job` takes longer than until its end under ideal sharing. Looks at every task of the trace; `None` for a job
    /// that is not delayed, or for too many reasons.
    pub fn of(measured: &Evaluation, job: JobId) -> Option<Cause> {
        let Evaluation { scenario, trace, summary, .. } = measured;
        let run = trace.jobs.get(job.index())?;
        let ideal = Time(summary.fluid.reference.finishes.get(job.index())?.round() as u64);
        // How long it waits for cores held by tasks whose turn is later, where the policy knows turns.
        let inversion = summary.blocking.as_ref().and_then(|blocking| blocking.inversion.as_ref());
        let inversion = inversion.and_then(|spans| spans.get(job.index()));
        let delay = run.end().since(ideal).0 as f64;
        let explains = |span: u64| delay > 0.0 && span as f64 >= DECISIVE_PART * delay;
        let own = stragglers(scenario, trace);
        let own: Vec<_> =
            own.iter().filter(|straggler| straggler.job == job && straggler.idle.0 > 0).collect();
        let behind: u64 = own.iter().map(|straggler| straggler.to.since(straggler.from).0).sum();
        if explains(behind) {
            let idle: u64 = own.iter().map(|straggler| straggler.idle.0).sum();
            return Some(Cause::Skew { idle_cores: ((idle + behind / 2) / behind).max(1) });
        }
        let waits = job_waits(scenario, trace, job);
        let runs = trace.tasks.iter().filter(|task| task.job == job);
        let active =
            runs.map(|task| Stretch { from: task.start, to: task.end }).chain(waits.pending.iter().copied());
        let whole = run.end().since(run.arrival).0;
        if explains(whole.saturating_sub(covered(active.collect()))) {
            return Some(Cause::Driver);
        }
        let tasks = trace.tasks.iter().filter(|task| task.job == job).count() as u64;
        let cores = u64::from(trace.cores);
        if explains(scenario.cluster().task_overhead.0 * tasks / cores) {
            return Some(Cause::Overhead { tasks });
        }
        let length = |stretches: &[Stretch]| stretches.iter().map(|stretch| stretch.length().0).sum();
        let waited = if explains(length(&waits.idle)) { &waits.idle } else { &waits.pending };
        let held = holders(scenario, trace, waited);
        let all: u64 = held.by_user.iter().map(|held| held.0).sum();
        let (most, user) = (0..).zip(&held.by_user).map(|(user, held)| (held.0, UserId(user))).max()?;
        if explains(held.length.0) && 2 * most > all {
            if run.user == user {
                return Some(Cause::Own);
            }
            let during =
                |other: &JobRun| other.user == user && other.arrival < run.end() && other.end() > run.arrival;
            let first = waited.first()?;
            let started = |task: &TaskRun| {
                (first.from < task.start || run.arrival < task.start) && task.start < first.to
            };
            let count = trace.jobs.iter().filter(|other| during(other)).count();
            let is_of_user = |task: &&TaskRun| trace.jobs[task.job.index()].user == user;
            let wrong = !estimates::far_off(measured, job).is_empty();
            let is_uninterrupted = !trace.tasks.iter().filter(is_of_user).any(started);
            return Some(match trace.policy.kind.info().id {
                _ if is_uninterrupted || inversion.is_some_and(|inversion| explains(inversion.0)) => {
                    Cause::Inversion(user)
                }
                _ if wrong => Cause::Estimate(user),
                "spark" if in_undeclared_pool(scenario, job, user) => Cause::UndeclaredPool(job),
                _ => Cause::Jobs { of: user, count },
            });
        }
        let mut others: Vec<(u64, UserId)> =
            (0..).zip(&held.by_user).map(|(user, held)| (held.0, UserId(user))).collect();
        others.retain(|(held, user)| *held > 0 && *user != run.user);
        others.sort_by_key(|(held, user)| (Reverse(*held), *user));
        if let [(one, first), (other, second), ..] = others[..]
            && explains(held.length.0)
            && 2 * (one + other) > all
        {
            return Some(Cause::JobsOfTwo([first, second]));
        }
        let arrivals = || scenario.jobs().iter().map(|job| job.arrival);
        let span = arrivals().max()?.since(arrivals().min()?).0 as f64;
        let work: u64 = scenario.jobs().iter().map(|job| job.work().0).sum();
        let load = work as f64 / (span * cores as f64);
        (OVERLOAD..=MAX_LOAD).contains(&load).then_some(Cause::Overload((load * 10.0).round() as u64))
    }

    /// The cause in a schedule, after "because", with the machines that are lost or slow.
    pub fn words(self, measured: &Evaluation) -> String {
        let cluster = measured.scenario.cluster();
        let lost: BTreeSet<u32> = cluster.losses.iter().map(|loss| loss.executor).collect();
        let slow = cluster.speeds.iter().any(|speed| *speed < 1.0);
        let machines = match (lost.first(), lost.len(), slow) {
            (None, _, false) => String::new(),
            (None, _, true) => ", and machines are slow".to_owned(),
            (Some(one), 1, _) => format!(", and executor {one} is lost"),
            (Some(_), several, _) => format!(", and {several} executors are lost"),
        };
        self.schedule_words(measured) + &machines
    }

    fn schedule_words(self, measured: &Evaluation) -> String {
        let Evaluation { scenario, trace, .. } = measured;
        let name = |user: UserId| &scenario.users()[user.index()].name;
        match self {
            Cause::Skew { idle_cores } => {
                format!("one slow task leaves {} idle", number::counted(idle_cores as usize, "core"))
            }
            Cause::Inversion(user) => {
                let until = match (scenario.cluster().preemption.is_some(), trace.killed.is_empty()) {
                    (false, _) => ", and none is interrupted",
                    (true, true) => ", and none is killed soon enough",
                    (true, false) => " until some are killed",
                };
                format!("tasks of {}'s hold the cores{until}", name(user))
            }
            Cause::Jobs { of, count } => {
                let all = trace.jobs.iter().filter(|run| run.user == of).count();
                let jobs = match (count, name(of)) {
                    (1, name) => format!("{name}'s job holds"),
                    (count, name) if count == all => format!("{name}'s {count} jobs hold"),
                    (count, name) => format!("{count} of {name}'s jobs hold"),
                };
                format!("{jobs} the cores{}", rule(measured))
            }
            Cause::JobsOfTwo([first, second]) => {
                format!("{} and {} hold the cores{}", name(first), name(second), rule(measured))
            }
            Cause::Estimate(user) => format!("work of {}'s is estimated wrongly and goes first", name(user)),
            Cause::Overhead { tasks } => format!("launching its {tasks} tasks costs more than it gains"),
            Cause::Own => "earlier jobs of the same user hold the cores".to_owned(),
            Cause::UndeclaredPool(job) => {
                let pool = spark::pool_name(scenario, job);
                format!(
                    "users share the pool {pool}, which is not declared and so runs jobs in the order of their arrival"
                )
            }
            Cause::Driver => {
                "the driver handles one event after another, so that stages start late".to_owned()
            }
            Cause::Overload(tenths) => {
                format!(
                    "{:.1} times as much work arrives as {} cores can do",
                    tenths as f64 / 10.0,
                    trace.cores
                )
            }
        }
    }

    /// The lesson about it.
    pub fn lesson(self) -> &'static str {
        match self {
            Cause::Skew { .. } => "skew",
            Cause::Inversion(_) => "priority-inversion",
            Cause::UndeclaredPool(_) => "undeclared-pool",
            Cause::Jobs { .. } | Cause::JobsOfTwo(_) | Cause::Own => "jobs-are-not-users",
            Cause::Estimate(_) => "wrong-estimates",
            Cause::Overhead { .. } | Cause::Driver => "choosing-the-atr",
            Cause::Overload(_) => "too-late-to-start",
        }
    }
}

/// What a policy counts instead of users, after who holds the cores; nothing of one that counts users.
fn rule(measured: &Evaluation) -> String {
    let Evaluation { scenario, trace, .. } = measured;
    let policy = trace.policy.title();
    match trace.policy.kind.info().id {
        "fifo" => format!(": {policy} runs jobs in the order of their arrival"),
        // Whoever has met jobs of one stage only knows no others.
        "fair" if scenario.jobs().iter().all(|job| job.stages.len() == 1) => {
            format!(": {policy} counts jobs, not users")
        }
        "fair" => format!(": {policy} counts stages, not users"),
        "cfq" => format!(": {policy} counts jobs, not users"),
        "spark" if !spark::has_pools(scenario) => {
            ": in the mode FIFO Spark runs jobs in the order of their arrival".to_owned()
        }
        _ => String::new(),
    }
}

/// Whether a job's pool is not declared, FIFO inside and that of a user's jobs too.
fn in_undeclared_pool(scenario: &Scenario, job: JobId, user: UserId) -> bool {
    let name = spark::pool_name(scenario, job);
    let is_its = |pool: &Pool| pool.name == name;
    let of_user = |other: &JobId| scenario.jobs()[other.index()].user == user;
    let mut jobs = (0..scenario.jobs().len() as u32).map(JobId).filter(of_user);
    spark::has_pools(scenario)
        && !spark::declared(scenario).iter().any(is_its)
        && spark::pools(scenario).iter().any(|pool| is_its(pool) && pool.mode == PoolMode::Fifo)
        && jobs.any(|other| spark::pool_name(scenario, other) == name)
}

/// How long at least one of the stretches lasts, in µs.
fn covered(mut stretches: Vec<Stretch>) -> u64 {
    stretches.sort_by_key(|stretch| stretch.from);
    let (mut sum, mut until) = (0, Time::ZERO);
    for Stretch { from, to } in stretches {
        sum += to.since(from.max(until).min(to)).0;
        until = until.max(to);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::evaluated;
    use fairlane::catalog;

    fn cause(name: &str, policy: &str, job: u32) -> Option<Cause> {
        let scenario = catalog::find(name).expect("an entry").scenario();
        Cause::of(&evaluated(&scenario, policy), JobId(job))
    }

    #[test]
    fn each_cause_is_named_where_it_is_the_subject() {
        assert_eq!(cause("two-users", "fair", 12), Some(Cause::Jobs { of: UserId(0), count: 12 }));
        assert!(
            matches!(cause("skew", "uwfq", 0), Some(Cause::Skew { .. })),
            "{:?}",
            cause("skew", "uwfq", 0)
        );
        assert_eq!(cause("two-users", "uwfq", 12), None);
        assert_eq!(cause("priority-inversion", "fair", 1), Some(Cause::Inversion(UserId(0))));
        assert!(matches!(cause("atr-too-small", "uwfq-p", 0), Some(Cause::Overhead { .. })));
        assert!(
            matches!(cause("estimates-off", "cfq", 2), Some(Cause::Estimate(_))),
            "{:?}",
            cause("estimates-off", "cfq", 2)
        );
    }

    /// Jobs of ben's and of cleo's hold four cores each, and ana's job waits for both.
    #[test]
    fn two_users_who_hold_the_cores_are_both_named() {
        let job = |user, at, tasks: usize| {
            let tasks = vec!["4"; tasks].join(",");
            format!(r#"{{"user":"{user}","arrival_s":{at},"stages":[{{"tasks_s":[{tasks}]}}]}}"#)
        };
        let jobs = [
            job("ben", 0.0, 4),
            job("cleo", 0.0, 4),
            job("ana", 0.1, 1),
            job("ben", 0.2, 4),
            job("cleo", 0.2, 4),
        ];
        let text = format!(
            r#"{{"format":"fairlane/scenario@1","cluster":{{"executors":1,"cores_per_executor":8}},"jobs":[{}]}}"#,
            jobs.join(",")
        );
        let measured = evaluated(&Scenario::from_json(&text).expect("a scenario"), "fifo");
        let cause = Cause::of(&measured, JobId(2));
        assert_eq!(cause, Some(Cause::JobsOfTwo([UserId(0), UserId(1)])));
        assert_eq!(
            cause.map(|cause| cause.words(&measured)).as_deref(),
            Some("ben and cleo hold the cores: FIFO runs jobs in the order of their arrival")
        );
    }

    #[test]
    fn an_undeclared_pool_is_a_cause_only_where_it_is_shared() {
        let file = |policies: &str| {
            let job = |user, pool, at| {
                format!(
                    r#"{{"user":"{user}","pool":"{pool}","arrival_s":{at},"stages":[{{"tasks_s":[1,1,1,1,1,1,1,1]}}]}}"#
                )
            };
            let jobs = [job("ana", "etl", 0), job("ana", "etl", 0), job("ben", "etl", 1)].join(",");
            Scenario::from_json(&format!(
                r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":2}},"policies":{policies},"jobs":[{jobs}]}}"#
            ))
            .expect("a scenario")
        };
        let cause = |scenario: &Scenario| Cause::of(&evaluated(scenario, "spark"), JobId(2));
        let undeclared = file("{}");
        assert_eq!(cause(&undeclared), Some(Cause::UndeclaredPool(JobId(2))));
        let words = Cause::UndeclaredPool(JobId(2)).words(&evaluated(&undeclared, "spark"));
        assert_eq!(
            words,
            "users share the pool etl, which is not declared and so runs jobs in the order of their arrival"
        );
        let fifo = file(r#"{"spark":{"mode":"FIFO"}}"#);
        assert!(matches!(cause(&fifo), Some(Cause::Jobs { .. } | Cause::Inversion(_))), "{:?}", cause(&fifo));
        let declared = file(r#"{"spark":{"pools":[{"name":"etl"}]}}"#);
        assert!(matches!(cause(&declared), Some(Cause::Jobs { .. } | Cause::Inversion(_))));
    }

    #[test]
    fn overlapping_stretches_count_once() {
        let stretch = |from, to| Stretch { from: Time(from), to: Time(to) };
        assert_eq!(covered(vec![stretch(4, 6), stretch(0, 2), stretch(1, 3), stretch(1, 2)]), 5);
    }
}
