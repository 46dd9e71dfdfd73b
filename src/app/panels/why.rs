//! Why this one? The ranked queue at a decision or at the playhead, with every key in the policy's
//! own terms, a sentence that says why the first goes first, and the policy's virtual time.

use yew::prelude::*;

use super::field::input_text;
use crate::app::plots::virtual_time::VirtualTime;
use crate::app::selectors;
use crate::app::shared::Shared;
use crate::app::store::{Action, Asked, Choice, State};
use crate::app::theme::Colours;
use crate::app::wire::Outcome;
use crate::ids::JobId;
use crate::policy::PolicyId;
use crate::policy::explain::{Active, Activity, Clock, Part, Value};
use crate::trace::{At, RankedQueue, Waiting};
use crate::units::MICROS_PER_SECOND;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub state: State,
    pub colours: Shared<Colours>,
    pub send: Callback<Action>,
}

/// Most candidates that are listed.
const MOST: usize = 12;

#[component]
pub fn Why(props: &Props) -> Html {
    let state = &props.state;
    let asked = state.question.filter(|(policy, _)| state.runs.contains_key(policy));
    let first = state.runs.keys().next().map(|&policy| (policy, Asked::Playhead));
    let Some((policy, asked)) = asked.or(first) else {
        return html! { <p class="hint">{ "Tick a policy first." }</p> };
    };
    let pick = {
        let policies: Vec<PolicyId> = state.runs.keys().copied().collect();
        props.send.reform(move |event: Event| {
            let name = input_text(&event).unwrap_or_default();
            let policy = policies.iter().copied().find(|policy| policy.to_string() == name).unwrap_or(policy);
            Action::Ask(policy, Asked::Playhead)
        })
    };
    let outcome = state.runs[&policy].outcome.clone();
    let at = match asked {
        Asked::Playhead => At::Instant(state.playhead),
        Asked::Dispatch(task) => At::Dispatch(task),
    };
    let queue = outcome.as_ref().and_then(|outcome| outcome.ranked_queue(at, MOST));
    let follow = props.send.reform(move |_: MouseEvent| Action::Ask(policy, Asked::Playhead));
    html! {
        <section class="editor why">
            <div class="field">
                <label for="why-policy">{ "Policy" }</label>
                <span class="value">
                    <select id="why-policy" onchange={pick}>
                        { for state.runs.keys().map(|other| html! {
                            <option value={other.to_string()} selected={*other == policy}>{ other.title() }</option>
                        }) }
                    </select>
                </span>
            </div>
            if asked != Asked::Playhead {
                <button type="button" class="small" id="why-follow" onclick={follow}>{ "Ask at the playhead instead" }</button>
            }
            if let (Some(queue), Some(outcome)) = (queue, outcome) {
                <Queue queue={Shared::new(queue)} outcome={outcome.clone()} {at} send={props.send.clone()} />
                <VirtualTime outcome={outcome.clone()} jobs={plotted(state, &outcome)} axis={state.axis()} playhead={state.playhead} colours={props.colours.clone()} />
            } else {
                <p class="hint">{ "The schedule is not ready yet." }</p>
            }
        </section>
    }
}

/// Most jobs whose deadlines are plotted while none is chosen.
const MOST_PLOTTED: usize = 8;

/// The jobs whose deadlines are plotted: the chosen ones, or else the first few.
fn plotted(state: &State, outcome: &Outcome) -> Vec<JobId> {
    let jobs = outcome.trace.jobs.len();
    match state.chosen.is_empty() {
        true => (0..jobs.min(MOST_PLOTTED) as u32).map(JobId).collect(),
        false => state.chosen.iter().copied().filter(|job| job.index() < jobs).collect(),
    }
}

#[derive(Properties, PartialEq)]
struct QueueProps {
    queue: Shared<RankedQueue>,
    outcome: Shared<Outcome>,
    at: At,
    send: Callback<Action>,
}

#[component]
fn Queue(props: &QueueProps) -> Html {
    let QueueProps { queue, outcome, at, send } = props;
    let title = match at {
        At::Dispatch(task) => {
            let run = outcome.trace.tasks[*task];
            format!(
                "Core {} at {}: a task of {} starts",
                run.core.0,
                selectors::instant(run.start),
                outcome.scenario.job_label(run.job)
            )
        }
        At::Instant(time) => format!("Waiting at {}", selectors::instant(*time)),
    };
    let parts = queue.stages.first().map(|stage| stage.key.parts.as_slice()).unwrap_or_default();
    let decisive: Vec<String> = parts.iter().map(heading).collect();
    html! {
        <>
            <h2 id="why-title">{ title }</h2>
            <p id="why-sentence">{ &queue.reason }</p>
            if let Some(clock) = &queue.clock {
                { clock_facts(clock, outcome) }
            }
            if !queue.stages.is_empty() {
                <div class="scroll" tabindex="0" role="region" aria-label="Ranked queue">
                    <table id="queue">
                        <thead>
                            <tr>
                                <th scope="col">{ "stage" }</th>
                                <th scope="col">{ "waits" }</th>
                                <th scope="col">{ "runs" }</th>
                                { for decisive.iter().map(|name| html! { <th scope="col">{ name }</th> }) }
                            </tr>
                        </thead>
                        <tbody>
                            { for queue.stages.iter().enumerate().map(|(place, stage)| {
                                let won = queue.chosen.map_or(place == 0, |chosen| chosen == place);
                                row(stage, won, outcome, send)
                            }) }
                        </tbody>
                    </table>
                </div>
                { for queue.stages.first().map(|stage| facts(stage, outcome)) }
            }
            { match queue.waiting.saturating_sub(queue.stages.len()) {
                0 => html! {},
                1 => html! { <p class="hint">{ "and 1 more stage." }</p> },
                more => html! { <p class="hint">{ format!("and {more} more stages.") }</p> },
            } }
        </>
    }
}

