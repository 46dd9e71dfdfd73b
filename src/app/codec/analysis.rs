//! The worker's side: everything that the page shows of a simulation is calculated here and encoded.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;
use zerocopy::IntoBytes;

use super::{Blocking, Depth, Report, VERSION};
use crate::engine::{self, Control, SimulationError};
use crate::metrics::{self, Reference, Summary};
use crate::partition::Mode;
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::Scenario;
use crate::trace::{self, Journal, LoadIndex, Trace};
use crate::units::{Span, Time};

/// One policy's simulation, and all that is shown of it.
pub struct Analysis {
    /// Without its jobs, which are in the report.
    trace: Trace,
    load: LoadIndex,
    report: Report,
    /// Of a full analysis.
    detail: Option<(Journal, Blocking)>,
}

/// Analyzes a scenario under policies. Keeps what serves several of them, or the next version of the scenario.
pub struct Analyzer {
    scenario: Rc<Scenario>,
    /// The fluid ideal.
    ideal: Option<Reference>,
    /// When its jobs finish under practical UJF, by partitioning.
    ujf: Vec<(Mode, Rc<[Time]>)>,
    /// Response times of jobs alone under the policies, each of the scenario as it was then.
    alone: BTreeMap<PolicyId, (Rc<Scenario>, Rc<[Span]>)>,
}

/// Approximate shares of a full analysis's time: the schedule, the one under UJF, and what blocks jobs.
const SCHEDULE: f64 = 0.4;
const REFERENCE: f64 = 0.2;
const BLOCKING: f64 = 0.25;
/// The schedule's share of a quick one.
const QUICK_SCHEDULE: f64 = 0.7;

/// Reports how far a step of the work is, as a share of the whole.
struct Progress<'a> {
    report: &'a mut dyn FnMut(f64) -> Control,
    done: f64,
}

impl Progress<'_> {
    /// An observer of a simulation that takes this share of the whole.
    fn simulation(&mut self, share: f64) -> impl FnMut(engine::Progress) -> Control + '_ {
        let from = self.done;
        self.done += share;
        move |progress| {
            let part = (progress.launched as f64 / progress.tasks.max(1) as f64).min(1.0);
            (self.report)(from + share * part)
        }
    }

    /// Reports that everything so far is done; what follows takes this share.
    fn step(&mut self, share: f64) -> Result<(), SimulationError> {
        let control = (self.report)(self.done);
        self.done += share;
        if control == Control::Continue { Ok(()) } else { Err(SimulationError::Stopped) }
    }
}

impl Analyzer {
    /// An analyzer of a scenario.
    pub fn new(scenario: Scenario) -> Analyzer {
        Analyzer { scenario: Rc::new(scenario), ideal: None, ujf: Vec::new(), alone: BTreeMap::new() }
    }

