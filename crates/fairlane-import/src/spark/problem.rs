//! What is wrong with a log, and texts of it short enough for messages.

use super::ImportError;

/// Most characters of what is wrong with a line.
const LONGEST_MESSAGE: usize = 300;

pub(super) fn too_many(what: &str, most: usize) -> String {
    format!("from here on there are more than {most} {what}; split the log")
}

/// A text of the log with at most a hundred characters and no line ends, so that names stay names.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 100;
    let words = text.chars().map(|character| if character.is_control() { ' ' } else { character });
    let mut name: String = words.clone().take(MOST).collect();
    if words.count() > MOST {
        name.push('…');
    }
    name.trim().to_owned()
}

/// The first characters of a text.
pub(super) fn first(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// What is wrong with JSON, without the place. It may quote a text of the log, however long that is.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    first(message.split(" at line ").next().unwrap_or(&message), LONGEST_MESSAGE)
}

/// What is wrong with a line.
pub(super) enum Problem {
    /// It is not the JSON that Spark writes.
    Json(serde_json::Error),
    /// It is correct, but cannot be imported.
    Refused(String),
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Problem {
        Problem::Json(error)
    }
}

impl Problem {
    /// Whether the line may be the first part of a correct one. Bytes that were never written can follow it.
    pub(super) fn may_be_cut(&self) -> bool {
        matches!(self, Problem::Json(error) if error.is_eof() || error.is_syntax())
    }

    pub(super) fn error(&self, place: &str) -> ImportError {
        match self {
            Problem::Json(error) => {
                // Every line is the first of its own text.
                let message = without_place(error);
                let column = error.column();
                ImportError::new(
                    place,
                    format!("is not an event of a Spark event log: {message} (column {column})"),
                )
            }
            Problem::Refused(message) => ImportError::new(place, message.clone()),
        }
    }
}
