//! The report as data: what `fairlane report --format json` prints and the page shows.
//!
//! ```
//! use fairlane_study::fidelity::{figures::FidelityFigures, published, recorded};
//! let recorded = recorded::compare(&[], &[])?;
//! let figures = FidelityFigures::new(&published::table_1(), &[], &recorded, &[], false);
//! assert!(figures.recorded.runs.is_empty());
//! # Ok::<(), recorded::RecordingError>(())
//! ```

use serde::{Deserialize, Serialize};

use super::papers::{self, Finding, Paper};
use super::published::{self, MicroComparison, PublishedMicro};
use super::recorded::{FidelityComparison, RunComparison};
use super::table_2::{Table2Row, Times};

/// The tag of this form.
const FORMAT: &str = "fairlane/fidelity@1";

/// All figures of the report.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FidelityFigures {
    format: String,
    /// The paper's Table 1.
    pub table_1: Table1,
    /// The paper's Table 2.
    pub table_2: Vec<MacroFigures>,
    /// Schedules recorded from real Spark.
    pub recorded: RecordedFigures,
    /// Results of other papers.
    pub papers: Vec<PaperFigures>,
}

/// The results of a paper.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PaperFigures {
    /// Its name.
    pub paper: String,
    /// What was calibrated, what is not public, and why figures differ.
    pub remark: String,
    /// Its figures.
    pub findings: Vec<FindingFigures>,
}

/// A published figure and its simulation.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FindingFigures {
    /// Where it is in the paper.
    pub figure: String,
    /// What it is.
    pub quantity: String,
    /// The scenario's name in the catalog.
    pub scenario: String,
    /// As it was published; a dash if the paper gives no number.
    pub published: String,
    /// Here, with its unit.
    pub simulated: String,
    /// The numbers in it.
    pub values: Vec<f64>,
}

/// The paper's Table 1.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Table1 {
    /// Mean over the rows of the errors of the mean response times, a ratio without sign.
    pub mean_error: f64,
    /// Its rows.
    pub rows: Vec<MicroRowFigures>,
}

/// A row of Table 1.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct MicroRowFigures {
    /// The scenario's name in the catalog.
    pub scenario: String,
    /// The policy's name on the command line.
    pub policy: String,
    /// Error of the mean response time, relative to the measured one.
    pub error: f64,
    /// On real Spark.
    pub measured: MicroFigures,
    /// Here.
    pub simulated: MicroFigures,
}

/// Figures of a micro-benchmark.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct MicroFigures {
    /// Mean response time.
    pub mean_response_s: f64,
    /// Mean of the worst tenth of response times.
    pub worst_10_percent_s: f64,
    /// Mean response time of user1 to user4.
    pub users_mean_response_s: [f64; 4],
    /// When the last job finished.
    pub last_finish_s: f64,
}

/// A row of Table 2.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct MacroFigures {
    /// The policy's name on the command line.
    pub policy: String,
    /// On real Spark, averages over three runs, as the paper prints them.
    pub published: MacroTimes,
    /// The same without outlier runs.
    pub measured: MacroTimes,
    /// Over how many runs that is.
    pub regular_runs: usize,
    /// Here, counted as the authors counted.
    pub simulated: MacroTimes,
    /// Here, with each job group counted once.
    pub simulated_once: MacroTimes,
}

/// Figures of the macro-benchmark, to the millisecond.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct MacroTimes {
    /// Mean response time of job groups.
    pub mean_response_s: f64,
    /// The same of the ranks 0-80 %, 80-95 % and 95-100 %.
    pub ranks_mean_response_s: [f64; 3],
    /// The end of the last task.
    pub makespan_s: f64,
}

/// All recorded runs.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RecordedFigures {
    /// Mean over all runs of their errors, a ratio.
    pub error: f64,
    /// The same over the runs that have a second one.
    pub paired_error: Option<f64>,
    /// Mean difference of a second run from these.
    pub between_runs: Option<f64>,
    /// Every run.
    pub runs: Vec<RunFigures>,
}

