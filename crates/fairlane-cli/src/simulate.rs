//! `fairlane simulate`: one policy, a row per job.

use std::slice;

use serde::Serialize;

use super::CliError;
use super::args::{ResponseUnit, SimulateArgs, SimulateFormat};
use super::output::{Printed, StagedFile};
use super::program::with_programs;
use super::progress::DelayedProgressBar;
use super::table::{self, CellAlign};
use super::text::printable;
use super::{by_group, html, input, output, picture, text};
use fairlane::metrics::{Evaluation, EvaluationDetail};
use fairlane::number::{self, counted};
use fairlane::policy::explain::{Decision, DecisionSubject};
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;
use fairlane::units::Span;
use fairlane_view::export::chrome_trace::ChromeTrace;
use fairlane_view::export::documents::SimulationDocument;
use fairlane_view::export::{job_figures, trace_hash};

pub(super) fn run(args: &SimulateArgs) -> Result<(), CliError> {
    let policy = args.policy.id;
    let scenario = with_programs(input::scenario(&args.scenario)?, slice::from_ref(&args.policy))?;
    let progress = DelayedProgressBar::new();
    if args.hash || args.by == ResponseUnit::Group {
        // Neither needs slowdowns, so no job is simulated alone.
        let trace = progress.simulate(&scenario, policy)?;
        drop(progress);
        write_schedule(args, &scenario, &trace, None)?;
        return output::print(&match args.hash {
            true => Printed::Data(format!("{}\n", trace_hash(&trace))),
            false => by_group::simulated(&scenario, &trace, args.format),
        });
    }
    let detail = match args.format {
        SimulateFormat::Table => EvaluationDetail::Delays,
        SimulateFormat::Json => EvaluationDetail::Full,
    };
    let run = progress.evaluate(&scenario, [policy], detail)?.remove(0);
    let decisions = args.decisions.then(|| progress.decisions(&scenario, policy));
    drop(progress);
    write_schedule(args, &scenario, &run.trace, Some(&run))?;
    output::print(&match args.format {
        SimulateFormat::Table => {
            let decided = decisions.map(|decisions| decision_lines(&decisions)).unwrap_or_default();
            Printed::Text(text::how_sure(&scenario) + &job_table(&run) + &decided)
        }
        SimulateFormat::Json => json(&run, decisions),
    })
}

/// Writes the files that are asked for, all or none.
fn write_schedule(
    args: &SimulateArgs,
    scenario: &Scenario,
    trace: &Trace,
    run: Option<&Evaluation>,
) -> Result<(), CliError> {
    let own = args.trace.as_ref().map(|path| path.stage_json(trace)).transpose()?;
    let chrome = ChromeTrace { scenario, traces: slice::from_ref(&trace) };
    let chrome = args.chrome_trace.as_ref().map(|path| path.stage_json(&chrome)).transpose()?;
    // A picture shows the run's figures, too.
    let drawn = args.svg.as_ref().zip(run);
    let svg = drawn.map(|(path, run)| picture::stage(path, scenario, slice::from_ref(run))).transpose()?;
    let html = html::stage(&args.html, &args.scenario.source, scenario, [args.policy.id])?;
    [own, chrome, svg, html].into_iter().flatten().try_for_each(StagedFile::commit)
}

/// Each decision as a sentence, and below it the numbers behind it.
fn decision_lines(decisions: &[Decision]) -> String {
    if decisions.is_empty() {
        return "\nThe policy decides about nothing but the order of stages.\n".to_owned();
    }
    let mut text = "\nDecisions\n".to_owned();
    for Decision { at, sentence, parts, .. } in decisions {
        text += &format!("{}: {}\n", number::instant(*at), printable(sentence));
        for part in parts {
            text += &format!("    {}: {}\n", printable(part.name.as_ref()), part.value);
        }
    }
    text
}

fn job_table(run: &Evaluation) -> String {
    let heading = [
        ("job", CellAlign::Right),
        ("user", CellAlign::Left),
        ("name", CellAlign::Left),
        ("arrival s", CellAlign::Right),
        ("finish s", CellAlign::Right),
        ("response s", CellAlign::Right),
        ("alone s", CellAlign::Right),
        ("slowdown", CellAlign::Right),
        ("r UJF", CellAlign::Right),
        ("r ideal", CellAlign::Right),
    ];
    let time = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), |time| format!("{time:.3}"));
    let ratio = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| number::signed(ratio, 2));
    let rows = job_figures(run).map(|figures| {
        vec![
            figures.job.to_string(),
            table::name(figures.user),
            table::name(figures.name),
            format!("{:.3}", figures.arrival_s),
            time(figures.finish_s),
            figures.outcome.map_or_else(|| time(figures.response_s), str::to_owned),
            time(figures.alone_s),
            figures.slowdown.map_or_else(|| "-".to_owned(), |slowdown| format!("{slowdown:.2}")),
            ratio(figures.r_ujf),
            ratio(figures.r_fluid),
        ]
    });
    let table = table::layout(heading.map(|(title, align)| (title.to_owned(), align)).into(), rows);
    format!("{table}\n{}\n", summary_line(run))
}

fn summary_line(run: &Evaluation) -> String {
    let Evaluation { scenario, summary, .. } = run;
    let figure = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), |figure| format!("{figure:.2}"));
    let mut jobs = vec![counted(scenario.jobs().len(), "job")];
    jobs.extend(summary.unfinished.words());
    jobs.extend(
        summary
            .special
            .deadlines
            .map(|deadlines| format!("{} of {} deadlines met", deadlines.met, deadlines.jobs)),
    );
    format!(
        "{}: {} on {}; mean response {} s, worst 10 % {} s, mean slowdown {}, makespan {} s\n\
         r: how much later than under UJF with the same partitioning, and than under the ideal, fluid UJF,\n\
         as a fraction of the response time there; negative if earlier",
        run.trace.policy.title(),
        jobs.join(", "),
        counted(scenario.cluster().cores() as usize, "core"),
        figure(summary.mean_response),
        figure(summary.worst_decile),
        figure(summary.mean_slowdown),
        figure(summary.makespan.map(Span::seconds))
    )
}

fn json(run: &Evaluation, decisions: Option<Vec<Decision>>) -> Printed {
    #[derive(Serialize)]
    struct WithDecisions<'a> {
        #[serde(flatten)]
        simulation: SimulationDocument<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        decisions: Option<Vec<DecisionJson<'a>>>,
    }
    /// A decision about a user or a job.
    #[derive(Serialize)]
    struct DecisionJson<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        user: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        job: Option<u32>,
        at_s: f64,
        sentence: String,
        /// With their units.
        numbers: Vec<(String, String)>,
    }
    let decided = |decision: Decision| {
        let (user, job) = match decision.subject {
            DecisionSubject::User(user) => (Some(run.scenario.users()[user.index()].name.as_str()), None),
            DecisionSubject::Job(rank) => (None, Some(run.trace.arrival_order()[rank.index()].0)),
        };
        let numbers =
            decision.parts.iter().map(|part| (part.name.to_string(), part.value.to_string())).collect();
        DecisionJson { user, job, at_s: decision.at.seconds(), sentence: decision.sentence, numbers }
    };
    let decisions = decisions.map(|decisions| decisions.into_iter().map(decided).collect());
    output::json(&WithDecisions { simulation: SimulationDocument::new(run), decisions })
}
