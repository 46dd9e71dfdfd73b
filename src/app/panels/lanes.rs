//! A lane per user with a block per job, over the axis that all panels share.

use std::rc::Rc;

use yew::prelude::*;

use super::seeking;
use crate::app::selectors::{self, Hue};
use crate::app::store::Document;
use crate::ids::{JobId, UserId};
use crate::units::Span;
use crate::view::{TimeAxis, lanes};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub document: Rc<Document>,
    pub axis: TimeAxis,
    pub hues: Rc<Vec<Hue>>,
    /// Response times alone on the idle cluster, once known.
    pub alone: Option<Rc<[Span]>>,
    pub seek: Callback<f64>,
}

/// A block this wide, as a fraction of the lane, has room for its name.
const ROOM_FOR_NAME: f64 = 0.06;
/// Most rows of a lane that still leave a name readable.
const ROWS_FOR_NAME: usize = 2;
/// Most rows of a lane whose blocks are tall enough to have a border.
const ROWS_WITH_BORDERS: usize = 6;

#[component]
pub fn Lanes(props: &Props) -> Html {
    let scenario = &props.document.scenario;
    let alone = props.alone.as_deref().unwrap_or_default();
    let (onpointerdown, onpointermove) = seeking(&props.seek);
    let percent = |fraction: f64| format!("{:.3}%", fraction * 100.0);
    let block = |block: &lanes::Block, rows: usize| {
        let (from, to) = (props.axis.fraction(block.from), props.axis.fraction(block.to));
        let next = block.next.map_or(1.0, |next| props.axis.fraction(next));
        let Hue { hue, shade } = props.hues[block.job];
        let job = JobId(block.job as u32);
        let label = scenario.job_label(job);
        let title = format!(
            "{label} of {}: arrives at {}, work {}, {} alone on the idle cluster",
            scenario.user_name(job),
            selectors::instant(block.from),
            Span(scenario.jobs[block.job].work().0),
            block.to.since(block.from),
        );
        let style = format!(
            "left:{};width:{};top:{};height:{}",
            percent(from),
            percent(to - from),
            percent(block.row as f64 / rows as f64),
            percent(1.0 / rows as f64)
        );
        let beside = to - from < ROOM_FOR_NAME;
        let named = rows <= ROWS_FOR_NAME && (next - if beside { to } else { from }) > ROOM_FOR_NAME;
        let shade = (shade == 1).then_some("alt");
        let dense = (rows > ROWS_WITH_BORDERS).then_some("dense");
        html! {
            <div key={block.job} class={classes!("block", format!("hue-{hue}"), shade, dense)} {style} {title}>
                if named {
                    <span class={if beside { "beside" } else { "on" }}>{ label }</span>
                }
            </div>
        }
    };
    let laid = lanes::lanes(scenario, alone);
    html! {
        <section class="lanes" aria-label="Users and their jobs">
            <div class="axis row">
                <div class="gutter"></div>
                <div class="plot">
                    { for props.axis.ticks(8).into_iter().map(|tick| html! {
                        <span class="label" style={format!("left:{}", percent(tick.fraction))}>{ tick.label }</span>
                    }) }
                </div>
            </div>
            { for laid.iter().enumerate().map(|(user, lane)| {
                let spec = &scenario.users[user];
                let hue = selectors::user_hue(UserId(user as u32));
                html! {
                    <div class="lane row" key={user}>
                        <div class="gutter user">
                            <i class={classes!("dot", format!("hue-{hue}"))}></i>
                            <b>{ &spec.name }</b>
                            <small>{ lane_facts(spec.weight.value(), lane.blocks.len()) }</small>
                        </div>
                        <div class="plot track" onpointerdown={onpointerdown.clone()} onpointermove={onpointermove.clone()}>
                            { for lane.blocks.iter().map(|placed| block(placed, lane.rows)) }
                        </div>
                    </div>
                }
            }) }
        </section>
    }
}

/// A user's weight, if it is not the usual one, and number of jobs.
fn lane_facts(weight: f64, jobs: usize) -> String {
    let jobs = format!("{jobs} job{}", if jobs == 1 { "" } else { "s" });
    if weight == 1.0 { jobs } else { format!("{jobs}, weight {weight}") }
}
