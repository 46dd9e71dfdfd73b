//! The figures of lessons, told by the simulator.
//!
//! ```text
//! claim = sum ( "<" | "<=" | "=" ) sum ...  all of them hold
//! figure = [ "#" ] sum [ "@" variant ]      "#" leaves out the unit
//! sum = term *( ( "+" | "-" | "*" | "/" | "%" ) term )      from left to right; "a % b" is a in percent of b
//! variant = "atr" SECONDS | "perfect"        the scenario cut otherwise, or with true estimates
//! term = NUMBER | words below               POLICY, USER and JOB by name, AT in seconds
//! ```
//!
//! | words | meaning |
//! |---|---|
//! | `cores`, `atr`, `overhead` | of the scenario: cores, advisory task runtime and overhead per task in seconds |
//! | `arrival JOB`, `work JOB`, `estimate JOB`, `partitions JOB`, `jobs USER` | of the scenario; work in core-seconds, partitions of the first stage |
//! | `largest-slice JOB`, `smallest-slice JOB` | of the first stage's input, in core-seconds |
//! | `stage-work JOB STAGE` | true work of a stage, in core-seconds |
//! | `ideal JOB`, `ideal-response JOB` | finish and response under the fluid UJF, in seconds |
//! | `mean POLICY`, `worst POLICY`, `makespan POLICY`, `mean-of POLICY USER` | response times and makespan, in seconds |
//! | `start`, `finish`, `response`, `wait`, `alone` `POLICY JOB` | of a job, in seconds; wait ends with its first task's start |
//! | `tasks`, `longest`, `shortest` `POLICY JOB [STAGE]` | of a job's tasks or of a stage's: how many, and the lengths of runs in seconds |
//! | `stage-end POLICY JOB STAGE` | when a stage's last task ends, in seconds |
//! | `inversion POLICY JOB` | inversion time, in seconds |
//! | `idle POLICY JOB` | what idles behind the job's stragglers, in core-seconds |
//! | `all-tasks POLICY`, `busy POLICY` | tasks, and core-seconds of all runs with their overhead |
//! | `running POLICY USER AT`, `waiting POLICY USER AT` | tasks at an instant, after all that happens at it |
//! | `V`, `rate` `POLICY AT` | virtual time in core-seconds, and how many cores' worth it grows a second |
//! | `Va`, `Vu`, `End` `POLICY USER AT` | of UWFQ, in core-seconds |
//! | `D POLICY JOB AT` | the deadline that counts at an instant, in core-seconds (CFQ: of the first stage) |
//! | `D-user POLICY JOB` | UWFQ's deadline within the user, in core-seconds |
//! | `V-end POLICY JOB`, `gone POLICY USER` | when a job has finished virtually and when a user has left first, in seconds |
//! | `same POLICY POLICY` | 1 if two schedules are the same, task for task, else 0 |

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use crate::engine::{self, Control};
use crate::fluid;
use crate::ids::{JobId, UserId};
use crate::metrics;
use crate::policy::PolicyId;
use crate::policy::explain::{Active, Clock, UserClock};
use crate::scenario::Scenario;
use crate::trace::{self, At, Journal, LoadIndex, QueueIndex, TaskRun, Trace};
use crate::units::{MICROS_PER_SECOND, Span, Time, micros_from_seconds};

/// Figures that differ by less are told alike.
const EQUAL: f64 = 0.005;

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds of real time.
    Seconds,
    /// Work or virtual time.
    CoreSeconds,
    /// Whole things.
    Count,
    /// A ratio.
    Ratio,
    /// A part of a hundred.
    Percent,
}

/// A figure with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The value in the unit.
    pub value: f64,
    /// The unit.
    pub unit: Unit,
}

impl Quantity {
    /// The value without its unit, rounded as people read it: two decimals (three below a tenth), one of
    /// a ratio, none of a percentage, without closing zeros.
    pub fn bare(self) -> String {
        let decimals = match self.unit {
            Unit::Percent | Unit::Count => 0,
            Unit::Ratio => 1,
            _ if self.value.abs() < 0.0995 => 3,
            _ => 2,
        };
        let text = format!("{:.decimals$}", self.value);
        if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
    }
}

