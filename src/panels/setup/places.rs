//! The editor of what happens to executors and attempts: speeds, losses, waiting for a place, second attempts, preemption.

use yew::prelude::*;

use crate::panels::editors::field::EditorFields;
use crate::panels::lesson_link::lesson_link;
use crate::store::{Action, ClusterSwitch, DocumentAction};
use crate::ui::send::Handlers;
use fairlane::scenario::edit::{Edit, ObjectPath};

/// Most executors whose speeds have a slider each.
const MAX_SLIDERS: usize = 16;

/// The folded section of the cluster's editor.
pub fn places(fields: &EditorFields) -> Html {
    html! {
        <details>
            <summary id="attempts-and-places">{ "Slow, lost and preferred executors" }</summary>
            { speeds(fields) }
            { losses(fields) }
            { for SWITCHES.iter().map(|switched| switch(fields, switched)) }
        </details>
    }
}

/// What is switched on and off, with its fields.
struct Switched {
    switch: ClusterSwitch,
    id: &'static str,
    title: &'static str,
    /// The cluster's field that says what it is.
    field: &'static str,
    /// How its parameters are chosen when it is switched on; may be empty.
    rule: &'static str,
    /// The lesson about it.
    lesson: &'static str,
    of: ObjectPath,
    fields: &'static [(&'static str, &'static str)],
}

const SWITCHES: [Switched; 3] = [
    Switched {
        switch: ClusterSwitch::Locality,
        id: "locality",
        title: "Waiting for preferred executors",
        field: "locality_wait_s",
        rule: "",
        lesson: "wait-for-your-data",
        of: ObjectPath::Cluster,
        fields: &[("locality-wait", "locality_wait_s")],
    },
    Switched {
        switch: ClusterSwitch::Speculation,
        id: "speculation",
        title: "Speculation",
        field: "speculation",
        rule: "",
        lesson: "slow-machine",
        of: ObjectPath::Speculation,
        fields: &[
            ("speculation-quantile", "quantile"),
            ("speculation-multiplier", "multiplier"),
            ("speculation-min", "min_s"),
            ("speculation-interval", "interval_s"),
        ],
    },
    Switched {
        switch: ClusterSwitch::Preemption,
        id: "preemption",
        title: "Preemption",
        field: "preemption",
        rule: "Switched on here it begins after about a quarter of the longest task, and after 30 s at most.",
        lesson: "why-not-kill",
        of: ObjectPath::Preemption,
        fields: &[
            ("preemption-threshold", "threshold"),
            ("preemption-after", "after_s"),
            ("preemption-interval", "interval_s"),
        ],
    },
];

/// A switch, and its fields while it is on.
fn switch(fields: &EditorFields, switched: &Switched) -> Html {
    let is_on = switched.switch.is_on(fields.document.scenario.cluster());
    let action = Action::Document(DocumentAction::Switch(switched.switch));
    let onchange = fields.send.reform(move |_: Event| action.clone());
    let help = ObjectPath::Cluster.field(switched.field).map_or("", |field| field.summary);
    html! {
        <>
            <label class="switch" title={help}>
                <input type="checkbox" id={switched.id} checked={is_on} {onchange} />{ switched.title }
            </label>
            <p class="hint">{ help }{ " " }{ switched.rule }{ " " }{ lesson_link(switched.lesson, fields.send) }</p>
            if is_on {
                { for switched.fields.iter().map(|&(id, name)| fields.object_field(id, &switched.of, name)) }
            }
        </>
    }
}

/// A slider of the speed of each executor.
fn speeds(fields: &EditorFields) -> Html {
    let cluster = fields.document.scenario.cluster();
    let count = cluster.executors as usize;
    if count > MAX_SLIDERS {
        let words = format!("{count} executors: their speeds are given by cluster.speeds in a file.");
        return html! { <p class="hint">{ words }</p> };
    }
    let slider = |executor: usize| {
        let speed = cluster.speed(executor as u32);
        let speeds: Vec<f64> = (0..count).map(|other| cluster.speed(other as u32)).collect();
        let onchange = fields.send.on(move |event: Event| {
            let input = event.target_dyn_into::<web_sys::HtmlInputElement>()?;
            let mut speeds = speeds.clone();
            speeds[executor] = input.value_as_number();
            let are_usual = speeds.iter().all(|speed| *speed == 1.0);
            let value = if are_usual { serde_json::Value::Null } else { speeds.into() };
            let edit = Edit::set(ObjectPath::Cluster, "speeds", value);
            Some(Action::Document(DocumentAction::Edit(Edit::several(
                format!("change the speed of executor {executor}"),
                vec![edit],
            ))))
        });
        let id = format!("speed-{executor}");
        html! {
            <label class="executor-speed" key={executor}>
                <span>{ format!("executor {executor}") }</span>
                <input type="range" {id} min="0.1" max="2" step="0.05" value={speed.to_string()} {onchange}
                    aria-valuetext={format!("{speed} times as fast")} />
                <output>{ format!("{speed}×") }</output>
            </label>
        }
    };
    html! {
        <fieldset class="speeds">
            <legend>{ "Speed of each executor" }</legend>
            { for (0..count).map(slider) }
        </fieldset>
    }
}

/// Executors that are lost, when and for how long, and one more at the playhead.
fn losses(fields: &EditorFields) -> Html {
    let cluster = fields.document.scenario.cluster();
    let loss = |index: usize| {
        let of = ObjectPath::Loss(index as u32);
        let edit = Edit::remove_loss(&fields.document.scenario, index);
        let onclick = fields.send.press(DocumentAction::Edit(edit));
        let field = |id: &str, name| fields.object_field(format!("loss-{index}-{id}"), &of, name);
        html! {
            <div class="loss" key={index}>
                { field("executor", "executor") }
                { field("at", "at_s") }
                { field("back", "back_s") }
                <button type="button" class="small" id={format!("loss-{index}-remove")} {onclick}>{ "Remove this loss" }</button>
            </div>
        }
    };
    let last = cluster.executors.saturating_sub(1);
    let lose = fields.send.press(DocumentAction::ToggleExecutor(last));
    html! {
        <>
            <p class="hint">{ "Press the numbers of an executor’s cores beside a schedule: it is lost at the playhead with all that it \
                holds, and a second press brings it back. " }{ lesson_link("a-machine-dies", fields.send) }</p>
            // Above what it adds to, so that it stays under the pointer.
            <button type="button" class="small" id="lose" onclick={lose}>{
                format!("Executor {last} away, or back, at the playhead") }</button>
            { for (0..cluster.losses.len()).map(loss) }
        </>
    }
}
