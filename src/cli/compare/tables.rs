//! The tables of `fairlane compare`, a row per policy, none wider than about a hundred columns unless
//! names are long.

use crate::cli::args::Metrics;
use crate::cli::run::Run;
use crate::cli::table::{self, Align, Emphasis};
use crate::export::jobs_by_user;
use crate::metrics::{Detail, Deviation, Fairness, Group, Unfinished};
use crate::number::{self, counted};
use crate::policy::PolicyKind;
use crate::scenario::Scenario;
use crate::units::{MICROS_PER_SECOND, Span};

/// Users who get a column of a table.
const USER_COLUMNS: usize = 8;

/// Which figures of a column are the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Better {
    Less,
    More,
    /// The figure is no merit.
    Neither,
}

/// How a figure is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// To a hundredth.
    Hundredths,
    /// To a thousandth: ratios between 0 and 1.
    Thousandths,
    /// As a whole number.
    Count,
    /// A ratio as per cent with its sign.
    SignedPercent,
}

impl Shown {
    fn text(self, figure: f64) -> String {
        match self {
            Shown::Hundredths => format!("{figure:.2}"),
            Shown::Thousandths => format!("{figure:.3}"),
            Shown::Count => format!("{figure:.0}"),
            Shown::SignedPercent => number::signed_percent(figure, 0),
        }
    }
}

/// A column of figures.
struct Column {
    title: String,
    better: Better,
    shown: Shown,
    figures: Vec<Option<f64>>,
}

impl Column {
    /// The cells, with the best figures standing out unless all are equal.
    fn cells(&self, emphasis: Emphasis) -> Vec<String> {
        // What looks equal is equal: figures are compared as they are shown.
        let shown: Vec<Option<String>> =
            self.figures.iter().map(|figure| figure.map(|figure| self.shown.text(figure))).collect();
        let known = self.figures.iter().zip(&shown).filter_map(|(figure, text)| figure.zip(text.as_ref()));
        let best = match self.better {
            Better::Less => known.min_by(|a, b| a.0.total_cmp(&b.0)),
            Better::More => known.max_by(|a, b| a.0.total_cmp(&b.0)),
            Better::Neither => None,
        };
        let best = best.map(|(_, text)| text);
        let differ = best.is_some() && shown.iter().flatten().any(|text| Some(text) != best);
        let cell = |text: &Option<String>| match text {
            Some(text) if differ && Some(text) == best => emphasis.best(text),
            Some(text) => emphasis.other(text),
            None => emphasis.other("-"),
        };
        shown.iter().map(cell).collect()
    }
}

type Count = fn(&Unfinished) -> usize;

const UNFINISHED: [(&str, Count); 2] = [("dropped", |jobs| jobs.dropped), ("rejected", |jobs| jobs.rejected)];

/// Makes the columns of one comparison.
struct Maker<'a> {
    runs: &'a [Run],
    emphasis: Emphasis,
}

impl Maker<'_> {
    fn column(
        &self,
        title: impl Into<String>,
        better: Better,
        shown: Shown,
        figure: impl Fn(&Run) -> Option<f64>,
    ) -> Column {
        Column { title: title.into(), better, shown, figures: self.runs.iter().map(figure).collect() }
    }

    /// Seconds or ratios of which less is better.
    fn less(&self, title: impl Into<String>, figure: impl Fn(&Run) -> Option<f64>) -> Column {
        self.column(title, Better::Less, Shown::Hundredths, figure)
    }

    /// A row per policy. The last columns count the jobs that did not finish, if there are any.
    fn table(&self, mut columns: Vec<Column>) -> String {
        for (title, count) in UNFINISHED {
            let of = |run: &Run| count(&run.summary.unfinished);
            if self.runs.iter().any(|run| of(run) > 0) {
                columns.push(self.column(title, Better::Less, Shown::Count, |run| Some(of(run) as f64)));
            }
        }
        let mut heading = vec![("policy".to_owned(), Align::Left)];
        heading.extend(columns.iter().map(|column| (self.emphasis.other(&column.title), Align::Right)));
        let cells: Vec<Vec<String>> = columns.iter().map(|column| column.cells(self.emphasis)).collect();
        let rows = self.runs.iter().enumerate().map(|(row, run)| {
            let policy = std::iter::once(run.policy.to_string());
            policy.chain(cells.iter().map(|column| column[row].clone())).collect()
        });
        table::layout(heading, rows)
    }

    fn deviation(&self, of: impl Fn(&Run) -> Option<Deviation>) -> Vec<Column> {
        vec![
            self.less("DVR", |run| of(run)?.dvr),
            self.column("violations", Better::Less, Shown::Count, |run| Some(of(run)?.violations as f64)),
            self.column("DSR", Better::More, Shown::Hundredths, |run| of(run)?.dsr),
            self.column("slacks", Better::More, Shown::Count, |run| Some(of(run)?.slacks as f64)),
        ]
    }
}