/// With the unit, behind a space that does not break: `1.5 s`, `16 core-seconds`, `4`, `27 %`.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = self.bare();
        match self.unit {
            Unit::Seconds => write!(f, "{bare}\u{a0}s"),
            Unit::CoreSeconds if bare == "1" => write!(f, "{bare}\u{a0}core-second"),
            Unit::CoreSeconds => write!(f, "{bare}\u{a0}core-seconds"),
            Unit::Percent => write!(f, "{bare}\u{a0}%"),
            Unit::Count | Unit::Ratio => write!(f, "{bare}"),
        }
    }
}

/// Why a figure of a lesson cannot be told. Tests tell every figure of every lesson.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the figure \"{figure}\" cannot be told: {why}")]
pub struct FactError {
    figure: String,
    why: String,
}

/// A figure that cannot be told, and why.
pub(super) fn fault(figure: &str, why: impl Into<String>) -> FactError {
    FactError { figure: figure.to_owned(), why: why.into() }
}

/// A scenario and what is found out about it, simulated when it is first asked about.
#[derive(Debug)]
pub struct Facts {
    scenario: Scenario,
    runs: RefCell<BTreeMap<PolicyId, Rc<Run>>>,
    variants: RefCell<BTreeMap<String, Rc<Facts>>>,
    ideal: OnceCell<Vec<f64>>,
}

/// A policy's schedule of the scenario.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) trace: Trace,
    pub(super) journal: Journal,
    index: QueueIndex,
    loads: LoadIndex,
}

impl Facts {
    /// Nothing is simulated yet.
    pub fn new(scenario: Scenario) -> Facts {
        Facts { scenario, runs: RefCell::default(), variants: RefCell::default(), ideal: OnceCell::new() }
    }

    /// What it is about.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The job of that name.
    ///
    /// # Errors
    /// [`FactError`] if there is none.
    pub fn job(&self, name: &str) -> Result<JobId, FactError> {
        let place = self.scenario.jobs.iter().position(|job| job.name == name);
        place.map(|place| JobId(place as u32)).ok_or_else(|| fault(name, "there is no such job"))
    }

    /// The user of that name.
    ///
    /// # Errors
    /// [`FactError`] if there is none.
    pub fn user(&self, name: &str) -> Result<UserId, FactError> {
        let place = self.scenario.users.iter().position(|user| user.name == name);
        place.map(|place| UserId(place as u32)).ok_or_else(|| fault(name, "there is no such user"))
    }

    /// The policy of that name.
    ///
    /// # Errors
    /// [`FactError`] if there is none.
    pub fn policy(&self, name: &str) -> Result<PolicyId, FactError> {
        name.parse().map_err(|_| fault(name, "there is no such policy"))
    }

    /// The first task of a job to start under a policy, by place in the trace.
    ///
    /// # Errors
    /// [`FactError`] if there is no such policy or job.
    pub fn first_task(&self, policy: &str, job: &str) -> Result<usize, FactError> {
        let (run, id) = (self.run(policy)?, self.job(job)?);
        let place = run.trace.tasks.iter().position(|task| task.job == id);
        place.ok_or_else(|| fault(job, "the job has no task"))
    }

    /// Tells a figure, with its unit unless it begins with `#`.
    ///
    /// # Errors
    /// [`FactError`] if it is not written as described above.
    pub fn tell(&self, figure: &str) -> Result<String, FactError> {
        match figure.strip_prefix('#') {
            Some(figure) => self.figure(figure).map(Quantity::bare),
            None => self.figure(figure).map(|quantity| quantity.to_string()),
        }
    }

    /// A figure's value and unit.
    ///
    /// # Errors
    /// [`FactError`] if it is not written as described above.
    pub fn figure(&self, figure: &str) -> Result<Quantity, FactError> {
        match figure.split_once(" @ ") {
            Some((figure, variant)) => self.variant(variant)?.sum(figure),
            None => self.sum(figure),
        }
    }

