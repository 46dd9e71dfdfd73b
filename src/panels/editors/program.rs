//! The editor of the scenario's programs. At every keystroke the text is tried on the first events; if it is valid, the
//! program is simulated again, else the last valid one stays in force. What can be read is completed, with its unit and
//! its meaning.

mod highlight;
mod names;
mod suggestions;

use std::collections::BTreeMap;

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::results::shared::Shared;
use crate::store::{Action, Approvals, Document, DocumentAction, Motion, Run, RunPhase, State};
use crate::ui::focus::focus_soon;
use crate::ui::send::{Handlers, use_send};
use fairlane::policy::{PolicyId, PolicyKind, ProgramError, custom};
use fairlane::scenario::PartitionMode;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane_custom::{Program, ProgramPolicy, starters};
pub use names::Moment;
use names::{Names, naming};
use suggestions::Suggestions;

#[derive(Clone, Properties, PartialEq)]
pub struct ProgramTabProps {
    pub document: Shared<Document>,
    pub approvals: Approvals,
    /// Why programs could not be simulated to the end.
    pub failures: BTreeMap<PolicyKind, String>,
    /// When and of which schedules the names are read.
    pub moments: BTreeMap<PolicyKind, Moment>,
}

/// Why programs could not be simulated to the end.
pub fn failures(state: &State) -> BTreeMap<PolicyKind, String> {
    let failed = state.runs.iter().filter_map(|(policy, run)| match &run.phase {
        RunPhase::Failed(why) if custom::is_program(policy.kind) => Some((policy.kind, why.clone())),
        _ => None,
    });
    failed.collect()
}

/// The moment at which each program is looked at.
pub fn moments(state: &State) -> BTreeMap<PolicyKind, Moment> {
    let at = (state.playback.motion == Motion::Paused).then_some(state.view.playhead);
    let programs = state.runs.iter().filter(|(policy, _)| custom::is_program(policy.kind));
    let moment = |run: &Run| Moment { analysis: run.analysis.clone(), at, chosen: state.chosen_job() };
    programs.map(|(policy, run)| (policy.kind, moment(run))).collect()
}

#[component]
pub fn ProgramTab(props: &ProgramTabProps) -> Html {
    let send = use_send();
    let programs = custom::programs(&props.document.scenario);
    let chosen = use_state_eq(|| None::<PolicyKind>);
    let shown = chosen.filter(|kind| programs.contains(kind)).or_else(|| programs.last().copied());
    let write = |starter: &'static str| writing(starter, &send);
    let asking = shown.filter(|kind| !props.approvals.permit(&props.document, *kind));
    html! {
        <section class="program">
            <h2>{ "A policy of your own" }</h2>
            if let Some(kind) = asking {
                <div class="ask" role="alert">
                    <p>{ "This program has not run in this browser yet. A program sees nothing but the simulation, and \
                          stops after a limited number of operations." }</p>
                    <button type="button" id="run-program" class="primary"
                        onclick={send.press(DocumentAction::RunProgram(kind))}>{ "Run it" }</button>
                </div>
            }
            if programs.len() > 1 {
                <div class="programs" role="group" aria-label="Program">
                    { for programs.iter().map(|&kind| {
                        let chosen = chosen.setter();
                        let onclick = Callback::from(move |_: MouseEvent| chosen.set(Some(kind)));
                        html! {
                            <button type="button" class="small" aria-pressed={(shown == Some(kind)).to_string()}
                                {onclick}>{ kind.info().id }</button>
                        }
                    }) }
                </div>
            }
            if let Some(kind) = shown {
                <ProgramEditor key={kind.info().id} {kind} document={props.document.clone()} asks={asking.is_some()}
                    failure={props.failures.get(&kind).cloned()} />
                if let Some(moment) = props.moments.get(&kind) {
                    <Names moment={moment.clone()} />
                }
            } else {
                <p class="hint">{ "An expression ranks the stages, smallest first: the stage with the smallest value \
                    gets the next free core. Begin with one of these." }</p>
            }
            <details open={shown.is_none()}>
                <summary>{ "Programs to begin with" }</summary>
                <ul class="starters">
                    { for starters::STARTERS.iter().map(|starter| html! {
                        <li><button type="button" class="small" id={format!("starter-{}", starter.id)}
                            onclick={write(starter.program)}>{ starter.title }</button></li>
                    }) }
                </ul>
            </details>
            <p class="hint"><a href="guide/custom.html" target="_blank">{ "The language, from one line to UWFQ" }</a></p>
        </section>
    }
}

/// Begins a program, to be written on at once.
pub fn writing(starter: &'static str, send: &Callback<Action>) -> Callback<MouseEvent> {
    send.press_then(DocumentAction::Write(starter), || focus_soon("#program"))
}

/// A program of the scenario.
fn text(document: &Document, kind: PolicyKind) -> String {
    let text = document.scenario.parameters().get(kind.info().id, "program");
    text.and_then(|text| text.as_str()).unwrap_or_default().to_owned()
}

#[derive(Properties, PartialEq)]
struct ProgramEditorProps {
    kind: PolicyKind,
    document: Shared<Document>,
    /// Whether the program in force may not run: what is typed is not tried, either.
    asks: bool,
    failure: Option<String>,
}

