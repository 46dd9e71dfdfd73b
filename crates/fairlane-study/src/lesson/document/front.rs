//! The lines between `---` at the top of a document.

use super::check::placeholder_fault;
use super::scene::SceneText;
use super::{LessonFault, LessonSeed};
use crate::lesson::answers::PlainDate;

/// What the front matter says.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) minutes: u32,
    pub(super) scene: SceneText,
    pub(super) seed: LessonSeed,
    /// Line of the seed, for faults about it.
    pub(super) seed_line: usize,
    pub(super) due: Option<PlainDate>,
    /// Line of the scene, for faults about it.
    pub(super) scene_line: usize,
    pub(super) faults: Vec<LessonFault>,
}

/// The text after the front matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<'a> {
    pub(super) text: &'a str,
    /// Line of its beginning in the document.
    pub(super) line: usize,
}

const FENCE: &str = "---";
/// Longest title and summary, in characters.
const MAX_CHARACTERS: usize = 300;
/// Minutes where a document does not say how many.
const USUAL_MINUTES: u32 = 5;

/// Divides a document.
pub(super) fn split(text: &str) -> (Front, Body<'_>) {
    let mut front = Front { minutes: USUAL_MINUTES, scene_line: 1, ..Front::default() };
    let mut lines = text.split_inclusive('\n');
    if lines.next().map(str::trim_end) != Some(FENCE) {
        let message = "the document has no front matter; begin it with a line ---, then title: and scene:, and a line ---";
        front.faults.push(LessonFault::new(1, message));
        return (front, Body { text, line: 1 });
    }
    let mut at = text.find('\n').map_or(text.len(), |end| end + 1);
    for (line, words) in (2..).zip(lines) {
        at += words.len();
        let words = words.trim();
        if words == FENCE {
            front.finish();
            return (front, Body { text: &text[at..], line: line + 1 });
        }
        if !words.is_empty() && !words.starts_with('#') {
            front.field(line, words);
        }
    }
    front.faults.push(LessonFault::new(1, "the front matter does not end; write a line --- behind it"));
    (front, Body { text: "", line: 1 })
}

impl Front {
    fn field(&mut self, line: usize, words: &str) {
        let Some((key, value)) = words.split_once(':') else {
            return self.fault(
                line,
                "a line of the front matter is a key and a value, such as title: Skew".to_owned(),
            );
        };
        let value = unquoted(value.trim());
        match key.trim() {
            "title" => self.title = self.short(line, "title", value),
            "summary" => self.summary = self.short(line, "summary", value),
            "minutes" => match value.parse() {
                Ok(minutes @ 1..=600) => self.minutes = minutes,
                _ => {
                    self.fault(line, "minutes is a whole number from 1 to 600, such as minutes: 5".to_owned())
                }
            },
            "seed" => {
                self.seed_line = line;
                match value {
                    "student" => self.seed = LessonSeed::Student,
                    _ => self
                        .fault(line, "seed is the word student; a fixed seed is in the generator".to_owned()),
                }
            }
            "due" => match value.parse() {
                Ok(due) => self.due = Some(due),
                Err(error) => self.fault(line, error.to_string()),
            },
            "scene" => {
                self.scene_line = line;
                match SceneText::parse(value) {
                    Ok(scene) => self.scene = scene,
                    Err(message) => self.fault(line, message),
                }
            }
            other => {
                let message = format!(
                    "the front matter has no field {other:?}; its fields are title, summary, minutes, \
                     scene, seed and due"
                );
                self.fault(line, message);
            }
        }
    }

    /// Says what is missing.
    fn finish(&mut self) {
        if self.title.is_empty() {
            self.fault(
                1,
                "the lesson has no title; add a line such as title: Skew to the front matter".to_owned(),
            );
        }
    }

    fn short(&mut self, line: usize, field: &str, value: &str) -> String {
        if value.chars().count() > MAX_CHARACTERS {
            self.fault(line, format!("the {field} is longer than {MAX_CHARACTERS} characters; shorten it"));
        }
        self.faults.extend(placeholder_fault(line, value));
        value.chars().take(MAX_CHARACTERS).collect()
    }

    fn fault(&mut self, line: usize, message: String) {
        self.faults.push(LessonFault::new(line, message));
    }
}

/// A value without the quotation marks around it.
fn unquoted(value: &str) -> &str {
    let inside = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}
