//! Documents whole and damaged.

use proptest::prelude::*;

use super::*;
use crate::lesson::LessonFacts;

/// A document of one step.
fn step(body: &str) -> String {
    format!("---\ntitle: A test\nscene: catalog:skew&policies=uwfq&jobs=report\n---\n\n## Step\n{body}\n")
}

fn read_plain(text: &str) -> Lesson {
    read(text, &NoFiles)
}

fn no_log(name: &str) -> Result<LessonFacts, String> {
    Err(format!("the log {name} is not here"))
}

/// What is wrong with a document, as people read it.
fn faults(text: &str) -> Vec<String> {
    let lesson = read_plain(text);
    check(&lesson, &no_log).faults.iter().map(ToString::to_string).collect()
}

/// The only fault of a document.
#[track_caller]
fn fault(text: &str) -> String {
    let faults = faults(text);
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults[0].clone()
}

fn styled(line: usize, style: TextStyle, words: &str) -> StyledText {
    StyledText { style, words: words.to_owned(), line }
}

#[test]
fn the_template_is_a_sound_lesson_with_all_parts() {
    let lesson = read_plain(TEMPLATE);
    let checked = check(&lesson, &no_log);
    let is_left = |fault: &LessonFault| fault.message.contains("is still to be written");
    assert!(checked.faults.iter().all(is_left), "{:?}", checked.faults);
    assert_eq!(checked.faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [3, 8]);
    assert_eq!((lesson.title.as_str(), lesson.minutes, lesson.steps.len()), ("A lesson of my own", 5, 4));
    let [first, second, third, fourth] = lesson.steps.as_slice() else { panic!("four steps") };
    assert_eq!(fourth.challenge.as_ref().map(|challenge| challenge.rules.len()), Some(1));
    assert_eq!(first.targets, [StepTarget::SkewBars]);
    let question = second.question.as_ref().expect("a question");
    let Answers::Options(options) = &question.answers else { panic!("options") };
    assert_eq!(options.iter().map(|option| option.is_right).collect::<Vec<_>>(), [false, true]);
    let reveal = question.reveal.as_ref().expect("a reveal");
    assert_eq!(reveal.scene.playhead().seconds(), 3.0, "the reveal is laid over the step");
    assert_eq!(reveal.scene.chosen, ["report"], "and the step over the lesson");
    let third = third.question.as_ref().expect("a question");
    let figure = "response uwfq-p report".to_owned();
    let number = Answers::Number { figure, tolerance_percent: 10.0, line: 40 };
    assert_eq!(third.answers, number);
    let text = checked.to_text(&lesson);
    assert!(
        text.contains("[x] All but one: 7") && text.contains("1.8\u{a0}s instead of 5.22\u{a0}s"),
        "{text}"
    );
}

#[test]
fn text_is_commonmark_and_figures_may_cross_lines() {
    let text = step(
        "The **job** takes {work\nreport}, `V` *grows*; D_user \\{is\\} a [link](https://example.org/).\n\n\
         1. one\n2. {cores}\n\n| a | b |\n|---|---|\n| x | {cores} |\n\n```\nlet x = {y};\n```\n\n> quoted",
    );
    let lesson = read_plain(&text);
    assert_eq!(lesson.faults().count(), 0);
    let [TextBlock::Text(words), list, table, code, quote] = lesson.steps[0].text.as_slice() else {
        panic!("{:?}", lesson.steps[0].text)
    };
    let expected = [
        styled(7, TextStyle::Plain, "The "),
        styled(7, TextStyle::Strong, "job"),
        styled(7, TextStyle::Plain, " takes "),
        styled(7, TextStyle::Figure, "work report"),
        styled(8, TextStyle::Plain, ", "),
        styled(8, TextStyle::Code, "V"),
        styled(8, TextStyle::Plain, " "),
        styled(8, TextStyle::Emphasis, "grows"),
        styled(8, TextStyle::Plain, "; D_user {is} a "),
        styled(8, TextStyle::Link("https://example.org/".to_owned()), "link"),
        styled(8, TextStyle::Plain, "."),
    ];
    assert_eq!(words.as_slice(), expected);
    assert!(matches!(list, TextBlock::List { first: Some(1), items } if items.len() == 2));
    assert!(matches!(table, TextBlock::Table { head, rows } if head.len() == 2 && rows.len() == 1));
    assert_eq!(*code, TextBlock::Code("let x = {y};\n".to_owned()));
    assert_eq!(*quote, TextBlock::Text(vec![styled(21, TextStyle::Plain, "quoted")]));
}

