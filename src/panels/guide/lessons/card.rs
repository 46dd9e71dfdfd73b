//! The card with a step: what it says and asks, and the way through the lesson.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gloo::render::request_animation_frame;
use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::goal::GoalMeter;
use super::spots;
use crate::browser::dom::prefers_reduced_motion;
use crate::browser::stylesheet::use_stylesheet;
use crate::panels::plain_head;
use crate::panels::share::link::copy_link;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{
    Action, ActiveLesson, AnswerShown, Card, Document, Guide, LessonEnd, Motion, State, Tab, Toast,
};
use crate::ui::focus::{focus, scroll_to};
use fairlane::policy::PolicyId;
use fairlane_study::lesson::document::{
    Answers, LessonStep, Question, QuestionOption, StyledText, TextBlock, TextStyle,
};
use fairlane_study::lesson::{ChallengeScore, FactError, LessonFacts, StepId, challenges, lessons, walk};

/// After this time a side that a step unfolds is there with its tables.
const AFTER_UNFOLDING_MS: u32 = 120;

#[derive(Properties, PartialEq)]
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
    pub send: Callback<Action>,
}

impl LessonCardProps {
    /// The card of a lesson on the page as it is.
    pub fn new(tour: &ActiveLesson, state: &State, send: &Callback<Action>) -> LessonCardProps {
        LessonCardProps {
            tour: tour.clone(),
            document: state.document.clone(),
            settled: state.is_settled(),
            answer: state.answer_shown(),
            ticked: state.view.policies.clone(),
            programs: state.programs(),
            scores: state.lessons.scores.clone(),
            dragging: state.drag.is_some(),
            send: send.clone(),
        }
    }
}

