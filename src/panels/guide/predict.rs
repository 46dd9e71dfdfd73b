//! The card on which the reader predicts which job a policy serves next, and sees whether that was right and why.

use yew::prelude::*;

use crate::browser::dom::is_in;
use crate::panels::editors::field::policy_select;
use crate::panels::results::why::queue_table;
use crate::panels::scroll_to_panel;
use crate::panels::share::link;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, Predict, PredictDecision, PredictTurn, Quiz, State, selectors};
use crate::ui::focus::focus;
use crate::ui::hooks::{NEED_SPACE, NEED_TEXT, use_listener};
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane::replay::{ChoiceFilter, RankedQueue, ReplayPoint};
use fairlane::scenario::Scenario;
use fairlane_view::predict::{self, MAX_STAGES, PredictOption, PredictQuestion};

/// What can be done besides predicting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictExit {
    /// The lab, where a link sets the predictions as homework.
    Lab,
    /// A demo.
    Demo,
}

#[derive(Clone, Properties, PartialEq)]
pub struct PredictCardProps {
    pub state: State,
    pub place: PredictExit,
}

/// Most stages in the table behind an answer.
const MAX_ROWS: usize = 12;

/// A question with its queue.
#[derive(PartialEq)]
struct QueuedQuestion {
    question: PredictQuestion,
    queue: RankedQueue,
}

#[component]
pub fn PredictCard(props: &PredictCardProps) -> Html {
    let send = use_send();
    let state = &props.state;
    crate::saved::predictions::use_keeping(state, send.clone());
    let quiz = state.predict.clone();
    let analysis = quiz.as_ref().and_then(|quiz| known(state, quiz));
    {
        let (send, analysis, playhead) = (send.clone(), analysis.clone(), state.view.playhead);
        let turn = quiz.as_ref().map(|quiz| quiz.turn);
        use_effect_with((turn, analysis.clone(), playhead), move |_| {
            let found = turn.zip(analysis).and_then(|(turn, analysis)| turn.found(&analysis, playhead));
            if let Some(found) = found {
                send.emit(Action::Predict(Predict::Found(found)));
            }
        });
    }
    let turn = quiz.as_ref().map(|quiz| quiz.turn);
    let decision = turn.and_then(decision_of);
    let asked = use_memo((analysis, decision), |(analysis, decision)| {
        let (analysis, PredictDecision { task, .. }) = (analysis.as_ref()?, (*decision)?);
        let queue = analysis.ranked_queue(ReplayPoint::Dispatch(task), MAX_STAGES)?;
        let first = predict::first_at_instant(&analysis.trace, task);
        let is_further = analysis.next_choice(first, ChoiceFilter::Any) != Some(task);
        let question = predict::question(&analysis.scenario, &queue, is_further)?;
        Some((QueuedQuestion { question, queue }, analysis.clone()))
    });
    let keys = turn.zip(asked.as_ref().as_ref()).map(|(turn, (asked, _))| (turn, answers(&asked.question)));
    use_keys(keys, send.clone());
    use_focus(turn);
    let asked_of = turn.zip(quiz.as_ref()).filter(|(turn, _)| matches!(turn, PredictTurn::Asked(_)));
    use_panel_in_view(
        asked_of.map(|(turn, quiz)| (turn, quiz.policy)).filter(|_| props.place == PredictExit::Lab),
    );
    let Some(quiz) = quiz else { return Html::default() };
    let title = quiz.policy.title();
    let pick = send.reform(|policy| Action::Predict(Predict::Start(policy)));
    let act = |predict: Predict| send.press(Action::Predict(predict));
    // Its paragraph is the same whatever is said in it, and keeps the focus.
    let (class, question, rest) = match (quiz.turn, asked.as_ref()) {
        (PredictTurn::Asked(_), Some((asked, _))) => {
            let rest = html! {
                <>
                    <p class="buttons"><button type="button" class="small" id="predict-reveal"
                        onclick={act(Predict::Reveal)}>{ "Show me" }</button></p>
                    { options(&asked.question, None, &props.state.document.scenario, &send) }
                </>
            };
            (None, asked.question.words(&title).into(), rest)
        }
        (PredictTurn::Answered(_, answer), Some((asked, analysis))) => {
            answered(asked, analysis, answer, &send)
        }
        (PredictTurn::Ahead(decision), _) => {
            let words =
                format!("The next decision between jobs is at {}. Play, or ", number::instant(decision.at));
            let go = html! { <button type="button" class="small" id="predict-next"
            onclick={act(Predict::Next)}>{ "go there" }</button> };
            (None, html! { <>{ words }{ go }</> }, Html::default())
        }
        (PredictTurn::Over, _) => {
            let words = format!(
                "{title} has no more decisions between jobs. Go back to the start, or choose another policy."
            );
            (None, words.into(), Html::default())
        }
        _ => (None, "The schedule is not ready yet.".into(), Html::default()),
    };
    html! {
        <section class="predict" id="predict" aria-label="Predict">
            <header>
                <h2>{ "Predict" }</h2>
                <label for="predict-policy" class="sr">{ "Policy whose decisions are predicted" }</label>
                { policy_select("predict-policy", state, Some(quiz.policy), pick) }
                { scores(&quiz) }
                <span class="space"></span>
                if props.place == PredictExit::Lab {
                    <button type="button" class="small" id="predict-homework" onclick={link::sharing(state, &send)}
                        title="Copy a link that asks its reader to predict from here on">{ "Homework" }</button>
                }
                <button type="button" class="small" id="predict-leave" onclick={act(Predict::Leave)}
                    aria-label="Leave the predictions; everything is shown again"
                    title="Leave the predictions; everything is shown again">{ "✕" }</button>
            </header>
            <div class="predict-body" aria-live="polite">
                <p class={classes!("question", class)} id="predict-question" tabindex="-1">{ question }</p>
                { rest }
            </div>
        </section>
    }
}

