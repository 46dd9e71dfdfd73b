//! How the charts are shown: colours, marks, zoom.

use std::collections::BTreeSet;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::panels::editors::field::input_text;
use crate::store::{
    Action, Colouring, Drawing, Heights, HidingSwitch, JobChoice, Mark, PlaybackAction, UiAction, ViewAction,
};
use crate::ui::send::{Handlers, use_send};
use fairlane_view::TimeAxis;

#[derive(Properties, PartialEq)]
pub struct ToolsProps {
    pub colouring: Colouring,
    pub drawing: Drawing,
    pub marks: BTreeSet<Mark>,
    pub hiding: HidingSwitch,
    pub heights: Heights,
    pub axis: TimeAxis,
    /// Whether a part of the whole is shown.
    pub zoomed: bool,
    /// Whether the axis is longer than the schedules.
    pub has_room: bool,
    pub choice: JobChoice,
    /// Whether bars have textures, and what switches them.
    pub textured: bool,
    pub texture: Callback<()>,
}

/// How much a button zooms.
const ZOOM: f64 = 2.0;

#[component]
pub fn Tools(props: &ToolsProps) -> Html {
    let send = use_send();
    let oncolour = send.reform(|event: Event| {
        Action::View(ViewAction::Colour(match input_text(&event).as_deref() {
            Some("job") => Colouring::Job,
            Some("stage") => Colouring::Stage,
            _ => Colouring::User,
        }))
    });
    let option = |word: &'static str, name: &'static str, colouring: Colouring| {
        html! {
            <option value={word} selected={props.colouring == colouring}>{ name }</option>
        }
    };
    let ondraw = send.reform(|event: Event| {
        Action::View(ViewAction::Draw(match input_text(&event).as_deref() {
            Some("shares") => Drawing::Shares,
            _ => Drawing::Tasks,
        }))
    });
    let mark = |id: &'static str, name: &'static str, title: &'static str, mark: Mark| {
        let onchange = send.reform(move |_: Event| Action::View(ViewAction::MarkToggle(mark)));
        html! {
            <label class="switch" {title}><input type="checkbox" {id} checked={props.marks.contains(&mark)}
                {onchange} /><i class={classes!("swatch", id)}></i>{ name }</label>
        }
    };
    let zoom = |id: &'static str, label: &'static str, text: &'static str, disabled: bool, action: Action| {
        let onclick = send.press(action);
        html! { <button type="button" class="small" {id} {disabled} {onclick} aria-label={label}
        title={label}>{ text }</button> }
    };
    let by = |factor| Action::View(ViewAction::ZoomBy { base: props.axis, fraction: 0.5, factor });
    let hides = props.hiding == HidingSwitch::On;
    let onhide = send.reform(move |_: Event| Action::Playback(PlaybackAction::HideFuture(!hides)));
    let hide_box = use_node_ref();
    let between = (hide_box.clone(), props.hiding == HidingSwitch::Between);
    use_effect_with(between, |(hide_box, is_between)| {
        // It has no attribute.
        if let Some(input) = hide_box.cast::<HtmlInputElement>() {
            input.set_indeterminate(*is_between);
        }
    });
    let several = props.choice == JobChoice::Toggle;
    let choice = if several { JobChoice::Only } else { JobChoice::Toggle };
    let onseveral = send.reform(move |_: Event| Action::Ui(UiAction::ChooseBy(choice)));
    html! {
        <div class="tools" role="group" aria-label="Chart options">
            { mark("mark-inversion", "inversion",
                "Priority inversion: cores held by tasks while jobs ranked before them wait", Mark::Inversion) }
            { mark("mark-skew", "skew", "Skew: the last task of a stage and the cores that are idle while it runs",
                Mark::Skew) }
            // On a narrow screen the rest is a sheet over the page, and in columns what is seldom needed a menu.
            <button type="button" id="view" class="more-button" popovertarget="view-sheet">{ "View" }</button>
            <div id="view-sheet" class="view-sheet" popover="auto">
            <label class="switch"><span>{ "Colour" }</span>
                <select id="colour" aria-label="Colour" onchange={oncolour}>
                    { option("user", "by user", Colouring::User) }
                    { option("job", "by job", Colouring::Job) }
                    { option("stage", "by stage", Colouring::Stage) }
                </select>
            </label>
            <label class="switch" title="Shares: how many cores each user holds, drawn like the ideal, for tasks too short to be told apart"><span>{ "Draw" }</span>
                <select id="draw" aria-label="Draw schedules as" onchange={ondraw}>
                    <option value="tasks" selected={props.drawing == Drawing::Tasks}>{ "tasks" }</option>
                    <option value="shares" selected={props.drawing == Drawing::Shares}>{ "shares" }</option>
                </select>
            </label>
            <label class="switch hides" title="Nothing beyond the playhead is shown, neither in the schedules nor in any metric. While playing and in lessons it is a shadow unless you choose: a press hides it, another one shows it.">
                <input type="checkbox" id="hide-future" ref={hide_box} checked={hides}
                    onchange={onhide} />{ "hide the future" }
            </label>
            <label class="switch" title="A texture for each of eight users, beside the colour">
                <input type="checkbox" id="textures" checked={props.textured}
                    onchange={props.texture.reform(|_: Event| ())} />{ "textures" }
            </label>
            // By mouse and keys, Shift does the same.
            <label class="switch several">
                <input type="checkbox" id="several" checked={several} onchange={onseveral} />{ "choose several jobs" }
            </label>
            <span class="segments" role="group" aria-label="Height of rows">
                { for Heights::ALL.into_iter().map(|heights| height_button(heights, props, &send)) }
            </span>
            <span class="buttons">
                { zoom("zoom-out", "Zoom out (-)", "−", !props.zoomed, by(ZOOM)) }
                { zoom("zoom-in", "Zoom in (+)", "+", false, by(1.0 / ZOOM)) }
                { zoom("fit", "All: show the whole time (0)", "All", !(props.zoomed || props.has_room), Action::View(ViewAction::Zoom(None))) }
            </span>
            </div>
        </div>
    }
}

/// A button that makes the panels' rows as tall as that.
fn height_button(heights: Heights, props: &ToolsProps, send: &Callback<Action>) -> Html {
    let onclick = send.press(ViewAction::Heights(heights));
    let title = match heights {
        Heights::Compact => "Low rows, lower still where that brings all panels into view",
        Heights::Fit => "Rows as tall as all panels in view allow",
        Heights::Large => "Tall rows",
    };
    html! {
        <button type="button" class="small" id={format!("rows-{}", heights.word())}
            aria-pressed={(props.heights == heights).to_string()} {title} {onclick}>{ heights.word() }</button>
    }
}
