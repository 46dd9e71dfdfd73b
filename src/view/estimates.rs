//! Which policies read an estimate, in words.

use crate::number;
use crate::policy::{Info, PolicyId, PolicyKind};
use crate::scenario::{Mode, Stage};

/// What an estimate is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimateOf {
    /// A whole job.
    Job,
    /// A stage.
    Stage,
}

impl EstimateOf {
    fn is_read_by(self, info: &Info) -> bool {
        match self {
            EstimateOf::Job => info.estimates.of_jobs(),
            EstimateOf::Stage => info.estimates.of_stages(),
        }
    }
}

/// What runtime partitioning is called beside policies.
const RUNTIME: &str = "runtime partitioning (-P)";

/// Which of the ticked policies read an estimate, in a sentence.
pub fn read_by_ticked(of: EstimateOf, ticked: impl IntoIterator<Item = PolicyId>) -> String {
    let mut readers: Vec<String> = Vec::new();
    let mut runtime = false;
    for policy in ticked {
        let info = policy.kind.info();
        runtime |= policy.partitioning == Mode::Runtime;
        if of.is_read_by(info) && !readers.iter().any(|reader| reader == info.title) {
            readers.push(info.title.to_owned());
        }
    }
    if of == EstimateOf::Stage && runtime {
        readers.push(RUNTIME.to_owned());
    }
    match readers.is_empty() {
        true => "No ticked policy reads it.".to_owned(),
        false => format!("Read by {}.", number::list(&readers)),
    }
}

/// All that ever read an estimate, in a sentence.
pub fn read_by_any(of: EstimateOf) -> String {
    let infos = PolicyKind::ALL.iter().map(|kind| kind.info());
    let mut readers: Vec<String> =
        infos.filter(|info| of.is_read_by(info)).map(|info| info.title.to_owned()).collect();
    if of == EstimateOf::Stage {
        readers.push(RUNTIME.to_owned());
    }
    format!("Of all policies {} read it", number::list(&readers))
}

/// Why runtime partitioning leaves a stage as it is under the ticked policies with it, in a sentence; `None` where it
/// does not.
pub fn unsplit(stage: &Stage, ticked: impl IntoIterator<Item = PolicyId>) -> Option<String> {
    let runtime = ticked.into_iter().filter(|policy| policy.partitioning == Mode::Runtime);
    let titles: Vec<String> = runtime.map(PolicyId::title).collect();
    (!stage.splittable && !titles.is_empty()).then(|| {
        let tasks = number::counted(stage.partitions as usize, "task");
        format!("It cannot be split: under {} it keeps its {tasks}.", number::list(&titles))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    #[test]
    fn a_stage_that_cannot_be_split_is_explained_where_it_matters() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [
                { "work_s": 4, "partitions": 2, "splittable": false }, { "work_s": 4, "partitions": 2 }] }] }"#,
        )
        .expect("a good scenario");
        let stages = &scenario.jobs()[0].stages;
        let ticked = |names: &[&str]| -> Vec<PolicyId> {
            names.iter().map(|name| name.parse().expect("a policy")).collect()
        };
        let both = ticked(&["fair", "uwfq-p", "cfq-p"]);
        assert_eq!(
            unsplit(&stages[0], both.clone()).as_deref(),
            Some("It cannot be split: under UWFQ-P and CFQ-P it keeps its 2 tasks.")
        );
        assert_eq!((unsplit(&stages[1], both), unsplit(&stages[0], ticked(&["uwfq"]))), (None, None));
    }

    #[test]
    fn each_estimate_names_its_readers_once() {
        let ticked = |names: &[&str]| -> Vec<PolicyId> {
            names.iter().map(|name| name.parse().expect("a policy")).collect()
        };
        let some = ticked(&["fair", "cfq", "uwfq", "uwfq-p"]);
        assert_eq!(read_by_ticked(EstimateOf::Job, some.clone()), "Read by UWFQ.");
        assert_eq!(read_by_ticked(EstimateOf::Stage, some), "Read by CFQ and runtime partitioning (-P).");
        assert_eq!(
            read_by_ticked(EstimateOf::Stage, ticked(&["fifo", "fair"])),
            "No ticked policy reads it."
        );
        assert!(read_by_any(EstimateOf::Job).starts_with("Of all policies UWFQ, UWFQ released, SJF-CP"));
    }
}
