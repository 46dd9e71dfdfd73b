//! The tables of the results: rows are policies, columns are figures.

use crate::app::codec::Analysis;
use crate::app::shared::Shared;
use crate::app::store::State;
use crate::metrics::{Deviation, Fairness, Group, Summary, Unfinished};
use crate::number;
use crate::policy::{PolicyId, PolicyKind};
use crate::units::{MICROS_PER_SECOND, Span};

/// A figure of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Its value, in the column's unit.
    pub value: f64,
    /// Whether no other row has a better one.
    pub rating: Rating,
}

/// Whether a figure is the best of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rating {
    /// No other row is better; there is more than one row.
    Best,
    /// Another row is better, or there is none to compare with.
    Other,
}

/// Which figures of a column are the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The smallest.
    Less,
    /// The largest.
    More,
}

/// How a column's figures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Seconds or ratios, as [`number::short`] has them.
    Seconds,
    /// Ratios between 0 and 1, to a thousandth.
    Thousandths,
    /// Whole numbers.
    Count,
    /// Ratios as per cent.
    Percent,
    /// Ratios as per cent with their sign.
    SignedPercent,
}

impl Format {
    /// A figure as text.
    pub fn text(self, value: f64) -> String {
        match self {
            Format::Seconds => number::short(value),
            Format::Thousandths => format!("{value:.3}"),
            Format::Count => format!("{value:.0}"),
            Format::Percent => number::percent(value, 1),
            Format::SignedPercent => number::with_minus(&number::signed_percent(value, 0)),
        }
    }

    /// In steps of what is shown: figures of as many steps are equal.
    fn steps(self, value: f64) -> i64 {
        let per_unit = match self {
            Format::Seconds | Format::SignedPercent => 100.0,
            Format::Thousandths | Format::Percent => 1000.0,
            Format::Count => 1.0,
        };
        (value * per_unit).round() as i64
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// What it means, with the unit.
    pub meaning: String,
    /// How its figures are written.
    pub format: Format,
    /// A figure per row, `None` where it does not exist.
    pub figures: Vec<Option<Figure>>,
}

/// Rows are policies, columns are figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The policies.
    pub rows: Vec<PolicyId>,
    /// The figures.
    pub columns: Vec<Column>,
}

type Count = fn(&Unfinished) -> usize;

/// Name, meaning and count of the jobs that did not finish.
const UNFINISHED: [(&str, &str, Count); 2] = [
    ("dropped", "Jobs that the policy ended before all their tasks had run", |jobs| jobs.dropped),
    ("rejected", "Jobs that the policy refused at their arrival", |jobs| jobs.rejected),
];

/// Builds a table column by column.
struct Builder<'a> {
    analyses: Vec<(PolicyId, &'a Shared<Analysis>)>,
    columns: Vec<Column>,
}

