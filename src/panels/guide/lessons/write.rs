//! Writing a lesson on the page: the document at the left, its card and the stage at the right, both live.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::completer::{self, Completions, MAX_OFFERED, Written};
use super::margin::{Margin, NoteTaker};
use crate::panels::share::export::{save, saving};
use crate::panels::share::link::copy_document_link;
use crate::results::shared::Shared;
use crate::saved::library;
use crate::store::{Action, Document, Guide, OpenedLesson, State};
use crate::ui::send::{Handlers, use_send};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane_study::lesson::Completion;
use fairlane_view::link::LessonDocument;

/// How long the page waits for the next letter before the lesson is read again, in milliseconds.
const PAUSE_MS: u32 = 300;

/// What a new step begins with, for each kind of step that lecturers ask for.
const TEMPLATES: [(&str, &str); 4] = [
    (
        "A question about the next task",
        "\n## Who is next?\n\nTODO: say here what is to be seen.\n\n### Whose task starts next?\n- [ ] TODO: one answer\n\
         - [x] TODO: the right answer\n\nTODO: explain here why.\n",
    ),
    (
        "Before and after partitioning",
        "\n## Cut by size\n<!-- scene: policies=uwfq -->\n\nThe tasks are as long as their slices.\n\n\
         ## Cut by time\n<!-- scene: policies=uwfq,uwfq-p -->\n\nThe mean response time is {mean uwfq-p} instead of \
         {mean uwfq}.\n\n<!-- claim: mean uwfq-p <= mean uwfq -->\n",
    ),
    (
        "A number",
        "\n## How long?\n<!-- scene: policies=uwfq -->\n\n### How many seconds does everything take?\n\
         - [=] {makespan uwfq} ± 10 %\n\nIt takes {makespan uwfq}.\n",
    ),
    (
        "A challenge",
        "\n## Half the time\n<!-- scene: catalog:skew&policies=uwfq&jobs=report · show: palette -->\n\n\
         TODO: say here what is to be reached.\n\n\
         <!-- challenge: half-the-time · only cluster, partitioning · changes <= 1 -->\n\
         <!-- goal: Response time of report: response $ report <= 0.5 * response uwfq report @ start -->\n\
         <!-- rule: The work stays as it is: work report = work report @ start -->\n\
         <!-- par: 1.8, 1 change -->\n<!-- solution: uwfq-p · [] -->\n",
    ),
];

#[derive(Clone, Properties, PartialEq)]
pub struct WriterProps {
    /// The lesson as it was read last.
    pub lesson: Shared<OpenedLesson>,
    /// The page, which a step can be made of.
    pub state: State,
}

