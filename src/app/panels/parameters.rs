//! The fields of a policy's parameters.

use yew::prelude::*;

use super::EditorProps;
use super::field::{ChoiceField, Fields, reader};
use crate::app::store::Action;
use crate::number;
use crate::policy::parameters::{Parameter, ParameterKind, ParameterSet};
use crate::scenario::edit::Edit;
use crate::scenario::field;

/// A field for a parameter: what it does, what it may be, and what it is.
pub fn parameter_field(props: &EditorProps, set: ParameterSet, parameter: &'static Parameter) -> Html {
    let id = format!("{}-{}", set.id, parameter.name);
    let given = props.document.scenario.parameters().get(set.id, parameter.name).cloned();
    let value = given.unwrap_or_else(|| parameter.kind.default());
    let edit = move |value: serde_json::Value| Edit::Parameter {
        policy: set.id.to_owned(),
        name: parameter.name.to_owned(),
        value,
    };
    let fields = Fields { document: &props.document, send: &props.send };
    let help = format!("{}{}", parameter.summary, range(&parameter.kind));
    let number = value.as_f64().unwrap_or_default().to_string();
    match parameter.kind {
        ParameterKind::Choice { options } => {
            let pick = props.send.reform(move |word: String| Action::Edit(edit(word.into())));
            let options: Vec<_> = options.iter().map(|&(word, title)| (word.into(), title.into())).collect();
            let value = value.as_str().unwrap_or_default().to_owned();
            html! { <ChoiceField {id} label={parameter.title} {help} {pick} {options} {value} /> }
        }
        ParameterKind::Seconds { .. } => {
            let read = reader(field::span, move |span| edit(span.seconds().into()));
            fields.field(id, parameter.title, parameter.unit, help, number, read)
        }
        ParameterKind::Number { .. } | ParameterKind::Whole { .. } => {
            let read = reader(field::number, move |number| edit(number.into()));
            fields.field(id, parameter.title, parameter.unit, help, number, read)
        }
        ParameterKind::OptionalNumber { .. } => {
            let read = reader(field::optional_number, move |number| edit(number.into()));
            let value = if value.is_null() { String::new() } else { number };
            fields.field(id, parameter.title, parameter.unit, help, value, read)
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
