//! A policy's virtual time and its deadlines over real time, with the playhead on them.

use yew::prelude::*;

use super::chart::ChartView;
use crate::codec::Analysis;
use crate::selectors;
use crate::shared::Shared;
use crate::theme::Colours;
use fairlane::ids::JobId;
use fairlane::units::Time;
use fairlane_view::TimeAxis;
use fairlane_view::chart;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub analysis: Shared<Analysis>,
    /// Whose deadlines are shown.
    pub jobs: Vec<JobId>,
    pub axis: TimeAxis,
    pub playhead: Time,
    pub colours: Shared<Colours>,
}

/// Logical pixels.
const HEIGHT: f64 = 220.0;

#[component]
pub fn VirtualTime(props: &Props) -> Html {
    let hues =
        use_memo(props.analysis.clone(), |analysis| Shared::new(selectors::job_hues(&analysis.scenario)));
    let parts = (props.analysis.clone(), props.jobs.clone(), props.axis);
    let chart = use_memo(parts, |(analysis, jobs, axis)| {
        let times = analysis.virtual_time(jobs).filter(|times| !times.v.is_empty());
        times.map(|times| Shared::new(chart::virtual_time(&times, &analysis.scenario, *axis)))
    });
    let Some(chart) = &*chart else {
        return html! { <p class="hint">{ "This policy has no virtual time: it considers only running tasks and arrivals." }</p> };
    };
    html! {
        <>
            <h2>{ "Virtual time and deadlines" }</h2>
            <ChartView id="virtual-time" chart={chart.clone()} colours={props.colours.clone()} hues={(*hues).clone()} height={HEIGHT} playhead={props.playhead.seconds()} />
            <p class="hint">{ "The rising line is virtual time V; each level line is a deadline, from when it is set until V has crossed it and its last task has started. Deadlines order the jobs: V may cross one before or after its job has finished virtually." }</p>
        </>
    }
}
