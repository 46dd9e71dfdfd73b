//! My scenarios and lessons: what the reader has made or opened, to be opened, deleted and saved together.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::export::{save, saving};
use super::recovery_bar;
use crate::browser::storage::NotStored;
use crate::results::shared::Shared;
use crate::saved::answers;
use crate::saved::library::{self, KeptScenario, Shelf};
use crate::saved::session::recovery;
use crate::store::{Action, DocumentAction, OpenedLesson, ViewAction};
use crate::ui::send::use_send;
use fairlane::number;

#[derive(Clone, PartialEq)]
enum KeptScenarios {
    Loading,
    NotThere(NotStored),
    Loaded(Shelf),
}

#[component]
pub fn Mine() -> Html {
    let send = use_send();
    let shelf = use_state(|| KeptScenarios::Loading);
    let deleted = use_state(|| None::<KeptScenario>);
    let load = {
        let shelf = shelf.setter();
        Callback::from(move |()| {
            let shelf = shelf.clone();
            spawn_local(async move {
                shelf.set(library::all().await.map_or_else(KeptScenarios::NotThere, KeptScenarios::Loaded));
            });
        })
    };
    let ontoggle = {
        let (load, deleted) = (load.clone(), deleted.setter());
        Callback::from(move |event: Event| {
            if event.target_dyn_into::<web_sys::Element>().is_some_and(|menu| menu.has_attribute("open")) {
                deleted.set(None);
                load.emit(());
            }
        })
    };
    let delete = |record: &KeptScenario| {
        let (record, load, deleted) = (record.clone(), load.clone(), deleted.setter());
        Callback::from(move |_: MouseEvent| {
            let (record, load, deleted) = (record.clone(), load.clone(), deleted.clone());
            spawn_local(async move {
                if library::delete(record.id).await.is_ok() {
                    deleted.set(Some(record));
                }
                load.emit(());
            });
        })
    };
    let restore = {
        let (load, deleted) = (load.clone(), deleted.clone());
        Callback::from(move |_: MouseEvent| {
            let (load, deleted) = (load.clone(), deleted.clone());
            spawn_local(async move {
                if let Some(record) = &*deleted {
                    // If it fails the list shows it.
                    let _ = library::restore(record).await;
                }
                deleted.set(None);
                load.emit(());
            });
        })
    };
    let records = match &*shelf {
        KeptScenarios::Loaded(shelf) => shelf.records.as_slice(),
        KeptScenarios::Loading | KeptScenarios::NotThere(_) => &[],
    };
    let save_all = {
        let lines: Vec<KeptScenario> = records.to_vec();
        saving(&send, move || save("my-scenarios.jsonl", "application/jsonl", &all_as_lines(&lines)))
    };
    html! {
        <details class="menu mine" name="menu" id="mine" {ontoggle}>
            <summary id="my-scenarios" title="Scenarios that you have changed or made; kept in this browser">{
                "Mine" }</summary>
            <div>
                <p class="hint">{ hint(&shelf) }</p>
                { unreadable(&shelf) }
                { set_aside(&send) }
                <ul>
                    { for records.iter().map(|record| html! {
                        <li key={record.id}>
                            <button type="button" class="kept" title={record.title.clone()} onclick={opening(record, &send)}>
                                { thumbnail(record) }
                                <b>{ &record.title }</b>
                                <small>{ record.lesson.as_ref().map_or("", |_| "lesson, ") }{ date(record.saved_ms)
                                }</small>
                            </button>
                            <button type="button" class="small delete" onclick={delete(record)}
                                aria-label={format!("Delete {}", record.title)} title="Delete">{ "✕" }</button>
                        </li>
                    }) }
                </ul>
                if let Some(record) = &*deleted {
                    <p role="status" class="deleted">{ format!("{} was deleted. ", record.title) }<button
                        type="button" class="small" id="undelete" onclick={restore}>{ "Undo" }</button></p>
                }
                if records.iter().any(|record| record.lesson.is_none()) {
                    <button type="button" id="save-mine" onclick={save_all}
                        title="One file with a scenario per line, as fairlane batch reads it">{ "Save all as a file"
                        }</button>
                }
            </div>
        </details>
    }
}

/// What opens a record, with the policies that were ticked.
fn opening(record: &KeptScenario, send: &Callback<Action>) -> Callback<MouseEvent> {
    let (record, send) = (record.clone(), send.clone());
    Callback::from(move |_: MouseEvent| match (&record.lesson, record.page()) {
        (Some(document), _) => {
            let lesson = Shared::new(OpenedLesson::read(document.clone(), None));
            answers::opening(lesson, 0).into_iter().for_each(|action| send.emit(action));
        }
        (None, Ok((document, policies))) => {
            send.emit(Action::Document(DocumentAction::Open(document.into())));
            send.emit(Action::View(ViewAction::Policies(policies)));
        }
        (None, Err(error)) => {
            let detail = format!("What was kept {error}. {}", error.remedy());
            send.emit(Action::not_opened(&record.title, detail));
        }
    })
}

/// What is here, or why nothing is.
fn hint(shelf: &KeptScenarios) -> String {
    match (shelf, library::last_fault()) {
        (KeptScenarios::Loading, _) => "loading…".to_owned(),
        (KeptScenarios::NotThere(fault), _) => fault.to_string(),
        (KeptScenarios::Loaded(_), Some(fault)) => format!("Your last change was not saved here. {fault}"),
        (KeptScenarios::Loaded(shelf), None) if shelf.records.is_empty() => {
            "Every scenario that you change and every lesson that you open is saved here automatically."
                .to_owned()
        }
        (KeptScenarios::Loaded(_), None) => "Kept in this browser; every change is saved.".to_owned(),
    }
}

/// How many records this version cannot read.
fn unreadable(shelf: &KeptScenarios) -> Html {
    match shelf {
        KeptScenarios::Loaded(Shelf { unreadable: count @ 1.., .. }) => {
            let more = number::counted(*count, "more scenario");
            let words = format!(
                "{more} cannot be read: another version of Fairlane has written {it}, or {it} {is} damaged. Nothing \
                 here touches {it}.",
                it = if *count == 1 { "it" } else { "them" },
                is = if *count == 1 { "is" } else { "are" },
            );
            html! { <p class="hint" id="unreadable">{ words }</p> }
        }
        _ => Html::default(),
    }
}

/// The page that was not restored, if there is one.
fn set_aside(send: &Callback<Action>) -> Html {
    let Some(text) = recovery::text() else { return Html::default() };
    html! {
        <div class="deleted" id="set-aside">
            { "A page that was saved here was not restored. " }
            { recovery_bar::buttons(&text, send) }
        </div>
    }
}

/// All scenarios, one per line.
fn all_as_lines(records: &[KeptScenario]) -> String {
    let pages = records.iter().filter_map(|record| record.page().ok());
    pages.map(|(document, _)| document.own().to_compact_json() + "\n").collect()
}

fn date(ms: f64) -> String {
    String::from(js_sys::Date::new(&ms.into()).to_locale_string("default", &wasm_bindgen::JsValue::UNDEFINED))
}

fn thumbnail(record: &KeptScenario) -> Html {
    html! {
        <svg class="thumbnail" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
            { for record.thumbnail.iter().map(|[hue, x, y, width, height]| html! {
                <rect class={format!("hue-{hue}")} x={x.to_string()} y={y.to_string()} width={width.to_string()}
                    height={height.to_string()} />
            }) }
        </svg>
    }
}
