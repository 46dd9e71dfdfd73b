use super::*;
use crate::testing::evaluated;
use fairlane::catalog;
use fairlane::metrics::Evaluation;
use fairlane::units::Time;

const RED: Rgb = Rgb(200, 0, 0);
const BLUE: Rgb = Rgb(0, 0, 100);

/// The runs of a scenario under some policies as a picture.
fn picture_of(scenario: &Scenario, policies: &[&str], axis: Option<TimeAxis>, width: u32) -> String {
    drawn(scenario, policies, axis, width, SvgTasks::WithFacts)
}

fn drawn(
    scenario: &Scenario,
    policies: &[&str],
    axis: Option<TimeAxis>,
    width: u32,
    tasks: SvgTasks,
) -> String {
    let runs: Vec<(Evaluation, CoreIndex)> = policies
        .iter()
        .map(|policy| {
            let run = evaluated(scenario, policy);
            let index = CoreIndex::new(&run.trace);
            (run, index)
        })
        .collect();
    let caption = || "mean response 1 s".to_owned();
    let charts: Vec<SvgChart> =
        runs.iter().map(|(run, index)| SvgChart { run, index, caption: caption() }).collect();
    let users = [[RED; 2], [BLUE; 2], [BLUE; 2]];
    let grey = Rgb(128, 128, 128);
    let colours = SvgColours {
        background: Rgb(255, 255, 255),
        row: Rgb(238, 238, 238),
        grid: grey,
        text: Rgb(0, 0, 0),
        dim: grey,
        users: &users,
    };
    let end = runs.iter().map(|(run, _)| run.trace.end()).max().unwrap_or_default();
    let axis = axis.unwrap_or_else(|| TimeAxis::whole(end));
    svg(&Picture { scenario, axis, width, charts: &charts, colours: &colours, tasks })
}

fn parse(svg: &str) -> roxmltree::Document<'_> {
    roxmltree::Document::parse(svg).expect("a well-formed picture")
}

#[test]
fn every_task_of_a_small_schedule_has_its_rectangle_and_its_facts() {
    let scenario = catalog::find("priority-inversion").expect("an entry").scenario();
    let svg = picture_of(&scenario, &["fair", "uwfq-p"], None, 1000);
    let document = parse(&svg);
    let root = document.root_element();
    assert_eq!((root.tag_name().name(), root.attribute("width")), ("svg", Some("1112")));
    for policy in ["fair", "uwfq-p"] {
        let id = format!("panel-{policy}");
        let panel = document.descendants().find(|node| node.attribute("id") == Some(&id)).expect("a panel");
        let tasks = panel.descendants().filter(|node| node.has_tag_name("title")).count();
        let trace = fairlane::simulate(&scenario, policy.parse().expect("a policy"));
        assert_eq!(tasks, trace.tasks.len());
    }
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    assert!(texts.contains(&"Priority inversion"));
    assert!(texts.contains(&"ana") && texts.contains(&"ben") && texts.contains(&"executor 1"));
    let facts = "nightly of ana, stage scan, task 0: core 0, 0 s to 6.01 s, 6.01 s";
    assert!(texts.contains(&facts), "{texts:?}");
}

#[test]
fn merged_tasks_cover_what_tasks_with_facts_cover_in_a_tenth_of_the_bytes() {
    let scenario = catalog::find("paper-scenario-1").expect("an entry").scenario();
    let [facts, merged] =
        [SvgTasks::WithFacts, SvgTasks::Merged].map(|tasks| drawn(&scenario, &["uwfq"], None, 800, tasks));
    assert!(merged.len() * 8 < facts.len(), "{} of {} bytes", merged.len(), facts.len());
    let colours = ["#c80000", "#000064"];
    let documents = [parse(&facts), parse(&merged)];
    let single = |colour| {
        let rects = documents[0].descendants().filter(|node| node.first_element_child().is_some());
        let rects = rects.filter(|node| node.attribute("fill") == Some(colour));
        rects
            .map(|node| node.attribute("width").and_then(|width| width.parse::<f64>().ok()).expect("a width"))
            .sum()
    };
    let path = |colour| {
        let paths = documents[1].descendants().filter(|node| node.attribute("stroke") == Some(colour));
        let lines = paths.flat_map(|node| node.attribute("d").expect("a path").split('h').skip(1));
        lines
            .map(|line| line.split('M').next().and_then(|width| width.parse::<f64>().ok()).expect("a width"))
            .sum()
    };
    for colour in colours {
        let (one, other): (f64, f64) = (single(colour), path(colour));
        assert!(one > 100.0 && (one - other).abs() < 0.01 * one, "{colour}: {one} and {other}");
    }
}

