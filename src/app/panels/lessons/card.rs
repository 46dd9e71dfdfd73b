//! The card with a step: what it says and asks, and the way through the lesson.

use gloo::render::request_animation_frame;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{ScrollBehavior, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::prelude::*;

use super::keep;
use super::spots;
use crate::app::panels::focus;
use crate::app::shared::Shared;
use crate::app::store::{Action, Card, Document, Ending, Guide, Tour};
use crate::lesson::{LESSONS, Place, Told, ToldBlock, ToldGuess, tell};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub tour: Tour,
    pub document: Shared<Document>,
    /// Whether all panels show what they should.
    pub settled: bool,
    pub send: Callback<Action>,
}

/// A step of a lesson, docked beside what it speaks of.
#[component]
pub fn LessonCard(props: &Props) -> Html {
    let tour = &props.tour;
    use_room_of_transport();
    let place = tour.place;
    let told = {
        let facts = tour.facts.clone();
        use_memo((place, facts), |(place, facts)| {
            tell(place.step(), facts).map_err(|error| error.to_string())
        })
    };
    let points = {
        let facts = tour.facts.clone();
        use_memo((place, tour.stage(), facts), |(place, stage, facts)| {
            spots::selectors(place.step().shown(*stage).1, facts).unwrap_or_default()
        })
    };
    let over = matches!(tour.card, Card::Over(_));
    use_heading_focus(place, over);
    use_answer_in_view(place, tour.answer());
    use_scrolling(points.first().filter(|_| !over).cloned(), tour.set_ups, props.settled);
    let act = |guide: Guide| props.send.reform(move |_: MouseEvent| Action::Guide(guide));
    if let Card::Over(ending) = tour.card {
        return farewell(place, ending, &act);
    }
    let folded = tour.card == Card::Folded;
    // A step that does not point at the set-up needs less room for it.
    let tall = !points.iter().any(|css| css.starts_with(".left"));
    let share = {
        let send = props.send.clone();
        Callback::from(move |_: MouseEvent| {
            let send = send.clone();
            wasm_bindgen_futures::spawn_local(
                async move { send.emit(Action::Warn(keep::share(place).await)) },
            );
        })
    };
    let icon = |d: &'static str| html! { <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path {d} /></svg> };
    let fold_label = if folded { "Expand the lesson" } else { "Collapse the lesson" };
    html! {
        <section class={classes!("lesson", folded.then_some("folded"), tall.then_some("tall"))} id="lesson" data-place={place.fragment()} data-spots={points.join(" || ")}
            aria-label={format!("Lesson: {}", place.lesson().title)}>
            if !folded {
                <style>{ highlight(&points) }</style>
            }
            <header>
                <p>{ format!("Lesson {} of {}: ", place.lesson_index() + 1, LESSONS.len()) }<b>{ place.lesson().title }</b></p>
                <button type="button" id="lesson-link" onclick={share} aria-label="Copy a link to this step" title="Copy a link to this step">{ icon("M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1") }</button>
                <button type="button" id="lesson-fold" onclick={act(Guide::Fold)} aria-expanded={(!folded).to_string()} aria-label={fold_label} title={fold_label}>{ icon(if folded { "M5 15l7-7 7 7" } else { "M5 9l7 7 7-7" }) }</button>
                <button type="button" id="lesson-close" onclick={act(Guide::Leave)} aria-label="Leave the lesson" title="Leave the lesson; the page stays as it is">{ icon("M6 6l12 12M18 6L6 18") }</button>
            </header>
            if !folded {
                <div class="lesson-body" key={place.fragment()} tabindex="0" role="group" aria-labelledby="lesson-title">
                    <h2 id="lesson-title" tabindex="-1">{ place.step().title }</h2>
                    { match &*told {
                        Ok((text, guess)) => html! {
                            <>
                                { blocks(text) }
                                if let Some(guess) = guess {
                                    { question(guess, tour.answer(), &props.send) }
                                }
                            </>
                        },
                        Err(error) => html! { <p class="bad">{ error }</p> },
                    } }
                    if !tour.speaks_of(&props.document.scenario) {
                        <p class="hint" id="lesson-changed">{ "You have changed the scenario; the figures in this text refer to the step's own. After you set up again, undo restores your version." }</p>
                    }
                </div>
                { way(place, &act) }
            }
        </section>
    }
}