    /// Whether a claim holds: comparisons of figures, equal meaning to half a hundredth, as they are told.
    ///
    /// # Errors
    /// [`FactError`] if it is not written as described above.
    pub fn holds(&self, claim: &str) -> Result<bool, FactError> {
        let mut words = claim.split(' ').peekable();
        let is_sign = |word: &str| ["<", "<=", "="].contains(&word);
        let mut before: Option<(Quantity, &str)> = None;
        loop {
            let mut side = Vec::new();
            while let Some(word) = words.next_if(|word| !is_sign(word)) {
                side.push(word);
            }
            let here = self.figure(&side.join(" "))?;
            let fits = before.is_none_or(|(before, sign)| match sign {
                "<" => before.value < here.value,
                "<=" => before.value <= here.value,
                _ => (before.value - here.value).abs() < EQUAL,
            });
            match (fits, words.next()) {
                (false, _) => return Ok(false),
                (true, Some(sign)) => before = Some((here, sign)),
                (true, None) if before.is_some() => return Ok(true),
                (true, None) => return Err(fault(claim, "nothing is compared")),
            }
        }
    }

    fn variant(&self, name: &str) -> Result<Rc<Facts>, FactError> {
        if let Some(known) = self.variants.borrow().get(name) {
            return Ok(Rc::clone(known));
        }
        let scenario = match name.split_once(' ') {
            None if name == "perfect" => perfect(&self.scenario),
            Some(("atr", seconds)) => {
                let atr = Span(instant(seconds)?.0);
                self.scenario
                    .with_advisory_task_runtime(atr)
                    .map_err(|error| fault(name, error.to_string()))?
            }
            _ => return Err(fault(name, "there is no such variant")),
        };
        let facts = Rc::new(Facts::new(scenario));
        self.variants.borrow_mut().insert(name.to_owned(), Rc::clone(&facts));
        Ok(facts)
    }

    fn sum(&self, sum: &str) -> Result<Quantity, FactError> {
        let mut total: Option<(Quantity, &str)> = None;
        let mut words = sum.split(' ').peekable();
        loop {
            let mut term = Vec::new();
            while let Some(word) = words.next_if(|word| !["+", "-", "*", "/", "%"].contains(word)) {
                term.push(word);
            }
            let here = self.term(&term)?;
            let so_far = match total {
                Some((before, sign)) => combined(before, sign, here),
                None => here,
            };
            match words.next() {
                Some(sign) => total = Some((so_far, sign)),
                None => return Ok(so_far),
            }
        }
    }

    fn term(&self, words: &[&str]) -> Result<Quantity, FactError> {
        let cluster = &self.scenario.cluster;
        let job = |name: &str| self.job(name).map(|job| &self.scenario.jobs[job.index()]);
        Ok(match *words {
            [number] if number.parse::<f64>().is_ok() => {
                Quantity { value: number.parse().unwrap_or_default(), unit: Unit::Count }
            }
            ["cores"] => count(cluster.cores().into()),
            ["atr"] => seconds(self.scenario.partitioning.advisory_task_runtime.seconds()),
            ["overhead"] => seconds(cluster.task_overhead.seconds()),
            ["arrival", name] => seconds(job(name)?.arrival.seconds()),
            ["work", name] => core_seconds(job(name)?.work().seconds()),
            ["estimate", name] => core_seconds(job(name)?.estimate.seconds()),
            ["partitions", name] => count(job(name)?.stages[0].partitions.into()),
            ["stage-work", name, stage] => {
                let stages = &job(name)?.stages;
                let stage = stage.parse().ok().and_then(|place: usize| stages.get(place));
                core_seconds(stage.ok_or_else(|| fault(name, "it has no such stage"))?.input.work().seconds())
            }
            ["largest-slice", name] => core_seconds(self.slices(name)?.1),
            ["smallest-slice", name] => core_seconds(self.slices(name)?.0),
            ["jobs", user] => {
                let user = self.user(user)?;
                count(self.scenario.jobs.iter().filter(|job| job.user == user).count() as u64)
            }
            ["ideal", name] => seconds(self.ideal(name)?),
            ["ideal-response", name] => seconds(self.ideal(name)? - job(name)?.arrival.seconds()),
            ["same", one, other] => {
                let (one, other) = (self.run(one)?, self.run(other)?);
                count((one.trace.tasks == other.trace.tasks).into())
            }
            [what, policy, ref about @ ..] => return self.of_policy(what, policy, about),
            _ => return Err(fault(&words.join(" "), "it is written wrongly")),
        })
    }

