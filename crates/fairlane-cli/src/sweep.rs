//! `fairlane sweep`: a row per point of a grid, in the grid's order, on all cores.
//!
//! A point that cannot be simulated becomes a row that says why, and the others go on; the command then ends with exit
//! code 2.

mod journal;

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::args::{AxisArg, ScenarioArg, Seeds, SweepArgs, SweepFormat};
use super::compare::policies;
use super::import::pools_file;
use super::output::{self, Pipe};
use super::parallel;
use super::path::InputPath;
use super::program::{PolicyArg, workload_with_programs};
use super::progress::DelayedProgressBar;
use super::{CliError, print_error};
use fairlane::scenario::Edit;
use fairlane_study::sweep::line::PointLine;
use fairlane_study::sweep::{Bench, Grid, ResultRow, RowLabel, Setting, Workload, mark_pareto_edge};
use fairlane_view::export::{Figures, RecordHeading};
use journal::Journal;

/// Exit code of a command that was interrupted (128 and the number of SIGINT).
const EXIT_INTERRUPTED: i32 = 130;

pub(super) fn run(args: &SweepArgs) -> Result<(), CliError> {
    let sweep = Sweep::new(args)?;
    if args.points {
        return sweep.print_points(&args.source, args.inline);
    }
    let journal =
        args.out.as_ref().map(|path| Journal::open(path, &sweep.owner())).transpose()?.map(Arc::new);
    let format = args.format.or(args.out.is_none().then_some(SweepFormat::Jsonl));
    let (faults, reader) = sweep.measure(threads(args.threads), journal.as_ref(), format)?;
    if let Some(journal) = journal {
        journal.finish()?;
    }
    match faults.first {
        None => reader.end(),
        Some(first) => Err(CliError::new(
            args.source.to_string(),
            format!(
                "{} of {} points could not be simulated, and their rows say why; {first}",
                faults.count, sweep.points
            ),
        )),
    }
}

/// The threads to use.
pub(super) fn threads(given: Option<NonZeroUsize>) -> usize {
    given.map_or_else(parallel::all_cores, NonZeroUsize::get)
}

/// What went wrong with single points or lines.
#[derive(Default)]
pub(super) struct Faults {
    pub(super) count: usize,
    /// The first one, and why.
    pub(super) first: Option<String>,
}

impl Faults {
    /// Counts a row if it has no figures.
    pub(super) fn add(&mut self, row: &ResultRow, which: impl Fn() -> String) {
        if let Some(fault) = row.fault() {
            self.count += 1;
            self.first.get_or_insert_with(|| format!("the first is {}: {fault}", which()));
        }
    }
}

struct Sweep {
    workload: Workload,
    grid: Grid,
    /// [`Grid::fingerprint`].
    id: String,
    /// How many.
    points: usize,
    /// Whether to mark the Pareto edge.
    pareto: bool,
    /// Whether the command has brought programs into the workload, which the file then does not have.
    has_programs: bool,
}

impl Sweep {
    fn new(args: &SweepArgs) -> Result<Sweep, CliError> {
        let source = &args.source;
        let workload = workload_with_programs(source.workload()?, &args.policies)?;
        let grid = Grid {
            policies: policies(&args.policies, source),
            edits: each_once(args.atr.iter().map(|&atr| Some(Edit::advisory_task_runtime(atr)))),
            settings: settings(args)?,
            seeds: seeds(&args.seeds),
            estimate_errors: each_once(args.estimate_error.iter().copied()),
            loads: each_once(args.load.iter().copied()),
            metrics: args.metrics.clone(),
        };
        check_seeds(&grid.seeds, source, &workload, &grid.estimate_errors)?;
        let has_programs = args.policies.iter().any(PolicyArg::has_program);
        let points = grid.points().ok_or_else(|| {
            CliError::new("sweep", format!("the grid has more than {} points; split it", Grid::MAX_POINTS))
        })?;
        if args.pareto && grid.settings.is_empty() {
            let message =
                "needs values of fields that cost differs by; add --set cluster.executors=2,4,8 or --pools";
            return Err(CliError::new("--pareto", message));
        }
        if args.pareto && args.metrics.as_ref().is_some_and(|metrics| !metrics.has("mean_response_s")) {
            let message =
                "compares mean response times, which --metrics leaves out; add mean_response_s to it";
            return Err(CliError::new("--pareto", message));
        }
        Ok(Sweep {
            id: grid.fingerprint(&workload),
            workload,
            grid,
            points,
            pareto: args.pareto,
            has_programs,
        })
    }

