//! A policy of one's own, simulated beside those that Fairlane brings: the job with the least pending work first.

use fairlane::catalog;
use fairlane::policy::explain::{Contender, Explainer, Explanation, Part, Ranking, Value};
use fairlane::policy::log::Snapshot;
use fairlane::policy::queue::Scan;
use fairlane::policy::{Candidate, Context, Group, Info, KeyBasis, Ranked, RankedPolicy};
use fairlane::scenario::Mode;
use fairlane::{engine, metrics, simulate};

const INFO: Info = Info {
    id: "smallest-stage",
    title: "Smallest stage",
    summary: "The stage with the least estimated work goes first.",
    key: "estimate of the stage, stage id",
    group: Group::Other,
    ..Info::DEFAULT
};

/// The stage with the least estimated work first. Key: (estimate in core-µs, stage id).
struct SmallestStage {
    /// By stage index.
    estimates: Vec<u64>,
    first_stage_id: u64,
}

impl Ranking for SmallestStage {
    type Key = (u64, u64);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (self.estimates[(stage.id.0 - self.first_stage_id) as usize], stage.id.0)
    }
}

impl RankedPolicy for SmallestStage {
    const BASIS: KeyBasis<Self::Key> = KeyBasis::Submission(|(estimate, id)| [estimate, id, 0]);

    type Queue = Scan;
    type Reference = Self;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let jobs = context.scenario.jobs();
        let stages = context.scenario.stages_by_id().into_iter();
        SmallestStage {
            estimates: stages
                .map(|(job, stage)| jobs[job.index()].stages[stage as usize].estimate.0)
                .collect(),
            first_stage_id: context.scenario.cluster().first_stage_id,
        }
    }
}

impl Explainer for SmallestStage {
    fn at(context: &Context, _: &Snapshot) -> Self {
        SmallestStage::new(context)
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let (estimate, id) = self.key(stage);
        let parts = vec![
            Part::new("estimated work", Value::Work(estimate as f64)),
            Part::new("stage id", Value::Number(id)),
        ];
        Explanation { parts, ..Explanation::default() }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        format!("{} has less estimated work than {}.", first.label, second.label)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scenario =
        catalog::find("paper-scenario-1").ok_or("the catalog has the paper's first scenario")?.scenario();
    let own = engine::simulate_policy::<Ranked<SmallestStage>>(&scenario, Mode::Default)?;
    for trace in [simulate(&scenario, "fair".parse()?), simulate(&scenario, "uwfq".parse()?), own] {
        let mean = metrics::mean_response(&trace.jobs).ok_or("no job finished")?;
        println!("{:16} mean response {mean:8.2} s", trace.policy.title());
    }
    Ok(())
}
