//! Graphene: the stages that are hard to fit, and all that leads to them, before the others of their job; the cores are
//! shared between the jobs by their estimated work (Graphene as the Decima paper implements it, section 7.1).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("heavy-first").expect("an entry").scenario();
//! let [graphene, fifo] = ["graphene", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // A small job behind twenty of a heavy user.
//! let job = scenario.jobs().len() - 1;
//! assert!(graphene.jobs[job].response() < fifo.jobs[job].response());
//! ```

use std::cmp::Reverse;

use super::explain::{Contender, Key, KeyComponent, NumberedFacts, Target, Value};
use super::fair::reason_in_job;
use super::sjf_cp::{critical_paths, positions};
use super::targets::{PowerShares, furthest_below_target};
use super::{
    Actions, Admission, Context, EstimatesRead, Info, KeyOrder, Launch, OfferCause, Placement, Policy,
    PolicyGroup, RankedFrom, StageView, View,
};
use crate::ids::{Rank, StageIndex};
use crate::scenario::Job;
use crate::scenario::parameter::declared;

/// What readers should know of Graphene.
pub const INFO: Info = Info {
    id: "graphene",
    title: "Graphene",
    source: "Decima paper",
    summary: "Jobs share the cores by estimated work; troublesome stages of a job go first.",
    key: "-(target - running tasks of the job), rank of arrival, class (0 = troublesome or before such), \
          -critical path of the stage, stage id",
    group: PolicyGroup::JobSizes,
    look: 8,
    parameters: declared::GRAPHENE.parameters,
    estimates: EstimatesRead::Both,
    order: KeyOrder::EachLaunch,
    placement: Placement::SameJob,
    targets: true,
    ranked_from: RankedFrom::Arrival,
    ..Info::DEFAULT
};

/// Troublesome stages first. Key: (-(target - running tasks of the job), rank of arrival, class, -critical path, stage
/// id); a freed core goes first to the job that it served.
#[derive(Clone, Debug)]
pub struct Graphene {
    shares: PowerShares,
    /// The parameters `long` and `memory`.
    limits: [f64; 2],
    /// The place of each stage in the order of stages, by its index.
    stages: Vec<StagePosition>,
}

/// What the order of stages rests on.
#[derive(Clone, Copy, Debug)]
struct StagePosition {
    class: StageClass,
    /// Estimated work along the longest chain from the stage to an end, itself included, in core-µs.
    critical_path: u64,
    /// The position in the job by (class, -critical path, stage id).
    position: u32,
}

/// Why a stage goes first in its job, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StageClass {
    /// Its tasks are long.
    Long,
    /// Its tasks need much memory.
    Large,
    /// It must end before a troublesome stage.
    Before,
    /// None of these.
    Other,
}

impl StageClass {
    /// The class of the key.
    fn number(self) -> u32 {
        u32::from(self == StageClass::Other)
    }
}

/// The class of each stage of a job; `tasks` by stage, `memory` of an executor.
fn classes(job: &Job, tasks: &[u32], memory: Option<u64>, [long, much]: [f64; 2]) -> Vec<StageClass> {
    let means: Vec<f64> = job
        .stages
        .iter()
        .zip(tasks)
        .map(|(stage, &tasks)| stage.estimate.0 as f64 / f64::from(tasks))
        .collect();
    let longest = means.iter().copied().fold(0.0, f64::max);
    let mut classes: Vec<StageClass> = Vec::with_capacity(means.len());
    let mut open = Vec::new();
    for (index, (stage, mean)) in job.stages.iter().zip(means).enumerate() {
        let is_large = |&memory: &u64| stage.memory as f64 >= much * memory as f64;
        let class = match () {
            () if longest > 0.0 && mean >= long * longest => StageClass::Long,
            () if memory.as_ref().is_some_and(is_large) => StageClass::Large,
            () => StageClass::Other,
        };
        if class != StageClass::Other {
            open.push(index);
        }
        classes.push(class);
    }
    while let Some(stage) = open.pop() {
        for &parent in &job.stages[stage].parents {
            if classes[parent as usize] == StageClass::Other {
                classes[parent as usize] = StageClass::Before;
                open.push(parent as usize);
            }
        }
    }
    classes
}

