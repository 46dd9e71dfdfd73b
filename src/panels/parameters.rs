//! The fields of a policy's parameters, where the policy is ticked.

use yew::prelude::*;

use super::field::Fields;
use crate::store::Action;
use fairlane::number;
use fairlane::policy::parameters::{Parameter, ParameterKind, ParameterSet};
use fairlane::policy::spark::{self, Pool, PoolMode};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane_study::sweep::tune::Knob;

/// The fields of a policy's parameters, its own and those that it shares with others, each that is a number with a
/// button that tunes it. `ticked` is the policy as it is shown, under one partitioning or the other.
pub fn parameter_fields(fields: &Fields, kind: PolicyKind, ticked: PolicyId) -> Html {
    let sets = kind.info().parameter_sets();
    let parameters = sets.iter().flat_map(|set| set.parameters.iter().map(|parameter| (*set, parameter)));
    html! {
        { for parameters.map(|(set, parameter)| if parameter.kind == ParameterKind::Pools { pools(fields, set, parameter) } else { html! {
            <div class="parameter" key={parameter.name}>
                { fields.with_help(format!("{}-{}", kind.info().id, parameter.name), &ObjectPath::Policy(set.id.into()), parameter.name, &range(&parameter.kind)) }
                { tune_button(fields, ticked, parameter) }
            </div>
        } }) }
    }
}

/// The pools that are declared, with buttons for those of the users and for none.
fn pools(fields: &Fields, set: ParameterSet, parameter: &'static Parameter) -> Html {
    let scenario = &fields.document.scenario;
    let object = ObjectPath::Policy(set.id.into());
    let value = scenario.parameters().get(set.id, parameter.name).cloned().unwrap_or_default();
    let declared: Vec<Pool> = spark::read(&value).unwrap_or_default();
    let text = declared.iter().map(|pool| {
        let mode = if pool.mode == PoolMode::Fair { "FAIR" } else { "FIFO" };
        let least = if pool.min_share > 0 { format!(", at least {}", pool.min_share) } else { String::new() };
        let most = pool.max_share.map_or_else(String::new, |most| format!(", at most {most}"));
        html! { <li key={pool.name.clone()}>{ format!("{}: {mode}, weight {}{least}{most}", pool.name, pool.weight) }</li> }
    });
    let users: Vec<Pool> = scenario.users().iter().map(Pool::fair_for).collect();
    let button = |id: &'static str, words: &'static str, pools: &[Pool], by: &'static str| {
        let pools = serde_json::to_value(pools).expect("pools are JSON");
        let edits = [Edit::set(object.clone(), parameter.name, pools), Edit::set(object.clone(), "by", by)];
        let send = fields.send.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            edits.iter().for_each(|edit| send.emit(Action::Edit(edit.clone())))
        });
        html! { <button type="button" class="small" {id} {onclick}>{ words }</button> }
    };
    html! {
        <div class="pools" key={parameter.name}>
            <p class="hint" title={parameter.summary}>{ if declared.is_empty() { "No pool is declared." } else { "Pools" } }</p>
            <ul class="hint">{ for text }</ul>
            { button("spark-pools-users", "A FAIR pool per user", &users, "user") }
            if !declared.is_empty() { { button("spark-pools-none", "None", &[], "pool") } }
        </div>
    }
}

/// What tunes a parameter that is a number.
fn tune_button(fields: &Fields, policy: PolicyId, parameter: &'static Parameter) -> Html {
    let knobs = Knob::all(policy);
    let Some(index) = knobs.iter().position(|knob| knob.name() == parameter.name) else {
        return Html::default();
    };
    let onclick = fields.send.reform(move |_: MouseEvent| Action::Tune(policy, index as u8));
    html! {
        <button type="button" class="small" id={format!("{}-tune-{}", policy.kind.info().id, parameter.name)} {onclick}
            aria-label={format!("Tune {}", parameter.title)} title="Tries its values one after the other and shows which is best">{ "Tune" }</button>
    }
}

/// What a parameter may be, as a sentence after its summary.
fn range(kind: &ParameterKind) -> String {
    let bounds =
        |least: f64, most: f64| format!("{} to {}", number::trimmed(least, 3), number::trimmed(most, 3));
    match *kind {
        ParameterKind::Number { default, least, most } => {
            format!("From {}; usually {}.", bounds(least, most), number::trimmed(default, 3))
        }
        ParameterKind::Whole { default, least, most } => {
            format!("A whole number from {}; usually {default}.", bounds(least.into(), most.into()))
        }
        ParameterKind::OptionalNumber { least, most } => format!("From {}, or empty.", bounds(least, most)),
        ParameterKind::Seconds { default } => {
            format!("Seconds from 0; usually {}.", number::trimmed(default, 3))
        }
        ParameterKind::Choice { .. } | ParameterKind::Pools => String::new(),
    }
}
