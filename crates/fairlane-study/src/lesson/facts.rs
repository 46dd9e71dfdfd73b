//! The figures of lessons, computed by the simulator.
//!
//! ```text
//! claim = sum ( "<" | "<=" | "=" | ">=" | ">" ) sum ...  all of them hold
//! figure = [ "#" ] sum [ "@" variant ]      "#" omits the unit
//! sum = term *( ( "+" | "-" | "*" | "/" | "%" ) term )      from left to right; "a % b" is a in percent of b
//! variant = "atr" SECONDS | "perfect"        with another ATR, or with true estimates
//!         | "without" FIELD                  of the cluster: preemption, speculation, speeds, losses or locality_wait
//!         | "start"                          of the scenario that a challenge began with
//! term = NUMBER | one of the expressions      POLICY, USER and JOB by name, AT in seconds
//! ```
//!
//! The policy `observed` is the recorded run, as it happened.
//!
//! [`EXPRESSIONS`] lists all of them, and is the list by which they are computed; the guide shows it with examples.

mod completion;
mod expressions;
mod quantity;
mod words;

pub use completion::Completion;
pub use expressions::{EXPRESSIONS, Expression, ExpressionSubject};
pub(in crate::lesson) use quantity::MAX_DECIMALS;
pub use quantity::{Quantity, QuantityUnit};

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use fairlane::engine::{self, Engine, EventBudget};
use fairlane::ids::{JobId, UserId};
use fairlane::policy::uwfq::UwfqReference;
use fairlane::policy::{OBSERVED, PolicyId, custom};
use fairlane::scenario::{Cluster, Edit, PartitionMode, Scenario};
use fairlane::trace::{LoadIndex, Trace};
use fairlane::units::{Span, Time, micros_from_seconds};
use quantity::combined;

/// Why there is no figure of a program that has not run.
const UNSIMULATED: &str =
    "the figures of a program are known once it has run; read it in its panel, then press Run it";
/// Figures that differ by less are equal.
const EQUAL: f64 = 0.005;

/// Why a figure of a lesson cannot be computed. Tests compute every figure of every lesson.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the figure \"{figure}\" cannot be computed: {why}")]
pub struct FactError {
    figure: String,
    why: String,
}

/// A figure that cannot be computed, and why.
pub(super) fn fault(figure: &str, why: impl Into<String>) -> FactError {
    FactError { figure: figure.to_owned(), why: why.into() }
}

/// A scenario and its schedules, simulated when they are first needed.
#[derive(Debug)]
pub struct LessonFacts {
    scenario: Scenario,
    runs: RefCell<BTreeMap<PolicyId, Rc<SimulatedRun>>>,
    variants: RefCell<BTreeMap<String, Rc<LessonFacts>>>,
    ideal: OnceCell<Vec<f64>>,
    recorded: Option<RecordedFacts>,
    /// Most events of one simulation.
    max_events: u32,
    /// Whether programs of the scenario are simulated, which run in place of a policy.
    runs_programs: bool,
}

/// What a recorded run has beyond its scenario.
#[derive(Debug)]
pub(super) struct RecordedFacts {
    observed: Trace,
    /// Ties between fair pools, and how many went to the first by name.
    pub(super) ties: [u64; 2],
}

/// A policy's schedule of the scenario.
#[derive(Debug)]
pub(super) struct SimulatedRun {
    pub(super) trace: Trace,
    loads: LoadIndex,
}

impl LessonFacts {
    /// Nothing is simulated yet.
    pub fn new(scenario: Scenario) -> LessonFacts {
        LessonFacts {
            scenario,
            runs: RefCell::default(),
            variants: RefCell::default(),
            ideal: OnceCell::new(),
            recorded: None,
            max_events: u32::MAX,
            runs_programs: true,
        }
    }

    /// The facts of a scenario that anybody may have made: a simulation that takes more events than this is none, so
    /// that nobody who asks is held up.
    pub fn within(self, max_events: u32) -> LessonFacts {
        LessonFacts { max_events, ..self }
    }

    /// The facts of another scenario, for which the same holds: as many events, and programs run or do not.
    pub(super) fn of(&self, scenario: Scenario) -> LessonFacts {
        let runs_programs = self.runs_programs;
        LessonFacts { runs_programs, ..LessonFacts::new(scenario).within(self.max_events) }
    }

