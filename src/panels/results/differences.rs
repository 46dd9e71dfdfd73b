//! The differences of two schedules: where they diverge and why, which jobs gain and lose, and how many tasks moved.

use yew::prelude::*;

use super::why::queue_table;
use crate::panels::editors::field::{policy_select, row};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, JobChoice, PlaybackAction, State, ViewAction, selectors};
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, plain_row};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::replay::ReplayPoint;
use fairlane::trace::{Difference, MovedTasks};
use fairlane::units::Span;

#[derive(Clone, Properties, PartialEq)]
pub struct DifferencesProps {
    pub state: State,
    /// The comparison, if both schedules are there and of the same document.
    pub difference: Option<Shared<Difference>>,
}

/// Most jobs that are listed as gaining or losing.
const MAX_JOBS: usize = 8;
/// Most stages of a queue that are listed.
const MAX_STAGES: usize = 5;

#[component]
pub fn Differences(props: &DifferencesProps) -> Html {
    let send = use_send();
    let state = &props.state;
    let Some((one, other)) = state.compared() else {
        return html! { <p class="hint">{ "Tick at least two policies to compare their schedules." }</p> };
    };
    let select = |id, label, current, pick: Callback<PolicyId>| {
        row(id, label, "", "", None, policy_select(id, state, Some(current), pick))
    };
    let body = match &props.difference {
        Some(difference) => divergence(props, &send, one, other, difference),
        None => html! { <p class="hint">{ "The schedules are not ready yet." }</p> },
    };
    html! {
        <section class="editor difference">
            { select("pair-one", "From", one, send.reform(move |policy| Action::View(ViewAction::Compare(policy, other)))) }
            { select("pair-other", "To", other, send.reform(move |policy| Action::View(ViewAction::Compare(one, policy)))) }
            { body }
        </section>
    }
}

fn divergence(
    props: &DifferencesProps,
    send: &Callback<Action>,
    one: PolicyId,
    other: PolicyId,
    difference: &Difference,
) -> Html {
    let state = &props.state;
    let analysis = |policy: PolicyId| state.runs.get(&policy).and_then(|run| run.analysis.clone());
    let (Some(first), Some(second)) = (analysis(one), analysis(other)) else { return Html::default() };
    let Some(parting) = difference.parting else {
        return html! { <p id="parting">{ "The two schedules are identical, task for task." }</p> };
    };
    let go = send.press(PlaybackAction::Seek(parting.at));
    let moved = match &difference.moved {
        MovedTasks::Tasks { first, .. } => format!(
            "{} of {} tasks run elsewhere or at another time; they are striped in both charts.",
            first.len(),
            second.trace.tasks.len()
        ),
        MovedTasks::Unmatched if !(first.trace.killed.is_empty() && second.trace.killed.is_empty()) => {
            "Tasks were killed and run again, so only jobs can be compared.".to_owned()
        }
        MovedTasks::Unmatched => {
            "The two schedules cut stages into different tasks, so only jobs can be compared.".to_owned()
        }
    };
    // Each at its own instant: the same task may start on the same core, but earlier.
    let launched = |analysis: &Shared<Analysis>, run: Option<fairlane::trace::TaskRun>| match run {
        Some(run) => format!(
            "starts {} on core {} at {}",
            analysis.scenario.job_label(run.job),
            run.core.0,
            number::instant(run.start)
        ),
        None => "starts no further task".to_owned(),
    };
    html! {
        <>
            <h2>{ "Where they diverge" }</h2>
            <p id="parting">
                { format!("{} {}, and {} {}.", one.title(), launched(&first, parting.first), other.title(),
                    launched(&second, parting.second)) }
                { " " }<button type="button" class="small" onclick={go}>{ "Go there" }</button>
            </p>
            { queue_of(one, &first, parting.dispatch, parting.first.is_some()) }
            { queue_of(other, &second, parting.dispatch, parting.second.is_some()) }
            <p class="hint">{ moved }</p>
            { jobs_of(&format!("Earlier under {}", other.title()), "gained", &difference.gained, &second, send) }
            { jobs_of(&format!("Later under {}", other.title()), "lost", &difference.lost, &second, send) }
        </>
    }
}

fn queue_of(policy: PolicyId, analysis: &Analysis, dispatch: usize, launches: bool) -> Html {
    let Some(queue) =
        launches.then(|| analysis.ranked_queue(ReplayPoint::Dispatch(dispatch), MAX_STAGES)).flatten()
    else {
        return Html::default();
    };
    let label = format!("Queue under {}", policy.title());
    html! {
        <>
            <h2>{ format!("The queue under {}", policy.title()) }</h2>
            <p>{ &queue.reason }</p>
            { queue_table(&queue, analysis, label, None) }
        </>
    }
}

fn jobs_of(
    title: &str,
    id: &'static str,
    jobs: &[(JobId, Span)],
    analysis: &Analysis,
    send: &Callback<Action>,
) -> Html {
    html! {
        <>
            <h2>{ format!("{title}: {}", number::counted(jobs.len(), "job")) }</h2>
            <Table {id}>
                { for jobs.iter().take(MAX_JOBS).map(|&(job, by)| {
                    let choose = send.press(ViewAction::Choose(job, JobChoice::Only));
                    let hue = selectors::user_hue(&analysis.scenario, analysis.trace.jobs[job.index()].user);
                    let head = html! {
                        <button type="button" class="link" onclick={choose}>
                            <i class={classes!("dot", format!("hue-{hue}"))}></i>{ analysis.scenario.job_label(job) }
                        </button>
                    };
                    plain_row(head, [format!("{} s", number::short(by.seconds()))])
                }) }
            </Table>
            if jobs.len() > MAX_JOBS {
                <p class="hint">{ format!("and {} more.", jobs.len() - MAX_JOBS) }</p>
            }
        </>
    }
}
