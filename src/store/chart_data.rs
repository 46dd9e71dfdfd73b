//! The chart that is shown, as data derived from the page's state.

mod kind;

use crate::results::measurement::{self, CostAxis, MeasuredMeans, SweepPoint, SweepSetting, TuningChoice};
use crate::store::{ChartKind, ReferencePolicy, State};
use fairlane::ids::UserId;
use fairlane::metrics::{DeadlineFigures, Fairness, Summary};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::{Edit, PartitionMode, Scenario};
use fairlane::units::Span;
use fairlane_study::sweep::tune::{Curve, Tunable, Tuning};
use fairlane_view::TimeAxis;
use fairlane_view::chart::{
    self, Bars, Chart, CoreHolder, CostPoint, Grouping, Scale, SweepAxis, TunedCurve,
};

/// The settings that a chart sweeps over, in ascending order; none for other charts.
pub fn settings(state: &State) -> Vec<SweepSetting> {
    match state.chart.kind {
        ChartKind::AdvisoryTaskRuntime => measurement::advisory_task_runtimes(&state.document.scenario),
        ChartKind::EstimateError => measurement::estimate_errors(state.chart.seed),
        ChartKind::Cost => costs(state).into_iter().flatten().collect(),
        ChartKind::Parameter => {
            tuning(state).map_or_else(Vec::new, |tuning| measurement::tuned_cells(&tuning))
        }
        _ => Vec::new(),
    }
}

/// The ticked policies that have a number to tune.
fn tunable(state: &State) -> impl Iterator<Item = PolicyId> + '_ {
    state.view.policies.iter().copied().filter(|policy| !Tunable::all(*policy).is_empty())
}

/// The policy that is tuned, and its parameter; `None` if no ticked policy has any.
pub fn tuned(state: &State) -> Option<(PolicyId, Tunable)> {
    let chosen = tunable(state).find(|policy| Some(*policy) == state.chart.policy);
    let policy = chosen.or_else(|| tunable(state).next())?;
    let mut tunables = Tunable::all(policy);
    let index = usize::from(state.chart.tuned.tunable);
    Some((policy, tunables.swap_remove(if index < tunables.len() { index } else { 0 })))
}

/// What is tuned, within what there is.
fn tuned_choice(state: &State) -> TuningChoice {
    let chosen = state.chart.tuned;
    let tunables = tuned(state).map_or(0, |(policy, _)| Tunable::all(policy).len());
    let tunable = if usize::from(chosen.tunable) < tunables { chosen.tunable } else { 0 };
    let seeded = state.document.generator().is_some();
    TuningChoice { tunable, further_seeds: if seeded { chosen.further_seeds } else { 0 }, ..chosen }
}

/// The tuning of the chosen parameter; `None` if no ticked policy has any.
fn tuning(state: &State) -> Option<Tuning> {
    let (policy, _) = tuned(state)?;
    measurement::tuning(&state.document.scenario, state.document.generator(), policy, tuned_choice(state))
}

/// The figure of a setting under a policy, once it is known.
fn known(state: &State, setting: &SweepSetting, policy: PolicyId) -> Option<f64> {
    state.means.get(&setting.under(policy))?.as_ref().ok().copied()
}

/// The curve of a tuning as far as it is known.
fn curve(state: &State, tuning: Tuning) -> (Tuning, Curve) {
    let figure = |cell: usize| known(state, &measurement::tuned_cell(&tuning, cell), tuning.policy());
    let figures = (0..tuning.cells()).map(figure).collect();
    // Its own value is that of the scenario; to make it again from its seed for each point would take long.
    let tuning = Tuning { workload: Scenario::clone(&state.document.scenario).into(), ..tuning };
    let curve = tuning.curve(figures);
    (tuning, curve)
}

/// What tuning has shown.
pub struct TuningOutcome {
    /// The outcome in a sentence or two.
    pub words: String,
    /// The best value of the parameter, unless it is the scenario's own; with the edit that sets it.
    pub better: Option<(f64, Edit)>,
}

/// What tuning has shown, once all figures are known.
pub fn outcome(state: &State, settings: &[SweepSetting]) -> Option<TuningOutcome> {
    let tuning = tuning(state).filter(|_| state.chart.kind == ChartKind::Parameter)?;
    let mut points = settings.iter().map(|setting| setting.under(tuning.policy()));
    points.all(|point| state.means.contains_key(&point)).then_some(())?;
    let tunable = tuning.knob.clone();
    let (tuning, curve) = curve(state, tuning);
    let best = curve.best.map(|best| curve.points[best].value);
    let better = best.filter(|best| *best != tunable.own(&state.document.scenario));
    Some(TuningOutcome {
        words: tuning.verdict(&curve),
        better: better.map(|value| (value, tunable.edit(value))),
    })
}