#[test]
fn raw_html_is_text() {
    let lesson = read_plain(&step("<script>alert(1)</script>\n\nand <b onclick=\"x\">bold</b>"));
    let texts: Vec<String> = lesson.steps[0]
        .text
        .iter()
        .map(|block| {
            let TextBlock::Text(words) = block else { panic!("{block:?}") };
            words.iter().map(|piece| piece.words.as_str()).collect()
        })
        .collect();
    assert_eq!(texts, ["<script>alert(1)</script>", "and <b onclick=\"x\">bold</b>"]);
}

#[test]
fn scenes_are_laid_over_each_other_and_a_key_without_a_value_is_taken_away() {
    let lesson = read_plain(&step("<!-- scene: jobs=&from=1&to=2&atr=0.5&why=uwfq,report · show: queue -->"));
    assert_eq!(lesson.faults().count(), 0);
    let scene = &lesson.steps[0].scene;
    assert_eq!((scene.source.clone(), scene.chosen.len()), (StepSource::Catalog("skew"), 0));
    assert_eq!(scene.atr.map(|atr| atr.seconds()), Some(0.5));
    assert_eq!(scene.why.as_ref().map(|(policy, job)| (policy.to_string(), job.clone())), {
        Some(("uwfq".to_owned(), Some("report".to_owned())))
    });
    assert!(scene.view.window.is_some());
}

#[test]
fn a_scenario_is_a_block_of_the_document_or_a_file_beside_it() {
    struct Beside;
    impl LessonFiles for Beside {
        fn text(&self, name: &str) -> Result<String, String> {
            assert_eq!(name, "mine.json");
            Ok(fairlane::catalog::scenario("catalog:skew").expect("an entry").to_json())
        }
    }
    let scenario = fairlane::catalog::scenario("catalog:two-users").expect("an entry").to_json();
    let text = format!(
        "---\ntitle: A test\nscene: block:busy&policies=fair\n---\n```json busy\n{scenario}\n```\n\
         ## One\n{{response fair ben-1}}\n## Two\n<!-- scene: file:mine.json -->\n{{response fair report}}\n"
    );
    let lesson = read(&text, &Beside);
    assert_eq!(check(&lesson, &no_log).faults, []);
    assert!(lesson.introduction.is_empty(), "the scenario is not read out");
    let found = faults(&text);
    assert!(found.iter().any(|fault| fault.contains("no files are beside this document")), "{found:?}");
    let found = faults(&text.replace("block:busy", "block:idle").replace("file:mine.json", "at=0"));
    assert!(found.iter().all(|fault| fault.contains("```json idle")), "{found:?}");
}

/// Each student has an exercise of the same kind and other numbers, which is theirs wherever it is read.
#[test]
fn a_generator_draws_a_scenario_of_each_student() {
    let generator = r#"{ "format": "fairlane/generator@1", "seed": 3, "groups": [
        { "prefix": "ana", "jobs": 2, "arrivals": "scattered", "sizes": { "exponential": { "mean_s": 9 } } } ],
        "duration_s": 20 }"#;
    let text = format!(
        "---\ntitle: Mine\nseed: student\ndue: 2026-12-01\nscene: block:mine&policies=fair\n---\n\
         ```json mine\n{generator}\n```\n## One\n{{response fair ana1-1}}\n\n### How long?\n\
         - [=] {{mean fair}} ± 5 %\n"
    );
    let of = |student: &str| read_for(&text, &NoFiles, student);
    let scenario = |lesson: &Lesson| lesson.steps[0].scene.scenario().expect("sound").expect("not recorded");
    for lesson in [read_plain(&text), of("Ada"), of("Bob")] {
        assert_eq!(check(&lesson, &no_log).faults, []);
        assert_eq!((lesson.seed, lesson.due.map(|due| due.to_string())), {
            (LessonSeed::Student, Some("2026-12-01".to_owned()))
        });
        assert!(lesson.introduction.is_empty(), "the generator is not read out");
    }
    assert_eq!(scenario(&of("Ada")), scenario(&of(" Ada")));
    assert_ne!(scenario(&of("Ada")), scenario(&of("Bob")));
    assert_ne!(scenario(&of("Ada")), scenario(&read_plain(&text)));
    // Without `seed: student` the generator's own seed holds for everybody.
    let same = text.replace("seed: student\n", "");
    let [ada, bob] = ["Ada", "Bob"].map(|name| scenario(&read_for(&same, &NoFiles, name)));
    assert_eq!(ada, bob);
    let found = faults(&text.replace("\"scattered\"", "\"never\""));
    assert!(found.iter().any(|fault| fault.contains("the generator cannot be read")), "{found:?}");
    let found = faults(&text.replace("\"duration_s\": 20", "\"duration_s\": -1"));
    assert!(found.iter().any(|fault| fault.contains("the generator fails")), "{found:?}");
}

