//! The goal of a challenge: where the reader is on the way to it, live, and what else must hold.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use yew::prelude::*;

use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, Document, Guide, LessonPlace, of_others};
use crate::ui::send::use_send;
use fairlane::number;
use fairlane::policy::{PolicyId, custom};
use fairlane::scenario::Scenario;
use fairlane_study::lesson::document::LessonSeed;
use fairlane_study::lesson::{Challenge, ChallengeScore, GoalSide, Judgement, LessonFacts};
use fairlane_view::words;

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
}

/// Figure, goal and par on a bar; the rules; and whether all of it is reached.
#[component]
pub fn GoalMeter(props: &GoalMeterProps) -> Html {
    let send = use_send();
    let start = use_memo(props.at.clone(), |at| {
        let start = at.challenge().and_then(Challenge::start)?;
        // What somebody else has written holds nobody up, and runs no program unasked.
        Some(if at.document().is_some() { Rc::new(of_others(start.scenario().clone())) } else { start })
    });
    let par = {
        let start = (*start).clone();
        use_memo(props.at.clone(), move |at| par_of(at, start.as_ref()))
    };
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
        let (send, at) = (send.clone(), props.at.clone());
        use_effect_with((at, score), move |(at, score)| {
            if let Some(score) = *score {
                send.emit(Action::Guide(Guide::Reach(at.clone(), score)));
            }
        });
    }
    let Some((challenge, judgement)) = props.at.challenge().zip((*judgement).as_ref()) else {
        return html! { <p class="hint">{ "This scenario is too large to be judged. Undo, or reset the challenge." }</p> };
    };
    let goal = challenge.goal_words(judgement);
    let now = goal.figure.unwrap_or_else(|| "none".to_owned());
    let par_words = match *par {
        Some(_) if props.at.lesson().seed == LessonSeed::Generator => challenge.par_words(judgement),
        Some(par) => challenge.score_words(judgement, par),
        None => "not known".to_owned(),
    };
    html! {
        <div class={classes!("goal", judgement.is_reached().then_some("reached"))} role="group" aria-label="Goal">
            if !props.folded {
                <p class="goal-figure"><b>{ challenge.goal.words.as_str() }</b>{ ", " }{ challenge.goal.side.words() }{ " " }{
                    goal.limit }</p>
            }
            { bar(challenge, judgement, *par) }
            <p class="goal-now">
                <span>{ "Now " }<b id="goal-now">{ now }</b></span>
                // Read out when it changes, and not with every figure.
                <b id="goal-state" role="status">{ state(challenge, judgement, *par) }</b>
            </p>
            if !props.folded {
                <dl>
                    { entry("goal-par", "Par", words::PAR.meaning, par_words) }
                    { entry("goal-best", "Best", "what you have reached so far", props.best.map_or("–".to_owned(), |best| challenge.score_words(judgement, best))) }
                    { entry("goal-changes", "Changes", words::CHANGES.meaning, judgement.changes.to_string()) }
                </dl>
                <ul class="rules">
                    if let Some(most) = challenge.most_changes {
                        { rule(&format!("No more than {}", number::counted(most as usize, "change")),
                            judgement.changes <= most) }
                    }
                    { rule(&challenge.free_words(), judgement.is_free && judgement.is_own) }
                    { for challenge.rules.iter().zip(&judgement.rules).map(|(of, holds)| rule(&of.words, *holds)) }
                </ul>
            }
        </div>
    }
}

/// Whether it is reached.
fn state(challenge: &Challenge, judgement: &Judgement, par: Option<ChallengeScore>) -> &'static str {
    match judgement.score() {
        Some(score) if par.is_some_and(|par| score.is_at(par, challenge.goal.side)) => "✓ Reached, at par",
        Some(_) => "✓ Reached",
        None if judgement.policy.is_none() => "Tick a policy to be judged",
        None => "Not reached",
    }
}

fn entry(id: &'static str, term: &'static str, meaning: &'static str, value: String) -> Html {
    html! { <div><dt title={meaning}>{ term }</dt><dd {id}>{ value }</dd></div> }
}