    fn owner(&self) -> journal::Owner {
        journal::Owner {
            sweep: self.id.clone(),
            fingerprint: self.workload.fingerprint(),
            points: self.points,
        }
    }

    /// Prints a line per point.
    fn print_points(&self, source: &ScenarioArg, inline: bool) -> Result<(), CliError> {
        let scenario = match source {
            // The program that reads the lines has another standard input.
            ScenarioArg::StandardInput => self.workload.to_compact_json(),
            _ if inline || self.has_programs => self.workload.to_compact_json(),
            _ => serde_json::to_string(&source.to_string()).expect("text is JSON"),
        };
        let scenario = RawValue::from_string(scenario).expect("what was written is JSON");
        let fingerprint = self.workload.fingerprint();
        for number in 0..self.points {
            let point = self.grid.point(number);
            let line = PointLine::new(&self.id, number as u64, &scenario, &fingerprint, &point);
            if output::print_line(line.to_json() + "\n")? == Pipe::Closed {
                return Pipe::Closed.end();
            }
        }
        Ok(())
    }

    /// Measures all points that are not finished yet and prints all of them.
    fn measure(
        &self,
        threads: usize,
        journal: Option<&Arc<Journal>>,
        format: Option<SweepFormat>,
    ) -> Result<(Faults, Pipe), CliError> {
        let progress = Arc::new(DelayedProgressBar::new());
        progress.points(self.points as u64);
        if let Some(journal) = journal {
            stop_between_rows(journal, &progress);
        }
        let columns = match format {
            Some(SweepFormat::Csv) => self.figure_columns(),
            _ => RecordHeading::default(),
        };
        let set: Vec<&str> = self
            .grid
            .settings
            .iter()
            .filter_map(|axis| axis.first())
            .flatten()
            .map(|setting| &*setting.0)
            .collect();
        let line = |row: &ResultRow| match format {
            Some(SweepFormat::Jsonl) => Some(row.to_json_line()),
            Some(SweepFormat::Csv) => Some(row.to_csv_line(&columns, &set)),
            None => None,
        };
        let mut reader = Pipe::Open;
        if format == Some(SweepFormat::Csv) {
            reader = output::print_line(ResultRow::csv_heading(&columns, &set))?;
        }
        let mut rows = Vec::new();
        let mut faults = Faults::default();
        let mut failed = None;
        let worker = || {
            let mut bench = Bench::default();
            let progress = &progress;
            move |number| {
                let row = self.row(number, &mut bench, journal.map(|journal| &**journal));
                progress.advance();
                row.map(|row| (number, row))
            }
        };
        parallel::ordered(threads, 0..self.points, worker, |result| {
            let printed = result.and_then(|(number, row)| {
                faults.add(&row, || format!("point {number}"));
                if self.pareto {
                    rows.push(row);
                } else if let Some(line) = line(&row).filter(|_| reader == Pipe::Open) {
                    reader = progress.aside(|| output::print_line(line))?;
                }
                Ok(())
            });
            match printed {
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
                // Without a file nothing reads the results any more.
                Ok(()) if reader == Pipe::Closed && journal.is_none() => ControlFlow::Break(()),
                Ok(()) => ControlFlow::Continue(()),
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        mark_pareto_edge(&mut rows);
        for line in rows.iter().filter_map(line) {
            if reader == Pipe::Closed {
                break;
            }
            reader = output::print_line(line)?;
        }
        Ok((faults, reader))
    }

    /// A point's row: the finished one, else a new one, which is kept.
    fn row(
        &self,
        number: usize,
        bench: &mut Bench,
        journal: Option<&Journal>,
    ) -> Result<ResultRow, CliError> {
        if let Some(row) = journal.map(|journal| journal.row(number)).transpose()?.flatten() {
            return Ok(row);
        }
        let label =
            RowLabel { sweep: Some(self.id.clone()), point: Some(number as u64), ..RowLabel::default() };
        let row = bench.row(label, &self.workload, &self.grid.point(number));
        if let Some(journal) = journal {
            journal.add(number, &row.to_json_line())?;
        }
        Ok(row)
    }

    /// The columns of figures. Users, who have a column each, are the same under all seeds; a workload that cannot be
    /// made under any has none.
    fn figure_columns(&self) -> RecordHeading {
        let mut seeds = self.grid.seeds.iter().copied().map(Some).collect::<Vec<_>>();
        if seeds.is_empty() {
            seeds.push(self.workload.seed(&self.grid.point(0)));
        }
        let made = seeds.into_iter().find_map(|seed| self.workload.seeded(seed).ok());
        let all = made.map_or_else(RecordHeading::without_figures, |scenario| {
            Figures::heading(&scenario, &self.grid.policies)
        });
        match &self.grid.metrics {
            Some(metrics) => all.of(metrics),
            None => all,
        }
    }
}

/// Refuses seeds that would change nothing.
pub(super) fn check_seeds(
    seeds: &[u64],
    source: &ScenarioArg,
    workload: &Workload,
    estimate_errors: &[f64],
) -> Result<(), CliError> {
    if seeds.is_empty() || workload.is_random(estimate_errors) {
        return Ok(());
    }
    Err(CliError::new(
        "--seeds",
        format!(
            "nothing is random in {source}, so every seed would give the same rows; leave --seeds out or let \
                estimates err by --estimate-error 2"
        ),
    ))
}

/// The seeds to run over, each once, in the order of their first mention; as many as can matter.
pub(super) fn seeds(given: &[Seeds]) -> Vec<u64> {
    // Only asked, never walked.
    let mut known = HashSet::new();
    let all = given.iter().flat_map(|seeds| seeds.iter());
    all.filter(|&seed| known.insert(seed)).take(Grid::MAX_POINTS + 1).collect()
}

/// The axes of `--set`, then that of `--pools`.
fn settings(args: &SweepArgs) -> Result<Vec<Vec<Vec<Setting>>>, CliError> {
    let axis = |axis: &AxisArg| axis.0.iter().map(|setting| vec![setting.clone()]).collect();
    let mut axes: Vec<Vec<Vec<Setting>>> = args.set.iter().map(axis).collect();
    let of_spark = |field: &str, value: Value| Setting(format!("policies.spark.{field}"), value);
    let file = |path: &InputPath| {
        let file = pools_file(path)?;
        for remark in file.remarks() {
            print_error(&format!("{}: {remark}", path.path().display()));
        }
        let pools = serde_json::to_value(file.pools()).expect("pools are JSON");
        // Where there is a file, Spark makes `default` FIFO unless it is declared.
        Ok(vec![of_spark("pools", pools), of_spark("default_mode", "FIFO".into())])
    };
    let files: Vec<Vec<Setting>> = args.pools.iter().map(file).collect::<Result<_, CliError>>()?;
    axes.extend(Some(files).filter(|files| !files.is_empty()));
    Ok(axes)
}

/// Each value once, in the order of their first mention.
fn each_once<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    values.for_each(|value| {
        if !once.contains(&value) {
            once.push(value);
        }
    });
    once
}

/// Delays an interruption until the row that is being written is complete, and says then how to resume.
fn stop_between_rows(journal: &Arc<Journal>, progress: &Arc<DelayedProgressBar>) {
    let (journal, progress) = (Arc::clone(journal), Arc::clone(progress));
    let handler = ctrlc::set_handler(move || {
        let kept = journal.close();
        progress.aside(|| {
            print_error(&format!("stopped; {kept}; run the same command to resume"));
            process::exit(EXIT_INTERRUPTED)
        })
    });
    // Without a handler the process just ends, and the next run cuts off half a row.
    drop(handler);
}
