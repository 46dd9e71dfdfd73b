//! FIFO: jobs in the order of arrival, as Spark's `FIFOSchedulingAlgorithm` (whose job ids follow
//! submission).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("two-users").expect("an entry").scenario();
//! let trace = simulate(&scenario, "fifo".parse()?);
//! // All jobs have one stage; those that arrived first are launched first.
//! assert!(trace.tasks.is_sorted_by_key(|run| run.job));
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

use super::explain::{self, Contender, Explainer, Explanation, Part, Ranking, Value};
use super::log::Snapshot;
use super::queue::KeyHeap;
use super::{Candidate, Context, Group, Info, KeyBasis, RankedPolicy};
use crate::ids::{Rank, StageId};

/// What readers should know of FIFO.
pub const INFO: Info = Info {
    id: "fifo",
    title: "FIFO",
    name: "First in, first out",
    source: "Spark",
    summary: "The job that arrived first takes all the cores it can use.",
    key: "rank of arrival, stage id",
    group: Group::Spark,
    ..Info::DEFAULT
};

/// First in, first out. Key: (rank of arrival, stage id).
#[derive(Debug)]
pub struct Fifo;

impl Ranking for Fifo {
    type Key = (Rank, StageId);

    fn key(&self, stage: &Candidate) -> Self::Key {
        (stage.rank, stage.id)
    }
}

impl RankedPolicy for Fifo {
    const BASIS: KeyBasis<Self::Key> = KeyBasis::Submission(|(rank, id)| [u64::from(rank.0), id.0, 0]);

    type Queue = KeyHeap<Self>;
    type Reference = Self;

    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        Fifo
    }
}

impl Explainer for Fifo {
    fn at(_: &Context, _: &Snapshot) -> Self {
        Fifo
    }

    fn explain(&self, stage: &Candidate) -> Explanation {
        let parts = vec![
            Part::new("rank of arrival", Value::Number(u64::from(stage.rank.0))),
            Part::new("stage id", Value::Number(stage.id.0)),
        ];
        Explanation { parts, ..Explanation::default() }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        let Contender { label, key, .. } = first;
        match key.decided_by(second.key) {
            Some(0) => format!("{label} arrived before {}, so it goes first.", second.label),
            _ => {
                let tie = explain::tie_reason(first, second, 1);
                format!("{label} and {} are of one job and {tie}, so {label} goes first.", second.label)
            }
        }
    }
}
