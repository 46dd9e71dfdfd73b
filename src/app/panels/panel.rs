//! One policy: its verdict in a line and its Gantt chart of the cores.

use std::rc::Rc;

use yew::prelude::*;

use super::seeking;
use crate::app::plots::gantt::Gantt;
use crate::app::selectors::{self, Hue};
use crate::app::store::{Action, Document, Run};
use crate::app::theme::Colours;
use crate::app::wire::Outcome;
use crate::policy::PolicyId;
use crate::view::TimeAxis;
use crate::view::gantt::Rows;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub policy: PolicyId,
    pub run: Run,
    pub document: Rc<Document>,
    pub axis: TimeAxis,
    pub hues: Rc<Vec<Hue>>,
    pub colours: Rc<Colours>,
    pub seek: Callback<f64>,
    pub send: Callback<Action>,
}

#[component]
pub fn Panel(props: &Props) -> Html {
    let cluster = &props.document.scenario.cluster;
    let rows = Rows::new(cluster.executors, cluster.cores_per_executor, 1.0);
    let (onpointerdown, onpointermove) = seeking(&props.seek);
    let body = match &props.run {
        Run::Pending(part) => html! {
            <div class="wait" style={format!("height:{}px", rows.height)}>
                <progress max="1" value={(*part > 0.0).then(|| part.to_string())} aria-label={format!("Simulating {}", props.policy.title())}></progress>
                { "simulating…" }
            </div>
        },
        Run::Failed(message) => {
            let policy = props.policy;
            let retry = props.send.reform(move |_: MouseEvent| Action::Retry(policy));
            html! {
                <div class="failed" role="alert">
                    <p>{ message }</p>
                    <button onclick={retry}>{ "Try again" }</button>
                </div>
            }
        }
        Run::Done(outcome) => html! {
            <div class="row">
                <Gutter executors={cluster.executors} cores_per_executor={cluster.cores_per_executor} />
                <div class="plot chart" {onpointerdown} {onpointermove}>
                    <Gantt outcome={Rc::clone(outcome)} axis={props.axis} hues={Rc::clone(&props.hues)} colours={Rc::clone(&props.colours)}
                        executors={cluster.executors} cores_per_executor={cluster.cores_per_executor} label={spoken(props.policy, outcome)} />
                    { for props.axis.ticks(8).into_iter().map(|tick| html! {
                        <i class="gridline" style={format!("left:{:.3}%", tick.fraction * 100.0)}></i>
                    }) }
                </div>
            </div>
        },
    };
    let state = match &props.run {
        Run::Pending(_) => "pending",
        Run::Done(_) => "done",
        Run::Failed(_) => "failed",
    };
    html! {
        <section class="panel" id={format!("panel-{}", props.policy)} data-state={state} aria-label={props.policy.title()}>
            <header>
                <h2 title={props.policy.kind.info().summary}>{ props.policy.title() }</h2>
                if let Run::Done(outcome) = &props.run {
                    <span class="figure">{ "mean response " }<b>{ selectors::seconds(outcome.summary.mean_response) }{ " s" }</b></span>
                    <span class="figure">{ "makespan " }<b>{ selectors::seconds(outcome.summary.makespan.seconds()) }{ " s" }</b></span>
                    <code class="hash" title="Fingerprint of this schedule; the same natively: fairlane simulate --hash">{ format!("{:016x}", outcome.hash) }</code>
                }
            </header>
            { body }
        </section>
    }
}

/// The chart in words.
fn spoken(policy: PolicyId, outcome: &Outcome) -> String {
    format!(
        "Gantt chart of {} cores under {}: {} tasks, the last ends at {}; mean response time {} s",
        outcome.trace.cores,
        policy.title(),
        outcome.trace.tasks.len(),
        selectors::instant(outcome.trace.end()),
        selectors::seconds(outcome.summary.mean_response),
    )
}

#[derive(Properties, PartialEq)]
struct GutterProps {
    executors: u32,
    cores_per_executor: u32,
}

/// Logical pixels that an executor needs for its name, and a core for its number.
const NAME_PX: u32 = 12;
const NUMBER_PX: u32 = 9;

/// Names of executors and numbers of cores beside the chart, where there is room.
#[component]
fn Gutter(props: &GutterProps) -> Html {
    let rows = Rows::new(props.executors, props.cores_per_executor, 1.0);
    let cores = props.executors * props.cores_per_executor;
    let every_core_has_a_row = rows.bands.len() == cores as usize;
    let middle = |first: usize, last: usize| f64::from(rows.bands[first].0 + rows.bands[last].1) / 2.0;
    let executor = |executor: u32| {
        let first = (executor * props.cores_per_executor) as usize;
        let last = first + props.cores_per_executor as usize - 1;
        let tall_enough = rows.bands[last].1 - rows.bands[first].0 >= NAME_PX;
        tall_enough.then(|| {
            html! { <span class="executor" style={format!("top:{}px", middle(first, last))}>{ format!("executor {executor}") }</span> }
        })
    };
    let core = |core: usize| {
        let (top, bottom) = rows.bands[core];
        (bottom - top >= NUMBER_PX).then(|| {
            html! { <span class="core" style={format!("top:{}px", middle(core, core))}>{ core }</span> }
        })
    };
    html! {
        <div class="gutter" style={format!("height:{}px", rows.height)} aria-hidden="true">
            if every_core_has_a_row {
                { for (0..props.executors).filter_map(executor) }
                { for (0..cores as usize).filter_map(core) }
            } else {
                <span class="executor" style="top:8px">{ format!("{cores} cores") }</span>
            }
        </div>
    }
}