/// A step of a lesson, docked beside what it describes.
#[component]
pub fn LessonCard(props: &LessonCardProps) -> Html {
    let tour = &props.tour;
    let here = tour.at;
    let facts = {
        let tour = tour.clone();
        use_memo((here, tour.is_awaiting(), tour.set_ups), move |_| tour.whole_facts())
    };
    let body = {
        let (facts, send) = ((*facts).clone(), props.send.clone());
        use_memo((here, tour.answer(), facts), move |(here, answer, facts)| {
            let Some(facts) = facts else { return awaited() };
            body(here.step(), *answer, facts, &send)
                .unwrap_or_else(|error| html! { <p class="bad">{ error.to_string() }</p> })
        })
    };
    let points = {
        let facts = (*facts).clone();
        use_memo((here, tour.guess_state(), facts), |(here, guess, facts)| {
            let spots = here.step().shown(*guess).1;
            facts.as_ref().and_then(|facts| spots::selectors(spots, facts).ok()).unwrap_or_default()
        })
    };
    let over = matches!(tour.card, Card::Over(_));
    use_heading_focus(here, over);
    use_answer_in_view(here, tour.answer());
    use_unfolding(&points, tour.set_ups, props.settled, &props.send);
    use_scrolling(points.first().filter(|_| !over).cloned(), tour.set_ups, props.settled);
    // While the schedule plays to the answer nothing is given away.
    let quiet = tour.card != Card::Open || props.answer == AnswerShown::Playing;
    use_stylesheet(if quiet { String::new() } else { highlight(&points) });
    let act = |guide: Guide| props.send.reform(move |_: MouseEvent| Action::Guide(guide));
    if let Card::Over(ending) = tour.card {
        return after_lesson(here, ending, &act);
    }
    let folded = tour.card == Card::Folded;
    // A step that does not point at the set-up needs less room for it; in a challenge everything is of use.
    let tall = !here.is_challenge() && !points.iter().any(|css| css.starts_with(".left"));
    let kind = if here.is_challenge() { &CHALLENGE } else { &LESSON };
    let share = {
        let send = props.send.clone();
        Callback::from(move |_: MouseEvent| {
            let send = send.clone();
            wasm_bindgen_futures::spawn_local(async move {
                send.emit(Action::Toast(Some(Toast::Done(copy_link(&here.fragment(), kind.target).await))))
            });
        })
    };
    let icon = |d: &'static str| html! { <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path {d} /></svg> };
    let fold_label = if folded { kind.expand } else { kind.collapse };
    let copy_label = format!("Copy a link to this {}", kind.target);
    // Judged also while the card is folded.
    let goal = here.challenge_id().map(|id| html! {
        <GoalMeter at={here} challenge={id} document={props.document.clone()} ticked={props.ticked.clone()} {folded}
            programs={props.programs.clone()} settled={props.settled} dragging={props.dragging}
            best={props.scores.get(id).copied()} send={props.send.clone()} />
    });
    html! {
        <section class={classes!("lesson", folded.then_some("folded"), tall.then_some("tall"))} id="lesson"
            data-place={here.fragment()} data-answer={props.answer.word()} data-spots={points.join(" || ")}
            aria-label={match here.challenge() {
                Some(challenge) => format!("Challenge: {}", challenge.step.title),
                None => format!("Lesson: {}", here.lesson().title),
            }}>
            <header>
                if here.is_challenge() {
                    <p>{ format!("Challenge {} of {}", here.index() + 1, challenges().len()) }</p>
                } else {
                    <p>{ format!("Lesson {} of {}: ", here.lesson_index() + 1, lessons().len()) }<b>{ here.lesson().title.as_str()
                        }</b></p>
                }
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
                <div class="lesson-body" key={here.fragment()} tabindex="0" role="group" aria-labelledby="lesson-title">
                    <h2 id="lesson-title" tabindex="-1">{ here.step().title.as_str() }</h2>
                    { (*body).clone() }
                    if let Some(goal) = goal {
                        { goal }
                    } else if !tour.is_awaiting() && !tour.speaks_of(&props.document.scenario) {
                        <p class="hint" id="lesson-changed">{
                            "You have changed the scenario; the figures in this text refer to the step's own. After you restore the step, undo restores your version." }</p>
                    }
                </div>
                { navigation(here, &act) }
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

/// Back, the steps, next.
fn navigation(here: StepId, act: &impl Fn(Guide) -> Callback<MouseEvent>) -> Html {
    let back = here.back();
    let next = here.next().map_or(Guide::Finish, Guide::Start);
    let step = |index: usize| {
        let there = here.at(index);
        let kind = if here.is_challenge() { "Challenge" } else { "Step" };
        let label = format!("{kind} {}: {}", index + 1, there.step().title);
        let current = (there == here).then_some("step");
        html! {
            <li><button type="button" data-step={(index + 1).to_string()} aria-label={label.clone()} title={label}
                aria-current={current}
                onclick={act(Guide::Start(there))}></button></li>
        }
    };
    html! {
        <footer>
            <button type="button" id="lesson-back" disabled={back.is_none()}
                onclick={act(Guide::Start(back.unwrap_or(here)))}>{ "Back" }</button>
            <ol class="dots" aria-label={if here.is_challenge() { "Challenges" } else { "Steps" }}>{ for (0..here.lesson().steps.len()).map(step) }</ol>
            <button type="button" id="lesson-next" class="go"
                onclick={act(next)}>{ if next == Guide::Finish { "Finish" } else { "Next" } }</button>
            <button type="button" id="lesson-set-up" class="link" onclick={act(Guide::SetUp)}
                title="Restore what this step shows: scenario, policies, playhead, zoom">{
                    if here.is_challenge() { "Reset" } else { "Restore this step" } }</button>
        </footer>
    }
}

/// After the lesson: continue with the next, return to what was there before, or stay.
fn after_lesson(here: StepId, ending: LessonEnd, act: &impl Fn(Guide) -> Callback<MouseEvent>) -> Html {
    let name = here.challenge().map_or(&here.lesson().title, |challenge| &challenge.step.title);
    let (title, words) = match ending {
        LessonEnd::Finished => (format!("Done: {name}"), "Your page from before is still there."),
        LessonEnd::Closed => {
            (format!("You left: {name}"), "The page is as you left it. Your page from before is still there.")
        }
    };
    let next = here.next_lesson().filter(|_| ending == LessonEnd::Finished);
    html! {
        <section class="lesson over" id="lesson" aria-label="After the lesson">
            <div class="lesson-body">
                <h2 id="lesson-title" tabindex="-1">{ title }</h2>
                <p>{ words }</p>
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
                            onclick={act(Guide::Start(here))}>{ if here.is_challenge() { "Continue the challenge" } else {
                                "Continue the lesson" } }</button>
                    }
                    <button type="button" id="lesson-return" onclick={act(Guide::Return)}>{ "Back to my page" }</button>
                    <button type="button" id="lesson-stay" onclick={act(Guide::Stay)}>{ "Stay here" }</button>
                </div>
            </div>
        </section>
    }
}

/// While the recorded run is being opened.
fn awaited() -> Html {
    html! { <p class="hint" id="lesson-awaited">{
    "The recorded run is being opened. If that fails, press Restore this step." }</p> }
}

/// The step's text and its question.
fn body(
    step: &LessonStep,
    answer: Option<usize>,
    facts: &LessonFacts,
    send: &Callback<Action>,
) -> Result<Html, FactError> {
    let text = blocks(&step.text, facts)?;
    let guess = step.question.as_ref().map(|asked| question(asked, answer, facts, send)).transpose()?;
    Ok(html! { <>{ text }{ for guess }</> })
}

fn formatted(words: &[StyledText], facts: &LessonFacts) -> Result<Html, FactError> {
    let piece = |piece: &StyledText| -> Result<Html, FactError> {
        let words = &piece.words;
        Ok(match &piece.style {
            TextStyle::Plain => html! { { words } },
            TextStyle::Strong => html! { <b>{ words }</b> },
            TextStyle::Emphasis => html! { <em>{ words }</em> },
            TextStyle::Code => html! { <code>{ words }</code> },
            TextStyle::Figure => html! { <span class="figure">{ facts.evaluate(words)? }</span> },
            TextStyle::Link(to) if is_web(to) => {
                html! { <a href={to.clone()} target="_blank" rel="noopener noreferrer">{ words }</a> }
            }
            TextStyle::Image(source) if source.starts_with("data:image/") => {
                html! { <img src={source.clone()} alt={words.clone()} /> }
            }
            // Nothing is loaded unasked, and no other scheme is followed.
            TextStyle::Link(_) | TextStyle::Image(_) => html! { { words } },
        })
    };
    words.iter().map(piece).collect()
}

/// Whether an address is one of the web.
fn is_web(address: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme))
}

