//! The fields of a policy's parameters, where the policy is ticked.

use yew::prelude::*;

use super::pools::PoolsTable;
use crate::panels::editors::field::EditorFields;
use crate::store::{Tab, ViewAction};
use crate::ui::send::Handlers;
use fairlane::number;
use fairlane::policy::parameters::{Parameter, ParameterKind};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::edit::ObjectPath;
use fairlane_study::sweep::tune::Tunable;

/// The fields of a policy's parameters, its own and those that it shares with others, each that is a number with a
/// button that tunes it. `ticked` is the policy as it is shown, under one partitioning or the other.
pub fn parameter_fields(fields: &EditorFields, kind: PolicyKind, ticked: PolicyId) -> Html {
    let sets = kind.info().parameter_sets();
    let parameters = sets.iter().flat_map(|set| set.parameters.iter().map(|parameter| (*set, parameter)));
    html! {
        { for parameters.map(|(set, parameter)| if parameter.kind == ParameterKind::Pools {
            html! { <PoolsTable key={parameter.name} document={fields.document.clone()} /> }
        } else if parameter.kind == ParameterKind::Program {
            let onclick = fields.send.press(ViewAction::Show(Tab::Program));
            html! { <button type="button" class="small" key={parameter.name} {onclick}>{ "Edit the program" }</button> }
        } else { html! {
            <div class="parameter" key={parameter.name}>
                { fields.with_help(format!("{}-{}", kind.info().id, parameter.name),
                    &ObjectPath::Policy(set.id.into()), parameter.name, &range(&parameter.kind)) }
                { tune_button(fields, ticked, parameter) }
            </div>
        } }) }
    }
}

/// What tunes a parameter that is a number.
fn tune_button(fields: &EditorFields, policy: PolicyId, parameter: &'static Parameter) -> Html {
    let tunables = Tunable::all(policy);
    let Some(index) = tunables.iter().position(|tunable| tunable.name() == parameter.name) else {
        return Html::default();
    };
    let onclick = fields.send.press(ViewAction::Tune(policy, index as u8));
    html! {
        <button type="button" class="small" id={format!("{}-tune-{}", policy.kind.info().id, parameter.name)} {onclick}
            aria-label={format!("Tune {}", parameter.title)}
            title="Tries its values one after the other and shows which is best">{ "Tune" }</button>
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
        ParameterKind::Choice { .. } | ParameterKind::Pools | ParameterKind::Program => String::new(),
    }
}