/// Back, the steps, next.
fn way(place: Place, act: &impl Fn(Guide) -> Callback<MouseEvent>) -> Html {
    let back = place.back();
    let next = place.next().map_or(Guide::Finish, Guide::Start);
    let step = |index: usize| {
        let there = place.at(index);
        let label = format!("Step {}: {}", index + 1, there.step().title);
        let current = (there == place).then_some("step");
        html! {
            <li><button type="button" data-step={(index + 1).to_string()} aria-label={label.clone()} title={label} aria-current={current}
                onclick={act(Guide::Start(there))}></button></li>
        }
    };
    html! {
        <footer>
            <button type="button" id="lesson-back" disabled={back.is_none()} onclick={act(Guide::Start(back.unwrap_or(place)))}>{ "Back" }</button>
            <ol class="dots" aria-label="Steps">{ for (0..place.lesson().steps.len()).map(step) }</ol>
            <button type="button" id="lesson-next" class="go" onclick={act(next)}>{ if next == Guide::Finish { "Finish" } else { "Next" } }</button>
            <button type="button" id="lesson-set-up" class="link" onclick={act(Guide::SetUp)} title="Restore what this step shows: scenario, policies, playhead, zoom">{ "Set up again" }</button>
        </footer>
    }
}

/// After the lesson: on to the next, back to what was before, or stay.
fn farewell(place: Place, ending: Ending, act: &impl Fn(Guide) -> Callback<MouseEvent>) -> Html {
    let (title, words) = match ending {
        Ending::Finished => {
            (format!("Done: {}", place.lesson().title), "Your page from before the lessons is still there.")
        }
        Ending::Closed => (
            format!("You left: {}", place.lesson().title),
            "The page is as the lesson left it. Your page from before is still there.",
        ),
    };
    let next = place.next_lesson().filter(|_| ending == Ending::Finished);
    html! {
        <section class="lesson over" id="lesson" aria-label="After the lesson">
            <div class="lesson-body">
                <h2 id="lesson-title" tabindex="-1">{ title }</h2>
                <p>{ words }</p>
                <div class="buttons">
                    if let Some(next) = next {
                        <button type="button" id="lesson-on" class="go" onclick={act(Guide::Start(next))}>{ format!("Next lesson: {}", next.lesson().title) }</button>
                    }
                    if ending == Ending::Closed {
                        <button type="button" id="lesson-resume" onclick={act(Guide::Start(place))}>{ "Continue the lesson" }</button>
                    }
                    <button type="button" id="lesson-return" onclick={act(Guide::Return)}>{ "Back to my page" }</button>
                    <button type="button" id="lesson-stay" onclick={act(Guide::Stay)}>{ "Stay here" }</button>
                </div>
            </div>
        </section>
    }
}

fn words(told: &[Told]) -> Html {
    let piece = |told: &Told| match told {
        Told::Plain(words) => html! { { words } },
        Told::Strong(words) => html! { <b>{ words }</b> },
        Told::Emphasis(words) => html! { <em>{ words }</em> },
        Told::Code(words) => html! { <code>{ words }</code> },
        Told::Figure(words) => html! { <span class="figure">{ words }</span> },
    };
    told.iter().map(piece).collect()
}

