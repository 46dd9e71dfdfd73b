//! The expressions that may be meant where somebody has written the beginning of one.

use super::{EXPRESSIONS, Expression, LessonFacts};
use fairlane::ids::JobId;
use fairlane::policy::PolicyId;

/// An expression that may be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The expression, or as much of it as is known: instants are the author's.
    pub text: String,
    /// Its form, as [`EXPRESSIONS`] has it.
    pub form: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Its value; `None` while a part of it is missing.
    pub value: Option<String>,
}

/// Most names of jobs and users that are tried for one place.
const MAX_NAMES: usize = 50;

impl LessonFacts {
    /// What `written`, the beginning of an expression, may become: at most `most`, in the order of [`EXPRESSIONS`]. Of
    /// policies only the given ones are offered, each of which is simulated for the values.
    pub fn completions(&self, written: &str, policies: &[PolicyId], most: usize) -> Vec<Completion> {
        let written = written.trim_start();
        let mut words: Vec<&str> = written.split(' ').collect();
        let partial = words.pop().unwrap_or_default();
        let mut found = Vec::new();
        for expression in EXPRESSIONS {
            let is_meant = match words.split_first() {
                None => expression.name().starts_with(partial),
                Some((&name, behind)) => {
                    expression.name() == name && behind.len() < expression.form.split(' ').count() - 1
                }
            };
            if !is_meant {
                continue;
            }
            let (text, partial) = match words.is_empty() {
                true => (expression.name().to_owned(), None),
                false => (words.join(" "), Some(partial)),
            };
            self.complete(expression, text, partial, policies, most, &mut found);
            if found.len() >= most {
                break;
            }
        }
        found
    }

    /// Adds what the text becomes with all names behind it, the next of which begins with what is written of it.
    fn complete(
        &self,
        expression: &'static Expression,
        text: String,
        partial: Option<&str>,
        policies: &[PolicyId],
        most: usize,
        found: &mut Vec<Completion>,
    ) {
        if found.len() >= most {
            return;
        }
        let Expression { form, meaning, .. } = *expression;
        let next = form.split(' ').nth(text.split(' ').count());
        let names = next.map(|kind| self.names(kind, policies));
        match names {
            Some(Some(names)) => {
                for name in names.into_iter().filter(|name| name.starts_with(partial.unwrap_or_default())) {
                    self.complete(expression, format!("{text} {name}"), None, policies, most, found);
                }
            }
            // An instant or an index: the author writes it, and what has been written of it stays.
            Some(None) => {
                let text = format!("{text} {}", partial.unwrap_or_default());
                let value = self.evaluate(&text).ok();
                found.push(Completion { text, form, meaning, value });
            }
            None => {
                if let Ok(value) = self.evaluate(&text) {
                    found.push(Completion { text, form, meaning, value: Some(value) });
                }
            }
        }
    }

    /// What may stand at a place of that kind; `None` for what has no name. Names with spaces cannot be written.
    fn names(&self, kind: &str, policies: &[PolicyId]) -> Option<Vec<String>> {
        let scenario = self.scenario();
        let can_be_written = |name: &String| !name.is_empty() && !name.contains(char::is_whitespace);
        let names: Vec<String> = match kind {
            "POLICY" => policies.iter().map(PolicyId::to_string).collect(),
            "USER" => {
                let names = scenario.users().iter().map(|user| user.name.clone());
                names.filter(can_be_written).take(MAX_NAMES).collect()
            }
            "JOB" => {
                let labels = (0..scenario.jobs().len() as u32).map(|job| scenario.job_label(JobId(job)));
                labels.filter(can_be_written).take(MAX_NAMES).collect()
            }
            _ => return None,
        };
        Some(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completions(written: &str) -> Vec<(String, Option<String>)> {
        let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
        let policies = ["fair", "uwfq"].map(|name| name.parse().expect("a policy"));
        let found = LessonFacts::new(scenario).completions(written, &policies, 6);
        let plain = |value: String| value.replace('\u{a0}', " ");
        found.into_iter().map(|completion| (completion.text, completion.value.map(plain))).collect()
    }

    #[test]
    fn what_is_written_is_completed_with_present_values() {
        let facts = |text: &str, value: &str| (text.to_owned(), Some(value.to_owned()));
        assert_eq!(completions("mean-of uwfq a"), [facts("mean-of uwfq ana", "7.57 s")]);
        assert_eq!(completions("mean u"), [facts("mean uwfq", "7.12 s")]);
        assert_eq!(completions("core"), [facts("cores", "8")]);
        let both = completions("mean");
        assert!(both.contains(&facts("mean uwfq", "7.12 s")) && both.len() == 6, "{both:?}");
        assert!(both.iter().all(|(text, value)| text.starts_with("mean") && value.is_some()), "{both:?}");
        assert_eq!(completions("ideal ben"), [facts("ideal ben-1", "2.2 s")]);
        assert_eq!(completions("nothing"), []);
        assert_eq!(completions("cores 1"), [], "nothing stands behind it");
        assert_eq!(completions("").len(), 6);
    }

    #[test]
    fn an_instant_is_the_authors() {
        let timed =
            EXPRESSIONS.iter().find(|one| one.form.ends_with("POLICY USER AT")).expect("one with an instant");
        let text = |end: &str| format!("{} uwfq ana {end}", timed.name());
        assert_eq!(completions(&text("")), [(text(""), None)]);
        let [(written, value)] = &completions(&text("1.5"))[..] else { panic!("one is meant") };
        assert!(*written == text("1.5") && value.is_some(), "{value:?}");
    }
}
