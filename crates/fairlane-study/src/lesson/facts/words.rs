//! What stands behind the words of a figure, looked up in the scenario or its schedules.

use std::rc::Rc;

use super::expressions::{ValueSource, expression};
use super::quantity::{Quantity, QuantityUnit};
use super::{FactError, LessonFacts, SimulatedRun, fault, instant};
use fairlane::fluid;
use fairlane::ids::{JobId, Rank, UserId};
use fairlane::policy::PolicyKind;
use fairlane::policy::explain::PolicyClock;
use fairlane::policy::uwfq::VirtualUser;
use fairlane::replay::{Replay, ReplayPoint};
use fairlane::scenario::Job;
use fairlane::trace::{CoreLoad, JobRun, TaskRun};
use fairlane::units::{MICROS_PER_SECOND, Time};

/// The words behind the first one of a term, and what they are about.
pub(super) struct Term<'a> {
    pub(super) facts: &'a LessonFacts,
    words: &'a [&'a str],
}

/// A term about a policy's schedule; its first word is the policy.
pub(super) struct ScheduleTerm<'a> {
    pub(super) of: Term<'a>,
    pub(super) run: Rc<SimulatedRun>,
    name: &'a str,
}

impl LessonFacts {
    pub(super) fn term(&self, words: &[&str]) -> Result<Quantity, FactError> {
        let whole = || words.join(" ");
        let Some((&name, rest)) = words.split_first() else { return Err(fault("", "nothing is written")) };
        if let ([], Ok(value)) = (rest, name.parse::<f64>()) {
            return Ok(Quantity { value, unit: QuantityUnit::Count });
        }
        let found = expression(name, rest.len()).map_err(|named| match named {
            Some(named) => fault(&whole(), format!("there is no such figure; it is written {}", named.form)),
            None => fault(&whole(), "it is not a known expression; docs/expressions.md lists all of them"),
        })?;
        let of = Term { facts: self, words: rest };
        match found.value() {
            ValueSource::Scenario(value) => value(&of),
            ValueSource::Schedule(value) => value(&ScheduleTerm::new(of, name)?),
            ValueSource::Uwfq(value) => {
                let term = ScheduleTerm::new(of, name)?;
                match term.run.trace.policy.kind == PolicyKind::Uwfq {
                    true => value(&term),
                    false => Err(fault(term.of.word(0), "only UWFQ has clocks of users")),
                }
            }
        }
    }
}

impl Term<'_> {
    /// A word, by index; empty if there is none.
    pub(super) fn word(&self, index: usize) -> &str {
        self.words.get(index).copied().unwrap_or_default()
    }

    pub(super) fn user(&self, index: usize) -> Result<UserId, FactError> {
        self.facts.user(self.word(index))
    }

    pub(super) fn job_id(&self, index: usize) -> Result<JobId, FactError> {
        self.facts.job(self.word(index))
    }

    pub(super) fn job(&self, index: usize) -> Result<&Job, FactError> {
        Ok(&self.facts.scenario.jobs()[self.job_id(index)?.index()])
    }

    fn instant(&self, index: usize) -> Result<Time, FactError> {
        instant(self.word(index))
    }

    /// The work of the smallest and the largest slice of the job's first stage, in core-seconds.
    pub(super) fn slices(&self) -> Result<(f64, f64), FactError> {
        let input = &self.job(0)?.stages[0].input;
        let slices = input.durations(input.slices() as u64);
        let (least, most) = (slices.iter().min(), slices.iter().max());
        Ok((least.map_or(0.0, |slice| slice.seconds()), most.map_or(0.0, |slice| slice.seconds())))
    }

    /// When the job ends under the fluid UJF, in seconds.
    pub(super) fn ideal(&self) -> Result<f64, FactError> {
        let ideal = self.facts.ideal.get_or_init(|| fluid::finish_times(&self.facts.scenario));
        Ok(ideal[self.job_id(0)?.index()] / MICROS_PER_SECOND)
    }
}

