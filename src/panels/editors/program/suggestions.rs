//! What may be read where the caret is.

use yew::prelude::*;

use fairlane_custom::names::{NAMES, Name, Subject};

/// Most names that are shown at once.
const MAX_NAMES: usize = 8;

/// Names that continue what is being written.
#[derive(Clone, PartialEq)]
pub struct Suggestions {
    /// Where the word begins, as an index of bytes.
    from: usize,
    /// The names, by index in [`NAMES`].
    names: Vec<usize>,
    chosen: usize,
}

impl Suggestions {
    /// What continues the word before the caret; `None` if nothing does or the word is complete.
    pub fn at(text: &str, caret: usize) -> Option<Suggestions> {
        let before = text.get(..caret)?;
        let line = before.rsplit('\n').next().unwrap_or_default();
        if line.contains("//") || line.matches('"').count() % 2 == 1 {
            return None;
        }
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let from = before
            .rfind(|char| !is_word(char))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let (prefix, word) = before.split_at(from);
        let owner = prefix
            .strip_suffix('.')
            .map(|prefix| prefix.rsplit(|char| !is_word(char)).next().unwrap_or_default());
        let subjects: &[Subject] = match owner {
            None => &[Subject::Cluster, Subject::Stage],
            Some("stage") => &[Subject::Stage],
            Some("job") => &[Subject::Job],
            Some("user") => &[Subject::User],
            Some(_) => return None,
        };
        if word.is_empty() && owner.is_none() {
            return None;
        }
        let fits = |name: &Name| {
            subjects.contains(&name.subject) && name.name.starts_with(word) && name.name != word
        };
        let names: Vec<usize> =
            (0..NAMES.len()).filter(|&index| fits(&NAMES[index])).take(MAX_NAMES).collect();
        (!names.is_empty()).then_some(Suggestions { from, names, chosen: 0 })
    }

    /// Another one chosen.
    pub fn moved(self, by: isize) -> Suggestions {
        let chosen = (self.chosen as isize + by).rem_euclid(self.names.len() as isize) as usize;
        Suggestions { chosen, ..self }
    }

    /// Where the word begins, and what it becomes.
    pub fn chosen(&self) -> (usize, &'static str) {
        (self.from, NAMES[self.names[self.chosen]].name)
    }

    /// The list.
    pub fn shown(&self, accept: &Callback<(usize, &'static str)>) -> Vec<Html> {
        let from = self.from;
        let option = |(place, &index): (usize, &usize)| {
            let Name { name, unit, meaning, .. } = &NAMES[index];
            let name: &'static str = name;
            let accept = accept.clone();
            let onpointerdown = Callback::from(move |event: PointerEvent| {
                // The text area keeps the focus.
                event.prevent_default();
                accept.emit((from, name));
            });
            html! {
                <li role="option" id={format!("suggestion-{name}")} aria-selected={(place == self.chosen).to_string()}
                    {onpointerdown}><b>{ name }</b><i>{ unit.text() }</i>{ *meaning }</li>
            }
        };
        self.names.iter().enumerate().map(option).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&'static str> {
        let suggestions = Suggestions::at(text, text.len());
        suggestions.map_or(Vec::new(), |list| list.names.iter().map(|&index| NAMES[index].name).collect())
    }

    #[test]
    fn suggestions_continue_the_word_at_the_caret() {
        assert_eq!(words("runn"), ["running"]);
        assert_eq!(words("1 / we"), ["weight"]);
        assert_eq!(words("user.m"), ["memory"]);
        assert_eq!(words("stage.user.i"), ["index"]);
        assert!(words("job.").contains(&"unsubmitted"));
        for nothing in ["", "running", "xyz", "// runn", "\"runn", "map.r"] {
            assert!(words(nothing).is_empty(), "{nothing}");
        }
    }
}