/// A recorded run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RunFigures {
    /// The workload.
    pub workload: String,
    /// The policy's name on the command line.
    pub policy: String,
    /// Which run.
    pub run: String,
    /// Mean response time on real Spark.
    pub spark_mean_response_s: f64,
    /// Mean response time here.
    pub simulated_mean_response_s: f64,
    /// Its error, relative to real Spark.
    pub mean_error: f64,
    /// Mean over the jobs of the response times' errors, a ratio without sign.
    pub error: f64,
    /// Mean over the jobs of the other run's difference, a ratio without sign.
    pub between_runs: Option<f64>,
    /// Every job, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<FidelityJob>,
}

/// A job of a recorded run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FidelityJob {
    /// Its name.
    pub job: String,
    /// Its user.
    pub user: String,
    /// Response time on real Spark.
    pub spark_s: f64,
    /// Response time here.
    pub simulated_s: f64,
    /// Its error, a ratio without sign.
    pub error: f64,
    /// The other run's difference, a ratio without sign.
    pub between_runs: Option<f64>,
}

impl FidelityFigures {
    /// The figures of all comparisons, optionally with every job of every recorded run.
    pub fn new(
        table_1: &[MicroComparison],
        table_2: &[Table2Row],
        recorded: &FidelityComparison,
        papers: &[(Paper, Vec<Finding>)],
        jobs: bool,
    ) -> FidelityFigures {
        let paired = recorded.paired();
        FidelityFigures {
            format: FORMAT.to_owned(),
            table_1: Table1 {
                mean_error: published::mean_error(table_1),
                rows: table_1.iter().map(micro_row).collect(),
            },
            table_2: table_2.iter().map(macro_row).collect(),
            recorded: RecordedFigures {
                error: recorded.error(),
                paired_error: paired.map(|(error, _)| error),
                between_runs: paired.map(|(_, between)| between),
                runs: recorded.runs.iter().map(|run| run_figures(run, jobs)).collect(),
            },
            papers: papers.iter().map(|(paper, findings)| paper_figures(*paper, findings)).collect(),
        }
    }
}

fn paper_figures(paper: Paper, findings: &[Finding]) -> PaperFigures {
    let figures = |finding: &Finding| FindingFigures {
        figure: finding.figure.to_owned(),
        quantity: finding.quantity.clone(),
        scenario: finding.scenario.to_owned(),
        published: finding.published.to_owned(),
        simulated: finding.simulated.clone(),
        values: finding.values.clone(),
    };
    PaperFigures {
        paper: papers::reproduction(paper).title.to_owned(),
        remark: papers::reproduction(paper).remark.to_owned(),
        findings: findings.iter().map(figures).collect(),
    }
}

fn micro_row(row: &MicroComparison) -> MicroRowFigures {
    let figures = |of: &PublishedMicro| MicroFigures {
        mean_response_s: of.mean,
        worst_10_percent_s: of.worst_decile,
        users_mean_response_s: of.users,
        last_finish_s: of.last_finish,
    };
    MicroRowFigures {
        scenario: row.row.scenario.to_owned(),
        policy: row.row.policy.info().id.to_owned(),
        error: row.mean_error(),
        measured: figures(&row.row.measured),
        simulated: figures(&row.simulated),
    }
}

fn macro_row(row: &Table2Row) -> MacroFigures {
    let millis = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
    let times = |times: &Times| MacroTimes {
        mean_response_s: millis(times.mean),
        ranks_mean_response_s: times.ranks.map(millis),
        makespan_s: millis(times.makespan),
    };
    MacroFigures {
        policy: row.policy.to_string(),
        published: times(&row.published),
        measured: times(&row.measured),
        regular_runs: row.regular_runs,
        simulated: times(&row.simulated),
        simulated_once: times(&row.once),
    }
}

fn run_figures(run: &RunComparison, jobs: bool) -> RunFigures {
    let all = run.jobs.iter().map(|job| FidelityJob {
        job: job.job.clone(),
        user: job.user.clone(),
        spark_s: job.spark,
        simulated_s: job.simulated,
        error: job.error(),
        between_runs: job.between_runs(),
    });
    RunFigures {
        workload: run.workload.clone(),
        policy: run.policy.to_string(),
        run: run.run.clone(),
        spark_mean_response_s: run.spark_mean(),
        simulated_mean_response_s: run.simulated_mean(),
        mean_error: run.mean_error(),
        error: run.error(),
        between_runs: run.between_runs(),
        jobs: if jobs { all.collect() } else { Vec::new() },
    }
}
