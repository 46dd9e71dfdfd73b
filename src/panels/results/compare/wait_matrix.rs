//! Who waited for whom: bars of the core time that users were short of their fair share, divided by whose excess it
//! was, and the same as a matrix.

use yew::prelude::*;

use super::Runs;
use crate::panels::editors::field::{select, toggling};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, PlaybackAction, selectors};
use crate::ui::send::use_send;
use crate::ui::table::{Table, columns};
use fairlane::ids::UserId;
use fairlane::metrics::{Holder, ScheduleVerdict, Stretch, WaitedFor, Waiter, Waiting};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane_view::verdict::{self, waiters};

#[derive(Properties, PartialEq)]
pub struct WaitedProps {
    pub runs: Shared<Runs>,
    /// Whom each schedule serves worst, as the headline says it.
    pub worst: Vec<(PolicyId, ScheduleVerdict)>,
    /// The policy that is shown until the reader chooses another: the headline's.
    pub policy: Option<PolicyId>,
    /// Whether it is open until the reader closes it.
    pub open: bool,
}

/// Most users that are listed.
const MAX_ROWS: usize = 8;

#[component]
pub fn Waited(props: &WaitedProps) -> Html {
    let send = use_send();
    let open = use_state_eq(|| false);
    {
        let open = open.setter();
        use_effect_with(props.open, move |&now| open.set(now));
    }
    let chosen = use_state_eq(|| None::<PolicyId>);
    let named = |name: Option<PolicyId>| props.runs.iter().find(|(policy, _)| Some(*policy) == name);
    let run = named(*chosen).or_else(|| named(props.policy)).or(props.runs.first()).cloned();
    // Computed only while it is shown.
    let seen = run.clone().filter(|_| *open).map(|(_, analysis)| analysis);
    let waits = use_memo(seen, |seen| seen.as_ref().map(|seen| seen.waiting()));
    let pick = {
        let (chosen, runs) = (chosen.setter(), props.runs.clone());
        Callback::from(move |word: String| {
            chosen.set(runs.iter().map(|(policy, _)| *policy).find(|policy| policy.to_string() == word));
        })
    };
    let Some((policy, analysis)) = run else { return Html::default() };
    let worst = props.worst.iter().find(|(of, _)| *of == policy).map(|(_, worst)| *worst);
    let options = props.runs.iter().map(|(policy, _)| (policy.to_string(), policy.title()));
    html! {
        <details id="waited" class="all-tables" open={*open} ontoggle={toggling(&open)}>
            <summary>{ "Who waited for whom" }</summary>
            <label class="waited-policy">{ "Under " }{ select("waited-policy", &policy.to_string(), options, None,
                pick) }</label>
            { for (*waits).as_ref().map(|waits| shown(waits, worst, policy, &analysis, &send)) }
        </details>
    }
}

fn shown(
    waits: &Waiting,
    worst: Option<ScheduleVerdict>,
    policy: PolicyId,
    analysis: &Shared<Analysis>,
    send: &Callback<Action>,
) -> Html {
    let driver = driver(waits, analysis);
    if waits.rows.is_empty() {
        return html! { <><p>{ "Nobody was ever short of a fair share of the cores." }</p>{ driver }</> };
    }
    let longest = waits.rows[0].core_time;
    let more = waits.rows.len().saturating_sub(MAX_ROWS);
    let rows = waiters(waits, worst.map(|worst| worst.user));
    let rows = &rows[..rows.len().min(MAX_ROWS)];
    html! {
        <>
            { worst.and_then(|worst| said(waits, worst, analysis)).map(|said| html! {
                <p id="waited-worst">{ said }</p> }).unwrap_or_default() }
            <ul class="waited" aria-label={format!("Core time short of the fair share under {}", policy.title())}>
                { for rows.iter().map(|row| bar(row, longest, analysis, send)) }
            </ul>
            if more > 0 {
                <p class="hint">{ format!("and {}.", number::counted(more, "more user")) }</p>
            }
            { matrix(waits, rows, analysis, send) }
            <p class="hint">{ "Core-seconds that a user was short of their fair share while tasks waited, by who held more than theirs then. Press a figure to go to the longest such time." }</p>
            { driver }
        </>
    }
}

/// Why the first is not who was short of the most core time; nothing if it is.
fn said(waits: &Waiting, worst: ScheduleVerdict, analysis: &Analysis) -> Option<String> {
    let most = waits.rows.first().filter(|row| row.user != worst.user)?;
    let ratio = verdict::ratio(worst.ratio?);
    let [name, other] = [worst.user, most.user].map(|user| name_of(user, analysis));
    Some(format!(
        "{name} waits longest for what is asked, {} times a fair share; {other} was short of more core time.",
        ratio.trim_end_matches('×')
    ))
}

