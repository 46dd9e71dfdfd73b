//! The worker's side: everything that the page shows of a simulation is calculated here and encoded.

use serde::Serialize;
use zerocopy::IntoBytes;

use super::{Blocking, Report, VERSION};
use crate::engine::{Control, SimulationError};
use crate::metrics::{self, Baselines, Causes, Detail, Evaluation};
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::{self, LoadIndex, Trace};

/// All that the page shows of one policy's simulation, to be sent as bytes.
pub struct Results {
    /// Version, lengths and the [`Report`].
    head: Vec<u8>,
    trace: Trace,
    /// Of a full analysis.
    load: Option<LoadIndex>,
    /// What only some questions need: the journal and [`Blocking`] of a full analysis.
    pub later: Option<[Vec<u8>; 2]>,
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

    /// Simulates and analyzes. `report` is called now and then with the share of the work that is done, 0 to 1.
    ///
    /// # Errors
    /// `report` stops it.
    pub fn analyze(
        &mut self,
        policy: PolicyId,
        detail: Detail,
        report: &mut dyn FnMut(f64) -> Control,
    ) -> Result<Results, SimulationError> {
        let Evaluation { mut trace, alone, summary, causes } =
            metrics::evaluate(&self.scenario, policy, detail, &mut self.baselines, report)?;
        let load = causes.is_some().then(|| LoadIndex::new(&self.scenario, &trace));
        let checks =
            causes.is_some().then(|| trace::check(&self.scenario, &trace).map_err(|fault| fault.to_string()));
        let later = causes.map(|Causes { journal, inversions, stragglers }| {
            let blocking = Blocking { inversions: inversions.unwrap_or_default(), stragglers };
            [to_bytes(&journal), to_bytes(&blocking)]
        });
        let hash = trace.hash();
        let (jobs, killed) = (std::mem::take(&mut trace.jobs), std::mem::take(&mut trace.killed));
        let classes = std::mem::take(&mut trace.classes);
        let report = to_bytes(&Report { jobs, killed, classes, alone, hash, summary, checks });
        let mut head = [VERSION, trace.tasks.len() as u64, report.len() as u64].as_bytes().to_vec();
        head.extend(report);
        Ok(Results { head, trace, load, later })
    }
}

impl Results {
    /// What the page needs at once, in pieces to be sent one after the other: the head, the schedule, and in a full
    /// analysis running and waiting tasks. The large columns are not copied.
    pub fn columns(&self) -> Vec<&[u8]> {
        let mut pieces = vec![&self.head[..], self.trace.tasks.as_bytes()];
        if let Some(load) = &self.load {
            let columns = load.columns();
            pieces.extend(columns.numbers.map(|numbers| numbers.as_bytes()));
            pieces.push(columns.times.as_bytes());
        }
        pieces
    }
}

fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).expect("lengths are known and memory grows")
}
