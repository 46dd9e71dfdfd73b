//! Why this task? The ranked queue at a decision or at the playhead, with every key in the policy's
//! own terms, a sentence that says why the first is first, and the policy's virtual time.

mod decisions;
mod program;

use yew::prelude::*;

use crate::panels::StateProps;
use crate::panels::editors::field::{policy_select, row, select};
use crate::panels::schedule::hidden_future::use_not_yet;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, DisplayQuestion, JobChoice, ViewAction, selectors};
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, columns, plain_row};
use decisions::Decisions;
use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::policy::explain::{Explanation, KeyComponent, NumberedFacts, PolicyClock, Value};
use fairlane::policy::{OBSERVED, custom};
use fairlane::replay::{RankedQueue, ReplayPoint, WaitingStage};
use fairlane::trace::TaskRun;
use fairlane::units::{MICROS_PER_SECOND, Time};
use fairlane_view::{estimates, killed};
use program::ProgramLines;

/// Most stages that are listed.
const MAX_STAGES: usize = 12;

#[component]
pub fn Why(props: &StateProps) -> Html {
    let send = use_send();
    let state = &props.state;
    let Some((policy, asked)) = state.asked() else {
        return html! { <p class="hint">{ "No policy is ticked. Tick one to see its queue." }</p> };
    };
    let pick = send.reform(|policy| Action::View(ViewAction::Ask(policy, DisplayQuestion::Playhead)));
    let analysis = state.runs[&policy].analysis.clone();
    // Of what is hidden nothing can be asked.
    let end = if state.future().is_hidden() { state.view.playhead } else { Time(u64::MAX) };
    let is_known = |task: &usize| {
        let run = analysis.as_ref().and_then(|analysis| analysis.trace.tasks.get(*task));
        run.is_none_or(|run| run.start <= end)
    };
    let asked = match asked {
        DisplayQuestion::Dispatch(task) if !is_known(&task) => DisplayQuestion::Playhead,
        asked => asked,
    };
    let at = match asked {
        DisplayQuestion::Playhead => ReplayPoint::Instant(state.view.playhead),
        DisplayQuestion::Dispatch(task) => ReplayPoint::Dispatch(task),
    };
    let queue = analysis.as_ref().and_then(|analysis| analysis.ranked_queue(at, MAX_STAGES));
    let ask = send.reform(move |asked: DisplayQuestion| Action::View(ViewAction::Ask(policy, asked)));
    let has_plot = state.with_virtual_time().contains(&policy) && state.shown_virtual_time() != Some(policy);
    let virtual_time = has_plot.then(|| send.press(ViewAction::VirtualTime(Some(policy))));
    html! {
        <section class="editor why">
            <div class="asked-of">
                { row("why-policy", "Under", "", "", None, policy_select("why-policy", state, Some(policy), pick)) }
                { for analysis.as_ref().map(|analysis| task_select(analysis, asked, state.chosen_job(), end, ask)) }
            </div>
            { for analysis.as_ref().map(|analysis| attempt_story(analysis, asked, end)) }
            if let (Some(queue), Some(analysis)) = (queue, analysis) {
                if let (ReplayPoint::Instant(at), Some(job)) = (at, state.chosen_job()) {
                    <WhyNotYet analysis={analysis.clone()} {job} {at} />
                }
                <h2 id="why-title">{ title(at, &analysis) }</h2>
                <p id="why-sentence">{ &queue.reason }</p>
                <WrongEstimates analysis={analysis.clone()}
                    job={asked_job(at, &queue, &analysis).or(state.chosen_job())} />
                { ranked_queue(&queue, &analysis, &send) }
                { key(&queue, &analysis, at, virtual_time) }
                if custom::is_program(policy.kind) && !queue.stages.is_empty() {
                    <ProgramLines analysis={analysis.clone()} {at} stages={queue.stages.clone()} />
                }
                <Decisions analysis={analysis.clone()} job={state.chosen_job()} {at} time={queue.time} />
            } else if let Some(analysis) = state.runs[&policy].analysis.clone().filter(|_| policy == OBSERVED) {
                <p class="hint" id="why-observed">{
                    "A log says what ran, not why. Choose a policy above to see what it would have run, or a job to see who held the cores." }</p>
                if let Some(job) = state.chosen_job() {
                    <WhyNotYet {analysis} {job} at={state.view.playhead} />
                }
            } else {
                <p class="hint">{ "The schedule is not ready yet." }</p>
            }
        </section>
    }
}

