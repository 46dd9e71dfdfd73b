//! The figures that the UWFQ paper published of its micro-benchmarks (SoCC '25, Table 1, and the results of its runs),
//! each beside the simulation of the same workload.
//!
//! ```
//! use fairlane_study::fidelity::published;
//! let rows = published::table_1();
//! assert_eq!(rows.len(), published::TABLE_1.len());
//! assert!(published::mean_error(&rows) < 0.05);
//! ```

use super::relative;
use fairlane::catalog;
use fairlane::metrics;
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::{PartitionMode, Scenario};

/// Users of the paper's micro-benchmarks.
const USERS: usize = 4;

/// Figures of a micro-benchmark under a policy, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedMicro {
    /// Mean response time of all jobs.
    pub mean: f64,
    /// Mean of the worst tenth of response times.
    pub worst_decile: f64,
    /// Mean response time of user1 to user4.
    pub users: [f64; USERS],
    /// When the last job finished.
    pub last_finish: f64,
}

/// A row of Table 1 and its simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MicroRow {
    /// The scenario's name in the catalog.
    pub scenario: &'static str,
    /// The policy.
    pub policy: PolicyKind,
    /// What was measured on real Spark: averages over three runs.
    pub measured: PublishedMicro,
}

impl MicroRow {
    const fn new(scenario: &'static str, policy: PolicyKind, figures: [f64; 7]) -> MicroRow {
        let [mean, worst_decile, a, b, c, d, last_finish] = figures;
        MicroRow {
            scenario,
            policy,
            measured: PublishedMicro { mean, worst_decile, users: [a, b, c, d], last_finish },
        }
    }
}

const ONE: &str = "paper-scenario-1";
const TWO: &str = "paper-scenario-2";

/// The ten rows measured.
pub const TABLE_1: [MicroRow; 10] = [
    MicroRow::new(ONE, PolicyKind::Fifo, [29.36, 47.0, 21.3, 36.9, 32.9, 29.4, 144.7]),
    MicroRow::new(ONE, PolicyKind::Fair, [44.08, 86.2, 42.2, 46.9, 40.0, 41.6, 142.7]),
    MicroRow::new(ONE, PolicyKind::Ujf, [43.11, 74.8, 48.7, 48.9, 3.81, 6.46, 144.4]),
    MicroRow::new(ONE, PolicyKind::Cfq, [32.59, 49.8, 29.5, 35.1, 34.9, 33.7, 145.3]),
    MicroRow::new(ONE, PolicyKind::Uwfq, [29.44, 50.3, 32.9, 33.5, 3.17, 5.83, 144.5]),
    MicroRow::new(TWO, PolicyKind::Fifo, [25.15, 46.4, 9.36, 20.7, 31.0, 39.5, 50.6]),
    MicroRow::new(TWO, PolicyKind::Fair, [28.11, 41.7, 31.3, 33.8, 26.0, 21.4, 43.3]),
    MicroRow::new(TWO, PolicyKind::Ujf, [29.11, 41.3, 25.4, 26.8, 30.9, 33.3, 43.3]),
    MicroRow::new(TWO, PolicyKind::Cfq, [43.20, 49.5, 36.7, 41.6, 47.4, 47.1, 50.8]),
    MicroRow::new(TWO, PolicyKind::Uwfq, [25.50, 46.6, 15.8, 25.4, 29.5, 31.3, 50.7]),
];

/// A row of Table 1 beside its simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MicroComparison {
    /// What was measured.
    pub row: MicroRow,
    /// What is simulated.
    pub simulated: PublishedMicro,
}

impl MicroComparison {
    /// How far the simulated mean response time is from the measured one, relative to it, with its
    /// sign.
    pub fn mean_error(&self) -> f64 {
        relative(self.simulated.mean, self.row.measured.mean)
    }
}

/// Simulates every row of Table 1.
pub fn table_1() -> Vec<MicroComparison> {
    let simulated = |row: &MicroRow| {
        let entry = catalog::find(row.scenario).expect("the paper's scenarios are in the catalog");
        let simulated = micro(&entry.scenario(), row.policy);
        MicroComparison { row: *row, simulated }
    };
    TABLE_1.iter().map(simulated).collect()
}

fn micro(scenario: &Scenario, kind: PolicyKind) -> PublishedMicro {
    let trace = fairlane::simulate(scenario, PolicyId { kind, partitioning: PartitionMode::Default });
    let by_user = metrics::mean_response_by_user(&trace.jobs, scenario.users().len());
    let mut users = [0.0; USERS];
    for (to, from) in users.iter_mut().zip(by_user) {
        *to = from.unwrap_or_default();
    }
    let last = trace.jobs.iter().map(|job| job.end()).max().unwrap_or_default();
    PublishedMicro {
        mean: metrics::mean_response(&trace.jobs).unwrap_or_default(),
        worst_decile: metrics::worst_decile_mean(&trace.jobs).unwrap_or_default(),
        users,
        last_finish: last.seconds(),
    }
}

/// Mean over the rows of the mean response times' errors, without their signs.
pub fn mean_error(rows: &[MicroComparison]) -> f64 {
    rows.iter().map(|row| row.mean_error().abs()).sum::<f64>() / rows.len().max(1) as f64
}