    /// The work of the smallest and the largest slice of a job's first stage, in core-seconds.
    fn slices(&self, job: &str) -> Result<(f64, f64), FactError> {
        let input = &self.scenario.jobs[self.job(job)?.index()].stages[0].input;
        let slices = crate::partition::durations(input, input.slices() as u64);
        let (least, most) = (slices.iter().min(), slices.iter().max());
        Ok((least.map_or(0.0, |slice| slice.seconds()), most.map_or(0.0, |slice| slice.seconds())))
    }

    /// When a job ends under the fluid UJF, in seconds.
    fn ideal(&self, job: &str) -> Result<f64, FactError> {
        let ideal = self.ideal.get_or_init(|| fluid::finish_times(&self.scenario));
        Ok(ideal[self.job(job)?.index()] / MICROS_PER_SECOND)
    }

    pub(super) fn run(&self, policy: &str) -> Result<Rc<Run>, FactError> {
        let policy = self.policy(policy)?;
        if let Some(known) = self.runs.borrow().get(&policy) {
            return Ok(Rc::clone(known));
        }
        let record = engine::simulate_with_journal(&self.scenario, policy, &mut |_| Control::Continue);
        let (trace, journal) =
            record.map_err(|_| fault(&policy.to_string(), "the simulation was stopped"))?;
        let index = QueueIndex::new(&self.scenario, &trace, &journal);
        let loads = LoadIndex::new(&self.scenario, &trace);
        let run = Rc::new(Run { trace, journal, index, loads });
        self.runs.borrow_mut().insert(policy, Rc::clone(&run));
        Ok(run)
    }

    fn of_policy(&self, what: &str, policy: &str, about: &[&str]) -> Result<Quantity, FactError> {
        let run = self.run(policy)?;
        let trace = &run.trace;
        let jobs = &trace.jobs;
        let job = |name: &str| self.job(name).map(|job| &jobs[job.index()]);
        let wrong = || fault(&format!("{what} {policy} {}", about.join(" ")), "there is no such figure");
        Ok(match (what, about) {
            ("mean", []) => seconds(metrics::mean_response(jobs)),
            ("worst", []) => seconds(metrics::worst_decile_mean(jobs)),
            ("makespan", []) => seconds(trace.end().seconds()),
            ("all-tasks", []) => count(trace.tasks.len() as u64),
            ("busy", []) => core_seconds(trace.tasks.iter().map(length).sum()),
            ("mean-of", [user]) => {
                let means = metrics::mean_response_by_user(jobs, self.scenario.users.len());
                seconds(means[self.user(user)?.index()].ok_or_else(wrong)?)
            }
            ("start", [name]) => seconds(trace.tasks[self.first_task(policy, name)?].start.seconds()),
            ("wait", [name]) => {
                let start = trace.tasks[self.first_task(policy, name)?].start;
                seconds(start.since(job(name)?.arrival).seconds())
            }
            ("finish", [name]) => seconds(job(name)?.finish.seconds()),
            ("response", [name]) => seconds(job(name)?.response().seconds()),
            ("alone", [name]) => {
                let alone = self.scenario.alone(self.job(name)?);
                seconds(engine::simulate(&alone, trace.policy).jobs[0].response().seconds())
            }
            ("tasks", [name, ..]) => count(self.runs_of(&run, name, about)?.len() as u64),
            ("longest", [name, ..]) => {
                seconds(self.runs_of(&run, name, about)?.iter().map(length).fold(0.0, f64::max))
            }
            ("shortest", [name, ..]) => {
                seconds(self.runs_of(&run, name, about)?.iter().map(length).fold(f64::INFINITY, f64::min))
            }
            ("stage-end", [name, _]) => {
                let runs = self.runs_of(&run, name, about)?;
                seconds(runs.iter().map(|task| task.end.seconds()).fold(0.0, f64::max))
            }
            ("inversion", [name]) => {
                let inversions =
                    metrics::inversions(&self.scenario, trace, &run.journal).ok_or_else(wrong)?;
                seconds(metrics::inversion_time(&inversions[self.job(name)?.index()]).seconds())
            }
            ("idle", [name]) => {
                let job = self.job(name)?;
                let stragglers = metrics::stragglers(trace);
                let idle = stragglers.iter().filter(|straggler| straggler.job == job);
                core_seconds(idle.map(|straggler| straggler.idle.seconds()).sum())
            }
            ("running", [user, at]) => {
                count(run.loads.of(trace, self.user(user)?, instant(at)?).running.into())
            }
            ("waiting", [user, at]) => {
                count(run.loads.of(trace, self.user(user)?, instant(at)?).waiting.into())
            }
            ("V", [at]) => core_micros(run.journal.notes.virtual_time(instant(at)?.0 as f64)),
            ("rate", [at]) => {
                count_of(self.clock(&run, instant(at)?).and_then(|clock| clock.rate).ok_or_else(wrong)?)
            }
            ("Va", [user, at]) => core_micros(self.user_clock(&run, user, at)?.virtual_arrival),
            ("Vu", [user, at]) => core_micros(self.user_clock(&run, user, at)?.user_time),
            ("End", [user, at]) => core_micros(self.user_clock(&run, user, at)?.end),
            ("D", [name, at]) => core_micros(self.deadline(&run, name, instant(at)?).ok_or_else(wrong)?),
            ("D-user", [name]) => {
                let note = self.admission(&run, name)?.ok_or_else(wrong)?;
                core_micros(note.user_time + note.estimate.0 as f64)
            }
            ("V-end", [name]) => {
                let note = self.admission(&run, name)?.ok_or_else(wrong)?;
                seconds(note.left.at / MICROS_PER_SECOND)
            }
            ("gone", [user]) => {
                let user = self.user(user)?;
                let session = run.journal.notes.sessions.iter().find(|session| session.user == user);
                seconds(session.ok_or_else(wrong)?.left.at / MICROS_PER_SECOND)
            }
            _ => return Err(wrong()),
        })
    }

