//! Who waited for whom: a table of users and policies, then a matrix of users and users for each policy.

use crate::table::{self, CellAlign};
use fairlane::ids::UserId;
use fairlane::metrics::{Evaluation, Holder, Waiter, Waiting, waiting};
use fairlane::number::counted;
use fairlane::scenario::{Scenario, User};
use fairlane::units::Span;
use fairlane_view::export::columns::FigureColumn;
use fairlane_view::export::{Better, Format, TableFormat};

/// Most rows and columns of a matrix.
const MAX_ROWS: usize = 8;

/// The waiting of each run.
pub(super) fn of_runs(runs: &[Evaluation]) -> Vec<Waiting> {
    runs.iter().map(|run| waiting(&run.scenario, &run.trace)).collect()
}

/// What all users were short of, and each of some users.
pub(super) fn columns(names: &[User], runs: &[Waiting], users: &[usize]) -> Vec<FigureColumn> {
    let shown = TableFormat { heading: "", unit: "core-s", better: Better::Less, format: Format::Hundredths };
    let column = |name: &str, figures: Vec<f64>| {
        FigureColumn::new(shown, "", figures.into_iter().map(Some).collect()).named(name)
    };
    let all = column("all", runs.iter().map(Waiting::core_seconds).collect());
    let of_user = |&user: &usize| {
        let id = UserId(user as u32);
        let name = &names[user].name;
        column(name, runs.iter().map(|run| run.core_seconds_of(id)).collect())
    };
    std::iter::once(all).chain(users.iter().map(of_user)).collect()
}

/// A schedule's matrix; a sentence if nobody was ever short.
pub(super) fn matrix(Evaluation { scenario, trace, .. }: &Evaluation, waiting: &Waiting) -> String {
    let policy = trace.policy;
    let driver = driver(scenario, waiting);
    if waiting.rows.is_empty() {
        return format!("Under {policy} nobody waited for another user.\n{driver}");
    }
    let name = |holder: &Holder| match holder {
        Holder::User(user) => table::name(&scenario.users()[user.index()].name),
        Holder::Idle => "(idle)".to_owned(),
    };
    let shown = &waiting.holders[..waiting.holders.len().min(MAX_ROWS)];
    let others = waiting.holders.len() > shown.len();
    let mut heading =
        vec![("who waited".to_owned(), CellAlign::Left), ("core-s".to_owned(), CellAlign::Right)];
    heading.extend(shown.iter().map(|holder| (name(holder), CellAlign::Right)));
    heading.extend(others.then(|| ("others".to_owned(), CellAlign::Right)));
    heading.push(("longest".to_owned(), CellAlign::Right));
    let row = |row: &Waiter| {
        let figure = |core_s: f64| if core_s == 0.0 { "-".to_owned() } else { format!("{core_s:.2}") };
        let cell = |holder: &Holder| row.wait_for(*holder).map_or(0.0, |wait| wait.core_seconds());
        let mut cells = vec![name(&Holder::User(row.user)), figure(row.core_seconds())];
        cells.extend(shown.iter().map(|holder| figure(cell(holder))));
        let rest = || waiting.holders[shown.len()..].iter().map(cell).sum();
        cells.extend(others.then(|| figure(rest())));
        cells.push(format!("{:.2} - {:.2} s", row.longest.from.seconds(), row.longest.to.seconds()));
        cells
    };
    let more = match waiting.rows.len().saturating_sub(MAX_ROWS) {
        0 => String::new(),
        more => format!("and {} more; --format json has all of them\n", counted(more, "user")),
    };
    format!(
        "Who waited for whom under {policy}\n{}{more}{driver}",
        table::layout(heading, waiting.rows.iter().take(MAX_ROWS).map(row))
    )
}

/// Who waited for the driver alone, in a line; nothing if nobody did.
fn driver(scenario: &Scenario, waiting: &Waiting) -> String {
    let of_user = |&(user, span): &(UserId, Span)| {
        format!("{} {:.2} s", table::name(&scenario.users()[user.index()].name), span.seconds())
    };
    let users: Vec<String> = waiting.driver.iter().take(MAX_ROWS).map(of_user).collect();
    if users.is_empty() { String::new() } else { format!("for the driver alone: {}\n", users.join(", ")) }
}
