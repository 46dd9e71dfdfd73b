//! The bar at the top: name, scenario, file, undo, theme.

use yew::prelude::*;

use crate::browser::dropped_files::list_of;
use crate::panels::editors::field::input_text;
use crate::plots::theme::ThemeMode;
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction, DocumentCondition};
use crate::ui::icon::icon;
use crate::ui::send::{Handlers, use_send};
use fairlane::catalog::{self, CatalogSection};
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane_study::lesson::RECORDING;
use fairlane_view::link::Origin;

#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    pub document: Shared<Document>,
    pub can_undo: bool,
    pub can_redo: bool,
    pub open: Callback<Vec<web_sys::File>>,
    pub mode: ThemeMode,
    pub next_theme: Callback<()>,
    /// The menu with the reader's own scenarios.
    #[prop_or_default]
    pub mine: Html,
    /// What is needed now and then, such as saving.
    #[prop_or_default]
    pub further: Html,
    /// What is needed often, such as sharing.
    #[prop_or_default]
    pub children: Html,
}

#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let send = use_send();
    let input = use_node_ref();
    let onfile = {
        let open = props.open.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<web_sys::HtmlInputElement>() else { return };
            open.emit(list_of(input.files()));
            // So that the same file can be chosen again after it was corrected.
            input.set_value("");
        })
    };
    let choose = {
        let input = input.clone();
        Callback::from(move |_| {
            if let Some(input) = input.cast::<web_sys::HtmlElement>() {
                input.click();
            }
        })
    };
    let next = props.next_theme.reform(|_: MouseEvent| ());
    let theme = format!("Theme: {}", props.mode.word());
    let title = props.document.title().to_owned();
    let onrename = {
        let title = title.clone();
        send.on(move |event: Event| {
            let name = input_text(&event).unwrap_or_default().trim().to_owned();
            (!name.is_empty() && name != title).then(|| {
                Action::Document(DocumentAction::Edit(Edit::set(ObjectPath::Scenario, "name", name)))
            })
        })
    };
    html! {
        <header class="top">
            { brand() }
            <input id="title" class="title" type="text" autocomplete="off" aria-label="Title of the scenario"
                title={title.clone()} value={title.clone()} onchange={onrename} />
            <button id="undo" disabled={!props.can_undo} onclick={send.press(DocumentAction::Undo)} aria-label="Undo"
                title="Undo (Ctrl Z)">{ icon("M8 5L3 10l5 5M3 10h11a6 6 0 0 1 0 12h-3") }</button>
            <button id="redo" disabled={!props.can_redo} onclick={send.press(DocumentAction::Redo)} aria-label="Redo"
                title="Redo (Ctrl Shift Z)">{ icon("M16 5l5 5-5 5M21 10H10a6 6 0 0 0 0 12h3") }</button>
            // On a narrow screen the rest is a menu over the page; else what is needed now and then is.
            <button type="button" id="more" class="more-button" popovertarget="header-more"
                aria-label="Menu">{ "☰" }</button>
            <div id="header-more" class="header-more" popover="auto">
            { scenarios(props, &send) }
            <span class="space"></span>
            { props.children.clone() }
            <button type="button" id="further" class="further-button" popovertarget="further-menu"
                aria-label="More" title="New, open, save, present, keys, theme">{ "⋯" }</button>
            <div id="further-menu" class="further-menu" popover="auto">
                <button id="new" onclick={send.press(DocumentAction::New)}
                    title="Start from a cluster with one tiny job; undo brings this scenario back">{ "New" }</button>
                <input ref={input} id="file" class="sr" type="file" multiple=true onchange={onfile} tabindex="-1"
                    aria-hidden="true" />
                <button id="open" onclick={choose}
                    title="Open a scenario, or the event log of a Spark application (all files of a rolling log at once); you can also drop them anywhere on the page. No file leaves this machine">{ "Open…" }</button>
                { props.mine.clone() }
                { props.further.clone() }
                <button id="theme" onclick={next} aria-label={format!("{theme}; switch")} title={theme}>
                    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8" /><path
                        class="solid" d="M12 4a8 8 0 0 1 0 16z" /></svg>
                </button>
            </div>
            </div>
        </header>
    }
}

/// The choice of a scenario. An own one, from a file or generated, is the first.
fn scenarios(props: &HeaderProps, send: &Callback<Action>) -> Html {
    let onchange = send.on(|event: Event| {
        match event.target_dyn_into::<web_sys::HtmlSelectElement>()?.value().as_str() {
            RECORDING => Some(Action::Document(DocumentAction::OpenRecording)),
            name => Some(Action::Document(DocumentAction::Open(
                Document::from_catalog(catalog::find(name)?).into(),
            ))),
        }
    });
    let title = props.document.title();
    let edited = props.document.condition == DocumentCondition::Edited;
    let own = match &props.document.origin {
        Origin::File(_) | Origin::Generated(_) => Some(title),
        Origin::Catalog(_) => None,
    };
    let mark = if edited { " (edited)" } else { "" };
    html! {
        // The select lies over its label, which it fills: its own text would repeat the title.
        <label class="pick"><span>{ "Scenarios" }</span>
            <select id="scenario" aria-label="Scenario" {onchange}>
                if let Some(name) = own {
                    <option selected=true value="">{ format!("{name}{mark}") }</option>
                }
                { for CatalogSection::ALL.into_iter().map(|section| html! {
                    <optgroup label={section.title()}>
                        { for section.entries().map(|entry| {
                            let selected = props.document.origin == Origin::Catalog(entry.name);
                            let mark = if selected { mark } else { "" };
                            html! { <option value={entry.name} {selected}
                                title={entry.look_for}>{ format!("{}{mark}", entry.title) }</option> }
                        }) }
                    </optgroup>
                }) }
                <optgroup label="Recorded on real Spark">
                    <option value={RECORDING}
                        title="The event log of a run, imported as one of your own">{
                        "Four users' queries (event log)" }</option>
                </optgroup>
            </select>
        </label>
    }
}

/// The name with its mark.
pub fn brand() -> Html {
    html! {
        <h1 class="brand">
            <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 7h11M3 12h18M3 17h7" /></svg>
            { "Fairlane" }
        </h1>
    }
}