impl<'a> Builder<'a> {
    fn new(state: &'a State) -> Builder<'a> {
        Builder { analyses: state.analyses().collect(), columns: Vec::new() }
    }

    fn column(
        mut self,
        name: impl Into<String>,
        meaning: impl Into<String>,
        (better, format): (Better, Format),
        value: impl Fn(&Analysis) -> Option<f64>,
    ) -> Self {
        let values: Vec<Option<f64>> = self.analyses.iter().map(|(_, analysis)| value(analysis)).collect();
        let figures = rate(&values, better, format);
        self.columns.push(Column { name: name.into(), meaning: meaning.into(), format, figures });
        self
    }

    /// Seconds or ratios of which less is better.
    fn less(
        self,
        name: impl Into<String>,
        meaning: impl Into<String>,
        value: impl Fn(&Analysis) -> Option<f64>,
    ) -> Self {
        self.column(name, meaning, (Better::Less, Format::Seconds), value)
    }

    fn deviation(self, than: &str, of: impl Fn(&Analysis) -> Option<Deviation> + Copy) -> Self {
        let count = |better| (better, Format::Count);
        let of_response = format!("as a fraction of the response time {than}");
        self.less(
            "DVR",
            format!("Deadline violation ratio: how much later jobs finish than {than}, {of_response}; mean over those that finish later"),
            move |analysis| of(analysis)?.dvr,
        )
        .column("violations", format!("Jobs that finish later than {than}"), count(Better::Less), move |analysis| {
            Some(of(analysis)?.violations as f64)
        })
        .column(
            "DSR",
            format!("Deadline slack ratio: how much earlier jobs finish than {than}, {of_response}; mean over those that finish no later"),
            (Better::More, Format::Seconds),
            move |analysis| of(analysis)?.dsr,
        )
        .column("slacks", format!("Jobs that finish no later than {than}"), count(Better::More), move |analysis| {
            Some(of(analysis)?.slacks as f64)
        })
    }

    /// The last columns count the jobs that did not finish, if there are any.
    fn table(mut self) -> Table {
        for (name, meaning, count) in UNFINISHED {
            let of = |analysis: &Analysis| count(&analysis.summary.unfinished);
            if self.analyses.iter().any(|(_, analysis)| of(analysis) > 0) {
                self = self.column(name, meaning, (Better::Less, Format::Count), |analysis| {
                    Some(of(analysis) as f64)
                });
            }
        }
        let rows = self.analyses.iter().map(|(policy, _)| *policy).collect();
        Table { rows, columns: self.columns }
    }
}

/// Mean, worst tenth, slowdown and makespan of every policy whose run is there.
pub fn overview(state: &State) -> Table {
    let of = |figure: fn(&Summary) -> Option<f64>| move |analysis: &Analysis| figure(&analysis.summary);
    Builder::new(state)
        .less(
            "mean",
            "Mean response time of all jobs that finished, in seconds",
            of(|summary| summary.mean_response),
        )
        .less(
            "worst 10 %",
            "Mean of the slowest tenth of response times, in seconds",
            of(|summary| summary.worst_decile),
        )
        .less(
            "slowdown",
            "Mean of response time over response time alone on the idle cluster, a ratio",
            of(|summary| summary.mean_slowdown),
        )
        .less(
            "makespan",
            "When the last task ends, in seconds",
            of(|summary| summary.makespan.map(Span::seconds)),
        )
        .table()
}

/// Mean response time of every user under every policy whose run is there.
pub fn by_user(state: &State) -> Table {
    let users = state.document.scenario.users().iter().enumerate();
    let builder = users.fold(Builder::new(state), |builder, (user, spec)| {
        let meaning = format!("Mean response time of {}'s jobs, in seconds", spec.name);
        builder.less(spec.name.clone(), meaning, move |analysis| {
            analysis.summary.by_user.get(user).copied().flatten()
        })
    });
    builder.table()
}

/// Mean response times by rank, and the slowdowns of the worst tenth.
pub fn by_group(state: &State) -> Table {
    let meanings = [
        "Mean response time of the fastest 80 % of jobs, in seconds",
        "Mean response time of the next 15 %, in seconds",
        "Mean response time of the slowest 5 %, in seconds",
    ];
    let groups = Group::ALL.into_iter().zip(meanings);
    let builder = groups.fold(Builder::new(state), |builder, (group, meaning)| {
        let name = group.label().replace('-', "–");
        builder.less(name, meaning, move |analysis| analysis.summary.by_group[group.index()])
    });
    let meaning = "Mean of the worst tenth of slowdowns, a ratio";
    builder.less("worst slowdowns", meaning, |analysis| analysis.summary.worst_decile_slowdown).table()
}

/// Against practical UJF; none for UJF itself, which is what the others are measured against.
fn ujf(analysis: &Analysis) -> Option<&Fairness> {
    analysis.summary.ujf.as_ref().filter(|_| analysis.trace.policy.kind != PolicyKind::Ujf)
}

/// Violations and slacks against UJF with the same partitioning, and Jain's index.
pub fn against_ujf(state: &State) -> Table {
    Builder::new(state)
        .deviation("under UJF with the same partitioning", |analysis| Some(ujf(analysis)?.overall))
        .column(
            "Jain",
            "Jain's index of the users' mean slowdowns: 1 if all are equal, 1/n if one of n users has all of it",
            (Better::More, Format::Thousandths),
            |analysis| analysis.summary.jain,
        )
        .table()
}

/// Violations and slacks against the fluid ideal, and the bound.
pub fn against_ideal(state: &State) -> Table {
    Builder::new(state)
        .deviation("under the fluid ideal", |analysis| Some(analysis.summary.fluid.overall))
        .less(
            "worst delay, s",
            "The largest delay of any job against the fluid ideal, in seconds: the constant of the paper's bound",
            |analysis| Some(analysis.summary.unfairness?.delay / MICROS_PER_SECOND),
        )
        .table()
}

/// Each user's mean response time against that under UJF.
pub fn users_against_ujf(state: &State) -> Table {
    let users = state.document.scenario.users().iter().enumerate();
    let builder = users.fold(Builder::new(state), |builder, (user, spec)| {
        let meaning = format!(
            "How much longer {}'s jobs take on average than under UJF with the same partitioning; negative is faster",
            spec.name
        );
        builder.column(spec.name.clone(), meaning, (Better::Less, Format::SignedPercent), move |analysis| {
            ujf(analysis)?.user_delays.get(user).copied().flatten()
        })
    });
    builder.table()
}

/// Utilization, inversion and stragglers.
pub fn cores(state: &State) -> Table {
    Builder::new(state)
        .column(
            "utilization",
            "Time that tasks hold cores as a fraction of all core time until the last task ends",
            (Better::More, Format::Percent),
            |analysis| analysis.summary.utilization,
        )
        .less(
            "inversion",
            "Time that jobs wait while tasks of jobs ranked behind them hold cores, summed over all jobs, in seconds; undefined under policies whose order changes with every launch",
            |analysis| analysis.summary.blocking.as_ref()?.total_inversion().map(Span::seconds),
        )
        .less(
            "straggler idle",
            "Core time that is idle while only the last task of a stage is left, in core-seconds",
            |analysis| Some(analysis.summary.blocking.as_ref()?.straggler_idle.seconds()),
        )
        .table()
}

/// Marks the best values, all of them where several are equal as shown; none where all are equal.
fn rate(values: &[Option<f64>], better: Better, format: Format) -> Vec<Option<Figure>> {
    let known: Vec<i64> = values.iter().flatten().map(|&value| format.steps(value)).collect();
    let (least, most) = (known.iter().min().copied(), known.iter().max().copied());
    let best = match better {
        Better::Less => least,
        Better::More => most,
    };
    let rating = |value: f64| match Some(format.steps(value)) == best && least != most {
        true => Rating::Best,
        false => Rating::Other,
    };
    values.iter().map(|value| value.map(|value| Figure { value, rating: rating(value) })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_ratings(values: &[Option<f64>], better: Better, format: Format, expected: &str) {
        let letter = |figure: Option<Figure>| match figure.map(|figure| figure.rating) {
            Some(Rating::Best) => 'B',
            Some(Rating::Other) => '.',
            None => '-',
        };
        let ratings: String = rate(values, better, format).into_iter().map(letter).collect();
        assert_eq!(ratings, expected, "{values:?}");
    }

    #[test]
    fn the_best_is_marked_as_shown() {
        let less = |values: &[Option<f64>], expected: &str| {
            assert_ratings(values, Better::Less, Format::Seconds, expected);
        };
        less(&[Some(1.0), Some(2.0), None], "B.-");
        less(&[Some(1.001), Some(1.0), Some(1.2)], "BB.");
        less(&[Some(1.0), Some(1.0)], "..");
        less(&[Some(1.0)], ".");
        assert_ratings(&[Some(0.9712), Some(0.9711), Some(0.5)], Better::More, Format::Thousandths, "BB.");
        assert_ratings(&[Some(57.0), Some(127.0), None], Better::More, Format::Count, ".B-");
    }

    #[test]
    fn figures_as_text() {
        let texts = [
            Format::Thousandths.text(2.0 / 3.0),
            Format::Count.text(57.0),
            Format::Percent.text(0.97148),
            Format::SignedPercent.text(-0.149),
            Format::SignedPercent.text(5.71),
            Format::SignedPercent.text(-0.0001),
        ];
        assert_eq!(texts, ["0.667", "57", "97.1 %", "−15 %", "+571 %", "0 %"]);
    }
}
