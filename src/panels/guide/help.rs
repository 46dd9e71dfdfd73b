//! All keys, and what the policies are called and do.

use yew::prelude::*;

use crate::store::{Action, UiAction};
use crate::ui::dialog::Dialog;
use crate::ui::send::{Handlers, use_send};
use fairlane::policy::PolicyKind;
use fairlane_view::words::WORDS;

#[derive(Clone, Properties, PartialEq)]
pub struct HelpProps {
    pub open: bool,
}

/// Gestures and keys by subject, and what they do. The first is for fingers.
const KEYS: [(&str, &[(&str, &str)]); 5] = [
    (
        "By touch",
        &[
            ("tap a job", "choose it, with its facts"),
            ("tap it again", "edit, duplicate, delete"),
            ("drag it sideways", "move in time, then to another user"),
            ("View, several", "each tap chooses one more"),
            ("tap a task", "why it runs"),
            ("tap or drag the ruler", "move the playhead"),
            ("two fingers on a chart", "zoom; one pans"),
            ("tap a heading or a dash", "what it means"),
        ],
    ),
    (
        "Time",
        &[
            ("Space", "play or pause"),
            ("← →", "previous, next event"),
            ("[ ]", "previous, next launch of the chosen job"),
            ("+ − 0", "zoom in, out, show everything"),
            ("Shift ← →", "pan"),
        ],
    ),
    (
        "On a job's block",
        &[
            ("← → ↑ ↓", "move in time, to another user"),
            ("Ctrl ← → ↑ ↓", "go to another block"),
            ("Space", "choose, or no longer"),
            ("Enter", "edit"),
            ("Ctrl D, Delete", "duplicate, delete"),
        ],
    ),
    (
        "Page",
        &[
            ("Ctrl Z, Ctrl Shift Z", "undo, redo"),
            ("Esc", "cancel a drag, close the side, end the presentation"),
            ("?", "this help"),
        ],
    ),
    (
        "With a class",
        &[
            ("P", "present the schedules alone"),
            ("hide the future", "what is after the playhead, before you present"),
            ("Lessons, Ask the class", "how long does a job wait? Guesses, then the answer"),
            ("Share, while you ask", "a link that opens with the question"),
        ],
    ),
];

/// The guide, which is a folder of the page (`./fairlane-dev build`).
const GUIDE: &str = "guide/index.html";
/// The page of the guide that explains fair queuing.
pub const EXPLAINER: &str = "guide/fair-queuing.html";

#[component]
pub fn Help(props: &HelpProps) -> Html {
    let send = use_send();
    let onclick = send.press(UiAction::Help(true));
    let onclose = send.reform(|()| Action::Ui(UiAction::Help(false)));
    html! {
        <>
            <button id="help" {onclick} aria-label="Help: keys, words and policies" title="Keys, words and policies (?)"
                aria-haspopup="dialog">{ "?" }</button>
            if props.open {
                <Dialog name="help" class="help" title="Controls and words" opener="#help" {onclose}>
                    <div class="keys">
                        { for KEYS.iter().map(|(title, keys)| html! {
                            <section class={classes!((*title == KEYS[0].0).then_some("touch"))}>
                                <h3>{ *title }</h3>
                                <dl>{ for keys.iter().map(|(key, what)| html!
                                    { <><dt><kbd>{ *key }</kbd></dt><dd>{ *what }</dd></> }) }</dl>
                            </section>
                        }) }
                    </div>
                    <h2>{ "Words" }</h2>
                    <dl class="summaries" id="words">
                        { for WORDS.iter().map(|word| html! { <><dt>{ word.term }</dt><dd>{ word.meaning }</dd></> }) }
                    </dl>
                    <h2>{ "Policies" }</h2>
                    <dl class="summaries">
                        { for PolicyKind::ALL.iter().map(|kind| kind.info()).map(|info| html! {
                            <>
                                <dt>{ info.title }if !info.name.is_empty()
                                    { <small>{ format!(": {}", info.name) }</small> }</dt>
                                <dd>{ info.summary }<small>{ format!(" ({})", info.source) }</small></dd>
                            </>
                        }) }
                    </dl>
                    <p class="hint">{ "Each also has a form -P with runtime partitioning: stages are cut into tasks of about the advisory task runtime (ATR)." }</p>
                    <p><a href={EXPLAINER} target="_blank">{ "Fair queuing in ten minutes, with live figures" }</a></p>
                    <p><a href={GUIDE} target="_blank">{ "The guide: lessons with demos, this page, reference" }</a></p>
                </Dialog>
            }
        </>
    }
}