    /// The runs of a job's tasks, or of one of its stages'.
    fn runs_of(&self, run: &Run, name: &str, about: &[&str]) -> Result<Vec<TaskRun>, FactError> {
        let job = self.job(name)?;
        let stage = match about.get(1) {
            Some(word) => Some(word.parse::<u32>().map_err(|_| fault(word, "it is no stage"))?),
            None => None,
        };
        let of_stage = |task: &&TaskRun| task.job == job && stage.is_none_or(|stage| task.stage == stage);
        let runs: Vec<TaskRun> = run.trace.tasks.iter().filter(of_stage).copied().collect();
        if runs.is_empty() { Err(fault(name, "it has no such tasks")) } else { Ok(runs) }
    }

    /// UWFQ's or CFQ's clock at an instant.
    pub(super) fn clock(&self, run: &Run, at: Time) -> Option<Clock> {
        let ask = At::Instant(at);
        trace::ranked_queue(&self.scenario, &run.trace, &run.journal, &run.index, ask, 0).clock
    }

    fn user_clock(&self, run: &Run, user: &str, at: &str) -> Result<UserClock, FactError> {
        let id = self.user(user)?;
        match self.clock(run, instant(at)?).map(|clock| clock.active) {
            Some(Active::Users(users)) => users
                .into_iter()
                .find(|clock| clock.user == id)
                .ok_or_else(|| fault(user, "has not been active yet")),
            _ => Err(fault(user, "only UWFQ knows users")),
        }
    }

    /// The deadline that counts at an instant, in core-µs.
    fn deadline(&self, run: &Run, name: &str, at: Time) -> Option<f64> {
        let job = self.job(name).ok()?;
        let series = trace::virtual_time_series(&self.scenario, &run.trace, &run.journal, &[job]);
        let counts = series.deadlines.iter().filter(|line| line.stage.is_none_or(|stage| stage == 0));
        counts.take_while(|line| line.from <= at).last().map(|line| line.deadline)
    }

    /// UWFQ's first note of a job.
    fn admission(
        &self,
        run: &Run,
        name: &str,
    ) -> Result<Option<crate::policy::notes::AdmissionNote>, FactError> {
        let rank = self.scenario.ranks()[self.job(name)?.index()];
        Ok(run.journal.notes.admissions.iter().find(|note| note.rank == rank).copied())
    }
}

/// The scenario with every estimate the truth.
fn perfect(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    for job in &mut scenario.jobs {
        job.estimate = job.work();
        for stage in &mut job.stages {
            stage.estimate = stage.input.work();
        }
    }
    scenario
}

