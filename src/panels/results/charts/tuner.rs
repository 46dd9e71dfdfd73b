//! Tuning a policy's parameter: what for, over how many seeds, and what has come out.

use yew::prelude::*;

use crate::panels::editors::field::{input_text, select};
use crate::results::measurement::{MAX_SEEDS, SweepSetting, TuningChoice};
use crate::store::{Action, ChartChoice, ChartKind, DocumentAction, State, ViewAction, chart_data};
use crate::ui::send::Handlers;
use fairlane::number;
use fairlane::scenario::Edit;
use fairlane_study::sweep::tune::{Goal, METRICS, Tunable};

/// Which parameter of the policy, the metric and the number of seeds.
pub(super) fn choices(state: &State, send: &Callback<Action>) -> Html {
    let choice = state.chart;
    let Some((policy, tunable)) = chart_data::tuned(state) else { return Html::default() };
    let names = Tunable::all(policy);
    let index = names.iter().position(|other| *other == tunable).unwrap_or_default();
    let options = names.iter().enumerate().map(|(index, tunable)| (index.to_string(), title(tunable)));
    let pick = |change: fn(TuningChoice, u8) -> TuningChoice| {
        send.reform(move |word: String| {
            let tuned = change(choice.tuned, word.trim().parse().unwrap_or_default());
            Action::View(ViewAction::Chart(ChartChoice { tuned, tuning: false, ..choice }))
        })
    };
    let metrics = METRICS.iter().enumerate().map(|(index, metric)| {
        let wanted = if metric.better() == Goal::Least { "lowest" } else { "highest" };
        (index.to_string(), format!("{wanted} {}", metric.title))
    });
    let seeds = pick(|tuned, seeds| TuningChoice { further_seeds: seeds.clamp(1, MAX_SEEDS) - 1, ..tuned });
    let onchange = seeds.reform(|event: Event| input_text(&event).unwrap_or_default());
    html! {
        <>
            <label>{ "Parameter" }{ select("chart-parameter", &index.to_string(), options, None,
                pick(|tuned, tunable| TuningChoice { tunable, ..tuned })) }</label>
            <label class="wide">{ "Goal" }{ select("chart-metric", &choice.tuned.metric.to_string(), metrics, None,
                pick(|tuned, metric| TuningChoice { metric, ..tuned })) }</label>
            if state.document.generator().is_some() {
                <label title="The workload is generated again with each seed; the figure is the mean over them">{
                    "Seeds" }
                    <input id="chart-seeds" type="number" min="1" max={MAX_SEEDS.to_string()} step="1"
                        value={(choice.tuned.further_seeds + 1).to_string()} {onchange} />
                </label>
            }
        </>
    }
}

/// A parameter's name for people.
fn title(tunable: &Tunable) -> &'static str {
    tunable.parameter.map_or("advisory task runtime", |parameter| parameter.name)
}

/// Starts and stops tuning, and applies what has come out.
pub(super) fn buttons(state: &State, settings: &[SweepSetting], send: &Callback<Action>) -> Html {
    let choice = state.chart;
    let Some((policy, _)) = chart_data::tuned(state).filter(|_| choice.kind == ChartKind::Parameter) else {
        return Html::default();
    };
    let outcome = chart_data::outcome(state, settings);
    let tune =
        send.press(ViewAction::Chart(ChartChoice { tuning: !choice.tuning, policy: Some(policy), ..choice }));
    let apply = |edit: Edit| {
        let send = send.clone();
        Callback::from(move |_: MouseEvent| {
            // Else it would be tuned again at once.
            send.emit(Action::View(ViewAction::Chart(ChartChoice { tuning: false, ..choice })));
            send.emit(Action::Document(DocumentAction::Edit(edit.clone())));
        })
    };
    html! {
        if let Some(outcome) = outcome {
            <p class="hint" id="chart-best" role="status">{ outcome.words }</p>
            if let Some((value, edit)) = outcome.better {
                <button type="button" id="chart-use"
                    onclick={apply(edit)}>{ format!("Use {}", number::with_minus(&value.to_string())) }</button>
            }
        } else {
            <button type="button" id="chart-tune"
                onclick={tune}>{ if choice.tuning { "Stop" } else { "Tune" } }</button>
        }
    }
}
