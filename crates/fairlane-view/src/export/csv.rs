//! Figures as comma-separated values (RFC 4180, lines ending in a line feed).
//!
//! ```
//! use fairlane::compare;
//! use fairlane_view::export;
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let comparison = compare(&scenario, ["fair".parse()?, "uwfq".parse()?]);
//! let rows = export::csv::policies(&comparison.evaluations);
//! assert_eq!(rows.lines().count(), 3);
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

use super::figures::{Figures, field, job_figures, may_end_early};
use fairlane::metrics::Evaluation;
use fairlane::policy::PolicyId;

/// A heading and a line per simulation: what `fairlane compare --format csv` prints. Figures by user have
/// a column per user, such as `mean_response_s[NAME]`; a field is empty where there is no figure.
///
/// The runs are of one scenario; without any there is nothing to write.
pub fn policies<'a>(runs: impl IntoIterator<Item = &'a Evaluation>) -> String {
    let runs: Vec<&Evaluation> = runs.into_iter().collect();
    let policies: Vec<PolicyId> = runs.iter().map(|run| run.trace.policy).collect();
    let Some(first) = runs.first() else { return String::new() };
    let heading = Figures::heading(&first.scenario, &policies);
    let record = |run| line(&Figures::new(run).record(&heading));
    std::iter::once(line(&heading.names)).chain(runs.into_iter().map(record)).collect()
}

/// A heading and a line per policy and job, with the figures of `fairlane simulate --format json`.
/// A field is empty where there is no figure.
pub fn jobs<'a>(runs: impl IntoIterator<Item = &'a Evaluation>) -> String {
    let runs: Vec<&Evaluation> = runs.into_iter().collect();
    let policies: Vec<PolicyId> = runs.iter().map(|run| run.trace.policy).collect();
    let names = if may_end_early(&policies) { &JOB[..] } else { &JOB[..JOB.len() - ENDED_EARLY] };
    let mut text = line(&["policy"].iter().chain(names).collect::<Vec<_>>());
    for run in runs {
        let policy = run.trace.policy.to_string();
        for job in job_figures(run) {
            let json = serde_json::to_value(&job).expect("figures have only keys that are text");
            let fields = names.iter().map(|name| match (*name, json.get(name)) {
                ("outcome", None) => "finished".to_owned(),
                (_, value) => field(value),
            });
            text += &line(&std::iter::once(policy.clone()).chain(fields).collect::<Vec<_>>());
        }
    }
    text
}

/// The columns of [`jobs`] after the policy: keys of [`JobFigures`](super::JobFigures).
const JOB: [&str; 17] = [
    "job",
    "user",
    "name",
    "arrival_s",
    "finish_s",
    "response_s",
    "alone_s",
    "slowdown",
    "group",
    "finish_ujf_s",
    "r_ujf",
    "finish_fluid_s",
    "r_fluid",
    "inversion_s",
    "straggler_idle_core_s",
    "outcome",
    "ended_s",
];

/// How many of them there are only if jobs need not finish under all of the policies.
const ENDED_EARLY: usize = 2;

/// One line, ending in a line feed.
pub fn line(fields: &[impl AsRef<str>]) -> String {
    record(fields) + "\n"
}

/// One line without its end; fields that contain a comma, a quotation mark or a line end are quoted. A field that a
/// spreadsheet would take for a formula is quoted and begins with an apostrophe, by which it is text there.
pub(crate) fn record(fields: &[impl AsRef<str>]) -> String {
    let quoted = |field: &str| match (is_formula(field), field.contains([',', '"', '\n', '\r'])) {
        (true, _) => format!("\"'{}\"", field.replace('"', "\"\"")),
        (false, true) => format!("\"{}\"", field.replace('"', "\"\"")),
        (false, false) => field.to_owned(),
    };
    let fields: Vec<String> = fields.iter().map(|field| quoted(field.as_ref())).collect();
    fields.join(",")
}

