//! What a policy decides about users and jobs besides the order of stages: admissions, drops and rejections with the
//! numbers behind them, and where each user is with the policy.

use yew::prelude::*;

use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::selectors;
use crate::ui::table::{Table, plain_row};
use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::policy::explain::{Decision, DecisionSubject, Explanation, KeyComponent, Value};
use fairlane::replay::ReplayPoint;
use fairlane::units::Time;

#[derive(Properties, PartialEq)]
pub struct DecisionsProps {
    pub analysis: Shared<Analysis>,
    /// The chosen job.
    pub job: Option<JobId>,
    pub at: ReplayPoint,
    /// The instant that `at` is.
    pub time: Time,
}

/// Most decisions that are listed.
const MAX_DECISIONS: usize = 8;

#[component]
pub fn Decisions(props: &DecisionsProps) -> Html {
    let DecisionsProps { analysis, job, at, time } = props;
    let decisions = use_memo(analysis.clone(), |analysis| analysis.decisions());
    let users = analysis.users_at(*at);
    let is_own = |decision: &&Decision| job.is_some_and(|job| is_about(decision, analysis, job));
    let (own, others): (Vec<&Decision>, Vec<&Decision>) = decisions.iter().partition(is_own);
    // The last ones before the instant, the latest first.
    let so_far: Vec<&Decision> = others.into_iter().filter(|decision| decision.at <= *time).collect();
    let more = so_far.len().saturating_sub(MAX_DECISIONS);
    // Those made before the first event are in the order of admission.
    let listed: Vec<&Decision> = if so_far.iter().all(|decision| decision.at == Time::ZERO) {
        so_far.into_iter().take(MAX_DECISIONS).collect()
    } else {
        so_far.into_iter().rev().take(MAX_DECISIONS).collect()
    };
    html! {
        <>
            if let Some(job) = job.filter(|_| !own.is_empty()) {
                <div id="decision" class="not-yet">
                    <h2>{ format!("What was decided about {}", analysis.scenario.job_label(job)) }</h2>
                    { for own.into_iter().map(|decision| shown(decision, true)) }
                </div>
            }
            if !users.is_empty() {
                <details id="users-then">
                    <summary>{ format!("Users at {}", number::instant(*time)) }</summary>
                    <ul class="queues" id="queues">{ for
                        users.iter().map(|(user, explanation)| queue(analysis, *user, explanation)) }</ul>
                </details>
            }
            if !listed.is_empty() {
                <details id="decisions">
                    <summary>{ "Decisions" }</summary>
                    { for listed.into_iter().map(|decision| shown(decision, false)) }
                    if more > 0 {
                        <p class="hint">{ format!("and {} before.", number::counted(more, "decision")) }</p>
                    }
                </details>
            }
        </>
    }
}

/// Whether a decision is about a job or its user.
fn is_about(decision: &Decision, analysis: &Analysis, job: JobId) -> bool {
    match decision.subject {
        DecisionSubject::Job(rank) => analysis.trace.arrival_order().get(rank.index()) == Some(&job),
        DecisionSubject::User(user) => {
            analysis.trace.jobs.get(job.index()).is_some_and(|run| run.user == user)
        }
    }
}

/// A decision as a sentence that unfolds to its numbers.
fn shown(decision: &Decision, open: bool) -> Html {
    let at =
        if decision.at == Time::ZERO { String::new() } else { format!("{}: ", number::instant(decision.at)) };
    html! {
        <details class="decision" key={format!("{:?} {}", decision.subject, decision.at.0)} {open}>
            <summary>{ at }{ &decision.sentence }</summary>
            { facts(&decision.parts) }
        </details>
    }
}

/// Numbers with their names.
fn facts(parts: &[KeyComponent]) -> Html {
    html! {
        <Table class="facts">{ for parts.iter().map(|part| plain_row(&part.name, [&part.value])) }</Table>
    }
}

/// A user's class and how much of its burst is used, with all numbers on request.
fn queue(analysis: &Analysis, user: UserId, explanation: &Explanation) -> Html {
    let part = |name: &str| explanation.facts.iter().find(|part| part.name == name).map(|part| &part.value);
    let class = part("class of the queue").map(|class| format!(" {class}"));
    let work = |name: &str| match part(name) {
        Some(Value::Work(work)) => Some(*work),
        _ => None,
    };
    let burst = work("used of this burst").zip(work("demand of a burst"));
    let words = match burst {
        Some((used, demand)) => format!(
            "{} of {} core-s of its burst used",
            number::short(used / 1e6),
            number::short(demand / 1e6)
        ),
        None => {
            explanation.parts.first().map(|part| format!("{} {}", part.name, part.value)).unwrap_or_default()
        }
    };
    let hue = format!("hue-{}", selectors::user_hue(&analysis.scenario, user));
    html! {
        <li key={user.0}>
            <details>
                <summary>
                    <i class={classes!("dot", hue.clone())}></i>{ " " }<b>{ &analysis.trace.users[user.index()]
                        }</b>{ class }
                    <small>{ words }</small>
                    if let Some((used, demand)) = burst.filter(|(_, demand)| *demand > 0.0) {
                        <span class={classes!("bar", hue)} aria-hidden="true"><i
                            style={format!("width:{:.1}%", (100.0 * used / demand).min(100.0))}></i></span>
                    }
                </summary>
                { facts(&explanation.parts) }
                { facts(&explanation.facts) }
            </details>
        </li>
    }
}
