//! What every policy does and says, in `policies.txt`: the reasons that it gives in a small workload, and
//! fingerprints of traces, which are the same here, in the browser and after every change that does not mean to
//! change a schedule.

use crate::common;
use std::path::Path;
use std::{env, fs};

use fairlane::replay::{Replay, ReplayPoint};
use fairlane::scenario::PartitionMode;
use fairlane::{PolicyId, PolicyKind, Scenario, simulate};

/// Set to anything, rewrites the files; read the difference before you commit it.
const REWRITE: &str = "FAIRLANE_REWRITE_HASHES";

#[test]
fn policies_do_and_say_what_they_always_did() {
    let block = |&kind: &PolicyKind| format!("{}\n{}{}", kind.info().id, reasons(kind), common::hashes(kind));
    compare("tests/policies.txt", &PolicyKind::ALL.iter().map(block).collect::<String>());
}

#[test]
fn loads_and_errors_of_estimates_are_what_they_always_were() {
    compare("tests/random_scenarios.txt", &common::varied());
}

/// The sentences for one small workload: two cores; job a (4 x 1 s) and job b (3 x 1 s) of ana at
/// 0 s, job c (1 x 4 s) of ben, whose weight is 2, at 1 s. `tests/worked_example.rs` works the schedules
/// out by hand for equal weights. A sentence for every dispatch at which more than one stage waits.
fn reasons(kind: PolicyKind) -> String {
    let scenario = Scenario::from_json(
        r#"{ "format": "fairlane/scenario@1",
             "cluster": { "cores_per_executor": 2, "fair_tie_break": "spark" },
             "users": [{ "name": "ana" }, { "name": "ben", "weight": 2 }],
             "jobs": [
                { "user": "ana", "name": "a", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }] },
                { "user": "ana", "name": "b", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1] }] },
                { "user": "ben", "name": "c", "arrival_s": 1, "stages": [{ "tasks_s": [4] }] } ] }"#,
    )
    .expect("a sound workload");
    let id = PolicyId { kind, partitioning: PartitionMode::Default };
    let trace = simulate(&scenario, id);
    let mut replay = Replay::new(&scenario, id).expect("a registered policy");
    let mut reasons = String::new();
    for (task, run) in trace.tasks.iter().enumerate() {
        let queue = replay.queue(&trace, ReplayPoint::Dispatch(task), 10).expect("a launch");
        if queue.waiting < 2 {
            continue;
        }
        reasons += &format!("{:>3} s, core {}: {}\n", run.start.seconds(), run.core.0, queue.reason);
        // The keys where all three wait say enough.
        for stage in queue.stages.iter().filter(|_| queue.waiting == 3) {
            let parts = stage.key.parts().iter().chain(&stage.facts.parts);
            let key: Vec<String> = parts.map(|part| format!("{} {}", part.name, part.value)).collect();
            reasons += &format!("        {}: {}\n", scenario.job_label(stage.job), key.join(", "));
        }
    }
    reasons
}

fn compare(file: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if env::var_os(REWRITE).is_some() {
        fs::write(&path, actual).expect("a writable file");
    }
    let expected = fs::read_to_string(&path).expect("the file is there");
    let differing: Vec<_> = expected.lines().zip(actual.lines()).filter(|(old, new)| old != new).collect();
    assert!(
        expected == actual,
        "{file}: {} lines differ, the first of them {:?}",
        differing.len(),
        differing.first()
    );
}
