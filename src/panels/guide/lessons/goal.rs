//! The goal of a challenge: where the reader is on the way to it, live, and what else must hold.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use yew::prelude::*;

use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, Document, Guide, LessonPlace, of_others};
use fairlane::number;
use fairlane::policy::{PolicyId, custom};
use fairlane::scenario::Scenario;
use fairlane_study::lesson::{
    Challenge, ChallengeScore, GoalSide, Judgement, LessonFacts, Quantity, QuantityUnit,
};

/// Most tasks under a policy that are simulated to judge: a few milliseconds.
const MAX_TASKS: u64 = 20_000;
/// Most events of a simulation that is judged: empty time has events and no tasks.
const MAX_EVENTS: u32 = 200_000;

#[derive(Properties, PartialEq)]
pub struct GoalMeterProps {
    /// The step that is a challenge.
    pub at: LessonPlace,
    pub document: Shared<Document>,
    pub ticked: BTreeSet<PolicyId>,
    /// The schedules of ticked programs that are up to date: programs run in workers only.
    pub programs: BTreeMap<PolicyId, Shared<Analysis>>,
    /// Whether all panels are up to date.
    pub settled: bool,
    /// Whether only the bar is shown.
    pub folded: bool,
    /// Whether something is dragged: it is judged, and counts once it is dropped.
    pub dragging: bool,
    /// The best score so far.
    pub best: Option<ChallengeScore>,
    pub send: Callback<Action>,
}

/// Figure, goal and par on a bar; the rules; and whether all of it is reached.
#[component]
pub fn GoalMeter(props: &GoalMeterProps) -> Html {
    let start = use_memo(props.at.clone(), |at| {
        let start = at.challenge().and_then(Challenge::start)?;
        // What somebody else has written holds nobody up, and runs no program unasked.
        Some(if at.document().is_some() { Rc::new(of_others(start.scenario().clone())) } else { start })
    });
    let judgement = {
        let start = (*start).clone();
        let of = (props.at.clone(), props.document.clone(), props.ticked.clone(), props.programs.clone());
        use_memo(of, move |(at, document, ticked, programs)| {
            let modes = ticked.iter().map(|policy| document.tasks(policy.partitioning));
            let is_small = modes.max().is_none_or(|tasks| tasks <= MAX_TASKS);
            let (challenge, start) = at.challenge().zip(start).filter(|_| is_small)?;
            let is_known =
                |policy: &PolicyId| !custom::is_program(policy.kind) || programs.contains_key(policy);
            let policies: Vec<PolicyId> = ticked.iter().copied().filter(is_known).collect();
            let facts = LessonFacts::new(Scenario::clone(&document.scenario)).within(MAX_EVENTS);
            let facts = if at.document().is_some() { facts.without_programs() } else { facts };
            let facts = programs
                .iter()
                .fold(facts, |facts, (&policy, analysis)| facts.with_trace(policy, analysis.trace.clone()));
            let is_within = |policy: &PolicyId| custom::is_program(policy.kind) || facts.is_within(*policy);
            if !policies.iter().all(is_within) {
                return None;
            }
            Some(challenge.judged(&start, facts, &policies))
        })
    };
    // While a program is simulated, what was judged last stays.
    let settled = use_mut_ref(|| judgement.clone());
    let is_awaited = !props.settled && props.ticked.iter().any(|policy| custom::is_program(policy.kind));
    if !is_awaited {
        *settled.borrow_mut() = judgement.clone();
    }
    let judgement = settled.borrow().clone();
    let score = props.at.challenge().zip((*judgement).as_ref()).and_then(|(challenge, judgement)| {
        let score = judgement.score().filter(|_| !props.dragging)?;
        let is_best = props.best.is_none_or(|best| score.beats(best, challenge.goal.side));
        is_best.then_some(score)
    });
    {
        let (send, at) = (props.send.clone(), props.at.clone());
        use_effect_with((at, score), move |(at, score)| {
            if let Some(score) = *score {
                send.emit(Action::Guide(Guide::Reach(at.clone(), score)));
            }
        });
    }
    let Some((challenge, judgement)) = props.at.challenge().zip((*judgement).as_ref()) else {
        return html! { <p class="hint">{ "This scenario is too large to be judged. Undo, or reset the challenge." }</p> };
    };
    let now = judgement.figure.map_or("none".to_owned(), describe);
    html! {
        <div class={classes!("goal", judgement.is_reached().then_some("reached"))} role="group" aria-label="Goal">
            if !props.folded {
                <p class="goal-figure"><b>{ challenge.goal.words.as_str() }</b>{ ", " }{ challenge.goal.side.words() }{ " " }{
                    limit(challenge, judgement) }</p>
            }
            { bar(challenge, judgement) }
            <p class="goal-now">
                <span>{ "Now " }<b id="goal-now">{ now }</b></span>
                // Read out when it changes, and not with every figure.
                <b id="goal-state" role="status">{ state(challenge, judgement) }</b>
            </p>
            if !props.folded {
                <dl>
                    { entry("goal-par", "Par", scored(judgement, challenge.par.score)) }
                    { entry("goal-best", "Best", props.best.map_or("–".to_owned(), |best| scored(judgement, best))) }
                    { entry("goal-changes", "Changes", judgement.changes.to_string()) }
                </dl>
                <ul class="rules">
                    if let Some(most) = challenge.most_changes {
                        { rule(&format!("No more than {}", number::counted(most as usize, "change")),
                            judgement.changes <= most) }
                    }
                    { rule(&only(challenge), judgement.is_free && judgement.is_own) }
                    { for challenge.rules.iter().zip(&judgement.rules).map(|(of, holds)| rule(&of.words, *holds)) }
                </ul>
            }
        </div>
    }
}

