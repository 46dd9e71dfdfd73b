//! What the panels show, derived from the state: tables, labels, colours by number.

use std::collections::BTreeMap;

use super::shared::Shared;
use super::store::State;
use super::wire::Outcome;
use crate::ids::UserId;
use crate::metrics::Summary;
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::{Difference, Moved};
use crate::units::{Span, Time};

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
    Plain,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// What it means, with the unit.
    pub meaning: String,
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

/// Mean, worst tenth, slowdown and makespan of every policy whose run is there.
pub fn overview(state: &State) -> Table {
    let column = |name: &str, meaning: &str, value: fn(&Summary) -> f64| {
        let getter: Getter = Box::new(move |outcome| Some(value(&outcome.summary)));
        (name.to_owned(), meaning.to_owned(), getter)
    };
    let columns = vec![
        column("mean", "Mean response time of all jobs, in seconds", |summary| summary.mean_response),
        column("worst 10 %", "Mean of the slowest tenth of response times, in seconds", |summary| {
            summary.worst_decile
        }),
        column(
            "slowdown",
            "Mean of response time over response time alone on the idle cluster, a ratio",
            |summary| summary.mean_slowdown,
        ),
        column("makespan", "When the last task ends, in seconds", |summary| summary.makespan.seconds()),
    ];
    table(state, columns)
}

/// Mean response time of every user under every policy whose run is there.
pub fn by_user(state: &State) -> Table {
    let users = state.document.scenario.users.iter().enumerate().map(|(user, spec)| {
        let meaning = format!("Mean response time of {}'s jobs, in seconds", spec.name);
        let value: Getter = Box::new(move |outcome| outcome.summary.by_user.get(user).copied().flatten());
        (spec.name.clone(), meaning, value)
    });
    table(state, users.collect())
}

type Getter = Box<dyn Fn(&Outcome) -> Option<f64>>;

fn table(state: &State, columns: Vec<(String, String, Getter)>) -> Table {
    let outcomes: Vec<(PolicyId, &Shared<Outcome>)> = state.outcomes().collect();
    let columns = columns.into_iter().map(|(name, meaning, value)| {
        let values: Vec<Option<f64>> = outcomes.iter().map(|(_, outcome)| value(outcome)).collect();
        Column { name, meaning, figures: rate(&values) }
    });
    Table { columns: columns.collect(), rows: outcomes.iter().map(|(policy, _)| *policy).collect() }
}

/// Marks the smallest values, all of them where several are equal as shown (to a hundredth); none
/// where all are equal.
fn rate(values: &[Option<f64>]) -> Vec<Option<Figure>> {
    let shown = |value: f64| (value * 100.0).round() as i64;
    let known: Vec<i64> = values.iter().flatten().map(|&value| shown(value)).collect();
    let (least, most) = (known.iter().min().copied(), known.iter().max().copied());
    let rating = |value: f64| match Some(shown(value)) == least && least != most {
        true => Rating::Best,
        false => Rating::Plain,
    };
    values.iter().map(|value| value.map(|value| Figure { value, rating: rating(value) })).collect()
}

/// Seconds as people read them: two decimals below a hundred, one above.
pub fn seconds(value: f64) -> String {
    if value < 99.995 { format!("{value:.2}") } else { format!("{value:.1}") }
}

/// An instant with its unit: to the millisecond, or to the microsecond where it needs that.
pub fn instant(time: Time) -> String {
    if time.0.is_multiple_of(1_000) {
        format!("{:.3} s", time.seconds())
    } else {
        format!("{:.6} s", time.seconds())
    }
}

/// A colour of the palette by number: a user's hue and one of two shades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hue {
    /// Number of the hue, from 1.
    pub hue: usize,
    /// 0 or 1: jobs of a user alternate.
    pub shade: usize,
}

/// How many hues the stylesheet has; further users begin anew, which is why they are always named.
pub const HUES: usize = 10;

/// A user's hue.
pub fn user_hue(user: UserId) -> usize {
    user.index() % HUES + 1
}

/// Each job's colour, by place in the file: its user's hue, shades alternating in the order of
/// arrival.
pub fn job_hues(scenario: &Scenario) -> Vec<Hue> {
    let mut hues = vec![Hue { hue: 1, shade: 0 }; scenario.jobs.len()];
    let mut seen = vec![0; scenario.users.len()];
    for job in scenario.arrival_order() {
        let user = scenario.jobs[job.index()].user;
        hues[job.index()] = Hue { hue: user_hue(user), shade: seen[user.index()] % 2 };
        seen[user.index()] += 1;
    }
    hues
}

/// A colour by number for a job or a stage of its own.
pub fn cycling_hue(number: usize) -> Hue {
    Hue { hue: number % HUES + 1, shade: number / HUES % 2 }
}

/// The tasks to be set off in the two compared charts, by place in the trace.
pub fn moved(
    state: &State,
    difference: Option<&Shared<Difference>>,
) -> BTreeMap<PolicyId, Shared<Vec<usize>>> {
    let places = |list: &[u32]| Shared::new(list.iter().map(|&place| place as usize).collect::<Vec<_>>());
    match (state.compared(), difference.map(|difference| &difference.moved)) {
        (Some((one, other)), Some(Moved::Tasks { first, second })) => {
            [(one, places(first)), (other, places(second))].into()
        }
        _ => BTreeMap::new(),
    }
}

/// Response times alone on the idle cluster, from the first run that is there.
/// While the jobs change, an older run's times serve as long as their number fits.
pub fn alone(state: &State) -> Option<&[Span]> {
    let jobs = state.document.scenario.jobs.len();
    state.outcomes().map(|(_, outcome)| outcome.alone.as_slice()).find(|alone| alone.len() == jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_marked_as_shown() {
        let ratings = |values: &[Option<f64>]| -> String {
            let letter = |figure: Option<Figure>| match figure.map(|figure| figure.rating) {
                Some(Rating::Best) => 'B',
                Some(Rating::Plain) => '.',
                None => '-',
            };
            rate(values).into_iter().map(letter).collect()
        };
        assert_eq!(ratings(&[Some(1.0), Some(2.0), None]), "B.-");
        assert_eq!(ratings(&[Some(1.001), Some(1.0), Some(1.2)]), "BB.");
        assert_eq!(ratings(&[Some(1.0), Some(1.0)]), "..");
        assert_eq!(ratings(&[Some(1.0)]), ".");
    }

    #[test]
    fn figures_keep_four_digits() {
        assert_eq!(
            (seconds(1.0), seconds(99.999), seconds(123.456)),
            ("1.00".into(), "100.0".into(), "123.5".into())
        );
    }
}
