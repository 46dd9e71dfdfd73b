//! A challenge in words: its goal and its scores with their digits, and what may change.

use super::{Challenge, ChallengeScore, Judgement};
use crate::lesson::facts::MAX_DECIMALS;
use crate::lesson::{Quantity, QuantityUnit};
use fairlane::number;

/// The figure of a goal and its limit, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalWords {
    /// The figure with its unit; `None` if there is none.
    pub figure: Option<String>,
    /// The limit with the unit of the figure.
    pub limit: String,
}

impl Challenge {
    /// Figure and limit of a judgement. A limit that is written as a number is shown as it is written, and otherwise
    /// three digits are, or as many more as it takes to see on which side of the limit the figure is.
    pub fn goal_words(&self, judgement: &Judgement) -> GoalWords {
        let written = number::parse(&self.goal.limit);
        let least =
            written.and_then(|_| self.goal.limit.split_once('.')).map_or(0, |(_, digits)| digits.len());
        let words = |more: usize| {
            let figure = judgement.figure.map(|figure| digits(figure, more, least));
            let limit = match (written, judgement.limit) {
                (None, Some(limit)) => {
                    let unit = judgement.figure.map_or(limit.unit, |figure| figure.unit);
                    digits(Quantity { unit, ..limit }, more, 0)
                }
                _ => self.goal.limit.clone(),
            };
            (figure, limit)
        };
        let values = judgement.figure.zip(judgement.limit).map(|(figure, limit)| (figure.value, limit.value));
        let is_true = |(figure, limit): &(Option<String>, String)| {
            let shown = figure.as_deref().and_then(number::parse).zip(number::parse(limit));
            values.zip(shown).is_none_or(|((figure, limit), (shown, shown_limit))| {
                figure.partial_cmp(&limit) == shown.partial_cmp(&shown_limit)
            })
        };
        let found = (0..=MAX_DECIMALS).map(words).find(is_true);
        let (figure, limit) = found.unwrap_or_else(|| words(MAX_DECIMALS));
        let with_unit = |number: &str| match judgement.figure {
            Some(figure) => figure.with_unit(number),
            None => number.to_owned(),
        };
        GoalWords { figure: figure.as_deref().map(with_unit), limit: with_unit(&limit) }
    }

    /// A score that the simulator has found: the figure in three digits with the goal's unit, and the changes.
    pub fn score_words(&self, judgement: &Judgement, score: ChallengeScore) -> String {
        self.scored(judgement, score, 0)
    }

    /// The par that is written down, with all of its digits.
    pub fn par_words(&self, judgement: &Judgement) -> String {
        let score = self.par.score;
        let figure = Quantity { value: score.value, unit: unit(judgement) };
        let is_all = |more: &usize| number::parse(&digits(figure, *more, 0)) == Some(score.value);
        self.scored(judgement, score, (0..MAX_DECIMALS).find(is_all).unwrap_or(MAX_DECIMALS))
    }

    fn scored(&self, judgement: &Judgement, score: ChallengeScore, more: usize) -> String {
        let figure = Quantity { value: score.value, unit: unit(judgement) };
        let changes = number::counted(score.changes as usize, "change");
        format!("{}, {changes}", figure.with_unit(&digits(figure, more, 0)))
    }

    /// What may change, in a sentence.
    pub fn free_words(&self) -> String {
        if self.by_program {
            return "Nothing but a policy of your own is new".to_owned();
        }
        let part = |key: &String| match key.as_str() {
            "partitioning" => "the task length".to_owned(),
            "cluster" => "the cluster".to_owned(),
            key => key.to_owned(),
        };
        let policy = self.goal.is_of_any_policy().then(|| "the policy".to_owned());
        let parts: Vec<String> = self.free.iter().map(part).chain(policy).collect();
        format!("Nothing but {} has changed", number::list(&parts))
    }
}

fn unit(judgement: &Judgement) -> QuantityUnit {
    judgement.figure.map_or(QuantityUnit::Ratio, |figure| figure.unit)
}

/// A figure without its unit: three digits of a time, two decimals of a ratio, and so many decimals more, at least as
/// many as given.
fn digits(figure: Quantity, more: usize, least: usize) -> String {
    let three = number::three_digits(figure.value);
    let usual = match figure.unit {
        QuantityUnit::Seconds => three.split_once('.').map_or(0, |(_, decimals)| decimals.len()),
        QuantityUnit::Ratio => 2,
        _ => figure.decimals(),
    };
    let decimals = (usual + more).max(least).min(MAX_DECIMALS);
    match figure.unit {
        QuantityUnit::Seconds => number::fixed(figure.value, decimals),
        _ => number::trimmed(figure.value, decimals),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::challenges;

    /// A challenge with that limit, and its judgement with that figure.
    fn judged(limit: &str, figure: f64, unit: QuantityUnit) -> GoalWords {
        let mut challenge = challenges()[0].clone();
        challenge.goal.limit = limit.to_owned();
        let value = number::parse(limit).unwrap_or(1.0 / 3.0);
        challenge.goal_words(&Judgement {
            figure: Some(Quantity { value: figure, unit }),
            limit: Some(Quantity { value, unit: QuantityUnit::Ratio }),
            policy: None,
            changes: 0,
            is_within_changes: true,
            is_own: true,
            is_free: true,
            rules: Vec::new(),
            is_met: false,
        })
    }

    #[test]
    fn a_limit_is_shown_as_it_is_written_and_no_figure_on_its_wrong_side() {
        for (limit, figure, unit, expected) in [
            ("0.95", 0.9, QuantityUnit::Ratio, ("0.9", "0.95")),
            ("0.95", 0.9496, QuantityUnit::Ratio, ("0.9496", "0.95")),
            ("0.95", 0.95, QuantityUnit::Ratio, ("0.95", "0.95")),
            ("1.80", 1.8004, QuantityUnit::Seconds, ("1.8004\u{a0}s", "1.80\u{a0}s")),
            ("12.345", 20.0, QuantityUnit::Seconds, ("20.000\u{a0}s", "12.345\u{a0}s")),
            ("99.5", 99.6, QuantityUnit::Percent, ("99.6\u{a0}%", "99.5\u{a0}%")),
            ("cores / 3", 0.333, QuantityUnit::Ratio, ("0.333", "0.3333")),
        ] {
            let words = judged(limit, figure, unit);
            assert_eq!(
                (words.figure.as_deref(), words.limit.as_str()),
                (Some(expected.0), expected.1),
                "{limit}"
            );
        }
    }

    #[test]
    fn par_is_shown_with_the_digits_that_are_written() {
        let mut challenge = challenges()[0].clone();
        let start = challenge.start().expect("a scenario");
        let judgement = challenge.judged(&start, start.of(start.scenario().clone()), &[]);
        challenge.par.score = ChallengeScore { value: 0.955, changes: 1 };
        assert_eq!(challenge.par_words(&judgement), "0.955, 1 change");
        challenge.par.score.value = 12.0;
        assert_eq!(challenge.par_words(&judgement), "12, 1 change");
        assert_eq!(
            challenge.score_words(&judgement, ChallengeScore { value: 0.9551, changes: 2 }),
            "0.96, 2 changes"
        );
    }
}
