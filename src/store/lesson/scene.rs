//! What the page shows, as the step of a document writes it.

use crate::store::{Document, DocumentCondition, State, View};
use fairlane_study::lesson::document::TEMPLATE;
use fairlane_view::link::{LessonDocument, Origin, view_text};

/// What is written about a lesson that begins with the page.
const FRONT: &str = "summary: \"TODO: what somebody knows afterwards, in a sentence\"\nminutes: 5";
/// Its text and first step.
const BODY: &str = "TODO: say here what the lesson is about. What its scene shows, every step shows that says nothing else. A step \
    begins with a heading of level two; *Insert…* has more of them.\n\n## What is to be seen\n\nTODO: say what the reader \
    looks at.\n";

impl State {
    /// A lesson to begin with: its first step is the page if the reader has brought something of theirs, else it is an
    /// example.
    pub fn new_document(&self) -> LessonDocument {
        let is_own = !matches!(self.document.origin, Origin::Catalog(_))
            || self.document.condition != DocumentCondition::Pristine;
        let text = match self.document.scenario.name() {
            _ if !is_own => TEMPLATE.to_owned(),
            name => {
                let name =
                    if name.is_empty() || name == Document::BLANK { "A lesson of my own" } else { name };
                // As JSON writes it, which YAML reads.
                let title = serde_json::Value::from(name);
                let (scene, block) = self.scene_of_page("");
                format!("---\ntitle: {title}\n{FRONT}\nscene: {scene}\n---\n\n{BODY}{block}")
            }
        };
        LessonDocument { name: "lesson.md".to_owned(), text, ..LessonDocument::default() }
    }

    /// A step that shows what is on the page now, to be appended to a document of this text. A scenario that is none of
    /// the catalog's follows as a block, unless the document has it.
    pub fn step_of_page(&self, text: &str) -> String {
        let (scene, block) = self.scene_of_page(text);
        format!(
            "## What is to be seen\n<!-- scene: {scene} -->\n\nTODO: say what the reader looks at.\n{block}"
        )
    }

    /// The scene that a step writes for what is on the page now, and the block that it names, if the text has none such.
    fn scene_of_page(&self, text: &str) -> (String, String) {
        let scenario = &self.document.scenario;
        let (source, block) = match &self.document.origin {
            Origin::Catalog(name) if self.document.condition == DocumentCondition::Pristine => {
                (format!("catalog:{name}"), String::new())
            }
            _ => {
                let file = in_few_lines(&self.document.own().to_json());
                let name = (1..).map(|number| format!("scenario-{number}")).find_map(|name| {
                    let block = format!("```json {name}\n{}\n```\n", file.trim_end());
                    if text.contains(&block) {
                        return Some((name, String::new()));
                    }
                    (!text.contains(&format!("```json {name}\n"))).then(|| (name, format!("\n{block}")))
                });
                let (name, block) = name.unwrap_or_default();
                (format!("block:{name}"), block)
            }
        };
        let marks = Some(self.marks()).filter(|marks| !marks.is_empty());
        let view = View { chosen: Default::default(), marks, mode: Default::default(), ..self.view.clone() };
        let names: Vec<&str> = self
            .view
            .chosen
            .iter()
            .filter_map(|job| Some(scenario.jobs().get(job.index())?.name.as_str()))
            .collect();
        let mut scene = format!("{source}{}", view_text(&view));
        if !names.is_empty() && names.iter().all(|name| !name.is_empty() && !name.contains([',', '&'])) {
            scene += &format!("&jobs={}", names.join(","));
        }
        // What the lesson's own scene says and the page does not show is taken away.
        let own = text.split("---").nth(1).unwrap_or_default();
        let own = own.lines().find_map(|line| line.strip_prefix("scene:")).unwrap_or_default();
        let keys =
            own.split('&').filter_map(|part| part.split_once('=')).map(|(key, _)| key.trim().to_owned());
        for key in keys {
            if !scene.contains(&format!("&{key}=")) {
                scene += &format!("&{key}=");
            }
        }
        (scene, block)
    }
}

/// Longest line of a block, so that a job is one.
const WIDTH: usize = 160;

/// JSON that has a line for each value, with a line for each object and list that fits into one: a block that somebody
/// reads past.
fn in_few_lines(json: &str) -> String {
    let lines: Vec<&str> = json.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut text = String::new();
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        let opens = line.ends_with(['{', '[']);
        let end = lines.iter().skip(at + 1).position(|other| indent(other) == indent(line));
        let whole = end.filter(|_| opens).map(|end| at + 1 + end);
        let joined = whole.map(|end| {
            let parts: Vec<&str> = lines[at..=end].iter().map(|line| line.trim()).collect();
            (format!("{}{}", &line[..indent(line)], parts.join(" ")), end)
        });
        match joined.filter(|(joined, _)| joined.len() <= WIDTH) {
            Some((joined, end)) => {
                text += &joined;
                at = end;
            }
            None => text += line,
        }
        text.push('\n');
        at += 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn a_scenario_is_a_block_with_a_line_for_each_job() {
        let scenario = &page("two-users").document.scenario;
        let (long, short) = (scenario.to_json(), in_few_lines(&scenario.to_json()));
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        assert_eq!(value(&short), value(&long));
        assert!(short.lines().all(|line| line.len() <= WIDTH), "{short}");
        let count = short.lines().count();
        assert!(
            count <= scenario.jobs().len() * 2 + 25 && count * 5 < long.lines().count(),
            "{count}: {short}"
        );
    }
}