#[test]
fn names_cannot_break_the_picture() {
    let text = r#"{"format":"fairlane/scenario@1","name":"<script>&\"'\u0000\u001b]]>","jobs":[
        {"user":"</title><b>","name":"a&b","arrival_s":0,"stages":[{"name":"\"x\"","tasks_s":[1]}]}]}"#;
    let scenario = Scenario::from_json(text).expect("a good scenario");
    let svg = picture_of(&scenario, &["fair"], None, 100);
    let document = parse(&svg);
    assert!(document.descendants().all(|node| !node.has_tag_name("script") && !node.has_tag_name("b")));
    let title = document.root_element().first_element_child().expect("a title");
    assert_eq!(title.text(), Some("<script>&\"'\u{fffd}\u{fffd}]]>"));
}

#[test]
fn tasks_narrower_than_a_pixel_are_mixed_by_the_time_they_take() {
    // One core: red from 0 to 0.25 s, blue from 0.5 to 0.75 s, at a second a pixel.
    let job = |user: &str, arrival: f64| {
        format!(r#"{{"user":"{user}","arrival_s":{arrival},"stages":[{{"tasks_s":[0.25]}}]}}"#)
    };
    let text = format!(
        r#"{{"format":"fairlane/scenario@1","cluster":{{"cores_per_executor":1}},"jobs":[{},{}]}}"#,
        job("a", 0.0),
        job("b", 0.5)
    );
    let scenario = Scenario::from_json(&text).expect("a good scenario");
    let axis = TimeAxis { from: Time(0), to: Time(4_000_000) };
    let svg = picture_of(&scenario, &["fair"], Some(axis), 4);
    assert!(svg.contains(r##"width="1" height="18" fill="#640032" fill-opacity="0.5"/>"##), "{svg}");
    assert!(!svg.contains("task 0"), "{svg}");
}

#[test]
fn a_crowded_picture_stays_small() {
    let scenario = catalog::find("paper-scenario-1").expect("an entry").scenario();
    let svg = picture_of(&scenario, &["uwfq-p"], None, 1200);
    parse(&svg);
    let rects = svg.matches("<rect").count();
    // 32 rows of 1200 columns, at most one rectangle each.
    assert!(rects < 32 * 1200, "{rects}");
    assert!(svg.len() < 4 << 20, "{} bytes", svg.len());
}

#[test]
fn a_window_shows_only_what_it_shows() {
    let scenario = catalog::find("skew").expect("an entry").scenario();
    let axis = TimeAxis { from: Time(500_000), to: Time(900_000) };
    let svg = picture_of(&scenario, &["uwfq"], Some(axis), 400);
    let document = parse(&svg);
    for rect in document.descendants().filter(|node| node.has_tag_name("rect") && node.has_children()) {
        let number = |key| rect.attribute(key).and_then(|text| text.parse::<f64>().ok()).expect("a number");
        let (left, right) = (number("x"), number("x") + number("width"));
        assert!(left >= layout::GUTTER && right <= layout::GUTTER + 400.0, "{left} to {right}");
    }
}

/// Two executors of one core: the memory of each is below its core, half of it in use for the first two seconds;
/// ben's task ends at its deadline with a cross.
#[test]
fn memory_and_killed_tasks_are_in_the_picture() {
    let scenario = Scenario::from_json(
        r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 2, "cores_per_executor": 1, "memory_mb_per_executor": 1000 }, "jobs": [
            { "user": "ana", "arrival_s": 0, "deadline_s": 9, "stages": [{ "tasks_s": [2], "memory_mb": 500 }] },
            { "user": "ben", "arrival_s": 0, "deadline_s": 1, "stages": [{ "tasks_s": [4], "memory_mb": 1000 }] } ] }"#,
    )
    .expect("a good scenario");
    let axis = TimeAxis { from: Time(0), to: Time(4_000_000) };
    let svg = picture_of(&scenario, &["reactive-fs"], Some(axis), 400);
    let document = parse(&svg);
    let titled = |words: &str| {
        let title =
            document.descendants().find(|node| node.has_tag_name("title") && node.text() == Some(words));
        title.and_then(|title| title.parent()).expect("a titled rectangle")
    };
    let number = |node: roxmltree::Node, name: &str| -> f64 {
        node.attribute(name).expect("it").parse().expect("a number")
    };
    let first = titled("memory of executor 0: at most 500 of 1000 MB in use");
    titled("memory of executor 1: at most 1000 of 1000 MB in use");
    let used = first.next_siblings().filter(|node| node.has_tag_name("rect")).nth(1).expect("what is in use");
    assert_eq!((number(used, "width"), number(used, "height")), (200.0, number(first, "height") / 2.0));
    let crosses = document.descendants().filter(|node| node.attribute("stroke-width") == Some("1.5")).count();
    assert_eq!(crosses, 1);
}