/// The document in a text area with notes beside its lines.
#[component]
pub fn Writer(props: &WriterProps) -> Html {
    let send = use_send();
    let area = use_node_ref();
    let text = use_state_eq(|| props.lesson.document.text.clone());
    let scrolled = use_state_eq(|| 0);
    let taker = use_mut_ref(NoteTaker::default);
    let notes = use_memo(props.lesson.clone(), |lesson| taker.borrow_mut().notes(&lesson.lesson));
    let rewrite = use_rewriting(props);
    let change = {
        let (text, area) = (text.setter(), area.clone());
        Callback::from(move |now: String| {
            let at =
                area.cast::<HtmlTextAreaElement>().and_then(|area| area.selection_start().ok().flatten());
            let line = line_of(&now, at.unwrap_or_default() as usize);
            text.set(now.clone());
            rewrite.emit((now, line));
        })
    };
    let written = use_state_eq(|| None::<Written>);
    let chosen = use_state_eq(|| 0);
    let watch = {
        let (written, chosen, area) = (written.setter(), chosen.setter(), area.clone());
        move || {
            written.set(area.cast::<HtmlTextAreaElement>().and_then(|area| Written::at_caret(&area)));
            chosen.set(0);
        }
    };
    let found = use_memo(((*written).clone(), props.lesson.clone()), |(written, lesson)| {
        written.as_ref().map(|written| offered(written, lesson, &taker.borrow())).unwrap_or_default()
    });
    let take = {
        let (area, written, change) = (area.clone(), written.clone(), change.clone());
        let found = found.clone();
        Callback::from(move |index: usize| {
            let completion = found.get(index).zip(area.cast::<HtmlTextAreaElement>());
            if let (Some((completion, area)), Some(written_now)) = (completion, (*written).as_ref()) {
                change.emit(written_now.replace(&area, completion));
                written.set(None);
            }
        })
    };
    let onkeydown = choosing_by_keys(found.len(), chosen.clone(), written.setter(), take.clone());
    let oninput = {
        let watch = watch.clone();
        change.reform(move |event: InputEvent| {
            watch();
            event.target_dyn_into::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default()
        })
    };
    let onclick = Callback::from(move |_: MouseEvent| watch());
    let onblur = {
        let written = written.setter();
        Callback::from(move |_: FocusEvent| written.set(None))
    };
    let active = (!found.is_empty()).then(|| completer::id(*chosen));
    let onscroll = {
        let (scrolled, area) = (scrolled.setter(), area.clone());
        Callback::from(move |_: Event| {
            scrolled.set(area.cast::<HtmlTextAreaElement>().map_or(0, |area| area.scroll_top()));
        })
    };
    let append = appending(&area, &text, change);
    let add_view = {
        let (state, text) = (props.state.clone(), (*text).clone());
        append.reform(move |_: MouseEvent| state.step_of_page(&text))
    };
    let go_to = going_to(&area);
    let wrong = notes.iter().filter(|note| note.is_wrong).count();
    html! {
        <section class="writer" id="writer" aria-label="Write a lesson">
            <header>
                <p><b>{ "Writing: " }{ &props.lesson.lesson.title }</b>{ " kept in this browser · " }{
                    number::counted(props.lesson.lesson.steps.len(), "step") }{ " · " }<span id="writer-state"
                    role="status" class={(wrong > 0).then_some("bad")}>{ match wrong {
                        0 => "no mistake".to_owned(),
                        wrong => number::counted(wrong, "mistake"),
                    } }</span></p>
                <button type="button" id="writer-close" onclick={send.press(Guide::Write(None))} aria-label="Stop writing"
                    title="Stop writing; the lesson stays under Mine">{ "✕" }</button>
            </header>
            <div class="page">
                <textarea ref={area} id="document" spellcheck="false" aria-label="The document"
                    aria-describedby="writer-state" aria-autocomplete="list" aria-controls="completions"
                    aria-activedescendant={active} value={(*text).clone()} {oninput} {onscroll} {onkeydown} {onclick}
                    {onblur} />
                <Completions {found} chosen={*chosen} {take} />
                <Margin notes={Rc::clone(&notes)} text={AttrValue::from((*text).clone())} scrolled={*scrolled} {go_to} />
            </div>
            <footer>
                <button type="button" id="add-view" class="go" onclick={add_view}
                    title="Append a step that shows what is on the page now">{ "Add this view as a step" }</button>
                { templates(append) }
                <span class="space"></span>
                <button type="button" id="save-document" onclick={saving(&send, saver(props))}>{ "Save .md"
                    }</button>
                <button type="button" id="link-document" onclick={linking(props, &send)}>{ "Copy a link" }</button>
            </footer>
        </section>
    }
}

/// A handler of the keys that choose among a number of completions, and take the chosen one.
fn choosing_by_keys(
    found: usize,
    chosen: UseStateHandle<usize>,
    written: UseStateSetter<Option<Written>>,
    take: Callback<usize>,
) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        let last = found.checked_sub(1).filter(|_| !event.ctrl_key() && !event.alt_key());
        let Some(last) = last else { return };
        match event.key().as_str() {
            "ArrowDown" => chosen.set(if *chosen < last { *chosen + 1 } else { 0 }),
            "ArrowUp" => chosen.set(chosen.checked_sub(1).unwrap_or(last)),
            "Enter" => take.emit(*chosen),
            "Escape" => written.set(None),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    })
}

/// What appends something to the text, and shows its end.
fn appending(area: &NodeRef, text: &str, change: Callback<String>) -> Callback<String> {
    let (area, text) = (area.clone(), text.trim_end_matches('\n').to_owned());
    Callback::from(move |more: String| {
        let now = format!("{text}\n\n{more}");
        if let Some(area) = area.cast::<HtmlTextAreaElement>() {
            area.set_value(&now);
            let end = now.encode_utf16().count() as u32;
            // It fails for no text area that is in the page.
            let _ = area.set_selection_range(end, end);
            let _ = area.focus();
            area.set_scroll_top(area.scroll_height());
        }
        change.emit(now);
    })
}

/// Steps to begin with, of which the chosen one is appended.
fn templates(append: Callback<String>) -> Html {
    let onchange = Callback::from(move |event: Event| {
        let Some(select) = event.target_dyn_into::<web_sys::HtmlSelectElement>() else { return };
        if let Some((_, step)) = TEMPLATES.iter().find(|(name, _)| *name == select.value()) {
            append.emit(step.trim_start().to_owned());
        }
        select.set_value("");
    });
    html! {
        <select id="writer-template" aria-label="Insert a step" {onchange}>
            <option value="" selected=true>{ "Insert…" }</option>
            { for TEMPLATES.iter().map(|(name, _)| html! { <option value={*name}>{ *name }</option> }) }
        </select>
    }
}

