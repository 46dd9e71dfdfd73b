//! Handing in: the dialog that saves what a student has done as a file, and the name that draws their own scenario.

use yew::prelude::*;

use crate::browser::storage;
use crate::panels::editors::field::input_text;
use crate::panels::share::export::{save, was_saved};
use crate::results::shared::Shared;
use crate::store::{Action, Document, Guide, LessonProgress, OpenedLesson};
use crate::ui::dialog::Dialog;
use crate::ui::focus::focus;
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, columns, plain_row};
use fairlane::number;
use fairlane_study::lesson::answers::{MAX_NAME, PlainDate};
use fairlane_study::lesson::document::{Lesson, LessonSeed, LessonStep};

/// Key of the name that was handed in with last.
const STUDENT: &str = "fairlane.student";

/// The name that was handed in with last, if this browser remembers one.
pub fn known_name() -> String {
    storage::get(STUDENT).unwrap_or_default()
}

fn remember_name(name: &str) {
    // Without storage it is asked for again.
    let _ = storage::set(STUDENT, name);
}

/// A name as it is written down; `None` if there is none.
fn name_in(text: &str) -> Option<String> {
    let name: String = text.trim().chars().take(MAX_NAME).collect();
    (!name.is_empty()).then_some(name)
}

/// Whether a lesson draws each student's own scenario and does not know yet for whom.
pub fn awaits_name(lesson: &OpenedLesson) -> bool {
    lesson.lesson.seed == LessonSeed::Student && lesson.student.is_none()
}

#[derive(Properties, PartialEq)]
pub struct NameFormProps {
    pub lesson: Shared<OpenedLesson>,
}

/// Asks for the name that draws a student's own scenario.
#[component]
pub fn NameForm(props: &NameFormProps) -> Html {
    let send = use_send();
    let name = use_state_eq(known_name);
    let oninput = {
        let name = name.setter();
        Callback::from(move |event: InputEvent| name.set(input_text(&event).unwrap_or_default()))
    };
    let onsubmit = {
        let (lesson, name) = (props.lesson.clone(), (*name).clone());
        send.on(move |event: SubmitEvent| {
            event.prevent_default();
            let name = name_in(&name)?;
            remember_name(&name);
            let lesson = OpenedLesson::read(lesson.document.clone(), Some(name));
            Some(Action::Guide(Guide::Open(Shared::new(lesson), 0)))
        })
    };
    let is_missing = name_in(&name).is_none();
    html! {
        <form class="student" {onsubmit}>
            <p>{ "Everybody has numbers of their own in this lesson, which are drawn from the name." }</p>
            <label for="lesson-student">{ "Your name" }</label>
            <input id="lesson-student" type="text" autocomplete="name" maxlength={MAX_NAME.to_string()}
                value={(*name).clone()} {oninput} />
            <button type="submit" id="lesson-begin" class="go" disabled={is_missing}>{ "Begin" }</button>
        </form>
    }
}

#[derive(Properties, PartialEq)]
pub struct HandInProps {
    pub lesson: Shared<OpenedLesson>,
    pub progress: LessonProgress,
}

/// A button with the dialog that saves the answers.
#[component]
pub fn HandIn(props: &HandInProps) -> Html {
    let send = use_send::<Action>();
    let open = use_state_eq(|| false);
    let toggle = |opens: bool| {
        let open = open.setter();
        Callback::from(move |()| open.set(opens))
    };
    let asks = props.lesson.lesson.steps.iter().any(is_asked);
    let warns = use_state_eq(|| false);
    let write = send.press(Guide::Write(Some((props.lesson.clone(), 0))));
    // The document has its right answers ticked, which nobody is to see by mistake.
    let edit = match gives_away(&props.lesson, &props.progress) {
        true => {
            let warns = warns.setter();
            Callback::from(move |_: MouseEvent| warns.set(true))
        }
        false => write.clone(),
    };
    html! {
        <div class="hand-in">
            <button type="button" id="lesson-edit" class="link" onclick={edit}
                title="Change the document, with its card and schedules live beside it">{ "Edit" }</button>
            if asks {
            <button type="button" id="lesson-hand-in" onclick={toggle(true).reform(|_: MouseEvent| ())}
                title="Save your answers as a file for your lecturer; nothing is sent">{ "Hand in…" }</button>
            }
            if *warns {
                { warning(&write, &warns.setter()) }
            }
            if *open {
                <Contents lesson={props.lesson.clone()} progress={props.progress.clone()}
                    close={toggle(false)} />
            }
        </div>
    }
}

