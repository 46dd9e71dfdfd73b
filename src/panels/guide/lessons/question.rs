//! A step's question: options to choose among, or a number to be given; once it is answered, what was right and why.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::text::StepText;
use crate::browser::dom::prefers_reduced_motion;
use crate::results::shared::Shared;
use crate::store::{Action, GivenAnswer, Guide, LessonPlace, Motion};
use crate::ui::send::{Handlers, use_send};
use fairlane::number;
use fairlane_study::lesson::document::{Answers, Question, QuestionOption};
use fairlane_study::lesson::{LessonFacts, QuantityUnit};

#[derive(Properties, PartialEq)]
pub struct QuestionProps {
    pub at: LessonPlace,
    /// The answer that was given.
    pub answer: Option<GivenAnswer>,
    pub facts: Option<Shared<LessonFacts>>,
}

/// A question with its answers. Others can still be tried once one is given.
#[component]
pub fn QuestionBox(props: &QuestionProps) -> Html {
    let send = use_send();
    // What is ticked or typed and not answered yet.
    let draft = use_state_eq(|| None::<Draft>);
    let field = use_node_ref();
    let Some(question) = &props.at.step().question else { return Html::default() };
    let text = StepText { facts: props.facts.as_deref() };
    let answer = send.reform(|given: GivenAnswer| {
        let motion = if prefers_reduced_motion() { Motion::Paused } else { Motion::Playing };
        Action::Guide(Guide::Guess(given, motion))
    });
    let verdict = props.answer.as_ref().and_then(|given| is_right(question, given, props.facts.as_deref()));
    let answers = match &question.answers {
        Answers::Options(options) if is_several(options) => {
            let ticked = match (&*draft, &props.answer) {
                (Some(Draft::Ticked(ticked)), _) => ticked.clone(),
                (_, Some(GivenAnswer::Options(given))) => given.clone(),
                _ => BTreeSet::new(),
            };
            several(options, &ticked, props, &draft, &answer)
        }
        Answers::Options(options) => one(options, props, &answer),
        Answers::Number { figure, .. } => {
            let right = props.facts.as_ref().and_then(|facts| facts.figure(figure).ok());
            number_field(
                &field,
                right.map_or("", |right| unit_of(right.unit)),
                verdict,
                props,
                &draft,
                &answer,
            )
        }
    };
    html! {
        <div class="guess" role="group" aria-labelledby="lesson-question">
            <p id="lesson-question"><b>{ "Your guess: " }</b>{ text.words(&question.words) }</p>
            { answers }
            <div id="lesson-answer" role="status">
                if let Some(right) = verdict {
                    <p><b>{ if right { "Right. " } else { "Not quite. " } }</b>{ right_number(question, props) }</p>
                }
                if props.answer.is_some() {
                    { text.blocks(&question.explanation) }
                }
            </div>
        </div>
    }
}

/// An answer before it is given.
#[derive(Clone, PartialEq)]
enum Draft {
    /// The options that are ticked.
    Ticked(BTreeSet<usize>),
    /// What is typed that is no number.
    NoNumber(String),
}

fn is_several(options: &[QuestionOption]) -> bool {
    options.iter().filter(|option| option.is_right).count() > 1
}

/// Whether an answer is right; `None` if the simulator cannot say.
fn is_right(question: &Question, given: &GivenAnswer, facts: Option<&LessonFacts>) -> Option<bool> {
    match (&question.answers, given) {
        (Answers::Options(options), GivenAnswer::Options(chosen)) => {
            let right: BTreeSet<usize> =
                (0..options.len()).filter(|index| options[*index].is_right).collect();
            Some(*chosen == right)
        }
        (answers @ Answers::Number { .. }, GivenAnswer::Number(_)) => {
            given.to_file().is_right(answers, facts?).ok()
        }
        _ => None,
    }
}

/// The number that somebody has typed, with a comma or a point and with or without a unit.
fn number_in(text: &str) -> Option<f64> {
    let text = text.trim().replace(',', ".").replace('\u{2212}', "-");
    let end = text.find(|c: char| !(c.is_ascii_digit() || ".-+".contains(c))).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let is_unit = unit.trim().chars().all(|c| c.is_alphabetic() || "-% ".contains(c));
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    number::parse(digits).filter(|number| is_unit && number.is_finite())
}

/// What stands behind the field.
fn unit_of(unit: QuantityUnit) -> &'static str {
    match unit {
        QuantityUnit::Seconds => "s",
        QuantityUnit::CoreSeconds => "core-seconds",
        QuantityUnit::Percent => "%",
        QuantityUnit::Count | QuantityUnit::Ratio => "",
    }
}

/// The right number and how far an answer may be from it, once one is given.
fn right_number(question: &Question, props: &QuestionProps) -> Html {
    let Answers::Number { figure, tolerance_percent, .. } = &question.answers else { return Html::default() };
    let Some(right) = props.facts.as_ref().and_then(|facts| facts.figure(figure).ok()) else {
        return Html::default();
    };
    html! {
        <>{ "It is " }<span class="figure">{ right.to_string() }</span>{
            format!("; what is within {tolerance_percent} % of it counts.") }</>
    }
}

/// What an option is once the question is answered.
fn verdict(option: &QuestionOption, index: usize, given: Option<&GivenAnswer>) -> Option<&'static str> {
    match given {
        Some(_) if option.is_right => Some("correct"),
        Some(given) if given.has(index) => Some("incorrect"),
        _ => None,
    }
}

