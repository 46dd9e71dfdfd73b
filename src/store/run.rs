//! A policy's simulation: what it waits for, what is shown meanwhile, and a bound on the memory of all.

use std::collections::BTreeMap;

use strum::IntoStaticStr;

use super::{Approvals, Document, State};
use crate::results::codec::{Analysis, Analyzer};
use crate::results::measurement::{CheckedPolicy, SweepPoint};
use crate::results::shared::Shared;
use fairlane::engine::{EventBudget, SimulationError};
use fairlane::metrics::Properties;
use fairlane::policy::{PolicyId, PolicyKind, custom};
use fairlane::scenario::Scenario;

/// What a run waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum RunPhase {
    /// The schedule of the document as it is now: the fraction of the tasks launched.
    Pending(f64),
    /// Nothing.
    Settled,
    /// Another try; and why it failed.
    Failed(String),
    /// Memory; and why there is none.
    Refused(String),
}

/// A ticked policy's simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What is shown: the newest schedule there is, which may be of a slightly older document.
    pub analysis: Option<Shared<Analysis>>,
    /// The revision that the analysis is about.
    pub shown: u32,
    /// What it waits for.
    pub phase: RunPhase,
}

/// What can happen to simulations and measurements.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
pub enum RunAction {
    /// A simulation has made progress.
    Progress(u32, PolicyId, f64),
    /// A simulation has ended, or failed with a message.
    Finished(u32, PolicyId, Result<Shared<Analysis>, String>),
    /// The first picture has been painted: what it did not need is computed.
    AnalyzeInFull,
    /// A failed simulation is to be tried again.
    Retry(PolicyId),
    /// A point of a sweep over a version of the document is known, or cannot be had.
    Swept(u32, SweepPoint, Result<f64, String>),
    /// The properties of a policy in a version of the document are known, as JSON, or cannot be had.
    Checked(u32, PolicyId, Result<Shared<Properties>, String>),
}

impl Default for Run {
    fn default() -> Self {
        Run { analysis: None, shown: 0, phase: RunPhase::Pending(0.0) }
    }
}

impl Run {
    /// Accepts a result of a revision while the page is at the `newest`.
    pub(super) fn finish(&mut self, revision: u32, newest: u32, result: Result<Shared<Analysis>, String>) {
        match result {
            Ok(analysis) => {
                if self.analysis.is_none() || revision >= self.shown {
                    self.analysis = Some(analysis);
                    self.shown = revision;
                }
                if revision == newest {
                    self.phase = RunPhase::Settled;
                }
            }
            Err(message) if revision == newest => {
                self.analysis = None;
                self.phase = RunPhase::Failed(message);
            }
            Err(_) => {}
        }
    }
}

impl State {
    pub(super) fn receive_results(&mut self, action: RunAction) {
        match action {
            RunAction::Progress(revision, policy, part) => self.progress(revision, policy, part),
            RunAction::Finished(revision, policy, result) => self.finish(revision, policy, result),
            RunAction::AnalyzeInFull => self.analyze_in_full(),
            RunAction::Retry(policy) => self.retry(policy),
            RunAction::Swept(revision, point, result) => self.sweep(revision, point, result),
            RunAction::Checked(revision, policy, result) => self.check(revision, policy, result),
        }
    }

    fn progress(&mut self, revision: u32, policy: PolicyId, part: f64) {
        let run = self.runs.get_mut(&policy).filter(|_| revision == self.revision);
        if let Some(Run { phase: RunPhase::Pending(done), .. }) = run {
            *done = part;
        }
    }

    fn finish(&mut self, revision: u32, policy: PolicyId, result: Result<Shared<Analysis>, String>) {
        if let (true, Some(run)) = (revision >= self.opened, self.runs.get_mut(&policy)) {
            run.finish(revision, self.revision, result);
        }
        self.complete();
        self.view.playhead = self.view.playhead.min(self.end());
        self.announce();
    }

    fn analyze_in_full(&mut self) {
        self.full_results = true;
        self.complete();
    }

    fn retry(&mut self, policy: PolicyId) {
        if let Some(Run { phase: phase @ RunPhase::Failed(_), .. }) = self.runs.get_mut(&policy) {
            *phase = RunPhase::Pending(0.0);
        }
    }

    /// Keeps a point of a sweep over the document as it is.
    fn sweep(&mut self, revision: u32, point: SweepPoint, result: Result<f64, String>) {
        if revision == self.revision {
            self.means.insert(point, result);
        }
    }

    /// Keeps what a policy guarantees in the document as it is.
    fn check(&mut self, revision: u32, policy: PolicyId, result: Result<Shared<Properties>, String>) {
        if revision == self.revision {
            let scenario = self.document.scenario.clone();
            let checked = |properties| CheckedPolicy::new(policy, scenario, properties);
            self.properties.insert(policy, result.map(checked));
        }
    }
}

