//! Generators that use every parameter, and the fingerprints of what they make.

use std::fmt::Write;

use fairlane::scenario::Generator;
use xxhash_rust::xxh3::xxh3_64;

/// Seeds whose scenarios `generators.txt` lists for each generator.
const SEEDS: [u64; 4] = [0, 1, 42, u64::MAX];

/// A name and a generator's file.
pub const GENERATORS: [(&str, &str); 8] = [
    (
        "poisson-exponential",
        r#"{ "format": "fairlane/generator@1", "duration_s": 600, "groups": [
            { "prefix": "user", "users": 5, "arrivals": { "poisson": { "per_minute": 8 } },
              "sizes": { "exponential": { "mean_s": 24 } } } ] }"#,
    ),
    (
        "bursts-pareto-zipf",
        r#"{ "format": "fairlane/generator@1", "duration_s": 300, "load": 1.1, "cluster": { "executors": 8, "cores_per_executor": 4 }, "groups": [
            { "prefix": "b", "users": 3, "weight": 2.5, "start_s": 0.1, "stagger_s": 0.7,
              "arrivals": { "bursts": { "size": 20, "every_s": 30, "jitter_s": 5, "spacing_s": 0.25 } },
              "sizes": { "pareto": { "shape": 1.1, "least_s": 2, "cap_s": 900 } },
              "stages": [ { "name": "load", "work_s": 0.1, "partitions": 1, "splittable": false },
                          { "name": "left", "share": 2, "parents": [0], "partitions": 16, "skew": { "zipf": { "exponent": 0.8 } } },
                          { "name": "right", "share": 1, "parents": [0], "partition_work_s": 1.5, "skew": { "heavy": { "factor": 5 } } },
                          { "name": "join", "share": 0.1, "parents": [1, 2] } ],
              "estimates": { "random": { "up_to": 3 } } } ] }"#,
    ),
    (
        "at-once",
        r#"{ "format": "fairlane/generator@1", "groups": [
            { "prefix": "ana", "jobs": 30, "arrivals": { "at_once": {} }, "sizes": { "fixed": { "work_s": 11.3 } },
              "estimates": { "constant": { "work_s": 1.5 } } } ] }"#,
    ),
    (
        "many-small-few-large",
        r#"{ "format": "fairlane/generator@1", "duration_s": 500, "groups": [
            { "prefix": "small", "users": 20, "jobs": 4, "arrivals": "scattered", "sizes": { "pareto": { "shape": 0.7, "least_s": 0.5, "cap_s": 60 } } },
            { "prefix": "large", "users": 2, "arrivals": { "poisson": { "per_minute": 1.5 } }, "sizes": { "exponential": { "mean_s": 300 } },
              "estimates": { "factor": { "by": 0.25 } } } ] }"#,
    ),
    (
        "paf",
        r#"{ "format": "fairlane/generator@1", "cluster": { "executors": 50, "cores_per_executor": 2 },
            "preset": { "paf": { "jobs": 20, "parallelism": 12, "stages": 2, "warm": 4 } } }"#,
    ),
    (
        "bopf",
        r#"{ "format": "fairlane/generator@1", "cluster": { "executors": 8, "cores_per_executor": 4 },
            "preset": { "bopf": { "queues": 3, "deviation": 0.35, "demand": 1.5 } } }"#,
    ),
    (
        "justice",
        r#"{ "format": "fairlane/generator@1", "cluster": { "executors": 6, "cores_per_executor": 4 },
            "preset": { "justice": { "jobs": 80, "spread": 0.2, "due_most": 2.5, "tight": 0.1 } } }"#,
    ),
    (
        "decima",
        r#"{ "format": "fairlane/generator@1", "cluster": { "executors": 20, "core_move_s": 2.5 },
            "preset": { "decima": { "queries": 8, "largest": 20 } } }"#,
    ),
];

/// The contents of `generators.txt`: a line `name seed jobs hash` for each generator and seed; the
/// hash is the XXH3-64 of the scenario's file.
pub fn fingerprints() -> String {
    let mut text = String::new();
    for (name, file) in GENERATORS {
        let mut generator = Generator::from_json(file).expect("a good file");
        for seed in SEEDS {
            generator.seed = seed;
            let scenario = generator.scenario().expect("good parameters");
            let hash = xxh3_64(scenario.to_json().as_bytes());
            writeln!(text, "{name} {seed} {} {hash:016x}", scenario.jobs().len())
                .expect("text takes every line");
        }
    }
    text
}
