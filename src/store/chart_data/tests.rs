use super::*;
use crate::results::shared::Shared;
use crate::store::{ChartChoice, Document, DocumentAction, RunAction, SideSheet, Tab, ViewAction};
use crate::testing::{self, policy};
use fairlane::engine::Control;
use fairlane::scenario::Generator;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::units::Weight;
use fairlane_view::link::Origin;

/// The page with everything simulated.
fn settled(name: &str, kind: ChartKind) -> State {
    settle(testing::page(name), kind, &[])
}

/// The same of a page, with some policies ticked instead of its own.
fn settle(mut state: State, kind: ChartKind, policies: &[&str]) -> State {
    if !policies.is_empty() {
        let ticked: Vec<PolicyId> = state.view.policies.iter().copied().collect();
        let wanted = policies.iter().map(|name| policy(name));
        let toggled = ticked.into_iter().chain(wanted);
        state = toggled.fold(state, |state, policy| state.reduce(ViewAction::Toggle(policy)));
    }
    testing::settled(state.reduce(ViewAction::Chart(ChartChoice { kind, ..state.chart })))
}

/// Does what a worker does for every point that is wanted.
fn swept_here(mut state: State) -> State {
    let settings = settings(&state);
    for point in wanted(&state, &settings) {
        let (scenario, subject) = (&state.document.scenario, point.subject());
        let generator = state.document.generator().filter(|_| subject.is_generated()).map(Generator::to_json);
        let go_on = &mut |_| Control::Continue;
        let figure = measurement::measure(scenario, point.policy, subject, generator.as_deref(), go_on);
        state = state.reduce(RunAction::Swept(state.revision, point, figure));
    }
    assert!(wanted(&state, &settings).is_empty());
    state
}

/// A scenario with memory under policies of which some have targets.
fn with_memory(kind: ChartKind) -> State {
    let scenario = fairlane::Scenario::from_json(
        r#"{"format": "fairlane/scenario@1",
            "cluster": {"cores_per_executor": 4, "memory_mb_per_executor": 400}, "jobs": [
            {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, 1, 1, 1, 3, 3], "memory_mb": 100}]},
            {"user": "ben", "arrival_s": 1, "stages": [{"tasks_s": [1, 1], "memory_mb": 50}]}]}"#,
    );
    let document = Document::new(scenario.expect("a good scenario"), Origin::File("memory.json".to_owned()));
    settle(State::new(Shared::new(document)), kind, &["fair", "wfair", "justice"])
}

/// Everything but what needs memory or targets is there for any scenario, and that is where there are some.
#[test]
fn every_chart_has_figures_and_a_table_of_the_same_size() {
    for kind in ChartKind::all().filter(|kind| *kind != ChartKind::Properties) {
        let special = [
            ChartKind::Targets,
            ChartKind::TargetSizes,
            ChartKind::Memory,
            ChartKind::Deadlines,
            ChartKind::Parameter,
        ];
        let special = special.contains(&kind);
        let state = if special { with_memory(kind) } else { settled("skew", kind) };
        let state = state.reduce(ViewAction::Chart(ChartChoice { tuning: true, ..state.chart }));
        let state = swept_here(state);
        let chart = chart(&state, &settings(&state), state.axis());
        assert!(!chart.is_empty(), "{kind:?}");
        let table = chart.table(10_000);
        assert!(!table.rows.is_empty(), "{kind:?}");
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{kind:?}");
        assert!(table.head.iter().all(|name| !name.is_empty()), "{kind:?}: {:?}", table.head);
        if special {
            let plain = settled("two-users", kind);
            assert!(super::chart(&plain, &settings(&plain), plain.axis()).is_empty(), "{kind:?}");
        }
    }
}

#[test]
fn a_parameter_is_tuned_while_asked_for_and_the_best_value_is_one_undo_step() {
    let state = with_memory(ChartKind::Parameter);
    let cells = settings(&state);
    let wfair: PolicyId = "wfair".parse().expect("a policy");
    // 41 values, and the scenario's own.
    assert_eq!((cells.len(), swept(&state)), (42, vec![wfair]));
    assert!(wanted(&state, &cells).is_empty(), "nobody has asked for it");
    let tuning = state.reduce(ViewAction::Tune(wfair, 0));
    assert_eq!((tuning.view.tab, tuning.ui.sheet), (Tab::Charts, SideSheet::Unfolded));
    assert_eq!(wanted(&tuning, &cells).len(), 42);
    assert!(outcome(&tuning, &cells).is_none());
    let tuned = swept_here(tuning);
    let found = outcome(&tuned, &cells).expect("all points are known");
    assert!(found.words.starts_with("alpha -"), "{}", found.words);
    let (best, edit) = found.better.expect("better than 0");
    let chart = chart(&tuned, &cells, tuned.axis());
    let at = |value: f64| chart.series[0].points.iter().find(|point| point.x == value).expect("a point").y;
    assert!(chart.series[0].points.iter().all(|point| point.y >= at(best)));
    assert_eq!(chart.marks, [(0.0, "the scenario’s value".to_owned())]);
    let (_, tunable) = super::tuned(&tuned).expect("a policy with a parameter");
    let edited = tuned.reduce(DocumentAction::Edit(edit));
    assert_eq!(tunable.own(&edited.document.scenario), best);
    let undone = edited.reduce(DocumentAction::Undo);
    assert_eq!(tunable.own(&undone.document.scenario), 0.0);
}

