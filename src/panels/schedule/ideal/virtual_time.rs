//! A policy's virtual time V and the jobs' deadlines on the axis of the panels.

use std::collections::BTreeSet;

use yew::prelude::*;

use crate::panels::editors::field::select;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::selectors::{self, Hue};
use crate::store::{Action, Future, ViewAction};
use crate::ui::send::use_send;
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane_view::TimeAxis;
use fairlane_view::ideal::COLUMNS;
use fairlane_view::virtual_time::{DeadlinePath, ROWS, VirtualTimePicture, picture};

#[derive(Properties, PartialEq)]
pub struct VirtualTimeRowProps {
    pub policy: PolicyId,
    /// All that can be shown.
    pub policies: Vec<PolicyId>,
    pub analysis: Option<Shared<Analysis>>,
    pub axis: TimeAxis,
    /// Jobs whose deadlines are shown; some jobs if none is chosen.
    pub chosen: BTreeSet<JobId>,
    pub future: Future,
}

/// Most jobs whose deadlines are shown while none is chosen.
const MAX_JOBS: usize = 12;
/// Most deadlines that are read aloud.
const MAX_SPOKEN: usize = 5;

#[component]
pub fn VirtualTimeRow(props: &VirtualTimeRowProps) -> Html {
    let send = use_send();
    let parts = (props.analysis.clone(), props.chosen.clone(), props.axis);
    let drawn = use_memo(parts, |(analysis, chosen, axis)| {
        let analysis = analysis.as_ref()?;
        let times = analysis.virtual_time(&selectors::plotted(chosen, analysis, MAX_JOBS))?;
        picture(&times, &analysis.scenario, *axis)
    });
    let pick = send.reform(|word: String| Action::View(ViewAction::VirtualTime(word.parse().ok())));
    let options = props.policies.iter().map(|policy| (policy.to_string(), policy.title()));
    html! {
        <div class="row virtual-time" id="virtual-time-row">
            <div class="gutter">
                <label>
                    <span class="sr">{ "Policy whose virtual time V and deadlines are shown" }</span>
                    { select("virtual-time-policy", &props.policy.to_string(), options, None, pick) }
                </label>
                if let Some(picture) = &*drawn {
                    <span>{ format!("V to {}\u{a0}core-s", number::trimmed(picture.top, 2)) }</span>
                }
            </div>
            if let (Some(picture), Some(analysis)) = (&*drawn, &props.analysis) {
                { image(picture, analysis, props.policy, props.future) }
            } else {
                <div class="plot"><p class="hint">{ "not there yet" }</p></div>
            }
        </div>
    }
}

fn image(picture: &VirtualTimePicture, analysis: &Analysis, policy: PolicyId, future: Future) -> Html {
    let hues = selectors::job_hues(&analysis.scenario);
    let class = |line: &DeadlinePath| {
        let Hue { hue, shade } = hues[line.deadline.job.index()];
        classes!(format!("hue-{hue}"), (shade == 1).then_some("alt"))
    };
    let most = if future == Future::Shown { MAX_SPOKEN } else { 0 };
    let spoken: Vec<String> = picture.deadlines.iter().take(most).map(DeadlinePath::words).collect();
    html! {
        <div class="plot" role="img" aria-label={format!("Virtual time of {} and deadlines over real time. {}",
            policy.title(), spoken.join("; "))}>
            <svg viewBox={format!("0 0 {COLUMNS} {ROWS}")} preserveAspectRatio="none" aria-hidden="true">
                { for picture.deadlines.iter().map(|line| html! { <path class={class(line)}
                    d={line.path.clone()} /> }) }
                <path class="v" d={picture.v.clone()} />
            </svg>
            { for picture.numbers.iter().map(|(down, number)| html! {
                <span class="number" style={format!("top:{:.3}%", down * 100.0)} aria-hidden="true">{ number }</span>
            }) }
            { for picture.deadlines.iter().filter_map(|line| {
                let style = format!("left:{:.3}%;top:{:.3}%", line.crossing? * 100.0, line.down * 100.0);
                Some(html! { <i class={classes!("crossing", class(line))} {style} title={line.words()}></i> })
            }) }
            { for picture.deadlines.iter().filter_map(|line| {
                let name = line.name?;
                // On a narrow screen a long name ends before the edge does.
                let room = if name.leftwards { name.across } else { 1.0 - name.across };
                let style = format!("left:{:.3}%;top:{:.3}%;max-width:{:.3}%", name.across * 100.0,
                    line.down * 100.0, room * 100.0);
                let high = (line.down < 0.1).then_some("high");
                Some(html! { <span class={classes!("deadline", name.leftwards.then_some("leftwards"), high)}
                    {style}>{ &line.deadline.name }</span> })
            }) }
        </div>
    }
}