/// Whether a spreadsheet would compute a field (OWASP, *CSV Injection*). A number is none, whatever its sign.
fn is_formula(field: &str) -> bool {
    let number = field.strip_suffix('%').unwrap_or(field).trim_end();
    field.starts_with(['=', '+', '-', '@', '\t', '\r']) && number.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::engine::Control;
    use fairlane::metrics::{Baselines, EvaluationDetail, evaluate};
    use fairlane::scenario::Scenario;

    /// The scenario's runs under two policies as a table.
    fn table(made: impl Fn(Vec<&Evaluation>) -> String) -> String {
        let text = r#"{"format":"fairlane/scenario@1","cluster":{"cores_per_executor":1},
            "users":[{"name":"a, \"b\""},{"name":"idle"}],"jobs":[
            {"user":"a, \"b\"","name":"one\ntwo","arrival_s":0,"stages":[{"tasks_s":[1.5]}]},
            {"user":"c","arrival_s":0.5,"stages":[{"tasks_s":[0]}]}]}"#;
        let scenario = Scenario::from_json(text).expect("a good scenario");
        let policy = "fifo".parse().expect("a policy");
        let mut baselines = Baselines::new(1);
        let evaluation =
            evaluate(&scenario, policy, EvaluationDetail::Full, &mut baselines, &mut |_| Control::Continue);
        let mut evaluation = evaluation.expect("nobody asks to stop");
        // As under a policy without precedences.
        evaluation.summary.blocking.as_mut().expect("it was asked for").inversion = None;
        let run = &evaluation;
        made(vec![run, run])
    }

    /// One core; the second job waits from 0.5 to 1.5 s and takes no time itself, so that it has no
    /// ratios. Under UJF and the ideal all is the same but that the ideal lets it finish as it arrives.
    #[test]
    fn a_line_per_policy() {
        let table = table(|runs| policies(runs));
        let lines: Vec<&str> = table.lines().collect();
        let first = "policy,trace_hash,mean_response_s,worst_10_percent_response_s,p50_response_s,\
             p95_response_s,p99_response_s,mean_slowdown,makespan_s,\
             \"mean_response_s[a, \"\"b\"\"]\",mean_response_s[idle],mean_response_s[c],worst_10_percent_slowdown,";
        assert!(lines[0].starts_with(first), "{}", lines[0]);
        assert_eq!(lines.len(), 3);
        let fields = |line: &str| line.replace("\"\"", "").split(',').count();
        // The comma in the name of the first user is in every heading of that user.
        let of_user = lines[0].matches("[a, ").count();
        assert_eq!(fields(lines[1]), fields(lines[0]) - of_user);
        let figures: Vec<&str> = lines[1].split(',').skip(2).collect();
        assert_eq!(figures[..10], ["1.25", "1.5", "1", "1.5", "1.5", "1", "1.5", "1.5", "", "1"]);
        // Slowdown, utilization, Jain; then DVR, violations, DSR, slacks and those without a ratio.
        assert_eq!(figures[10..18], ["1", "1", "1", "", "0", "0", "2", "0"]);
        assert_eq!(figures[18..23], ["", "0", "0", "1", "1"]);
        // The second job is 1 s behind the ideal; allowed are 1.5 s and twice that.
        assert_eq!(figures[23..28], ["1", "1", "4.5", "", "0"]);
    }

    #[test]
    fn a_line_per_job() {
        let table = table(|runs| jobs(runs));
        let one = "fifo,0,\"a, \"\"b\"\"\",\"one\ntwo\",0,1.5,1.5,1.5,1,95-100 %,1.5,0,1.5,0,,0\n\
            fifo,1,c,,0.5,1.5,1,0,,0-80 %,1.5,0,0.5,,,0\n";
        let heading = "policy,job,user,name,arrival_s,finish_s,response_s,alone_s,slowdown,\
            group,finish_ujf_s,r_ujf,finish_fluid_s,r_fluid,inversion_s,straggler_idle_core_s\n";
        assert_eq!(table, format!("{heading}{one}{one}"));
    }

    #[test]
    fn what_a_spreadsheet_would_compute_is_text() {
        let cells = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "=\"a\"", "-", "a=b"];
        assert_eq!(
            record(&cells),
            "\"'=1+1\",\"'+cmd|' /C calc'!A0\",\"'-2+3\",\"'@SUM(A1)\",\"'\t=1\",\"'\r=1\",\"'=\"\"a\"\"\",\"'-\",a=b"
        );
        assert_eq!(record(&["-1.5", "+2", "-1e-3", "-0", "-50 %"]), "-1.5,+2,-1e-3,-0,-50 %");
    }
}
