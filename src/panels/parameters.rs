//! The fields of a policy's parameters, where the policy is ticked.

use yew::prelude::*;

use super::field::{ChoiceField, Fields, reader};
use crate::store::Action;
use fairlane::number;
use fairlane::policy::parameters::{Parameter, ParameterKind, ParameterSet};
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::edit::Edit;
use fairlane::scenario::field;
use fairlane_study::sweep::tune::Knob;

/// The fields of a policy's parameters, its own and those that it shares with others, each that is a number with a button
/// that tunes it. `ticked` is the policy as it is shown, under one partitioning or the other.
pub fn parameter_fields(fields: &Fields, kind: PolicyKind, ticked: PolicyId) -> Html {
    let sets = kind.info().parameter_sets();
    let parameters = sets.iter().flat_map(|set| set.parameters.iter().map(|parameter| (*set, parameter)));
    html! {
        { for parameters.map(|(set, parameter)| html! {
            <div class="parameter" key={parameter.name}>
                { parameter_field(fields, kind, set, parameter) }
                { tune_button(fields, ticked, parameter) }
            </div>
        }) }
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

/// A field for a parameter: what it does, what it may be, and what it is.
fn parameter_field(
    fields: &Fields,
    kind: PolicyKind,
    set: ParameterSet,
    parameter: &'static Parameter,
) -> Html {
    // Several policies share a set.
    let id = format!("{}-{}", kind.info().id, parameter.name);
    // Without the policy's name, which is above it.
    let title = parameter.title;
    let label = title.strip_prefix(kind.info().title).unwrap_or(title).trim_start_matches([':', ' ']);
    let given = fields.document.scenario.parameters().get(set.id, parameter.name).cloned();
    let value = given.unwrap_or_else(|| parameter.kind.default());
    let edit = move |value: serde_json::Value| Edit::Parameter {
        policy: set.id.to_owned(),
        name: parameter.name.to_owned(),
        value,
    };
    let help = format!("{}{}", parameter.summary, range(&parameter.kind));
    let number = value.as_f64().unwrap_or_default().to_string();
    match parameter.kind {
        ParameterKind::Choice { options } => {
            let pick = fields.send.reform(move |word: String| Action::Edit(edit(word.into())));
            let options: Vec<_> = options.iter().map(|&(word, title)| (word.into(), title.into())).collect();
            let value = value.as_str().unwrap_or_default().to_owned();
            html! { <ChoiceField {id} {label} {help} {pick} {options} {value} /> }
        }
        ParameterKind::Seconds { .. } => {
            let read = reader(field::span, move |span| edit(span.seconds().into()));
            fields.field(id, label, parameter.unit, help, number, read)
        }
        ParameterKind::Number { .. } | ParameterKind::Whole { .. } => {
            let read = reader(field::number, move |number| edit(number.into()));
            fields.field(id, label, parameter.unit, help, number, read)
        }
        ParameterKind::OptionalNumber { .. } => {
            let read = reader(field::optional_number, move |number| edit(number.into()));
            let value = if value.is_null() { String::new() } else { number };
            fields.field(id, label, parameter.unit, help, value, read)
        }
    }
}

/// What a parameter may be, as a sentence after its summary.
fn range(kind: &ParameterKind) -> String {
    let bounds =
        |least: f64, most: f64| format!("{} to {}", number::trimmed(least, 3), number::trimmed(most, 3));
    match *kind {
        ParameterKind::Number { default, least, most } => {
            format!(" From {}; usually {}.", bounds(least, most), number::trimmed(default, 3))
        }
        ParameterKind::Whole { default, least, most } => {
            format!(" A whole number from {}; usually {default}.", bounds(least.into(), most.into()))
        }
        ParameterKind::OptionalNumber { least, most } => format!(" From {}, or empty.", bounds(least, most)),
        ParameterKind::Seconds { default } => {
            format!(" Seconds from 0; usually {}.", number::trimmed(default, 3))
        }
        ParameterKind::Choice { .. } => String::new(),
    }
}