/// Whether the document says what is right of something that has not been answered.
fn gives_away(lesson: &OpenedLesson, progress: &LessonProgress) -> bool {
    let is_open = |(index, step): (usize, &LessonStep)| {
        step.question.is_some() && !progress.first.contains_key(&index)
            || step.challenge.is_some() && !progress.reached.contains_key(&index)
    };
    lesson.lesson.steps.iter().enumerate().any(is_open)
}

/// Asks before the document is shown.
fn warning(write: &Callback<MouseEvent>, warns: &UseStateSetter<bool>) -> Html {
    let (setter, close) = (warns.clone(), warns.clone());
    let close = Callback::from(move |()| close.set(false));
    let show = {
        let write = write.clone();
        Callback::from(move |event: MouseEvent| {
            setter.set(false);
            write.emit(event);
        })
    };
    html! {
        <Dialog name="show-answers" class="report lesson-offer" title="This shows the answers" first="#show-answers-not"
            opener="#lesson-edit" onclose={close.clone()}>
            <p>{ "The document says which answers are right and how challenges are solved. You have not answered all of \
                  them yet." }</p>
            <div class="buttons">
                <button type="button" id="show-answers-not" class="go" onclick={close.reform(|_: MouseEvent| ())}>{
                    "Answer first" }</button>
                <button type="button" id="show-answers-edit" onclick={show}>{ "Show the document" }</button>
            </div>
        </Dialog>
    }
}

fn is_asked(step: &LessonStep) -> bool {
    step.question.is_some() || step.challenge.is_some()
}

#[derive(Properties, PartialEq)]
struct ContentsProps {
    lesson: Shared<OpenedLesson>,
    progress: LessonProgress,
    close: Callback<()>,
}

#[component]
fn Contents(props: &ContentsProps) -> Html {
    let send = use_send();
    let ContentsProps { lesson, progress, close, .. } = props;
    let name = use_state_eq(|| lesson.student.clone().unwrap_or_else(known_name));
    // The scenario was drawn from it.
    let is_fixed = lesson.lesson.seed == LessonSeed::Student;
    let oninput = {
        let name = name.setter();
        Callback::from(move |event: InputEvent| name.set(input_text(&event).unwrap_or_default()))
    };
    let student = name_in(&name);
    let file = student.as_ref().map(|student| {
        let stem = Document::stem(&format!("{} {student}", lesson.lesson.title));
        (format!("{stem}.json"), student.clone())
    });
    // What was handed in, once it is.
    let saved = use_state_eq(|| None::<String>);
    use_effect_with((*saved).clone(), |saved| {
        if saved.is_some() {
            focus("#hand-in-end");
        }
    });
    let onsubmit = {
        let (lesson, progress, file, send) = (lesson.clone(), progress.clone(), file.clone(), send.clone());
        let saved = saved.setter();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let Some((file, student)) = &file else { return };
            remember_name(student);
            let mut answers = progress.answer_file(&lesson, student);
            answers.handed_in = today();
            if was_saved(&send, save(file, "application/json", &answers.to_json())) {
                saved.set(Some(file.clone()));
            }
        })
    };
    let steps = lesson.lesson.steps.iter().enumerate().filter(|(_, step)| is_asked(step));
    let finish = close.reform(|_: MouseEvent| ());
    html! {
        <Dialog name="hand-in" class="report hand-in-dialog" title={format!("Hand in “{}”", lesson.lesson.title)}
            first={if is_fixed { "#hand-in-save" } else { "#hand-in-name" }} opener="#lesson-hand-in"
            onclose={close.clone()}>
            if let (Some(saved), Some(student)) = (&*saved, &student) {
                <div id="hand-in-done" role="status">
                    <p><b>{ "Saved: " }</b>{ format!("{} of {student}.", handed_in(&lesson.lesson, progress)) }</p>
                    <p>{ "The file is where this browser puts downloads:" }</p>
                    <p class="address"><code>{ saved }</code></p>
                    <p>{ "Now give this file to your lecturer, the way you were asked to, such as by an upload or by mail. \
                          Nothing was sent from here. If you go on and hand in again, give them the new file, too." }</p>
                </div>
                <div class="buttons">
                    <button type="button" id="hand-in-end" class="go" onclick={finish}>{ "Close" }</button>
                </div>
            } else {
            // Enter in the field is a press of the button.
            <form {onsubmit}>
            <p>{ "One file with your answers and what you built. Nothing is sent: give the file to your lecturer." }</p>
            <label for="hand-in-name">{ "Name" }</label>
            <input id="hand-in-name" type="text" autocomplete="name" maxlength={MAX_NAME.to_string()}
                value={(*name).clone()} readonly={is_fixed} {oninput} />
            <Table columns={columns(["step", "done"])}>
                { for steps.map(|(index, step)| plain_row(format!("{} {}", index + 1, step.title),
                    [done(step, index, progress)])) }
            </Table>
            <p class="hint">{ "Your first answer to a question counts. What is right is worked out when it is graded: \
                               every answer is simulated again." }</p>
            <div class="buttons">
                <span class="hint">{ file.as_ref().map_or("Write your name first.", |(file, _)| file) }</span>
                <button type="button" id="hand-in-not-yet" onclick={finish}>{ "Not yet" }</button>
                <button type="submit" id="hand-in-save" class="go" disabled={file.is_none()}>{ "Save the file"
                    }</button>
            </div>
            </form>
            }
        </Dialog>
    }
}