/// The policies that are swept: the ticked ones that the setting affects.
pub fn swept(state: &State) -> Vec<PolicyId> {
    let ticked = state.view.policies.iter().copied();
    match state.chart.kind {
        ChartKind::AdvisoryTaskRuntime => {
            ticked.filter(|policy| policy.partitioning == PartitionMode::Runtime).collect()
        }
        ChartKind::EstimateError | ChartKind::Cost => ticked.collect(),
        ChartKind::Parameter => tuned(state).map(|(policy, ..)| policy).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The simulations that a sweep needs and that are not there yet, setting by setting, so that all lines
/// grow together; none while anything else is being simulated, and of a parameter only while it is tuned.
pub fn wanted(state: &State, settings: &[SweepSetting]) -> Vec<SweepPoint> {
    let stopped = state.chart.kind == ChartKind::Parameter && !state.chart.tuning;
    if stopped || !is_still(state) {
        return Vec::new();
    }
    let policies = swept(state);
    let points = settings.iter().flat_map(|setting| policies.iter().map(|&policy| setting.under(policy)));
    points.filter(|point| !state.means.contains_key(point)).collect()
}

/// The ticked policies whose properties are not known yet; none while anything else is being simulated, and only on
/// request.
pub fn unchecked(state: &State) -> Vec<PolicyId> {
    let requested = state.chart.kind == ChartKind::Properties && state.chart.checking;
    let unknown = state.view.policies.iter().filter(|policy| !state.properties.contains_key(policy));
    if requested && is_still(state) { unknown.copied().collect() } else { Vec::new() }
}

/// Whether nothing is dragged and every schedule is that of the document as it is.
pub fn is_still(state: &State) -> bool {
    state.drag.is_none() && state.is_settled()
}

/// The policy of a chart that shows one.
pub fn shown_policy(state: &State) -> Option<PolicyId> {
    let there = || state.analyses().map(|(policy, _)| policy);
    let chosen = state.chart.policy;
    let fitting = match state.chart.kind {
        ChartKind::Parameter => return tuned(state).map(|(policy, ..)| policy),
        ChartKind::Targets if chosen.is_none() => there().find(|policy| policy.kind.info().targets),
        _ => there().find(|policy| Some(*policy) == chosen),
    };
    fitting.or_else(|| there().next())
}

/// The chosen user, if the scenario has it.
pub fn user(state: &State) -> Option<UserId> {
    state.chart.user.filter(|user| user.index() < state.document.scenario.users().len())
}

/// The users or jobs whose cores are compared with targets: the chosen ones, if the scenario has them.
pub fn whose(state: &State) -> CoreHolder {
    let scenario = &state.document.scenario;
    match state.chart.whose {
        CoreHolder::User(user) if user.index() >= scenario.users().len() => CoreHolder::All,
        CoreHolder::Job(job) if job.index() >= scenario.jobs().len() => CoreHolder::All,
        whose => whose,
    }
}

/// The chosen chart, its users in their colours.
pub fn chart(state: &State, settings: &[SweepSetting], window: TimeAxis) -> Chart {
    drawn(state, settings, window).in_colours_of(&state.document.scenario)
}

fn drawn(state: &State, settings: &[SweepSetting], window: TimeAxis) -> Chart {
    let scenario = &state.document.scenario;
    let users: Vec<String> = scenario.users().iter().map(|user| user.name.clone()).collect();
    let analyses: Vec<_> = state.current_analyses().collect();
    let choice = &state.chart;
    let policy = shown_policy(state);
    // What goes through all tasks event by event is not made again for each turn of the wheel.
    let whole = TimeAxis::whole(state.end());
    let shown = analyses.iter().find(|(other, _)| Some(*other) == policy).map(|(_, analysis)| *analysis);
    let evaluations = || analyses.iter().map(|(_, analysis)| &analysis.evaluation).collect::<Vec<_>>();
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
                ReferencePolicy::PracticalUjf => (&Bars::AGAINST_UJF, |summary| summary.ujf.as_ref()),
                ReferencePolicy::FluidUjf => (&Bars::AGAINST_FLUID, |summary| Some(&summary.fluid)),
            };
            // A quick analysis has no comparison with UJF.
            let rows = analyses
                .iter()
                .filter_map(|(policy, analysis)| Some((*policy, of(&analysis.summary)?.user_delays.clone())));
            chart::user_bars(bars, &rows.collect::<Vec<_>>(), &users, choice.grouping)
        }
        ChartKind::Slowdown => chart::slowdown_by_size(&evaluations()),
        ChartKind::TargetSizes => {
            let inputs: Vec<_> = analyses
                .iter()
                .filter_map(|(_, analysis)| Some((&analysis.evaluation, analysis.targets()?)))
                .collect();
            chart::target_by_size(&inputs)
        }
        ChartKind::Cores => {
            shown.map_or_else(nothing, |analysis| chart::cores_in_use(&analysis.trace, window))
        }
        ChartKind::Sharing => chart::fairness_over_time(&evaluations(), whole),
        ChartKind::DominantShares => {
            shown.map_or_else(nothing, |analysis| chart::dominant_shares(analysis, whole))
        }
        ChartKind::Memory => shown.map_or_else(nothing, |analysis| chart::memory_in_use(analysis, whole)),
        ChartKind::Deadlines => {
            let ratios = |deadlines: &DeadlineFigures| {
                [deadlines.satisfied_ratio(), deadlines.productive_ratio(), deadlines.wasted_ratio()]
            };
            let rows = analyses.iter().filter_map(|(policy, analysis)| {
                Some((*policy, ratios(analysis.summary.special.deadlines.as_ref()?)))
            });
            chart::deadline_bars(&rows.collect::<Vec<_>>())
        }
        ChartKind::Targets => {
            let targets = shown.and_then(|analysis| Some((analysis, analysis.targets()?)));
            targets.map_or_else(nothing, |(run, targets)| {
                chart::held_against_target(run, &targets, whose(state), whole)
            })
        }
        ChartKind::Parameter => {
            tuning(state).map_or_else(nothing, |tuning| tuned_chart(state, tuning, settings))
        }
        ChartKind::AdvisoryTaskRuntime => {
            let unswept = analyses.iter().filter(|(policy, _)| policy.partitioning == PartitionMode::Default);
            let levels: Vec<_> = unswept
                .filter_map(|(policy, analysis)| Some((*policy, analysis.summary.mean_response?)))
                .collect();
            let own: Span = scenario.partitioning().advisory_task_runtime;
            swept_chart(state, SweepAxis::AdvisoryTaskRuntime, settings, Some(own.seconds()), &levels)
        }
        ChartKind::EstimateError => swept_chart(state, SweepAxis::EstimateError, settings, None, &[]),
        ChartKind::Cost => cost_chart(state),
        // A table of its own.
        ChartKind::Properties => nothing(),
    }
}

