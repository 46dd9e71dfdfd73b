//! What a lesson's step speaks of; if that is the recorded run, read natively from the file that the page has with it.

use fairlane_import::spark::{Import, ImportOptions, Log};
use fairlane_study::lesson::{LessonFacts, LessonScene};

/// The recorded run.
const FILE: &[u8] = include_bytes!("../../../fairlane-import/tests/data/spark/multi-fair.gz");

/// The recorded run, imported.
pub fn import() -> Import {
    let mut log = Log::default();
    log.read("multi-fair.gz", FILE).expect("an event log");
    log.import(&ImportOptions::default()).expect("tasks")
}

/// The facts of a step.
pub fn facts(scene: &LessonScene) -> LessonFacts {
    scene.scenario().map_or_else(
        || {
            let Import { scenario, observed, report, .. } = import();
            let ties = report.cluster.ties.expect("fair pools");
            LessonFacts::recorded(scenario, observed, [ties.ties, ties.to_first])
        },
        LessonFacts::new,
    )
}