/// What a file holds: `2 of 3 answers and 1 of 1 challenge`.
fn handed_in(lesson: &Lesson, progress: &LessonProgress) -> String {
    let questions = lesson.steps.iter().filter(|step| step.question.is_some()).count();
    let challenges = lesson.steps.iter().filter(|step| step.challenge.is_some()).count();
    let part = |done: usize, all: usize, noun: &str| {
        (all > 0).then(|| format!("{} of {}", done.min(all), number::counted(all, noun)))
    };
    let parts: Vec<String> = [
        part(progress.first.len(), questions, "answer"),
        part(progress.reached.len(), challenges, "challenge"),
    ]
    .into_iter()
    .flatten()
    .collect();
    number::list(&parts)
}

/// What was done in a step.
fn done(step: &LessonStep, index: usize, progress: &LessonProgress) -> String {
    match (&step.challenge, progress.reached.get(&index)) {
        (Some(_), Some(reached)) => {
            format!("reached, {}", number::counted(reached.changes as usize, "change"))
        }
        (Some(_), None) => "not reached".to_owned(),
        (None, _) if progress.first.contains_key(&index) => "answered".to_owned(),
        (None, _) => "not answered".to_owned(),
    }
}

/// The day by the reader's clock.
fn today() -> Option<PlainDate> {
    let now = js_sys::Date::new_0();
    format!("{:04}-{:02}-{:02}", now.get_full_year(), now.get_month() + 1, now.get_date()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::GivenAnswer;
    use fairlane_view::link::LessonDocument;

    #[test]
    fn a_document_is_shown_unasked_once_nothing_is_left_to_answer() {
        let text = "---\ntitle: Mine\n---\n## One\n### Why?\n- [ ] a\n- [x] b\n## Two\nNothing is asked.\n";
        let document = LessonDocument { text: text.to_owned(), ..LessonDocument::default() };
        let lesson = OpenedLesson::read(document, None);
        let mut progress = LessonProgress::default();
        assert!(gives_away(&lesson, &progress));
        assert_eq!(handed_in(&lesson.lesson, &progress), "0 of 1 answer");
        progress.first.insert(0, GivenAnswer::from(0));
        assert!(!gives_away(&lesson, &progress));
        assert_eq!(handed_in(&lesson.lesson, &progress), "1 of 1 answer");
    }
}
