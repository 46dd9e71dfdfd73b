//! Everything that is derived from a page, computed and compared after each action.

use std::collections::BTreeSet;
use std::hint::black_box;

use crate::panels::results::compare::tables;
use crate::plots::gantt::numbering;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{DisplayQuestion, Document, RunPhase, SimulationInput, State, chart_data, selectors};
use fairlane::ids::{JobId, UserId};
use fairlane::metrics::{self, JobTasks};
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane::replay::ReplayPoint;
use fairlane::scenario::Scenario;
use fairlane_view::chart::{self, Paint};
use fairlane_view::export::{csv, property_cells};
use fairlane_view::gantt::{self, ChartRows, ColourShares, Image, Palette, Rgb, Spans};
use fairlane_view::link::{LinkBounds, Origin, Session};
use fairlane_view::{chips, estimates, executors, ideal, lanes, not_yet, predict, virtual_time};

/// What was computed last of results alone: it is the same until one of them is another.
#[derive(Default)]
pub(super) struct Seen {
    document: Option<Shared<Document>>,
    runs: Vec<(PolicyId, Shared<Analysis>)>,
}

/// Computes all that the page shows. `settled_state` is the page without what is dragged.
pub(super) fn check(state: &State, settled_state: &State, seen: &mut Seen) -> Result<(), String> {
    only_new_results_are_shown_as_new(state)?;
    the_page_is_saved_and_restored(state)?;
    workers_get_the_scenario(state)?;
    headlines(state);
    panels(state, settled_state);
    chosen_chart(state);
    answers(state);
    let runs: Vec<_> = state.analyses().map(|(policy, analysis)| (policy, analysis.clone())).collect();
    if seen.document.as_ref() != Some(&state.document) {
        the_scenario_is_kept(&state.document)?;
        scenario(&state.document.scenario, state);
    }
    if seen.runs != runs {
        results(state);
        let analyses = runs.iter().filter(|run| !seen.runs.contains(run));
        analyses.for_each(|(policy, analysis)| schedule(state, *policy, analysis));
    }
    *seen = Seen { document: Some(state.document.clone()), runs };
    Ok(())
}

/// A schedule that is shown as that of the document is one of its scenario.
fn only_new_results_are_shown_as_new(state: &State) -> Result<(), String> {
    for (policy, run) in &state.runs {
        let is_new = |analysis: &Shared<Analysis>| {
            let (of, now) = (&analysis.scenario, &state.document.scenario);
            // A log knows users, jobs and cluster; parameters are those of policies.
            let is_same =
                of.users() == now.users() && of.jobs() == now.jobs() && of.cluster() == now.cluster();
            is_same && (*policy == OBSERVED || *of == **now)
        };
        if run.phase == RunPhase::Settled && !run.analysis.as_ref().is_some_and(is_new) {
            return Err(format!("{policy} shows an older scenario's schedule as the newest"));
        }
        if run.shown > state.revision {
            return Err(format!("{policy} shows revision {} at {}", run.shown, state.revision));
        }
    }
    Ok(())
}

/// A link and what the browser saves lead back to the page.
fn the_page_is_saved_and_restored(state: &State) -> Result<(), String> {
    let mut session = state.session();
    if let Origin::Generated(generator) = &session.origin
        && !generator.scenario().is_ok_and(|scenario| scenario == session.scenario)
    {
        // What its seed no longer makes is saved as a file.
        session.origin = Origin::File(session.scenario.name().to_owned());
    }
    let text = session.to_text(&LinkBounds::STORAGE).map_err(|error| format!("The page {error}"))?;
    let again =
        Session::from_text(&text, &LinkBounds::STORAGE).map_err(|error| format!("The link {error}"))?;
    if again != session {
        return Err(format!("a link comes back as {:?} instead of {:?}", again.view, session.view));
    }
    // A challenge is begun by the page, which sets up what it needs.
    let kept = Session { challenge: None, ..again.clone() };
    let restored = State::from_session(again).session();
    if restored != kept {
        return Err(format!("a saved page comes back as {:?} instead of {:?}", restored.view, kept.view));
    }
    if let Ok(link) = session.to_text(&LinkBounds::LINK) {
        let again =
            Session::from_text(&link, &LinkBounds::LINK).map_err(|error| format!("The link {error}"))?;
        if again != session {
            return Err("a short link comes back as another page".to_owned());
        }
    }
    Ok(())
}

