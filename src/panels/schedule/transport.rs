//! Playback: play, step, jump, slide.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::browser::dom::find;
use crate::panels::asking;
use crate::panels::editors::field::select;
use crate::results::shared::Shared;
use crate::store::{Action, Direction, Document, Motion, PlaybackAction, PollAction, Predict, State};
use crate::ui::focus::focus_soon;
use crate::ui::hooks::use_size;
use crate::ui::icon::Stroke::{self, Line, Solid};
use crate::ui::icon::drawn;
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::units::Time;

#[derive(Properties, PartialEq)]
pub struct TransportProps {
    pub playhead: Time,
    pub end: Time,
    /// The end of the axis, which is that of the slider.
    pub axis_end: Time,
    pub motion: Motion,
    pub speed: Option<f64>,
    /// The chosen job, with buttons for its arrival, launches and finish.
    pub chosen: Option<JobId>,
    pub document: Shared<Document>,
    /// The policy whose decisions are predicted, or would be.
    pub policy: Option<PolicyId>,
    /// Whether they are.
    pub predicting: bool,
    /// Whether what follows the playhead is hidden.
    pub is_hidden: bool,
}

impl TransportProps {
    /// The controls of a page; `end` and `chosen` are known to whoever shows it.
    pub fn new(state: &State) -> TransportProps {
        let policy = state.predict.as_ref().map(|quiz| quiz.policy);
        TransportProps {
            playhead: state.view.playhead,
            end: state.end(),
            axis_end: state.axis_end(),
            motion: state.playback.motion,
            speed: state.playback.speed,
            chosen: None,
            document: state.document.clone(),
            policy: policy.or_else(|| state.panels().first().copied()),
            predicting: policy.is_some(),
            is_hidden: state.future().is_hidden(),
        }
    }
}

/// Speeds to choose from, in simulated seconds per second.
const SPEEDS: [f64; 7] = [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0];
/// Steps of the slider from end to end.
const SLIDER_STEPS: u64 = 1000;

const PLAY: &[Stroke] = &[Solid("M7 4l13 8-13 8z")];
const PAUSE: &[Stroke] = &[Solid("M6 4h4v16H6zM14 4h4v16h-4z")];
const TO_START: &[Stroke] = &[Line("M5 5v14M19 6l-7 6 7 6")];
const TO_END: &[Stroke] = &[Line("M19 5v14M5 6l7 6-7 6")];
/// An arrow to a dot: an event.
const EVENT: &[Stroke] = &[Line("M3 12h9M8 8l4 4-4 4"), Solid("M15 12a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z")];
const EVENT_BACK: &[Stroke] =
    &[Line("M21 12h-9M16 8l-4 4 4 4"), Solid("M2 12a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z")];
/// An arrow to a bar: a task is launched.
const DECISION: &[Stroke] = &[Line("M2 12h7M6 8l4 4-4 4"), Solid("M13 8h10v8H13z")];
const DECISION_BACK: &[Stroke] = &[Line("M22 12h-7M18 8l-4 4 4 4"), Solid("M1 8h10v8H1z")];
/// An arrow down to the ground: a job arrives.
const ARRIVAL: &[Stroke] = &[Line("M12 3v12M7 10l5 5 5-5M4 20h16")];
/// A question mark: what is next?
const PREDICT: &[Stroke] = &[Line("M8 9a4 4 0 1 1 5.5 3.7c-1 .5-1.5 1.2-1.5 2.8"), Solid("M11 18.5h2v2h-2z")];
/// A flag: a job finishes.
const FINISH: &[Stroke] = &[Line("M6 21V4"), Solid("M7 4h12l-4 4.5 4 4.5H7z")];