impl<'a> ScheduleTerm<'a> {
    fn new(of: Term<'a>, name: &'a str) -> Result<ScheduleTerm<'a>, FactError> {
        let run = of.facts.run(of.word(0))?;
        Ok(ScheduleTerm { of, run, name })
    }

    /// A figure that there may be none of.
    pub(super) fn figure<T>(&self, figure: Option<T>) -> Result<T, FactError> {
        figure.ok_or_else(|| {
            fault(&format!("{} {}", self.name, self.of.words.join(" ")), "there is no such figure")
        })
    }

    /// What became of the job.
    pub(super) fn job(&self) -> Result<&JobRun, FactError> {
        Ok(&self.run.trace.jobs[self.of.job_id(1)?.index()])
    }

    /// When the first task of the job starts.
    pub(super) fn start(&self) -> Result<Time, FactError> {
        let first = self.of.facts.first_task(self.of.word(0), self.of.word(1), Time::ZERO)?;
        Ok(self.run.trace.tasks[first].start)
    }

    /// The response of the job alone, in seconds.
    pub(super) fn alone(&self) -> Result<f64, FactError> {
        let alone = self.of.facts.scenario.alone(self.of.job_id(1)?);
        let alone = self.of.facts.simulated(&alone, self.run.trace.policy, self.of.word(1))?;
        self.figure(alone.jobs[0].response()).map(|response| response.seconds())
    }

    /// How many jobs with a deadline finished no later than that.
    pub(super) fn met(&self) -> u64 {
        let jobs = self.of.facts.scenario.jobs().iter().zip(&self.run.trace.jobs);
        let met = jobs.filter(|(spec, job)| {
            let due = spec.deadline.map(|deadline| spec.arrival + deadline);
            job.finish().zip(due).is_some_and(|(finish, due)| finish <= due)
        });
        met.count() as u64
    }

    /// The runs of the job's tasks, or of one of its stages'.
    pub(super) fn runs(&self) -> Result<Vec<TaskRun>, FactError> {
        let job = self.of.job_id(1)?;
        let stage = match self.of.word(2) {
            "" => None,
            word => Some(word.parse::<u32>().map_err(|_| fault(word, "it is not a stage"))?),
        };
        let of_stage = |task: &&TaskRun| task.job == job && stage.is_none_or(|stage| task.stage == stage);
        let runs: Vec<TaskRun> = self.run.trace.tasks.iter().filter(of_stage).copied().collect();
        if runs.is_empty() { Err(fault(self.of.word(1), "the job has no such tasks")) } else { Ok(runs) }
    }

    /// The user's tasks at the instant, after all that happens at it.
    pub(super) fn load(&self) -> Result<CoreLoad, FactError> {
        Ok(self.run.loads.user_load(&self.run.trace, self.of.user(1)?, self.of.instant(2)?))
    }

    /// Core time of the user's tasks between the two instants, in core-seconds.
    pub(super) fn served(&self) -> Result<f64, FactError> {
        let (user, from, to) = (self.of.user(1)?, self.of.instant(2)?, self.of.instant(3)?);
        let trace = &self.run.trace;
        let own = trace.tasks.iter().filter(|task| trace.jobs[task.job.index()].user == user);
        let within = own.map(|task| (task.start.max(from), task.end.min(to)));
        let held = within.filter(|(from, to)| from < to).map(|(from, to)| to.since(from).seconds());
        // A sum of nothing is −0.
        Ok(held.fold(0.0, |sum, held| sum + held))
    }

    /// UWFQ's or CFQ's clock at the instant.
    pub(super) fn clock(&self) -> Result<PolicyClock, FactError> {
        let at = self.of.instant(1)?;
        let replay = Replay::new(&self.of.facts.scenario, self.run.trace.policy);
        let clock =
            replay.and_then(|mut replay| replay.at(&self.run.trace, ReplayPoint::Instant(at))?.clock());
        self.figure(clock)
    }

    /// The state of the user in UWFQ.
    pub(super) fn virtual_user(&self) -> Result<VirtualUser, FactError> {
        let (user, at) = (self.of.user(1)?, self.of.instant(2)?);
        let state = self.of.facts.uwfq(at, true).user_at(user, at);
        state.ok_or_else(|| fault(self.of.word(1), "the user is not active then"))
    }

    /// The deadline that counts at the instant, in core-µs.
    pub(super) fn deadline(&self) -> Result<f64, FactError> {
        let (job, at) = (self.of.job_id(1)?, self.of.instant(2)?);
        let replay = self.figure(Replay::new(&self.of.facts.scenario, self.run.trace.policy))?;
        let series = replay.virtual_time(&[job]);
        let counts = series.deadlines.iter().filter(|span| span.stage.is_none_or(|stage| stage == 0));
        self.figure(counts.take_while(|span| span.from <= at).last().map(|span| span.deadline))
    }

    /// The job's rank of arrival, its user and when it arrives.
    pub(super) fn arrival(&self) -> Result<(Rank, UserId, Time), FactError> {
        let job = self.of.job_id(1)?;
        let spec = &self.of.facts.scenario.jobs()[job.index()];
        Ok((self.of.facts.scenario.ranks()[job.index()], spec.user, spec.arrival))
    }
}

pub(super) fn length(task: &TaskRun) -> f64 {
    task.end.since(task.start).seconds()
}