/// The file of the scenario is the scenario.
fn the_scenario_is_kept(document: &Document) -> Result<(), String> {
    let own = document.own();
    match Scenario::from_json(&own.to_json()) {
        Ok(again) if again == own => Ok(()),
        Ok(_) => Err("a saved scenario comes back as another one".to_owned()),
        Err(error) => Err(format!("a saved scenario cannot be read: {error}")),
    }
}

fn workers_get_the_scenario(state: &State) -> Result<(), String> {
    let source = state.source();
    let pending = state.runs.iter().filter(|(_, run)| matches!(run.phase, RunPhase::Pending(_)));
    if let Some((policy, _)) = pending.into_iter().find(|(policy, _)| source.admit(**policy).is_err()) {
        return Err(format!("{policy} waits for a program that may not run"));
    }
    let SimulationInput { document, base, edit, .. } = source;
    let sent = edit.map(|edit| base.scenario.with(&edit));
    match sent {
        Some(Ok(scenario)) if scenario == *document.scenario => Ok(()),
        None if base == document => Ok(()),
        sent => Err(format!("workers get another scenario: {sent:?}")),
    }
}

/// The sentences over the page.
fn headlines(state: &State) {
    black_box((state.history.undo_title(), state.history.redo_title(), state.replay_error()));
    black_box((state.challenge(), state.answer_shown(), state.shows_figures_so_far(), state.future()));
    black_box((state.document.title(), state.document.file_stem(), state.document.generator()));
    black_box((selectors::no_schedule(state), selectors::playhead_style(state)));
    black_box((selectors::longest_mean(state), state.rows()));
    if let Some(verdict) = state.worst_served() {
        black_box(&state.document.scenario.users()[verdict.user.index()].name);
        let analysis = state.runs.get(&verdict.policy).and_then(|run| run.analysis.as_ref());
        black_box(verdict.cause.zip(analysis).map(|(cause, analysis)| cause.words(analysis)));
    }
    black_box(state.effect());
    if let Some(poll) = &state.poll {
        black_box((state.poll_scene(), state.can_reveal(), state.poll_is_outdated(), poll.median()));
        black_box(&state.document.scenario.jobs()[poll.job.index()]);
    }
    if let Some(tour) = &state.lessons.tour {
        black_box((tour.whole_facts(), tour.speaks_of(&state.document.scenario), tour.before()));
    }
}

/// What the panels show, and the differences between two of them.
fn panels(state: &State, settled_state: &State) {
    let schedules = selectors::schedules(state);
    let identical = selectors::identical(&schedules);
    black_box(selectors::panels(state, settled_state, &identical));
    let difference = state.difference().map(Shared::new);
    black_box(selectors::moved(state, difference.as_ref()));
    if let Some(((_, other), difference)) = state.compared().zip(difference) {
        let analysis = state.runs.get(&other).and_then(|run| run.analysis.as_ref());
        for (job, _) in difference.gained.iter().chain(&difference.lost) {
            black_box(analysis.map(|analysis| analysis.scenario.job_label(*job)));
        }
    }
    black_box(state.shown_virtual_time());
    black_box(lanes::lanes(&state.document.scenario, selectors::alone(state).unwrap_or_default()));
}

/// The chart that is chosen: its numbers, its drawing, and what it still needs.
fn chosen_chart(state: &State) {
    let settings = chart_data::settings(state);
    let chart = chart_data::chart(state, &settings, state.axis());
    black_box((chart_data::wanted(state, &settings), chart_data::unchecked(state), chart_data::swept(state)));
    black_box((chart_data::user(state), chart_data::whose(state), chart_data::shown_policy(state)));
    black_box((chart_data::outcome(state, &settings).map(|outcome| outcome.words), chart_data::tuned(state)));
    black_box((chart.table(9), chart.table(usize::MAX).csv()));
    black_box(chart::start(&chart).and_then(|spot| chart.reading(spot)));
    let grey = Rgb(90, 90, 90);
    let paint = Paint { surface: grey, grid: grey, text: grey, dim: grey, ink: &|_| grey };
    black_box(chart::svg(&chart, (300.0, 150.0), &paint));
    for checked in state.properties.values().flatten() {
        black_box(property_cells(checked.properties(), str::to_owned));
    }
}