fn blocks(blocks: &[TextBlock], facts: &LessonFacts) -> Result<Html, FactError> {
    let formatted = |words: &[StyledText]| formatted(words, facts);
    let block = |block: &TextBlock| -> Result<Html, FactError> {
        Ok(match block {
            TextBlock::Text(words) => html! { <p>{ formatted(words)? }</p> },
            TextBlock::Code(code) => html! { <pre><code>{ code }</code></pre> },
            TextBlock::List { first, items } => {
                let item = |item: &Vec<StyledText>| -> Result<Html, FactError> {
                    Ok(html! { <li>{ formatted(item)? }</li> })
                };
                let items = items.iter().map(item).collect::<Result<Html, _>>()?;
                match first {
                    Some(first) => html! { <ol start={first.to_string()}>{ items }</ol> },
                    None => html! { <ul>{ items }</ul> },
                }
            }
            TextBlock::Table { head, rows } => {
                let heading = |cell: &Vec<StyledText>| -> Result<Html, FactError> {
                    Ok(html! { <th scope="col">{ formatted(cell)? }</th> })
                };
                let cell = |(index, cell): (usize, &Vec<StyledText>)| -> Result<Html, FactError> {
                    Ok(match index {
                        0 => html! { <th scope="row">{ formatted(cell)? }</th> },
                        _ => html! { <td>{ formatted(cell)? }</td> },
                    })
                };
                let row = |row: &Vec<Vec<StyledText>>| -> Result<Html, FactError> {
                    Ok(html! { <tr>{ row.iter().enumerate().map(cell).collect::<Result<Html, _>>()? }</tr> })
                };
                html! {
                    <table>
                        <thead><tr>{ head.iter().map(heading).collect::<Result<Html, _>>()? }</tr></thead>
                        <tbody>{ rows.iter().map(row).collect::<Result<Html, _>>()? }</tbody>
                    </table>
                }
            }
            TextBlock::Walk(job) => {
                let walk = walk(facts, job)?;
                html! {
                    <table class="walk">
                        <caption>{ format!("Algorithm 1 as {} arrives at {}", walk.job, walk.at) }</caption>
                        { plain_head(["line", "what happens, and the state after it"]) }
                        <tbody>
                            { for walk.lines.iter().map(|line| html! {
                                <tr>
                                    <th scope="row">{ line.number }</th>
                                    <td>{ &line.words }{ for line.state.iter().map(|state| html!
                                        { <code>{ state }</code> }) }</td>
                                </tr>
                            }) }
                        </tbody>
                    </table>
                }
            }
        })
    };
    blocks.iter().map(block).collect()
}