/// What is wrong in a document, and a part of what is said about it.
#[test]
fn faults_name_line_and_remedy() {
    for (body, line, part) in [
        ("{response uwfq nobody}", 7, "there is no such job"),
        ("text\nand {reply uwfq report}", 8, "it is not a known expression"),
        ("one\n\n- two\n- {response uwfq}", 10, "it is written response POLICY JOB"),
        ("A {brace", 7, "never closed"),
        ("<!-- claim: cores = 9 -->", 7, "does not hold: 8 against 9"),
        ("<!-- claim: cores / 8 < 0.95 -->", 7, "does not hold: 1 against 0.95"),
        ("<!-- claim: work report / work report > 1.004 -->", 7, "does not hold: 1 against 1.004"),
        ("<!-- claim: cores -->", 7, "nothing is compared"),
        ("<!-- clam: cores = 8 -->", 7, "write scene, reveal, claim, try, walk, "),
        ("<!-- try: cores = 8 -->", 7, "expected value at line 1"),
        ("<!-- try: [{}] · cores = 8 -->", 7, "a list of edits and claims"),
        ("<!-- try: [] -->", 7, "there is no claim; write a list of edits and claims"),
        ("<!-- try: [{\"RemoveUser\":7}] · cores = 8 -->", 7, "what is to be tried fails"),
        ("<!-- try: [{\"Load\":2}] · cores > cores @ start -->", 7, "does not hold: 8 against 8"),
        ("<!-- scene: att=3 -->", 7, "no key \"att\"; its keys are policies, at"),
        ("<!-- scene: at=x -->", 7, "at=x is not a value"),
        ("<!-- scene: from=2 -->", 7, "needs from= and to="),
        ("<!-- scene: policies=best -->", 7, "no policy \"best\""),
        ("<!-- scene: catalog:skw -->", 7, "skw"),
        ("<!-- scene: http://x -->", 7, "write catalog:NAME"),
        ("<!-- scene: atr=0 -->", 7, "is no task length"),
        ("<!-- scene: why=best -->", 7, "names no policy"),
        ("<!-- scene: why=fair -->", 7, "add it to policies="),
        ("<!-- scene: jobs=nobody -->", 7, "there is no such job"),
        ("<!-- scene: at=1 · show: panel -->", 7, "panel NAME"),
        ("<!-- scene: show: panel fair -->", 7, "shows no panel of \"fair\""),
        ("<!-- scene: show: lane zoe -->", 7, "there is no such user"),
        ("<!-- reveal: at=1 -->", 7, "nothing is revealed without a question"),
        ("<!-- never ends", 7, "the comment does not end"),
        ("### Why?\n", 7, "the question has no answers"),
        ("### Why?\n- [ ] a\n- [ ] b", 8, "no answer is right"),
        ("### Why?\n- [x] a", 8, "nothing to choose"),
        ("### Why?\n- [x] a\n- b", 9, "every answer begins with"),
        ("### Why?\n- [x] a\n- [ ] a", 9, "can be chosen twice"),
        ("### Why?\n- [=] 3", 8, "- [=] {expression} ± 10 %"),
        ("### Why?\n- [=] {cores} ± 1000 %", 8, "- [=] {expression} ± 10 %"),
        ("### Why?\n- [=] {core}", 8, "it is not a known expression"),
        ("### Why?\ntext\n- [x] a\n- [ ] b", 8, "between a question and its answers"),
        ("- [x] a\n- [ ] b", 7, "belong to no question"),
        ("### Why?\n- [x] a\n- [ ] b\n\n### And?\n- [x] a\n- [ ] b", 11, "a step asks one question"),
        ("<!-- walk: nobody -->", 6, "there is no such job"),
        ("<!-- goal: Time: response uwfq report -->", 7, "a goal is words, a figure and its limit"),
        ("<!-- rule: cores = 8 -->", 7, "a rule is words and a claim"),
        ("<!-- par: 1.8 -->", 7, "par is a number"),
        ("<!-- solution: uwfq · {} -->", 7, "a list of edits"),
        ("<!-- solution: best · [] -->", 7, "\"best\" is no policy"),
        ("<!-- challenge: One -->", 7, "is no name of a challenge"),
        ("<!-- challenge: one · alone -->", 7, "is no condition"),
        ("<!-- challenge: one -->", 7, "the challenge has no"),
        ("<!-- demo: step 1 -->", 7, "a live figure is written as"),
        ("<!-- demo: step 1 · edit · height 9 · x -->", 7, "in front of the first step"),
        ("# Title", 7, "a lesson's title is in its front matter"),
        ("There are\nnow 8 cores.", 8, "warning: the number \"8\" is written down"),
    ] {
        let text = step(body);
        let found = faults(&text);
        assert!(
            found.iter().any(|fault| fault.starts_with(&format!("line {line}: ")) && fault.contains(part)),
            "{body}: {found:?}"
        );
        assert_eq!(read_plain(&text).steps.len(), 1, "{body}: the step is there all the same");
    }
}

