//! What the page shows, as the step of a document writes it.

use crate::store::{DocumentCondition, State, View};
use fairlane_view::link::{Origin, view_text};

impl State {
    /// A step that shows what is on the page now, to be appended to a document of this text. A scenario that is none of
    /// the catalog's follows as a block, unless the document has it.
    pub fn step_of_page(&self, text: &str) -> String {
        let scenario = &self.document.scenario;
        let (source, block) = match &self.document.origin {
            Origin::Catalog(name) if self.document.condition == DocumentCondition::Pristine => {
                (format!("catalog:{name}"), String::new())
            }
            _ => {
                let file = self.document.own().to_json();
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
        format!(
            "## What is to be seen\n<!-- scene: {scene} -->\n\nSay here what the reader looks at.\n{block}"
        )
    }
}
