//! Fair: the stage with the fewest running tasks first, over all stages alike, as Spark's
//! `FairSchedulingAlgorithm` in a single pool without minimum share.

use super::explain::{self, Contender, Explanation, Part, Value};
use super::line::Fewest;
use super::{Candidate, Context, Explained, Info, KeyBasis, Policy};

/// What a reader should know of Fair.
pub const INFO: Info = Info {
    id: "fair",
    title: "Fair",
    summary: "The stage with the fewest running tasks goes first; who submitted it does not matter.",
};

/// Spark's fair sharing between stages. Key: (running tasks of the stage, tie).
#[derive(Debug)]
pub struct Fair {
    context: Context,
}

impl Policy for Fair {
    type Key = (u32, u64);

    const BASIS: KeyBasis<Self::Key> = KeyBasis::Counts;

    type Line = Fewest;

    fn new(context: Context) -> Self {
        Fair { context }
    }

    fn key(&self, stage: &Candidate) -> Self::Key {
        (stage.running, stage.tie)
    }
}

impl Explained for Fair {
    fn explain(&self, stage: &Candidate) -> Explanation {
        let parts = vec![
            Part::new("running tasks of the stage", Value::Tasks(stage.running)),
            Part::new("tie", self.context.tie_value(stage.id)),
        ];
        Explanation { parts, ..Explanation::default() }
    }

    fn reason(first: &Contender, second: &Contender) -> String {
        format!("{}, so {} goes first.", reason_among_stages(first, second, 0), first.label)
    }
}

/// Why the first of two stages goes first when running tasks and then the tie decide, with the
/// running tasks as part number `place` of the key.
pub(super) fn reason_among_stages(first: &Contender, second: &Contender, place: usize) -> String {
    let parts = [first, second].map(|stage| &stage.key.parts[place..]);
    let [mine, theirs] = parts.map(|parts| match parts[0].value {
        Value::Tasks(count) => count,
        _ => 0,
    });
    if mine == theirs {
        let tie = explain::tie_reason(&parts[0][1].value, &parts[1][1].value);
        format!("{} and {} have {} each and {tie}", first.label, second.label, explain::running(mine))
    } else {
        explain::fewer_running(first.label, mine, second.label, theirs)
    }
}
