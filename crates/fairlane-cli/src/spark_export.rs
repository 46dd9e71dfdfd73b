//! `fairlane spark-export`: a scenario as a PySpark program that plays it on a real cluster.

use super::args::{SparkExportArgs, SparkExportFormat};
use super::output::Printed;
use super::text::printable;
use super::{CliError, input, output};
use fairlane::number::counted;
use fairlane_import::spark::{Export, ExportReport, LeftOut, PROGRAM};

pub(super) fn run(args: &SparkExportArgs) -> Result<(), CliError> {
    let scenario = input::scenario(&args.scenario)?;
    let source = || args.scenario.source.to_string();
    let export =
        Export::new(&scenario, args.policy).map_err(|error| CliError::new(source(), error.to_string()))?;
    let Export { workload, pools, report } = &export;
    if !report.not_played.is_empty() && !args.lossy {
        let message = format!(
            "the time of a task depends on where or when it runs, which Spark cannot play; --lossy exports it \
                without ({})",
            words(&report.not_played)
        );
        return Err(CliError::new(source(), message));
    }
    args.folder.write([workload, pools, PROGRAM])?;
    output::print(&match args.format {
        SparkExportFormat::Text => {
            Printed::Text(text(report, &printable(&args.folder.path().display().to_string())))
        }
        SparkExportFormat::Json => output::json(report),
    })
}

fn words(left: &[LeftOut]) -> String {
    left.iter().map(|left| format!("{}: {}", left.what, left.count)).collect::<Vec<_>>().join(", ")
}

fn text(report: &ExportReport, folder: &str) -> String {
    let mut text = format!(
        "{} of {} under {}: {}, {}, {:.3} core-seconds for {}\n",
        counted(report.jobs, "job"),
        counted(report.users, "user"),
        report.policy,
        counted(report.stages, "stage"),
        counted(report.tasks, "task"),
        report.core_s,
        counted(report.cores as usize, "core")
    );
    if report.stages_added > 0 {
        let added = counted(report.stages_added, "stage");
        text +=
            &format!("added: {added} of one task without length, because a job of Spark ends in one stage\n");
    }
    for (title, left) in [("not played", &report.not_played), ("left to Spark", &report.left_to_spark)] {
        if !left.is_empty() {
            text += &format!("{title}: {}\n", words(left));
        }
    }
    text + &format!("\nspark-submit --master local[{}] {folder}/play.py\n", report.cores)
}