#[test]
fn faults_of_the_front_matter_name_line_and_remedy() {
    let step = "## Step\ntext\n";
    for (text, line, part) in [
        (step.to_owned(), 1, "no front matter"),
        ("---\ntitle: x\n".to_owned(), 1, "does not end"),
        (format!("---\nsummary: x\n---\n{step}"), 1, "no title"),
        (format!("---\ntitle: x\nauthor: y\n---\n{step}"), 3, "no field \"author\""),
        (format!("---\ntitle: x\nminutes: 0\n---\n{step}"), 3, "from 1 to 600"),
        (format!("---\ntitle: x\nscene: catalog:x\n---\n{step}"), 3, "no such scenario"),
        (format!("---\ntitle: x\nseed: 7\n---\n{step}"), 3, "seed is the word student"),
        (format!("---\ntitle: x\nseed: student\n---\n{step}"), 3, "warning: no scenario is drawn"),
        (format!("---\ntitle: x\ndue: soon\n---\n{step}"), 3, "\"soon\" is no day; write it as 2026-12-01"),
        (format!("---\ntitle: x\nwords\n---\n{step}"), 3, "a key and a value"),
        ("---\ntitle: x\n---\ntext".to_owned(), 1, "has no step"),
        (format!("---\ntitle: x\n---\n### Why?\n{step}"), 4, "a question belongs to a step"),
        (format!("---\ntitle: x\n---\n<!-- claim: cores = 1 -->\n{step}"), 4, "belongs to a step"),
    ] {
        let found = faults(&text);
        assert!(
            found.iter().any(|fault| fault.starts_with(&format!("line {line}: ")) && fault.contains(part)),
            "{text}: {found:?}"
        );
    }
    assert_eq!(faults(&format!("---\r\ntitle: \"x: y\"\r\n---\r\n{step}")), [] as [&str; 0]);
}

#[test]
fn several_faults_are_collected_and_a_wrong_step_does_not_end_the_lesson() {
    let text = step(
        "{nonsense}\n\n<!-- claim: cores = 9 -->\n\n## Good\n\n{cores} cores\n\n## Wrong again\n{more nonsense}",
    );
    let lesson = read_plain(&text);
    let checked = check(&lesson, &no_log);
    assert_eq!((lesson.steps.len(), checked.faults.len(), checked.is_sound()), (3, 3, false));
    assert!(checked.to_text(&lesson).contains("8 cores"));
    let warned = read_plain(&step("8 cores"));
    assert!(check(&warned, &no_log).is_sound(), "a number is a warning");
}

#[test]
fn numbers_of_parts_of_papers_are_names() {
    assert_eq!(faults(&step("Algorithm 1, lines 10 to 19, and Section 3.2; `42`.")), [] as [&str; 0]);
}

#[test]
fn sizes_are_bounded() {
    assert!(fault(&"x".repeat(MAX_BYTES + 1)).contains("divide it"));
    let many = step(&"## Another\ntext\n".repeat(MAX_STEPS + 5));
    let lesson = read_plain(&many);
    assert_eq!(lesson.steps.len(), MAX_STEPS);
    assert!(lesson.faults().any(|fault| fault.message.contains("at most 100 steps")));
    let wrong = step(&"{x}\n\n".repeat(3 * MAX_FAULTS));
    assert_eq!(check(&read_plain(&wrong), &no_log).faults.len(), MAX_FAULTS);
    // Deep nesting takes neither stack nor time.
    let deep = format!("{}x", "> - ".repeat(20_000));
    assert_eq!(read_plain(&step(&deep)).steps.len(), 1);
    let deep = "*".repeat(50_000) + "x" + &"[".repeat(50_000);
    assert_eq!(read_plain(&step(&deep)).steps.len(), 1);
}