/// Why the attempt that is asked about was killed and when its task runs again, as far as is known at `until`.
fn attempt_story(analysis: &Analysis, asked: DisplayQuestion, until: Time) -> Html {
    let DisplayQuestion::Dispatch(task) = asked else { return Html::default() };
    let sentences = u32::try_from(task).map(|task| killed::story(analysis, task, until));
    match sentences.unwrap_or_default().join(" ") {
        story if story.is_empty() => Html::default(),
        story => html! { <p id="why-killed" class="not-yet">{ story }</p> },
    }
}

/// Most tasks that are offered.
const MAX_TASKS: usize = 1_000;

/// The choice between the playhead and the tasks, launched until `end`, of the job that is chosen or asked about: so any
/// task is reached by keys.
fn task_select(
    analysis: &Analysis,
    asked: DisplayQuestion,
    chosen: Option<JobId>,
    end: Time,
    ask: Callback<DisplayQuestion>,
) -> Html {
    let tasks = &analysis.trace.tasks;
    let asked = match asked {
        DisplayQuestion::Dispatch(task) => Some(task).filter(|&task| task < tasks.len()),
        DisplayQuestion::Playhead => None,
    };
    let chosen = chosen.filter(|job| analysis.has_job(*job));
    let Some(job) = asked.map(|task| tasks[task].job).or(chosen) else { return Html::default() };
    let label = analysis.scenario.job_label(job);
    let of_job =
        tasks.iter().enumerate().filter(|(_, run)| run.job == job && run.start <= end).take(MAX_TASKS);
    let option = |(index, run): (usize, &TaskRun)| {
        (index.to_string(), format!("{label} on core {} at {}", run.core.0, number::instant(run.start)))
    };
    let options =
        std::iter::once((String::new(), "next at the playhead".to_owned())).chain(of_job.map(option));
    let pick =
        ask.reform(|word: String| word.parse().map_or(DisplayQuestion::Playhead, DisplayQuestion::Dispatch));
    let chosen = asked.map(|task| task.to_string()).unwrap_or_default();
    row("why-task", "Task", "", "", None, select("why-task", &chosen, options, None, pick))
}

/// The job that a question is about, or else the one that is next.
fn asked_job(at: ReplayPoint, queue: &RankedQueue, analysis: &Analysis) -> Option<JobId> {
    match at {
        ReplayPoint::Dispatch(task) => Some(analysis.trace.tasks.get(task)?.job),
        ReplayPoint::Instant(_) => Some(queue.stages.first()?.job),
    }
}

#[derive(Properties, PartialEq)]
struct WrongProps {
    analysis: Shared<Analysis>,
    job: Option<JobId>,
}

/// The wrong estimates that decide when a job runs.
#[component]
fn WrongEstimates(props: &WrongProps) -> Html {
    let wrong = use_memo((props.analysis.clone(), props.job), |(analysis, job)| {
        let job = job.filter(|job| analysis.has_job(*job));
        job.map(|job| estimates::far_off(analysis, job)).unwrap_or_default()
    });
    html! { { for wrong.iter().map(|sentence| html! { <p class="wrong-estimate">{ sentence }</p> }) } }
}

#[derive(Properties, PartialEq)]
struct NotYetProps {
    analysis: Shared<Analysis>,
    job: JobId,
    at: Time,
}

/// Why the chosen job's tasks do not run yet, while it has such.
#[component]
fn WhyNotYet(props: &NotYetProps) -> Html {
    let NotYetProps { analysis, job, at } = props;
    let Some(sentences) = use_not_yet(analysis, Some(*job), *at) else { return Html::default() };
    html! {
        <div id="why-not-yet" class="not-yet">
            <h2>{ format!("Why {} is not running yet", analysis.scenario.job_label(*job)) }</h2>
            <ul>{ for sentences.into_iter().map(|sentence| html! { <li>{ sentence }</li> }) }</ul>
        </div>
    }
}

