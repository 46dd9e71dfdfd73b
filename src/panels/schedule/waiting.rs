//! The stages that wait at the playhead, as chips at the left of a chart in the policy's order; while the schedule
//! plays, launched tasks fly from their chips to their cores.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::panels::schedule::hidden_future::use_not_yet;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Colouring, selectors};
use fairlane::number;
use fairlane::replay::ReplayPoint;
use fairlane::units::Time;
use fairlane_view::chips::{self, CHIP_PX, Chips, Flight};
use fairlane_view::gantt::ChartRows;

#[derive(Clone, Properties, PartialEq)]
pub struct WaitingStagesProps {
    pub analysis: Shared<Analysis>,
    /// The instant whose queue is shown.
    pub at: Time,
    pub playing: bool,
    pub colouring: Colouring,
    /// The chart's rows, in logical pixels.
    pub rows: ChartRows,
    /// Logical pixels above the first chip that are something else's.
    pub reserved: u32,
}

/// Most launches of one moment that are shown flying.
const MAX_FLIGHTS: usize = 3;

/// What was shown last.
#[derive(Default)]
struct LastShown {
    at: Time,
    chips: Chips,
    /// The flights of the last two moments: each is longer than one.
    flights: [Vec<Flight>; 2],
}

#[component]
pub fn WaitingStages(props: &WaitingStagesProps) -> Html {
    let WaitingStagesProps { analysis, at, playing, colouring, rows, reserved } = props;
    let hue =
        |job, stage| selectors::hue_classes(selectors::stage_hue(&analysis.scenario, *colouring, job, stage));
    let last: Rc<RefCell<LastShown>> = use_mut_ref(LastShown::default);
    let room = chips::room(rows.height.saturating_sub(*reserved));
    // The chip under the pointer, by its index: why its job waits is shown beside it.
    let hovered = use_state_eq(|| None::<usize>);
    let now = use_memo((analysis.clone(), *at, room), |(analysis, at, room)| {
        let queue = analysis.ranked_queue(ReplayPoint::Instant(*at), *room);
        queue.map(|queue| chips::chips(&analysis.scenario, &queue, *room)).unwrap_or_default()
    });
    let hovered_chip = hovered.filter(|_| !playing).and_then(|index| Some((index, now.chips.get(index)?)));
    let sentences = use_not_yet(analysis, hovered_chip.map(|(_, chip)| chip.job), *at);
    let hover = |index: Option<usize>| {
        let hovered = hovered.setter();
        Callback::from(move |_: PointerEvent| hovered.set(index))
    };
    let mut last = last.borrow_mut();
    if last.at != *at || !playing {
        let launched = match *playing && last.at < *at {
            true => chips::flights(&analysis.trace, &last.chips, last.at, *at, MAX_FLIGHTS),
            false => Vec::new(),
        };
        let before = std::mem::take(&mut last.flights[1]);
        *last = LastShown { at: *at, chips: (*now).clone(), flights: [before, launched] };
    }
    let flight = |flight: &Flight| {
        let band = rows.row_of(flight.core).map(|row| rows.bands[row])?;
        let run = analysis.trace.tasks.get(flight.task)?;
        let style = format!("--from:{}px;--to:{}px", reserved + flight.chip as u32 * CHIP_PX, band.0);
        Some(html! {
            <i key={flight.task} class={classes!("flight", hue(run.job, run.stage))}
                {style}></i>
        })
    };
    let flights = last.flights.iter().flatten().filter_map(flight).collect::<Vec<_>>();
    html! {
        <>
            if !now.chips.is_empty() {
                <ol class="waiting" style={format!("top:{reserved}px")} aria-label={format!("Waiting at {}, next first", number::instant(*at))}
                    onpointerleave={hover(None)}>
                    { for now.chips.iter().enumerate().map(|(index, chip)| html! {
                        <li key={format!("{}.{}", chip.job.0, chip.stage)}
                            class={hue(chip.job, chip.stage)} aria-label={chip.facts.clone()}
                            onpointerenter={hover(Some(index))} onpointerdown={hover(Some(index))}
                            data-job-waits={chip.job.0.to_string()}>
                            <span>{ &chip.label }</span><b>{ chip.pending }</b>
                        </li>
                    }) }
                    if now.more > 0 {
                        <li key="more" class="more"
                            title={number::counted(now.more, "more stage")}>{
                            format!("{} more", now.more) }</li>
                    }
                </ol>
            }
            if let (Some((index, chip)), Some(sentences)) = (hovered_chip, sentences) {
                <div class="tip why-waits" role="tooltip" style={format!("top:{}px", reserved + (index as u32 + 1) * CHIP_PX)}>
                    <b>{ &chip.facts }</b>
                    { for sentences.into_iter().map(|sentence| html! { <p>{ sentence }</p> }) }
                </div>
            }
            <>{ for flights }</>
        </>
    }
}