/// A value without its unit, for a narrow column.
pub fn short(value: &Value) -> String {
    match value {
        Value::Work(micros) | Value::WorkPerWeight(micros) => format!("{:.2}", micros / MICROS_PER_SECOND),
        Value::Tasks(count) => count.to_string(),
        Value::TasksPerWeight(count) => selectors::seconds(*count),
        other => other.to_string(),
    }
}

/// What a column of keys is about, with its unit where it is work.
pub fn heading(part: &Part) -> String {
    match part.value {
        Value::Work(_) | Value::WorkPerWeight(_) => format!("{}, core-s", part.name),
        _ => part.name.to_owned(),
    }
}

/// How a stage is called: its job's name, and its own where the job has several.
pub fn stage_label(stage: &Waiting, outcome: &Outcome) -> String {
    let job = &outcome.scenario.jobs()[stage.job.index()];
    let label = outcome.scenario.job_label(stage.job);
    let name = &job.stages[stage.stage as usize].name;
    match (job.stages.len(), name.as_str()) {
        (1, _) => label,
        (_, "") => format!("{label}, stage {}", stage.stage),
        (_, name) => format!("{label}, {name}"),
    }
}

fn row(stage: &Waiting, won: bool, outcome: &Shared<Outcome>, send: &Callback<Action>) -> Html {
    let job = stage.job;
    let choose = send.reform(move |_: MouseEvent| Action::Choose(job, Choice::Only));
    let hue = selectors::user_hue(stage.user);
    html! {
        <tr class={won.then_some("won")} key={stage.id.0.to_string()}>
            <th scope="row">
                <button type="button" class="link" onclick={choose} title={format!("{}: choose this job", outcome.trace.users[stage.user.index()])}>
                    <i class={classes!("dot", format!("hue-{hue}"))}></i>{ stage_label(stage, outcome) }
                </button>
            </th>
            <td>{ stage.pending }</td>
            <td>{ stage.running }</td>
            { for stage.key.parts.iter().map(|part| html! { <td title={part.value.to_string()}>{ short(&part.value) }</td> }) }
        </tr>
    }
}

/// The policy's clock: V, how fast it grows, and who shares.
fn clock_facts(clock: &Clock, outcome: &Outcome) -> Html {
    let core_seconds = |micros: f64| format!("{:.2}", micros / MICROS_PER_SECOND);
    let rate = match clock.rate {
        Some(rate) => format!("grows by {rate:.2} core-seconds per second"),
        None => "is constant: no user is active".to_owned(),
    };
    let active: Vec<(String, String)> = match &clock.active {
        Active::Stages(stages) => vec![("active stages".to_owned(), stages.len().to_string())],
        Active::Users(users) => users
            .iter()
            .filter(|user| user.activity == Activity::Active)
            .map(|user| {
                let facts = format!(
                    "Va {}, Vu {}, End {}, {} job{}",
                    core_seconds(user.virtual_arrival),
                    core_seconds(user.user_time),
                    core_seconds(user.end),
                    user.jobs.len(),
                    if user.jobs.len() == 1 { "" } else { "s" }
                );
                (outcome.trace.users[user.user.index()].clone(), facts)
            })
            .collect(),
    };
    html! {
        <details>
            <summary>{ format!("Virtual time V is {} core-seconds and {rate}", core_seconds(clock.virtual_time)) }</summary>
            <table class="facts">
                <tbody>
                    { for active.into_iter().map(|(name, facts)| html! { <tr><th scope="row">{ name }</th><td>{ facts }</td></tr> }) }
                </tbody>
            </table>
        </details>
    }
}

/// What the first stage's key is made of.
fn facts(stage: &Waiting, outcome: &Outcome) -> Html {
    if stage.key.facts.is_empty() && stage.key.remark.is_none() {
        return Html::default();
    }
    html! {
        <>
            <h2>{ "How " }{ stage_label(stage, outcome) }{ " got its key" }</h2>
            <table class="facts">
                <tbody>
                    { for stage.key.facts.iter().map(|part| html! {
                        <tr><th scope="row">{ part.name }</th><td>{ part.value.to_string() }</td></tr>
                    }) }
                </tbody>
            </table>
            if let Some(remark) = stage.key.remark {
                <p class="hint">{ remark }</p>
            }
        </>
    }
}
