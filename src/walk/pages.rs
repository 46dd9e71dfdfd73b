//! The scenarios that walks start from and open: small ones, and each with something of its own.

use crate::results::shared::Shared;
use crate::store::Document;
use crate::testing::recorded_log;
use fairlane::catalog;
use fairlane::scenario::{Generator, Scenario};
use fairlane_view::link::Origin;

/// How many pages there are.
pub(super) const PAGES: usize = 8;

/// Users that are queues, memory, executors that come and go, deadlines, a curve, and jobs that wait for others.
const RICH: &str = r#"{"format":"fairlane/scenario@1","name":"rich",
    "cluster":{"executors":2,"cores_per_executor":2,"memory_mb_per_executor":1000,"task_overhead_s":0.05},
    "users":[{"name":"q","queue":{"kind":"latency","period_s":4,"within_s":2,"demand_core_s":2}},
             {"name":"t","queue":{"kind":"throughput"}},{"name":"idle"}],
    "jobs":[{"user":"q","arrival_s":0,"deadline_s":2,"stages":[{"tasks_s":[1,0.5],"memory_mb":300}]},
            {"user":"t","arrival_s":0,"stages":[{"work_s":6,"memory_mb":200},{"work_s":2,"parents":[0]}]},
            {"user":"t","arrival_s":1,"curve":[[1,1],[4,2.5]],"stages":[{"work_s":3,"profile":[3,1,1]}]}]}"#;

/// Names that are formulas, markup or escapes.
const HOSTILE: &str = r#"{"format":"fairlane/scenario@1","name":"\u001b]0;owned\u0007","jobs":[
    {"user":"=cmd|' /C calc'!A0","name":"\u001b[2J","group":"+1","arrival_s":0,"stages":[{"work_s":4}]},
    {"user":"<b>&amp;\"'","name":"x\ny","arrival_s":0,"stages":[{"work_s":1}]},
    {"user":"\u202eb","name":"@SUM(1)","arrival_s":0.5,"stages":[{"tasks_s":[0]}]}]}"#;

/// A program, and jobs in pools.
const PROGRAM: &str = r#"{"format":"fairlane/scenario@1","name":"program","cluster":{"executors":2,"cores_per_executor":2},
    "policies":{"custom":{"program":"job.estimate"},"spark":{"mode":"FAIR","pools":[{"name":"etl","weight":2}]}},
    "jobs":[{"user":"a","pool":"etl","arrival_s":0,"stages":[{"work_s":4}]},
            {"user":"a","pool":"adhoc","arrival_s":0.5,"stages":[{"work_s":4}]},
            {"user":"b","pool":"adhoc","arrival_s":1,"estimate_s":20,"stages":[{"work_s":2}]}]}"#;

/// Six jobs of two users.
const GENERATOR: &str = r#"{"format":"fairlane/generator@1","duration_s":20,
    "cluster":{"executors":1,"cores_per_executor":4},"groups":[{"prefix":"g","users":2,"jobs":3,
    "arrivals":"scattered","sizes":{"fixed":{"work_s":3}}}]}"#;

/// A page by its number.
pub(super) fn page(number: usize) -> Shared<Document> {
    let file = |text: &str| Scenario::from_json(text).expect("a good scenario");
    let named = |scenario: Scenario| {
        let name = scenario.name().to_owned();
        Document::new(scenario, Origin::File(name))
    };
    let entry = |name| Document::from_catalog(catalog::find(name).expect("an entry"));
    Shared::new(match number {
        0 => Document::blank(),
        1 => entry("priority-inversion"),
        2 => entry("two-users"),
        3 => named(file(RICH)),
        4 => named(file(HOSTILE)),
        5 => named(file(PROGRAM)),
        6 => generated(),
        _ => recorded_log(),
    })
}

fn generated() -> Document {
    let generator = Generator::from_json(GENERATOR).expect("a good generator");
    let scenario = generator.scenario().expect("a scenario");
    Document::new(scenario, Origin::Generated(Box::new(generator)))
}

#[test]
fn each_page_is_good_and_small() {
    for number in 0..PAGES {
        let tasks = page(number).tasks(fairlane::scenario::PartitionMode::Default);
        assert!((1..=300).contains(&tasks), "page {number} has {tasks} tasks");
    }
}
