//! Fields of the editors: a label, an input, a unit, and an explanation that gives way to an error.

use std::fmt::Display;
use std::rc::Rc;

use serde_json::Value;
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction, State};
use crate::ui::send::use_send;
use fairlane::policy::{PolicyId, PolicyKind};
use fairlane::scenario::ScenarioError;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::field::FieldKind;

/// The edit that was refused last, and why; fields show it beside what was typed.
pub type RefusedEdit = Option<Rc<(Edit, ScenarioError)>>;

#[derive(Properties, PartialEq)]
struct TypedFieldProps {
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
}

/// What turns a typed text into an edit, or says what is wrong with it.
pub type Read = Callback<String, Result<Edit, String>>;

/// Makes the fields of an editor.
pub struct EditorFields<'a> {
    pub document: &'a Shared<Document>,
    pub send: &'a Callback<Action>,
}

impl EditorFields<'_> {
    /// The field of an object, as it is described.
    pub fn object_field(&self, id: impl Into<AttrValue>, of: &ObjectPath, name: &'static str) -> Html {
        self.with_help(id, of, name, "")
    }

    /// The field of an object, explained further.
    pub fn with_help(
        &self,
        id: impl Into<AttrValue>,
        of: &ObjectPath,
        name: &'static str,
        further: &str,
    ) -> Html {
        let field = of.field(name).expect("the page edits fields that there are; a test asks for all");
        let id: AttrValue = id.into();
        let mut help = field.summary.to_owned();
        if let Some(empty) = field.empty() {
            help += &format!(" Empty: {empty}.");
        }
        let help = format!("{help} {further}").trim_end().to_owned();
        let label = match of {
            ObjectPath::Policy(policy) => short_title(policy, field.title),
            _ => field.title,
        };
        let value = self.document.scenario.value(of, &field);
        let object = of.clone();
        let edit = move |value: Value| Edit::set(object.clone(), name, value);
        let change = self.send.reform(move |value| Action::Document(DocumentAction::Edit(edit(value))));
        match field.kind {
            FieldKind::Choice(options) => {
                // The empty word leaves the field out.
                let pick = change
                    .reform(|word: String| if word.is_empty() { Value::Null } else { Value::from(word) });
                let options: Vec<_> =
                    options.iter().map(|&(word, title)| (word.into(), title.into())).collect();
                let value = value.as_str().unwrap_or_default().to_owned();
                html! { <ChoiceField {id} {label} {help} {options} {value} {pick} /> }
            }
            FieldKind::Flag => {
                let on = value == true;
                let onchange = change.reform(move |_: Event| Value::from(!on));
                let switch = html! { <input id={id.clone()} type="checkbox" checked={on} {onchange}
                aria-describedby={help_id(&id)} /> };
                row(&id, label, "", &help, None, switch)
            }
            _ => {
                let object = of.clone();
                let read =
                    move |text: &str| field.value(text).map(|value| Edit::set(object.clone(), name, value));
                self.typed(id, label, field.unit, help, field.text_of(&value), field.empty(), read)
            }
        }
    }

    /// A field for a text that `read` turns into an edit.
    #[allow(clippy::too_many_arguments, reason = "each is a part of the field")]
    pub fn typed<E: Display>(
        &self,
        id: impl Into<AttrValue>,
        label: impl Into<AttrValue>,
        unit: &'static str,
        help: impl Into<AttrValue>,
        value: String,
        placeholder: Option<&'static str>,
        read: impl Fn(&str) -> Result<Edit, E> + 'static,
    ) -> Html {
        let (id, label, help): (AttrValue, AttrValue, AttrValue) = (id.into(), label.into(), help.into());
        let read: Read = Callback::from(move |text: String| read(&text).map_err(|error| error.to_string()));
        html! { <TypedField {id} {label} {unit} {help} {value} {placeholder} {read} document={self.document.clone()} /> }
    }
}