fn combined(one: Quantity, sign: &str, other: Quantity) -> Quantity {
    let same = one.unit == other.unit;
    let (value, unit) = match sign {
        "+" => (one.value + other.value, one.unit),
        "-" => (one.value - other.value, one.unit),
        "*" => (one.value * other.value, if one.unit == Unit::Count { other.unit } else { one.unit }),
        "%" => (100.0 * one.value / other.value, Unit::Percent),
        // Work over cores is time.
        _ => match (one.unit, other.unit) {
            (Unit::CoreSeconds, Unit::Count) => (one.value / other.value, Unit::Seconds),
            (unit, Unit::Count) if !same => (one.value / other.value, unit),
            _ => (one.value / other.value, Unit::Ratio),
        },
    };
    Quantity { value, unit }
}

fn seconds(value: f64) -> Quantity {
    Quantity { value, unit: Unit::Seconds }
}

fn core_seconds(value: f64) -> Quantity {
    Quantity { value, unit: Unit::CoreSeconds }
}

fn core_micros(value: f64) -> Quantity {
    core_seconds(value / MICROS_PER_SECOND)
}

fn count(value: u64) -> Quantity {
    Quantity { value: value as f64, unit: Unit::Count }
}

/// A rate of virtual time: so many cores' worth.
fn count_of(value: f64) -> Quantity {
    Quantity { value, unit: Unit::Ratio }
}

fn length(task: &TaskRun) -> f64 {
    task.end.since(task.start).seconds()
}

/// An instant from decimal seconds.
fn instant(text: &str) -> Result<Time, FactError> {
    let micros = text.parse().ok().and_then(|seconds| micros_from_seconds(seconds).ok());
    micros.map(Time).ok_or_else(|| fault(text, "it is no instant"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cores. ana's job of two 2 s tasks holds both from 0 to 2; ben's of one 1 s task arrives at 1,
    /// waits 1 s under FIFO and ends at 3.
    fn facts() -> Facts {
        Facts::new(
            Scenario::from_json(
                r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2 }, "jobs": [
                { "user": "ana", "name": "a", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2] }] },
                { "user": "ben", "name": "b", "arrival_s": 1, "stages": [{ "tasks_s": [1] }] } ] }"#,
            )
            .expect("a sound scenario"),
        )
    }

    #[test]
    fn figures_by_hand() {
        let facts = facts();
        for (figure, told) in [
            ("cores", "2"),
            ("work a", "4\u{a0}core-seconds"),
            ("work b", "1\u{a0}core-second"),
            ("#work a", "4"),
            ("wait fifo b", "1\u{a0}s"),
            ("response fifo b", "2\u{a0}s"),
            ("mean fifo", "2\u{a0}s"),
            ("work a / cores", "2\u{a0}s"),
            ("response fifo b / alone fifo b", "2"),
            ("finish fifo b - arrival b - alone fifo b", "1\u{a0}s"),
            ("wait fifo b % response fifo b", "50\u{a0}%"),
            ("running fifo ana 1", "2"),
            ("waiting fifo ben 1", "1"),
            ("ideal b", "2\u{a0}s"),
            // From 1 s on both share: V grows by 2 in the first second, and by 1 a second then.
            ("V uwfq 1.5", "2.5\u{a0}core-seconds"),
            ("rate uwfq 1.5", "1"),
            ("D uwfq b 1", "3\u{a0}core-seconds"),
            ("V-end uwfq b", "2\u{a0}s"),
            ("same fifo uwfq", "1"),
            ("tasks fifo a 0", "2"),
        ] {
            assert_eq!(facts.tell(figure).as_deref(), Ok(told), "{figure}");
        }
    }

    #[test]
    fn claims_hold_or_not() {
        let facts = facts();
        assert_eq!(facts.holds("wait fifo a < wait fifo b <= 1"), Ok(true));
        assert_eq!(facts.holds("wait fifo b < wait fifo a"), Ok(false));
        assert_eq!(facts.holds("mean fifo = mean uwfq"), Ok(true));
        assert!(facts.holds("mean fifo").is_err());
    }

    #[test]
    fn what_is_no_figure_is_an_error() {
        let facts = facts();
        for wrong in [
            "",
            "mean",
            "mean lifo",
            "response fifo c",
            "V fifo x",
            "work a +",
            "mean fifo @ moon",
            "stage-work a 1",
            "Va fair ana 1",
        ] {
            assert!(facts.tell(wrong).is_err(), "{wrong}");
        }
    }
}
