//! The words of figures: what each means, how it is computed, and an example of it.

use std::collections::BTreeSet;

use super::quantity::{Quantity, core_micros, core_seconds, count, count_of, percent, seconds};
use super::words::{ScheduleTerm, Term, length};
use super::{FactError, fault};
use fairlane::metrics;
use fairlane::policy::uwfq::UwfqReference;
use fairlane::units::Time;

/// A word of figures with what stands behind it.
#[derive(Clone, Copy, Debug)]
pub struct Expression {
    /// The word, then what stands behind it in capitals: `POLICY`, `USER` and `JOB` by name, `AT`, `FROM` and `TO` in
    /// seconds, `STAGE` by index from 0. What is in brackets may be left out.
    pub form: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// The expression with names of the scenario of [`Expression::scenario`].
    pub example: &'static str,
    /// What it is about.
    pub subject: ExpressionSubject,
    value: ValueSource,
}

/// What an expression is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionSubject {
    /// The scenario, whatever the policy.
    Scenario,
    /// What a policy makes of it.
    Schedule,
    /// An instant under a policy.
    Instant,
    /// The clocks of UWFQ.
    Clocks,
    /// What happened in a recorded run.
    Recording,
}

impl ExpressionSubject {
    /// All of them, in the order in which they are listed.
    pub const ALL: [ExpressionSubject; 5] = [
        ExpressionSubject::Scenario,
        ExpressionSubject::Schedule,
        ExpressionSubject::Instant,
        ExpressionSubject::Clocks,
        ExpressionSubject::Recording,
    ];

    /// A heading for people.
    pub fn title(self) -> &'static str {
        match self {
            ExpressionSubject::Scenario => "The scenario",
            ExpressionSubject::Schedule => "A schedule",
            ExpressionSubject::Instant => "An instant",
            ExpressionSubject::Clocks => "Virtual time",
            ExpressionSubject::Recording => "A recorded run",
        }
    }
}

/// How the value is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueSource {
    /// In the scenario.
    Scenario(fn(&Term) -> Result<Quantity, FactError>),
    /// In the schedule of the policy that is named first.
    Schedule(fn(&ScheduleTerm) -> Result<Quantity, FactError>),
    /// In the literal UWFQ, and in no other policy.
    Uwfq(fn(&ScheduleTerm) -> Result<Quantity, FactError>),
}

impl Expression {
    /// The first word.
    pub fn name(&self) -> &'static str {
        self.form.split(' ').next().unwrap_or_default()
    }

    /// The catalog's scenario of the example; `None` for a recorded run.
    pub fn scenario(&self) -> Option<&'static str> {
        match (self.subject, self.name()) {
            (ExpressionSubject::Recording, _) => None,
            (_, "progress") => Some("paf-two-jobs"),
            (_, "met") => Some("justice-severe"),
            (_, "idle" | "largest-slice" | "smallest-slice") => Some("skew"),
            (_, "wasted" | "killed" | "again") => Some("machine-dies"),
            (_, "held-back") => Some("wait-for-data"),
            (_, "inversion") => Some("priority-inversion"),
            _ => Some("two-users"),
        }
    }

    pub(super) fn value(&self) -> ValueSource {
        self.value
    }

    /// Whether this number of words may follow the first.
    pub(super) fn takes(&self, count: usize) -> bool {
        let behind = || self.form.split(' ').skip(1);
        let least = behind().filter(|word| !word.starts_with('[')).count();
        (least..=behind().count()).contains(&count)
    }
}

/// The expression of that name that this number of words may follow; without one, one of that name at all.
pub(super) fn expression(
    name: &str,
    words: usize,
) -> Result<&'static Expression, Option<&'static Expression>> {
    let mut named = EXPRESSIONS.iter().filter(|expression| expression.name() == name);
    let first = named.clone().next();
    named.find(|expression| expression.takes(words)).ok_or(first)
}

macro_rules! expressions {
    ($($subject:ident { $($form:literal, $meaning:literal, $example:literal, $kind:ident $value:expr;)* })*) => {
        &[$($(Expression {
            form: $form,
            meaning: $meaning,
            example: $example,
            subject: ExpressionSubject::$subject,
            value: ValueSource::$kind($value),
        }),*),*]
    };
}

