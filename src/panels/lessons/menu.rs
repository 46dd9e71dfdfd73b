//! The list of lessons.

use yew::prelude::*;

use crate::panels::help::EXPLAINER;
use crate::store::{Action, Guide, Lessons};
use fairlane_study::lesson::{LESSONS, StepId};

#[derive(Properties, PartialEq)]
pub struct ListProps {
    pub lessons: Lessons,
    pub send: Callback<Action>,
}

/// The explainer, and the lessons, each a button that starts it or leads back to it.
#[component]
pub fn List(props: &ListProps) -> Html {
    let under_way = props.lessons.tour.as_ref().map(|tour| tour.at);
    html! {
        <ol>
            <li>
                <a href={EXPLAINER} target="_blank">
                    <b>{ "Fair queuing in ten minutes" }</b>
                    <span>{ "The whole idea on one page, between live figures." }</span>
                </a>
            </li>
            { for LESSONS.iter().enumerate().map(|(index, lesson)| {
                let here = under_way.filter(|at| at.lesson_index() == index);
                let start = here.unwrap_or_else(|| StepId::first(index)).at(0);
                let onclick = props.send.reform(move |_: MouseEvent| Action::Guide(Guide::Start(start)));
                html! {
                    <li>
                        <button type="button" data-lesson={lesson.id} {onclick} aria-current={here.map(|_| "true")}>
                            <b>{ lesson.title }</b>
                            if props.lessons.done.contains(lesson.id) {
                                <i class="done">{ "✓ done" }</i>
                            } else {
                                <i>{ format!("{} min", lesson.minutes) }</i>
                            }
                            <span>{ lesson.promise }</span>
                        </button>
                    </li>
                }
            }) }
        </ol>
    }
}
