//! Files that the reader chose or dropped.

use std::rc::Rc;

use gloo::file::Blob;
use gloo::file::futures::{read_as_bytes, read_as_text};

use super::effects::Dispatch;
use super::lesson_links;
use crate::panels::setup::pools;
use crate::results::shared::Shared;
use crate::store::{Action, DocumentAction, LogImport, LogRules, OpenedLesson, Opening, UiAction};
use crate::workers::pool::Pool;
use fairlane::number;
use fairlane::scenario::{Limits, Scenario};
use fairlane_import::spark::FileKind;
use fairlane_study::lesson::document::MAX_BYTES;
use fairlane_view::link::{LessonDocument, LinkBounds};

/// Opens what the reader chose or dropped: a scenario; a lesson, with the scenarios that it names; or the log of a real
/// cluster, which may have several files, with its `fairscheduler.xml`; or such a pools file for the scenario that is
/// there. `log` is the log of that scenario, if the file is the cluster's own: then the log is imported again with it.
pub fn open(files: Vec<web_sys::File>, log: Option<LogImport>, pool: Pool, dispatch: Dispatch) {
    wasm_bindgen_futures::spawn_local(async move {
        let is_pools_file = |file: &web_sys::File| file.name().to_lowercase().ends_with(".xml");
        let (pools_files, files): (Vec<_>, Vec<_>) = files.into_iter().partition(is_pools_file);
        let pools_file = pools_files.into_iter().next();
        let pools = match &pools_file {
            Some(file) => read_as_text(&Blob::from(file.clone())).await.unwrap_or_default(),
            None => String::new(),
        };
        if let (Some(file), true) = (&pools_file, files.is_empty()) {
            match (pools::read_file(&pools), log) {
                (Ok(_), Some((number, rules))) => {
                    dispatch.dispatch(Action::Ui(UiAction::Opening(Opening::named(file.name()))));
                    pool.import_again(number, LogRules { pools, ..rules });
                }
                (Ok((edit, notice)), None) => {
                    dispatch.dispatch(Action::Document(DocumentAction::Edit(edit)));
                    notice.into_iter().for_each(|notice| dispatch.dispatch(Action::warn(notice)));
                }
                (Err(why), _) => dispatch.dispatch(Action::not_opened(&file.name(), why)),
            }
            return;
        }
        if files.iter().any(is_lesson) {
            return open_lesson(files, &dispatch).await;
        }
        let [first, others @ ..] = files.as_slice() else { return };
        let head = read_as_bytes(&Blob::from(first.clone()).slice(0, FileKind::HEAD_BYTES))
            .await
            .unwrap_or_default();
        if others.is_empty() && !FileKind::from_head(&head).is_log() {
            open_scenario(first.clone(), &pools, pool, dispatch).await;
        } else {
            let name = match others.len() {
                0 => first.name(),
                more => format!("{} and {}", first.name(), number::counted(more, "more file")),
            };
            dispatch.dispatch(Action::Ui(UiAction::Opening(Opening::named(&name))));
            pool.import(&name, &files, LogRules { pools, ..LogRules::default() });
        }
    });
}

/// Reads a scenario, and has a worker check it. `pools` is the pools file that was opened with it, empty without one.
async fn open_scenario(file: web_sys::File, pools: &str, pool: Pool, dispatch: Dispatch) {
    let name = file.name();
    let limit = Limits::default().bytes as f64;
    if file.size() > limit {
        let detail = format!(
            "The file is {:.0} MB long; the limit is {:.0} MB. Split it or take a sample of it.",
            file.size() / 1048576.0,
            limit / 1048576.0
        );
        dispatch.dispatch(Action::not_opened(&name, detail));
        return;
    }
    match read_as_text(&Blob::from(file)).await {
        Ok(text) => match with_pools(text, pools) {
            Ok(text) => {
                dispatch.dispatch(Action::Ui(UiAction::Opening(Opening::named(&name))));
                pool.check(name, Rc::from(text));
            }
            Err(why) => dispatch.dispatch(Action::not_opened("fairscheduler.xml", why)),
        },
        Err(_) => {
            let detail =
                "The browser could not read the file. Check that it exists and that you may read it.";
            dispatch.dispatch(Action::not_opened(&name, detail.to_owned()));
        }
    }
}

/// A scenario with the pools of a file, unless that is empty. What is wrong with the scenario is said by who checks it.
///
/// # Errors
/// What is wrong with the pools file, as a sentence.
fn with_pools(text: String, pools: &str) -> Result<String, String> {
    if pools.is_empty() {
        return Ok(text);
    }
    let (edit, _) = pools::read_file(pools)?;
    let Ok(scenario) = Scenario::from_json(&text) else { return Ok(text) };
    let edited = scenario.edited(&edit).map_err(|error| error.to_string())?;
    Ok(edited.scenario.to_json())
}

/// Whether a file is a lesson, by its name.
fn is_lesson(file: &web_sys::File) -> bool {
    let name = file.name().to_lowercase();
    [".md", ".markdown"].iter().any(|ending| name.ends_with(ending))
}

/// Reads a document with the files that were opened together with it, and shows it.
async fn open_lesson(files: Vec<web_sys::File>, dispatch: &Dispatch) {
    let (documents, beside): (Vec<_>, Vec<_>) = files.into_iter().partition(is_lesson);
    let [file] = documents.as_slice() else {
        let detail = "Open one lesson at a time, with the scenarios that it names.".to_owned();
        return dispatch.dispatch(Action::not_opened("What you have dropped", detail));
    };
    let mut document = LessonDocument { name: file.name(), ..LessonDocument::default() };
    match text_of(file, MAX_BYTES).await {
        Ok(text) => document.text = text,
        Err(why) => return dispatch.dispatch(Action::not_opened(&document.name, why)),
    }
    for file in beside {
        match text_of(&file, LinkBounds::LINK.scenario).await {
            Ok(text) => drop(document.files.insert(file.name(), text)),
            Err(why) => return dispatch.dispatch(Action::not_opened(&file.name(), why)),
        }
    }
    lesson_links::show(Shared::new(OpenedLesson::read(document, None)), 0, dispatch);
}

/// The text of a file that is not too large.
async fn text_of(file: &web_sys::File, most_bytes: usize) -> Result<String, String> {
    if file.size() > most_bytes as f64 {
        let size = file.size() / 1048576.0;
        return Err(format!("The file is {size:.1} MB long; the limit is {} MB.", most_bytes >> 20));
    }
    let unreadable = "The browser could not read the file. Check that it exists and that you may read it.";
    read_as_text(&Blob::from(file.clone())).await.map_err(|_| unreadable.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_that_come_with_a_scenario_are_its_pools() {
        let text = crate::testing::scenario("two-users").to_json();
        let file = "<allocations><pool name='ben'><weight>2</weight></pool></allocations>";
        let with = with_pools(text.clone(), file).expect("pools");
        assert!(with.contains("\"weight\": 2"), "{with}");
        assert_eq!(with_pools(text.clone(), "").as_ref(), Ok(&text));
        assert_eq!(
            with_pools("{".to_owned(), file),
            Ok("{".to_owned()),
            "its error is said where it is checked"
        );
        assert!(with_pools(text, "weight=2").is_err());
    }
}
