//! The guide: every page has its place, links stay within it, demos are what their attributes say, and the table of
//! policies is the registry's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use fairlane::Scenario;
use fairlane::number;
use fairlane::policy::parameters::{Parameter, ParameterKind, ParameterSet};
use fairlane::policy::{Info, PolicyGroup};
use fairlane_custom::names::{NAMES, Name, Subject};
use fairlane_custom::starters;
use fairlane_study::lesson::document::{self, NoFiles};
use fairlane_study::lesson::{Challenge, StepId, challenges, lessons};
use fairlane_view::link::embed::{DemoPart, Embed};
use fairlane_view::link::{LinkBounds, Session};

use crate::{pages, prose, resolved, root, targets};

/// Set to anything, rewrites the generated page; read the difference before you commit it.
pub const REWRITE: &str = "FAIRLANE_REWRITE_DOCS";

/// The pages of `docs/`, by their paths from the repository's root.
pub fn of_the_guide() -> BTreeMap<PathBuf, String> {
    pages().into_iter().filter(|(path, _)| path.starts_with("docs")).collect()
}

/// The links of a page with their words.
fn links(text: &str) -> Vec<(String, String)> {
    let of_line = |line: &str| -> Option<(String, String)> {
        let (words, target) = line.split_once('[')?.1.split_once("](")?;
        Some((words.to_owned(), target.split_once(')')?.0.to_owned()))
    };
    prose(text).filter_map(of_line).collect()
}

#[test]
fn every_page_has_its_place_in_the_book() {
    let guide = of_the_guide();
    let mut named: Vec<PathBuf> = links(&guide[Path::new("docs/SUMMARY.md")])
        .iter()
        .map(|(_, page)| Path::new("docs").join(page))
        .collect();
    named.push("docs/SUMMARY.md".into());
    named.sort();
    let there: Vec<PathBuf> = guide.into_keys().collect();
    assert_eq!(named, there, "docs/SUMMARY.md names every page once");
}