/// What puts the caret at the beginning of a line.
fn going_to(area: &NodeRef) -> Callback<usize> {
    let area = area.clone();
    Callback::from(move |line: usize| {
        let Some(area) = area.cast::<HtmlTextAreaElement>() else { return };
        let text = area.value();
        let before = text.split('\n').take(line.saturating_sub(1));
        let at = before.map(|line| line.encode_utf16().count() + 1).sum::<usize>() as u32;
        let _ = area.focus();
        let _ = area.set_selection_range(at, at);
    })
}

/// What an expression may become that is written in a step of a lesson.
fn offered(written: &Written, lesson: &OpenedLesson, taker: &NoteTaker) -> Vec<Completion> {
    let step = lesson.lesson.steps.iter().rfind(|step| step.line <= written.line);
    let Some((step, facts)) = step.and_then(|step| Some((step, taker.facts(&step.scene)?))) else {
        return Vec::new();
    };
    let policies: Vec<PolicyId> = step.scene.view.policies.iter().copied().collect();
    facts.completions(&written.text, &policies, MAX_OFFERED)
}

/// Reads the lesson again once nothing has been written for a moment, shows it at the step of the line, and keeps it.
#[hook]
fn use_rewriting(props: &WriterProps) -> Callback<(String, usize)> {
    let pending = use_mut_ref(|| None::<Timeout>);
    let kept = use_mut_ref(|| props.lesson.document.clone());
    let (send, lesson) = (use_send(), props.lesson.clone());
    Callback::from(move |(text, line): (String, usize)| {
        let (send, lesson, kept) = (send.clone(), lesson.clone(), kept.clone());
        let read = move || {
            let document = LessonDocument { text, address: None, ..lesson.document.clone() };
            let lesson = Shared::new(OpenedLesson::read(document, lesson.student.clone()));
            let step = lesson.lesson.steps.iter().rposition(|step| step.line <= line).unwrap_or_default();
            send.emit(Action::Guide(Guide::Write(Some((lesson.clone(), step)))));
            let before = kept.replace(lesson.document.clone());
            spawn_local(async move {
                // What Mine says of the last fault is about this one then.
                let _ = library::keep_written(&lesson, &before).await;
            });
        };
        pending.replace(Some(Timeout::new(PAUSE_MS, read)));
    })
}

/// The line, from 1, that a place is in; places count UTF-16 units, as browsers do.
fn line_of(text: &str, at: usize) -> usize {
    let mut units = 0;
    let before = text.chars().take_while(|letter| {
        units += letter.len_utf16();
        units <= at
    });
    1 + before.filter(|letter| *letter == '\n').count()
}

/// Saves the document as a file.
fn saver(props: &WriterProps) -> impl Fn() -> Result<(), wasm_bindgen::JsValue> + 'static {
    let lesson = props.lesson.clone();
    move || {
        let name = format!("{}.md", Document::stem(&lesson.lesson.title));
        save(&name, "text/markdown", &lesson.document.text)
    }
}

/// Copies a link with the document inside.
fn linking(props: &WriterProps, send: &Callback<Action>) -> Callback<MouseEvent> {
    let lesson = props.lesson.clone();
    send.press_task(move || {
        let lesson = lesson.clone();
        async move { copy_document_link(&lesson, 0).await }
    })
}

#[cfg(test)]
mod tests {
    use super::super::margin::Note;
    use super::*;
    use crate::testing::page;
    use fairlane_study::lesson::document;

    #[test]
    fn a_place_is_in_a_line() {
        let text = "a\n😀b\n";
        assert_eq!([0, 1, 2, 4, 5, 6].map(|at| line_of(text, at)), [1, 1, 2, 2, 2, 3]);
    }

    #[test]
    fn a_new_lesson_and_every_template_have_no_mistake() {
        let mut lesson = page("two-users").new_document().text;
        TEMPLATES.iter().for_each(|(_, step)| lesson += step);
        let document = LessonDocument { text: lesson, ..LessonDocument::default() };
        let read = OpenedLesson::read(document, None);
        let notes: Vec<Note> =
            NoteTaker::default().notes(&read.lesson).into_iter().filter(|note| note.is_wrong).collect();
        assert!(notes.is_empty(), "{notes:?}");
        assert!(read.lesson.steps.len() > 4);
        let checked = document::check(&read.lesson, &|_: &str| Err("there are no logs".to_owned()));
        assert!(checked.is_sound(), "every challenge is won by its solution: {:?}", checked.faults);
        let left = checked.faults.iter().filter(|fault| fault.message.contains("is still to be written"));
        assert!(left.count() >= 5, "what is to be replaced is said: {:?}", checked.faults);
        assert_eq!(read.lesson.steps.iter().filter(|step| step.challenge.is_some()).count(), 2);
    }
}
