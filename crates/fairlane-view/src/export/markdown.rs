//! Figures as a table in Markdown, for a wiki, a ticket or a chat.
//!
//! ```
//! use fairlane::compare;
//! use fairlane_view::export;
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let comparison = compare(&scenario, ["fair".parse()?, "uwfq".parse()?]);
//! let table = export::markdown::users(&comparison.evaluations);
//! assert!(table.starts_with("| mean response, s | Fair | UWFQ |\n"));
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

use fairlane::metrics::Evaluation;
use fairlane::number;

/// The rows below those of users.
const ALL: &str = "**all jobs**";
const P95: &str = "**95th percentile**";
const WASTED: &str = "**wasted, core-s**";

/// A column per simulation; a row per user with the mean response time in seconds, then that of all jobs and their 95th
/// percentile, and the core time that was wasted under a policy if any was. A dash stands where there is no figure.
///
/// The runs are of one scenario; without any there is nothing to write.
pub fn users<'a>(runs: impl IntoIterator<Item = &'a Evaluation>) -> String {
    let runs: Vec<&Evaluation> = runs.into_iter().collect();
    let Some(first) = runs.first() else { return String::new() };
    let row = |name: &str, figure: &dyn Fn(&Evaluation) -> Option<f64>| {
        let figures = runs.iter().map(|run| figure(run).map_or_else(|| "–".to_owned(), number::three_digits));
        line(std::iter::once(name.to_owned()).chain(figures))
    };
    let titles = runs.iter().map(|run| cell(&run.trace.policy.title()));
    let mut text = line(std::iter::once("mean response, s".to_owned()).chain(titles));
    text += &line(std::iter::once("---".to_owned()).chain(runs.iter().map(|_| "---:".to_owned())));
    for (user, named) in first.scenario.users().iter().enumerate() {
        text += &row(&cell(&named.name), &|run| run.summary.by_user.get(user).copied().flatten());
    }
    text += &row(ALL, &|run| run.summary.mean_response);
    text += &row(P95, &|run| run.summary.percentiles.map(|percentiles| percentiles.p95));
    let wasted = |run: &Evaluation| run.summary.special.attempts.map(|costs| costs.wasted.seconds());
    if runs.iter().any(|run| wasted(run).is_some_and(|wasted| wasted > 0.0)) {
        text += &row(WASTED, &wasted);
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A name as the text of a cell: nothing in it ends the cell or is markup.
fn cell(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '|' | '\\' | '`' | '[' | ']' | '_' | '*' => text.extend(['\\', c]),
            '<' => text.push_str("&lt;"),
            '&' => text.push_str("&amp;"),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::compare;
    use fairlane::scenario::Scenario;

    #[test]
    fn a_name_stays_within_its_cell() {
        let scenario = Scenario::from_json(
            r#"{"format":"fairlane/scenario@1","cluster":{"cores_per_executor":1},"users":[{"name":"idle"}],"jobs":[
            {"user":"a|b\n<i>_c_","arrival_s":0,"stages":[{"tasks_s":[1.5]}]},
            {"user":"b","arrival_s":0,"stages":[{"tasks_s":[2]}]}]}"#,
        );
        let scenario = scenario.expect("a good scenario");
        let comparison = compare(&scenario, ["fifo", "ujf"].map(|policy| policy.parse().expect("a policy")));
        let table = users(&comparison.evaluations);
        assert_eq!(
            table,
            "| mean response, s | FIFO | UJF |\n| --- | ---: | ---: |\n| idle | – | – |\n\
             | a\\|b &lt;i>\\_c\\_ | 1.50 | 1.50 |\n| b | 3.50 | 3.50 |\n| **all jobs** | 2.50 | 2.50 |\n\
             | **95th percentile** | 3.50 | 3.50 |\n"
        );
        assert_eq!(users([]), "");
    }

    /// Two executors of a core; the second is lost at 1 s with what it has done of ana's second task.
    #[test]
    fn what_was_wasted_has_a_row() {
        let scenario = Scenario::from_json(
            r#"{"format":"fairlane/scenario@1","cluster":{"executors":2,"cores_per_executor":1,
            "losses":[{"executor":1,"at_s":1}]},"jobs":[
            {"user":"ana","arrival_s":0,"stages":[{"tasks_s":[2,2]}]}]}"#,
        );
        let comparison = compare(&scenario.expect("a good scenario"), ["fifo".parse().expect("a policy")]);
        let table = users(&comparison.evaluations);
        assert!(
            table.ends_with("| **95th percentile** | 4.00 |\n| **wasted, core-s** | 1.00 |\n"),
            "{table}"
        );
    }
}
