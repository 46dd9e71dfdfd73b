//! Playback: play, step, jump, slide.

use yew::prelude::*;

use super::field::input_text;
use crate::app::shared::Shared;
use crate::app::store::{Action, Direction, Document, Motion};
use crate::ids::JobId;
use crate::number;
use crate::units::Time;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub playhead: Time,
    pub end: Time,
    pub motion: Motion,
    pub speed: Option<f64>,
    /// The chosen job, with buttons for its arrival, launches and finish.
    pub chosen: Option<JobId>,
    pub document: Shared<Document>,
    pub send: Callback<Action>,
}

/// Speeds to choose from, in simulated seconds per second.
const SPEEDS: [f64; 6] = [0.1, 0.5, 1.0, 5.0, 10.0, 50.0];
/// Steps of the slider from end to end.
const SLIDER_STEPS: u64 = 1000;

#[component]
pub fn Transport(props: &Props) -> Html {
    let end = props.end;
    let button = |id: &'static str,
                  label: &'static str,
                  icon: &'static str,
                  disabled: bool,
                  action: Action| {
        let onclick = props.send.reform(move |_: MouseEvent| action.clone());
        html! {
            <button {id} {onclick} {disabled} aria-label={label} title={label}>
                <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path class="solid" d={icon} /></svg>
            </button>
        }
    };
    let act = |action: Action| props.send.reform(move |_: MouseEvent| action.clone());
    let oninput = props.send.reform(move |event: InputEvent| {
        let input = event.target_dyn_into::<web_sys::HtmlInputElement>();
        let value = input.map_or(0.0, |input| input.value_as_number());
        Action::Seek(Time((value.max(0.0) / SLIDER_STEPS as f64 * end.0 as f64).round() as u64))
    });
    let onspeed = props
        .send
        .reform(|event: Event| Action::Speed(input_text(&event).and_then(|speed| speed.parse().ok())));
    let value = props.playhead.0 as f64 / end.0.max(1) as f64 * SLIDER_STEPS as f64;
    let (play_label, play_icon) = match props.motion {
        Motion::Paused => ("Play", "M7 4l13 8-13 8z"),
        Motion::Playing => ("Pause", "M6 4h4v16H6zM14 4h4v16h-4z"),
    };
    let onplay = props.send.reform(|_: MouseEvent| Action::PlayPause);
    let (at_start, at_end) = (props.playhead == Time::ZERO, props.playhead >= end);
    html! {
        <footer class="transport" aria-label="Time">
            { button("to-start", "Go to the start", "M5 5h3v14H5zM20 5v14L9 12z", at_start, Action::Seek(Time::ZERO)) }
            { button("step-back", "Step back to the previous event (left arrow)", "M17 5v14L6 12z", at_start, Action::Step(Direction::Back)) }
            <button id="play" class="play" onclick={onplay} aria-label={play_label} title={format!("{play_label} (space)")}>
                <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path class="solid" d={play_icon} /></svg>
                <span>{ play_label }</span>
            </button>
            { button("step", "Step to the next event (right arrow)", "M7 5v14l11-7z", at_end, Action::Step(Direction::Forward)) }
            { button("to-end", "Go to the end", "M16 5h3v14h-3zM4 5v14l11-7z", at_end, Action::Seek(end)) }
            if let Some(job) = props.chosen.filter(|job| job.index() < props.document.scenario.jobs().len()) {
                <span class="job-steps" role="group" aria-label={format!("Steps of {}", props.document.scenario.job_label(job))}>
                    <button id="to-arrival" class="small" onclick={act(Action::Seek(props.document.scenario.jobs()[job.index()].arrival))} title="Go to the chosen job's arrival">{ "arrival" }</button>
                    <button id="job-back" class="small" onclick={act(Action::StepChosen(Direction::Back))} title="Previous launch of the chosen job ([)" aria-label="Previous launch of the chosen job">{ "‹" }</button>
                    <button id="job-step" class="small" onclick={act(Action::StepChosen(Direction::Forward))} title="Next launch of the chosen job (])" aria-label="Next launch of the chosen job">{ "›" }</button>
                    <button id="to-finish" class="small" onclick={act(Action::SeekFinish)} title="Go to the chosen job's next finish">{ "finish" }</button>
                </span>
            }
            <output id="now" class="now">{ number::instant(props.playhead) }</output>
            <input id="slider" type="range" min="0" max={SLIDER_STEPS.to_string()} step="any" value={value.to_string()} {oninput}
                aria-label="Time" aria-valuetext={number::instant(props.playhead)} />
            <span class="of">{ format!("of {}", number::instant(end)) }</span>
            <label class="speed">
                <span class="sr">{ "Speed" }</span>
                <select id="speed" onchange={onspeed} title="Simulated seconds per second">
                    <option value="whole" selected={props.speed.is_none()}>{ "all in 20 s" }</option>
                    { for SPEEDS.iter().map(|speed| html! {
                        <option value={speed.to_string()} selected={props.speed == Some(*speed)}>{ format!("{speed}×") }</option>
                    }) }
                </select>
            </label>
        </footer>
    }
}
