//! Fields of the editors: a label, an input, a unit, and an explanation that gives way to an error.

use std::fmt::Display;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::shared::Shared;
use crate::store::{Action, Document, Notice, State};
use fairlane::policy::PolicyId;
use fairlane::scenario::edit::{Edit, ModelEdit};

#[derive(Properties, PartialEq)]
struct Props {
    id: AttrValue,
    label: AttrValue,
    /// After the value, such as `s`.
    unit: AttrValue,
    /// What the figure means, in a line.
    help: AttrValue,
    value: AttrValue,
    /// What an empty field means, in a word.
    placeholder: Option<&'static str>,
    read: Read,
    document: Shared<Document>,
    send: Callback<Action>,
}

/// What turns a typed text into an edit, or says what is wrong with it.
pub type Read = Callback<String, Result<Edit, String>>;

/// Makes the fields of an editor.
pub struct Fields<'a> {
    pub document: &'a Shared<Document>,
    pub send: &'a Callback<Action>,
    empty: Option<&'static str>,
}

impl<'a> Fields<'a> {
    pub fn new(document: &'a Shared<Document>, send: &'a Callback<Action>) -> Fields<'a> {
        Fields { document, send, empty: None }
    }

    pub fn field(
        &self,
        id: impl Into<AttrValue>,
        label: impl Into<AttrValue>,
        unit: &'static str,
        help: impl Into<AttrValue>,
        value: String,
        read: Read,
    ) -> Html {
        let (id, label, help): (AttrValue, AttrValue, AttrValue) = (id.into(), label.into(), help.into());
        let placeholder = self.empty;
        html! { <Field {id} {label} {unit} {help} {value} {placeholder} {read} document={self.document.clone()} send={self.send.clone()} /> }
    }

    /// Makes fields that may be empty, which means this, in a word.
    pub fn empty_means(&self, empty: &'static str) -> Self {
        Fields { empty: Some(empty), ..*self }
    }

    /// A reader made of a parser and the edit of what it gives.
    pub fn model_reader<T, E: Display>(
        &self,
        parse: impl Fn(&str) -> Result<T, E> + 'static,
        edit: impl Fn(T) -> ModelEdit + 'static,
    ) -> Read {
        let document = self.document.clone();
        Callback::from(move |text: String| {
            let edit = parse(&text).map(&edit).map_err(|error| error.to_string())?;
            edit.of(&document.scenario).map_err(|error| error.message)
        })
    }

    /// What makes an edit when it is pressed or chosen.
    pub fn model_edit<T: 'static>(&self, edit: impl Fn(T) -> ModelEdit + 'static) -> Callback<T> {
        let document = self.document.clone();
        self.send.reform(move |given: T| model_action(&document, &edit(given)))
    }
}

/// The action that makes an edit, or that says why it is not possible.
pub fn model_action(document: &Document, edit: &ModelEdit) -> Action {
    match edit.of(&document.scenario) {
        Ok(edit) => Action::Edit(edit),
        Err(error) => Action::Warn(Notice {
            title: "This change is not possible; nothing has changed".to_owned(),
            detail: error.to_string(),
        }),
    }
}

/// A field for something typed. A wrong value stays in the field with the reason beside it; the scenario
/// keeps its last good one.
#[component]
fn Field(props: &Props) -> Html {
    let fault = use_state(|| None::<String>);
    let typed = use_state(|| None::<String>);
    {
        // Another version of the scenario (an undo, a drag) replaces what was typed, even if this value is the same in it.
        let (fault, typed) = (fault.setter(), typed.setter());
        use_effect_with((props.value.clone(), props.document.clone()), move |_| {
            fault.set(None);
            typed.set(None);
        });
    }
    let onchange = {
        let (fault, typed) = (fault.clone(), typed.clone());
        let (read, document, send, value) =
            (props.read.clone(), props.document.clone(), props.send.clone(), props.value.clone());
        Callback::from(move |event: Event| {
            let Some(text) = input_text(&event) else { return };
            typed.set(Some(text.clone()));
            if text == value.as_str() {
                fault.set(None);
                return;
            }
            let edit = read.emit(text).and_then(|edit| {
                document.scenario.edited(&edit).map(|_| edit).map_err(|error| error.message)
            });
            match edit {
                Ok(edit) => {
                    fault.set(None);
                    send.emit(Action::Edit(edit));
                }
                Err(message) => fault.set(Some(message)),
            }
        })
    };
    let Props { id, label, unit, help, placeholder, .. } = props;
    let value = (*typed).clone().map_or_else(|| props.value.clone(), AttrValue::from);
    let input = html! {
        <input {id} type="text" autocomplete="off" {value} placeholder={*placeholder} {onchange} aria-describedby={help_id(id)} aria-invalid={fault.is_some().to_string()} />
    };
    row(id, label, unit, help, fault.as_deref(), input)
}