/// A text area over its own text in colours.
#[component]
fn ProgramEditor(props: &ProgramEditorProps) -> Html {
    // What is typed, as long as it is not the scenario's.
    let draft = use_state_eq(|| None::<(String, ProgramError)>);
    let in_force = text(&props.document, props.kind);
    let area = use_node_ref();
    let suggestions = use_state_eq(|| None::<Suggestions>);
    {
        // Another version of the scenario replaces what was typed.
        let draft = draft.setter();
        use_effect_with(in_force.clone(), move |_| draft.set(None));
    }
    let change = changing(props, use_send(), &draft);
    let look = {
        let (area, suggestions) = (area.clone(), suggestions.setter());
        Callback::from(move |()| {
            let area = area.cast::<HtmlTextAreaElement>();
            suggestions.set(area.and_then(|area| Suggestions::at(&area.value(), caret(&area)?)));
        })
    };
    let oninput = {
        let (change, look) = (change.clone(), look);
        Callback::from(move |event: InputEvent| {
            if let Some(area) = event.target_dyn_into::<HtmlTextAreaElement>() {
                change.emit(area.value());
                look.emit(());
            }
        })
    };
    let accept = accepting(&area, &suggestions, change);
    let onkeydown = {
        let (suggestions, accept) = (suggestions.clone(), accept.clone());
        Callback::from(move |event: KeyboardEvent| {
            // The page's keys are not for who writes.
            event.stop_propagation();
            let Some(list) = (*suggestions).clone() else { return };
            match event.key().as_str() {
                "ArrowDown" => suggestions.set(Some(list.moved(1))),
                "ArrowUp" => suggestions.set(Some(list.moved(-1))),
                "Enter" | "Tab" if !event.shift_key() => accept.emit(list.chosen()),
                "Escape" => suggestions.set(None),
                _ => return,
            }
            event.prevent_default();
        })
    };
    let onblur = {
        let suggestions = suggestions.setter();
        Callback::from(move |_: FocusEvent| suggestions.set(None))
    };
    let (text, error) = match &*draft {
        Some((text, error)) => (text.clone(), Some(error)),
        None => (in_force, None),
    };
    let fault = error.map(ToString::to_string).or_else(|| props.failure.clone());
    let rows = text.lines().count().clamp(14, 30) + 1;
    let naming = naming(&text, &props.document.scenario).filter(|_| fault.is_none());
    let active = suggestions.as_ref().map(|list| format!("suggestion-{}", list.chosen().1));
    let id = props.kind.info().id;
    html! {
        <>
            <div class="code">
                <pre aria-hidden="true">{ highlight::coloured(&text, error) }</pre>
                <textarea ref={area} id="program" value={text} {oninput} {onkeydown} {onblur} rows={rows.to_string()}
                    spellcheck="false" autocapitalize="off" autocomplete="off"
                    role="combobox" aria-autocomplete="list" aria-controls="suggestions"
                    aria-expanded={suggestions.is_some().to_string()} aria-activedescendant={active}
                    aria-label={format!("Program of {id}")} aria-invalid={fault.is_some().to_string()}
                    aria-describedby="program-state" />
            </div>
            <ul id="suggestions" role="listbox" aria-label="Names" hidden={suggestions.is_none()}>
                { for suggestions.iter().flat_map(|list| list.shown(&accept)) }
            </ul>
            <p id="program-state" class={if fault.is_some() { "fault" } else { "hint" }} role="status">
                { match (&fault, error) {
                    (Some(fault), Some(_)) => {
                        let end = if fault.ends_with('?') { "" } else { "." };
                        format!("{fault}{end} The last valid program stays in force.")
                    }
                    (Some(fault), None) => fault.clone(),
                    (None, _) if props.asks => format!("Waits as {id}."),
                    (None, _) => format!("In force as {id}."),
                } }
            </p>
            if let Some(naming) = naming {
                <p id="program-naming" class="hint">{ naming }</p>
            }
        </>
    }
}

/// Sends a program that can be run, and keeps another one as a draft with its fault.
fn changing(
    props: &ProgramEditorProps,
    send: Callback<Action>,
    draft: &UseStateHandle<Option<(String, ProgramError)>>,
) -> Callback<String> {
    let (draft, kind) = (draft.setter(), props.kind);
    let document = props.document.clone();
    let policy = PolicyId { kind, partitioning: PartitionMode::Default };
    let asks = props.asks;
    let tried = move |text: &str| match (Program::new(text)?, asks) {
        (program, false) => ProgramPolicy::try_out(&document.scenario, policy, program),
        (_, true) => Ok(()),
    };
    Callback::from(move |text: String| match tried(&text) {
        Ok(()) => {
            draft.set(None);
            let of = ObjectPath::Policy(kind.info().id.into());
            send.emit(Action::Document(DocumentAction::EditField(Edit::Set {
                of,
                field: "program".into(),
                value: text.into(),
            })));
        }
        Err(error) => draft.set(Some((text, error))),
    })
}

/// Writes a suggested name over the word before the caret, from where it begins.
fn accepting(
    area: &NodeRef,
    suggestions: &UseStateHandle<Option<Suggestions>>,
    change: Callback<String>,
) -> Callback<(usize, &'static str)> {
    let (area, suggestions) = (area.clone(), suggestions.setter());
    Callback::from(move |(from, word): (usize, &'static str)| {
        suggestions.set(None);
        let Some(area) = area.cast::<HtmlTextAreaElement>() else { return };
        let (text, Some(caret)) = (area.value(), caret(&area)) else { return };
        let (before, after) = (&text[..from.min(caret)], &text[caret..]);
        let replaced = format!("{before}{word}{after}");
        area.set_value(&replaced);
        let end = utf16(&replaced[..before.len() + word.len()]);
        let _ = area.set_selection_range(end, end);
        let _ = area.focus();
        change.emit(replaced);
    })
}

/// Where the caret is, as an index of bytes.
fn caret(area: &HtmlTextAreaElement) -> Option<usize> {
    let units = area.selection_end().ok()?? as usize;
    let mut seen = 0;
    let text = area.value();
    let before = text.chars().take_while(|char| {
        seen += char.len_utf16();
        seen <= units
    });
    Some(before.map(char::len_utf8).sum())
}

fn utf16(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}
