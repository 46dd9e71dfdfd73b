//! Response times by job group: `--by group` of `simulate` and `compare`.

use serde::Serialize;

use super::CliError;
use super::args::{CompareFormat, SimulateFormat};
use super::output::{self, Printed};
use super::progress::DelayedProgressBar;
use super::table::{self, CellAlign};
use fairlane::metrics::{self, Deviation, JobGroup, ReferenceSchedule};
use fairlane::number::counted;
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::Scenario;
use fairlane::trace::{JobRun, Trace};
use fairlane::units::Span;
use fairlane_view::export::{csv, trace_hash};

/// Jobs dealt with by group.
#[derive(Serialize)]
struct JobGroupFigures<'a> {
    user: &'a str,
    /// The name of the group, or of its only job.
    name: String,
    /// Indices in the file.
    jobs: Vec<u32>,
    arrival_s: f64,
    finish_s: Option<f64>,
    response_s: Option<f64>,
}

/// The schedule of a policy, a row per job group.
pub(super) fn simulated(scenario: &Scenario, trace: &Trace, format: SimulateFormat) -> Printed {
    #[derive(Serialize)]
    struct SimulatedGroupsJson<'a> {
        format: &'static str,
        scenario: &'a str,
        policy: String,
        trace_hash: String,
        job_groups: Vec<JobGroupFigures<'a>>,
    }
    let groups = metrics::job_groups(scenario);
    let runs = metrics::by_job_group(&groups, &trace.jobs);
    let shown: Vec<JobGroupFigures> =
        groups.iter().zip(&runs).map(|(group, run)| shown(scenario, group, run)).collect();
    match format {
        SimulateFormat::Json => output::json(&SimulatedGroupsJson {
            format: "fairlane/simulation-by-group@1",
            scenario: scenario.name(),
            policy: trace.policy.to_string(),
            trace_hash: trace_hash(trace),
            job_groups: shown,
        }),
        SimulateFormat::Table => {
            let mean =
                metrics::mean_response(&runs).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"));
            let count = counted(groups.len(), "job group");
            let title = trace.policy.title();
            Printed::Text(format!("{}\n{title}: {count}; mean response {mean} s\n", rows(&shown)))
        }
    }
}

fn shown<'a>(scenario: &'a Scenario, group: &JobGroup, run: &JobRun) -> JobGroupFigures<'a> {
    let first = group.jobs[0];
    let name = match scenario.jobs()[first.index()].group.as_str() {
        "" => scenario.job_label(first),
        name => name.to_owned(),
    };
    JobGroupFigures {
        user: scenario.user_name(first),
        name,
        jobs: group.jobs.iter().map(|job| job.0).collect(),
        arrival_s: run.arrival.seconds(),
        finish_s: run.finish().map(|finish| finish.seconds()),
        response_s: run.response().map(Span::seconds),
    }
}

fn rows(groups: &[JobGroupFigures]) -> String {
    let heading = [
        ("user", CellAlign::Left),
        ("job group", CellAlign::Left),
        ("jobs", CellAlign::Right),
        ("arrival s", CellAlign::Right),
        ("finish s", CellAlign::Right),
        ("response s", CellAlign::Right),
    ];
    let rows = groups.iter().map(|group| {
        vec![
            table::name(group.user),
            table::name(&group.name),
            group.jobs.len().to_string(),
            format!("{:.3}", group.arrival_s),
            seconds(group.finish_s, 3),
            seconds(group.response_s, 3),
        ]
    });
    table::layout(heading.map(|(title, align)| (title.to_owned(), align)).into(), rows)
}

