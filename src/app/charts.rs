//! The chart that is shown, as data derived from the page's state.

use super::store::{Against, ChartKind, State};
use super::sweep::{self, Means, Setting, SweepPoint};
use crate::ids::UserId;
use crate::metrics::{Fairness, Summary};
use crate::policy::PolicyId;
use crate::scenario::Mode;
use crate::sweep::tune::Knob;
use crate::units::Span;
use crate::view::TimeAxis;
use crate::view::chart::{self, Bars, Chart, Grouping, SweepAxis};

impl ChartKind {
    /// All of them, in the order in which they are offered.
    pub const ALL: [ChartKind; 12] = [
        ChartKind::Responses,
        ChartKind::Users,
        ChartKind::Fairness,
        ChartKind::Slowdown,
        ChartKind::Cores,
        ChartKind::Sharing,
        ChartKind::DominantShares,
        ChartKind::Targets,
        ChartKind::Memory,
        ChartKind::AdvisoryTaskRuntime,
        ChartKind::EstimateError,
        ChartKind::Parameter,
    ];

    /// Whether it shows one policy at a time.
    pub fn is_of_one_policy(self) -> bool {
        matches!(
            self,
            ChartKind::Cores
                | ChartKind::DominantShares
                | ChartKind::Targets
                | ChartKind::Memory
                | ChartKind::Parameter
        )
    }

    /// Whether it has the panels' time axis.
    pub fn is_over_time(self) -> bool {
        matches!(
            self,
            ChartKind::Cores
                | ChartKind::Sharing
                | ChartKind::DominantShares
                | ChartKind::Targets
                | ChartKind::Memory
        )
    }

    /// Identifies it in the page's elements and in file names.
    pub fn id(self) -> &'static str {
        match self {
            ChartKind::Responses => "responses",
            ChartKind::Users => "users",
            ChartKind::Fairness => "fairness",
            ChartKind::Slowdown => "slowdown",
            ChartKind::Cores => "cores",
            ChartKind::AdvisoryTaskRuntime => "atr",
            ChartKind::EstimateError => "estimates",
            ChartKind::Sharing => "sharing",
            ChartKind::DominantShares => "shares",
            ChartKind::Targets => "targets",
            ChartKind::Memory => "memory",
            ChartKind::Parameter => "tune",
        }
    }

    /// Its name in the list of charts.
    pub fn name(self) -> &'static str {
        match self {
            ChartKind::Responses => "Response times (ECDF)",
            ChartKind::Users => "Mean response by user",
            ChartKind::Fairness => "Violations and slacks by user",
            ChartKind::Slowdown => "Slowdown by job size",
            ChartKind::Cores => "Cores in use over time",
            ChartKind::AdvisoryTaskRuntime => "Sweep: task runtime (ATR)",
            ChartKind::EstimateError => "Sweep: estimate error",
            ChartKind::Sharing => "Fairness between jobs over time",
            ChartKind::DominantShares => "Dominant shares over time",
            ChartKind::Targets => "Cores held against target",
            ChartKind::Memory => "Memory in use over time",
            ChartKind::Parameter => "Tune: a policy’s parameter",
        }
    }

    /// What it shows and how it is read, in a sentence or two.
    pub fn about(self) -> &'static str {
        match self {
            ChartKind::Responses => {
                "Share of jobs that are completed within a time: a curve further to the left is faster, a curve \
                 that flattens early leaves some jobs waiting."
            }
            ChartKind::Users => "Mean response time of each user’s jobs under each policy.",
            ChartKind::Fairness => {
                "How much longer each user’s jobs take on average than under UJF, in percent: right of zero the \
                 fair share is violated, left of it there is slack."
            }
            ChartKind::Slowdown => {
                "Response time divided by the response time alone on the idle cluster, a dot per job, against its \
                 true work. Hollow dots: runtime partitioning."
            }
            ChartKind::Cores => "Which user’s tasks hold the cores, in the time window that the panels show.",
            ChartKind::AdvisoryTaskRuntime => {
                "The same jobs cut into ever larger tasks. Too small, and overhead wins; too large, and skew \
                 wins. Policies without runtime partitioning are flat lines."
            }
            ChartKind::EstimateError => {
                "The same jobs with estimates that are off by a random factor each, in either direction. Policies that \
                 use no estimates are flat lines."
            }
            ChartKind::Sharing => {
                "Jain’s index of the part of their parallelism that active jobs hold: 1 if it is the same for all, 1/n if \
                 one of n jobs has everything."
            }
            ChartKind::DominantShares => {
                "The larger of the parts of all cores and of all memory that each user’s tasks hold."
            }
            ChartKind::Targets => {
                "Cores that jobs hold, and those that their policy means them to hold: a share by estimated work, PAF’s \
                 allocation, or what a job is given for its deadline."
            }
            ChartKind::Memory => "Which user’s tasks hold the memory.",
            ChartKind::Parameter => {
                "The same jobs under one policy with other values of one of its parameters. The lowest point is the best \
                 value for this scenario; another scenario may want another."
            }
        }
    }
}

