//! The head of the inspector, which names the chosen job and unfolds its editor: how long the job queued under each
//! schedule, and who held the cores meanwhile.

use yew::prelude::*;

use crate::panels::{StateProps, asking};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{
    Action, DisplayQuestion, InspectorPart, JobChoice, PollAction, State, Tab, ViewAction, selectors,
};
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, explained_columns};
use fairlane::ids::{JobId, UserId};
use fairlane::metrics;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::units::{Span, Time};

/// One schedule's view of a job.
#[derive(Debug, PartialEq)]
struct InspectorRow {
    policy: PolicyId,
    /// Seconds from its arrival to its end; `None` while it has not ended.
    response: Option<f64>,
    /// Its response time over that under the fluid ideal.
    ratio: Option<f64>,
    /// How long some task of it waited.
    queued: Span,
    /// The parts of all cores that users held meanwhile, the largest first.
    shares: Vec<(UserId, f64)>,
}

#[component]
pub fn Inspector(props: &StateProps) -> Html {
    let send = use_send();
    let state = &props.state;
    let jobs = state.document.scenario.jobs();
    let job = state.chosen_job().filter(|job| job.index() < jobs.len());
    let until = known_until(state);
    let schedules: Vec<(PolicyId, Shared<Analysis>)> =
        state.current_analyses().map(|(policy, analysis)| (policy, analysis.clone())).collect();
    let rows = use_memo((schedules, job, until), |(schedules, job, until)| {
        let Some(job) = *job else { return Vec::new() };
        schedules.iter().map(|(policy, analysis)| row(*policy, analysis, job, *until)).collect::<Vec<_>>()
    });
    let scenario = &state.document.scenario;
    let name = match (job, state.view.chosen.len()) {
        (Some(job), _) => html! {
            <><i class={classes!("dot", format!("hue-{}", selectors::user_hue(scenario, jobs[job.index()].user)))}></i>{
                scenario.job_label(job) }<small>{ format!("of {}", scenario.user_name(job)) }</small></>
        },
        (None, 0) => html! { "No job is chosen" },
        (None, several) => html! { { format!("{several} jobs are chosen") } },
    };
    let choose = |id: &'static str, to: Option<usize>, label: &'static str, sign: &'static str| {
        let to = to.filter(|index| *index < jobs.len());
        let next = JobId(to.unwrap_or_default() as u32);
        let onclick = send.press(ViewAction::Choose(next, JobChoice::Only));
        html! { <button type="button" class="small" {id} title={label} aria-label={label} {onclick}
        disabled={to.is_none()}>{ sign }</button> }
    };
    let is_edited = state.view.tab == Tab::Inspector(InspectorPart::Edit);
    let other = if is_edited { InspectorPart::Why } else { InspectorPart::Edit };
    let edit = send.press(ViewAction::Show(Tab::Inspector(other)));
    html! {
        <section id="inspector" class="inspector" aria-labelledby="inspected">
            <header>
                <h2 id="inspected">{ name }</h2>
                if job.is_some() {
                    <button type="button" class="small" id="ask-about" onclick={asking(PollAction::Start(job), &send)}
                        title="Ask a class how long it waits: guesses are collected, then the answer is played">{ "Ask" }</button>
                }
                <button type="button" class="small" id="edit-job" aria-expanded={is_edited.to_string()} onclick={edit}
                    title="Its arrival, estimate, stages and what they cost">{ "Edit" }</button>
                { choose("previous-job", job.and_then(|job| job.index().checked_sub(1)), "Previous job", "◂") }
                { choose("next-job", job.map_or(Some(0), |job| Some(job.index() + 1)), "Next job", "▸") }
            </header>
            if state.view.chosen.is_empty() {
                <p class="hint">{ "Press a job's block in the lanes or a task in a schedule." }</p>
            }
            if !rows.is_empty() {
                <Table columns={explained_columns([("Under", ""), ("responds", "From its arrival to its end"),
                    ("of ideal", "Response time over that under the ideal"),
                    ("queues", "How long some task of it waited"), ("whose cores meanwhile", "")])}>
                    { for rows.iter().map(|row| shown(row, state, &send)) }
                </Table>
            }
        </section>
    }
}

/// The instant up to which the reader may see what happens.
fn known_until(state: &State) -> Time {
    if state.future().is_hidden() { state.view.playhead } else { Time(u64::MAX) }
}

