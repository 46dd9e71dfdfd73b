//! `fairlane tune`: the value of a parameter that makes a metric best, over seeds.

use std::ops::ControlFlow;
use std::slice;

use serde::Serialize;

use super::args::{TuneArgs, TuneFormat};
use super::output::Printed;
use super::program::workload_with_programs;
use super::progress::DelayedProgressBar;
use super::sweep::{check_seeds, seeds, threads};
use super::table::{self, CellAlign, Emphasis};
use super::{CliError, output, parallel};
use fairlane_study::sweep::Grid;
use fairlane_study::sweep::tune::{self, Curve, Goal, Tunable, TunedPoint, Tuning};
use fairlane_view::export::csv;

/// The tag of what `--format json` prints.
const FORMAT: &str = "fairlane/tuning@1";

pub(super) fn run(args: &TuneArgs) -> Result<(), CliError> {
    let tuning = tuning(args)?;
    let curve = tuning.curve(figures(&tuning, threads(args.threads))?);
    output::print(&match args.format {
        TuneFormat::Table => Printed::Text(table(&tuning, &curve)),
        TuneFormat::Json => json(&tuning, &curve),
        TuneFormat::Csv => Printed::Data(csv(&tuning, &curve)),
    })
}

fn tuning(args: &TuneArgs) -> Result<Tuning, CliError> {
    let error = |subject: &'static str| move |message: String| CliError::new(subject, message);
    let knob = Tunable::find(args.policy.id, &args.parameter).map_err(error("--parameter"))?;
    let values = tune::values(args.from, args.to, args.step).map_err(error("--from, --to and --step"))?;
    for &value in &values {
        knob.check(value).map_err(|message| {
            CliError::new(format!("{} {value}", knob.name()), format!("{message}; change --from or --to"))
        })?;
    }
    let workload = workload_with_programs(args.source.workload()?, slice::from_ref(&args.policy))?;
    let seeds = seeds(&args.seeds);
    check_seeds(&seeds, &args.source, &workload, &[args.estimate_error])?;
    let (metric, goal) = match (args.minimise, args.maximise) {
        (_, Some(metric)) => (metric, Goal::Most),
        (Some(metric), None) => (metric, Goal::Least),
        (None, None) => (tune::METRICS[0], Goal::Least),
    };
    let tuning = Tuning::new(workload, args.policy.id, knob, values, metric);
    let (loads, estimate_errors) = (vec![args.load], vec![args.estimate_error]);
    let tuning = Tuning { grid: Grid { seeds, loads, estimate_errors, ..tuning.grid }, goal, ..tuning };
    if tuning.cells() > Grid::MAX_POINTS {
        let message = format!(
            "there are {} simulations, more than {}; take fewer seeds or a larger step",
            tuning.cells(),
            Grid::MAX_POINTS
        );
        return Err(CliError::new("tune", message));
    }
    Ok(tuning)
}

/// The figures of all cells, in their order.
fn figures(tuning: &Tuning, threads: usize) -> Result<Vec<Option<f64>>, CliError> {
    let progress = DelayedProgressBar::new();
    progress.points(tuning.cells() as u64);
    let (mut figures, mut failed) = (Vec::with_capacity(tuning.cells()), None);
    let worker = || {
        |cell| {
            let figure = tuning.measure(cell);
            progress.advance();
            figure
        }
    };
    parallel::ordered(threads, 0..tuning.cells(), worker, |figure| match figure {
        Ok(figure) => {
            figures.push(figure);
            ControlFlow::Continue(())
        }
        Err(error) => {
            failed = Some(CliError::new("the scenario cannot be simulated", error.to_string()));
            ControlFlow::Break(())
        }
    });
    failed.map_or(Ok(figures), Err)
}

/// A value as people write it.
fn value_text(value: f64) -> String {
    value.to_string()
}

fn figure_text(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.3}"))
}

fn table(tuning: &Tuning, curve: &Curve) -> String {
    let emphasis = Emphasis::of_standard_output();
    let several = tuning.grid.seeds.len() > 1;
    let unit =
        |name: &str| emphasis.other(format!("{name} {}", tuning.metric.figure().shown.unit).trim_end());
    let mut heading = vec![(tuning.knob.name().to_owned(), CellAlign::Right)];
    let columns: &[&str] =
        if several { &["mean", "least", "most", "deviation"] } else { &[tuning.metric.id] };
    heading.extend(columns.iter().map(|name| (unit(name), CellAlign::Right)));
    let rows = curve.points.iter().enumerate().map(|(index, point)| {
        let mut row = vec![value_text(point.value)];
        let figures = [point.mean, point.least, point.most, point.deviation];
        row.extend(figures[..columns.len()].iter().enumerate().map(|(column, &figure)| {
            let text = figure_text(figure);
            let best = column == 0 && curve.best == Some(index);
            if best { emphasis.best(&text) } else { emphasis.other(&text) }
        }));
        row
    });
    format!("{}\n{}\n", table::layout(heading, rows), tuning.verdict(curve))
}

fn json(tuning: &Tuning, curve: &Curve) -> Printed {
    #[derive(Serialize)]
    struct TuneJson<'a> {
        format: &'static str,
        /// Its name, empty if it has none.
        scenario: &'a str,
        policy: String,
        parameter: &'static str,
        metric: &'static str,
        /// Empty for ratios.
        unit: &'static str,
        goal: &'static str,
        /// Empty where nothing is random.
        seeds: &'a [u64],
        /// `null` if no value has a figure.
        best: Option<&'a TunedPoint>,
        /// Each seed's own best value.
        best_by_seed: &'a [Option<f64>],
        /// The value that the scenario has itself.
        own: &'a TunedPoint,
        curve: &'a [TunedPoint],
    }
    output::json(&TuneJson {
        format: FORMAT,
        scenario: tuning.workload.name(),
        policy: tuning.policy().to_string(),
        parameter: tuning.knob.name(),
        metric: tuning.metric.id,
        unit: tuning.metric.figure().shown.unit,
        goal: match tuning.goal {
            Goal::Least => "least",
            Goal::Most => "most",
        },
        seeds: &tuning.grid.seeds,
        best: curve.best.map(|best| &curve.points[best]),
        best_by_seed: &curve.best_by_seed,
        own: &curve.own,
        curve: &curve.points,
    })
}

fn csv(tuning: &Tuning, curve: &Curve) -> String {
    let mut heading: Vec<String> =
        [tuning.knob.name(), "mean", "least", "most", "deviation"].map(str::to_owned).into();
    heading.extend(tuning.grid.seeds.iter().map(|seed| format!("seed[{seed}]")));
    let text = |figure: Option<f64>| figure.map_or_else(String::new, |figure| figure.to_string());
    let record = |point: &TunedPoint| {
        let mut cells = vec![point.value.to_string()];
        cells.extend([point.mean, point.least, point.most, point.deviation].map(text));
        cells.extend(point.by_seed.iter().take(tuning.grid.seeds.len()).copied().map(text));
        csv::line(&cells)
    };
    std::iter::once(csv::line(&heading)).chain(curve.points.iter().map(record)).collect()
}
