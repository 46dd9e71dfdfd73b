//! Fields of the editors: a name, a unit, a line that explains, and the fault beside the value.

use std::fmt::Display;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::app::shared::Shared;
use crate::app::store::{Action, Document};
use crate::scenario::edit::Edit;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub id: AttrValue,
    pub label: AttrValue,
    /// Behind the value, such as `s`.
    #[prop_or_default]
    pub unit: AttrValue,
    /// What the figure means, in a line.
    pub help: AttrValue,
    pub value: AttrValue,
    /// Turns what was typed into an edit, or says what is wrong with it.
    pub read: Callback<String, Result<Edit, String>>,
    pub document: Shared<Document>,
    pub send: Callback<Action>,
}

/// A field for something typed. A wrong value stays in the field with the reason beside it; the scenario
/// keeps its last good one.
#[component]
pub fn Field(props: &Props) -> Html {
    let fault = use_state(|| None::<String>);
    let typed = use_state(|| None::<String>);
    {
        // Another value from outside (an undo, a drag) replaces what was typed.
        let (fault, typed) = (fault.setter(), typed.setter());
        use_effect_with(props.value.clone(), move |_| {
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
    let help = format!("{}-help", props.id);
    let value = (*typed).clone().map_or_else(|| props.value.clone(), AttrValue::from);
    html! {
        <div class={classes!("field", fault.is_some().then_some("wrong"))}>
            <label for={props.id.clone()} title={props.help.clone()}>{ &props.label }</label>
            <span class="value">
                <input id={props.id.clone()} type="text" autocomplete="off" {value} {onchange} aria-describedby={help.clone()} aria-invalid={fault.is_some().to_string()} />
                if !props.unit.is_empty() { <span class="unit">{ &props.unit }</span> }
            </span>
            <small id={help} role={fault.is_some().then_some("alert")}>{ fault.as_deref().unwrap_or(props.help.as_str()) }</small>
        </div>
    }
}

/// The text of the input that an event is about.
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
) -> Callback<String, Result<Edit, String>> {
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
    let onchange = {
        let pick = props.pick.clone();
        Callback::from(move |event: Event| {
            if let Some(value) = input_text(&event) {
                pick.emit(value);
            }
        })
    };
    let help = format!("{}-help", props.id);
    html! {
        <div class="field">
            <label for={props.id.clone()} title={props.help.clone()}>{ &props.label }</label>
            <span class="value">
                <select id={props.id.clone()} {onchange} aria-describedby={help.clone()}>
                    { for props.options.iter().map(|(word, name)| html! {
                        <option value={word.clone()} selected={*word == props.value}>{ name }</option>
                    }) }
                </select>
            </span>
            <small id={help}>{ &props.help }</small>
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct SwitchProps {
    pub id: AttrValue,
    pub label: AttrValue,
    pub help: AttrValue,
    pub on: bool,
    pub switch: Callback<bool>,
}

/// A field for yes or no.
#[component]
pub fn SwitchField(props: &SwitchProps) -> Html {
    let onchange = {
        let (switch, on) = (props.switch.clone(), props.on);
        Callback::from(move |_: Event| switch.emit(!on))
    };
    let help = format!("{}-help", props.id);
    html! {
        <div class="field">
            <label for={props.id.clone()} title={props.help.clone()}>{ &props.label }</label>
            <span class="value"><input id={props.id.clone()} type="checkbox" checked={props.on} {onchange} aria-describedby={help.clone()} /></span>
            <small id={help}>{ &props.help }</small>
        </div>
    }
}
