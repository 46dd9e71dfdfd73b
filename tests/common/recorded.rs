//! What a lesson's step speaks of; if that is the recorded run, read natively from the file that the page has with it.

use fairlane::lesson::{Facts, Scene};
use fairlane::spark::{Import, ImportOptions, Log};

/// The recorded run, from the root of the repository.
pub const FILE: &str = "tests/data/spark/multi-fair.gz";

/// The recorded run, imported.
pub fn import(root: &str) -> Import {
    let file = std::fs::read(format!("{root}/{FILE}")).expect("the recorded run");
    let mut log = Log::default();
    log.read(FILE, file.as_slice()).expect("an event log");
    log.import(&ImportOptions::default()).expect("tasks")
}

/// The facts of a step.
pub fn facts(scene: &Scene, root: &str) -> Facts {
    scene.scenario().map_or_else(
        || {
            let Import { scenario, observed, report } = import(root);
            let ties = report.cluster.ties.expect("fair pools");
            Facts::recorded(scenario, observed, [ties.ties, ties.to_first])
        },
        Facts::new,
    )
}
