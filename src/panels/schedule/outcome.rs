//! What comes out under a policy: the figures beside its chart, as they are or as far as the playhead knows.

use std::collections::BTreeSet;

use yew::prelude::*;

use crate::results::codec::{Analysis, SoFar};
use crate::store::{Action, FigureSubject, ViewAction, selectors};
use crate::ui::send::Handlers;
use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::units::Time;
use fairlane_view::words::{self, Word};

/// Most chosen jobs that are named in the line and have a bar.
const NAMED_JOBS: usize = 2;

/// Those of the chosen jobs that are named beside the chart and have a bar below it.
pub(super) fn named_jobs(analysis: &Analysis, chosen: &BTreeSet<JobId>) -> impl Iterator<Item = JobId> {
    chosen.iter().copied().filter(|job| analysis.has_job(*job)).take(NAMED_JOBS)
}

/// The mean response; in a drag after what it was at its start, and while the future is hidden of what has happened.
pub(super) fn mean_response(analysis: &Analysis, before: Option<&Analysis>, so_far: Option<SoFar>) -> Html {
    let mean = |mean: Option<f64>| mean.map_or_else(|| "–".to_owned(), seconds);
    let (name, now) = match so_far {
        Some(so_far) => ("mean so far", so_far.mean_response),
        None => ("mean", analysis.summary.mean_response),
    };
    let now = mean(now);
    let earlier = before.filter(|_| so_far.is_none()).map(|before| mean(before.summary.mean_response));
    let mean = match earlier.filter(|earlier| *earlier != now) {
        Some(earlier) => format!("{earlier} → {now}"),
        None => now,
    };
    html! { <span title={hint(words::MEAN)}>{ figure(name.to_owned(), mean) }</span> }
}

/// The 95th percentile, what was wasted, what did not finish, and the responses of the chosen jobs, which open the
/// inspector where there is something to send to.
pub(super) fn figures(
    analysis: &Analysis,
    so_far: Option<SoFar>,
    chosen: &BTreeSet<JobId>,
    send: Option<&Callback<Action>>,
) -> Html {
    let unfinished = so_far.map_or(analysis.summary.unfinished, |so_far| so_far.unfinished);
    let response = |job: JobId| {
        let run = analysis.trace.jobs[job.index()];
        if so_far.is_some_and(|so_far| run.end() > so_far.at) {
            return "–".to_owned();
        }
        run.response().map_or_else(|| run.outcome.name().to_owned(), |response| seconds(response.seconds()))
    };
    let slowest = analysis.summary.percentiles.filter(|_| so_far.is_none());
    let slowest = slowest.map(|percentiles| seconds(percentiles.p95));
    let costs = analysis.summary.special.attempts.filter(|_| so_far.is_none());
    let wasted = costs.map(|costs| costs.wasted.seconds()).filter(|wasted| *wasted > 0.0);
    let policy = analysis.trace.policy;
    let of_job = |job: JobId| {
        let name = analysis.scenario.job_label(job);
        match send.filter(|_| so_far.is_none()) {
            Some(send) => {
                let onclick = send.press(ViewAction::Inspect(policy, FigureSubject::Job(job)));
                html! {
                    <button type="button" class="figure" title={format!("Why did {name} take so long?")} {onclick}>
                        { name }{ " " }<b>{ response(job) }</b></button>
                }
            }
            None => figure(name, response(job)),
        }
    };
    let jobs = named_jobs(analysis, chosen);
    html! {
        <>
            // Both have their lines in any case, so that nothing below moves when a figure comes to be.
            <span class="p95" title={hint(words::P95)}>{ for slowest.map(|slowest| figure("p95".to_owned(), slowest)) }</span>
            <span class="wasted" title={hint(words::WASTED)}>{ for wasted.map(|wasted| html! {
                <span class="figure">{ "wasted " }<b>{ number::three_digits(wasted) }<span
                    class="unit">{ "\u{a0}core-s" }</span></b></span> }) }</span>
            { for unfinished.words().map(|words| html! { <span class="figure">{ words }</span> }) }
            { for jobs.map(of_job) }
        </>
    }
}

/// A word with its meaning, for whoever points at it.
fn hint(word: Word) -> String {
    format!("{}: {}", word.term, word.meaning)
}

fn figure(name: String, figure: String) -> Html {
    html! {
        <span class="figure">{ name }{ " " }<b>{ figure }</b></span>
    }
}

fn seconds(seconds: f64) -> String {
    format!("{}\u{a0}s", number::three_digits(seconds))
}

/// Most users whose counts are shown.
const SHOWN_USERS: usize = 6;

/// Most users whose counts are in words; those of more are two to a line.
const WORDED_USERS: usize = 2;

/// Running and waiting tasks of each user at the playhead; nothing in a drag. It has room for all of its users at any
/// time, so that no schedule moves while another plays.
pub(super) fn load(analysis: &Analysis, at: Time) -> Html {
    let users = analysis.trace.users.len().min(SHOWN_USERS);
    let is_short = users > WORDED_USERS;
    let lines = if is_short { users.div_ceil(2) } else { users };
    let style = format!("--lines:{lines};--users:{users}");
    let class = classes!("load", is_short.then_some("short"));
    let Some(counts) = analysis.load_at(at) else { return html! { <span {class} {style}></span> } };
    let mut active =
        counts.iter().enumerate().filter(|(_, count)| count.running + count.waiting > 0).peekable();
    if active.peek().is_none() {
        return html! { <span {class} {style} title="At the playhead"><span>{ "cores idle" }</span></span> };
    }
    html! {
        <span {class} {style}
            title="At the playhead: tasks running + tasks waiting, by user">
            { for active.take(SHOWN_USERS).map(|(user, count)| html! {
                <span>
                    <i class={classes!("dot", format!("hue-{}", selectors::user_hue(&analysis.scenario, UserId(user as u32))))}></i>
                    <span class="sr">{ &analysis.trace.users[user] }</span>
                    { count.running }<span class={is_short.then_some("sr")}>{ " run" }</span>
                    if count.waiting > 0 {
                        <em>{ if is_short { "+" } else { " " } }{ count.waiting }
                            <span class={is_short.then_some("sr")}>{ " wait" }</span></em>
                    }
                </span>
            }) }
        </span>
    }
}