/// What a careless editor or a broken transfer puts into documents.
const SCRAPS: [&str; 24] = [
    "---\n",
    "## ",
    "### ",
    "- [ ] ",
    "- [x] ",
    "- [=] ",
    "{",
    "}",
    "{cores}",
    "<!-- ",
    " -->",
    "<!-- scene: ",
    "at=",
    "&",
    "·",
    "show: ",
    "claim: ",
    "\n\n",
    "```json\n",
    "| a |\n|---|\n",
    "\u{0}",
    "ä",
    "<",
    "\\",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Cut, repeated and scrambled documents give lessons with faults, never a panic, and their lines exist.
    #[test]
    fn damaged_documents_are_read_and_checked(
        damages in prop::collection::vec((0.0..1.0f64, 0usize..60, 0usize..SCRAPS.len(), 0u8..3), 1..8),
    ) {
        let mut text: Vec<char> = TEMPLATE.chars().collect();
        for (place, length, scrap, kind) in damages {
            let at = (place * text.len() as f64) as usize;
            let end = (at + length).min(text.len());
            let part: Vec<char> = text[at..end].to_vec();
            match kind {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..at, SCRAPS[scrap].chars())),
                _ => drop(text.splice(at..at, part)),
            }
        }
        let text: String = text.into_iter().collect();
        let lesson = read_plain(&text);
        let checked = check(&lesson, &no_log);
        let last = text.lines().count().max(1) + 1;
        for fault in &checked.faults {
            prop_assert!((1..=last).contains(&fault.line), "{fault} of {last} lines\n{text}");
        }
        let _ = checked.to_text(&lesson);
    }
}

/// A challenge in the scene of the other tests.
const CHALLENGE: &str = "<!-- challenge: half · only cluster, partitioning · changes <= 1 -->
<!-- goal: Response time of report: response $ report <= 0.5 * response uwfq report @ start -->
<!-- rule: All work stays: all-work = all-work @ start -->
<!-- par: 1.8, 1 change -->
<!-- solution: uwfq,uwfq-p · [] -->";

#[test]
fn a_challenge_is_played() {
    let text = step(CHALLENGE);
    let lesson = read_plain(&text);
    assert_eq!(check(&lesson, &no_log).faults, []);
    let challenge = lesson.steps[0].challenge.as_ref().expect("a challenge");
    assert_eq!((challenge.id.as_str(), challenge.most_changes, challenge.rules.len()), ("half", Some(1), 1));
    for (from, to, part) in [
        ("0.5 *", "2 *", "line 8: the goal is reached at the start"),
        ("report <=", "nobody <=", "line 8: the figure \"nobody\" cannot be computed"),
        ("= all-work @", "= all @", "line 9: the figure \"all\" cannot be computed"),
        ("All work stays", "TODO", "line 9: warning: \"TODO\" is still to be written"),
        ("1.8, 1", "1.7, 1", "1 changes; write that as par"),
        ("1.8, 1", "1.9, 1", "write that as par"),
        ("uwfq,uwfq-p ·", "uwfq ·", "line 11: the solution does not reach the goal"),
        ("[]", "[{\"RemoveUser\":7}]", "an edit of the solution fails"),
    ] {
        let found = faults(&text.replace(from, to));
        assert!(found.iter().any(|fault| fault.contains(part)), "{to}: {found:?}");
    }
}

#[test]
fn what_a_template_has_left_is_a_warning_on_its_line() {
    let text =
        step("TODO: say what is to be seen.\n\n### Why?\n- [x] TODO: right\n- [ ] b\n\nBecause\n**TODO**.");
    let found = faults(&text.replace("A test", "TODO: a title"));
    let lines: Vec<&str> = found.iter().filter_map(|fault| fault.split(": warning: ").next()).collect();
    assert_eq!(lines, ["line 2", "line 7", "line 10", "line 14"], "{found:?}");
    assert!(found.iter().all(|fault| fault.ends_with("is still to be written; replace it")), "{found:?}");
}