fn title(at: ReplayPoint, analysis: &Analysis) -> String {
    match at {
        ReplayPoint::Dispatch(task) => {
            let run = analysis.trace.tasks[task];
            format!(
                "Core {} at {}: a task of {} starts",
                run.core.0,
                number::instant(run.start),
                analysis.scenario.job_label(run.job)
            )
        }
        ReplayPoint::Instant(time) => format!("Waiting at {}", number::instant(time)),
    }
}

fn ranked_queue(queue: &RankedQueue, analysis: &Analysis, send: &Callback<Action>) -> Html {
    html! {
        <>
            if !queue.stages.is_empty() {
                { queue_table(queue, analysis, "Ranked queue".to_owned(), Some(send)) }
            }
            { match queue.waiting.saturating_sub(queue.stages.len()) {
                0 => html! {},
                1 => html! { <p class="hint">{ "1 more stage waits." }</p> },
                more => html! { <p class="hint">{ format!("{more} more stages wait.") }</p> },
            } }
        </>
    }
}

/// A ranked queue, its first stage or the one that was launched marked. With `send` it also has tasks waiting and
/// running, and stages choose their jobs.
pub fn queue_table(
    queue: &RankedQueue,
    analysis: &Analysis,
    label: String,
    send: Option<&Callback<Action>>,
) -> Html {
    let parts = queue.stages.first().map(|stage| stage.key.parts()).unwrap_or_default();
    let won = queue.chosen.or(send.map(|_| 0));
    let column =
        |part: usize| scores(queue.stages.iter().filter_map(move |stage| stage.key.parts().get(part)));
    let scores: Vec<Vec<f64>> = (0..parts.len()).map(column).collect();
    let counts = send.map(|_| ["waits", "runs"]).into_iter().flatten();
    let heads = ["stage"].into_iter().chain(counts).map(str::to_owned).chain(parts.iter().map(heading));
    html! {
        <Table class="queue" id={send.map(|_| "queue")} {label} columns={columns(heads)}>
            { for queue.stages.iter().enumerate().map(|(index, stage)| html! {
                <tr class={classes!((won == Some(index)).then_some("won"),
                    (queue.chosen == Some(index)).then_some("asked"))} key={stage.id.0.to_string()}>
                    <th scope="row">{ send.map_or_else(|| analysis.scenario.stage_label(stage.job, stage.stage).into(),
                        |send| choosing(stage, analysis, send)) }</th>
                    if send.is_some() {
                        <td>{ stage.pending }</td>
                        <td>{ stage.running }</td>
                    }
                    { for stage.key.parts().iter().zip(&scores).map(|(part, scores)| html! {
                        <td title={format!("{}: {}", part.name, part.value)}>
                            { short(&part.value) }{ bar(&part.value, scores, BestScore::Least) }
                        </td>
                    }) }
                </tr>
            }) }
        </Table>
    }
}

/// The scores among some values.
fn scores<'a>(parts: impl Iterator<Item = &'a KeyComponent>) -> Vec<f64> {
    let score = |part: &KeyComponent| match part.value {
        Value::Score(score) => Some(score),
        _ => None,
    };
    parts.filter_map(score).collect()
}

/// Which of some scores is the best.
#[derive(Clone, Copy, PartialEq)]
enum BestScore {
    Least,
    Greatest,
}

/// A score as a bar beside others, the longer the better; nothing for what is no score, or the only one.
fn bar(value: &Value, scores: &[f64], best: BestScore) -> Html {
    let ends = [f64::min, f64::max].map(|end| scores.iter().copied().reduce(end));
    let ([Some(least), Some(greatest)], Value::Score(score)) = (ends, value) else { return Html::default() };
    if least >= greatest {
        return Html::default();
    }
    let part = (score - least) / (greatest - least);
    let part = if best == BestScore::Least { 1.0 - part } else { part };
    html! { <i class="score" aria-hidden="true" style={format!("--part:{part:.3}")}></i> }
}

/// A value without its unit, for a narrow column.
fn short(value: &Value) -> String {
    match value {
        Value::Work(micros) | Value::WorkPerWeight(micros) => format!("{:.2}", micros / MICROS_PER_SECOND),
        Value::Tasks(count) => count.to_string(),
        Value::TasksPerWeight(count) => number::short(*count),
        other => other.to_string(),
    }
}

