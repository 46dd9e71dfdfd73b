//! Messages between a demo and the page around it.
//!
//! All are objects with `fairlane: 1` and a `type`. The page sends `seek` (with `at`, seconds), `play`, `pause`, `show`
//! (with `query` and `session`, as in the address of a demo) and, to a demo that can be edited, `edit` (with
//! `scenario`, an object as in a scenario file). The demo sends `ready` once, `state` whenever something has changed,
//! `edit` (with `scenario`) when the scenario has, and `error` with a `message`, without the contents of a file. Messages of other windows, and of
//! other origins where the address names one, are ignored.

use std::rc::Rc;

use gloo::events::EventListener;
use js_sys::{JSON, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageEvent, Window};
use yew::prelude::*;

use super::fetch::DemoFault;
use crate::app::effects::Dispatch;
use crate::browser::{address, clock};
use crate::results::shared::Shared;
use crate::store::{
    Action, Document, DocumentAction, Motion, Notice, PlaybackAction, PredictScore, Quiz, State,
};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::units::Time;
use fairlane_view::link::embed::{DemoSubject, Embed};
use fairlane_view::link::{LinkBounds, Origin};

/// Version of the messages.
const VERSION: f64 = 1.0;
/// Least time between two reports of a schedule that plays, in milliseconds.
const REPORT_EVERY_MS: f64 = 200.0;

/// The page around this frame, if it is in one.
fn parent() -> Option<Window> {
    let window = gloo::utils::window();
    window.parent().ok().flatten().filter(|parent| *parent != window)
}

/// Whether the page around this frame is of the guide beside the lab, which stands for its programs. The lab itself is no
/// such page: its preview of a demo shows what anybody has written.
pub fn is_in_guide() -> bool {
    // The browser denies the look at a page of another origin.
    let host = parent().and_then(|parent| parent.location().href().ok());
    host.is_some_and(|host| host.starts_with(&format!("{}guide/", address::folder())))
}

/// Sends an object with these fields to the page around this frame.
fn send(host: Option<&str>, kind: &str, fields: &[(&str, JsValue)]) {
    let Some(parent) = parent() else { return };
    let message = Object::new();
    let head = [("fairlane", JsValue::from(VERSION)), ("type", kind.into())];
    for (key, value) in head.iter().chain(fields) {
        // A new object takes any field.
        let _ = Reflect::set(&message, &(*key).into(), value);
    }
    // A page of another origin than the named one does not receive it.
    let _ = parent.post_message(&message, host.unwrap_or("*"));
}

/// Reports a fault to the page around this frame: to one of another origin without what is in a file, which this page
/// may be allowed to read and that one not.
pub fn report(host: Option<&str>, DemoFault { notice: Notice { title, detail }, quotes_file }: &DemoFault) {
    let detail = match *quotes_file && !parent().is_some_and(|parent| is_of_this_origin(&parent)) {
        true => "What it holds is no scenario; the demo itself says where.",
        false => detail,
    };
    send(host, "error", &[("message", format!("{title}: {detail}").into())]);
}

/// Whether a window is of this page's origin: the address of any other is not readable.
fn is_of_this_origin(window: &Window) -> bool {
    Reflect::get(window, &"location".into())
        .and_then(|location| Reflect::get(&location, &"origin".into()))
        .is_ok_and(|origin| origin == gloo::utils::window().origin())
}

/// Follows the messages of the page around this frame.
#[hook]
pub fn use_messages(host: Option<String>, editable: bool, dispatch: Dispatch, change: Callback<Embed>) {
    use_effect_with((editable, change), move |(editable, change)| {
        let (editable, change) = (*editable, change.clone());
        let listener = EventListener::new(&gloo::utils::window(), "message", move |event| {
            let Some(event) =
                event.dyn_ref::<MessageEvent>().filter(|event| is_of_host(event, host.as_deref()))
            else {
                return;
            };
            match request(&event.data(), editable) {
                Ok(Request::Act(action)) => dispatch.dispatch(action),
                Ok(Request::Show(embed)) => change.emit(Embed { host: host.clone(), ..embed }),
                Err(message) => send(host.as_deref(), "error", &[("message", message.into())]),
            }
        });
        move || drop(listener)
    });
}

/// Whether a message is of the page around this frame, and of its origin.
fn is_of_host(event: &MessageEvent, host: Option<&str>) -> bool {
    let source = event.source().map(JsValue::from);
    let of_parent = source.is_some() && source == parent().map(JsValue::from);
    let field = |key: &str| Reflect::get(&event.data(), &key.into()).ok();
    of_parent
        && host.is_none_or(|host| event.origin() == host)
        && field("fairlane").and_then(|version| version.as_f64()) == Some(VERSION)
}

/// What a message asks for.
enum Request {
    /// The demo is to do what the reader could do, too.
    Act(Action),
    /// The demo is to become that at another address.
    Show(Embed),
}