fn tuned_chart(state: &State, tuning: Tuning, settings: &[SweepSetting]) -> Chart {
    let (policy, tunable, metric) = (tuning.policy(), tuning.knob.clone(), tuning.metric);
    let (tuning, curve) = curve(state, tuning);
    let points = curve.points.iter().map(|point| (point.value, [point.mean, point.least, point.most]));
    let mut chart = chart::tuned_chart(&TunedCurve {
        policy,
        parameter: tunable.name(),
        scale: if tunable.parameter.is_none() { Scale::Log } else { Scale::Linear },
        metric: metric.title,
        unit: metric.figure().shown.unit,
        points: points.collect(),
        own: curve.own.value,
        seeds: tuning.grid.seeds.len(),
    });
    chart.notes = missing(&state.means, settings, &[policy]);
    chart
}

fn swept_chart(
    state: &State,
    axis: SweepAxis,
    settings: &[SweepSetting],
    own: Option<f64>,
    levels: &[(PolicyId, f64)],
) -> Chart {
    let policies = swept(state);
    let lines = policies.iter().map(|&policy| {
        (policy, settings.iter().map(|setting| known(state, setting, policy)).collect::<Vec<_>>())
    });
    let lines: Vec<_> = lines.collect();
    let values: Vec<f64> = settings.iter().filter_map(|setting| setting.value).collect();
    let mut chart = chart::sweep_chart(axis, &values, own, &lines, levels);
    chart.notes = missing(&state.means, settings, &policies);
    chart
}

fn costs(state: &State) -> Vec<[SweepSetting; 2]> {
    measurement::costs(&state.document.scenario, state.chart.cost)
}

/// What executors cost against mean response times, as far as both are known.
fn cost_chart(state: &State) -> Chart {
    let policies = swept(state);
    let settings = costs(state);
    let named = |value: f64| match state.chart.cost {
        CostAxis::Executors => number::counted(value as usize, "executor"),
        CostAxis::IdleTimeout => format!("idle for {} s", number::trimmed(value, 1)),
    };
    let points = settings.iter().flat_map(|[held, response]| {
        policies.iter().filter_map(move |&policy| {
            let (held_s, response) = (known(state, held, policy)?, known(state, response, policy)?);
            Some(CostPoint { policy, setting: named(held.value?), held: held_s, response })
        })
    });
    let points: Vec<CostPoint> = points.collect();
    let mut chart = chart::cost_chart(&points);
    let settings: Vec<SweepSetting> = settings.into_iter().flatten().collect();
    chart.notes = missing(&state.means, &settings, &policies);
    chart
}

/// Why points are missing, each reason once.
fn missing(means: &MeasuredMeans, settings: &[SweepSetting], policies: &[PolicyId]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for setting in settings {
        for &policy in policies {
            if let Some(Err(why)) = means.get(&setting.under(policy)) {
                let at = setting.value.map_or_else(String::new, |value| format!(" at {value}"));
                let note = format!("{}{at}: {why}.", policy.title());
                if !notes.iter().any(|other| other.ends_with(&format!("{why}."))) {
                    notes.push(note);
                }
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests;
