//! Links to the lessons about something on the page.

use yew::prelude::*;

use crate::store::{Action, Guide};
use crate::ui::send::Handlers;
use fairlane_study::lesson::document::StepSource;
use fairlane_study::lesson::{OUTLINES, StepId};

/// A button that starts a lesson, by its id; nothing if there is none.
pub fn lesson_link(id: &str, send: &Callback<Action>) -> Html {
    let Some(index) = OUTLINES.iter().position(|outline| outline.id == id) else { return Html::default() };
    let onclick = send.press(Guide::Start(StepId::first(index)));
    html! {
        <button type="button" class="link" data-lesson={OUTLINES[index].id} {onclick}>{
            format!("Lesson: {}", OUTLINES[index].title) }</button>
    }
}

/// The lesson that begins with an entry of the catalog, by its id.
pub fn lesson_about(entry: &str) -> Option<&'static str> {
    let begins = OUTLINES.iter().find(|outline| {
        !outline.is_of_challenges() && outline.step(0).scene.source == StepSource::Catalog(find(entry))
    });
    begins.map(|outline| outline.id)
}

fn find(entry: &str) -> &'static str {
    fairlane::catalog::find(entry).map_or("", |entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_about_attempts_and_places_lead_to_their_lessons() {
        let entries = ["preemption", "machine-dies", "slow-machine", "wait-for-data"];
        let lessons = ["why-not-kill", "a-machine-dies", "slow-machine", "wait-for-your-data"].map(Some);
        assert_eq!(entries.map(lesson_about), lessons);
        assert_eq!(lesson_about("no entry"), None);
        for id in lessons.into_iter().flatten() {
            assert_ne!(lesson_link(id, &Callback::noop()), Html::default(), "{id}");
        }
        assert_eq!(lesson_link("none", &Callback::noop()), Html::default());
    }
}
