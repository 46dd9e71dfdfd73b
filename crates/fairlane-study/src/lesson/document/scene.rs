//! What the page shows in a step.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::lesson::{FactError, LessonFacts};
use fairlane::catalog;
use fairlane::policy::PolicyId;
use fairlane::scenario::{Edit, Scenario};
use fairlane::units::{Span, Time, micros_from_seconds};
use fairlane_view::link;
use fairlane_view::view::{DisplayQuestion, InspectorPart, Tab, View};

/// The source of a step's scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepSource {
    /// The catalog's entry of that name.
    Catalog(&'static str),
    /// A scenario file: of the document itself or beside it.
    File(Cow<'static, str>),
    /// A recorded run of real Spark, by the name of its log. It is shown as it ran, beside the policies.
    Recorded(String),
    /// One that could not be read; a fault says why.
    Unreadable,
}

/// What the page shows in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonScene {
    /// All of it as it is written in a document.
    pub text: String,
    /// The scenario.
    pub source: StepSource,
    /// The generator that has drawn the scenario, if one has: as its file has it, and empty for the catalog's, which the
    /// text names.
    pub generator: Option<Cow<'static, str>>,
    /// Another advisory task runtime than the scenario's.
    pub atr: Option<Span>,
    /// What is shown of it, but for the chosen jobs.
    pub view: View,
    /// The chosen jobs, by name.
    pub chosen: Vec<String>,
    /// What the inspector explains: under a policy, the decision that launched the first task of a job from the
    /// playhead on, or without a job the queue at the playhead.
    pub why: Option<(PolicyId, Option<String>)>,
}

/// The keys of a scene besides those of a link's view.
const KEYS: [&str; 2] = ["atr", "why"];
/// The scenario of a document that names none.
const USUAL_SOURCE: &str = "two-users";

/// A scene as it is written: a source and keys, each of which another scene may be laid over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SceneText {
    source: Option<String>,
    keys: BTreeMap<String, String>,
}

impl SceneText {
    pub(super) fn parse(text: &str) -> Result<SceneText, String> {
        let mut scene = SceneText::default();
        for (index, part) in text.split('&').map(str::trim).enumerate() {
            match part.split_once('=') {
                Some((key, value)) if is_key(key) => {
                    scene.keys.insert(key.to_owned(), value.trim().to_owned());
                }
                _ if index == 0 && part.contains(':') => scene.source = Some(part.to_owned()),
                _ if part.is_empty() => {}
                Some((key, _)) => {
                    return Err(format!("a scene has no key {key:?}; its keys are {}", keys().join(", ")));
                }
                None => {
                    return Err(format!(
                        "{part:?} is no part of a scene; write a source such as catalog:skew, then keys such as \
                         &policies=uwfq&at=1.5"
                    ));
                }
            }
        }
        Ok(scene)
    }

    /// The scene over another one. A key without a value is as if the scene below had not named it.
    pub(super) fn over(&self, below: &SceneText) -> SceneText {
        let mut keys = below.keys.clone();
        keys.extend(self.keys.clone());
        keys.retain(|_, value| !value.is_empty());
        SceneText { source: self.source.clone().or_else(|| below.source.clone()), keys }
    }

    /// The scene with its scenario, whose text is that of a file or block of that name.
    pub(super) fn resolved(
        &self,
        file: impl Fn(&str) -> Result<Cow<'static, str>, String>,
    ) -> Result<LessonScene, String> {
        let source = match self.source.as_deref() {
            None => StepSource::Catalog(USUAL_SOURCE),
            Some(source) => match source.split_once(':') {
                Some(("catalog", name)) => {
                    StepSource::Catalog(catalog::entry(name).map_err(|error| error.to_string())?.name)
                }
                Some(("file" | "block", _)) => StepSource::File(file(source)?),
                Some(("log", name)) => StepSource::Recorded(name.to_owned()),
                _ => {
                    return Err(format!(
                        "{source:?} is no source of a scenario; write catalog:NAME, file:NAME.json or block:NAME"
                    ));
                }
            },
        };
        Ok(LessonScene { text: self.to_text(), source, ..self.without_source()? })
    }

    /// The scene as it is written; its keys are in the order of their names.
    pub(super) fn to_text(&self) -> String {
        let keys = self.keys.iter().map(|(key, value)| format!("{key}={value}"));
        self.source.iter().cloned().chain(keys).collect::<Vec<_>>().join("&")
    }

    fn without_source(&self) -> Result<LessonScene, String> {
        let own = |key: &str| self.keys.get(key).map(String::as_str);
        let of_view = |key: &&str| *key != "jobs";
        let values: BTreeMap<&str, &str> =
            link::view_keys().filter(of_view).filter_map(|key| Some((key, own(key)?))).collect();
        let mut view = link::view_of(&values).map_err(|error| match error {
            link::LinkError::UnknownPolicy(name) => {
                format!("there is no policy {name:?}; `fairlane simulate --help` lists all of them")
            }
            _ => self.damaged(),
        })?;
        view.marks.get_or_insert_default();
        let why = own("why").map(question).transpose()?;
        if why.is_some() {
            view.tab = Tab::Inspector(InspectorPart::Why);
        }
        let atr = own("atr").map(|seconds| {
            let micros = seconds.parse().ok().and_then(|seconds| micros_from_seconds(seconds).ok());
            micros
                .filter(|&micros| micros > 0)
                .map(Span)
                .ok_or_else(|| format!("atr={seconds} is no task length; write seconds, such as atr=0.5"))
        });
        let chosen = own("jobs").into_iter().flat_map(|names| names.split(','));
        Ok(LessonScene {
            text: String::new(),
            source: StepSource::Catalog(USUAL_SOURCE),
            generator: None,
            atr: atr.transpose()?,
            view,
            chosen: chosen.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect(),
            why,
        })
    }

