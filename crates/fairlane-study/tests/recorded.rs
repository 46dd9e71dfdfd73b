//! What a lesson's step speaks of; if that is the recorded run, read natively from the file that the page has with it.

use fairlane_import::spark::{DriverTime, Import, ImportOptions, Log};
use fairlane_study::lesson::LessonFacts;
use fairlane_study::lesson::document::LessonScene;

/// The recorded run.
const FILE: &[u8] = include_bytes!("../../fairlane-import/tests/data/spark/multi-fair.gz");

/// The recorded run, imported as the page does it.
pub fn import() -> Import {
    let mut log = Log::default();
    log.read("multi-fair.gz", FILE).expect("an event log");
    let options = ImportOptions { driver_time: DriverTime::Stage, ..ImportOptions::default() };
    log.import(&options).expect("tasks")
}

/// The facts of a step.
pub fn facts(scene: &LessonScene) -> LessonFacts {
    scene.scenario().expect("a sound scenario").map_or_else(recording, LessonFacts::new)
}

/// The facts of the recorded run.
pub fn recording() -> LessonFacts {
    let Import { scenario, observed, report, .. } = import();
    let ties = report.cluster.ties.expect("fair pools");
    LessonFacts::recorded(scenario, observed, [ties.ties, ties.to_first])
}