/// The full analysis of the schedule as it is.
fn known(state: &State, quiz: &Quiz) -> Option<Shared<Analysis>> {
    let analysis = state.runs.get(&quiz.policy)?.analysis.clone()?;
    let is_current = analysis.extras.is_some() && analysis.simulated == state.document.scenario;
    is_current.then_some(analysis)
}

fn decision_of(turn: PredictTurn) -> Option<PredictDecision> {
    match turn {
        PredictTurn::Asked(decision) | PredictTurn::Answered(decision, _) => Some(decision),
        PredictTurn::Sought(_) | PredictTurn::Moved | PredictTurn::Ahead(_) | PredictTurn::Over => None,
    }
}

/// What each option says.
fn answers(question: &PredictQuestion) -> Vec<Predict> {
    let answer = |contestant: &PredictOption| Predict::Answer {
        job: contestant.job,
        is_right: contestant.job == question.right,
    };
    question.jobs.iter().map(answer).collect()
}

/// The jobs to choose from, and after an answer which of them was chosen and which is right.
fn options(
    question: &PredictQuestion,
    answer: Option<Option<JobId>>,
    scenario: &Scenario,
    send: &Callback<Action>,
) -> Html {
    let option = |(index, (contestant, says)): (usize, (&PredictOption, Predict))| {
        let onclick = send.press(Action::Predict(says));
        let job = contestant.job;
        let chosen = answer == Some(Some(job));
        let mark = match answer {
            Some(_) if job == question.right => Some(("correct", "✓")),
            Some(_) if chosen => Some(("incorrect", "✗")),
            _ => None,
        };
        let hue = format!("hue-{}", selectors::user_hue(scenario, contestant.user));
        html! {
            <li key={job.0}>
                <button type="button" class={classes!("contestant", mark.map(|(class, _)| class))} {onclick}
                    disabled={answer.is_some()} aria-keyshortcuts={(index + 1).to_string()}
                    data-job={job.0.to_string()}>
                    <kbd aria-hidden="true">{ index + 1 }</kbd>
                    <i class={classes!("dot", hue.clone())} aria-hidden="true"></i>
                    <span>
                        <b>{ &contestant.label }</b><small>{ &contestant.facts }</small>
                        if let Some(bar) = &contestant.bar {
                            <small class={classes!("key", hue)}>
                                <i style={format!("--part:{:.3}", bar.part)}></i>{ &bar.value }
                            </small>
                        }
                    </span>
                    if let Some((_, mark)) = mark { <em>{ mark }</em> }
                </button>
            </li>
        }
    };
    html! {
        <>
        if let Some(measure) = &question.measure {
            <p class="hint">{ format!("Bars: {measure}.") }</p>
        }
        <ol class="contestants" aria-label="Jobs that wait, in the order of arrival">
            { for question.jobs.iter().zip(answers(question)).enumerate().map(option) }
            if question.more > 0 {
                <li class="hint">{ format!("and {}", number::counted(question.more, "more stage")) }</li>
            }
        </ol>
        </>
    }
}