    /// What to say of keys that are no view: the first that is wrong by itself.
    fn damaged(&self) -> String {
        let alone = |key: &str| {
            let value = self.keys.get(key)?;
            let values = BTreeMap::from([(key, value.as_str())]);
            link::view_of(&values).is_err().then(|| format!("{key}={value}"))
        };
        match link::view_keys().filter(|key| !["jobs", "from", "to"].contains(key)).find_map(alone) {
            Some(wrong) => {
                format!("{wrong} is not a value of that key; docs/lessons.md lists what each key may be")
            }
            None => "the part of the time that is shown needs from= and to=, in seconds and in this order"
                .to_owned(),
        }
    }
}

/// Reads a whole scene, whose scenario may be in a file of that source.
///
/// # Errors
/// What is wrong with it, and the remedy.
pub fn scene_of(
    text: &str,
    file: impl Fn(&str) -> Result<Cow<'static, str>, String>,
) -> Result<LessonScene, String> {
    SceneText::parse(text)?.resolved(file)
}

/// Whether it is a key of a scene.
fn is_key(key: &str) -> bool {
    keys().contains(&key)
}

/// The keys of a scene.
fn keys() -> Vec<&'static str> {
    link::view_keys().chain(KEYS).collect()
}

/// `POLICY` or `POLICY,JOB`.
fn question(text: &str) -> Result<(PolicyId, Option<String>), String> {
    let (policy, job) = match text.split_once(',') {
        Some((policy, job)) => (policy, Some(job.trim().to_owned())),
        None => (text, None),
    };
    let policy = policy.trim().parse().map_err(|_| {
        format!("why={text} names no policy; write a policy, or a policy and a job such as why=uwfq,query")
    })?;
    Ok((policy, job))
}

impl Default for LessonScene {
    fn default() -> LessonScene {
        LessonScene {
            text: String::new(),
            source: StepSource::Unreadable,
            generator: None,
            atr: None,
            view: View::default(),
            chosen: Vec::new(),
            why: None,
        }
    }
}

impl LessonScene {
    /// The scenario; `None` if it has to be read from a recorded run.
    ///
    /// # Errors
    /// What is wrong with the file. A lesson that was read without faults has none that is wrong.
    pub fn scenario(&self) -> Result<Option<Scenario>, String> {
        let scenario = match &self.source {
            StepSource::Catalog(name) => catalog::entry(name).map_err(|error| error.to_string())?.scenario(),
            StepSource::File(file) => Scenario::from_json(file).map_err(|error| error.to_string())?,
            StepSource::Recorded(_) => return Ok(None),
            StepSource::Unreadable => return Err("the scenario of the scene could not be read".to_owned()),
        };
        let cut = self.atr.map(|atr| scenario.with(&Edit::advisory_task_runtime(atr)));
        cut.unwrap_or(Ok(scenario)).map(Some).map_err(|error| error.to_string())
    }

    /// What is asked about, whoever it is asked: the scene as it is written, and the scenario that a block or a file
    /// has, or the generator that draws it. How a file is laid out makes no difference.
    pub(in crate::lesson) fn asked(&self) -> [String; 2] {
        let file = match (&self.generator, &self.source) {
            (Some(generator), _) => generator,
            (None, StepSource::File(file)) => file,
            _ => "",
        };
        let laid_out = serde_json::from_str::<serde_json::Value>(file).map(|file| file.to_string());
        [self.text.clone(), laid_out.unwrap_or_else(|_| file.to_owned())]
    }

    /// Whether another scene is about the same scenario.
    pub fn has_scenario_of(&self, other: &LessonScene) -> bool {
        self.source == other.source && self.atr == other.atr
    }

    /// The playhead.
    pub fn playhead(&self) -> Time {
        self.view.playhead
    }

    /// What is shown of the scenario.
    ///
    /// # Errors
    /// [`FactError`] if the scenario has no job of a name.
    pub fn view(&self, facts: &LessonFacts) -> Result<View, FactError> {
        let chosen = self.chosen.iter().map(|name| facts.job(name)).collect::<Result<_, _>>()?;
        Ok(View { chosen, ..self.view.clone() })
    }

    /// What the inspector explains, if anything.
    ///
    /// # Errors
    /// [`FactError`] if there is no such job or task.
    pub fn question(&self, facts: &LessonFacts) -> Result<Option<(PolicyId, DisplayQuestion)>, FactError> {
        let Some((policy, job)) = &self.why else { return Ok(None) };
        let question = match job {
            Some(job) => {
                let task = facts.first_task(&policy.to_string(), job, self.view.playhead)?;
                DisplayQuestion::Dispatch(task)
            }
            None => DisplayQuestion::Playhead,
        };
        Ok(Some((*policy, question)))
    }
}