/// A parameter's title without its policy's, which is above the field.
fn short_title(policy: &str, title: &'static str) -> &'static str {
    let info = PolicyKind::ALL.iter().map(|kind| kind.info()).find(|info| info.id == policy);
    let rest = info.and_then(|info| title.strip_prefix(info.title));
    rest.unwrap_or(title).trim_start_matches([':', ' '])
}

/// A field for something typed. A wrong value stays in the field with the reason beside it; the scenario
/// keeps its last good one.
#[component]
fn TypedField(props: &TypedFieldProps) -> Html {
    let send = use_send();
    let fault = use_state(|| None::<String>);
    let typed = use_state(|| None::<String>);
    let sent = use_state(|| None::<Edit>);
    let refused = use_context::<RefusedEdit>().flatten();
    {
        // Another version of the scenario (an undo, a drag) replaces what was typed, even if this value is the same
        // in it.
        let (fault, typed, sent) = (fault.setter(), typed.setter(), sent.setter());
        use_effect_with((props.value.clone(), props.document.clone()), move |_| {
            fault.set(None);
            typed.set(None);
            sent.set(None);
        });
    }
    let onchange = {
        let (fault, typed, sent) = (fault.clone(), typed.clone(), sent.clone());
        let (read, send, value) = (props.read.clone(), send.clone(), props.value.clone());
        Callback::from(move |event: Event| {
            let Some(text) = input_text(&event) else { return };
            typed.set(Some(text.clone()));
            let edit = if text == value.as_str() { Ok(None) } else { read.emit(text).map(Some) };
            fault.set(edit.as_ref().err().cloned());
            let edit = edit.unwrap_or_default();
            sent.set(edit.clone());
            if let Some(edit) = edit {
                send.emit(Action::Document(DocumentAction::EditField(edit)));
            }
        })
    };
    let TypedFieldProps { id, label, unit, help, placeholder, .. } = props;
    let value = (*typed).clone().map_or_else(|| props.value.clone(), AttrValue::from);
    let refusal = refused.filter(|refused| sent.as_ref() == Some(&refused.0)).map(|refused| reason(&refused));
    let fault = (*fault).clone().or(refusal);
    // Digits suffice where a number is read, and no word and no list: phones show a keyboard of them.
    let reads = |text: &str| props.read.emit(text.to_owned()).is_ok();
    let inputmode = if reads("1") && !reads("a") && !reads("1, 2") { "decimal" } else { "text" };
    let input = html! {
        <input {id} type="text" {inputmode} autocomplete="off" {value} placeholder={*placeholder} {onchange}
            aria-describedby={help_id(id)} aria-invalid={fault.is_some().to_string()} />
    };
    row(id, label, unit, help, fault.as_deref(), input)
}

/// Why an edit was refused, without the path of its own field.
fn reason((edit, error): &(Edit, ScenarioError)) -> String {
    match edit {
        Edit::Set { of, field, .. } if !error.path.starts_with(&of.path_of(field)) => error.to_string(),
        _ => error.message.clone(),
    }
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

/// What keeps the text of an input as it is typed.
pub fn typing(text: &UseStateHandle<String>) -> Callback<InputEvent> {
    let text = text.setter();
    Callback::from(move |event: InputEvent| text.set(input_text(&event).unwrap_or_default()))
}

/// What keeps whether details are open.
pub fn toggling(open: &UseStateHandle<bool>) -> Callback<Event> {
    let open = open.setter();
    Callback::from(move |event: Event| {
        let details = event.target_dyn_into::<web_sys::Element>();
        open.set(details.is_some_and(|details| details.has_attribute("open")));
    })
}

/// The text of an event's input, or the chosen option's word.
pub fn input_text(event: &impl AsRef<Event>) -> Option<String> {
    let target = event.as_ref().target()?;
    match target.dyn_ref::<web_sys::HtmlInputElement>() {
        Some(input) => Some(input.value()),
        None => target.dyn_ref::<web_sys::HtmlSelectElement>().map(web_sys::HtmlSelectElement::value),
    }
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
