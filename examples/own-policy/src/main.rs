//! A policy of one's own, simulated beside those that Fairlane brings: the stage with the least estimated work first.

use fairlane::catalog;
use fairlane::policy::explain::{Key, KeyComponent, Value};
use fairlane::policy::{Context, Info, Policy, StageView};
use fairlane::scenario::PartitionMode;
use fairlane::{engine, metrics, simulate};

const INFO: Info = Info {
    id: "smallest-stage",
    title: "Smallest stage",
    summary: "The stage with the least estimated work goes first.",
    key: "estimate of the stage, rank of arrival, stage id",
    ..Info::DEFAULT
};

/// The stage with the least estimated work first. Key: (estimate, rank of arrival, stage id).
#[derive(Clone)]
struct SmallestStage;

impl Policy for SmallestStage {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        SmallestStage
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, [KeyComponent::new("estimated work", Value::Work(stage.estimate().0 as f64))])
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scenario =
        catalog::find("paper-scenario-1").ok_or("the catalog has the paper's first scenario")?.scenario();
    let own = engine::simulate_policy::<SmallestStage>(&scenario, PartitionMode::Default)?;
    for trace in [simulate(&scenario, "fair".parse()?), simulate(&scenario, "uwfq".parse()?), own] {
        let mean = metrics::mean_response(&trace.jobs).ok_or("no job finished")?;
        println!("{:16} mean response {mean:8.2} s", trace.policy.title());
    }
    Ok(())
}