    /// An analyzer of another version of the scenario. Response times of jobs alone may serve again.
    pub fn after(self, scenario: Scenario) -> Analyzer {
        Analyzer { alone: self.alone, ..Analyzer::new(scenario) }
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Simulates and analyzes. `report` is called now and then with the share of the work that is done, 0 to 1.
    ///
    /// # Errors
    /// `report` stops it.
    pub fn analyze(
        &mut self,
        policy: PolicyId,
        depth: Depth,
        report: &mut dyn FnMut(f64) -> Control,
    ) -> Result<Analysis, SimulationError> {
        let mut progress = Progress { report, done: 0.0 };
        let scenario = Rc::clone(&self.scenario);
        let (mut trace, alone, summary, full) = match depth {
            Depth::Quick => {
                let trace =
                    engine::simulate_observed(&scenario, policy, &mut progress.simulation(QUICK_SCHEDULE))?;
                let (alone, summary) = self.summary(&trace, &mut progress)?;
                (trace, alone, summary, None)
            }
            Depth::Full => {
                let (trace, journal) =
                    engine::simulate_with_journal(&scenario, policy, &mut progress.simulation(SCHEDULE))?;
                let ujf = self.ujf(&trace, &mut progress)?;
                let ujf = Reference::new(&scenario, ujf.iter().map(|finish| finish.0 as f64).collect());
                progress.step(BLOCKING)?;
                let inversions = metrics::inversions(&scenario, &trace, &journal);
                let stragglers = metrics::stragglers(&trace);
                let (alone, summary) = self.summary(&trace, &mut progress)?;
                let summary =
                    summary.against_ujf(&trace, ujf).blocked(&trace, inversions.as_deref(), &stragglers);
                let checks = trace::check(&scenario, &trace).map_err(|fault| fault.to_string());
                let inversions = inversions.unwrap_or_default();
                (trace, alone, summary, Some((checks, (journal, Blocking { inversions, stragglers }))))
            }
        };
        let load = LoadIndex::new(&scenario, &trace);
        let (checks, detail) = full.unzip();
        let hash = trace.hash();
        let jobs = std::mem::take(&mut trace.jobs);
        let killed = trace.killed.clone();
        let report = Report { jobs, killed, alone: alone.to_vec(), hash, summary, checks };
        Ok(Analysis { trace, load, report, detail })
    }

    /// Response times of the jobs alone, and the figures that follow from the schedule.
    fn summary(
        &mut self,
        trace: &Trace,
        progress: &mut Progress,
    ) -> Result<(Rc<[Span]>, Summary), SimulationError> {
        progress.step(0.1)?;
        let (scenario, policy) = (&self.scenario, trace.policy);
        let alone: Rc<[Span]> = match self.alone.get(&policy) {
            Some((of, alone)) if Rc::ptr_eq(of, scenario) => Rc::clone(alone),
            Some((of, alone)) => metrics::alone_responses_after(scenario, policy, (of, alone)).into(),
            None => metrics::alone_responses(scenario, policy).into(),
        };
        self.alone.insert(policy, (Rc::clone(scenario), Rc::clone(&alone)));
        progress.step(0.1)?;
        let ideal = self.ideal.get_or_insert_with(|| Reference::fluid_ujf(scenario)).clone();
        let summary = Summary::with_ideal(scenario, trace, &alone, ideal);
        Ok((alone, summary))
    }

    /// When the jobs finish under practical UJF with the partitioning of a schedule.
    fn ujf(&mut self, trace: &Trace, progress: &mut Progress) -> Result<Rc<[Time]>, SimulationError> {
        let mode = trace.policy.partitioning;
        if let Some((_, finishes)) = self.ujf.iter().find(|(of, _)| *of == mode) {
            progress.done += REFERENCE;
            return Ok(Rc::clone(finishes));
        }
        let reference = PolicyId { kind: PolicyKind::Ujf, partitioning: mode };
        let finishes = |trace: &Trace| trace.jobs.iter().map(|job| job.end()).collect::<Rc<[Time]>>();
        let mut observer = progress.simulation(REFERENCE);
        let finishes = match trace.policy == reference {
            true => finishes(trace),
            false => finishes(&engine::simulate_observed(&self.scenario, reference, &mut observer)?),
        };
        self.ujf.push((mode, Rc::clone(&finishes)));
        Ok(finishes)
    }
}

impl Analysis {
    /// Version, lengths and report.
    pub fn head(&self) -> Vec<u8> {
        let report = to_bytes(&self.report);
        let mut head = [VERSION, self.trace.tasks.len() as u64, report.len() as u64].as_bytes().to_vec();
        head.extend(report);
        head
    }

    /// What the page needs at once, in pieces to be sent one after the other: the head, the schedule, running and
    /// waiting tasks. The large columns are not copied.
    pub fn columns<'a>(&'a self, head: &'a [u8]) -> Vec<&'a [u8]> {
        let load = self.load.columns();
        let mut pieces = vec![head, self.trace.tasks.as_bytes()];
        pieces.extend(load.numbers.map(|numbers| numbers.as_bytes()));
        pieces.push(load.times.as_bytes());
        pieces
    }

    /// What only some questions need: the journal and [`Blocking`] of a full analysis.
    pub fn later(&self) -> Option<[Vec<u8>; 2]> {
        self.detail.as_ref().map(|(journal, blocking)| [to_bytes(journal), to_bytes(blocking)])
    }
}

fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("lengths are known and memory grows")
}
