//! The card with a step: what it says and asks, and the way through the lesson.

use std::collections::{BTreeMap, BTreeSet};

use yew::prelude::*;

use super::goal::GoalMeter;
use super::hand_in::{HandIn, NameForm, awaits_name};
use super::pointing::{highlight, use_answer_in_view, use_heading_focus, use_scrolling, use_unfolding};
use super::question::QuestionBox;
use super::spots;
use super::text::StepText;
use crate::browser::stylesheet::use_stylesheet;
use crate::panels::share::link::{copy_document_link, copy_link};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{
    Action, ActiveLesson, AnswerShown, Card, Document, GivenAnswer, Guide, LessonEnd, LessonPlace,
    ReachedChallenge, State, of_others,
};
use crate::ui::icon::icon;
use crate::ui::send::{Handlers, use_send};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane_study::lesson::document::{LessonFault, LessonStep, Severity, check_step};
use fairlane_study::lesson::{Challenge, ChallengeScore, LessonFacts, challenges, lessons};

#[derive(Clone, Properties, PartialEq)]
pub struct LessonCardProps {
    pub tour: ActiveLesson,
    pub document: Shared<Document>,
    /// Whether all panels are up to date.
    pub settled: bool,
    /// What the charts show of the answer to the question.
    pub answer: AnswerShown,
    pub ticked: BTreeSet<PolicyId>,
    /// The schedules of ticked programs that are up to date.
    pub programs: BTreeMap<PolicyId, Shared<Analysis>>,
    /// The best scores in challenges.
    pub scores: BTreeMap<&'static str, ChallengeScore>,
    /// Whether something is dragged.
    pub dragging: bool,
}

impl LessonCardProps {
    /// The card of a lesson on the page as it is.
    pub fn new(tour: &ActiveLesson, state: &State) -> LessonCardProps {
        LessonCardProps {
            tour: tour.clone(),
            document: state.document.clone(),
            settled: state.is_settled(),
            answer: state.answer_shown(),
            ticked: state.view.policies.clone(),
            programs: state.programs(),
            scores: state.lessons.scores.clone(),
            dragging: state.drag.is_some(),
        }
    }
}

