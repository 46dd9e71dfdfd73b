//! The tables of `fairlane compare`, a row per policy, none wider than about a hundred columns unless
//! names are long.

use super::waiting;
use crate::args::MetricsTables;
use crate::table::{self, CellAlign, Emphasis};
use fairlane::metrics::{Evaluation, EvaluationDetail, Unfinished, Waiting};
use fairlane::number::counted;
use fairlane::scenario::Scenario;
use fairlane_view::export::columns::{FigureColumn, FigureColumns};
use fairlane_view::export::jobs_by_user;

/// Users who get a column of a table.
const USER_COLUMNS: usize = 8;

/// Lays out a row per policy.
struct Printer<'a> {
    columns: FigureColumns<'a>,
    emphasis: Emphasis,
}

impl Printer<'_> {
    /// A row per policy. The last columns count the jobs that did not finish, if there are any.
    fn table(&self, columns: impl IntoIterator<Item = FigureColumn>) -> String {
        let mut heading = vec![("policy".to_owned(), CellAlign::Left)];
        let mut rows: Vec<Vec<String>> =
            self.columns.runs.iter().map(|run| vec![run.trace.policy.to_string()]).collect();
        for column in columns.into_iter().chain(self.columns.unfinished()) {
            let title = format!("{} {}", table::name(&column.name), column.unit);
            heading.push((self.emphasis.other(title.trim_end()), CellAlign::Right));
            for (row, (cells, figure)) in rows.iter_mut().zip(&column.figures).enumerate() {
                let text = figure.map_or_else(|| "-".to_owned(), |figure| column.format.plain(figure));
                let best = column.is_best(row);
                cells.push(if best { self.emphasis.best(&text) } else { self.emphasis.other(&text) });
            }
        }
        table::layout(heading, rows)
    }

    fn response(&self, users: &[usize]) -> String {
        let [mean, worst, slowdown, makespan] = self.columns.overview();
        let users = users.iter().map(|&user| self.columns.user(user));
        let overall = [mean, worst, slowdown].into_iter().chain(self.columns.progress());
        let cost = self.columns.executors().into_iter().chain(self.columns.attempts());
        self.table(overall.chain(users).chain([makespan]).chain(cost))
    }

    fn groups(&self) -> String {
        let slowdowns = ["slowdown 0-80 %", "80-95 %", "95-100 %"];
        let slowdowns =
            self.columns.group_slowdowns().zip(slowdowns).map(|(column, title)| column.named(title));
        let worst = self.columns.column("worst_10_percent_slowdown").named("worst 10 %");
        format!(
            "Jobs grouped by rank of response time: means in seconds, then slowdowns\n{}",
            self.table(self.columns.groups().chain(slowdowns).chain([worst]))
        )
    }

    fn fairness(&self) -> String {
        let job = self.columns.column("furthest_behind_job");
        format!(
            "Finish times against UJF with the same partitioning, and Jain's index of the users' slowdowns\n{}\n\
             Finish times against the ideal, fluid UJF\n{}",
            self.table(self.columns.against_ujf()),
            self.table(self.columns.against_ideal().into_iter().chain([job]))
        )
    }

    fn users(&self, users: &[usize]) -> String {
        let delays = users.iter().map(|&user| self.columns.user_against_ujf(user));
        format!(
            "Users' mean response times against UJF with the same partitioning; users who wait longer, and who do \
                not\n{}",
            self.table(delays.chain(self.columns.users_against_ujf()))
        )
    }

    fn cores(&self) -> String {
        format!(
            "Cores in use; jobs behind tasks of a later turn; cores idle behind a stage's last task\n{}",
            self.table(self.columns.cores().into_iter().chain(self.columns.memory()))
        )
    }

    fn waiting(&self, users: &[usize], waits: &[Waiting]) -> String {
        let overview = self.table(waiting::columns(self.columns.users, waits, users));
        let title = "Core time that users were short of their fair share";
        let runs = self.columns.runs.iter().zip(waits);
        let matrices = runs.map(|(run, waiting)| waiting::matrix(run, waiting)).collect::<Vec<_>>();
        format!("{title}\n{overview}\n{}", matrices.join("\n"))
    }

    /// `None` if jobs are not judged by deadlines.
    fn deadlines(&self) -> Option<String> {
        let columns = self.columns.deadlines();
        let title = "Deadlines met; core time productive and wasted; equality and fairness over time";
        (!columns.is_empty()).then(|| format!("{title}\n{}", self.table(columns)))
    }

    /// `None` if no user is a queue and memory is not modelled.
    fn queues(&self, users: &[usize]) -> Option<String> {
        let completions = self.columns.queues();
        let shares: Vec<FigureColumn> =
            users.iter().filter_map(|&user| self.columns.dominant_share(user)).collect();
        if shares.is_empty() {
            return None;
        }
        let shares = format!("Dominant shares of cores and memory in the long run\n{}", self.table(shares));
        match completions.is_empty() {
            true => Some(shares),
            false => {
                Some(format!("Mean response times by kind of queue\n{}\n{shares}", self.table(completions)))
            }
        }
    }
}

