//! What the scenario is about, below its schedules.

use yew::prelude::*;

use super::fidelity::Fidelity;
use crate::panels::lesson_link::{lesson_about, lesson_link};
use crate::results::shared::Shared;
use crate::store::Document;
use crate::ui::send::use_send;
use fairlane::number::counted;

#[derive(Clone, Properties, PartialEq)]
pub struct AboutProps {
    pub document: Shared<Document>,
}

/// What the scenario is about, what to look for, and how close such schedules come to real Spark.
#[component]
pub fn About(props: &AboutProps) -> Html {
    let send = use_send();
    // What the catalog says of a scenario does not hold for a changed one.
    let entry = props.document.entry().filter(|_| props.document.changed_from().is_none());
    let words = match (entry, props.document.changed_from()) {
        (Some(entry), _) => entry.look_for,
        (None, Some(_)) => "",
        (None, None) => props.document.scenario.description(),
    };
    let lesson = entry.and_then(|entry| lesson_about(entry.name));
    html! {
        <section class="about">
            if !words.is_empty() {
                <h2>{ "What to look for" }</h2>
                <p>{ words }</p>
                { for lesson.map(|lesson| html! { <p>{ lesson_link(lesson, &send) }</p> }) }
            }
            <p class="hint">{ scenario_facts(&props.document) }</p>
            if let Some(entry) = entry {
                <p class="hint">{ format!("Source: {}.", entry.source) }</p>
            }
            <p><Fidelity /></p>
        </section>
    }
}

/// Size of the scenario and of the cluster, in a sentence.
fn scenario_facts(document: &Document) -> String {
    let scenario = &document.scenario;
    format!(
        "{}, {}; {} of {}.",
        counted(scenario.jobs().len(), "job"),
        counted(scenario.users().len(), "user"),
        counted(scenario.cluster().executors as usize, "executor"),
        counted(scenario.cluster().cores_per_executor as usize, "core"),
    )
}
