//! The words of a figure, each looked up in the scenario or its schedules.

use std::collections::BTreeSet;

use super::quantity::{Quantity, QuantityUnit, core_micros, core_seconds, count, count_of, percent, seconds};
use super::{FactError, LessonFacts, SimulatedRun, fault, instant};
use fairlane::fluid;
use fairlane::ids::{Rank, UserId};
use fairlane::metrics;
use fairlane::policy::PolicyKind;
use fairlane::policy::explain::PolicyClock;
use fairlane::policy::uwfq::{UwfqReference, VirtualUser};
use fairlane::replay::{Replay, ReplayPoint};
use fairlane::trace::{TaskRun, Trace};
use fairlane::units::{MICROS_PER_SECOND, Time};

impl LessonFacts {
    pub(super) fn term(&self, words: &[&str]) -> Result<Quantity, FactError> {
        let cluster = self.scenario.cluster();
        let job = |name: &str| self.job(name).map(|job| &self.scenario.jobs()[job.index()]);
        Ok(match *words {
            [number] if number.parse::<f64>().is_ok() => {
                Quantity { value: number.parse().unwrap_or_default(), unit: QuantityUnit::Count }
            }
            ["cores"] => count(cluster.cores().into()),
            ["atr"] => seconds(self.scenario.partitioning().advisory_task_runtime.seconds()),
            ["overhead"] => seconds(cluster.task_overhead.seconds()),
            ["all-work"] => core_seconds(self.scenario.jobs().iter().map(|job| job.work().seconds()).sum()),
            ["arrival", name] => seconds(job(name)?.arrival.seconds()),
            ["work", name] => core_seconds(job(name)?.work().seconds()),
            ["estimate", name] => core_seconds(job(name)?.estimate.seconds()),
            ["partitions", name] => count(job(name)?.stages[0].partitions.into()),
            ["stage-work", name, stage] => {
                let stages = &job(name)?.stages;
                let stage = stage.parse().ok().and_then(|index: usize| stages.get(index));
                core_seconds(
                    stage.ok_or_else(|| fault(name, "the job has no such stage"))?.input.work().seconds(),
                )
            }
            ["largest-slice", name] => core_seconds(self.slices(name)?.1),
            ["smallest-slice", name] => core_seconds(self.slices(name)?.0),
            ["jobs", user] => {
                let user = self.user(user)?;
                count(self.scenario.jobs().iter().filter(|job| job.user == user).count() as u64)
            }
            ["progress", name, slots] => {
                let curve = job(name)?.curve.as_ref().ok_or_else(|| fault(name, "the job has no curve"))?;
                let slots = slots.parse().map_err(|_| fault(slots, "it is not a number of cores"))?;
                percent(100.0 * curve.progress(slots) / curve.progress(cluster.cores()))
            }
            ["ideal", name] => seconds(self.ideal(name)?),
            ["ideal-response", name] => seconds(self.ideal(name)? - job(name)?.arrival.seconds()),
            ["ties"] => count(self.of_recording()?.ties[0]),
            ["ties-first"] => count(self.of_recording()?.ties[1]),
            ["same", one, other] => {
                let (one, other) = (self.run(one)?, self.run(other)?);
                count((one.trace.tasks == other.trace.tasks).into())
            }
            [what, policy, ref about @ ..] => return self.of_policy(what, policy, about),
            _ => return Err(fault(&words.join(" "), "it is not a known expression")),
        })
    }

    /// The work of the smallest and the largest slice of a job's first stage, in core-seconds.
    fn slices(&self, job: &str) -> Result<(f64, f64), FactError> {
        let input = &self.scenario.jobs()[self.job(job)?.index()].stages[0].input;
        let slices = input.durations(input.slices() as u64);
        let (least, most) = (slices.iter().min(), slices.iter().max());
        Ok((least.map_or(0.0, |slice| slice.seconds()), most.map_or(0.0, |slice| slice.seconds())))
    }

    /// When a job ends under the fluid UJF, in seconds.
    fn ideal(&self, job: &str) -> Result<f64, FactError> {
        let ideal = self.ideal.get_or_init(|| fluid::finish_times(&self.scenario));
        Ok(ideal[self.job(job)?.index()] / MICROS_PER_SECOND)
    }