/// What the tables asked for need.
pub(super) fn detail(asked: &[Metrics]) -> Detail {
    let needed = |metrics: &Metrics| match metrics {
        Metrics::Response | Metrics::Groups => Detail::Responses,
        Metrics::Fairness | Metrics::Users => Detail::Delays,
        Metrics::Cores | Metrics::All => Detail::Full,
    };
    asked.iter().map(needed).max().unwrap_or(Detail::Responses)
}

/// The tables asked for, one below the other.
pub(super) fn print(scenario: &Scenario, runs: &[Run], asked: &[Metrics], emphasis: Emphasis) -> String {
    let maker = Maker { runs, emphasis };
    let shown = busiest_users(scenario);
    let wanted = |metrics: Metrics| asked.contains(&metrics) || asked.contains(&Metrics::All);
    let mut parts = Vec::new();
    if wanted(Metrics::Response) {
        parts.push(response(&maker, scenario, &shown));
    }
    if wanted(Metrics::Groups) {
        parts.push(groups(&maker));
    }
    if wanted(Metrics::Fairness) {
        parts.push(fairness(&maker));
    }
    if wanted(Metrics::Users) {
        parts.push(users(&maker, scenario, &shown));
    }
    if wanted(Metrics::Cores) {
        parts.push(cores(&maker));
    }
    let by_user = wanted(Metrics::Response) || wanted(Metrics::Users);
    parts.push(legend(scenario, runs, by_user.then_some(shown.len()), emphasis));
    parts.join("\n")
}

fn response(maker: &Maker, scenario: &Scenario, users: &[usize]) -> String {
    let mut columns = vec![
        maker.less("mean s", |run| run.summary.mean_response),
        maker.less("worst 10 % s", |run| run.summary.worst_decile),
        maker.less("slowdown", |run| run.summary.mean_slowdown),
    ];
    columns.extend(users.iter().map(|&user| {
        let title = format!("{} s", table::name(&scenario.users()[user].name));
        maker.less(title, move |run| run.summary.by_user[user])
    }));
    columns.push(maker.less("makespan s", |run| run.summary.makespan.map(Span::seconds)));
    maker.table(columns)
}

fn groups(maker: &Maker) -> String {
    let mut columns = Vec::new();
    for group in Group::ALL {
        let title = format!("{} s", group.label());
        columns.push(maker.less(title, move |run| run.summary.by_group[group.index()]));
    }
    for (group, title) in Group::ALL.into_iter().zip(["slowdown 0-80 %", "80-95 %", "95-100 %"]) {
        columns.push(maker.less(title, move |run| run.summary.slowdown_by_group[group.index()]));
    }
    columns.push(maker.less("worst 10 %", |run| run.summary.worst_decile_slowdown));
    format!(
        "Jobs grouped by rank of response time: means in seconds, then slowdowns\n{}",
        maker.table(columns)
    )
}

