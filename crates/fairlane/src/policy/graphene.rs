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
use std::rc::Rc;

use super::explain::{Contender, Part, Value};
use super::job_ranked::JobRankedPolicy;
use super::parameters::{Parameter, ParameterKind};
use super::sjf_cp::critical_paths;
use super::wfair::{Targets, furthest_below_target};
use super::{Context, Estimates, Group, Info};
use crate::ids::{Rank, StageIndex};
use crate::scenario::Job;

/// What readers should know of Graphene.
pub const INFO: Info = Info {
    id: "graphene",
    title: "Graphene",
    source: "Decima paper",
    summary: "Jobs share the cores by estimated work; troublesome stages of a job go first.",
    key: "-(target - running tasks of the job), rank of arrival, class (0 = troublesome or before such), \
          -critical path of the stage, stage id",
    group: Group::JobSizes,
    parameters: &[
        Parameter {
            name: "alpha",
            title: "Graphene alpha",
            summary: "The power of a job's estimated work that its share is proportional to.",
            unit: "",
            kind: ParameterKind::Number { default: -1.0, least: -8.0, most: 8.0 },
        },
        Parameter {
            name: "long",
            title: "Graphene: long tasks",
            summary: "A stage is troublesome from this fraction of the longest mean task of its job on.",
            unit: "",
            kind: ParameterKind::Number { default: 0.5, least: 0.0, most: 1000.0 },
        },
        Parameter {
            name: "memory",
            title: "Graphene: much memory",
            summary: "A stage is troublesome from this fraction of an executor's memory on.",
            unit: "",
            kind: ParameterKind::Number { default: 0.5, least: 0.0, most: 1000.0 },
        },
    ],
    estimates: Estimates::Both,
    ..Info::DEFAULT
};

/// Troublesome stages first. Key: (-(target - running tasks of the job), rank of arrival, class, -critical path, stage
/// id); a freed core goes first to the job that it served.
pub struct Graphene {
    targets: Targets,
    /// By stage index.
    stages: Vec<Stage>,
    /// By stage index: the position in the job by (class, -critical path, stage id).
    positions: Rc<[u32]>,
}

/// What the order of stages rests on.
#[derive(Clone, Copy)]
struct Stage {
    class: Class,
    /// Estimated work along the longest chain from the stage to an end, itself included, in core-µs.
    critical_path: u64,
}

/// Why a stage goes first in its job, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Its tasks are long.
    Long,
    /// Its tasks need much memory.
    Large,
    /// It must end before a troublesome stage.
    Before,
    /// None of these.
    Other,
}

impl Class {
    /// The class of the key.
    fn number(self) -> u32 {
        u32::from(self == Class::Other)
    }
}

/// The class of each stage of a job; `tasks` by stage.
fn classes(context: &Context, job: &Job, tasks: &[u64]) -> Vec<Class> {
    let [long, much] = ["long", "memory"].map(|name| context.number(&INFO, name));
    let means: Vec<f64> =
        job.stages.iter().zip(tasks).map(|(stage, &tasks)| stage.estimate.0 as f64 / tasks as f64).collect();
    let longest = means.iter().copied().fold(0.0, f64::max);
    let memory = context.scenario.cluster().memory_per_executor;
    let mut classes: Vec<Class> = Vec::with_capacity(means.len());
    let mut open = Vec::new();
    for (index, (stage, mean)) in job.stages.iter().zip(means).enumerate() {
        let is_large = |&memory: &u64| stage.memory as f64 >= much * memory as f64;
        let class = match () {
            () if longest > 0.0 && mean >= long * longest => Class::Long,
            () if memory.as_ref().is_some_and(is_large) => Class::Large,
            () => Class::Other,
        };
        if class != Class::Other {
            open.push(index);
        }
        classes.push(class);
    }
    while let Some(stage) = open.pop() {
        for &parent in &job.stages[stage].parents {
            if classes[parent as usize] == Class::Other {
                classes[parent as usize] = Class::Before;
                open.push(parent as usize);
            }
        }
    }
    classes
}

