//! The facts of a job whose block in the lanes is under the pointer or has the focus, and under which policies and
//! why its tasks do not run yet.

use std::cell::Cell;

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::browser::dom::{around, find};
use crate::panels::lanes::marks::{Schedules, endings, said};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::Document;
use fairlane::ids::JobId;
use fairlane::metrics::{self, JobTasks};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::units::Time;
use fairlane_view::{arrival, not_yet};

#[derive(Clone, Properties, PartialEq)]
pub struct BlockTipProps {
    pub document: Shared<Document>,
    pub schedules: Schedules,
    /// The instant at which jobs wait.
    pub at: Time,
    /// Whether something else goes on, such as a drag.
    pub hidden: bool,
}

/// Logical pixels between the block and the tip above or below it, which the stylesheet keeps within the window.
const BELOW_PX: f64 = 6.0;

/// About as tall as a tip gets, in logical pixels.
const TALL_PX: f64 = 170.0;

#[component]
pub fn BlockTip(props: &BlockTipProps) -> Html {
    let pointed = use_pointed();
    let tapped = use_tapped_words();
    let shown = pointed.filter(|job| !props.hidden && job.index() < props.document.scenario.jobs().len());
    // The instant changes more often than the job.
    let tasks = use_memo((shown, props.schedules.clone()), |(job, schedules)| {
        let known = |analysis: &Analysis| job.filter(|job| analysis.has_job(*job));
        let tasks = |(policy, analysis): &(PolicyId, Shared<Analysis>)| {
            let job = known(analysis)?;
            Some((*policy, analysis.clone(), JobTasks::new(&analysis.scenario, &analysis.trace, job)))
        };
        schedules.iter().filter_map(tasks).collect::<Vec<_>>()
    });
    let Some((job, area)) =
        shown.and_then(|job| Some((job, area_of(&format!("#lanes [data-job='{}']", job.0))?)))
    else {
        return tapped.map(|(words, area)| tip(&area, html! { { words } })).unwrap_or_default();
    };
    let scenario = &props.document.scenario;
    let spec = &scenario.jobs()[job.index()];
    let mut facts = vec![format!(
        "{}, {} core-seconds",
        arrival::words(scenario, job),
        number::short(spec.work().seconds())
    )];
    if spec.estimate != spec.work() {
        facts.push(format!("estimated at {} core-seconds", number::short(spec.estimate.seconds())));
    }
    let is_new = |analysis: &Analysis| analysis.simulated == props.document.scenario;
    let mut new = props.schedules.iter().filter(|(_, analysis)| is_new(analysis));
    let alone = new.find_map(|(_, analysis)| *analysis.alone.get(job.index())?);
    if let Some(alone) = alone {
        facts.push(format!("{alone} alone on the idle cluster"));
    }
    if let Some(deadline) = spec.deadline {
        facts.push(format!("due at {}", number::instant(spec.arrival + deadline)));
    }
    let endings = endings(&props.schedules, job);
    let mut remarks = Vec::new();
    if !endings.unfinished.is_empty() {
        remarks.push(format!("✕ {}", said(&endings.unfinished)));
    }
    if !endings.late.is_empty() {
        let titles: Vec<String> = endings.late.iter().map(|policy| policy.title()).collect();
        remarks.push(format!("late under {}", number::list(&titles)));
    }
    let waiting = tasks.iter().filter_map(|(policy, analysis, tasks)| {
        let facts =
            metrics::not_yet((&analysis.scenario, &analysis.trace), analysis.index(), tasks, job, props.at)?;
        Some((policy, analysis, facts))
    });
    let waiting: Vec<_> = waiting.collect();
    let sentences = waiting.first().map(|(policy, analysis, facts)| {
        let behind = analysis.cores_behind(job, props.at);
        (policy.title(), not_yet::sentences(facts, analysis, job, behind))
    });
    let others: Vec<String> = waiting.iter().skip(1).map(|(policy, ..)| policy.title()).collect();
    let left = area.left();
    // Never over the open palette, from which jobs are dragged.
    let palette =
        area_of(".palette[open]").filter(|palette| (0.0..TALL_PX).contains(&(palette.top() - area.bottom())));
    let below = palette.as_ref().map_or(0.0, |palette| palette.bottom());
    let place = match palette.is_some() && area.top() > TALL_PX {
        true => format!("bottom:calc(100dvh - {:.0}px)", area.top() - BELOW_PX),
        false => format!("top:{:.0}px", area.bottom().max(below) + BELOW_PX),
    };
    html! {
        <div class="tip block-tip" role="tooltip" style={format!("--left:{left:.0}px;{place}")}>
            <b>{ scenario.job_label(job) }</b>{ format!(" of {}", scenario.user_name(job)) }
            <p>{ facts.join("; ") }</p>
            { for remarks.into_iter().map(|remark| html! { <p><b>{ remark }</b></p> }) }
            if let Some((title, sentences)) = sentences {
                <p><b>{ format!("{title}, at the playhead: ") }</b>{ sentences.join(" ") }</p>
                if !others.is_empty() {
                    <p>{ format!("It also waits under {}.", number::list(&others)) }</p>
                }
            }
            <small class="touch">{ "tap again to edit" }</small>
        </div>
    }
}

