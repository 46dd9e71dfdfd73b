//! Files that the reader chose or dropped.

use std::rc::Rc;

use gloo::file::Blob;
use gloo::file::futures::{read_as_bytes, read_as_text};

use super::effects::Dispatch;
use crate::panels::setup::pools;
use crate::store::{Action, LogImport, LogRules, Opening};
use crate::workers::pool::Pool;
use fairlane::number;
use fairlane::scenario::Limits;
use fairlane_import::spark::FileKind;

/// Opens what the reader chose or dropped: a scenario; or the log of a real cluster, which may have several files, with
/// its `fairscheduler.xml`; or such a pools file for the scenario that is there. `log` is the log of that scenario, if
/// the file is the cluster's own: then the log is imported again with it.
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
                    dispatch.dispatch(Action::Opening(Opening::named(file.name())));
                    pool.import_again(number, LogRules { pools, ..rules });
                }
                (Ok((edit, notice)), None) => {
                    dispatch.dispatch(Action::Edit(edit));
                    notice.into_iter().for_each(|notice| dispatch.dispatch(Action::Warn(notice)));
                }
                (Err(why), _) => dispatch.dispatch(Action::not_opened(&file.name(), why)),
            }
            return;
        }
        let [first, others @ ..] = files.as_slice() else { return };
        let head = read_as_bytes(&Blob::from(first.clone()).slice(0, FileKind::HEAD_BYTES))
            .await
            .unwrap_or_default();
        if others.is_empty() && !FileKind::from_head(&head).is_log() {
            open_scenario(first.clone(), pool, dispatch).await;
        } else {
            let name = match others.len() {
                0 => first.name(),
                more => format!("{} and {}", first.name(), number::counted(more, "more file")),
            };
            dispatch.dispatch(Action::Opening(Opening::named(&name)));
            pool.import(&name, &files, LogRules { pools, ..LogRules::default() });
        }
    });
}

/// Reads a scenario, and has a worker check it.
async fn open_scenario(file: web_sys::File, pool: Pool, dispatch: Dispatch) {
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
        Ok(text) => {
            dispatch.dispatch(Action::Opening(Opening::named(&name)));
            pool.check(name, Rc::from(text));
        }
        Err(_) => {
            let detail =
                "The browser could not read the file. Check that it exists and that you may read it.";
            dispatch.dispatch(Action::not_opened(&name, detail.to_owned()));
        }
    }
}
