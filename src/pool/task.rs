//! What a worker is asked, and what follows from its answers.

use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::JsValue;

use super::super::measurement::SweepPoint;
use super::super::shared::Shared;
use super::super::store::{Action, Document, LogRules, Source};
use fairlane::metrics::Detail;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane_view::link::Origin;

/// What a worker works on.
#[derive(Clone)]
pub(super) enum Task {
    Simulate { revision: u32, policy: PolicyId, source: Source, detail: Detail },
    Check { name: String, text: Rc<str> },
    Import { number: usize, name: String, files: Array, rules: LogRules },
    Sweep { revision: u32, point: SweepPoint, request: Rc<str>, document: Shared<Document> },
    Properties { revision: u32, policy: PolicyId, document: Shared<Document> },
}

impl Task {
    /// The message that gives the task to a worker that `has` a document, which it may replace.
    pub(super) fn message(&self, has: &mut Option<Shared<Document>>) -> Array {
        let (word, policy, how, source) = match self {
            Task::Simulate { policy, source, detail, .. } => {
                ("simulate", policy, (*detail == Detail::Full).into(), source.clone())
            }
            Task::Sweep { point, request, document, .. } => {
                ("sweep", &point.policy, (**request).into(), Source::whole(document.clone()))
            }
            Task::Properties { policy, document, .. } => {
                ("properties", policy, JsValue::NULL, Source::whole(document.clone()))
            }
            Task::Check { text, .. } => return Array::of2(&"check".into(), &(**text).into()),
            Task::Import { files, rules, .. } => {
                let rules = serde_json::to_string(rules).expect("rules have only keys that are text");
                return Array::of3(&"import".into(), &rules.into(), files);
            }
        };
        let moves = source.moves.as_deref().unwrap_or_default();
        let message = Array::of4(&word.into(), &policy.to_string().into(), &how, &moves.into());
        if has.as_ref() != Some(&source.base) {
            message.push(&(*source.base.json()).into());
            *has = Some(source.base);
        }
        message
    }

    /// What follows from the worker's last message about the task; `None` if the message is invalid.
    pub(super) fn result(self, word: &str, message: &Array) -> Option<Action> {
        Some(match (self, word) {
            (task, "error") => task.failed(message.get(1).as_string()?),
            (Task::Check { name, text }, "valid") => match Scenario::from_json(&text) {
                // The worker has checked it, so reading it again here cannot take long or fail.
                Ok(scenario) => Action::Open(Shared::new(Document::new(scenario, Origin::File(name)))),
                Err(error) => Action::not_opened(&name, error.to_string()),
            },
            (Task::Sweep { revision, point, .. }, "swept") => {
                let figure = message.get(1).as_f64().filter(|figure| figure.is_finite())?;
                Action::Swept(revision, point, Ok(figure))
            }
            (Task::Properties { revision, policy, .. }, "properties") => {
                Action::Checked(revision, policy, Ok(message.get(1).as_string()?.into()))
            }
            _ => return None,
        })
    }

    /// What follows if the task fails.
    fn failed(self, why: String) -> Action {
        match self {
            Task::Simulate { revision, policy, .. } => Action::Finished(revision, policy, Err(why)),
            Task::Check { name, .. } | Task::Import { name, .. } => Action::not_opened(&name, why),
            Task::Sweep { revision, point, .. } => Action::Swept(revision, point, Err(why)),
            Task::Properties { revision, policy, .. } => Action::Checked(revision, policy, Err(why)),
        }
    }

    /// What follows if the task's worker fails.
    pub(super) fn lost(self, why: &str) -> Action {
        let remedy = match self {
            Task::Check { .. } | Task::Import { .. } => {
                " Open the file again; if that does not help, reload the page."
            }
            _ => "",
        };
        self.failed(format!("{why}{remedy}"))
    }
}