/// Against practical UJF; none for UJF itself, which is what the others are measured against.
fn against_ujf(run: &Run) -> Option<&Fairness> {
    run.summary.ujf.as_ref().filter(|_| run.policy.kind != PolicyKind::Ujf)
}

fn fairness(maker: &Maker) -> String {
    let mut practical = maker.deviation(|run| Some(against_ujf(run)?.overall));
    practical.push(maker.column("Jain", Better::More, Shown::Thousandths, |run| run.summary.jain));
    let mut ideal = maker.deviation(|run| Some(run.summary.fluid.overall));
    let furthest = |run: &Run| run.summary.unfairness;
    ideal.push(maker.less("furthest behind s", move |run| Some(furthest(run)?.delay / MICROS_PER_SECOND)));
    ideal.push(
        maker.column(
            "job",
            Better::Neither,
            Shown::Count,
            move |run| Some(furthest(run)?.job.index() as f64),
        ),
    );
    format!(
        "Finish times against UJF with the same partitioning, and Jain's index of the users' slowdowns\n{}\n\
         Finish times against the ideal, fluid UJF\n{}",
        maker.table(practical),
        maker.table(ideal)
    )
}

fn users(maker: &Maker, scenario: &Scenario, users: &[usize]) -> String {
    let mut columns = Vec::new();
    for &user in users {
        let title = table::name(&scenario.users()[user].name);
        columns.push(maker.column(title, Better::Less, Shown::SignedPercent, move |run| {
            against_ujf(run)?.user_delays[user]
        }));
    }
    let among = |run: &Run| Some(against_ujf(run)?.among_users);
    columns.push(
        maker.column("longer", Better::Less, Shown::Count, move |run| Some(among(run)?.violations as f64)),
    );
    columns.push(
        maker.column("no longer", Better::More, Shown::Count, move |run| Some(among(run)?.slacks as f64)),
    );
    format!(
        "Users' mean response times against UJF with the same partitioning; users who wait longer, and who do not\n{}",
        maker.table(columns)
    )
}

fn cores(maker: &Maker) -> String {
    let columns = vec![
        maker.column("utilization", Better::More, Shown::Thousandths, |run| run.summary.utilization),
        maker.less("inversion s", |run| run.summary.blocking.as_ref()?.total_inversion().map(Span::seconds)),
        maker.less("straggler idle core-s", |run| {
            Some(run.summary.blocking.as_ref()?.straggler_idle.seconds())
        }),
    ];
    format!(
        "Cores in use; jobs behind tasks of a later turn; cores idle behind a stage's last task\n{}",
        maker.table(columns)
    )
}

/// The users who get a column: those with the most jobs, in the scenario's order.
fn busiest_users(scenario: &Scenario) -> Vec<usize> {
    let counts = jobs_by_user(scenario);
    let mut users: Vec<usize> = (0..counts.len()).collect();
    users.sort_by_key(|&user| std::cmp::Reverse(counts[user]));
    users.truncate(USER_COLUMNS);
    users.sort_unstable();
    users
}

/// `users_shown`: how many users have a column, if any table goes by user.
fn legend(scenario: &Scenario, runs: &[Run], users_shown: Option<usize>, emphasis: Emphasis) -> String {
    let users = scenario.users().len();
    let best = match emphasis {
        Emphasis::Bold => "Bold",
        Emphasis::Asterisk => "*",
    };
    let mut text = format!(
        "{} of {} on {}; mean response times, in all and by user. {best} marks the best of a column.\n",
        counted(scenario.jobs().len(), "job"),
        counted(users, "user"),
        counted(scenario.cluster().cores() as usize, "core")
    );
    if runs.iter().any(|run| run.summary.unfinished != Unfinished::default()) {
        text.push_str("Response times, slowdowns and delays are those of the jobs that finished.\n");
    }
    if let Some(shown) = users_shown.filter(|&shown| shown < users) {
        text.push_str(&format!(
            "Only the {shown} users with the most jobs have a column; --format csv has all {users}.\n"
        ));
    }
    text
}
