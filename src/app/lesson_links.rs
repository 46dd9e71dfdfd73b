//! Lessons that somebody else has written: in a file, in the link that has led here, or at an address.

use wasm_bindgen_futures::spawn_local;
use web_sys::Url;
use yew::prelude::*;

use super::effects::Dispatch;
use super::lazy::ReadLesson;
use crate::browser::{address, fetch};
use crate::panels::guide::lessons::LessonOffer;
use crate::results::shared::Shared;
use crate::saved::{answers, library};
use crate::store::{Action, Notice, OpenedLesson, Opening, UiAction};
use fairlane_study::lesson::document::MAX_BYTES;
use fairlane_view::link::{LessonDocument, LessonLink, LessonLinkSource, LinkBounds};

/// Most files beside a document that are loaded with it.
const MAX_FILES: usize = 20;

/// Reads the document that a link leads to; with it comes the step that is shown first.
///
/// # Errors
/// Why it cannot be had, with the remedy.
pub async fn read(link: LessonLink) -> ReadLesson {
    let document = match link.source {
        LessonLinkSource::Document(document) => document,
        LessonLinkSource::Address(from) => load(&from).await?,
    };
    Ok((Shared::new(OpenedLesson::read(document, link.student)), link.step))
}

/// Shows a document, and keeps it among the reader's own.
pub fn show(lesson: Shared<OpenedLesson>, step: usize, dispatch: &Dispatch) {
    answers::opening(lesson.clone(), step).into_iter().for_each(|action| dispatch.dispatch(action));
    spawn_local(async move {
        // What Mine says of the last fault is about this one then.
        let _ = library::keep_lesson(&lesson).await;
    });
}

/// Loads a document from an address, and the files that it names from beside it.
///
/// # Errors
/// Why it cannot be had, with the remedy.
async fn load(from: &str) -> Result<LessonDocument, String> {
    let wrong = |_| "It is no address of the web. Check the link.".to_owned();
    let base = gloo::utils::window().location().href().unwrap_or_default();
    let url = Url::new_with_base(from, &base).map_err(wrong)?;
    if !["https:", "http:"].contains(&url.protocol().as_str()) {
        return Err("It is no address of the web. Check the link.".to_owned());
    }
    let text = fetch::text(&url.href(), MAX_BYTES).await?;
    let name = url.pathname().rsplit('/').next().unwrap_or_default().to_owned();
    let mut document = LessonDocument { name, text, files: Default::default(), address: Some(url.href()) };
    for name in OpenedLesson::missing_files(&document).into_iter().take(MAX_FILES) {
        let beside = Url::new_with_base(&name, &url.href()).ok().filter(|file| file.origin() == url.origin());
        if let Some(file) = beside {
            // The step says that a file is missing.
            if let Ok(text) = fetch::text(&file.href(), LinkBounds::LINK.scenario).await {
                document.files.insert(name, text);
            }
        }
    }
    Ok(document)
}

/// Whether a document is on another server than the page.
fn is_elsewhere(link: &LessonLink) -> bool {
    let LessonLinkSource::Address(from) = &link.source else { return false };
    let base = gloo::utils::window().location().href().unwrap_or_default();
    let origin = gloo::utils::window().location().origin().unwrap_or_default();
    Url::new_with_base(from, &base).is_ok_and(|url| url.origin() != origin)
}

#[derive(Properties, PartialEq)]
pub struct LessonLinksProps {
    pub dispatch: Dispatch,
}

/// Opens the lesson that the link leads to; one on another server only when the reader says so.
#[component]
pub fn LessonLinks(props: &LessonLinksProps) -> Html {
    let offered = use_state_eq(|| None::<LessonLink>);
    let follow = {
        let dispatch = props.dispatch.clone();
        move |link: LessonLink| {
            let dispatch = dispatch.clone();
            spawn_local(async move {
                let name = match &link.source {
                    LessonLinkSource::Address(from) => from.clone(),
                    LessonLinkSource::Document(document) => document.name.clone(),
                };
                dispatch.dispatch(Action::Ui(UiAction::Opening(Opening::named(name.as_str()))));
                match read(link).await {
                    Ok((lesson, step)) => show(lesson, step, &dispatch),
                    Err(why) => dispatch.dispatch(Action::not_opened(&name, why)),
                }
            });
        }
    };
    {
        let (offered, dispatch, follow) = (offered.setter(), props.dispatch.clone(), follow.clone());
        use_effect_with((), move |()| {
            let Some(link) = LessonLink::from_fragment(&address::fragment()) else { return };
            address::remove_fragment();
            match link {
                // What is elsewhere is loaded only when the reader says so.
                Ok(link) if is_elsewhere(&link) => offered.set(Some(link)),
                Ok(link) => follow(link),
                Err(error) => dispatch.dispatch(Action::warn(Notice {
                    title: format!("The link {error}"),
                    detail: "Copy all of it again, or ask for the lesson as a file.".to_owned(),
                })),
            }
        });
    }
    let Some(link) = (*offered).clone() else { return Html::default() };
    let LessonLinkSource::Address(from) = link.source.clone() else { return Html::default() };
    let close = {
        let offered = offered.setter();
        Callback::from(move |()| offered.set(None))
    };
    let accept = {
        let offered = offered.setter();
        Callback::from(move |()| {
            offered.set(None);
            follow(link.clone());
        })
    };
    html! { <LessonOffer {from} {accept} {close} /> }
}