/// The heading of a column of keys, with its unit where it is work.
fn heading(part: &KeyComponent) -> String {
    match part.value {
        Value::Work(_) | Value::WorkPerWeight(_) => format!("{}, core-s", part.name),
        _ => part.name.to_string(),
    }
}

/// A stage as a button that chooses its job.
fn choosing(stage: &WaitingStage, analysis: &Analysis, send: &Callback<Action>) -> Html {
    let job = stage.job;
    let choose = send.press(ViewAction::Choose(job, JobChoice::Only));
    let hue = selectors::user_hue(&analysis.scenario, stage.user);
    html! {
        <button type="button" class="link" onclick={choose}
            title={format!("{}: choose this job", analysis.trace.users[stage.user.index()])}>
            <i class={classes!("dot", format!("hue-{hue}"))}></i>{ analysis.scenario.stage_label(stage.job, stage.stage) }
        </button>
    }
}

/// The folded part with how the first key is computed: the policy's clock, the numbers of the key, and with
/// `virtual_time` a button that has both drawn.
fn key(
    queue: &RankedQueue,
    analysis: &Analysis,
    at: ReplayPoint,
    virtual_time: Option<Callback<MouseEvent>>,
) -> Html {
    let first = queue.stages.first().filter(|stage| stage.facts != NumberedFacts::default());
    if first.is_none() && queue.clock.is_none() && virtual_time.is_none() {
        return Html::default();
    }
    html! {
        <details id="why-key">
            <summary>{ "How the key is computed" }</summary>
            { for first.map(|stage| facts(stage, analysis)) }
            { for queue.clock.as_ref().map(|clock| clock_facts(clock, at, analysis)) }
            if let Some(onclick) = virtual_time {
                <button type="button" class="small" id="why-virtual-time" {onclick}>{
                    "Show virtual time and deadlines below the ideal" }</button>
            }
        </details>
    }
}

/// The policy's clock: V, how fast it grows, and what the policy knows of the users.
fn clock_facts(clock: &PolicyClock, at: ReplayPoint, analysis: &Analysis) -> Html {
    let core_seconds = |micros: f64| format!("{:.2}", micros / MICROS_PER_SECOND);
    let rate = match clock.rate {
        Some(rate) => format!("grows by {rate:.2} core-seconds per second"),
        None => "is constant".to_owned(),
    };
    let known = |(user, known): (UserId, Explanation)| {
        let facts: Vec<String> =
            known.facts.iter().map(|part| format!("{} {}", part.name, short(&part.value))).collect();
        plain_row(&analysis.trace.users[user.index()], [facts.join(", ")])
    };
    html! {
        <>
            <p>{ format!("Virtual time V is {} core-seconds and {rate}.", core_seconds(clock.virtual_time)) }</p>
            <Table class="facts">{ for analysis.users_at(at).into_iter().map(known) }</Table>
        </>
    }
}

/// How the first stage's key is computed.
fn facts(stage: &WaitingStage, analysis: &Analysis) -> Html {
    let scores = scores(stage.facts.parts.iter());
    html! {
        <>
            <h2>{ "Key of " }{ analysis.scenario.stage_label(stage.job, stage.stage) }</h2>
            <Table class="facts">
                { for stage.facts.parts.iter().map(|part| plain_row(&part.name, [html! {
                    <>{ part.value.to_string() }{ bar(&part.value, &scores, BestScore::Greatest) }</>
                }])) }
            </Table>
            if let Some(remark) = stage.facts.remark {
                <p class="hint">{ remark }</p>
            }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::codec::analyze_here;
    use crate::testing::{policy, scenario};

    /// A job that was just added is chosen while the schedule is still that of the scenario without it.
    #[test]
    fn tasks_of_a_job_that_is_not_in_the_schedule_yet_are_not_offered() {
        let analysis = analyze_here(&Shared::new(scenario("two-users")), policy("fair"));
        let offered = |job| {
            task_select(&analysis, DisplayQuestion::Playhead, Some(job), Time(u64::MAX), Callback::noop())
        };
        let jobs = analysis.trace.jobs.len() as u32;
        assert_eq!(offered(JobId(jobs)), Html::default());
        assert_ne!(offered(JobId(jobs - 1)), Html::default());
    }
}