impl Policy for Graphene {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Graphene {
            shares: PowerShares::new(context, context.number(&INFO, "alpha")),
            limits: ["long", "memory"].map(|name| context.number(&INFO, name)),
            stages: Vec::new(),
        }
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        let arriving = view.job(job);
        let tasks: Vec<u32> = arriving.stages().map(|stage| stage.tasks()).collect();
        let memory = view.scenario().cluster().memory_per_executor;
        let (classes, paths) =
            (classes(arriving.spec(), &tasks, memory, self.limits), critical_paths(arriving.spec()));
        let positions = positions(paths.len(), |stage| (classes[stage].number(), Reverse(paths[stage])));
        let stages = classes.into_iter().zip(paths).zip(positions);
        self.stages.extend(stages.map(|((class, critical_path), position)| StagePosition {
            class,
            critical_path,
            position,
        }));
        self.shares.job_arrived(job, view);
        Admission::Start
    }

    fn job_ended(&mut self, job: Rank, _: &View, _: &mut Actions) {
        self.shares.job_ended(job);
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        self.shares.counts_changed(view.stage(stage), self.stages[stage.index()].position);
    }

    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        self.shares.offer_started(cause, view);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let stages = &self.stages;
        self.shares.next_task(view, |stage| stages[stage.index().index()].position)
    }

    fn key(&self, stage: StageView) -> Key {
        let position = self.stages[stage.index().index()].position;
        let position = KeyComponent::new("position in the job", Value::Number(u64::from(position)));
        Key::of_job(stage, self.shares.part(stage.job_view()), position)
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let StagePosition { class, critical_path, .. } = self.stages[stage.index().index()];
        let mut parts = self.shares.facts(stage.job_view());
        parts.push(KeyComponent::new("class", Value::Number(u64::from(class.number()))));
        parts.push(KeyComponent::new("critical path of the stage", Value::Work(critical_path as f64)));
        let remark = match class {
            StageClass::Long => Some("The stage is troublesome: its tasks are among the longest of its job."),
            StageClass::Large => {
                Some("The stage is troublesome: its tasks need much of an executor's memory.")
            }
            StageClass::Before => Some("The stage leads to a troublesome one, so it goes first as well."),
            StageClass::Other => None,
        };
        NumberedFacts { parts, remark }
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let class = |stage: &Contender| {
            stage.facts.parts.iter().find(|fact| fact.name == "class").map(|fact| fact.value.clone())
        };
        let (label, other) = (first.label, second.label);
        match part {
            0 => furthest_below_target(first, second),
            1 => reason_in_job(first, second),
            _ if class(first) == class(second) => format!(
                "Both are of one job: {label} has a longer path to an end than {other}, or as long a one and the \
                 smaller stage id, so {label} goes first."
            ),
            _ => format!(
                "Both are of one job: {label} is troublesome or leads to a troublesome stage, {other} is and does \
                 not, so {label} goes first."
            ),
        }
    }

    fn target(&self, job: Rank, _: &View) -> Option<Target> {
        self.shares.target(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    /// Mean tasks of 4, 1, 2 and 1 s on executors of 100 MB: 0 is long, 2 is long at one half, 3 is large and needs 1.
    #[test]
    fn troublesome_stages_and_what_leads_to_them_are_of_class_0() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "memory_mb_per_executor": 100 },
                "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [
                { "tasks_s": [4], "parents": [] },
                { "tasks_s": [1, 1], "parents": [] },
                { "tasks_s": [1, 3], "parents": [] },
                { "tasks_s": [1], "parents": [1], "memory_mb": 50 },
                { "tasks_s": [1], "parents": [0] }] }] }"#,
        )
        .expect("a sound scenario");
        let found = classes(&scenario.jobs()[0], &[1, 2, 2, 1, 1], Some(100), [0.5; 2]);
        assert_eq!(
            found,
            [StageClass::Long, StageClass::Before, StageClass::Long, StageClass::Large, StageClass::Other]
        );
    }

    #[test]
    fn work_of_nothing_is_not_long() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [
                { "tasks_s": [0] }] }] }"#,
        )
        .expect("a sound scenario");
        assert_eq!(classes(&scenario.jobs()[0], &[1], None, [0.5; 2]), [StageClass::Other]);
    }
}