/// Who waited for the driver alone.
fn driver(waits: &Waiting, analysis: &Analysis) -> Html {
    let waits = waits.driver.iter().take(MAX_ROWS);
    let waits: Vec<String> = waits
        .map(|&(user, span)| format!("{} {}\u{a0}s", name_of(user, analysis), number::short(span.seconds())))
        .collect();
    if waits.is_empty() {
        return Html::default();
    }
    html! { <p class="hint" id="waited-driver">{
    format!("Time of the driver alone, in which no task of the user could run: {}.", number::list(&waits)) }</p> }
}

/// A user's bar, a piece for each user that was waited for.
fn bar(row: &Waiter, longest: f64, analysis: &Shared<Analysis>, send: &Callback<Action>) -> Html {
    let name = name_of(row.user, analysis);
    let total = number::short(row.core_seconds());
    let pieces = row.waits.iter().map(|wait| {
        let style = format!("width:{:.2}%", 100.0 * wait.core_time / longest.max(1.0));
        html! { <i class={hue_of(wait.holder, &analysis.scenario)} {style} title={describe(row, wait, analysis)}></i> }
    });
    html! {
        <li key={row.user.0}>
            <button type="button" onclick={going(row.longest, analysis, send)}
                title={format!("{name} was short of {total} core-s in all. Go to the longest time")}>
                <span><i class={classes!("dot", hue_of(Holder::User(row.user), &analysis.scenario))}></i>{ name }</span>
                <span class="pieces" aria-hidden="true">{ for pieces }</span>
                <b>{ total }</b>
            </button>
        </li>
    }
}

/// Who waited, by row, for whom, by column, in core-seconds.
fn matrix(waits: &Waiting, rows: &[&Waiter], analysis: &Shared<Analysis>, send: &Callback<Action>) -> Html {
    let holders = &waits.holders[..waits.holders.len().min(MAX_ROWS)];
    let most = waits.rows.iter().flat_map(|row| &row.waits).map(|wait| wait.core_time).fold(1.0, f64::max);
    let cell = |row: &Waiter, holder: Holder| match row.wait_for(holder) {
        None => html! { <td class="heat none">{ "–" }</td> },
        Some(wait) => html! {
            <td class="heat bad" style={format!("--strength:{:.0}%", 45.0 * wait.core_time / most)}>
                <button type="button" onclick={going(wait.longest, analysis, send)}
                    title={describe(row, wait, analysis)}>{ number::short(wait.core_seconds()) }</button>
            </td>
        },
    };
    let named = |holder: Holder| {
        html! {
            <><i class={classes!("dot", hue_of(holder, &analysis.scenario))}></i>{ holder_name(holder, analysis) }</>
        }
    };
    let heads = std::iter::once(Html::from("waited for")).chain(holders.iter().copied().map(named));
    html! {
        <Table id="waited-matrix" label="Who waited for whom, core-seconds" columns={columns(heads)}>
            { for rows.iter().map(|row| html! {
                <tr key={row.user.0}>
                    <th scope="row">{ named(Holder::User(row.user)) }</th>
                    { for holders.iter().map(|holder| cell(row, *holder)) }
                </tr>
            }) }
        </Table>
    }
}

/// What puts the playhead into a stretch.
fn going(stretch: Stretch, analysis: &Shared<Analysis>, send: &Callback<Action>) -> Callback<MouseEvent> {
    let analysis = analysis.clone();
    send.reform(move |_: MouseEvent| Action::Playback(PlaybackAction::Seek(analysis.instant_within(stretch))))
}

fn describe(row: &Waiter, wait: &WaitedFor, analysis: &Analysis) -> String {
    let whom = match wait.holder {
        Holder::User(user) => format!("while {} held more than a fair share", name_of(user, analysis)),
        Holder::Idle => "while cores were idle".to_owned(),
    };
    let name = name_of(row.user, analysis);
    format!("{name} was short of {} core-s {whom}", number::short(wait.core_seconds()))
}

fn hue_of(holder: Holder, scenario: &Scenario) -> String {
    match holder {
        Holder::User(user) => format!("hue-{}", selectors::user_hue(scenario, user)),
        Holder::Idle => "idle".to_owned(),
    }
}

fn holder_name(holder: Holder, analysis: &Analysis) -> String {
    match holder {
        Holder::User(user) => name_of(user, analysis).to_owned(),
        Holder::Idle => "idle".to_owned(),
    }
}

fn name_of(user: UserId, analysis: &Analysis) -> &str {
    &analysis.trace.users[user.index()]
}