    fn of_policy(&self, what: &str, policy: &str, about: &[&str]) -> Result<Quantity, FactError> {
        let run = self.run(policy)?;
        let trace = &run.trace;
        let jobs = &trace.jobs;
        let job = |name: &str| self.job(name).map(|job| &jobs[job.index()]);
        let wrong = || fault(&format!("{what} {policy} {}", about.join(" ")), "there is no such figure");
        Ok(match (what, about) {
            ("mean", []) => seconds(metrics::mean_response(jobs).ok_or_else(wrong)?),
            ("worst", []) => seconds(metrics::worst_decile_mean(jobs).ok_or_else(wrong)?),
            ("makespan", []) => seconds(metrics::makespan(trace).ok_or_else(wrong)?.seconds()),
            ("met", []) => count(self.met(trace)),
            ("all-tasks", []) => count(trace.tasks.len() as u64),
            ("busy", []) => core_seconds(trace.tasks.iter().map(length).sum()),
            ("wasted", []) => core_seconds(trace.wasted().seconds()),
            ("held-back", []) => core_seconds(trace.held_back.seconds()),
            ("killed", [name]) => {
                let job = self.job(name)?;
                let of_job = |index: &&u32| trace.tasks[**index as usize].job == job;
                count(trace.killed.iter().filter(of_job).count() as u64)
            }
            ("again", [name, ..]) => {
                let runs = self.runs_of(&run, name, about)?;
                let tasks: BTreeSet<(u32, u32)> = runs.iter().map(|task| (task.stage, task.task)).collect();
                count((runs.len() - tasks.len()) as u64)
            }
            ("mean-of", [user]) => {
                let means = metrics::mean_response_by_user(jobs, self.scenario.users().len());
                seconds(means[self.user(user)?.index()].ok_or_else(wrong)?)
            }
            ("start", [name]) => {
                seconds(trace.tasks[self.first_task(policy, name, Time::ZERO)?].start.seconds())
            }
            ("wait", [name]) => {
                let start = trace.tasks[self.first_task(policy, name, Time::ZERO)?].start;
                seconds(start.since(job(name)?.arrival).seconds())
            }
            ("finish", [name]) => seconds(job(name)?.finish().ok_or_else(wrong)?.seconds()),
            ("response", [name]) => seconds(job(name)?.response().ok_or_else(wrong)?.seconds()),
            ("alone", [name]) => {
                let alone = self.scenario.alone(self.job(name)?);
                let alone = self.simulated(&alone, trace.policy, name)?.jobs[0].response();
                seconds(alone.ok_or_else(wrong)?.seconds())
            }
            ("tasks", [name, ..]) => count(self.runs_of(&run, name, about)?.len() as u64),
            ("longest", [name, ..]) => {
                seconds(self.runs_of(&run, name, about)?.iter().map(length).fold(0.0, f64::max))
            }
            ("shortest", [name, ..]) => {
                seconds(self.runs_of(&run, name, about)?.iter().map(length).fold(f64::INFINITY, f64::min))
            }
            ("served", [user, from, to]) => {
                let (user, from, to) = (self.user(user)?, instant(from)?, instant(to)?);
                let own = trace.tasks.iter().filter(|task| jobs[task.job.index()].user == user);
                let within = own.map(|task| (task.start.max(from), task.end.min(to)));
                let held = within.filter(|(from, to)| from < to).map(|(from, to)| to.since(from).seconds());
                // A sum of nothing is −0.
                core_seconds(held.fold(0.0, |sum, held| sum + held))
            }
            ("stage-end", [name, _]) => {
                let runs = self.runs_of(&run, name, about)?;
                seconds(runs.iter().map(|task| task.end.seconds()).fold(0.0, f64::max))
            }
            ("inversion", [name]) => {
                let inversions = metrics::inversions(&self.scenario, trace.policy).ok_or_else(wrong)?;
                seconds(metrics::inversion_time(&inversions[self.job(name)?.index()]).seconds())
            }
            ("idle", [name]) => {
                let job = self.job(name)?;
                let stragglers = metrics::stragglers(trace);
                let idle = stragglers.iter().filter(|straggler| straggler.job == job);
                core_seconds(idle.map(|straggler| straggler.idle.seconds()).sum())
            }
            ("running", [user, at]) => {
                count(run.loads.user_load(trace, self.user(user)?, instant(at)?).running.into())
            }
            ("waiting", [user, at]) => {
                count(run.loads.user_load(trace, self.user(user)?, instant(at)?).waiting.into())
            }
            ("V", [at]) => core_micros(self.clock(&run, instant(at)?).ok_or_else(wrong)?.virtual_time),
            ("rate", [at]) => {
                count_of(self.clock(&run, instant(at)?).and_then(|clock| clock.rate).ok_or_else(wrong)?)
            }
            ("Va" | "Vu" | "End" | "D-user" | "V-end" | "gone", _)
                if trace.policy.kind != PolicyKind::Uwfq =>
            {
                return Err(fault(policy, "only UWFQ has clocks of users"));
            }
            ("Va", [user, at]) => core_micros(self.virtual_user(user, at)?.virtual_arrival),
            ("Vu", [user, at]) => core_micros(self.virtual_user(user, at)?.user_time),
            ("End", [user, at]) => core_micros(self.virtual_user(user, at)?.end),
            ("D", [name, at]) => core_micros(self.deadline(&run, name, instant(at)?).ok_or_else(wrong)?),
            ("D-user", [name]) => {
                let (rank, user, arrival) = self.arrival(name)?;
                let user = self.uwfq(arrival, true).user_at(user, arrival).ok_or_else(wrong)?;
                let job = user.jobs.iter().find(|job| job.rank == rank).ok_or_else(wrong)?;
                core_micros(job.deadline.0)
            }
            ("V-end", [name]) => {
                let (rank, user, arrival) = self.arrival(name)?;
                let is_over = |uwfq: &UwfqReference, now: Time| {
                    let jobs = uwfq.user_at(user, now).map(|user| user.jobs).unwrap_or_default();
                    now > arrival && jobs.iter().all(|job| job.rank != rank)
                };
                seconds(self.uwfq_until(is_over).ok_or_else(wrong)?.seconds())
            }
            ("gone", [user]) => {
                let user = self.user(user)?;
                let arrivals = self.scenario.jobs().iter().filter(|job| job.user == user);
                let first = arrivals.map(|job| job.arrival).min().ok_or_else(wrong)?;
                let is_gone =
                    |uwfq: &UwfqReference, now: Time| now > first && uwfq.user_at(user, now).is_none();
                seconds(self.uwfq_until(is_gone).ok_or_else(wrong)?.seconds())
            }
            _ => return Err(wrong()),
        })
    }