#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let send = use_send();
    use_room_of_transport();
    let TransportProps { end, axis_end, .. } = *props;
    let step = |id: &'static str, label: &'static str, icon, disabled: bool, action: PlaybackAction| {
        let onclick = send.press(Action::Playback(action));
        html! { <button {id} {onclick} {disabled} aria-label={label} title={label}>{ drawn(icon) }</button> }
    };
    let oninput = send.reform(move |event: InputEvent| {
        let input = event.target_dyn_into::<web_sys::HtmlInputElement>();
        let value = input.map_or(0.0, |input| input.value_as_number());
        Action::Playback(PlaybackAction::Seek(Time(
            (value.max(0.0) / SLIDER_STEPS as f64 * axis_end.0 as f64).round() as u64,
        )))
    });
    let pick_speed =
        send.reform(|speed: String| Action::Playback(PlaybackAction::Speed(number::parse(&speed))));
    let speeds = SPEEDS.iter().map(|speed| (speed.to_string(), format!("{speed}×")));
    let speeds = std::iter::once(("whole".to_owned(), "all in 20 s".to_owned())).chain(speeds);
    let speed = props.speed.map_or("whole".to_owned(), |speed| speed.to_string());
    let value = props.playhead.0 as f64 / axis_end.0.max(1) as f64 * SLIDER_STEPS as f64;
    let (play_label, play_icon) = match props.motion {
        Motion::Paused => ("Play", PLAY),
        Motion::Playing => ("Pause", PAUSE),
    };
    // While it moves, the digits after the millisecond are noise.
    let now = match props.motion {
        Motion::Paused => number::instant(props.playhead),
        Motion::Playing => number::about(props.playhead),
    };
    let onplay = send.press(PlaybackAction::PlayPause);
    let (at_start, at_end) = (props.playhead == Time::ZERO, props.playhead >= end);
    html! {
        <footer class="transport" aria-label="Time">
            <span class="transport-buttons">
                { step("to-start", "Go to the start", TO_START, at_start, PlaybackAction::Seek(Time::ZERO)) }
                { step("step-back", "Step back to the previous event (left arrow)", EVENT_BACK, at_start,
                    PlaybackAction::Step(Direction::Back)) }
                <button id="play" class="play" onclick={onplay} aria-label={play_label}
                    title={format!("{play_label} (space)")}>
                    { drawn(play_icon) }
                    <span>{ play_label }</span>
                </button>
                { step("step", "Step to the next event (right arrow)", EVENT, at_end,
                    PlaybackAction::Step(Direction::Forward)) }
                { step("to-end", "Go to the end", TO_END, at_end, PlaybackAction::Seek(end)) }
            </span>
            <input id="slider" type="range" min="0" max={SLIDER_STEPS.to_string()} step="any"
                value={value.to_string()} {oninput}
                aria-label="Time" aria-valuetext={number::instant(props.playhead)} />
            <span class="transport-figures">
                if let Some(job) = props.chosen.filter(|job| job.index() < props.document.scenario.jobs().len()) {
                    { job_steps(job, props.is_hidden, &props.document, &send) }
                }
                // While it moves it is not read aloud.
                <span class="times"><output id="now" class="now"
                    aria-live={if props.motion == Motion::Playing { "off" } else { "polite" }}>{ now }</output>
                // When everything ends is what is hidden.
                if !props.is_hidden {
                    <span class="of">{ format!("of {}", number::about(end)) }</span>
                }</span>
                <label class="speed" title="Simulated seconds per second">
                    <span class="sr">{ "Speed" }</span>
                    { select("speed", &speed, speeds, None, pick_speed) }
                </label>
                if let Some(policy) = props.policy {
                    { ask_button(&send) }
                    { predict_button(policy, props.predicting, &send) }
                }
            </span>
        </footer>
    }
}

/// Gives the stylesheet the height of the transport, above which sheets are docked on a phone.
#[hook]
fn use_room_of_transport() {
    use_size(
        || find(".transport"),
        |area| {
            if let Ok(root) = gloo::utils::document_element().dyn_into::<web_sys::HtmlElement>() {
                // Without it the stylesheet's own estimate holds.
                let _ = root.style().set_property("--transport", &format!("{}px", area.height()));
            }
        },
    );
}

/// Buttons for the arrival, the launches and the finish of the chosen job.
fn job_steps(job: JobId, is_hidden: bool, document: &Document, send: &Callback<Action>) -> Html {
    let step = |id: &'static str, [label, title]: [&'static str; 2], icon, action: PlaybackAction| {
        let onclick = send.press(Action::Playback(action));
        html! { <button {id} class="small" {onclick} aria-label={label} {title}>{ drawn(icon) }</button> }
    };
    html! {
        <span class="job-steps" role="group"
            aria-label={format!("Steps of {}", document.scenario.job_label(job))}>
            { step("to-arrival", ["Arrival of the chosen job", "Go to the chosen job's arrival"],
                ARRIVAL, PlaybackAction::Seek(document.scenario.jobs()[job.index()].arrival)) }
            { step("job-back", ["Previous launch of the chosen job",
                "Previous decision to launch a task of the chosen job ([)"],
                DECISION_BACK, PlaybackAction::StepChosen(Direction::Back)) }
            { step("job-step", ["Next launch of the chosen job",
                "Next decision to launch a task of the chosen job (])"],
                DECISION, PlaybackAction::StepChosen(Direction::Forward)) }
            // When it ends is what is hidden.
            if !is_hidden {
                { step("to-finish", ["Finish of the chosen job", "Go to the chosen job's next finish"],
                    FINISH, PlaybackAction::SeekFinish) }
            }
        </span>
    }
}

/// Asks the class how long a job waits, in a presentation.
fn ask_button(send: &Callback<Action>) -> Html {
    let onclick = asking(PollAction::Start(None), send);
    html! { <button id="ask-present" {onclick} title="Ask the class how long a job waits">{ "Ask" }</button> }
}

/// Begins or ends the predictions.
fn predict_button(policy: PolicyId, predicting: bool, send: &Callback<Action>) -> Html {
    let action = if predicting { Predict::Leave } else { Predict::Start(policy) };
    let onclick = send.press_then(Action::Predict(action), move || {
        // Enter answers and goes on there; here it would leave.
        if !predicting {
            focus_soon("#predict-question");
        }
    });
    html! {
        <button id="predict-mode" {onclick} aria-pressed={predicting.to_string()} aria-label="Predict"
            title="Predict which job goes next: the schedule stops at each decision">
            { drawn(PREDICT) }<span>{ "Predict" }</span>
        </button>
    }
}