    /// The facts of a scenario whose programs do not run: what they do is known only if it is
    /// [given](LessonFacts::with_trace).
    pub fn without_programs(self) -> LessonFacts {
        LessonFacts { runs_programs: false, ..self }
    }

    /// Whether a policy's schedule can be had within the events that there are.
    pub fn is_within(&self, policy: PolicyId) -> bool {
        self.run(&policy.to_string()).is_ok()
    }

    /// The facts of a recorded run: the scenario and what happened, the ties between its fair pools, and how many of
    /// them went to the first by name.
    pub fn recorded(scenario: Scenario, observed: Trace, ties: [u64; 2]) -> LessonFacts {
        LessonFacts { recorded: Some(RecordedFacts { observed, ties }), ..LessonFacts::new(scenario) }
    }

    /// The facts of a scenario that began as another one, whose facts are those of the variant `@ start`.
    pub fn with_start(self, start: Rc<LessonFacts>) -> LessonFacts {
        self.variants.borrow_mut().insert("start".to_owned(), start);
        self
    }

    /// The facts with the schedule that a policy makes, which is then not simulated.
    pub fn with_trace(self, policy: PolicyId, trace: Trace) -> LessonFacts {
        let run = SimulatedRun { loads: LoadIndex::new(&self.scenario, &trace), trace };
        self.runs.borrow_mut().insert(policy, Rc::new(run));
        self
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The job of that name.
    ///
    /// # Errors
    /// [`FactError`] if there is none.
    pub fn job(&self, name: &str) -> Result<JobId, FactError> {
        let index = self.scenario.jobs().iter().position(|job| job.name == name);
        index.map(|index| JobId(index as u32)).ok_or_else(|| fault(name, "there is no such job"))
    }

    /// The user of that name.
    ///
    /// # Errors
    /// [`FactError`] if there is none.
    pub fn user(&self, name: &str) -> Result<UserId, FactError> {
        let index = self.scenario.users().iter().position(|user| user.name == name);
        index.map(|index| UserId(index as u32)).ok_or_else(|| fault(name, "there is no such user"))
    }

    /// The policy of that name.
    ///
    /// # Errors
    /// [`FactError`] if there is none.
    pub fn policy(&self, name: &str) -> Result<PolicyId, FactError> {
        match name == OBSERVED.kind.info().id {
            true => Ok(OBSERVED),
            false => name.parse().map_err(|_| fault(name, "there is no such policy")),
        }
    }

    /// The first task of a job to start under a policy at an instant or later, by index in the trace.
    ///
    /// # Errors
    /// [`FactError`] if there is no such policy, job or task.
    pub fn first_task(&self, policy: &str, job: &str, from: Time) -> Result<usize, FactError> {
        let (run, id) = (self.run(policy)?, self.job(job)?);
        let index = run.trace.tasks.iter().position(|task| task.job == id && task.start >= from);
        index.ok_or_else(|| fault(job, "no task of the job starts then"))
    }

    /// A figure as text, with its unit unless it begins with `#`.
    ///
    /// # Errors
    /// [`FactError`] if it is not written as described above.
    pub fn evaluate(&self, figure: &str) -> Result<String, FactError> {
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

    /// Whether a claim holds: comparisons of figures, which are equal if they differ by less than half a hundredth.
    ///
    /// # Errors
    /// [`FactError`] if it is not written as described above.
    pub fn holds(&self, claim: &str) -> Result<bool, FactError> {
        let mut words = claim.split(' ').peekable();
        let is_sign = |word: &str| ["<", "<=", "=", ">=", ">"].contains(&word);
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
                ">=" => before.value >= here.value,
                ">" => before.value > here.value,
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

    fn variant(&self, name: &str) -> Result<Rc<LessonFacts>, FactError> {
        if let Some(known) = self.variants.borrow().get(name) {
            return Ok(Rc::clone(known));
        }
        let scenario = match name.split_once(' ') {
            None if name == "perfect" => self.scenario.with(&Edit::PerfectEstimates),
            Some(("atr", seconds)) => {
                self.scenario.with(&Edit::advisory_task_runtime(Span(instant(seconds)?.0)))
            }
            Some(("without", field)) => {
                let cluster = without(self.scenario.cluster(), field);
                let cluster = cluster.ok_or_else(|| fault(name, "the cluster has no such field"))?;
                self.scenario.to_builder().cluster(cluster).build()
            }
            _ => return Err(fault(name, "there is no such variant")),
        };
        let scenario = scenario.map_err(|error| fault(name, error.to_string()))?;
        let facts = LessonFacts { runs_programs: self.runs_programs, ..LessonFacts::new(scenario) };
        let facts = Rc::new(facts.within(self.max_events));
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

    pub(super) fn run(&self, name: &str) -> Result<Rc<SimulatedRun>, FactError> {
        let policy = self.policy(name)?;
        if let Some(known) = self.runs.borrow().get(&policy) {
            return Ok(Rc::clone(known));
        }
        let trace = match policy == OBSERVED {
            true => self.of_recording()?.observed.clone(),
            // A program may fail.
            false => self.simulated(&self.scenario, policy, name)?,
        };
        let loads = LoadIndex::new(&self.scenario, &trace);
        let run = Rc::new(SimulatedRun { trace, loads });
        self.runs.borrow_mut().insert(policy, Rc::clone(&run));
        Ok(run)
    }

    pub(super) fn simulated(
        &self,
        scenario: &Scenario,
        policy: PolicyId,
        name: &str,
    ) -> Result<Trace, FactError> {
        if !self.runs_programs && custom::is_program(policy.kind) {
            return Err(fault(name, UNSIMULATED));
        }
        let mut budget = EventBudget::new(self.max_events);
        engine::simulate_observed(scenario, policy, &mut |_| budget.spend())
            .map_err(|error| fault(name, error.to_string()))
    }

    /// The literal UWFQ in the state after all events before an instant, those at it included or not.
    pub(super) fn uwfq(&self, at: Time, is_included: bool) -> UwfqReference {
        let mut engine = Engine::<UwfqReference>::new(&self.scenario, PartitionMode::Default);
        let is_ahead = |next: Option<Time>| next.is_some_and(|next| next < at || next == at && is_included);
        let mut steps = 0;
        while steps < self.max_events && is_ahead(engine.next_instant()) && engine.step() {
            steps += 1;
        }
        engine.policy().clone()
    }

    /// The first instant, in µs, at which something has become true of the literal UWFQ that was not; `None` if it
    /// never does.
    pub(super) fn uwfq_until(&self, is_true: impl Fn(&UwfqReference, Time) -> bool) -> Option<Time> {
        let mut engine = Engine::<UwfqReference>::new(&self.scenario, PartitionMode::Default);
        let mut was_false = false;
        let mut steps = 0;
        while steps < self.max_events && engine.step() {
            steps += 1;
            let now = engine.view().now();
            // Long after the last event everything has finished virtually.
            let end = engine.next_instant().unwrap_or(Time(now.0 + (1 << 50)));
            was_false |= !is_true(engine.policy(), now);
            if was_false && is_true(engine.policy(), end) {
                let (mut before, mut after) = (now.0, end.0);
                while after - before > 1 {
                    let middle = before + (after - before) / 2;
                    if is_true(engine.policy(), Time(middle)) { after = middle } else { before = middle }
                }
                return Some(Time(after));
            }
        }
        None
    }

    pub(super) fn of_recording(&self) -> Result<&RecordedFacts, FactError> {
        self.recorded.as_ref().ok_or_else(|| fault("observed", "this is no recorded run"))
    }
}

/// A cluster without what a field makes it do; `None` if it is none of those that may be taken away.
fn without(cluster: &Cluster, field: &str) -> Option<Cluster> {
    let mut cluster = cluster.clone();
    match field {
        "preemption" => cluster.preemption = None,
        "speculation" => cluster.speculation = None,
        "speeds" => cluster.speeds.clear(),
        "losses" => cluster.losses.clear(),
        "locality_wait" => cluster.locality_wait = Span(0),
        _ => return None,
    }
    Some(cluster)
}

/// An instant from decimal seconds.
fn instant(text: &str) -> Result<Time, FactError> {
    let micros = text.parse().ok().and_then(|seconds| micros_from_seconds(seconds).ok());
    micros.map(Time).ok_or_else(|| fault(text, "it is not an instant"))
}

#[cfg(test)]
mod tests;
