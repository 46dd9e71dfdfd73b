//! Links to the page and to steps of lessons, copied to the clipboard.

use yew::prelude::*;

use crate::browser::address;
use crate::store::{Action, Card, Notice, OpenedLesson, State};
use crate::ui::send::Handlers;
use fairlane_view::link::{LessonLink, LessonLinkSource, LinkBounds};

/// Copies a link to the page as it is to the clipboard; the action that reports it.
async fn share(state: State) -> Action {
    match state.session().to_text(&LinkBounds::LINK) {
        Ok(text) => Action::done(copy_link(&text, "page").await),
        Err(error) => {
            Action::warn(Notice { title: format!("A link {error}"), detail: error.remedy().to_owned() })
        }
    }
}

/// A handler that copies a link to the page as it is.
pub fn sharing(state: &State, send: &Callback<Action>) -> Callback<MouseEvent> {
    let state = state.clone();
    send.press_task(move || {
        let state = state.clone();
        async move {
            // Whoever shares in the middle of a lesson shares the lesson.
            let tour = state.lessons.tour.as_ref().filter(|tour| !matches!(tour.card, Card::Over(_)));
            match tour.and_then(|tour| tour.at.document()) {
                Some(lesson) => copy_document_link(lesson, 0).await,
                None => share(state).await,
            }
        }
    })
}

/// Copies a link with this fragment to the clipboard; the notice that reports it. `target` says what it leads to.
pub async fn copy_link(fragment: &str, target: &str) -> Notice {
    let href = gloo::utils::window().location().href().unwrap_or_default();
    let address = format!("{}#{fragment}", href.split('#').next().unwrap_or_default());
    let title = match (address::copy(&address).await, is_of_this_machine(&address)) {
        (true, false) => format!("The link to this {target} was copied"),
        (true, true) => format!("The link to this {target} was copied; it opens on this machine alone"),
        (false, _) => format!("Copy this link to the {target}; the browser denied access to the clipboard"),
    };
    Notice { title, detail: address }
}

/// Whether nobody else can open an address, as that of a lab which `fairlane open` serves.
fn is_of_this_machine(address: &str) -> bool {
    let starts = ["http://127.0.0.1", "http://[::1]", "http://localhost", "file:"];
    starts.iter().any(|start| address.starts_with(start))
}

/// The link to a step of a document: to its address if it has one, or else with the document inside.
///
/// # Errors
/// What to say of a document that is too long for a link.
pub fn document_fragment(lesson: &OpenedLesson, step: usize) -> Result<String, Notice> {
    let source = match &lesson.document.address {
        Some(address) => LessonLinkSource::Address(address.clone()),
        None => LessonLinkSource::Document(lesson.document.clone()),
    };
    // Whoever gets the link is another student.
    LessonLink { source, step, student: None }.to_fragment().map_err(|error| Notice {
        title: format!("A link with this lesson inside {error}"),
        detail: "Send the document as a file, or put it on a server and share #lesson= and its address."
            .to_owned(),
    })
}

/// Copies a link to a step of a document; the action that reports it.
pub async fn copy_document_link(lesson: &OpenedLesson, step: usize) -> Action {
    match document_fragment(lesson, step) {
        Ok(fragment) => {
            let target = if step == 0 { "lesson" } else { "step" };
            Action::done(copy_link(&fragment, target).await)
        }
        Err(notice) => Action::warn(notice),
    }
}