fn mark(verdict: Option<&'static str>) -> Html {
    match verdict {
        Some("correct") => html! { <i>{ "✓ right" }</i> },
        Some(_) => html! { <i>{ "✗ no" }</i> },
        None => Html::default(),
    }
}

/// Options of which one is right: a press answers.
fn one(options: &[QuestionOption], props: &QuestionProps, answer: &Callback<GivenAnswer>) -> Html {
    let text = StepText { facts: props.facts.as_deref() };
    let given = props.answer.as_ref();
    let option = |(index, option): (usize, &QuestionOption)| {
        let verdict = verdict(option, index, given);
        let onclick = answer.press(GivenAnswer::from(index));
        let is_chosen = given.is_some_and(|given| given.has(index));
        html! {
            <li>
                <button type="button" class={classes!("option", verdict)} data-option={index.to_string()}
                    aria-pressed={is_chosen.to_string()} {onclick}>
                    <span>{ text.words(&option.words) }</span>
                    { mark(verdict) }
                </button>
            </li>
        }
    };
    html! { <ul class="options">{ for options.iter().enumerate().map(option) }</ul> }
}

/// Options of which several are right: they are ticked, and answered together.
fn several(
    options: &[QuestionOption],
    ticked: &BTreeSet<usize>,
    props: &QuestionProps,
    draft: &UseStateHandle<Option<Draft>>,
    answer: &Callback<GivenAnswer>,
) -> Html {
    let text = StepText { facts: props.facts.as_deref() };
    // What is ticked anew is not answered yet.
    let given = props.answer.as_ref().filter(|given| **given == GivenAnswer::Options(ticked.clone()));
    let option = |(index, option): (usize, &QuestionOption)| {
        let verdict = verdict(option, index, given);
        let onclick = {
            let (draft, ticked) = (draft.setter(), ticked.clone());
            Callback::from(move |_: MouseEvent| {
                let mut ticked = ticked.clone();
                if !ticked.remove(&index) {
                    ticked.insert(index);
                }
                draft.set(Some(Draft::Ticked(ticked)));
            })
        };
        let is_ticked = ticked.contains(&index);
        html! {
            <li>
                <button type="button" role="checkbox" class={classes!("option", "ticks", verdict)}
                    data-option={index.to_string()} aria-checked={is_ticked.to_string()} {onclick}>
                    <b class="tick" aria-hidden="true">{ if is_ticked { "☑" } else { "☐" } }</b>
                    <span>{ text.words(&option.words) }</span>
                    { mark(verdict) }
                </button>
            </li>
        }
    };
    let check = answer.press(GivenAnswer::Options(ticked.clone()));
    html! {
        <>
            <p class="hint">{ "Several are right: tick all of them." }</p>
            <ul class="options">{ for options.iter().enumerate().map(option) }</ul>
            <button type="button" id="lesson-check" disabled={ticked.is_empty() || given.is_some()}
                onclick={check}>{ "Check" }</button>
        </>
    }
}

/// A field for a number in the unit of what is asked for.
fn number_field(
    field: &NodeRef,
    unit: &'static str,
    verdict: Option<bool>,
    props: &QuestionProps,
    draft: &UseStateHandle<Option<Draft>>,
    answer: &Callback<GivenAnswer>,
) -> Html {
    let given = match props.answer {
        Some(GivenAnswer::Number(number)) => Some(number),
        _ => None,
    };
    let refused = match &**draft {
        Some(Draft::NoNumber(text)) => Some(text.clone()),
        _ => None,
    };
    let onsubmit = {
        let (draft, field) = (draft.setter(), field.clone());
        answer.on(move |event: SubmitEvent| {
            event.prevent_default();
            let text = field.cast::<web_sys::HtmlInputElement>()?.value();
            let number = number_in(&text);
            draft.set(if number.is_some() { None } else { Some(Draft::NoNumber(text)) });
            number.map(GivenAnswer::Number)
        })
    };
    let verdict = verdict.map(|right| if right { "correct" } else { "incorrect" });
    let value = refused.clone().or(given.map(|given| given.to_string())).unwrap_or_default();
    html! {
        <form class="number-answer" {onsubmit} novalidate=true>
            <span class={classes!("option", verdict)}>
                <input ref={field.clone()} id="lesson-number" type="text" inputmode="decimal" autocomplete="off" {value}
                    aria-labelledby="lesson-question lesson-unit" aria-invalid={refused.is_some().then_some("true")}
                    aria-describedby={refused.is_some().then_some("lesson-number-fault")} />
                <span id="lesson-unit">{ unit }</span>
                { mark(verdict) }
            </span>
            <button type="submit" id="lesson-check">{ "Check" }</button>
            if refused.is_some() {
                <p class="bad" id="lesson-number-fault" role="alert">{ "Write a number, such as 3.5." }</p>
            }
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_people_write_it() {
        for (text, number) in [
            ("3.5", Some(3.5)),
            (" 3,5 s", Some(3.5)),
            ("12 core-seconds", Some(12.0)),
            ("40%", Some(40.0)),
            ("\u{2212}1", Some(-1.0)),
            ("", None),
            ("three", None),
            ("1.2.3", None),
            ("5 s 6", None),
        ] {
            assert_eq!(number_in(text), number, "{text}");
        }
    }
}
