//! How Fair and UJF order stages of equal running counts.

use super::explain::Value;
use crate::ids::StageId;
use crate::scenario::FairTieBreak;

/// The stage's position among stages of equal running counts: the id, or where the scenario asks for Spark's rule, the
/// text `TaskSet_<id>.0` (Spark's `FairSchedulingAlgorithm`).
pub fn tie(rule: FairTieBreak, stage: StageId) -> Value {
    match rule {
        FairTieBreak::Submission => Value::Number(stage.0),
        FairTieBreak::Spark => Value::TaskSet(stage),
    }
}

/// A number that orders stages as [`tie`] does.
pub fn tie_order(rule: FairTieBreak, stage: StageId) -> u64 {
    match rule {
        FairTieBreak::Submission => stage.0,
        FairTieBreak::Spark => text_order(stage),
    }
}

/// A number that orders stage ids as Spark orders the texts `TaskSet_<id>.0`.
///
/// The texts differ first in the digits of the id, and the full stop behind them is smaller than
/// any digit; so the digits are read in base 11 with 0 for "no digit here".
pub(super) fn text_order(stage: StageId) -> u64 {
    /// Ids stay below 2^53, which has 16 digits.
    const DIGITS: u32 = 16;
    let digits = stage.0.checked_ilog10().unwrap_or(0) + 1;
    debug_assert!(digits <= DIGITS, "stage ids are below 2^53");
    let (mut rest, mut order, mut unit) = (stage.0, 0, 11_u64.pow(DIGITS - digits));
    for _ in 0..digits {
        order += (rest % 10 + 1) * unit;
        unit *= 11;
        rest /= 10;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spark_ties_order_ids_as_text() {
        let mut ids: Vec<u64> = (0..12).chain([99, 100, 101, 995, 1000, 9_007_199_254_740_991]).collect();
        let mut as_text = ids.clone();
        ids.sort_by_key(|&id| text_order(StageId(id)));
        as_text.sort_by_key(|id| format!("TaskSet_{id}.0"));
        assert_eq!(ids, as_text);
    }
}