/// A step of a lesson, docked beside what it describes.
#[component]
pub fn LessonCard(props: &LessonCardProps) -> Html {
    let send = use_send();
    let tour = &props.tour;
    let here = tour.at.clone();
    let facts = use_facts(props);
    let faults = use_memo((here.clone(), facts.clone()), |(here, facts)| faults(here, facts.as_deref()));
    let body = {
        let of = (here.clone(), tour.answer().cloned(), facts.clone(), tour.is_awaiting());
        use_memo(of, move |(here, answer, facts, awaiting)| match here.document() {
            Some(lesson) if awaits_name(lesson) => {
                html! { <NameForm lesson={lesson.clone()} /> }
            }
            _ if *awaiting => awaited(),
            _ => body(here, answer.clone(), facts.as_ref()),
        })
    };
    let points = {
        let facts = facts.clone();
        use_memo((here.clone(), tour.guess_state(), facts), |(here, guess, facts)| {
            let spots = here.step().shown(*guess).1;
            facts.as_ref().and_then(|facts| spots::selectors(spots, facts).ok()).unwrap_or_default()
        })
    };
    let over = matches!(tour.card, Card::Over(_));
    use_heading_focus(here.clone(), over);
    use_answer_in_view(here.clone(), tour.answer().is_some());
    use_unfolding(&points, tour.set_ups, props.settled, &send);
    use_scrolling(points.first().filter(|_| !over).cloned(), tour.set_ups, props.settled);
    // While the schedule plays to the answer nothing is given away.
    let quiet = tour.card != Card::Open || props.answer == AnswerShown::Playing;
    use_stylesheet(if quiet { String::new() } else { highlight(&points) });
    let act = |guide: Guide| send.press(Action::Guide(guide));
    if let Card::Over(ending) = tour.card {
        return after_lesson(tour, ending, &act);
    }
    let folded = tour.card == Card::Folded;
    // A step that does not point at the set-up needs less room for it; in a challenge everything is of use.
    let tall = !here.is_challenge() && !points.iter().any(|css| css.starts_with(".left"));
    let kind = if here.own().is_some_and(|id| id.is_challenge()) { &CHALLENGE } else { &LESSON };
    let share = sharing(&here, kind.target, &send);
    let fold_label = if folded { kind.expand } else { kind.collapse };
    let copy_label = format!("Copy a link to this {}", kind.target);
    // Judged also while the card is folded, once it is known for whom.
    let is_drawn = here.document().is_none_or(|lesson| !awaits_name(lesson));
    let goal = here.challenge().filter(|_| is_drawn).map(|challenge| html! {
        <GoalMeter at={here.clone()} document={props.document.clone()} ticked={props.ticked.clone()} {folded}
            programs={props.programs.clone()} settled={props.settled} dragging={props.dragging}
            best={best(props, challenge)} />
    });
    html! {
        <section class={classes!("lesson", folded.then_some("folded"), tall.then_some("tall"))} id="lesson"
            data-place={here.name()} data-answer={props.answer.word()} data-spots={points.join(" || ")}
            aria-label={match here.challenge() {
                Some(challenge) => format!("Challenge: {}", challenge.step.title),
                None => format!("Lesson: {}", here.lesson_title()),
            }}>
            <header>
                { heading(&here) }
                <button type="button" id="lesson-link" onclick={share} aria-label={copy_label.clone()}
                    title={copy_label}>{
                    icon("M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1")
                        }</button>
                <button type="button" id="lesson-fold" onclick={act(Guide::Fold)}
                    aria-expanded={(!folded).to_string()} aria-label={fold_label}
                    title={fold_label}>{ icon(if folded { "M5 15l7-7 7 7" } else { "M5 9l7 7 7-7" }) }</button>
                <button type="button" id="lesson-close" onclick={act(Guide::Leave)} aria-label={kind.leave}
                    title={format!("{}; the page stays as it is", kind.leave)}>{ icon("M6 6l12 12M18 6L6 18") }</button>
            </header>
            if folded {
                { for goal }
            } else {
                <div class="lesson-body" key={here.name()} tabindex="0" role="group" aria-labelledby="lesson-title">
                    <h2 id="lesson-title" tabindex="-1">{ here.step().title.as_str() }</h2>
                    { faults_note(&faults) }
                    { (*body).clone() }
                    if let Some(lesson) = here.document().filter(|lesson| !awaits_name(lesson)) {
                        <HandIn lesson={lesson.clone()} progress={tour.progress.clone()} />
                    }
                    if let Some(goal) = goal {
                        { goal }
                    } else if facts.is_some() && !tour.is_about(&props.document.scenario) {
                        <p class="hint" id="lesson-changed">{
                            "You have changed the scenario; the figures in this text refer to the step's own. After you restore the step, undo restores your version." }</p>
                    }
                </div>
                { navigation(&here, &act) }
            }
        </section>
    }
}

/// What a card calls itself.
struct CardWords {
    /// What a link leads to.
    target: &'static str,
    expand: &'static str,
    collapse: &'static str,
    leave: &'static str,
}

const LESSON: CardWords = CardWords {
    target: "step",
    expand: "Expand the lesson",
    collapse: "Collapse the lesson",
    leave: "Leave the lesson",
};
const CHALLENGE: CardWords = CardWords {
    target: "challenge",
    expand: "Expand the challenge",
    collapse: "Collapse the challenge",
    leave: "Leave the challenge",
};

/// What kind of lesson it is, and which.
fn heading(here: &LessonPlace) -> Html {
    match here {
        LessonPlace::Own(id) if id.is_challenge() => {
            html! { <p>{ format!("Challenge {} of {}", id.index() + 1, challenges().len()) }</p> }
        }
        LessonPlace::Own(id) => {
            let number = format!("Lesson {} of {}: ", id.lesson_index() + 1, lessons().len());
            html! { <p>{ number }<b>{ here.lesson_title() }</b></p> }
        }
        LessonPlace::Opened(lesson, _) => {
            html! { <p title={lesson.document.name.clone()}>{ "Lesson: " }<b>{ here.lesson_title() }</b></p> }
        }
    }
}

