//! `fairlane report`: how far the simulator is from what was measured.

mod macro_benchmark;

use super::args::{ReportArgs, ReportFormat};
use super::output::Printed;
use super::recordings::{self, Recordings};
use super::table::{CellAlign, layout, wrapped};
use super::{CliError, output};
use fairlane::number;
use fairlane::policy::PolicyKind;
use fairlane_study::fidelity::figures::FidelityFigures;
use fairlane_study::fidelity::papers::{self, Finding, Paper, Reproduction};
use fairlane_study::fidelity::published::{self, MicroComparison};
use fairlane_study::fidelity::recorded::{self, FidelityComparison, RunComparison};
use fairlane_study::fidelity::table_2;
use fairlane_view::export::csv;

pub(super) fn run(args: &ReportArgs) -> Result<(), CliError> {
    let Recordings { workloads, runs } = match &args.recorded {
        Some(folder) => recordings::read(folder.path())?,
        None => recordings::built_in()?,
    };
    let report = FidelityReport {
        table_1: published::table_1(),
        table_2: table_2::rows(),
        recorded: recorded::compare(&workloads, &runs)
            .map_err(|error| CliError::new(error.subject, error.sentence))?,
        papers: Paper::ALL.map(|paper| (paper, papers::findings(paper))).to_vec(),
    };
    output::print(&match args.format {
        ReportFormat::Table => Printed::Text(report.text(TableFormatting::Aligned, args.jobs)),
        ReportFormat::Markdown => Printed::Text(report.text(TableFormatting::Markdown, args.jobs)),
        ReportFormat::Json => output::json(&report.figures(args.jobs)),
        ReportFormat::Csv => Printed::Data(report.csv()),
    })
}

struct FidelityReport {
    table_1: Vec<MicroComparison>,
    table_2: Vec<table_2::Table2Row>,
    recorded: FidelityComparison,
    papers: Vec<(Paper, Vec<Finding>)>,
}

/// How tables are set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TableFormatting {
    Aligned,
    Markdown,
}

impl TableFormatting {
    fn heading(self, text: &str) -> String {
        match self {
            TableFormatting::Aligned => format!("{text}\n\n"),
            TableFormatting::Markdown => format!("## {text}\n\n"),
        }
    }

    /// `words` columns of words, then figures.
    fn table(self, columns: &[&str], words: usize, rows: Vec<Vec<String>>) -> String {
        if self == TableFormatting::Aligned {
            let align = |index| if index < words { CellAlign::Left } else { CellAlign::Right };
            let heading = columns.iter().enumerate().map(|(index, name)| ((*name).to_owned(), align(index)));
            return layout(heading.collect(), rows) + "\n";
        }
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let rule: Vec<String> =
            (0..columns.len()).map(|index| if index < words { "---" } else { "---:" }.to_owned()).collect();
        let body: String = rows.iter().map(|row| line(row)).collect();
        format!("{}{}{body}\n", line(&names), line(&rule))
    }
}

fn percent(ratio: f64) -> String {
    number::signed_percent(ratio, 1)
}

fn unsigned(ratio: f64) -> String {
    number::percent(ratio, 1)
}

/// Measured and simulated in one cell.
fn pair(measured: f64, simulated: f64) -> String {
    format!("{measured:.1}/{simulated:.1}")
}

/// What a paper published beside the simulation.
fn paper_text(layout: TableFormatting, paper: Paper, findings: &[Finding]) -> String {
    let columns = ["figure", "quantity", "published", "simulated"];
    let row = |finding: &Finding| {
        vec![
            finding.figure.to_owned(),
            finding.quantity.clone(),
            finding.published.to_owned(),
            finding.simulated.clone(),
        ]
    };
    let Reproduction { title, remark, .. } = papers::reproduction(paper);
    let mut text = layout.heading(&format!("{title}: published and simulated"));
    text += &format!("{}\n\n", wrapped(remark, 118).join("\n"));
    for findings in findings.chunk_by(|one, next| one.scenario == next.scenario) {
        text += &format!("`catalog:{}`\n\n", findings[0].scenario);
        text += &layout.table(&columns, 2, findings.iter().map(row).collect());
    }
    text
}

impl FidelityReport {
    fn figures(&self, jobs: bool) -> FidelityFigures {
        FidelityFigures::new(&self.table_1, &self.table_2, &self.recorded, &self.papers, jobs)
    }

    fn text(&self, layout: TableFormatting, jobs: bool) -> String {
        let mut text = self.table_1_text(layout)
            + &macro_benchmark::text(layout, &self.table_2)
            + &self.recorded_text(layout);
        if jobs {
            text += &self.jobs_text(layout);
        }
        for (paper, findings) in &self.papers {
            text += &paper_text(layout, *paper, findings);
        }
        text.trim_end().to_owned() + "\n"
    }