fn tip(area: &web_sys::DomRect, words: Html) -> Html {
    let style = format!("--left:{:.0}px;top:{:.0}px", area.left(), area.bottom() + BELOW_PX);
    html! { <div class="tip block-tip" role="tooltip" {style}>{ words }</div> }
}

/// What has words for a mouse that rests on it, and what has an answer of its own to a tap.
const WITH_WORDS: &str = "[title]";
const ANSWERS: &str = "button, a, input, select, label, summary, .plot, [role=slider]";

/// The words of what a finger has tapped, such as a heading or a dash, and where that is: a mouse would rest on it.
#[hook]
fn use_tapped_words() -> Option<(String, web_sys::DomRect)> {
    let tapped = use_state(|| None);
    let set = tapped.setter();
    use_effect_with((), move |()| {
        let found = |event: &web_sys::Event| {
            let element = around(event, WITH_WORDS)?;
            let answers = !is_touch(event) || around(event, ANSWERS).is_some();
            (!answers).then(|| Some((element.get_attribute("title")?, element.get_bounding_client_rect())))?
        };
        let listener =
            EventListener::new(&gloo::utils::document(), "click", move |event| set.set(found(event)));
        move || drop(listener)
    });
    (*tapped).clone()
}

/// What follows when an event happens at a job's block, or elsewhere.
type Handler = Box<dyn Fn(Option<JobId>, &web_sys::Event)>;

/// The block under the pointer, or else the one with the focus by key.
#[hook]
fn use_pointed() -> Option<JobId> {
    let hovered = use_state_eq(|| None::<JobId>);
    let focused = use_state_eq(|| None::<JobId>);
    let (over, focus) = (hovered.setter(), focused.setter());
    use_effect_with((), move |()| {
        let document = gloo::utils::document();
        let listen = |name: &'static str, set: Handler| {
            EventListener::new(&document, name, move |event| set(block_of(event), event))
        };
        let set = over.clone();
        let entered = listen(
            "pointerover",
            Box::new(move |block, event| {
                if !is_touch(event) {
                    set.set(block);
                }
            }),
        );
        // A finger's first tap chooses and shows the facts, the second one edits.
        let (set, tapped) = (over.clone(), Cell::new(None));
        let pressed = listen(
            "pointerdown",
            Box::new(move |block, event| {
                let tip = block.filter(|_| is_touch(event) && tapped.get() != block);
                tapped.set(tip);
                set.set(tip);
            }),
        );
        // It scrolls.
        let cancelled = listen("pointercancel", Box::new(move |_, _| over.set(None)));
        let set = focus.clone();
        let focused = listen(
            "focusin",
            Box::new(move |block, event| {
                set.set(block.filter(|_| around(event, ":focus-visible").is_some()));
            }),
        );
        let left = listen("focusout", Box::new(move |_, _| focus.set(None)));
        move || drop([entered, pressed, cancelled, focused, left])
    });
    hovered.or(*focused)
}

fn is_touch(event: &web_sys::Event) -> bool {
    event.dyn_ref::<web_sys::PointerEvent>().is_some_and(|pointer| pointer.pointer_type() == "touch")
}

/// The job whose block an event is about.
fn block_of(event: &web_sys::Event) -> Option<JobId> {
    around(event, "#lanes [data-job]")?.get_attribute("data-job")?.parse().ok().map(JobId)
}

/// Where an element is in the window.
fn area_of(css: &str) -> Option<web_sys::DomRect> {
    Some(find(css)?.get_bounding_client_rect())
}
