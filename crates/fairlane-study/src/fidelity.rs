//! How close the simulator is to measurements: to schedules recorded from real Spark, and to the figures
//! that the UWFQ paper and others published.
//!
//! ```
//! // Stock Spark on one computer: 7 ms of overhead per task, and a driver loop.
//! let cluster = fairlane_study::fidelity::recording_cluster(4, 0);
//! assert_eq!(cluster.task_overhead.seconds(), 0.007);
//! assert!(cluster.driver.is_modelled());
//! ```

pub mod figures;
pub mod papers;
pub mod published;
pub mod recorded;
pub mod table_2;

use fairlane::scenario::{Cluster, Driver, FairTieBreak};
use fairlane::units::Span;

/// A relative difference, simulated over measured; 0.05 is 5 % more.
fn relative(simulated: f64, measured: f64) -> f64 {
    simulated / measured - 1.0
}

/// The machine of the recorded schedules as a cluster: stock Spark 3.5.5 on one computer, with `cores` slots
/// and tasks that sleep.
///
/// The figures are measured from the second runs of the recorded schedules. A slot is held 7 ms longer than
/// its task sleeps (about 4 ms between launch and finish, 3 to 4 ms until the next launch). The driver, a serial
/// loop, spends about 2 ms on an arriving job, 1 ms on each of its stages and 0.5 ms on the end of a task.
/// Equal running counts are ordered by the text of the stages' names.
#[allow(clippy::field_reassign_with_default, reason = "in the page's package the struct has no literal form")]
pub fn recording_cluster(cores: u32, first_stage_id: u64) -> Cluster {
    let mut cluster = Cluster::default();
    cluster.executors = 1;
    cluster.cores_per_executor = cores;
    cluster.task_overhead = Span(7_000);
    cluster.stage_delay = Span(0);
    cluster.driver = Driver { job: Span(2_000), stage: Span(1_000), task: Span(500) };
    cluster.fair_tie_break = FairTieBreak::Spark;
    cluster.first_stage_id = first_stage_id;
    cluster
}
