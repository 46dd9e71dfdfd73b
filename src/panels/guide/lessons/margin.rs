//! Notes beside the lines of a document that is written: mistakes, and claims that hold.

use std::rc::Rc;

use yew::prelude::*;

use crate::store::of_others;
use fairlane_study::lesson::LessonFacts;
use fairlane_study::lesson::document::{Lesson, LessonScene, Severity, check_step};

/// Scenarios whose figures are kept from one reading to the next.
const MAX_KEPT: usize = 8;

/// A note beside a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The line, from 1.
    pub line: usize,
    /// Whether the lesson says something other than its author means.
    pub is_wrong: bool,
    pub words: String,
}

/// Takes notes of a lesson as it is written. Scenarios that stay keep their schedules.
#[derive(Default)]
pub struct NoteTaker(Vec<(LessonScene, Rc<LessonFacts>)>);

impl NoteTaker {
    /// The notes, in the order of lines.
    pub fn notes(&mut self, lesson: &Lesson) -> Vec<Note> {
        let note = |line, is_wrong, words: &str| Note { line, is_wrong, words: words.to_owned() };
        let of_lesson = lesson.own_faults.iter();
        let mut notes: Vec<Note> = of_lesson
            .map(|fault| note(fault.line, fault.severity == Severity::Error, &fault.message))
            .collect();
        let mut used = Vec::new();
        for (number, step) in (1..).zip(&lesson.steps) {
            let facts = self.facts(&step.scene);
            let faults = match &facts {
                Some(facts) => check_step(lesson, step, facts),
                None => step.faults.clone(),
            };
            let is_faulty = |line: usize| faults.iter().any(|fault| fault.line == line);
            if !is_faulty(step.line) {
                notes.push(note(step.line, false, &format!("step {number}")));
            }
            let right = step.claims.iter().filter(|claim| facts.is_some() && !is_faulty(claim.line));
            notes.extend(right.map(|claim| note(claim.line, false, "✓ holds")));
            notes.extend(
                faults
                    .iter()
                    .map(|fault| note(fault.line, fault.severity == Severity::Error, &fault.message)),
            );
            used.extend(facts.map(|facts| (step.scene.clone(), facts)));
        }
        used.dedup_by(|one, other| one.0.has_scenario_of(&other.0));
        used.truncate(MAX_KEPT);
        self.0 = used;
        notes.sort_by_key(|note| (note.line, !note.is_wrong));
        notes
    }

    /// The facts of a scene; those of a scenario that was there before keep its schedules.
    pub fn facts(&self, scene: &LessonScene) -> Option<Rc<LessonFacts>> {
        let known = self.0.iter().find(|(known, _)| known.has_scenario_of(scene));
        if let Some((_, facts)) = known {
            return Some(Rc::clone(facts));
        }
        let scenario = scene.scenario().ok().flatten()?;
        Some(Rc::new(of_others(scenario)))
    }
}

#[derive(Properties, PartialEq)]
pub struct MarginProps {
    pub notes: Rc<Vec<Note>>,
    /// The document, whose lines are wrapped here as the text area wraps them.
    pub text: AttrValue,
    /// How far the document is scrolled, in pixels.
    pub scrolled: i32,
    /// Leads to a line.
    pub go_to: Callback<usize>,
}

/// The notes, each beside its line, and below them all mistakes in full.
///
/// Lines of a text area have no place that can be asked for, so an unseen copy of them has the notes beside it.
#[component]
pub fn Margin(props: &MarginProps) -> Html {
    let mut notes = props.notes.iter().peekable();
    let line = |(number, line): (usize, &str)| {
        // Mistakes come first.
        let mut beside = None;
        while let Some(note) = notes.next_if(|note| note.line <= number) {
            beside = beside.or(Some(note));
        }
        let note = beside.map(|note| {
            let class = classes!("note", note.is_wrong.then_some("bad"));
            html! { <i {class} title={note.words.clone()} data-line={note.line.to_string()}>{ &note.words }</i> }
        });
        // An empty line is as high as any other.
        let words = if line.is_empty() { "\u{200b}".to_owned() } else { line.to_owned() };
        html! { <li><span>{ words }</span>{ note }</li> }
    };
    let lines: Html = (1..).zip(props.text.split('\n')).map(line).collect();
    let wrong = props.notes.iter().filter(|note| note.is_wrong);
    let listed = |note: &Note| {
        let line = note.line;
        html! {
            <li><button type="button" class="link" onclick={props.go_to.reform(move |_: MouseEvent| line)}>{
                format!("line {line}: {}", note.words) }</button></li>
        }
    };
    html! {
        <>
            <div class="margin" aria-hidden="true"><ul style={format!("translate:0 {}px", -props.scrolled)}>{ lines }</ul></div>
            <ul class="mistakes" id="mistakes" aria-label="Mistakes">{ for wrong.map(listed) }</ul>
        </>
    }
}