    /// How many jobs with a deadline finished no later than that.
    fn met(&self, trace: &Trace) -> u64 {
        let jobs = self.scenario.jobs().iter().zip(&trace.jobs);
        let met = jobs.filter(|(spec, job)| {
            let due = spec.deadline.map(|deadline| spec.arrival + deadline);
            job.finish().zip(due).is_some_and(|(finish, due)| finish <= due)
        });
        met.count() as u64
    }

    /// The runs of a job's tasks, or of one of its stages'.
    fn runs_of(&self, run: &SimulatedRun, name: &str, about: &[&str]) -> Result<Vec<TaskRun>, FactError> {
        let job = self.job(name)?;
        let stage = match about.get(1) {
            Some(word) => Some(word.parse::<u32>().map_err(|_| fault(word, "it is not a stage"))?),
            None => None,
        };
        let of_stage = |task: &&TaskRun| task.job == job && stage.is_none_or(|stage| task.stage == stage);
        let runs: Vec<TaskRun> = run.trace.tasks.iter().filter(of_stage).copied().collect();
        if runs.is_empty() { Err(fault(name, "the job has no such tasks")) } else { Ok(runs) }
    }

    /// UWFQ's or CFQ's clock at an instant.
    fn clock(&self, run: &SimulatedRun, at: Time) -> Option<PolicyClock> {
        let mut replay = Replay::new(&self.scenario, run.trace.policy)?;
        replay.at(&run.trace, ReplayPoint::Instant(at))?.clock()
    }

    fn virtual_user(&self, user: &str, at: &str) -> Result<VirtualUser, FactError> {
        let (id, at) = (self.user(user)?, instant(at)?);
        self.uwfq(at, true).user_at(id, at).ok_or_else(|| fault(user, "the user is not active then"))
    }

    /// The deadline that counts at an instant, in core-µs.
    fn deadline(&self, run: &SimulatedRun, name: &str, at: Time) -> Option<f64> {
        let job = self.job(name).ok()?;
        let series = Replay::new(&self.scenario, run.trace.policy)?.virtual_time(&[job]);
        let counts = series.deadlines.iter().filter(|span| span.stage.is_none_or(|stage| stage == 0));
        counts.take_while(|span| span.from <= at).last().map(|span| span.deadline)
    }

    /// A job's rank of arrival, its user and when it arrives.
    fn arrival(&self, name: &str) -> Result<(Rank, UserId, Time), FactError> {
        let job = self.job(name)?;
        let spec = &self.scenario.jobs()[job.index()];
        Ok((self.scenario.ranks()[job.index()], spec.user, spec.arrival))
    }
}

fn length(task: &TaskRun) -> f64 {
    task.end.since(task.start).seconds()
}
