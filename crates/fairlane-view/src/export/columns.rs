//! The columns of the tables that compare policies: what `fairlane compare` prints and the page's results show, each
//! in its own type.

use super::Measured;
use fairlane::metrics::{Deviation, Fairness, Group, Unfinished};
use fairlane::number;
use fairlane::policy::PolicyKind;
use fairlane::scenario::Scenario;
use fairlane::units::{MICROS_PER_SECOND, Span};

/// Which figures of a column are the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The smallest.
    Less,
    /// The largest.
    More,
    /// None: they have no merit.
    Neither,
}

/// How a column's figures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Seconds or ratios, to a hundredth.
    Hundredths,
    /// Ratios between 0 and 1, to a thousandth.
    Thousandths,
    /// Whole numbers.
    Count,
    /// Ratios between 0 and 1, as per cent where there is room for typography.
    Percent,
    /// Ratios as per cent with their sign.
    SignedPercent,
}

impl Format {
    /// A figure as the page shows it.
    pub fn text(self, value: f64) -> String {
        match self {
            Format::Hundredths => number::short(value),
            Format::Percent => number::percent(value, 1),
            Format::SignedPercent => number::with_minus(&self.plain(value)),
            Format::Thousandths | Format::Count => self.plain(value),
        }
    }

    /// A figure in plain characters.
    pub fn plain(self, value: f64) -> String {
        match self {
            Format::Hundredths => format!("{value:.2}"),
            Format::Thousandths | Format::Percent => format!("{value:.3}"),
            Format::Count => format!("{value:.0}"),
            Format::SignedPercent => number::signed_percent(value, 0),
        }
    }

    /// In steps of what is shown: figures of as many steps are equal.
    fn steps(self, value: f64) -> i64 {
        let per_unit = match self {
            Format::Hundredths | Format::SignedPercent => 100.0,
            Format::Thousandths | Format::Percent => 1000.0,
            Format::Count => 1.0,
        };
        (value * per_unit).round() as i64
    }
}

/// A column: a figure of each policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// The figures' unit; empty for ratios and counts.
    pub unit: &'static str,
    /// What it means, with the unit.
    pub meaning: String,
    /// Which figures are the best.
    pub better: Better,
    /// How figures are written.
    pub format: Format,
    /// A figure per policy, `None` where it does not exist.
    pub figures: Vec<Option<f64>>,
}

impl Column {
    /// The column under another heading, without a unit.
    pub fn named(self, name: &str) -> Column {
        Column { name: name.to_owned(), unit: "", ..self }
    }

    /// Whether a row's figure is the best, or one of several as shown; none is where all are equal.
    pub fn is_best(&self, row: usize) -> bool {
        let known = || self.figures.iter().flatten().map(|&figure| self.format.steps(figure));
        let (least, most) = (known().min(), known().max());
        let best = match self.better {
            Better::Less => least,
            Better::More => most,
            Better::Neither => None,
        };
        let own = self.figures[row].map(|figure| self.format.steps(figure));
        own.is_some() && own == best && least != most
    }
}

/// Makes the columns of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// What was simulated.
    pub scenario: &'a Scenario,
    /// Each policy's run.
    pub runs: &'a [Measured<'a>],
}

/// Against practical UJF; none for UJF itself, which is what the others are measured against.
fn ujf<'a>(run: &Measured<'a>) -> Option<&'a Fairness> {
    run.summary.ujf.as_ref().filter(|_| run.trace.policy.kind != PolicyKind::Ujf)
}

