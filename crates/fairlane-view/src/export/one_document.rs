//! One document with the page and a session: it opens from a file and asks no address for anything.
//!
//! A build of the page has such a document without a session, [`FILE`], beside it (`fairlane-docs`, `one-document`).
//! The command, the page itself and the packages for Python and JavaScript put a session into it.

use crate::link::{LinkBounds, LinkError, Session};

/// The document without a session, in the folder of the page.
pub const FILE: &str = "fairlane.html";

/// The most bytes that such a document may have.
pub const MAX_BYTES: usize = 8 << 20;

/// What stands around the title.
const TITLE: (&str, &str) = ("<title>", "</title>");

/// What stands around the session.
const SESSION: (&str, &str) = ("id=\"fairlane-session\">", "</script>");

/// Why there is no document, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OneDocumentError {
    /// The page's document has no place for a session.
    #[error("{FILE} is not the page of this version; build it with ./fairlane-dev build")]
    Foreign,
    /// The session does not fit.
    #[error("the scenario is too large for one document: its link {0}; take a sample of it")]
    TooLarge(#[from] LinkError),
}

/// The document with this session. `page` is [`FILE`], or a document that was made of it: its session is replaced.
///
/// # Errors
/// [`OneDocumentError`].
pub fn fill(page: &[u8], session: &Session) -> Result<Vec<u8>, OneDocumentError> {
    let text = session.to_text(&LinkBounds::LINK)?;
    let title: String = session.scenario.name().chars().map(entity).collect();
    let titled = replaced(page, TITLE, &format!("{title} &middot; Fairlane"));
    titled.and_then(|page| replaced(&page, SESSION, &text)).ok_or(OneDocumentError::Foreign)
}

/// The document with another text between two marks; none if it has not both.
fn replaced(page: &[u8], (start, end): (&str, &str), by: &str) -> Option<Vec<u8>> {
    let find = |mark: &str, from: usize| {
        let rest = page.get(from..)?;
        rest.windows(mark.len()).position(|part| part == mark.as_bytes()).map(|at| from + at)
    };
    let start = find(start, 0)? + start.len();
    let end = find(end, start)?;
    Some([&page[..start], by.as_bytes(), &page[end..]].concat())
}

/// A letter of a text in HTML, in ASCII: the document is not in UTF-8.
fn entity(letter: char) -> String {
    match letter {
        letter if letter.is_ascii_alphanumeric() || " .,:-_()".contains(letter) => letter.to_string(),
        letter => format!("&#{};", u32::from(letter)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Origin;
    use crate::view::View;
    use fairlane::scenario::Scenario;

    const PAGE: &[u8] =
        b"<title>Fairlane</title><script type=\"text/plain\" id=\"fairlane-session\"></script>\xff<b>";

    fn session(name: &str) -> Session {
        let job = r#"{ "user": "a", "arrival_s": 0, "stages": [{ "tasks_s": [1] }] }"#;
        let text = format!(r#"{{ "format": "fairlane/scenario@1", "name": "{name}", "jobs": [{job}] }}"#);
        let scenario = Scenario::from_json(&text).expect("a scenario");
        Session::new(scenario, Origin::File("</script>".to_owned()), View::default())
    }

    #[test]
    fn a_document_has_one_session_and_may_be_filled_again() {
        let first = fill(PAGE, &session("<Ünder>")).expect("a document");
        let start = b"<title>&#60;&#220;nder&#62; &middot; Fairlane</title><script";
        assert!(first.starts_with(start) && first.ends_with(b"</script>\xff<b>"));
        let text = session("<Ünder>").to_text(&LinkBounds::LINK).expect("a short link");
        assert!(!text.contains('<'), "{text}");
        assert!(
            String::from_utf8_lossy(&first).contains(&format!("id=\"fairlane-session\">{text}</script>"))
        );
        let second = session("Second");
        assert_eq!(fill(&first, &second), fill(PAGE, &second));
    }

    #[test]
    fn another_document_is_refused() {
        for page in ["", "<title>x", "<title></title><script id=\"fairlane-session\">"] {
            assert_eq!(fill(page.as_bytes(), &session("x")), Err(OneDocumentError::Foreign), "{page}");
        }
    }
}