/// The settings that a chart sweeps over, in ascending order; none for other charts.
pub fn settings(state: &State) -> Vec<Setting> {
    match state.chart.kind {
        ChartKind::AdvisoryTaskRuntime => sweep::advisory_task_runtimes(&state.document.scenario),
        ChartKind::EstimateError => sweep::estimate_errors(state.chart.seed),
        ChartKind::Parameter => tuned(state).map_or_else(Vec::new, |(policy, index, _)| {
            sweep::parameter_values(&state.document.scenario, policy, index)
        }),
        _ => Vec::new(),
    }
}

/// The ticked policies that have a number to tune.
pub fn tunable(state: &State) -> impl Iterator<Item = PolicyId> + '_ {
    state.ticked.iter().copied().filter(|policy| !Knob::parameters(*policy).is_empty())
}

/// The policy that is tuned, and its parameter with its index; `None` if no ticked policy has any.
pub fn tuned(state: &State) -> Option<(PolicyId, u8, Knob)> {
    let chosen = tunable(state).find(|policy| Some(*policy) == state.chart.policy);
    let policy = chosen.or_else(|| tunable(state).next())?;
    let knobs = Knob::parameters(policy);
    let index = state.chart.parameter.min(knobs.len() as u8 - 1);
    Some((policy, index, knobs[usize::from(index)]))
}

