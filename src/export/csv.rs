//! Figures as comma-separated values (RFC 4180, lines ending in a line feed).

use super::figures::{Figures, Measured, job_figures};
use crate::scenario::Scenario;

/// A heading and a line per simulation: what `fairlane compare --format csv` prints. One column per
/// user, `mean_response_s[NAME]`, empty for a user without jobs.
pub fn policies<'a>(scenario: &Scenario, runs: impl IntoIterator<Item = Measured<'a>>) -> String {
    let mut text = line(&Figures::heading(scenario));
    for run in runs {
        text += &line(&Figures::new(scenario, run).record());
    }
    text
}

/// A heading and a line per policy and job, with the figures of `fairlane simulate --format json`.
/// The slowdown is empty where there is none.
pub fn jobs<'a>(scenario: &'a Scenario, runs: impl IntoIterator<Item = Measured<'a>>) -> String {
    let heading =
        ["policy", "job", "user", "name", "arrival_s", "finish_s", "response_s", "alone_s", "slowdown"];
    let mut text = line(&heading);
    for run in runs {
        let policy = run.trace.policy.to_string();
        for job in job_figures(scenario, run) {
            text += &line(&[
                policy.clone(),
                job.job.to_string(),
                job.user.to_owned(),
                job.name.to_owned(),
                job.arrival_s.to_string(),
                job.finish_s.to_string(),
                job.response_s.to_string(),
                job.alone_s.to_string(),
                job.slowdown.map_or_else(String::new, |slowdown| slowdown.to_string()),
            ]);
        }
    }
    text
}

/// One line; fields that hold a comma, a quotation mark or a line end are quoted.
pub(crate) fn line(fields: &[impl AsRef<str>]) -> String {
    let quoted = |field: &str| match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    };
    let fields: Vec<String> = fields.iter().map(|field| quoted(field.as_ref())).collect();
    fields.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Summary, alone_responses};

    /// The scenario's runs under two policies as a table.
    fn table(made: impl Fn(&Scenario, Vec<Measured>) -> String) -> String {
        let text = r#"{"format":"fairlane/scenario@1","cluster":{"cores_per_executor":1},
            "users":[{"name":"a, \"b\""},{"name":"idle"}],"jobs":[
            {"user":"a, \"b\"","name":"one\ntwo","arrival_s":0,"stages":[{"tasks_s":[1.5]}]},
            {"user":"c","arrival_s":0.5,"stages":[{"tasks_s":[0]}]}]}"#;
        let scenario = Scenario::from_json(text).expect("a good scenario");
        let policy = "fifo".parse().expect("a policy");
        let trace = crate::simulate(&scenario, policy);
        let alone = alone_responses(&scenario, policy);
        let summary = Summary::new(&scenario, &trace, &alone);
        let run = Measured { trace: &trace, alone: &alone, summary: &summary };
        made(&scenario, vec![run, run])
    }

    #[test]
    fn a_line_per_policy() {
        let table = table(|scenario, runs| policies(scenario, runs));
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[0],
            "policy,trace_hash,mean_response_s,worst_10_percent_response_s,mean_slowdown,makespan_s,\
             \"mean_response_s[a, \"\"b\"\"]\",mean_response_s[idle],mean_response_s[c]"
        );
        assert_eq!(lines.len(), 3);
        assert!(
            lines[1].starts_with("fifo,") && lines[1].ends_with(",1.25,1.5,1,1.5,1.5,,1"),
            "{}",
            lines[1]
        );
    }

    #[test]
    fn a_line_per_job() {
        let table = table(|scenario, runs| jobs(scenario, runs));
        let one = "fifo,0,\"a, \"\"b\"\"\",\"one\ntwo\",0,1.5,1.5,1.5,1\nfifo,1,c,,0.5,1.5,1,0,\n";
        let heading = "policy,job,user,name,arrival_s,finish_s,response_s,alone_s,slowdown\n";
        assert_eq!(table, format!("{heading}{one}{one}"));
    }
}