/// What is asked of a policy, and of the reader.
fn answers(state: &State) {
    if let Some((policy, asked)) = state.question
        && let Some(analysis) = state.runs.get(&policy).and_then(|run| run.analysis.as_ref())
    {
        let at = match asked {
            DisplayQuestion::Playhead => ReplayPoint::Instant(state.view.playhead),
            DisplayQuestion::Dispatch(task) => ReplayPoint::Dispatch(task),
        };
        black_box(analysis.ranked_queue(at, 8));
        black_box((analysis.users_at(at), analysis.decisions(), state.asked_task(policy)));
    }
    if let Some(quiz) = &state.predict {
        let analysis = state.runs.get(&quiz.policy).and_then(|run| run.analysis.as_ref());
        black_box((quiz.scores(), quiz.answers_to_text(), quiz.launched(quiz.policy)));
        if let Some(analysis) = analysis {
            black_box(quiz.turn.found(analysis, state.view.playhead));
            let queue = analysis.ranked_queue(ReplayPoint::Instant(state.view.playhead), 8);
            black_box(queue.and_then(|queue| predict::question(&analysis.scenario, &queue, false)));
        }
    }
}

/// What is shown of a scenario without its schedules.
fn scenario(scenario: &Scenario, state: &State) {
    black_box(lanes::unfolded(scenario, &state.view.chosen, "a"));
    for (index, job) in scenario.jobs().iter().enumerate() {
        black_box((
            scenario.job_label(JobId(index as u32)),
            job.work(),
            scenario.user_name(JobId(index as u32)),
        ));
    }
    let queues = scenario.users().iter().filter_map(|user| user.queue.as_ref());
    for queue in queues {
        black_box(lanes::windows(queue, state.axis().from, state.axis().to));
    }
}

/// The tables and files of all schedules together.
fn results(state: &State) {
    let runs = selectors::schedules(state);
    black_box((tables::quick(&runs), tables::full(&runs)));
    let evaluations = || state.current_analyses().map(|(_, analysis)| &analysis.evaluation);
    black_box((csv::policies(evaluations()), csv::jobs(evaluations())));
}

/// What is shown of one schedule.
fn schedule(state: &State, policy: PolicyId, analysis: &Analysis) {
    let (trace, axis, none) = (&analysis.trace, state.axis(), BTreeSet::new());
    black_box(selectors::aria_label(policy, analysis, None));
    black_box((
        analysis.verdicts(),
        analysis.verdicts_by(state.view.playhead),
        analysis.so_far(state.view.playhead),
    ));
    black_box((
        analysis.inversions(&none),
        analysis.stragglers(&none),
        analysis.load_at(state.view.playhead),
    ));
    black_box((analysis.next_instant(state.view.playhead), analysis.previous_instant(state.view.playhead)));
    black_box((analysis.targets(), analysis.waiting(), executors::steps(trace, axis)));
    let plotted = selectors::plotted(&state.view.chosen, analysis, 8);
    let times = analysis.virtual_time(&plotted);
    black_box(times.and_then(|times| virtual_time::picture(&times, &analysis.scenario, axis)));
    let rates = ideal::rates(&analysis.scenario, &analysis.summary.fluid.reference, axis);
    black_box(ideal::paths(&rates, analysis.scenario.cluster().cores()));
    if let Some(queue) = analysis.ranked_queue(ReplayPoint::Instant(state.view.playhead), 8) {
        black_box(chips::chips(&analysis.scenario, &queue, 8));
    }
    for user in 0..trace.users.len() as u32 {
        black_box(analysis.worst_job(UserId(user)));
    }
    for job in (0..trace.jobs.len() as u32).map(JobId).take(4) {
        let tasks = JobTasks::new(&analysis.scenario, trace, job);
        let facts =
            metrics::not_yet((&analysis.scenario, trace), analysis.index(), &tasks, job, state.view.playhead);
        let behind = analysis.cores_behind(job, state.view.playhead);
        black_box(facts.map(|facts| not_yet::sentences(&facts, analysis, job, behind)));
        black_box((estimates::far_off(analysis, job), analysis.ideal(job)));
    }
    let spans = Spans::new(trace);
    let shares =
        ColourShares::new(trace, &spans, &numbering(analysis, state.view.colouring, &state.view.chosen));
    let rows = ChartRows::of_cluster(analysis.scenario.cluster(), 1.0);
    let palette = Palette { tasks: &[Rgb(9, 9, 9)], row: Rgb(1, 1, 1), surface: Rgb(2, 2, 2) };
    gantt::draw(&mut Image::default(), &spans, &shares, axis, &rows, 120, &palette);
}