fn seconds(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// A policy's figures over job groups.
#[derive(Serialize)]
struct PolicyGroupFigures {
    policy: String,
    trace_hash: String,
    mean_response_s: Option<f64>,
    worst_10_percent_response_s: Option<f64>,
    mean_response_s_0_80: Option<f64>,
    mean_response_s_80_95: Option<f64>,
    mean_response_s_95_100: Option<f64>,
    dvr: Option<f64>,
    violations: Option<usize>,
    dsr: Option<f64>,
    slacks: Option<usize>,
    makespan_s: Option<f64>,
}

impl PolicyGroupFigures {
    /// `ujf`: the groups under UJF, which delays are against; `None` for UJF itself.
    fn new(trace: &Trace, groups: &[JobGroup], ujf: Option<&[JobRun]>) -> PolicyGroupFigures {
        let runs = metrics::by_job_group(groups, &trace.jobs);
        let responses = runs.iter().map(|run| run.response().map(Span::seconds));
        let [quickest, middle, slowest] = metrics::group_means(&metrics::groups(&runs), responses);
        let against_ujf = ujf.map(|ujf| {
            Deviation::from_delays(metrics::relative_delays(&runs, &ReferenceSchedule::from_jobs(ujf)))
        });
        PolicyGroupFigures {
            policy: trace.policy.to_string(),
            trace_hash: trace_hash(trace),
            mean_response_s: metrics::mean_response(&runs),
            worst_10_percent_response_s: metrics::worst_decile_mean(&runs),
            mean_response_s_0_80: quickest,
            mean_response_s_80_95: middle,
            mean_response_s_95_100: slowest,
            dvr: against_ujf.and_then(|ujf| ujf.dvr),
            violations: against_ujf.map(|ujf| ujf.violations),
            dsr: against_ujf.and_then(|ujf| ujf.dsr),
            slacks: against_ujf.map(|ujf| ujf.slacks),
            makespan_s: metrics::makespan(trace).map(Span::seconds),
        }
    }

    /// The columns after the policy.
    const COLUMNS: [(&'static str, &'static str); 10] = [
        ("mean s", "mean_response_s"),
        ("worst 10 % s", "worst_10_percent_response_s"),
        ("0-80 % s", "mean_response_s_0_80"),
        ("80-95 % s", "mean_response_s_80_95"),
        ("95-100 % s", "mean_response_s_95_100"),
        ("DVR", "dvr"),
        ("violations", "violations"),
        ("DSR", "dsr"),
        ("slacks", "slacks"),
        ("makespan s", "makespan_s"),
    ];

    /// The figures of [`PolicyGroupFigures::COLUMNS`].
    fn figures(&self) -> impl Iterator<Item = Option<f64>> {
        let json = serde_json::to_value(self).expect("a row has only keys that are text");
        PolicyGroupFigures::COLUMNS.into_iter().map(move |(_, key)| json[key].as_f64())
    }
}

/// A row per policy over job groups.
pub(super) fn compared(
    scenario: &Scenario,
    policies: &[PolicyId],
    progress: &DelayedProgressBar,
    format: CompareFormat,
) -> Result<Printed, CliError> {
    #[derive(Serialize)]
    struct ComparedGroupsJson<'a> {
        format: &'static str,
        scenario: &'a str,
        cores: u32,
        jobs: usize,
        job_groups: usize,
        policies: Vec<PolicyGroupFigures>,
    }
    let groups = metrics::job_groups(scenario);
    let mut references: Vec<(PolicyId, Vec<JobRun>)> = Vec::new();
    let mut row = |&policy: &PolicyId| {
        let trace = progress.simulate(scenario, policy)?;
        let ujf = PolicyId { kind: PolicyKind::Ujf, partitioning: policy.partitioning };
        if references.iter().all(|(known, _)| *known != ujf) {
            let jobs =
                if policy == ujf { trace.jobs.clone() } else { progress.simulate(scenario, ujf)?.jobs };
            references.push((ujf, metrics::by_job_group(&groups, &jobs)));
        }
        let reference = references.iter().find(|(known, _)| *known == ujf && policy != ujf);
        Ok(PolicyGroupFigures::new(&trace, &groups, reference.map(|(_, runs)| runs.as_slice())))
    };
    let rows: Vec<PolicyGroupFigures> = policies.iter().map(&mut row).collect::<Result<_, CliError>>()?;
    Ok(match format {
        CompareFormat::Json => output::json(&ComparedGroupsJson {
            format: "fairlane/comparison-by-group@1",
            scenario: scenario.name(),
            cores: scenario.cluster().cores(),
            jobs: scenario.jobs().len(),
            job_groups: groups.len(),
            policies: rows,
        }),
        CompareFormat::Csv => {
            let names =
                ["policy", "trace_hash"].into_iter().chain(PolicyGroupFigures::COLUMNS.map(|(_, name)| name));
            let heading: Vec<String> = names.map(str::to_owned).collect();
            let record = |row: &PolicyGroupFigures| {
                let figures =
                    row.figures().map(|figure| figure.map_or_else(String::new, |figure| figure.to_string()));
                let fields: Vec<String> =
                    [row.policy.clone(), row.trace_hash.clone()].into_iter().chain(figures).collect();
                csv::line(&fields)
            };
            Printed::Data(csv::line(&heading) + &rows.iter().map(record).collect::<String>())
        }
        CompareFormat::Table => Printed::Text(table(scenario, groups.len(), &rows)),
    })
}

fn table(scenario: &Scenario, groups: usize, rows: &[PolicyGroupFigures]) -> String {
    let mut heading = vec![("policy".to_owned(), CellAlign::Left)];
    heading.extend(PolicyGroupFigures::COLUMNS.map(|(title, _)| (title.to_owned(), CellAlign::Right)));
    let cells = rows.iter().map(|row| {
        let figures = PolicyGroupFigures::COLUMNS.iter().zip(row.figures()).map(|((title, _), figure)| {
            let decimals = if matches!(*title, "violations" | "slacks") { 0 } else { 2 };
            seconds(figure, decimals)
        });
        [row.policy.clone()].into_iter().chain(figures).collect()
    });
    format!(
        "{}\n{} of {} in {} on {}. A group responds from its first arrival to its last finish.\n\
         Delays are against UJF with the same partitioning.\n",
        table::layout(heading, cells),
        counted(scenario.jobs().len(), "job"),
        counted(scenario.users().len(), "user"),
        counted(groups, "job group"),
        counted(scenario.cluster().cores() as usize, "core"),
    )
}