/// A field's row: label, input and unit, and below them what the field means, if that is said, or what is wrong with
/// its value.
pub fn row(id: &str, label: &str, unit: &str, help: &str, fault: Option<&str>, input: Html) -> Html {
    html! {
        <div class={classes!("field", fault.is_some().then_some("wrong"))}>
            <label for={id.to_owned()} title={Some(help.to_owned()).filter(|help| !help.is_empty())}>{ label }</label>
            <span class="value">
                { input }
                if !unit.is_empty() { <span class="unit">{ unit }</span> }
            </span>
            if !help.is_empty() || fault.is_some() {
                <small id={help_id(id)} role={fault.is_some().then_some("alert")}>{ fault.unwrap_or(help) }</small>
            }
        </div>
    }
}

/// The id of a field's explanation.
pub fn help_id(id: &str) -> String {
    format!("{id}-help")
}

/// A choice among options, each a word and a name; `help` is the id of an explanation.
pub fn select<W: Into<AttrValue>, N: Into<AttrValue>>(
    id: &str,
    chosen: &str,
    options: impl IntoIterator<Item = (W, N)>,
    help: Option<String>,
    pick: Callback<String>,
) -> Html {
    let onchange = Callback::from(move |event: Event| {
        if let Some(word) = input_text(&event) {
            pick.emit(word);
        }
    });
    html! {
        <select id={id.to_owned()} {onchange} aria-describedby={help}>
            { for options.into_iter().map(|(word, name)| {
                let word: AttrValue = word.into();
                let selected = word == chosen;
                html! { <option {selected} value={word}>{ name.into() }</option> }
            }) }
        </select>
    }
}

/// A choice among the policies that are shown.
pub fn policy_select(id: &str, state: &State, chosen: Option<PolicyId>, pick: Callback<PolicyId>) -> Html {
    let options = state.runs.keys().map(|policy| (policy.to_string(), policy.title()));
    let known: Vec<PolicyId> = state.runs.keys().copied().collect();
    let pick = Callback::from(move |word: String| {
        if let Some(&policy) = known.iter().find(|policy| policy.to_string() == word) {
            pick.emit(policy);
        }
    });
    select(id, &chosen.map(|policy| policy.to_string()).unwrap_or_default(), options, None, pick)
}

/// The text of an event's input, or the chosen option's word.
pub fn input_text(event: &Event) -> Option<String> {
    let target = event.target()?;
    match target.dyn_ref::<web_sys::HtmlInputElement>() {
        Some(input) => Some(input.value()),
        None => target.dyn_ref::<web_sys::HtmlSelectElement>().map(web_sys::HtmlSelectElement::value),
    }
}

/// A field's reader made of a parser and the edit of what it gives.
pub fn reader<T, E: Display>(
    parse: impl Fn(&str) -> Result<T, E> + 'static,
    edit: impl Fn(T) -> Edit + 'static,
) -> Read {
    Callback::from(move |text: String| parse(&text).map(&edit).map_err(|error| error.to_string()))
}

#[derive(Properties, PartialEq)]
pub struct ChoiceProps {
    pub id: AttrValue,
    pub label: AttrValue,
    pub help: AttrValue,
    /// Word and name of each option.
    pub options: Vec<(AttrValue, AttrValue)>,
    pub value: AttrValue,
    pub pick: Callback<String>,
}

/// A field for a choice.
#[component]
pub fn ChoiceField(props: &ChoiceProps) -> Html {
    let ChoiceProps { id, label, help, options, value, pick } = props;
    row(id, label, "", help, None, select(id, value, options.clone(), Some(help_id(id)), pick.clone()))
}