impl JobRankedPolicy for Graphene {
    const HAS_TARGETS: bool = true;
    const KEEPS_CORES: bool = true;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let scenario = context.scenario;
        let (mut stages, mut positions) = (Vec::new(), Vec::new());
        for job in scenario.arrival_order() {
            let job = &scenario.jobs()[job.index()];
            let count = |stage| scenario.partitioning().task_count(stage, context.partitioning);
            let tasks: Vec<u64> = job.stages.iter().map(count).collect();
            let first = stages.len();
            let of_job = classes(context, job, &tasks).into_iter().zip(critical_paths(job));
            stages.extend(of_job.map(|(class, critical_path)| Stage { class, critical_path }));
            let mut in_order: Vec<usize> = (first..stages.len()).collect();
            in_order
                .sort_by_key(|&stage| (stages[stage].class.number(), Reverse(stages[stage].critical_path)));
            positions.resize(stages.len(), 0);
            (0..).zip(in_order).for_each(|(position, stage)| positions[stage] = position);
        }
        let targets = Targets::new(context, context.number(&INFO, "alpha"));
        Graphene { targets, stages, positions: positions.into() }
    }

    fn key(&self, job: Rank, running: u32) -> u64 {
        self.targets.key(job, running)
    }

    fn stage_positions(&self) -> Rc<[u32]> {
        Rc::clone(&self.positions)
    }

    fn job_arrived(&mut self, job: Rank) {
        self.targets.job_arrived(job);
    }

    fn job_ended(&mut self, job: Rank) {
        self.targets.job_ended(job);
    }

    fn update(&mut self) {
        self.targets.update();
    }

    fn changed(&self) -> &[Rank] {
        self.targets.active()
    }

    fn target(&self, job: Rank) -> Option<f64> {
        Some(self.targets.target(job))
    }

    fn explain(&self, job: Rank, running: u32) -> (Part, Vec<Part>) {
        self.targets.explain(job, running)
    }

    fn explain_stage(&self, stage: StageIndex) -> (Vec<Part>, Option<&'static str>) {
        let Stage { class, critical_path } = self.stages[stage.index()];
        let facts = vec![
            Part::new("class", Value::Number(u64::from(class.number()))),
            Part::new("critical path of the stage", Value::Work(critical_path as f64)),
        ];
        let remark = match class {
            Class::Long => Some("The stage is troublesome: its tasks are among the longest of its job."),
            Class::Large => Some("The stage is troublesome: its tasks need much of an executor's memory."),
            Class::Before => Some("The stage leads to a troublesome one, so it goes first as well."),
            Class::Other => None,
        };
        (facts, remark)
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        furthest_below_target(first, second)
    }

    fn reason_among_stages(first: &Contender, second: &Contender) -> String {
        let class = |stage: &Contender| {
            stage.key.facts.iter().find(|fact| fact.name == "class").map(|fact| fact.value.clone())
        };
        let (label, other) = (first.label, second.label);
        if class(first) == class(second) {
            format!(
                "{label} has a longer path to an end than {other}, or as long a one and the smaller stage id"
            )
        } else {
            format!("{label} is troublesome or leads to a troublesome stage, {other} is and does not")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Mode, Scenario};

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
        let context = Context::new(&scenario, Mode::Default);
        let job = &scenario.jobs()[0];
        let found = classes(&context, job, &[1, 2, 2, 1, 1]);
        assert_eq!(found, [Class::Long, Class::Before, Class::Long, Class::Large, Class::Other]);
        // Critical paths of 5, 3, 4, 1 and 1 s.
        assert_eq!(*Graphene::new(&context).positions, [0, 2, 1, 3, 4]);
    }

    #[test]
    fn work_of_nothing_is_not_long() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [
                { "tasks_s": [0] }] }] }"#,
        )
        .expect("a sound scenario");
        let context = Context::new(&scenario, Mode::Default);
        assert_eq!(classes(&context, &scenario.jobs()[0], &[1]), [Class::Other]);
    }
}