/// A question with its answers; once one is chosen, which was right and why. Others can still be tried.
fn question(
    question: &Question,
    chosen: Option<usize>,
    facts: &LessonFacts,
    send: &Callback<Action>,
) -> Result<Html, FactError> {
    let choose = |index: usize| {
        send.reform(move |_: MouseEvent| {
            let motion = if prefers_reduced_motion() { Motion::Paused } else { Motion::Playing };
            Action::Guide(Guide::Guess(index, motion))
        })
    };
    let option = |(index, option): (usize, &QuestionOption)| -> Result<Html, FactError> {
        let verdict = match chosen {
            Some(_) if option.is_right => Some("correct"),
            Some(chosen) if chosen == index => Some("incorrect"),
            _ => None,
        };
        Ok(html! {
            <li>
                <button type="button" class={classes!("option", verdict)} data-option={index.to_string()}
                    aria-pressed={(chosen == Some(index)).to_string()} onclick={choose(index)}>
                    <span>{ formatted(&option.words, facts)? }</span>
                    if let Some(verdict) = verdict {
                        <i>{ if verdict == "correct" { "✓ right" } else { "✗ no" } }</i>
                    }
                </button>
            </li>
        })
    };
    let (answers, right) = match &question.answers {
        Answers::Options(options) => {
            let answers = options.iter().enumerate().map(option).collect::<Result<Html, FactError>>()?;
            (answers, chosen.and_then(|chosen| options.get(chosen)).map(|option| option.is_right))
        }
        // Shown rather than asked for: the reader compares it with the number in mind.
        Answers::Number { figure, .. } => {
            let label = match chosen {
                Some(_) => facts.evaluate(figure)?,
                None => "Show the number".to_owned(),
            };
            let answer = html! {
                <li><button type="button" class="option" data-option="0" onclick={choose(0)}><span>{ label }</span></button></li>
            };
            (answer, None)
        }
    };
    let explanation = blocks(&question.explanation, facts)?;
    Ok(html! {
        <div class="guess" role="group" aria-labelledby="lesson-question">
            <p id="lesson-question"><b>{ "Your guess: " }</b>{ formatted(&question.words, facts)? }</p>
            <ul class="options">{ answers }</ul>
            <div id="lesson-answer" role="status">
                if let Some(right) = right {
                    <p><b>{ if right { "Right. " } else { "Not quite. " } }</b></p>
                }
                if chosen.is_some() {
                    { explanation }
                }
            </div>
        </div>
    })
}

/// A style rule that highlights what the step points at, however often that is rendered again.
fn highlight(points: &[String]) -> String {
    match points {
        [] => String::new(),
        points => format!(
            "{} {{ outline: 3px solid var(--spot) !important; outline-offset: 2px !important; scroll-margin: 16px 0 48px; }}",
            points.join(", ")
        ),
    }
}

/// A new step gets the focus, so that it is read out and the keys continue from there.
#[hook]
fn use_heading_focus(here: StepId, over: bool) {
    use_effect_with((here, over), |_| {
        focus("#lesson-title");
    });
}

/// Scrolls what a step points at into view: when it is set up, and again when the charts are ready. Later
/// actions of the reader scroll nothing.
#[hook]
fn use_scrolling(point: Option<String>, set_ups: u32, settled: bool) {
    let shown = use_mut_ref(|| 0);
    // They outlive what is rendered in between, and end with the step.
    let scrolls = use_mut_ref(|| None);
    use_effect_with((point, set_ups, settled), move |(point, set_ups, settled)| {
        if point.is_none() {
            scrolls.replace(None);
        }
        if *shown.borrow() != *set_ups {
            if *settled {
                shown.replace(*set_ups);
            }
            // A frame later the layout is complete, unless the side unfolds for the step.
            scrolls.replace(point.clone().map(|css| {
                let again = css.clone();
                let frame = request_animation_frame(move |_| scroll_to(&css));
                (frame, Timeout::new(AFTER_UNFOLDING_MS, move || scroll_to(&again)))
            }));
        }
    });
}

/// Opens what hides a thing that a step points at, such as the tables of the comparison.
#[hook]
fn use_unfolding(points: &Rc<Vec<String>>, set_ups: u32, settled: bool, send: &Callback<Action>) {
    let send = send.clone();
    use_effect_with((Rc::clone(points), set_ups, settled), move |(points, ..)| {
        let document = gloo::utils::document();
        for css in points.iter() {
            let element = document.query_selector(css).ok().flatten();
            let mut around = element.and_then(|element| element.parent_element());
            while let Some(hiding) =
                around.and_then(|around| around.closest("details:not([open])").ok().flatten())
            {
                // It fails only for names that are none.
                let _ = hiding.set_attribute("open", "");
                around = hiding.parent_element();
            }
            // The comparison, where the side is folded.
            if css.contains("#overview") || css.contains("#by-user") {
                send.emit(Action::Show(Tab::Compare));
            }
        }
    });
}

/// A first answer scrolls its explanation into view.
#[hook]
fn use_answer_in_view(here: StepId, answer: Option<usize>) {
    use_effect_with((here, answer.is_some()), |&(_, answered)| {
        let frame = answered.then(|| request_animation_frame(|_| scroll_to("#lesson-answer")));
        move || drop(frame)
    });
}