/// A handler that copies a link to the step.
fn sharing(here: &LessonPlace, target: &'static str, send: &Callback<Action>) -> Callback<MouseEvent> {
    let here = here.clone();
    send.press_task(move || {
        let here = here.clone();
        async move {
            match &here {
                LessonPlace::Own(id) => Action::done(copy_link(&id.fragment(), target).await),
                LessonPlace::Opened(lesson, step) => copy_document_link(lesson, *step).await,
            }
        }
    })
}

/// Back, the steps, next.
fn navigation(here: &LessonPlace, act: &impl Fn(Guide) -> Callback<MouseEvent>) -> Html {
    let (at, count) = (here.index(), here.step_count());
    let next = if at + 1 < count { Guide::At(at + 1) } else { Guide::Finish };
    let next_words = if next == Guide::Finish { "Finish" } else { "Next" };
    let of_challenges = here.own().is_some_and(|id| id.is_challenge());
    let step = |index: usize| {
        let there = here.at(index);
        let kind = if of_challenges { "Challenge" } else { "Step" };
        let label = format!("{kind} {}: {}", index + 1, there.step().title);
        let current = (index == at).then_some("step");
        html! {
            <li><button type="button" data-step={(index + 1).to_string()} aria-label={label.clone()} title={label}
                aria-current={current}
                onclick={act(Guide::At(index))}></button></li>
        }
    };
    html! {
        <footer>
            <button type="button" id="lesson-back" disabled={at == 0}
                onclick={act(Guide::At(at.saturating_sub(1)))}>{ "Back" }</button>
            <ol class="dots" aria-label={if of_challenges { "Challenges" } else { "Steps" }}>{ for (0..count).map(step) }</ol>
            <button type="button" id="lesson-next" class="go" onclick={act(next)}>{ next_words }</button>
            <button type="button" id="lesson-set-up" class="link" onclick={act(Guide::SetUp)}
                title="Restore what this step shows: scenario, policies, playhead, zoom">{
                    if here.is_challenge() { "Reset" } else { "Restore this step" } }</button>
        </footer>
    }
}

/// After the lesson: continue with the next, return to what was there before, or stay.
fn after_lesson(
    tour: &ActiveLesson,
    ending: LessonEnd,
    act: &impl Fn(Guide) -> Callback<MouseEvent>,
) -> Html {
    let here = &tour.at;
    let of_challenges = here.own().is_some_and(|id| id.is_challenge());
    let name = if of_challenges { &here.step().title } else { here.lesson_title() };
    let (title, words) = match ending {
        LessonEnd::Finished => (format!("Done: {name}"), "Your page from before is still there."),
        LessonEnd::Closed => {
            (format!("You left: {name}"), "The page is as you left it. Your page from before is still there.")
        }
    };
    let next = here.own().and_then(|id| id.next_lesson()).filter(|_| ending == LessonEnd::Finished);
    html! {
        <section class="lesson over" id="lesson" aria-label="After the lesson">
            <div class="lesson-body">
                <h2 id="lesson-title" tabindex="-1">{ title }</h2>
                <p>{ words }</p>
                if let Some(lesson) = here.document() {
                    <HandIn lesson={lesson.clone()} progress={tour.progress.clone()} />
                }
                <div class="buttons">
                    if let Some(next) = next {
                        <button type="button" id="lesson-on" class="go"
                            onclick={act(Guide::Start(next))}>{ match next.is_challenge() {
                                true => "On to the challenges".to_owned(),
                                false => format!("Next lesson: {}", next.lesson().title),
                            } }</button>
                    }
                    if ending == LessonEnd::Closed {
                        <button type="button" id="lesson-resume"
                            onclick={act(Guide::At(here.index()))}>{ if of_challenges { "Continue the challenge" } else {
                                "Continue the lesson" } }</button>
                    }
                    <button type="button" id="lesson-return" onclick={act(Guide::Return)}>{ "Back to my page" }</button>
                    <button type="button" id="lesson-stay" onclick={act(Guide::Stay)}>{ "Stay here" }</button>
                </div>
            </div>
        </section>
    }
}

