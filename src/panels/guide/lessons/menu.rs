//! The list of lessons and challenges.

use yew::prelude::*;

use crate::panels::asking;
use crate::panels::guide::help::EXPLAINER;
use crate::store::{Action, Guide, Lessons, OpenedLesson, PollAction, ReadDocument};
use crate::ui::send::{Handlers, use_send};
use fairlane_study::lesson::{StepId, challenges, lessons};

/// This part of the page has what reads a document.
pub const READ: ReadDocument = ReadDocument(|document| OpenedLesson::read(document, None));

#[derive(Clone, Properties, PartialEq)]
pub struct ListProps {
    pub lessons: Lessons,
}

/// A document of the reader's that is under way.
fn opened(lessons: &Lessons, send: &Callback<Action>) -> Html {
    let tour = lessons.tour.as_ref().filter(|tour| tour.at.document().is_some());
    let Some(tour) = tour else { return Html::default() };
    let step = tour.at.index();
    let onclick = send.press(Guide::At(step));
    html! {
        <li>
            <button type="button" data-lesson="opened" {onclick} aria-current="true">
                <b>{ tour.at.lesson_title() }</b>
                <span>{ "Opened from a file, a link or Mine, where it stays." }</span>
            </button>
        </li>
    }
}

/// The explainer, the lessons and the challenges, each a button that starts it or leads back to it.
#[component]
pub fn List(props: &ListProps) -> Html {
    let send = use_send();
    let under_way = props.lessons.tour.as_ref().and_then(|tour| tour.at.own());
    html! {
        <>
        <ol>
            <li>
                <a href={EXPLAINER} target="_blank">
                    <b>{ "Fair queuing in ten minutes" }</b>
                    <span>{ "The whole idea on one page, between live figures." }</span>
                </a>
            </li>
            if props.lessons.tour.is_none() {
                <li>
                    <button type="button" id="ask-class" onclick={asking(PollAction::Start(None), &send)}>
                        <b>{ "Ask the class" }</b>
                        <span>{ "How long does a job wait? Collect guesses while the future is hidden, then reveal." }</span>
                    </button>
                </li>
            }
            { opened(&props.lessons, &send) }
            { for lessons().iter().enumerate().map(|(index, lesson)| {
                let here = under_way.filter(|at| at.lesson_index() == index);
                let start = here.unwrap_or_else(|| StepId::first(index)).at(0);
                let onclick = send.press(Guide::Start(start));
                html! {
                    <li>
                        <button type="button" data-lesson={lesson.id.as_str()} {onclick} aria-current={here.map(|_| "true")}>
                            <b>{ format!("{}. {}", index + 1, lesson.title) }</b>
                            if props.lessons.done.contains(lesson.id.as_str()) {
                                <i class="done">{ "✓ done" }</i>
                            } else {
                                <i>{ format!("{} min", lesson.minutes) }</i>
                            }
                            <span>{ lesson.summary.as_str() }</span>
                        </button>
                    </li>
                }
            }) }
        </ol>
        <section class="challenges">
        <p><button type="button" id="write-lesson" onclick={send.press(Guide::WriteNew(READ))}>
            <b>{ "Write one" }</b>
            <span>{ "A lesson of your own, with its card and schedules live beside it. What you have changed on the page \
                     is its first step." }</span>
        </button></p>
        <h2 id="challenges-title">{ "Challenges" }</h2>
        <p class="hint">{ "Goals to reach on the page, judged while you play." }</p>
        <ol aria-labelledby="challenges-title">
            { for challenges().iter().enumerate().map(|(index, challenge)| {
                let at = StepId::of_challenge(index);
                let is_here = under_way == Some(at);
                let onclick = send.press(Guide::Start(at));
                let score = props.lessons.scores.get(challenge.id.as_str());
                html! {
                    <li>
                        <button type="button" data-challenge={challenge.id.as_str()} {onclick}
                            aria-current={is_here.then_some("true")}>
                            <b>{ challenge.step.title.as_str() }</b>
                            if let Some(score) = score {
                                <i class="done">{ if challenge.is_par(*score) { "✓ at par" } else { "✓ reached" } }</i>
                            }
                        </button>
                    </li>
                }
            }) }
        </ol>
        </section>
        </>
    }
}