/// Whether it is reached.
fn state(challenge: &Challenge, judgement: &Judgement) -> &'static str {
    match judgement.score() {
        Some(score) if challenge.is_par(score) => "✓ Reached, at par",
        Some(_) => "✓ Reached",
        None if judgement.policy.is_none() => "Tick a policy to be judged",
        None => "Not reached",
    }
}

fn entry(id: &'static str, term: &'static str, value: String) -> Html {
    html! { <div><dt>{ term }</dt><dd {id}>{ value }</dd></div> }
}

fn rule(words: &str, holds: bool) -> Html {
    html! {
        <li class={if holds { "holds" } else { "broken" }}>
            <i aria-hidden="true">{ if holds { "✓" } else { "✗" } }</i>{ words.to_owned() }
            <span class="sr">{ if holds { ": holds" } else { ": broken" } }</span>
        </li>
    }
}

/// A figure with its unit: three digits.
fn describe(figure: Quantity) -> String {
    match figure.unit {
        QuantityUnit::Seconds => format!("{}\u{a0}s", number::three_digits(figure.value)),
        QuantityUnit::Count => number::trimmed(figure.value, 0),
        QuantityUnit::CoreSeconds | QuantityUnit::Ratio | QuantityUnit::Percent => figure.to_string(),
    }
}

/// The goal's limit, in the unit of its figure: it may be a plain number.
fn limit(challenge: &Challenge, judgement: &Judgement) -> String {
    let unit = judgement.figure.map(|figure| figure.unit);
    let limit = judgement.limit.map(|limit| describe(Quantity { unit: unit.unwrap_or(limit.unit), ..limit }));
    limit.unwrap_or_else(|| challenge.goal.limit.clone())
}

fn scored(judgement: &Judgement, score: ChallengeScore) -> String {
    let unit = judgement.figure.map_or(QuantityUnit::Ratio, |figure| figure.unit);
    let changes = number::counted(score.changes as usize, "change");
    format!("{}, {changes}", describe(Quantity { value: score.value, unit }))
}

/// The figure as a bar with marks at goal and par, from 0 on.
fn bar(challenge: &Challenge, judgement: &Judgement) -> Html {
    let (Some(figure), Some(limit)) = (judgement.figure, judgement.limit) else { return Html::default() };
    let par = challenge.par.score.value;
    // The bar ends a little behind what is to be seen.
    let room = match challenge.goal.side {
        GoalSide::AtLeast => limit.value.max(par) * 1.1,
        GoalSide::AtMost => limit.value.max(par) * 2.5,
    };
    let at = |value: f64| format!("{:.2}%", (100.0 * value / room).clamp(0.0, 100.0));
    let side = match challenge.goal.side {
        GoalSide::AtLeast => format!("left:{};right:0", at(limit.value)),
        GoalSide::AtMost => format!("left:0;width:{}", at(limit.value)),
    };
    html! {
        <div class="goal-bar" aria-hidden="true">
            <i class="goal-side" style={side}></i>
            <i class="goal-value" style={format!("width:{}", at(figure.value))}></i>
            <i class="goal-par" style={format!("left:{}", at(par))} title="Par"></i>
        </div>
    }
}

/// What may change, in words.
fn only(challenge: &Challenge) -> String {
    if challenge.by_program {
        return "Nothing but a policy of your own is new".to_owned();
    }
    let part = |key: &String| match key.as_str() {
        "partitioning" => "the task length".to_owned(),
        "cluster" => "the cluster".to_owned(),
        key => key.to_owned(),
    };
    let policy = challenge.goal.is_of_any_policy().then(|| "the policy".to_owned());
    let parts: Vec<String> = challenge.free.iter().map(part).chain(policy).collect();
    format!("Nothing but {} has changed", number::list(&parts))
}
