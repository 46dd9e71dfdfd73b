//! What the colours mean.

use yew::prelude::*;

use crate::results::shared::Shared;
use crate::store::selectors::{self, Hue};
use crate::store::{Colouring, Document};
use fairlane::ids::JobId;

/// Most entries of a legend; the others are counted.
const MAX_ENTRIES: usize = 20;

#[derive(Properties, PartialEq)]
pub struct LegendProps {
    pub document: Shared<Document>,
    pub colouring: Colouring,
}

/// What the colours of jobs or stages mean; those of users are beside their names.
#[component]
pub fn Legend(props: &LegendProps) -> Html {
    let scenario = &props.document.scenario;
    let names: Vec<String> = match props.colouring {
        Colouring::User => return Html::default(),
        Colouring::Job => {
            (0..scenario.jobs().len() as u32).map(|job| scenario.job_label(JobId(job))).collect()
        }
        Colouring::Stage => {
            let stages = scenario.jobs().iter().map(|job| job.stages.len()).max().unwrap_or(0);
            (0..stages).map(|stage| format!("stage {stage}")).collect()
        }
    };
    let more = names.len().saturating_sub(MAX_ENTRIES);
    html! {
        <ul class="legend" id="legend" aria-label="Colours">
            { for names.into_iter().take(MAX_ENTRIES).enumerate().map(|(index, name)| {
                let Hue { hue, shade } = selectors::cycling_hue(index, scenario);
                html! { <li><i class={classes!("dot", format!("hue-{hue}"),
                    (shade == 1).then_some("alt"))}></i><span>{ name }</span></li> }
            }) }
            if more > 0 {
                <li>{ format!("and {more} more, in the same colours again") }</li>
            }
        </ul>
    }
}