/// Whether the answer was right, why, and what is next.
fn answered(
    asked: &QueuedQuestion,
    analysis: &Analysis,
    answer: Option<JobId>,
    send: &Callback<Action>,
) -> (Option<&'static str>, Html, Html) {
    let act = |predict: Predict| send.press(Action::Predict(predict));
    let QueuedQuestion { question, queue } = asked;
    let class = match answer {
        Some(job) if job == question.right => "correct",
        Some(_) => "incorrect",
        None => "shown",
    };
    let queue =
        RankedQueue { stages: queue.stages.iter().take(MAX_ROWS).cloned().collect(), ..queue.clone() };
    let said = html! { <><b>{ question.verdict(answer) }</b>{ " " }<span
    id="predict-reason">{ &question.reason }</span></> };
    let rest = html! {
        <>
            <p class="buttons">
                <button type="button" id="predict-next" class="go" onclick={act(Predict::Next)}
                    aria-keyshortcuts="Enter">{ "Next decision" }</button>
                <button type="button" id="predict-other" onclick={act(Predict::OtherJobs)}
                    title="Skip decisions between the same jobs">{ "Skip to other jobs" }</button>
            </p>
            { options(question, Some(answer), &analysis.scenario, send) }
            <details id="predict-queue">
                <summary>{ "The queue with its keys" }</summary>
                { queue_table(&queue, analysis, "Ranked queue at this decision".to_owned(), None) }
            </details>
        </>
    };
    (Some(class), said, rest)
}

/// How many predictions were right, by policy.
fn scores(quiz: &Quiz) -> Html {
    let scores = quiz.scores();
    if scores.is_empty() {
        return html! { <span class="scores" id="predict-scores"></span> };
    }
    html! {
        <span class="scores" id="predict-scores">
            { for scores.into_iter().map(|(policy, score)| html! {
                <span key={policy.to_string()}
                    data-policy={policy.to_string()}>{ policy.title() }{ " " }<b>{ format!("{} of {}", score.right,
                    score.answers) }</b></span>
            }) }
        </span>
    }
}

/// Digits answer, Enter goes on.
#[hook]
fn use_keys(keys: Option<(PredictTurn, Vec<Predict>)>, send: Callback<Action>) {
    let handle = |event: &web_sys::KeyboardEvent,
                  target: &web_sys::Element,
                  (keys, send): &(Option<(PredictTurn, Vec<Predict>)>, Callback<Action>)| {
        let Some((turn, answers)) = keys else { return };
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return;
        }
        let digit = event.key().parse::<usize>().ok().and_then(|digit| digit.checked_sub(1));
        let (predict, needed_by) = match (turn, event.key().as_str()) {
            (PredictTurn::Answered(..), "Enter") => (Some(Predict::Next), NEED_SPACE),
            (PredictTurn::Asked(_), _) => (digit.and_then(|digit| answers.get(digit).copied()), NEED_TEXT),
            _ => (None, NEED_TEXT),
        };
        if let Some(predict) =
            predict.filter(|_| !is_in(target, "dialog") && !target.matches(needed_by).unwrap_or(false))
        {
            event.prevent_default();
            send.emit(Action::Predict(predict));
        }
    };
    use_listener("keydown", (keys, send), handle);
}

/// Each question scrolls the panel that it is about into view.
#[hook]
fn use_panel_in_view(asked: Option<(PredictTurn, PolicyId)>) {
    use_effect_with(asked, |asked| {
        if let Some((_, policy)) = asked {
            scroll_to_panel(*policy);
        }
    });
}

/// The focus goes to what is said next if what had it is gone; not before the reader has done anything.
#[hook]
fn use_focus(turn: Option<PredictTurn>) {
    let was_answered = use_mut_ref(|| false);
    use_effect_with(turn, move |turn| {
        let is_answered = matches!(turn, Some(PredictTurn::Answered(..)));
        let follows = was_answered.replace(is_answered) || is_answered;
        let element = gloo::utils::document().active_element();
        let is_lost = element.is_none_or(|element| element.tag_name() == "BODY");
        if follows && is_lost {
            focus("#predict-question");
        }
    });
}