impl Columns<'_> {
    /// A column of figures.
    pub fn column(
        &self,
        name: &str,
        meaning: impl Into<String>,
        better: Better,
        format: Format,
        figure: &dyn Fn(&Measured) -> Option<f64>,
    ) -> Column {
        let figures = self.runs.iter().map(figure).collect();
        Column { name: name.to_owned(), unit: "", meaning: meaning.into(), better, format, figures }
    }

    /// A column of ratios of which less is better.
    pub fn ratios(
        &self,
        name: &str,
        meaning: impl Into<String>,
        figure: &dyn Fn(&Measured) -> Option<f64>,
    ) -> Column {
        self.column(name, meaning, Better::Less, Format::Hundredths, figure)
    }

    fn seconds(
        &self,
        name: &str,
        meaning: impl Into<String>,
        figure: &dyn Fn(&Measured) -> Option<f64>,
    ) -> Column {
        Column { unit: "s", ..self.ratios(name, meaning, figure) }
    }

    /// Mean and worst response times, slowdown and makespan of all jobs.
    pub fn overview(&self) -> [Column; 4] {
        let slowdown = "Mean of response time over response time alone on the idle cluster, a ratio";
        [
            self.seconds("mean", "Mean response time of all jobs that finished, in seconds", &|run| {
                run.summary.mean_response
            }),
            self.seconds("worst 10 %", "Mean of the slowest tenth of response times, in seconds", &|run| {
                run.summary.worst_decile
            }),
            self.ratios("slowdown", slowdown, &|run| run.summary.mean_slowdown),
            self.seconds("makespan", "When the last task ends, in seconds", &|run| {
                run.summary.makespan.map(Span::seconds)
            }),
        ]
    }

    /// A user's mean response time.
    pub fn user(&self, user: usize) -> Column {
        let name = &self.scenario.users()[user].name;
        let meaning = format!("Mean response time of {name}'s jobs, in seconds");
        self.seconds(name, meaning, &|run| run.summary.by_user.get(user).copied().flatten())
    }

    /// Mean response times by rank.
    pub fn groups(&self) -> impl Iterator<Item = Column> {
        let meanings = [
            "Mean response time of the fastest 80 % of jobs, in seconds",
            "Mean response time of the next 15 %, in seconds",
            "Mean response time of the slowest 5 %, in seconds",
        ];
        Group::ALL.into_iter().zip(meanings).map(|(group, meaning)| {
            self.seconds(group.label(), meaning, &|run| run.summary.by_group[group.index()])
        })
    }

    /// The slowdowns of the worst tenth.
    pub fn worst_slowdowns(&self) -> Column {
        self.ratios("worst slowdowns", "Mean of the worst tenth of slowdowns, a ratio", &|run| {
            run.summary.worst_decile_slowdown
        })
    }

    /// Violations and slacks against UJF with the same partitioning, and Jain's index.
    pub fn against_ujf(&self) -> Vec<Column> {
        let than = "under UJF with the same partitioning";
        let mut columns = self.deviation(than, &|run| Some(ujf(run)?.overall));
        let jain = "Jain's index of the users' mean slowdowns: 1 if all are equal, 1/n if one of n users has all of it";
        columns.push(self.column("Jain", jain, Better::More, Format::Thousandths, &|run| run.summary.jain));
        columns
    }

    /// Violations and slacks against the fluid ideal, and the largest delay.
    pub fn against_ideal(&self) -> Vec<Column> {
        let mut columns = self.deviation("under the fluid ideal", &|run| Some(run.summary.fluid.overall));
        let meaning = "The largest delay of any job against the fluid ideal, in seconds: the constant of the paper's bound";
        columns.push(
            self.seconds("worst delay", meaning, &|run| {
                Some(run.summary.unfairness?.delay / MICROS_PER_SECOND)
            }),
        );
        columns
    }

    fn deviation(&self, than: &str, of: &dyn Fn(&Measured) -> Option<Deviation>) -> Vec<Column> {
        let of_response = format!("as a fraction of the response time {than}");
        let violation = format!(
            "Deadline violation ratio: how much later jobs finish than {than}, {of_response}; mean over those that finish later"
        );
        let slack = format!(
            "Deadline slack ratio: how much earlier jobs finish than {than}, {of_response}; mean over those that finish no later"
        );
        let count = |name, meaning, better, figure: &dyn Fn(Deviation) -> usize| {
            self.column(name, meaning, better, Format::Count, &|run| of(run).map(|it| figure(it) as f64))
        };
        vec![
            self.ratios("DVR", violation, &|run| of(run)?.dvr),
            count("violations", format!("Jobs that finish later than {than}"), Better::Less, &|it| {
                it.violations
            }),
            self.column("DSR", slack, Better::More, Format::Hundredths, &|run| of(run)?.dsr),
            count("slacks", format!("Jobs that finish no later than {than}"), Better::More, &|it| it.slacks),
        ]
    }

    /// A user's mean response time against that under UJF.
    pub fn user_against_ujf(&self, user: usize) -> Column {
        let name = &self.scenario.users()[user].name;
        let meaning = format!(
            "How much longer {name}'s jobs take on average than under UJF with the same partitioning; negative is faster"
        );
        self.column(name, meaning, Better::Less, Format::SignedPercent, &|run| {
            ujf(run)?.user_delays.get(user).copied().flatten()
        })
    }

    /// How many users wait longer than under UJF, and how many do not.
    pub fn users_against_ujf(&self) -> [Column; 2] {
        let users = |name, better, figure: &dyn Fn(Deviation) -> usize| {
            self.column(name, "", better, Format::Count, &|run| Some(figure(ujf(run)?.among_users) as f64))
        };
        [
            users("longer", Better::Less, &|it| it.violations),
            users("no longer", Better::More, &|it| it.slacks),
        ]
    }

    /// How many jobs did not finish; empty if all did under all policies.
    pub fn unfinished(&self) -> Vec<Column> {
        let count = |name, meaning, of: &dyn Fn(&Unfinished) -> usize| {
            let any = self.runs.iter().any(|run| of(&run.summary.unfinished) > 0);
            any.then(|| {
                self.column(name, meaning, Better::Less, Format::Count, &|run| {
                    Some(of(&run.summary.unfinished) as f64)
                })
            })
        };
        let dropped = "Jobs that the policy ended before all their tasks had run";
        let rejected = "Jobs that the policy refused at their arrival";
        [count("dropped", dropped, &|jobs| jobs.dropped), count("rejected", rejected, &|jobs| jobs.rejected)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// A column if any of its figures exists.
    fn if_any(column: Column) -> Option<Column> {
        column.figures.iter().any(Option::is_some).then_some(column)
    }

    /// The average progress rate; empty if no job has a performance curve.
    pub fn progress(&self) -> Option<Column> {
        let meaning = "Mean of response time alone on the idle cluster over response time, a ratio: 1 is as fast as alone";
        Self::if_any(self.column("progress", meaning, Better::More, Format::Hundredths, &|run| {
            run.summary.special.progress
        }))
    }

    /// Deadlines met, productive and wasted time, equality and fairness; empty if jobs are not judged by deadlines.
    pub fn deadlines(&self) -> Vec<Column> {
        let ratio = |name, meaning, better, figure: &dyn Fn(&Measured) -> Option<f64>| {
            self.column(name, meaning, better, Format::Thousandths, figure)
        };
        let met = "Jobs that finish no later than their deadline";
        let sdr = "Satisfied deadlines ratio: those jobs as a part of all";
        let ptr = "Productive time ratio: core time spent on jobs that meet their deadline, as a part of the work of all jobs";
        let wtr = "Wasted time ratio: core time spent on the other jobs, as a part of the work of all jobs";
        let equality = "Jain's index of the cores that active jobs of the same parallelism hold, averaged over minutes: 1 if they hold the same";
        let fairness = "Jain's index of the part of their parallelism that active jobs hold, averaged over minutes: 1 if it is the same for all";
        let columns = [
            self.column("met", met, Better::More, Format::Count, &|run| {
                Some(run.summary.special.deadlines?.met as f64)
            }),
            ratio("SDR", sdr, Better::More, &|run| run.summary.special.deadlines?.satisfied_ratio()),
            ratio("PTR", ptr, Better::More, &|run| run.summary.special.deadlines?.productive_ratio()),
            ratio("WTR", wtr, Better::Less, &|run| run.summary.special.deadlines?.wasted_ratio()),
            ratio("equality", equality, Better::More, &|run| run.summary.special.sharing?.equality),
            ratio("fairness", fairness, Better::More, &|run| run.summary.special.sharing?.fairness),
        ];
        columns.into_iter().filter_map(Self::if_any).collect()
    }

    /// Average completion by kind of queue; empty if no user is a queue.
    pub fn queues(&self) -> Vec<Column> {
        let columns = [
            self.seconds(
                "latency queues",
                "Mean response time of the jobs of latency queues, in seconds",
                &|run| run.summary.special.completions?.latency,
            ),
            self.seconds("other queues", "Mean response time of all other jobs, in seconds", &|run| {
                run.summary.special.completions?.throughput
            }),
        ];
        columns.into_iter().filter_map(Self::if_any).collect()
    }

    /// A user's dominant share in the long run; none if no user is a queue and memory is not modelled.
    pub fn dominant_share(&self, user: usize) -> Option<Column> {
        let name = &self.scenario.users()[user].name;
        let meaning = format!(
            "The larger of the mean parts of all cores and of all memory that {name}'s tasks hold until the last task ends"
        );
        Self::if_any(self.column(name, meaning, Better::Neither, Format::Percent, &|run| {
            run.summary.special.dominant_shares.get(user).copied()
        }))
    }

    /// Memory in use; empty if memory is not modelled.
    pub fn memory(&self) -> Vec<Column> {
        let mean = "Mean part of all memory that tasks hold until the last task ends";
        let peak = "Largest part of all memory that tasks ever hold";
        let columns = [
            self.column("memory", mean, Better::Neither, Format::Percent, &|run| {
                run.summary.special.memory?.mean
            }),
            self.column("peak memory", peak, Better::Neither, Format::Percent, &|run| {
                Some(run.summary.special.memory?.peak)
            }),
        ];
        columns.into_iter().filter_map(Self::if_any).collect()
    }

    /// Utilization, inversion and stragglers.
    pub fn cores(&self) -> [Column; 3] {
        let utilization =
            "Time that tasks hold cores as a fraction of all core time until the last task ends";
        let inversion = "Time that jobs wait while tasks of jobs ranked behind them hold cores, summed over all jobs, in seconds; undefined under policies whose order changes with every launch";
        let idle = "Core time that is idle while only the last task of a stage is left, in core-seconds";
        let straggler = self.seconds("straggler idle", idle, &|run| {
            Some(run.summary.blocking.as_ref()?.straggler_idle.seconds())
        });
        [
            self.column("utilization", utilization, Better::More, Format::Percent, &|run| {
                run.summary.utilization
            }),
            self.seconds("inversion", inversion, &|run| {
                run.summary.blocking.as_ref()?.total_inversion().map(Span::seconds)
            }),
            Column { unit: "core-s", ..straggler },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_best(figures: &[Option<f64>], better: Better, format: Format, expected: &str) {
        let (name, meaning) = (String::new(), String::new());
        let column = Column { name, unit: "", meaning, better, format, figures: figures.to_vec() };
        let letter = |row: usize| match (figures[row], column.is_best(row)) {
            (None, _) => '-',
            (Some(_), true) => 'B',
            (Some(_), false) => '.',
        };
        assert_eq!((0..figures.len()).map(letter).collect::<String>(), expected, "{figures:?}");
    }

    #[test]
    fn the_best_is_marked_as_shown() {
        let less = |figures: &[Option<f64>], expected: &str| {
            assert_best(figures, Better::Less, Format::Hundredths, expected);
        };
        less(&[Some(1.0), Some(2.0), None], "B.-");
        less(&[Some(1.001), Some(1.0), Some(1.2)], "BB.");
        less(&[Some(1.0), Some(1.0)], "..");
        less(&[Some(1.0)], ".");
        assert_best(&[Some(0.9712), Some(0.9711), Some(0.5)], Better::More, Format::Thousandths, "BB.");
        assert_best(&[Some(57.0), Some(127.0), None], Better::More, Format::Count, ".B-");
        assert_best(&[Some(1.0), Some(2.0)], Better::Neither, Format::Count, "..");
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
