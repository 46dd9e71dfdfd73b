//! What differs? Where two schedules part and why, who gained and lost, and how many tasks moved.

use yew::prelude::*;

use super::field::input_text;
use super::why::{heading, short, stage_label};
use crate::app::selectors;
use crate::app::shared::Shared;
use crate::app::store::{Action, Choice, State};
use crate::app::wire::Outcome;
use crate::ids::JobId;
use crate::policy::PolicyId;
use crate::trace::{At, Difference, Moved, RankedQueue};
use crate::units::Span;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub state: State,
    /// The comparison, if both schedules are there and of the same document.
    pub difference: Option<Shared<Difference>>,
    pub send: Callback<Action>,
}

/// Most jobs that are listed as gaining or losing.
const MOST_JOBS: usize = 8;
/// Most stages of a queue that are listed.
const MOST_STAGES: usize = 5;

#[component]
pub fn Differences(props: &Props) -> Html {
    let state = &props.state;
    let Some((one, other)) = state.compared() else {
        return html! { <p class="hint">{ "Tick at least two policies to compare their schedules." }</p> };
    };
    let select = |id: &'static str,
                  label: &'static str,
                  current: PolicyId,
                  make: fn(PolicyId, PolicyId, PolicyId) -> Action| {
        let policies: Vec<PolicyId> = state.runs.keys().copied().collect();
        let pick = props.send.reform(move |event: Event| {
            let name = input_text(&event).unwrap_or_default();
            let policy =
                policies.iter().copied().find(|policy| policy.to_string() == name).unwrap_or(current);
            make(policy, one, other)
        });
        html! {
            <div class="field">
                <label for={id}>{ label }</label>
                <span class="value">
                    <select {id} onchange={pick}>
                        { for state.runs.keys().map(|policy| html! {
                            <option value={policy.to_string()} selected={*policy == current}>{ policy.title() }</option>
                        }) }
                    </select>
                </span>
            </div>
        }
    };
    let body = match &props.difference {
        Some(difference) => found(props, one, other, difference),
        None => html! { <p class="hint">{ "The schedules are not ready yet." }</p> },
    };
    html! {
        <section class="editor">
            { select("pair-one", "From", one, |policy, _, other| Action::Compare(policy, other)) }
            { select("pair-other", "To", other, |policy, one, _| Action::Compare(one, policy)) }
            { body }
        </section>
    }
}

fn found(props: &Props, one: PolicyId, other: PolicyId, difference: &Difference) -> Html {
    let state = &props.state;
    let outcome = |policy: PolicyId| state.runs.get(&policy).and_then(|run| run.outcome.clone());
    let (Some(first), Some(second)) = (outcome(one), outcome(other)) else { return Html::default() };
    let Some(parting) = difference.parting else {
        return html! { <p id="parting">{ "The two schedules are identical, task for task." }</p> };
    };
    let go = props.send.reform(move |_: MouseEvent| Action::Seek(parting.at));
    let moved = match &difference.moved {
        Moved::Tasks { first, .. } => format!(
            "{} of {} tasks run elsewhere or at another time; they are striped in both charts.",
            first.len(),
            second.trace.tasks.len()
        ),
        Moved::Unmatched => {
            "The two schedules cut stages into different tasks, so only jobs can be compared.".to_owned()
        }
    };
    let launched = |outcome: &Shared<Outcome>, run: Option<crate::trace::TaskRun>| match run {
        Some(run) => format!("starts {} on core {}", outcome.scenario.job_label(run.job), run.core.0),
        None => "starts no further task".to_owned(),
    };
    html! {
        <>
            <h2>{ "Where they diverge" }</h2>
            <p id="parting">
                { format!("At {} {} {}, and {} {}.", selectors::instant(parting.at), one.title(), launched(&first, parting.first), other.title(), launched(&second, parting.second)) }
                { " " }<button type="button" class="small" onclick={go}>{ "Go there" }</button>
            </p>
            { queue_of(one, &first, parting.dispatch, parting.first.is_some()) }
            { queue_of(other, &second, parting.dispatch, parting.second.is_some()) }
            <p class="hint">{ moved }</p>
            { jobs_of(&format!("Earlier under {}", other.title()), "gained", &difference.gained, &second, &props.send) }
            { jobs_of(&format!("Later under {}", other.title()), "lost", &difference.lost, &second, &props.send) }
        </>
    }
}

fn queue_of(policy: PolicyId, outcome: &Outcome, dispatch: usize, launches: bool) -> Html {
    let Some(queue) = launches.then(|| outcome.ranked_queue(At::Dispatch(dispatch), MOST_STAGES)).flatten()
    else {
        return Html::default();
    };
    let RankedQueue { stages, chosen, reason, .. } = &queue;
    let parts = stages.first().map(|stage| stage.key.parts.as_slice()).unwrap_or_default();
    html! {
        <>
            <h2>{ format!("The queue under {}", policy.title()) }</h2>
            <p>{ reason }</p>
            <div class="scroll" tabindex="0" role="region" aria-label={format!("Queue under {}", policy.title())}>
                <table class="queue">
                    <thead>
                        <tr>
                            <th scope="col">{ "stage" }</th>
                            { for parts.iter().map(|part| html! { <th scope="col">{ heading(part) }</th> }) }
                        </tr>
                    </thead>
                    <tbody>
                        { for stages.iter().enumerate().map(|(place, stage)| html! {
                            <tr class={(*chosen == Some(place)).then_some("won")}>
                                <th scope="row">{ stage_label(stage, outcome) }</th>
                                { for stage.key.parts.iter().map(|part| html! { <td title={format!("{}: {}", part.name, part.value)}>{ short(&part.value) }</td> }) }
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </>
    }
}

fn jobs_of(
    title: &str,
    id: &'static str,
    jobs: &[(JobId, Span)],
    outcome: &Outcome,
    send: &Callback<Action>,
) -> Html {
    html! {
        <>
            <h2>{ format!("{title}: {} job{}", jobs.len(), if jobs.len() == 1 { "" } else { "s" }) }</h2>
            <table {id}>
                <tbody>
                    { for jobs.iter().take(MOST_JOBS).map(|&(job, by)| {
                        let choose = send.reform(move |_: MouseEvent| Action::Choose(job, Choice::Only));
                        let hue = selectors::user_hue(outcome.trace.jobs[job.index()].user);
                        html! {
                            <tr>
                                <th scope="row"><button type="button" class="link" onclick={choose}>
                                    <i class={classes!("dot", format!("hue-{hue}"))}></i>{ outcome.scenario.job_label(job) }
                                </button></th>
                                <td>{ format!("{} s", selectors::seconds(by.seconds())) }</td>
                            </tr>
                        }
                    }) }
                </tbody>
            </table>
            if jobs.len() > MOST_JOBS {
                <p class="hint">{ format!("and {} more.", jobs.len() - MOST_JOBS) }</p>
            }
        </>
    }
}