/// All expressions, in the order in which they are listed.
pub static EXPRESSIONS: &[Expression] = expressions! {
    Scenario {
        "cores", "cores of the cluster", "cores",
            Scenario |term| Ok(count(term.facts.scenario.cluster().cores().into()));
        "atr", "advisory task runtime", "atr",
            Scenario |term| {
                Ok(seconds(term.facts.scenario.partitioning().advisory_task_runtime.seconds()))
            };
        "overhead", "overhead of each task", "overhead",
            Scenario |term| Ok(seconds(term.facts.scenario.cluster().task_overhead.seconds()));
        "users", "number of users", "users",
            Scenario |term| Ok(count(term.facts.scenario.users().len() as u64));
        "all-work", "true work of all jobs", "all-work",
            Scenario |term| {
                Ok(core_seconds(term.facts.scenario.jobs().iter().map(|job| job.work().seconds()).sum()))
            };
        "jobs USER", "number of a user's jobs", "jobs ana",
            Scenario |term| {
                let user = term.user(0)?;
                Ok(count(term.facts.scenario.jobs().iter().filter(|job| job.user == user).count() as u64))
            };
        "weight USER", "a user's weight", "weight ana",
            Scenario |term| Ok(count_of(term.facts.scenario.users()[term.user(0)?.index()].weight.value()));
        "arrival JOB", "when a job arrives", "arrival ben-1",
            Scenario |term| Ok(seconds(term.job(0)?.arrival.seconds()));
        "work JOB", "true work of a job", "work ben-1",
            Scenario |term| Ok(core_seconds(term.job(0)?.work().seconds()));
        "estimate JOB", "work that policies expect", "estimate ben-1",
            Scenario |term| Ok(core_seconds(term.job(0)?.estimate.seconds()));
        "stages JOB", "number of a job's stages", "stages ben-1",
            Scenario |term| Ok(count(term.job(0)?.stages.len() as u64));
        "stage-work JOB STAGE", "true work of a stage", "stage-work ben-1 0",
            Scenario |term| {
                let stage = term.word(1).parse().ok().and_then(|index: usize| term.job(0).ok()?.stages.get(index));
                term.job(0)?;
                let stage = stage.ok_or_else(|| fault(term.word(0), "the job has no such stage"))?;
                Ok(core_seconds(stage.input.work().seconds()))
            };
        "partitions JOB", "default tasks of the first stage", "partitions ben-1",
            Scenario |term| Ok(count(term.job(0)?.stages[0].partitions.into()));
        "largest-slice JOB", "work of the first stage's heaviest slice", "largest-slice report",
            Scenario |term| Ok(core_seconds(term.slices()?.1));
        "smallest-slice JOB", "work of the first stage's lightest slice", "smallest-slice report",
            Scenario |term| Ok(core_seconds(term.slices()?.0));
        "progress JOB CORES", "progress on some cores, by the job's curve", "progress KMeans 8",
            Scenario |term| {
                let curve = term.job(0)?.curve.as_ref();
                let curve = curve.ok_or_else(|| fault(term.word(0), "the job has no curve"))?;
                let slots = term.word(1).parse();
                let slots = slots.map_err(|_| fault(term.word(1), "it is not a number of cores"))?;
                Ok(percent(100.0 * curve.progress(slots) / curve.progress(term.facts.scenario.cluster().cores())))
            };
        "ideal JOB", "finish under the fluid ideal, UJF", "ideal ben-1",
            Scenario |term| Ok(seconds(term.ideal()?));
        "ideal-response JOB", "response under the fluid ideal, UJF", "ideal-response ben-1",
            Scenario |term| Ok(seconds(term.ideal()? - term.job(0)?.arrival.seconds()));
    }
    Schedule {
        "mean POLICY", "mean response of all jobs", "mean uwfq",
            Schedule |term| term.figure(metrics::mean_response(&term.run.trace.jobs)).map(seconds);
        "worst POLICY", "mean response of the slowest tenth", "worst uwfq",
            Schedule |term| term.figure(metrics::worst_decile_mean(&term.run.trace.jobs)).map(seconds);
        "mean-of POLICY USER", "mean response of a user's jobs", "mean-of uwfq ana",
            Schedule |term| {
                let users = term.of.facts.scenario.users().len();
                let means = metrics::mean_response_by_user(&term.run.trace.jobs, users);
                term.figure(means[term.of.user(1)?.index()]).map(seconds)
            };
        "makespan POLICY", "until the last task ends", "makespan uwfq",
            Schedule |term| {
                term.figure(metrics::makespan(&term.run.trace)).map(|makespan| seconds(makespan.seconds()))
            };
        "utilization POLICY", "busy part of the cores that were there until then", "utilization uwfq",
            Schedule |term| {
                term.figure(metrics::utilization(&term.of.facts.scenario, &term.run.trace)).map(|part| percent(100.0 * part))
            };
        "met POLICY", "jobs that met their deadlines", "met justice",
            Schedule |term| Ok(count(term.met()));
        "all-tasks POLICY", "tasks of all jobs", "all-tasks uwfq",
            Schedule |term| Ok(count(term.run.trace.tasks.len() as u64));
        "busy POLICY", "core time of all tasks, with overhead", "busy uwfq",
            Schedule |term| Ok(core_seconds(term.run.trace.tasks.iter().map(length).sum()));
        "wasted POLICY", "core time of killed and repeated attempts", "wasted fair",
            Schedule |term| Ok(core_seconds(term.run.trace.wasted().seconds()));
        "held-back POLICY", "core time free while tasks await data", "held-back fair",
            Schedule |term| Ok(core_seconds(term.run.trace.held_back.seconds()));
        "killed POLICY JOB", "attempts that were killed", "killed fair report",
            Schedule |term| {
                let job = term.of.job_id(1)?;
                let of_job = |index: &&u32| term.run.trace.tasks[**index as usize].job == job;
                Ok(count(term.run.trace.killed.iter().filter(of_job).count() as u64))
            };
        "again POLICY JOB [STAGE]", "attempts beyond the first of each task", "again fair report",
            Schedule |term| {
                let runs = term.runs()?;
                let tasks: BTreeSet<(u32, u32)> = runs.iter().map(|task| (task.stage, task.task)).collect();
                Ok(count((runs.len() - tasks.len()) as u64))
            };
        "start POLICY JOB", "when a job's first task starts", "start uwfq ben-1",
            Schedule |term| term.start().map(|start| seconds(start.seconds()));
        "wait POLICY JOB", "from arrival to then", "wait uwfq ben-1",
            Schedule |term| Ok(seconds(term.start()?.since(term.job()?.arrival).seconds()));
        "finish POLICY JOB", "when a job ends", "finish uwfq ben-1",
            Schedule |term| term.figure(term.job()?.finish()).map(|finish| seconds(finish.seconds()));
        "response POLICY JOB", "from arrival to finish", "response uwfq ben-1",
            Schedule |term| term.figure(term.job()?.response()).map(|span| seconds(span.seconds()));
        "alone POLICY JOB", "response of the job alone on the cluster", "alone uwfq ben-1",
            Schedule |term| term.alone().map(seconds);
        "slowdown POLICY JOB", "response over that alone", "slowdown uwfq ben-1",
            Schedule |term| {
                let response = term.figure(term.job()?.response())?;
                Ok(count_of(response.seconds() / term.alone()?))
            };
        "tasks POLICY JOB [STAGE]", "tasks of a job, or of a stage", "tasks uwfq-p ben-1",
            Schedule |term| Ok(count(term.runs()?.len() as u64));
        "longest POLICY JOB [STAGE]", "longest run of these tasks", "longest uwfq ben-1",
            Schedule |term| Ok(seconds(term.runs()?.iter().map(length).fold(0.0, f64::max)));
        "shortest POLICY JOB [STAGE]", "shortest run of these tasks", "shortest uwfq ben-1",
            Schedule |term| Ok(seconds(term.runs()?.iter().map(length).fold(f64::INFINITY, f64::min)));
        "stage-end POLICY JOB STAGE", "when a stage's last task ends", "stage-end uwfq ben-1 0",
            Schedule |term| Ok(seconds(term.runs()?.iter().map(|task| task.end.seconds()).fold(0.0, f64::max)));
        "inversion POLICY JOB", "time in priority inversion", "inversion uwfq lookup",
            Schedule |term| {
                let inversions = metrics::inversions(&term.of.facts.scenario, term.run.trace.policy);
                let inversions = term.figure(inversions)?;
                let of_job = &inversions[term.of.job_id(1)?.index()];
                Ok(seconds(metrics::inversion_time(of_job).seconds()))
            };
        "idle POLICY JOB", "idle core time behind the job's stragglers", "idle uwfq report",
            Schedule |term| {
                let job = term.of.job_id(1)?;
                let stragglers = metrics::stragglers(&term.of.facts.scenario, &term.run.trace);
                let idle = stragglers.iter().filter(|straggler| straggler.job == job);
                Ok(core_seconds(idle.map(|straggler| straggler.idle.seconds()).sum()))
            };
        "same POLICY POLICY", "1 if both make the same schedule, else 0", "same uwfq cfq",
            Schedule |term| {
                let other = term.of.facts.run(term.of.word(1))?;
                Ok(count((term.run.trace.tasks == other.trace.tasks).into()))
            };
    }
    Instant {
        "running POLICY USER AT", "a user's running tasks", "running uwfq ana 1",
            Schedule |term| Ok(count(term.load()?.running.into()));
        "waiting POLICY USER AT", "a user's waiting tasks", "waiting uwfq ana 1",
            Schedule |term| Ok(count(term.load()?.waiting.into()));
        "served POLICY USER FROM TO", "core time of a user's tasks in between", "served uwfq ana 0 2",
            Schedule |term| term.served().map(core_seconds);
    }
    Clocks {
        "V POLICY AT", "virtual time", "V uwfq 1",
            Schedule |term| Ok(core_micros(term.clock()?.virtual_time));
        "rate POLICY AT", "growth of virtual time a second, in cores", "rate uwfq 1",
            Schedule |term| term.figure(term.clock()?.rate).map(count_of);
        "D POLICY JOB AT", "deadline that counts (CFQ: of the first stage)", "D uwfq ben-1 1",
            Schedule |term| term.deadline().map(core_micros);
        "D-user POLICY JOB", "deadline within the user", "D-user uwfq ana-2",
            Uwfq |term| {
                let (rank, user, arrival) = term.arrival()?;
                let user = term.figure(term.of.facts.uwfq(arrival, true).user_at(user, arrival))?;
                let job = term.figure(user.jobs.iter().find(|job| job.rank == rank))?;
                Ok(core_micros(job.deadline.0))
            };
        "Va POLICY USER AT", "virtual arrival of a user", "Va uwfq ben 1",
            Uwfq |term| Ok(core_micros(term.virtual_user()?.virtual_arrival));
        "Vu POLICY USER AT", "virtual time within a user", "Vu uwfq ben 1",
            Uwfq |term| Ok(core_micros(term.virtual_user()?.user_time));
        "End POLICY USER AT", "virtual end of a user", "End uwfq ben 1",
            Uwfq |term| Ok(core_micros(term.virtual_user()?.end));
        "V-end POLICY JOB", "when a job has finished virtually", "V-end uwfq ben-1",
            Uwfq |term| {
                let (rank, user, arrival) = term.arrival()?;
                let is_over = |uwfq: &UwfqReference, now: Time| {
                    let jobs = uwfq.user_at(user, now).map(|user| user.jobs).unwrap_or_default();
                    now > arrival && jobs.iter().all(|job| job.rank != rank)
                };
                term.figure(term.of.facts.uwfq_until(is_over)).map(|end| seconds(end.seconds()))
            };
        "gone POLICY USER", "when a user has left first", "gone uwfq ben",
            Uwfq |term| {
                let user = term.of.user(1)?;
                let arrivals = term.of.facts.scenario.jobs().iter().filter(|job| job.user == user);
                let first = term.figure(arrivals.map(|job| job.arrival).min())?;
                let is_gone = |uwfq: &UwfqReference, now: Time| now > first && uwfq.user_at(user, now).is_none();
                term.figure(term.of.facts.uwfq_until(is_gone)).map(|gone| seconds(gone.seconds()))
            };
    }
    Recording {
        "ties", "ties between fair pools", "ties",
            Scenario |term| Ok(count(term.facts.of_recording()?.ties[0]));
        "ties-first", "how many went to the first by name", "ties-first",
            Scenario |term| Ok(count(term.facts.of_recording()?.ties[1]));
    }
};