/// Bytes that the page keeps of a task of a schedule, roughly: 32 of the run, 16 to look it up, up to 27 to draw it,
/// and the rest of checkpoints and of what blocks jobs.
const BYTES_PER_TASK: u64 = 107;
/// Most bytes of all schedules together. A browser gives a page some 4 GB at most, and while schedules arrive
/// some of them are in memory twice.
const MAX_BYTES: u64 = 2 << 30;

/// Refuses runs of programs that are not approved, and those whose schedules would take too much memory in addition to those
/// before them; admits those refused before that no longer would be.
pub(super) fn admit(document: &Document, approvals: &Approvals, runs: &mut BTreeMap<PolicyId, Run>) {
    bound_memory(document, runs);
    for (_, run) in runs.iter_mut().filter(|(policy, _)| !approvals.permit(document, policy.kind)) {
        let why = "This program has not run in this browser yet. Read it, then run it.";
        *run = Run { phase: RunPhase::Refused(why.to_owned()), ..Run::default() };
    }
}

/// Refuses runs whose schedules would take too much memory in addition to those before them, and admits those refused
/// before that no longer would.
fn bound_memory(document: &Document, runs: &mut BTreeMap<PolicyId, Run>) {
    let bytes = |policy: &PolicyId| document.tasks(policy.partitioning).saturating_mul(BYTES_PER_TASK);
    let gigabytes = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let wanted: u64 = runs.keys().map(bytes).fold(0, u64::saturating_add);
    let mut admitted = 0_u64;
    for (policy, run) in runs {
        let with_it = admitted.saturating_add(bytes(policy));
        if with_it > MAX_BYTES {
            run.analysis = None;
            run.phase = RunPhase::Refused(format!(
                "The schedules of all ticked policies would take about {:.1} GB; the page keeps {:.0} GB at most, so this \
                 one is not simulated. Untick other policies, or use a scenario with fewer tasks.",
                gigabytes(wanted),
                gigabytes(MAX_BYTES)
            ));
            continue;
        }
        admitted = with_it;
        if matches!(run.phase, RunPhase::Refused(_)) {
            run.phase = RunPhase::Pending(0.0);
        }
    }
}

/// Whether what runs a policy is loaded after the first picture: programs, and the network of Decima.
pub fn is_loaded_later(policy: PolicyKind) -> bool {
    custom::is_program(policy) || policy == PolicyKind::Decima
}

/// Most tasks of all schedules together that are simulated at once: natively 6 ms for the catalog's largest below it.
const AT_ONCE: u64 = 30_000;
/// Most events of all of these simulations together; the tasks of a schedule say little about how long a cluster or a
/// policy ticks through empty time. A simulation that takes more is left to a worker.
const MAX_EVENTS_AT_ONCE: u32 = 200_000;

impl State {
    /// The schedules of programs that are up to date.
    pub fn programs(&self) -> BTreeMap<PolicyId, Shared<Analysis>> {
        let programs = self.runs.iter().filter(|(policy, _)| custom::is_program(policy.kind));
        let settled = programs.filter(|(_, run)| run.phase == RunPhase::Settled);
        settled.filter_map(|(policy, run)| Some((*policy, run.analysis.clone()?))).collect()
    }

    /// The state with the schedules that it waits for, if simulating them here takes less time than having a worker do
    /// it; otherwise as it is. Both is bounded: the tasks before, and the events while they are simulated.
    pub fn simulated_at_once(self) -> State {
        self.simulated_within(EventBudget::new(MAX_EVENTS_AT_ONCE))
    }

    pub(super) fn simulated_within(mut self, mut budget: EventBudget) -> State {
        let (document, source) = (self.document.clone(), self.source());
        let pending = self.runs.iter().filter(|(_, run)| matches!(run.phase, RunPhase::Pending(_)));
        let pending: Vec<PolicyId> = pending.map(|(policy, _)| *policy).collect();
        let tasks = pending.iter().map(|policy| document.tasks(policy.partitioning));
        // How long a program or a network takes is not known.
        let is_later = pending.iter().any(|policy| is_loaded_later(policy.kind));
        if tasks.fold(0, u64::saturating_add) > AT_ONCE || is_later {
            return self;
        }
        let mut analyzer = Analyzer::new(Scenario::clone(&document.scenario));
        for policy in pending.into_iter().filter_map(|policy| source.admit(policy).ok()) {
            let policy = policy.policy();
            let analysis = match analyzer.responses_here(policy, &document.scenario, &mut budget) {
                Err(SimulationError::Stopped) => return self,
                analysis => analysis,
            };
            let result = analysis.map(Shared::new).map_err(|error| error.to_string());
            self.runs.entry(policy).or_default().finish(self.revision, self.revision, result);
        }
        self
    }
}