/// The policies that are swept: the ticked ones that the setting affects.
pub fn swept(state: &State) -> Vec<PolicyId> {
    let ticked = state.ticked.iter().copied();
    match state.chart.kind {
        ChartKind::AdvisoryTaskRuntime => {
            ticked.filter(|policy| policy.partitioning == Mode::Runtime).collect()
        }
        ChartKind::EstimateError => ticked.collect(),
        ChartKind::Parameter => tuned(state).map(|(policy, ..)| policy).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The simulations that a sweep needs and that are not there yet, setting by setting, so that all lines
/// grow together; none while anything else is being simulated, and of a parameter only while it is tuned.
pub fn wanted(state: &State, settings: &[Setting]) -> Vec<SweepPoint> {
    let stopped = state.chart.kind == ChartKind::Parameter && !state.chart.tuning;
    if stopped || !is_still(state) {
        return Vec::new();
    }
    let policies = swept(state);
    let points = settings
        .iter()
        .flat_map(|&setting| policies.iter().map(move |&policy| SweepPoint { setting, policy }));
    points.filter(|point| !state.means.contains_key(point)).collect()
}

/// Whether nothing is dragged and every schedule is that of the document as it is.
pub fn is_still(state: &State) -> bool {
    state.drag.is_none() && state.is_settled()
}

/// What tuning has found: the best value of the parameter and its mean response time in seconds, once all are known.
pub fn best_value(state: &State, settings: &[Setting]) -> Option<(f64, f64)> {
    let (policy, ..) = tuned(state).filter(|_| state.chart.kind == ChartKind::Parameter)?;
    let points = || settings.iter().map(|&setting| SweepPoint { setting, policy });
    points().all(|point| state.means.contains_key(&point)).then_some(())?;
    sweep::best(&state.means, points()).map(|(point, mean)| (point.setting.value(), mean))
}

/// The policy of a chart that shows one.
pub fn shown_policy(state: &State) -> Option<PolicyId> {
    let there = || state.analyses().map(|(policy, _)| policy);
    let chosen = state.chart.policy;
    let fitting = match state.chart.kind {
        ChartKind::Parameter => return tuned(state).map(|(policy, ..)| policy),
        ChartKind::Targets if chosen.is_none() => there().find(|policy| policy.kind.has_targets()),
        _ => there().find(|policy| Some(*policy) == chosen),
    };
    fitting.or_else(|| there().next())
}

/// The chosen user, if the scenario has it.
pub fn user(state: &State) -> Option<UserId> {
    state.chart.user.filter(|user| user.index() < state.document.scenario.users().len())
}

/// The chosen chart.
pub fn chart(state: &State, settings: &[Setting], window: TimeAxis) -> Chart {
    let scenario = &state.document.scenario;
    let users: Vec<String> = scenario.users().iter().map(|user| user.name.clone()).collect();
    let analyses: Vec<_> = state.current_analyses().collect();
    let choice = &state.chart;
    let policy = shown_policy(state);
    // What goes through all tasks event by event is not made again for each turn of the wheel.
    let whole = TimeAxis::whole(state.end());
    let shown = analyses.iter().find(|(other, _)| Some(*other) == policy).map(|(_, analysis)| *analysis);
    let nothing = || chart::user_bars(&Bars::RESPONSE, &[], &users, Grouping::User);
    match choice.kind {
        ChartKind::Responses => {
            let inputs: Vec<_> =
                analyses.iter().map(|(policy, analysis)| (*policy, &*analysis.trace.jobs)).collect();
            chart::ecdf(&inputs, user(state), &users)
        }
        ChartKind::Users => {
            let rows: Vec<_> = analyses
                .iter()
                .map(|(policy, analysis)| (*policy, analysis.summary.by_user.clone()))
                .collect();
            chart::user_bars(&Bars::RESPONSE, &rows, &users, choice.grouping)
        }
        ChartKind::Fairness => {
            let (bars, of): (_, fn(&Summary) -> Option<&Fairness>) = match choice.against {
                Against::PracticalUjf => (&Bars::AGAINST_UJF, |summary| summary.ujf.as_ref()),
                Against::FluidUjf => (&Bars::AGAINST_FLUID, |summary| Some(&summary.fluid)),
            };
            // A quick analysis has no comparison with UJF.
            let rows = analyses
                .iter()
                .filter_map(|(policy, analysis)| Some((*policy, of(&analysis.summary)?.user_delays.clone())));
            chart::user_bars(bars, &rows.collect::<Vec<_>>(), &users, choice.grouping)
        }
        ChartKind::Slowdown => {
            let inputs: Vec<_> = analyses
                .iter()
                .map(|(policy, analysis)| (*policy, &*analysis.trace.jobs, &*analysis.alone))
                .collect();
            chart::slowdown_by_size(scenario, &inputs)
        }
        ChartKind::Cores => {
            shown.map_or_else(nothing, |analysis| chart::cores_in_use(&analysis.trace, window))
        }
        ChartKind::Sharing => {
            let inputs: Vec<_> =
                analyses.iter().map(|(policy, analysis)| (*policy, &analysis.trace)).collect();
            chart::fairness_over_time(scenario, &inputs, whole)
        }
        ChartKind::DominantShares => {
            shown.map_or_else(nothing, |analysis| chart::dominant_shares(scenario, &analysis.trace, whole))
        }
        ChartKind::Memory => {
            shown.map_or_else(nothing, |analysis| chart::memory_in_use(scenario, &analysis.trace, whole))
        }
        ChartKind::Targets => {
            let targets = shown.and_then(|analysis| Some((&analysis.trace, analysis.targets()?)));
            targets.map_or_else(nothing, |(trace, targets)| {
                chart::held_against_target(scenario, trace, &targets, user(state), whole)
            })
        }
        ChartKind::Parameter => match tuned(state) {
            Some((_, _, knob)) => {
                let axis = SweepAxis::Parameter(knob.name());
                swept_chart(state, axis, settings, Some(knob.own(scenario)), &[])
            }
            None => nothing(),
        },
        ChartKind::AdvisoryTaskRuntime => {
            let unswept = analyses.iter().filter(|(policy, _)| policy.partitioning == Mode::Default);
            let levels: Vec<_> = unswept
                .filter_map(|(policy, analysis)| Some((*policy, analysis.summary.mean_response?)))
                .collect();
            let own: Span = scenario.partitioning().advisory_task_runtime;
            swept_chart(state, SweepAxis::AdvisoryTaskRuntime, settings, Some(own.seconds()), &levels)
        }
        ChartKind::EstimateError => swept_chart(state, SweepAxis::EstimateError, settings, None, &[]),
    }
}

fn swept_chart(
    state: &State,
    axis: SweepAxis<'_>,
    settings: &[Setting],
    own: Option<f64>,
    levels: &[(PolicyId, f64)],
) -> Chart {
    let mean = |setting: Setting, policy: PolicyId| match state.means.get(&SweepPoint { setting, policy }) {
        Some(Ok(mean)) => Some(*mean),
        _ => None,
    };
    let policies = swept(state);
    let lines = policies
        .iter()
        .map(|&policy| (policy, settings.iter().map(|&setting| mean(setting, policy)).collect::<Vec<_>>()));
    let lines: Vec<_> = lines.collect();
    let values: Vec<f64> = settings.iter().map(|setting| setting.value()).collect();
    let mut chart = chart::sweep_chart(axis, &values, own, &lines, levels);
    chart.notes = missing(&state.means, settings, &policies);
    chart
}

/// Why points are missing, each reason once.
fn missing(means: &Means, settings: &[Setting], policies: &[PolicyId]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for &setting in settings {
        for &policy in policies {
            if let Some(Err(why)) = means.get(&SweepPoint { setting, policy }) {
                let note = format!("{} at {}: {why}.", policy.title(), setting.value());
                if !notes.iter().any(|other| other.ends_with(&format!("{why}."))) {
                    notes.push(note);
                }
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::codec::analyze_here;
    use crate::app::shared::Shared;
    use crate::app::store::{Action, ChartChoice, Document};
    use crate::catalog;
    use crate::link::Origin;
    use crate::metrics;
    use crate::scenario::edit::Edit;
    use crate::units::Weight;

    /// The page with everything simulated.
    fn settled(name: &str, kind: ChartKind) -> State {
        let entry = catalog::find(name).expect("an entry");
        settle(Document::from_catalog(entry), kind, &[])
    }

    /// The same of a document, with some policies ticked instead of its own.
    fn settle(document: Document, kind: ChartKind, policies: &[&str]) -> State {
        let mut state = State::new(Shared::new(document));
        if !policies.is_empty() {
            let ticked: Vec<PolicyId> = state.ticked.iter().copied().collect();
            let wanted = policies.iter().map(|policy| policy.parse().expect("a policy"));
            let toggled = ticked.into_iter().chain(wanted);
            state = toggled.fold(state, |state, policy| state.reduce(Action::Toggle(policy)));
        }
        let state = state.reduce(Action::Chart(ChartChoice { kind, ..state.chart }));
        let policies: Vec<PolicyId> = state.ticked.iter().copied().collect();
        policies.into_iter().fold(state, |state, policy| {
            let analysis = analyze_here(&state.document.scenario, policy);
            state.reduce(Action::Finished(state.revision, policy, Ok(analysis)))
        })
    }

    /// Does what a worker does for every point that is wanted.
    fn sweep(mut state: State) -> State {
        let settings = settings(&state);
        for point in wanted(&state, &settings) {
            let scenario = point.setting.apply(&state.document.scenario, point.policy);
            let mean = scenario.map(|scenario| {
                let trace = crate::simulate(&scenario, point.policy);
                metrics::mean_response(&trace.jobs).expect("all jobs finish")
            });
            state = state.reduce(Action::Swept(state.revision, point, mean));
        }
        assert!(wanted(&state, &settings).is_empty());
        state
    }

    /// A scenario with memory under policies of which some have targets.
    fn with_memory(kind: ChartKind) -> State {
        let scenario = crate::Scenario::from_json(
            r#"{"format": "fairlane/scenario@1",
                "cluster": {"cores_per_executor": 4, "memory_mb_per_executor": 400}, "jobs": [
                {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, 1, 1, 1, 3, 3], "memory_mb": 100}]},
                {"user": "ben", "arrival_s": 1, "stages": [{"tasks_s": [1, 1], "memory_mb": 50}]}]}"#,
        );
        let document =
            Document::new(scenario.expect("a good scenario"), Origin::File("memory.json".to_owned()));
        settle(document, kind, &["fair", "wfair", "justice"])
    }

    /// Everything but what needs memory or targets is there for any scenario, and that is where there are some.
    #[test]
    fn every_chart_has_figures_and_a_table_of_the_same_size() {
        for kind in ChartKind::ALL {
            let special = [ChartKind::Targets, ChartKind::Memory, ChartKind::Parameter].contains(&kind);
            let state = if special { with_memory(kind) } else { settled("skew", kind) };
            let state = state.reduce(Action::Chart(ChartChoice { tuning: true, ..state.chart }));
            let state = sweep(state);
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
        let values = settings(&state);
        assert_eq!((values.len(), swept(&state)), (41, vec!["wfair".parse().expect("a policy")]));
        assert!(wanted(&state, &values).is_empty(), "nobody has asked for it");
        let tuning = state.reduce(Action::Chart(ChartChoice { tuning: true, ..state.chart }));
        assert_eq!((wanted(&tuning, &values).len(), best_value(&tuning, &values)), (41, None));
        let tuned = sweep(tuning);
        let (best, mean) = best_value(&tuned, &values).expect("all points are known");
        let chart = chart(&tuned, &values, tuned.axis());
        assert!(chart.series[0].points.iter().all(|point| point.y >= mean));
        assert_eq!(chart.marks, [(0.0, "the scenario’s value".to_owned())]);
        let (_, _, knob) = super::tuned(&tuned).expect("a policy with a parameter");
        let edited = tuned.reduce(Action::Edit(knob.edit(best).expect("a parameter")));
        assert_eq!(knob.own(&edited.document.scenario), best);
        let undone = edited.reduce(Action::Undo);
        assert_eq!(knob.own(&undone.document.scenario), 0.0);
    }

    #[test]
    fn a_chart_of_one_policy_shows_the_chosen_one_or_the_first_that_it_can() {
        let state = with_memory(ChartKind::Targets);
        let shown = |state: &State| shown_policy(state).map(|policy| policy.to_string());
        assert_eq!(shown(&state).as_deref(), Some("wfair"));
        let policy = Some("justice".parse().expect("a policy"));
        let state = state.reduce(Action::Chart(ChartChoice { policy, ..state.chart }));
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
        let choice = ChartChoice { against: Against::FluidUjf, ..state.chart };
        assert_ne!(ujf(&state.reduce(Action::Chart(choice)))[1..], ["0.0 %", "0.0 %"]);
    }

    #[test]
    fn a_sweep_passes_through_what_the_page_shows() {
        let state = sweep(settled("skew", ChartKind::AdvisoryTaskRuntime));
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
        assert_eq!(all, settings.len() * state.ticked.len());
        let point = wanted(&state, &settings)[0];
        let state = state.reduce(Action::Swept(state.revision, point, Ok(1.0)));
        assert_eq!(wanted(&state, &settings).len(), all - 1);
        assert!(wanted(&state.reduce(Action::DragStart), &settings).is_empty());
        let edit = Edit::AddUser { name: "ben".to_owned(), weight: Weight::ONE };
        let edited = state.reduce(Action::Edit(edit));
        assert!(edited.revision > state.revision && edited.means.is_empty());
        assert!(wanted(&edited, &settings).is_empty(), "schedules first");
        let late = edited.reduce(Action::Swept(state.revision, point, Ok(1.0)));
        assert!(late.means.is_empty(), "an answer about an earlier version");
    }
}