#[test]
fn lessons_have_a_page_each_in_their_order() {
    let guide = of_the_guide();
    let chapters = links(&guide[Path::new("docs/SUMMARY.md")]);
    let of_lessons = chapters.into_iter().filter(|(_, page)| page.starts_with("lessons/"));
    let expected =
        lessons().iter().map(|lesson| (lesson.title.to_owned(), format!("lessons/{}.md", lesson.id)));
    assert_eq!(of_lessons.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for lesson in lessons() {
        let page = format!("docs/lessons/{}.md", lesson.id);
        let text = &guide[Path::new(&page)];
        assert!(text.starts_with(&format!("# {}\n", lesson.title)), "{page}: the title is the lesson's");
        assert!(text.contains("<fairlane-demo "), "{page} has no demo");
        let link = format!("../../#lesson:{}", lesson.id);
        assert!(text.contains(&link), "{page} does not lead to its lesson, {link}");
    }
}

#[test]
fn the_lesson_that_the_guide_shows_is_sound() {
    let guide = of_the_guide();
    let (_, shown) = guide[Path::new("docs/lessons.md")].split_once("\n```markdown\n").expect("a lesson");
    let (shown, _) = shown.split_once("\n```\n").expect("its end");
    let lesson = document::read(shown, &NoFiles);
    let checked = document::check(&lesson, &|log| Err(format!("{log} is not here")));
    assert_eq!(checked.faults, []);
    assert!(lesson.steps.iter().any(|step| step.question.is_some()), "it asks a question");
}

#[test]
fn challenges_are_listed_in_their_order_with_link_and_par() {
    let text = &of_the_guide()[Path::new("docs/challenges.md")];
    let rows: Vec<&str> = prose(text).filter(|line| line.starts_with("| [")).collect();
    let begins = |Challenge { id, step, .. }: &Challenge| format!("| [{}](../#challenge:{id}) |", step.title);
    assert_eq!(rows.len(), challenges().len());
    for (row, challenge) in rows.iter().zip(challenges()) {
        assert!(row.starts_with(&begins(challenge)), "{row}");
        let score = challenge.par.score;
        let par = row.split('|').nth(3).unwrap_or_default().trim();
        let (value, changes) = par.split_once(", ").expect("a figure and changes");
        let value: f64 = value.trim_end_matches(" s").parse().expect("a figure");
        let counted = number::counted(score.changes as usize, "change");
        assert_eq!((value, changes), (score.value, counted.as_str()), "{row}");
    }
}

/// The lab is the folder around the guide; everything else is in it.
#[test]
fn links_lead_to_pages_of_the_guide_or_to_the_lab() {
    let mut wrong = Vec::new();
    for (page, text) in of_the_guide() {
        for target in targets(&text).into_iter().filter(|target| !target.contains("://")) {
            let path = resolved(&page, target.split('#').next().unwrap_or_default());
            let to_the_lab = path.as_os_str().is_empty();
            let found = match target.split_once('#') {
                Some((_, session)) if to_the_lab => opens(session),
                _ => to_the_lab || path.starts_with("docs") || target.starts_with('#'),
            };
            if !found {
                wrong.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "the built guide has no such page, and the lab no such state:\n{}",
        wrong.join("\n")
    );
}

/// Whether the lab opens what is behind the `#` of a link.
fn opens(session: &str) -> bool {
    match StepId::from_fragment(session) {
        Some(step) => step.is_ok(),
        None => Session::from_text(session, &LinkBounds::LINK).is_ok(),
    }
}

/// The attributes of a tag.
pub fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut attributes = Vec::new();
    let mut rest = tag.trim();
    while !rest.is_empty() {
        let name = rest.split(|c: char| c == '=' || c.is_whitespace()).next().unwrap_or(rest);
        rest = &rest[name.len()..];
        let value = match rest.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').expect("a value ends with a quotation mark").0,
            None => "",
        };
        if !value.is_empty() {
            rest = &rest[value.len() + 3..];
        }
        attributes.push((name, value));
        rest = rest.trim_start();
    }
    attributes
}

#[test]
fn the_page_on_demos_lists_every_part() {
    let parts: Vec<String> = DemoPart::WORDS.iter().map(|(_, word)| format!("`{word}`")).collect();
    let text =
        of_the_guide()[Path::new("docs/embedding.md")].split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = format!("Parts are {}. Charts are ", number::list(&parts));
    assert!(text.contains(&expected), "docs/embedding.md says: {expected}");
}

#[test]
fn the_page_on_programs_lists_every_name_and_runs_what_it_shows() {
    let text = &of_the_guide()[Path::new("docs/custom.md")];
    let row = |name: &Name| {
        let subject = match name.subject {
            Subject::Cluster | Subject::Stage => "",
            Subject::Job => "job.",
            Subject::User => "user.",
        };
        format!("| `{subject}{}` | {} | {} |", name.name, name.unit.text(), name.meaning)
    };
    let expected: Vec<String> = NAMES.iter().map(row).collect();
    let (_, names) = text.split_once("\n## Names\n").expect("a table of names");
    let (names, _) = names.split_once("\n## ").expect("a section after it");
    let listed: Vec<&str> = names.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(listed, expected);

    let uwfq = starters::find("uwfq").expect("a starter").program.trim();
    for (file, kind) in
        [("one-line", "json"), ("parts", "rust,ignore"), ("state", "rust,ignore"), ("uwfq", "")]
    {
        let path = format!("docs/programs/{file}.json");
        assert!(text.contains(&format!("src=\"programs/{file}.json\"")), "{path} has a demo");
        let scenario = fs::read_to_string(root().join(&path)).expect("a scenario");
        let scenario = Scenario::from_json(&scenario).unwrap_or_else(|error| panic!("{path}: {error}"));
        let program = scenario.parameters().get("custom", "program").and_then(|text| text.as_str());
        let program = program.expect("a program");
        match kind {
            "" => assert_eq!(program, uwfq, "{path}"),
            "json" => assert!(text.contains(&format!("\"program\": {program:?}")), "{path}"),
            kind => assert!(text.contains(&format!("```{kind}\n{program}\n```")), "{path}: {program}"),
        }
    }
}

#[test]
fn demos_are_sound() {
    let mut count = 0;
    for (page, text) in of_the_guide() {
        let text: String = prose(&text).map(|line| format!("{line}\n")).collect();
        for demo in text.split("<fairlane-demo").skip(1) {
            count += 1;
            let (tag, inside) = demo.split_once('>').expect("a tag ends");
            let mut query = "?embed".to_owned();
            for (name, value) in attributes(tag) {
                match name {
                    "session" => assert!(opens(value), "{}: the lab cannot open {value}", page.display()),
                    "label" | "style" => assert!(!value.is_empty(), "{}: {name} is empty", page.display()),
                    _ => query += &format!("&{name}={value}"),
                }
            }
            let embed = Embed::from_query(&query);
            assert!(matches!(embed, Ok(Some(_))), "{}: {query}: {embed:?}", page.display());
            for needed in ["label=\"", "style=\"display: block; height: "] {
                assert!(tag.contains(needed), "{}: {tag} needs {needed}…", page.display());
            }
            let (fallback, _) = inside.split_once("</fairlane-demo>").expect("a demo ends");
            for needed in ["<a href=\"", "<img src=\"", " alt=\""] {
                assert!(
                    fallback.contains(needed),
                    "{}: without scripts {tag} needs {needed}…",
                    page.display()
                );
            }
        }
    }
    assert!(count >= lessons().len(), "{count} demos");
}

#[test]
fn the_page_on_demos_lists_every_attribute() {
    let element = fs::read_to_string(root().join("assets/fairlane-demo.js"));
    let element = element.expect("the element");
    let list = |opening: &str| {
        let (list, _) = element.split_once(opening).expect("a list").1.split_once(']').expect("its end");
        list.split(", ").filter_map(|word| Some(word.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()))
    };
    let mut attributes: BTreeSet<String> = list("KEYS = [").chain(list("observedAttributes = [")).collect();
    attributes.insert("loading".to_owned());
    let page = &of_the_guide()[Path::new("docs/embedding.md")];
    let table = page.split_once("| Attribute | Meaning |").expect("the table").1;
    let rows = table.lines().skip(2).map_while(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(rows.map(str::to_owned).collect::<BTreeSet<_>>(), attributes, "docs/embedding.md");
}

#[test]
fn pages_on_packages_begin_with_what_a_reader_pastes() {
    let guide = of_the_guide();
    for page in ["embedding", "javascript", "python"] {
        let text = &guide[Path::new(&format!("docs/{page}.md"))];
        let (_, start) = text.split_once("\n\n").expect("a title");
        assert!(start.starts_with("```"), "docs/{page}.md begins with code");
        let (start, _) = text.split_once("\n## ").expect("sections");
        assert!(
            prose(start).any(|line| line.starts_with("<fairlane-demo ")),
            "docs/{page}.md shows the result"
        );
    }
}

#[test]
fn the_page_of_policies_is_what_the_registry_says() {
    let page = "docs/policies.md";
    let path = root().join(page);
    let shown = fs::read_to_string(&path).expect("the page is there");
    let (introduction, _) = shown.split_once("\n## ").expect("an introduction, then the groups");
    let expected = format!("{}\n{}", introduction.trim_end(), policies());
    if env::var_os(REWRITE).is_some() {
        return fs::write(&path, &expected).expect("a writable page");
    }
    assert!(shown == expected, "{page} is not what the registry says: run this test with {REWRITE}=1");
}

/// Policies by group, each with what it declares of itself.
fn policies() -> String {
    let mut text = String::new();
    for (group, infos) in PolicyGroup::listed() {
        text += &format!("\n## {}\n", group.title());
        text.extend(infos.into_iter().map(policy));
    }
    text
}

/// What a policy declares of itself.
fn policy(info: &Info) -> String {
    let name = if info.name.is_empty() { String::new() } else { format!(" {}.", info.name) };
    let source = if info.source.is_empty() { String::new() } else { format!(" Source: {}.", info.source) };
    let mut text = format!("\n### {}\n\n", info.title);
    text += &wrapped(&format!("`{}`.{name} {}{source}", info.id, info.summary), "");
    text += &wrapped(&format!("\n- Key: {}", info.key.replace('*', "×")), "  ");
    for set in info.parameter_sets() {
        for parameter in set.parameters {
            text += &wrapped(&described(&set, parameter), "  ");
        }
    }
    text
}

fn described(set: &ParameterSet, parameter: &Parameter) -> String {
    let unit = if parameter.unit.is_empty() { String::new() } else { format!(" {}", parameter.unit) };
    let values = match parameter.kind {
        ParameterKind::Number { default, least, most } => format!("{default}{unit}, from {least} to {most}"),
        ParameterKind::Whole { default, least, most } => format!("{default}{unit}, from {least} to {most}"),
        ParameterKind::OptionalNumber { least, most } => format!("none, or from {least} to {most}{unit}"),
        ParameterKind::Seconds { default } => format!("{default} s"),
        ParameterKind::Choice { options } => {
            let words: Vec<String> =
                options.iter().map(|(word, what)| format!("`{word}` ({what})")).collect();
            words.join(" or ")
        }
        ParameterKind::Pools | ParameterKind::Program => "none".to_owned(),
    };
    format!("- `{}.{}`: {} Default: {values}.", set.id, parameter.name, parameter.summary)
}

/// A paragraph or an item of a list in lines of at most 120 characters.
pub fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 120 {
            lines += &format!("{line}\n");
            line = indent.to_owned();
        } else if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    format!("{lines}{line}\n")
}