/// What the tables asked for need.
pub(super) fn detail(asked: &[MetricsTables]) -> EvaluationDetail {
    let needed = |metrics: &MetricsTables| match metrics {
        MetricsTables::Response
        | MetricsTables::Groups
        | MetricsTables::Deadlines
        | MetricsTables::Queues
        | MetricsTables::Waiting => EvaluationDetail::Responses,
        MetricsTables::Fairness | MetricsTables::Users => EvaluationDetail::Delays,
        MetricsTables::Cores | MetricsTables::All => EvaluationDetail::Full,
    };
    asked.iter().map(needed).max().unwrap_or(EvaluationDetail::Responses)
}

/// Whether who waited for whom is asked for.
pub(super) fn asks_for_waiting(asked: &[MetricsTables]) -> bool {
    asked.contains(&MetricsTables::Waiting) || asked.contains(&MetricsTables::All)
}

/// The tables asked for, one below the other.
pub(super) fn print(
    scenario: &Scenario,
    runs: &[Evaluation],
    asked: &[MetricsTables],
    emphasis: Emphasis,
) -> String {
    let waits = if asks_for_waiting(asked) { waiting::of_runs(runs) } else { Vec::new() };
    let runs: Vec<&Evaluation> = runs.iter().collect();
    let printer = Printer { columns: FigureColumns::new(&runs), emphasis };
    let shown = busiest_users(scenario);
    let wanted = |metrics: MetricsTables| asked.contains(&metrics) || asked.contains(&MetricsTables::All);
    let mut parts = Vec::new();
    if wanted(MetricsTables::Response) {
        parts.push(printer.response(&shown));
    }
    if wanted(MetricsTables::Groups) {
        parts.push(printer.groups());
    }
    if wanted(MetricsTables::Fairness) {
        parts.push(printer.fairness());
    }
    if wanted(MetricsTables::Users) {
        parts.push(printer.users(&shown));
    }
    if wanted(MetricsTables::Cores) {
        parts.push(printer.cores());
    }
    if asks_for_waiting(asked) {
        parts.push(printer.waiting(&shown, &waits));
    }
    // What only some scenarios have goes along with the response times.
    let along = |metrics: MetricsTables| wanted(metrics) || asked.contains(&MetricsTables::Response);
    if along(MetricsTables::Deadlines) {
        parts.extend(printer.deadlines());
    }
    if along(MetricsTables::Queues) {
        parts.extend(printer.queues(&shown));
    }
    let by_user =
        [MetricsTables::Response, MetricsTables::Users, MetricsTables::Queues, MetricsTables::Waiting]
            .into_iter()
            .any(wanted);
    parts.push(legend(scenario, &runs, by_user.then_some(shown.len()), emphasis));
    parts.join("\n")
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
fn legend(
    scenario: &Scenario,
    runs: &[&Evaluation],
    users_shown: Option<usize>,
    emphasis: Emphasis,
) -> String {
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