/// Another metric is another tuning. Seeds count only while a generator makes the scenario: also with another value
/// of a parameter, but not once a job was edited.
#[test]
fn a_metric_is_chosen_and_seeds_are_those_of_a_generated_workload() {
    let choice = TuningChoice { metric: 3, further_seeds: 2, ..TuningChoice::default() };
    let generated = Generator { duration_s: Some(20.0), ..Generator::default() };
    let scenario = generated.scenario().expect("good settings");
    let document = Document::new(scenario, Origin::Generated(Box::new(generated)));
    let state = settle(State::new(Shared::new(document)), ChartKind::Parameter, &["wfair"]);
    let state = state.reduce(ViewAction::Chart(ChartChoice { tuned: choice, ..state.chart }));
    assert_eq!(settings(&state).len(), 3 * 42);
    let alpha = super::tuned(&state).expect("a parameter").1;
    let other = state.reduce(DocumentAction::Edit(alpha.edit(0.5)));
    assert_eq!(settings(&other).len(), 3 * 42);
    let later = Edit::set(ObjectPath::Job(fairlane::ids::JobId(0)), "name", "other");
    assert_eq!(settings(&state.reduce(DocumentAction::Edit(later))).len(), 42);
    let chart = chart(&state, &settings(&state), state.axis());
    assert_eq!((chart.y.name.as_str(), chart.series.len()), ("mean slowdown", 3));
}

#[test]
fn a_chart_of_one_policy_shows_the_chosen_one_or_the_first_that_it_can() {
    let state = with_memory(ChartKind::Targets);
    let shown = |state: &State| shown_policy(state).map(|policy| policy.to_string());
    assert_eq!(shown(&state).as_deref(), Some("wfair"));
    let policy = Some("justice".parse().expect("a policy"));
    let state = state.reduce(ViewAction::Chart(ChartChoice { policy, ..state.chart }));
    assert_eq!(shown(&state).as_deref(), Some("justice"));
    let memory = with_memory(ChartKind::Memory);
    assert_eq!(shown(&memory).as_deref(), Some("fair"));
}

#[test]
fn ujf_is_not_late_against_itself_but_against_the_fluid() {
    let state = settled("two-users", ChartKind::Fairness);
    let ujf = |state: &State| {
        let table = chart(state, &[], state.axis()).table(100);
        table.rows.into_iter().find(|row| row[0] == "UJF").expect("a row of UJF")
    };
    assert_eq!(ujf(&state)[1..], ["0.0 %", "0.0 %"]);
    let choice = ChartChoice { against: ReferencePolicy::FluidUjf, ..state.chart };
    assert_ne!(ujf(&state.reduce(ViewAction::Chart(choice)))[1..], ["0.0 %", "0.0 %"]);
}

#[test]
fn a_sweep_passes_through_what_the_page_shows() {
    let state = swept_here(settled("skew", ChartKind::AdvisoryTaskRuntime));
    let chart = chart(&state, &settings(&state), state.axis());
    let policy: PolicyId = "uwfq-p".parse().expect("a policy");
    let own = state.document.scenario.partitioning().advisory_task_runtime.seconds();
    let line = chart.series.iter().find(|series| series.name == "UWFQ-P").expect("a line");
    let at_own = line.points.iter().find(|point| point.x == own).expect("the scenario's own ATR");
    let shown = state.runs[&policy].analysis.as_ref().expect("an analysis").summary.mean_response;
    assert_eq!(Some(at_own.y), shown);
    let level = chart.series.iter().find(|series| series.name == "UWFQ").expect("a level line");
    assert!(level.points.windows(2).all(|pair| pair[0].y == pair[1].y));
}

#[test]
fn nothing_is_swept_while_anything_else_runs_and_an_edit_starts_over() {
    let state = settled("skew", ChartKind::EstimateError);
    let settings = settings(&state);
    let all = wanted(&state, &settings).len();
    assert_eq!(all, settings.len() * state.view.policies.len());
    let point = wanted(&state, &settings).swap_remove(0);
    let state = state.reduce(RunAction::Swept(state.revision, point.clone(), Ok(1.0)));
    assert_eq!(wanted(&state, &settings).len(), all - 1);
    assert!(wanted(&state.reduce(DocumentAction::DragStart), &settings).is_empty());
    let edit = Edit::AddUser { name: "ben".to_owned(), weight: Weight::ONE };
    let edited = state.reduce(DocumentAction::Edit(edit));
    assert!(edited.revision > state.revision && edited.means.is_empty());
    assert!(wanted(&edited, &settings).is_empty(), "schedules first");
    let late = edited.reduce(RunAction::Swept(state.revision, point, Ok(1.0)));
    assert!(late.means.is_empty(), "an answer about an earlier version");
}

#[test]
fn properties_are_checked_on_request_and_forgotten_with_an_edit() {
    let state = settled("two-users", ChartKind::Properties);
    assert!(unchecked(&state).is_empty(), "nobody has asked for them");
    let asked = state.reduce(ViewAction::Chart(ChartChoice { checking: true, ..state.chart }));
    let all: Vec<PolicyId> = asked.view.policies.iter().copied().collect();
    assert_eq!(unchecked(&asked), all);
    let properties = measurement::check(&asked.document.scenario, all[0], &mut |_| Control::Continue);
    let answer = Shared::new(*properties.expect("nobody asks to stop"));
    let known = asked.reduce(RunAction::Checked(asked.revision, all[0], Ok(answer.clone())));
    assert_eq!(unchecked(&known), all[1..]);
    assert!(unchecked(&known.reduce(DocumentAction::DragStart)).is_empty());
    let edited =
        known.reduce(DocumentAction::Edit(Edit::AddUser { name: "cho".to_owned(), weight: Weight::ONE }));
    assert!(edited.properties.is_empty() && !edited.chart.checking);
    let late = edited.reduce(RunAction::Checked(known.revision, all[0], Ok(answer)));
    assert!(late.properties.is_empty(), "an answer about an earlier version");
}
