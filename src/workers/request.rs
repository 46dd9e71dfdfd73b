//! What a worker is asked, and what follows from its answers.

use std::rc::Rc;

use js_sys::Array;

use crate::results::measurement::SweepPoint;
use crate::results::shared::Shared;
use crate::store::{Action, Admitted, Document, DocumentAction, LogRules, RunAction, SimulationInput};
use crate::workers::messages::{FromWorker, SentScenario, ToWorker, pack};
use fairlane::metrics::EvaluationDetail;
use fairlane::scenario::{Generator, Scenario};
use fairlane_view::link::Origin;

/// What a worker works on.
#[derive(Clone)]
pub(super) enum PoolTask {
    Simulate { revision: u32, admitted: Admitted, detail: EvaluationDetail },
    Check { name: String, text: Rc<str> },
    Import { number: usize, name: String, files: Array, rules: LogRules },
    Sweep { revision: u32, point: SweepPoint, admitted: Admitted },
    Properties { revision: u32, admitted: Admitted },
}

/// What goes before what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TaskPriority {
    /// A file that the reader opens.
    File,
    /// A schedule.
    Schedule,
    /// A point of a chart.
    Point,
    /// What takes many simulations.
    Properties,
}

impl PoolTask {
    pub(super) fn priority(&self) -> TaskPriority {
        match self {
            PoolTask::Check { .. } | PoolTask::Import { .. } => TaskPriority::File,
            PoolTask::Simulate { .. } => TaskPriority::Schedule,
            PoolTask::Sweep { .. } => TaskPriority::Point,
            PoolTask::Properties { .. } => TaskPriority::Properties,
        }
    }

    /// The message that gives the task to a worker that `has` a document, which it may replace.
    pub(super) fn message(&self, has: &mut Option<Shared<Document>>) -> Array {
        let message = match self {
            PoolTask::Simulate { admitted, detail, .. } => ToWorker::Simulate {
                policy: admitted.policy(),
                detail: *detail,
                scenario: sent(admitted.source(), has),
            },
            PoolTask::Check { text, .. } => ToWorker::CheckText(text.to_string()),
            PoolTask::Import { files, rules, .. } => {
                return pack(&ToWorker::Import(rules.clone()), files.iter());
            }
            PoolTask::Sweep { point, admitted, .. } => {
                let subject = point.subject();
                let source = admitted.source();
                let generator = source.document.generator().filter(|_| subject.is_generated());
                ToWorker::Measure {
                    policy: admitted.policy(),
                    subject,
                    generator: generator.map(Generator::to_json),
                    scenario: sent(source, has),
                }
            }
            PoolTask::Properties { admitted, .. } => ToWorker::CheckProperties {
                policy: admitted.policy(),
                scenario: sent(admitted.source(), has),
            },
        };
        pack(&message, [])
    }

    /// What follows from the worker's last message about the task; `None` if it is another task's.
    pub(super) fn result(self, message: FromWorker) -> Option<Action> {
        Some(match (self, message) {
            (task, FromWorker::Failed(why)) => task.failed(why),
            (PoolTask::Check { name, text }, FromWorker::Valid) => match Scenario::from_json(&text) {
                // The worker has checked it, so reading it again here cannot take long or fail.
                Ok(scenario) => Action::Document(DocumentAction::Open(Shared::new(Document::new(
                    scenario,
                    Origin::File(name),
                )))),
                Err(error) => Action::not_opened(&name, error.to_string()),
            },
            (PoolTask::Sweep { revision, point, .. }, FromWorker::Measured(figure)) if figure.is_finite() => {
                Action::Run(RunAction::Swept(revision, point, Ok(figure)))
            }
            (PoolTask::Properties { revision, admitted }, FromWorker::Properties(properties)) => {
                Action::Run(RunAction::Checked(revision, admitted.policy(), Ok(Shared::new(*properties))))
            }
            _ => return None,
        })
    }

    /// What follows if the task fails.
    fn failed(self, why: String) -> Action {
        match self {
            PoolTask::Simulate { revision, admitted, .. } => {
                Action::Run(RunAction::Finished(revision, admitted.policy(), Err(why)))
            }
            PoolTask::Check { name, .. } | PoolTask::Import { name, .. } => Action::not_opened(&name, why),
            PoolTask::Sweep { revision, point, .. } => {
                Action::Run(RunAction::Swept(revision, point, Err(why)))
            }
            PoolTask::Properties { revision, admitted } => {
                Action::Run(RunAction::Checked(revision, admitted.policy(), Err(why)))
            }
        }
    }

    /// What follows if the task's worker fails.
    pub(super) fn lost(self, why: &str) -> Action {
        let remedy = match self {
            PoolTask::Check { .. } | PoolTask::Import { .. } => {
                " Open the file again; if that does not help, reload the page."
            }
            _ => "",
        };
        self.failed(format!("{why}{remedy}"))
    }
}

/// A scenario for a worker that `has` a document.
fn sent(source: &SimulationInput, has: &mut Option<Shared<Document>>) -> SentScenario {
    let base = (has.as_ref() != Some(&source.base)).then(|| source.base.json().to_string());
    *has = Some(source.base.clone());
    SentScenario { base, edit: source.edit.as_deref().cloned() }
}