    fn table_1_text(&self, layout: TableFormatting) -> String {
        let columns = [
            "scenario",
            "policy",
            "measured s",
            "simulated s",
            "error",
            "worst 10 %",
            "user1",
            "user2",
            "user3",
            "user4",
            "last finish",
        ];
        let row = |comparison: &MicroComparison| {
            let (measured, simulated) = (&comparison.row.measured, &comparison.simulated);
            let mut row = vec![
                comparison.row.scenario.trim_start_matches("paper-scenario-").to_owned(),
                comparison.row.policy.info().title.to_owned(),
                format!("{:.2}", measured.mean),
                format!("{:.2}", simulated.mean),
                percent(comparison.mean_error()),
                pair(measured.worst_decile, simulated.worst_decile),
            ];
            row.extend(measured.users.iter().zip(&simulated.users).map(|(&a, &b)| pair(a, b)));
            row.push(pair(measured.last_finish, simulated.last_finish));
            row
        };
        let worst = self.table_1.iter().map(|row| row.mean_error().abs()).fold(0.0, f64::max);
        format!(
            "{}Mean response time in seconds by scenario. Two figures in a cell are measured/simulated.\n\n{}\
             Mean error of the ten means: {}; the worst: {}.\n\n",
            layout.heading("The paper's Table 1: measured on real Spark, and simulated"),
            layout.table(&columns, 2, self.table_1.iter().map(row).collect()),
            unsigned(published::mean_error(&self.table_1)),
            unsigned(worst),
        )
    }

    fn recorded_text(&self, layout: TableFormatting) -> String {
        let columns = [
            "workload",
            "policy",
            "run",
            "jobs",
            "Spark mean s",
            "simulated s",
            "error",
            "per job",
            "run to run",
        ];
        let row = |run: &RunComparison| {
            vec![
                run.workload.clone(),
                run.policy.title(),
                run.run.clone(),
                run.jobs.len().to_string(),
                format!("{:.3}", run.spark_mean()),
                format!("{:.3}", run.simulated_mean()),
                percent(run.mean_error()),
                unsigned(run.error()),
                run.between_runs().map_or("-".to_owned(), unsigned),
            ]
        };
        let mut text = layout.heading("Schedules recorded from real Spark 3.5.5, and simulated");
        text += "Error: of the mean response time. Per job: mean error of a job's response time against this run.\n\
                 Run to run: the same for Spark's other run of the workload.\n\n";
        text += &layout.table(&columns, 3, self.recorded.runs.iter().map(row).collect());
        text += &format!(
            "Per job, mean over all {} runs: {}.",
            self.recorded.runs.len(),
            unsigned(self.recorded.error())
        );
        if let Some((error, between)) = self.recorded.paired() {
            text += &format!(
                "\nWhere there is a second run: {}, run to run {}: {:.2} times as far as a second run.",
                unsigned(error),
                unsigned(between),
                error / between
            );
        }
        let worst = PolicyKind::ALL.iter().filter_map(|&kind| {
            let error = self.recorded.worst_mean_error(kind)?;
            Some(format!("{} {}", kind.info().title, unsigned(error)))
        });
        let worst = worst.collect::<Vec<_>>().join(", ");
        text + &format!("\nLargest error of a mean response time: {worst}.\n\n")
    }

    fn jobs_text(&self, layout: TableFormatting) -> String {
        let columns = ["workload", "policy", "run", "job", "Spark s", "simulated s", "error", "run to run"];
        let rows = self.recorded.runs.iter().flat_map(|run| {
            run.jobs.iter().map(|job| {
                vec![
                    run.workload.clone(),
                    run.policy.title(),
                    run.run.clone(),
                    job.job.clone(),
                    format!("{:.3}", job.spark),
                    format!("{:.3}", job.simulated),
                    unsigned(job.error()),
                    job.between_runs().map_or("-".to_owned(), unsigned),
                ]
            })
        });
        layout.heading("Job by job") + &layout.table(&columns, 4, rows.collect())
    }

    /// A line per job of every recorded run.
    fn csv(&self) -> String {
        let mut text = String::from("workload,policy,run,job,user,spark_s,simulated_s,error,between_runs\n");
        for run in &self.recorded.runs {
            for job in &run.jobs {
                let between = job.between_runs().map(|value| value.to_string()).unwrap_or_default();
                text += &csv::line(&[
                    run.workload.clone(),
                    run.policy.to_string(),
                    run.run.clone(),
                    job.job.clone(),
                    job.user.clone(),
                    job.spark.to_string(),
                    job.simulated.to_string(),
                    job.error().to_string(),
                    between,
                ]);
            }
        }
        text
    }
}