fn row(policy: PolicyId, analysis: &Analysis, job: JobId, until: Time) -> InspectorRow {
    let run = analysis.trace.jobs[job.index()];
    let finish = run.finish().filter(|finish| *finish <= until);
    let waits = metrics::job_waits(&analysis.scenario, &analysis.trace, job).pending;
    let so_far = |stretch: metrics::Stretch| metrics::Stretch { to: stretch.to.min(until), ..stretch };
    let waits: Vec<_> = waits.into_iter().filter(|stretch| stretch.from < until).map(so_far).collect();
    let held = metrics::holders(&analysis.scenario, &analysis.trace, &waits);
    let all = held.length.0 as f64 * f64::from(analysis.trace.cores);
    let share =
        |(user, time): (u32, &fairlane::units::SlotTime)| (UserId(user), time.0 as f64 / all.max(1.0));
    let mut shares: Vec<_> = (0..).zip(&held.by_user).map(share).filter(|(_, share)| *share > 0.0).collect();
    shares.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    InspectorRow {
        policy,
        response: finish.map(|finish| finish.since(run.arrival).seconds()),
        ratio: finish.and_then(|_| analysis.ratio_to_ideal(job)),
        queued: held.length,
        shares,
    }
}

/// A row, whose name asks why.
fn shown(row: &InspectorRow, state: &State, send: &Callback<Action>) -> Html {
    let policy = row.policy;
    let is_asked = state.asked().is_some_and(|(asked, _)| asked == policy);
    let why = send.press(ViewAction::Ask(policy, DisplayQuestion::Playhead));
    let users = state.document.scenario.users();
    let words: Vec<String> = row
        .shares
        .iter()
        .map(|(user, share)| format!("{} {}", users[user.index()].name, number::percent(*share, 0)))
        .collect();
    let words = if row.queued.0 == 0 { "It never queues.".to_owned() } else { number::list(&words) };
    let seconds = |seconds: Option<f64>| {
        seconds.map_or_else(|| "–".to_owned(), |seconds| format!("{} s", number::three_digits(seconds)))
    };
    html! {
        <tr key={policy.to_string()} data-policy={policy.to_string()} class={is_asked.then_some("won")}>
            <th scope="row"><button type="button" class="link" onclick={why} aria-pressed={is_asked.to_string()}
                title={format!("Why it runs when it does under {}", policy.title())}>{ policy.title() }</button></th>
            <td>{ seconds(row.response) }</td>
            <td>{ row.ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{}×", number::fixed(ratio, 1))) }</td>
            <td>{ seconds(Some(row.queued.seconds())) }</td>
            <td class="cores" title={words.clone()}>
                <span class="holders" aria-hidden="true">
                    { for row.shares.iter().map(|(user, share)| html! {
                        <i class={format!("hue-{}", selectors::user_hue(&state.document.scenario, *user))}
                            style={format!("width:{:.1}%", share * 100.0)}></i>
                    }) }
                </span>
                <span class="sr">{ words }</span>
            </td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::codec::analyze_here;
    use crate::testing::{policy, scenario};

    /// ben's job of the two users: under FIFO it queues behind ana's on all cores, and until the reader may see its end
    /// only what came before is told.
    #[test]
    fn a_row_tells_who_held_the_cores_and_nothing_of_what_is_hidden() {
        let analysis = analyze_here(&Shared::new(scenario("two-users")), policy("fifo"));
        let told = row(policy("fifo"), &analysis, JobId(12), Time(u64::MAX));
        assert!((told.ratio.expect("it ends") - 6.5).abs() < 0.05, "{told:?}");
        assert_eq!(told.shares.first().map(|(user, _)| *user), Some(UserId(0)));
        assert!(
            told.shares[0].1 > 0.8 && told.shares.iter().map(|(_, share)| share).sum::<f64>() <= 1.0 + 1e-9
        );
        let second = Time(1_000_000);
        let hidden = row(policy("fifo"), &analysis, JobId(12), second);
        assert_eq!((hidden.response, hidden.ratio), (None, None));
        let arrival = analysis.trace.jobs[12].arrival;
        assert_eq!(hidden.queued, second.since(arrival));
        assert_eq!(hidden.shares, [(UserId(0), 1.0)]);
    }
}