/// The best score in a challenge so far.
fn best(props: &LessonCardProps, challenge: &Challenge) -> Option<ChallengeScore> {
    match props.tour.at.own() {
        Some(_) => props.scores.get(challenge.id.as_str()).copied(),
        None => props.tour.progress.reached.get(&props.tour.at.index()).map(ReachedChallenge::score),
    }
}

/// What the step's text is about. In somebody else's lesson the figures of programs are those that ran in a worker.
#[hook]
fn use_facts(props: &LessonCardProps) -> Option<Shared<LessonFacts>> {
    let tour = props.tour.clone();
    let is_of_others = tour.at.document().is_some() && tour.speaks_of(&props.document.scenario);
    let programs = if is_of_others { props.programs.clone() } else { BTreeMap::new() };
    let of = (tour.at.clone(), tour.is_awaiting(), tour.set_ups, programs);
    let facts = use_memo(of, move |(.., programs)| {
        let facts = tour.whole_facts()?;
        if programs.is_empty() {
            return Some(facts);
        }
        let run = |facts: LessonFacts, (&policy, analysis): (&PolicyId, &Shared<Analysis>)| {
            facts.with_trace(policy, analysis.trace.clone())
        };
        let known = of_others(Scenario::clone(facts.scenario()));
        Some(Shared::new(programs.iter().fold(known, run)))
    });
    (*facts).clone()
}

/// What is wrong with a step of somebody else's lesson, and in front of the first with the lesson as a whole. The
/// project's own are tested.
fn faults(here: &LessonPlace, facts: Option<&LessonFacts>) -> Vec<LessonFault> {
    let LessonPlace::Opened(lesson, index) = here else { return Vec::new() };
    let of_lesson = lesson.lesson.own_faults.iter().filter(|_| *index == 0).cloned();
    let of_step = match facts {
        Some(facts) => check_step(&lesson.lesson, here.step(), facts),
        None => here.step().faults.clone(),
    };
    of_lesson.chain(of_step).filter(|fault| fault.severity == Severity::Error).collect()
}

/// Most mistakes that the card shows.
const MAX_FAULTS: usize = 5;

fn faults_note(faults: &[LessonFault]) -> Html {
    if faults.is_empty() {
        return Html::default();
    }
    let more = faults.len().saturating_sub(MAX_FAULTS);
    html! {
        <div class="lesson-faults" id="lesson-faults" role="note" aria-label="Mistakes in this step">
            <p><b>{ "What is written here has a mistake. " }</b>{ "The rest of the lesson works." }</p>
            <ul>
                { for faults.iter().take(MAX_FAULTS).map(|fault| html! { <li>{ fault.to_string() }</li> }) }
                if more > 0 { <li>{ format!("and {more} more; fairlane lesson check lists all") }</li> }
            </ul>
        </div>
    }
}

/// While the recorded run is being opened.
fn awaited() -> Html {
    html! { <p class="hint" id="lesson-awaited">{
    "The recorded run is being opened. If that fails, press Restore this step." }</p> }
}

/// The step's text and its question.
fn body(here: &LessonPlace, answer: Option<GivenAnswer>, facts: Option<&Shared<LessonFacts>>) -> Html {
    let step: &LessonStep = here.step();
    let text = StepText { facts: facts.map(|facts| &**facts) };
    html! {
        <>
            { text.blocks(&step.text) }
            if step.question.is_some() {
                <QuestionBox at={here.clone()} {answer} facts={facts.cloned()} />
            }
        </>
    }
}
