//! What was done in documents, by what they ask: whoever opens one again in this browser goes on where they were, with the
//! answers that they gave first.

use serde::{Deserialize, Serialize};

use crate::browser::storage;
use crate::results::shared::Shared;
use crate::store::{Action, Guide, LessonProgress, OpenedLesson};
use fairlane_study::lesson::answers::Fingerprint;

/// Key of what was done, the newest last.
const KEY: &str = "fairlane.lesson-answers";
/// Most documents that are remembered, each once for every student.
const MAX_DOCUMENTS: usize = 20;

/// What was done in a document.
#[derive(Clone, Deserialize, Serialize)]
struct Remembered {
    /// The fingerprint of what the document asks.
    document: String,
    /// The name with which its scenarios are drawn.
    student: Option<String>,
    progress: LessonProgress,
}

/// Remembers what was done in a document, if something was. If the storage is full it is forgotten; that the page itself
/// is not stored is reported elsewhere.
pub fn remember(lesson: &OpenedLesson, progress: &LessonProgress) {
    if *progress == LessonProgress::default() {
        return;
    }
    let document = Fingerprint::of(&lesson.lesson).to_string();
    let mut all = all();
    all.retain(|known| (&known.document, &known.student) != (&document, &lesson.student));
    all.drain(..(all.len() + 1).saturating_sub(MAX_DOCUMENTS));
    all.push(Remembered { document, student: lesson.student.clone(), progress: progress.clone() });
    let _ = storage::set(KEY, &serde_json::to_string(&all).unwrap_or_default());
}

/// What opens a document at a step, with what was done in it before.
pub fn opening(lesson: Shared<OpenedLesson>, step: usize) -> Vec<Action> {
    let document = Fingerprint::of(&lesson.lesson).to_string();
    // A link for a student is that student's; without a name whoever was here last goes on.
    let is_theirs = |known: &Remembered| lesson.student.is_none() || lesson.student == known.student;
    let known = all().into_iter().rfind(|known| known.document == document && is_theirs(known));
    let Some(Remembered { student, progress, .. }) = known else {
        return vec![Action::Guide(Guide::Open(lesson, step))];
    };
    let lesson = match student == lesson.student {
        true => lesson,
        false => Shared::new(OpenedLesson::read(lesson.document.clone(), student)),
    };
    vec![Action::Guide(Guide::Open(lesson, step)), Action::Guide(Guide::Recall(Box::new(progress)))]
}

/// All that is remembered; nothing of what cannot be read.
fn all() -> Vec<Remembered> {
    storage::get(KEY).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
