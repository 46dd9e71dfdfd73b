//! The worker's side: everything that the page shows of a simulation is calculated here and encoded.

use std::cell::OnceCell;

use zerocopy::IntoBytes;

use super::{Analysis, AnalysisHead, BlockingDetail, to_bytes};
use crate::results::shared::Shared;
use fairlane::engine::{Control, EventBudget, SimulationError};
use fairlane::metrics::{self, Baselines, Causes, Evaluation, EvaluationDetail, Waiting};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::trace::{self, LoadIndex, Trace};

/// All that the page shows of one policy's simulation, to be sent.
pub struct EncodedAnalysis {
    /// The small part.
    pub head: AnalysisHead,
    trace: Trace,
    /// Load over time, if the analysis is a full one.
    load: Option<LoadIndex>,
    /// What only some questions need: the `Blocking` of a full analysis.
    pub later: Option<Vec<u8>>,
}

/// Analyzes a scenario under policies. Keeps what serves several of them, or the next version of the scenario.
pub struct Analyzer {
    scenario: Scenario,
    baselines: Baselines,
}

impl Analyzer {
    /// An analyzer of a scenario.
    pub fn new(scenario: Scenario) -> Analyzer {
        Analyzer { scenario, baselines: Baselines::new(1) }
    }

    /// An analyzer of another version of the scenario. Response times of jobs alone may serve again.
    pub fn after(self, scenario: Scenario) -> Analyzer {
        Analyzer { scenario, baselines: self.baselines.after_change() }
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Simulates and evaluates response times. `report` is called now and then with the share of the work that is
    /// done, 0 to 1.
    ///
    /// # Errors
    /// `report` stops it.
    pub fn responses(
        &mut self,
        policy: PolicyId,
        report: &mut dyn FnMut(f64) -> Control,
    ) -> Result<EncodedAnalysis, SimulationError> {
        let evaluation = metrics::evaluate_responses(&self.scenario, policy, &mut self.baselines, report)?;
        Ok(EncodedAnalysis::new(evaluation, None))
    }

    /// As [`Analyzer::responses`], as the page's own thread needs it. `scenario` is the analyzer's.
    ///
    /// # Errors
    /// The policy breaks a rule of the contract, or the simulation takes more events than there are left.
    pub fn responses_here(
        &mut self,
        policy: PolicyId,
        scenario: &Shared<Scenario>,
        budget: &mut EventBudget,
    ) -> Result<Analysis, SimulationError> {
        let go_on = &mut |_| budget.spend();
        let evaluation = metrics::evaluate_responses(&self.scenario, policy, &mut self.baselines, go_on)?;
        Ok(Analysis {
            end: evaluation.trace.last(),
            hash: evaluation.trace.hash(),
            evaluation,
            simulated: scenario.clone(),
            index: OnceCell::new(),
            extras: None,
        })
    }

    /// As [`Analyzer::responses`], with everything else that the page shows: a full analysis.
    ///
    /// # Errors
    /// `report` stops it.
    pub fn full(
        &mut self,
        policy: PolicyId,
        report: &mut dyn FnMut(f64) -> Control,
    ) -> Result<EncodedAnalysis, SimulationError> {
        let evaluation =
            metrics::evaluate(&self.scenario, policy, EvaluationDetail::Full, &mut self.baselines, report)?;
        Ok(self.full_results(evaluation, None))
    }

    /// All that the page shows of a schedule that was observed. Nothing says why it is as it is.
    ///
    /// # Errors
    /// `report` stops it.
    pub fn observed(
        &mut self,
        trace: Trace,
        report: &mut dyn FnMut(f64) -> Control,
    ) -> Result<EncodedAnalysis, SimulationError> {
        let evaluation = metrics::evaluate_observed(&self.scenario, trace, &mut self.baselines, report)?;
        let waiting = metrics::waiting(&self.scenario, &evaluation.trace);
        Ok(self.full_results(evaluation, Some(waiting)))
    }

    fn full_results(&self, mut evaluation: Evaluation, waiting: Option<Waiting>) -> EncodedAnalysis {
        let load = LoadIndex::new(&self.scenario, &evaluation.trace);
        let checks = trace::check(&self.scenario, &evaluation.trace).map_err(|fault| fault.to_string());
        let later = evaluation.causes.take().map(|Causes { inversions, stragglers }| {
            to_bytes(&BlockingDetail { inversions: inversions.unwrap_or_default(), stragglers, waiting })
        });
        let mut results = EncodedAnalysis::new(evaluation, Some(checks));
        results.head.changes = load.columns().times.len();
        EncodedAnalysis { load: Some(load), later, ..results }
    }
}

impl EncodedAnalysis {
    fn new(evaluation: Evaluation, checks: Option<Result<(), String>>) -> EncodedAnalysis {
        let Evaluation { mut trace, alone, summary, .. } = evaluation;
        let hash = trace.hash();
        let (jobs, killed) = (std::mem::take(&mut trace.jobs), std::mem::take(&mut trace.killed));
        let (reasons, held_back) = (std::mem::take(&mut trace.reasons), trace.held_back);
        let classes = std::mem::take(&mut trace.classes);
        let executors = std::mem::take(&mut trace.executors);
        let tasks = trace.tasks.len();
        let head = AnalysisHead {
            tasks,
            changes: 0,
            jobs,
            killed,
            reasons,
            held_back,
            executors,
            classes,
            alone,
            hash,
            summary,
            checks,
        };
        EncodedAnalysis { head, trace, load: None, later: None }
    }

    /// What the page needs at once besides the head, in pieces to be sent one after the other: the schedule, and in
    /// a full analysis running and waiting tasks. They are not copied.
    pub fn columns(&self) -> Vec<&[u8]> {
        let mut pieces = vec![self.trace.tasks.as_bytes()];
        if let Some(load) = &self.load {
            let columns = load.columns();
            pieces.extend(columns.numbers.map(|numbers| numbers.as_bytes()));
            pieces.push(columns.times.as_bytes());
        }
        pieces
    }
}