fn blocks(blocks: &[ToldBlock]) -> Html {
    let block = |block: &ToldBlock| match block {
        ToldBlock::Text(text) => html! { <p>{ words(text) }</p> },
        ToldBlock::Points(points) => {
            html! { <ul>{ for points.iter().map(|point| html! { <li>{ words(point) }</li> }) }</ul> }
        }
        ToldBlock::Table { head, rows } => html! {
            <table>
                <thead><tr>{ for head.iter().map(|cell| html! { <th scope="col">{ words(cell) }</th> }) }</tr></thead>
                <tbody>
                    { for rows.iter().map(|row| html! {
                        <tr>
                            { for row.iter().enumerate().map(|(place, cell)| match place {
                                0 => html! { <th scope="row">{ words(cell) }</th> },
                                _ => html! { <td>{ words(cell) }</td> },
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        },
        ToldBlock::Walk(walk) => html! {
            <table class="walk">
                <caption>{ format!("Algorithm 1 as {} arrives at {}", walk.job, walk.at) }</caption>
                <thead><tr><th scope="col">{ "line" }</th><th scope="col">{ "what happens, and the state after it" }</th></tr></thead>
                <tbody>
                    { for walk.lines.iter().map(|line| html! {
                        <tr>
                            <th scope="row">{ line.number }</th>
                            <td>{ &line.words }{ for line.state.iter().map(|state| html! { <code>{ state }</code> }) }</td>
                        </tr>
                    }) }
                </tbody>
            </table>
        },
    };
    blocks.iter().map(block).collect()
}

/// A question with its answers; once one is chosen, which was right and why. Others can still be tried.
fn question(guess: &ToldGuess, chosen: Option<usize>, send: &Callback<Action>) -> Html {
    let option = |(place, text): (usize, &Vec<Told>)| {
        let onclick = send.reform(move |_: MouseEvent| Action::Guide(Guide::Guess(place)));
        let verdict = match chosen {
            Some(_) if place == guess.right => Some("right"),
            Some(chosen) if chosen == place => Some("wrong"),
            _ => None,
        };
        html! {
            <li>
                <button type="button" class={classes!("option", verdict)} data-option={place.to_string()} aria-pressed={(chosen == Some(place)).to_string()} {onclick}>
                    <span>{ words(text) }</span>
                    if let Some(verdict) = verdict {
                        <i>{ if verdict == "right" { "✓ right" } else { "✗ no" } }</i>
                    }
                </button>
            </li>
        }
    };
    html! {
        <div class="guess" role="group" aria-labelledby="lesson-question">
            <p id="lesson-question"><b>{ "Your guess: " }</b>{ words(&guess.question) }</p>
            <ul class="options">{ for guess.options.iter().enumerate().map(option) }</ul>
            <div id="lesson-answer" role="status">
                if let Some(chosen) = chosen {
                    <p><b>{ if chosen == guess.right { "Right. " } else { "Not quite. " } }</b></p>
                    { blocks(&guess.answer) }
                }
            </div>
        </div>
    }
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
fn use_heading_focus(place: Place, over: bool) {
    use_effect_with((place, over), |_| {
        focus("#lesson-title");
    });
}

/// Brings what a step points at into view: as it is set up, and once more when the charts are there. What
/// the reader does afterwards moves nothing.
#[hook]
fn use_scrolling(point: Option<String>, set_ups: u32, settled: bool) {
    let shown = use_mut_ref(|| 0);
    use_effect_with((point, set_ups, settled), move |(point, set_ups, settled)| {
        let mut frame = None;
        if *shown.borrow() != *set_ups {
            if *settled {
                shown.replace(*set_ups);
            }
            let point = point.clone();
            // A frame later the layout is complete.
            frame = point.map(|css| request_animation_frame(move |_| scroll_to(&css)));
        }
        move || drop(frame)
    });
}

/// A first answer brings what is said about it into the card's view.
#[hook]
fn use_answer_in_view(place: Place, answer: Option<usize>) {
    use_effect_with((place, answer.is_some()), |&(_, answered)| {
        let frame = answered.then(|| request_animation_frame(|_| scroll_to("#lesson-answer")));
        move || drop(frame)
    });
}

fn scroll_to(css: &str) {
    let Some(element) = gloo::utils::document().query_selector(css).ok().flatten() else { return };
    let still = gloo::utils::window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    let options = ScrollIntoViewOptions::new();
    options.set_behavior(match still {
        Some(query) if query.matches() => ScrollBehavior::Auto,
        _ => ScrollBehavior::Smooth,
    });
    options.set_block(ScrollLogicalPosition::Nearest);
    options.set_inline(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Tells the stylesheet how high the transport is, above which the card is docked on a phone.
#[hook]
fn use_room_of_transport() {
    use_effect_with((), |()| {
        let on_resize = Closure::<dyn Fn()>::new(|| {
            let transport = gloo::utils::document().query_selector(".transport").ok().flatten();
            let root = gloo::utils::document_element().dyn_into::<web_sys::HtmlElement>();
            if let (Some(transport), Ok(root)) = (transport, root) {
                let height = transport.get_bounding_client_rect().height();
                // Without it the stylesheet's own estimate holds.
                let _ = root.style().set_property("--transport", &format!("{height}px"));
            }
        });
        let observer = web_sys::ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok();
        let transport = gloo::utils::document().query_selector(".transport").ok().flatten();
        if let (Some(observer), Some(transport)) = (&observer, &transport) {
            observer.observe(transport);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(on_resize);
        }
    });
}