fn rule(words: &str, holds: bool) -> Html {
    html! {
        <li class={if holds { "holds" } else { "broken" }}>
            <i aria-hidden="true">{ if holds { "✓" } else { "✗" } }</i>{ words.to_owned() }
            <span class="sr">{ if holds { ": holds" } else { ": broken" } }</span>
        </li>
    }
}

/// The figure as a bar with marks at goal and par, from 0 on.
fn bar(challenge: &Challenge, judgement: &Judgement, par: Option<ChallengeScore>) -> Html {
    let (Some(figure), Some(limit)) = (judgement.figure, judgement.limit) else { return Html::default() };
    let par = par.map(|par| par.value);
    let furthest = par.map_or(limit.value, |par| limit.value.max(par));
    // The bar ends a little behind what is to be seen.
    let room = match challenge.goal.side {
        GoalSide::AtLeast => furthest * 1.1,
        GoalSide::AtMost => furthest * 2.5,
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
            if let Some(par) = par {
                <i class="goal-par" style={format!("left:{}", at(par))} title="Par"></i>
            }
        </div>
    }
}

/// Par of a challenge where it begins: as it is written down, or where each student has a scenario of their own, what the
/// solution reaches there. `None` where nobody knows it.
fn par_of(at: &LessonPlace, start: Option<&Rc<LessonFacts>>) -> Option<ChallengeScore> {
    let challenge = at.challenge()?;
    match at.lesson().seed {
        LessonSeed::Generator => Some(challenge.par.score),
        LessonSeed::Student => challenge.solved(start?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::OpenedLesson;
    use fairlane_view::link::LessonDocument;

    const SEEDED: &str = r#"---
title: Mine
seed: student
scene: block:mine&policies=fifo
---
```json mine
{ "format": "fairlane/generator@1", "seed": 1, "cluster": { "executors": 2, "cores_per_executor": 4 },
  "groups": [
    { "prefix": "ana", "jobs": 4, "arrivals": { "at_once": { "spacing_s": 0.1 } },
      "sizes": { "pareto": { "shape": 1.5, "least_s": 20, "cap_s": 60 } },
      "stages": [{ "name": "scan", "share": 1, "partition_work_s": 1 }] },
    { "prefix": "ben", "jobs": 1, "start_s": 1, "arrivals": { "at_once": { "spacing_s": 0 } },
      "sizes": { "pareto": { "shape": 2, "least_s": 2, "cap_s": 6 } },
      "stages": [{ "name": "read", "share": 1, "partitions": 8 }] } ] }
```
## Let ben pass
<!-- challenge: let-ben-pass · only partitioning -->
<!-- goal: Response time of ben's job: response $ ben1-1 <= 0.5 * response fifo ben1-1 @ start -->
<!-- par: 1.5, 1 change -->
<!-- solution: ujf · [] -->
"#;

    /// Par of a student's first step.
    fn par(text: &str, student: &str) -> Option<ChallengeScore> {
        let document = LessonDocument { text: text.to_owned(), ..LessonDocument::default() };
        let lesson = OpenedLesson::read(document, Some(student.to_owned()));
        let at = LessonPlace::opened(Shared::new(lesson), 0);
        let scenario = at.challenge().and_then(Challenge::start).map(|start| start.scenario().clone());
        par_of(&at, scenario.map(|scenario| Rc::new(of_others(scenario))).as_ref())
    }

    #[test]
    fn a_student_sees_par_of_their_own_scenario_or_none() {
        let [ada, bob] = ["Ada", "Bob"].map(|name| par(SEEDED, name).expect("a par"));
        assert_ne!(ada.value, bob.value, "each has a scenario of their own");
        assert!(ada.value != 1.5 && bob.value != 1.5, "and not that of the generator's own seed");
        let hard = SEEDED.replace("<= 0.5", "<= 0.001");
        assert_eq!(par(&hard, "Ada"), None, "a solution that does not reach the goal has none");
        let same = SEEDED.replace("seed: student\n", "");
        assert_eq!(par(&same, "Ada").map(|par| par.value), Some(1.5), "everybody's is as it is written");
    }
}