fn request(message: &JsValue, editable: bool) -> Result<Request, String> {
    let field = |key: &str| Reflect::get(message, &key.into()).unwrap_or_default();
    let text = |key: &str| field(key).as_string().unwrap_or_default();
    Ok(Request::Act(match text("type").as_str() {
        "seek" => {
            let at = field("at").as_f64().filter(|at| at.is_finite() && *at >= 0.0);
            let at = at.ok_or("seek: \"at\" must be a number of seconds, 0 or more")?;
            Action::Playback(PlaybackAction::Seek(Time((at * 1e6).round() as u64)))
        }
        "play" => Action::Playback(PlaybackAction::Play(Motion::Playing)),
        "pause" => Action::Playback(PlaybackAction::Play(Motion::Paused)),
        "show" => {
            let embed = Embed::from_query(&text("query")).map_err(|error| format!("show: {error}"))?;
            let embed = embed.ok_or("show: \"query\" must be that of a demo's address, \"?embed…\"")?;
            let subject = match embed.subject {
                DemoSubject::Fragment(session) if session.is_empty() => {
                    DemoSubject::Fragment(text("session"))
                }
                subject => subject,
            };
            return Ok(Request::Show(Embed { subject, ..embed }));
        }
        "edit" if !editable => {
            return Err("edit: this demo is read-only; add \"edit\" to its address".to_owned());
        }
        "edit" => {
            let text = JSON::stringify(&field("scenario")).ok().and_then(|text| text.as_string());
            let text = text.ok_or("edit: \"scenario\" must be an object as in a scenario file")?;
            if text.len() > LinkBounds::LINK.scenario {
                return Err(format!(
                    "edit: the scenario is larger than {} MB",
                    LinkBounds::LINK.scenario >> 20
                ));
            }
            let scenario = Scenario::from_json(&text).map_err(|error| format!("edit: {error}"))?;
            let name = scenario.name().to_owned();
            Action::Document(DocumentAction::Open(Shared::new(Document::new(scenario, Origin::File(name)))))
        }
        other => {
            let other: String = other.chars().take(40).collect();
            return Err(format!("unknown type \"{other}\"; use seek, play, pause, show or edit"));
        }
    }))
}

/// What is reported to the page around this frame.
#[derive(Clone, PartialEq)]
struct HostReport {
    at: Time,
    motion: Motion,
    policies: Vec<(PolicyId, Option<f64>)>,
    title: String,
    settled: bool,
    scores: Vec<(PolicyId, PredictScore)>,
}

/// Reports to the page around this frame that the demo is ready, and what has changed since.
#[hook]
pub fn use_reports(state: &State, host: Option<String>) {
    let mean = |policy: &PolicyId| state.runs.get(policy)?.analysis.as_ref()?.summary.mean_response;
    let report = HostReport {
        at: state.view.playhead,
        motion: state.playback.motion,
        policies: state.view.policies.iter().map(|policy| (*policy, mean(policy))).collect(),
        title: state.document.title().to_owned(),
        settled: state.is_settled() && state.ui.opening.is_none(),
        scores: state.predict.iter().flat_map(Quiz::scores).collect(),
    };
    let host: Rc<Option<String>> = Rc::new(host);
    {
        let host = Rc::clone(&host);
        use_effect_with((), move |()| send(host.as_deref(), "ready", &[]));
    }
    let reported = use_mut_ref(|| f64::NEG_INFINITY);
    use_effect_with(report, move |report| {
        let now = clock::now();
        if report.motion == Motion::Playing && now - *reported.borrow() < REPORT_EVERY_MS {
            return;
        }
        *reported.borrow_mut() = now;
        let means = Object::new();
        for (policy, mean) in &report.policies {
            let mean = mean.map_or(JsValue::NULL, JsValue::from);
            // A new object takes any field.
            let _ = Reflect::set(&means, &policy.to_string().into(), &mean);
        }
        let scores = Object::new();
        for (policy, PredictScore { right, answers }) in &report.scores {
            let score = Object::new();
            let _ = Reflect::set(&score, &"right".into(), &(*right as f64).into());
            let _ = Reflect::set(&score, &"answers".into(), &(*answers as f64).into());
            let _ = Reflect::set(&scores, &policy.to_string().into(), &score);
        }
        let fields = [
            ("at", report.at.seconds().into()),
            ("playing", (report.motion == Motion::Playing).into()),
            ("meanResponse", means.into()),
            ("title", report.title.as_str().into()),
            ("settled", report.settled.into()),
            ("predictions", scores.into()),
        ];
        send(host.as_deref(), "state", &fields);
    });
}

/// Reports to the page around this frame that the scenario has changed, with what it is now.
#[hook]
pub fn use_edits(state: &State, host: Option<String>) {
    let document = state.document.clone();
    let reported = use_mut_ref(|| document.scenario.clone());
    use_effect_with((document, state.drag.is_some()), move |(document, dragging)| {
        if *dragging || **reported.borrow() == *document.scenario {
            return;
        }
        *reported.borrow_mut() = document.scenario.clone();
        if let Ok(scenario) = JSON::parse(&document.own().to_compact_json()) {
            send(host.as_deref(), "edit", &[("scenario", scenario)]);
        }
    });
}
