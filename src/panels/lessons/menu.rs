//! The menu of lessons.

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::panels::focus;
use crate::store::{Action, Guide, Lessons};
use fairlane_study::lesson::{LESSONS, StepId};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The list of lessons.
    pub children: Html,
}

#[component]
pub fn LessonsMenu(props: &Props) -> Html {
    let menu = use_node_ref();
    let shut = {
        let menu = menu.clone();
        Callback::from(move |()| {
            if let Some(menu) = menu.cast::<web_sys::Element>() {
                // An attribute can always be removed.
                let _ = menu.remove_attribute("open");
            }
        })
    };
    use_shutting_outside(&menu, &shut);
    let onkeydown = {
        let shut = shut.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() != "Escape" {
                return;
            }
            event.prevent_default();
            shut.emit(());
            focus("#lessons summary");
        })
    };
    let onclick = Callback::from(move |event: MouseEvent| {
        let target = event.target_dyn_into::<web_sys::Element>();
        if target.is_some_and(|target| target.closest("[data-lesson]").ok().flatten().is_some()) {
            shut.emit(());
        }
    });
    html! {
        <details class="menu lessons-menu" id="lessons" ref={menu} {onkeydown}>
            <summary title="Guided tours of this page">{ "Lessons" }</summary>
            <div {onclick}>{ props.children.clone() }</div>
        </details>
    }
}

#[derive(Properties, PartialEq)]
pub struct ListProps {
    pub lessons: Lessons,
    pub send: Callback<Action>,
}

/// The lessons, each a button that starts it or leads back to it.
#[component]
pub fn List(props: &ListProps) -> Html {
    let under_way = props.lessons.tour.as_ref().map(|tour| tour.at);
    html! {
        <ol>
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

/// A press anywhere else shuts the menu.
#[hook]
fn use_shutting_outside(menu: &NodeRef, shut: &Callback<()>) {
    let (menu, shut) = (menu.clone(), shut.clone());
    use_effect_with((), move |()| {
        let listener = EventListener::new(&gloo::utils::document(), "pointerdown", move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
            let inside = menu.cast::<web_sys::Node>().is_some_and(|menu| menu.contains(target.as_ref()));
            if !inside {
                shut.emit(());
            }
        });
        move || drop(listener)
    });
}
