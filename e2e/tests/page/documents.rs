//! Lessons that somebody else has written: dropped, chosen, linked, embedded; their questions and their mistakes.

use e2e::{Answer, Key, Lab, Look, Site, json};
use fairlane_study::lesson::answers::{AnswerFile, Fingerprint, GivenAnswer};
use fairlane_study::lesson::document::{self, NoFiles, TEMPLATE};
use fairlane_view::link::{LessonDocument, LessonLink, LessonLinkSource};

use crate::axe;
use crate::steps::{self, Files, READY};

/// Three steps: several right options, a number, and a scenario beside the document.
const MINE: &str = "---\ntitle: My own lesson\nscene: catalog:skew&policies=uwfq&jobs=report\n---\n\n\
    ## Several\n<!-- show: panel uwfq -->\n\nIt takes {response uwfq report}. <b onclick=\"alert(1)\">no markup</b>\n\n\
    ### Which?\n- [ ] none\n- [x] the first\n- [x] the second\n\nBoth, of course.\n\n\
    ## A number\n\n### How long?\n- [=] {response uwfq report} ± 10 %\n\nThat long.\n\n\
    ## Beside\n<!-- scene: file:scenarios/busy.json&policies=fifo&jobs= -->\n\n{makespan fifo} in all.\n\n\
    ## Wrong\n<!-- scene: at=1 -->\n\n{response uwfq nowhere} and {cores} cores.\n";

const BUSY: &str = r#"{"format":"fairlane/scenario@1","name":"A busy hour","jobs":[
    {"user":"a","name":"x","arrival_s":0,"stages":[{"work_s":4}]}]}"#;

/// A scenario with a program of its own.
const PROGRAM: &str = "---\ntitle: A program\nscene: block:own&policies=custom,fifo\n---\n## One\n\n\
    {response custom x} against {response fifo x}.\n\n```json own\n{\"format\":\"fairlane/scenario@1\",\"name\":\"own\",\
    \"policies\":{\"custom\":{\"program\":\"job.estimate\"}},\"jobs\":[{\"user\":\"a\",\"name\":\"x\",\"arrival_s\":0,\
    \"stages\":[{\"work_s\":4}]}]}\n```\n";

/// A question on a scenario that is drawn from each student's name.
const HOMEWORK: &str = "---\ntitle: Homework\nseed: student\nscene: catalog:paf-suite&policies=uwfq\n---\n\
    ## Ask\n\n### How long?\n- [=] {makespan uwfq} ± 10 %\n";

#[track_caller]
fn arrived(lab: &Lab, step: usize) {
    lab.wait_for(&format!("#lesson[data-place='document/{step}']"));
    lab.wait_until(READY);
}

#[track_caller]
fn press(lab: &Lab, css: &str) {
    lab.wait_for(css);
    lab.eval(&format!("document.querySelector({}).click()", json!(css)));
}

#[track_caller]
fn accessible(lab: &Lab, at: &str) {
    axe::inject(lab);
    assert_eq!(axe::violations(lab, at), Vec::<String>::new());
}

/// Opens the lesson with the scenario beside it, as they are chosen together.
#[track_caller]
fn open_mine(lab: &Lab) {
    let files = Files::new();
    let together = [files.write("mine.md", MINE), files.write("busy.json", BUSY)];
    lab.upload_all("#file", together);
    arrived(lab, 1);
}

#[test]
fn a_document_that_is_opened_is_a_lesson_with_its_card() {
    let site = Site::dist();
    for look in [Look::DESK, Look::PHONE] {
        let lab = steps::open_as(&site, look, "two-users");
        open_mine(&lab);
        assert!(lab.text("#lesson header").contains("My own lesson"));
        assert!(lab.text("#lesson .lesson-body").contains("<b onclick=\"alert(1)\">"), "HTML is text");
        assert_eq!(lab.count("#lesson [onclick]"), 0);
        assert_eq!(steps::panels(&lab), ["uwfq"]);
        accessible(&lab, "a document");
        // Two are right: one alone is not.
        press(&lab, "[data-option='1']");
        lab.wait_for("[data-option='1'][aria-checked='true']");
        press(&lab, "#lesson-check");
        lab.wait_until("document.querySelector('#lesson-answer').textContent.includes('Not quite')");
        press(&lab, "[data-option='2']");
        lab.wait_until("!document.querySelector('#lesson-check').disabled");
        press(&lab, "#lesson-check");
        lab.wait_until("document.querySelector('#lesson-answer').textContent.includes('Right. ')");
        press(&lab, "#lesson-next");
        arrived(&lab, 2);
        press(&lab, "#lesson-next");
        arrived(&lab, 3);
        assert_eq!(steps::panels(&lab), ["fifo"]);
        assert!(lab.text("#lesson .lesson-body").contains("in all"));
        press(&lab, "#lesson-next");
        arrived(&lab, 4);
        let wrong = lab.text("#lesson-faults");
        assert!(wrong.contains("line 33") && wrong.contains("nowhere"), "{wrong}");
        assert!(lab.text("#lesson .figure:not(.unknown)").contains('8'), "the rest of the step works");
        assert_eq!(lab.eval("document.documentElement.scrollWidth <= innerWidth"), json!(true));
        press(&lab, "#lesson-next");
        press(&lab, "#lesson-return");
        lab.wait_until("document.querySelector('#title').value.startsWith('Two users')");
        assert_eq!(lab.console_errors(), Vec::<String>::new());
    }
}

/// Whoever opens the lecturer's link once more goes on with the answer that was given first.
#[test]
fn a_document_that_is_opened_again_has_what_was_done_in_it() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    open_mine(&lab);
    press(&lab, "[data-option='1']");
    lab.wait_for("[data-option='1'][aria-checked='true']");
    press(&lab, "#lesson-check");
    let answered = "document.querySelector('#lesson-answer')?.textContent.includes('Not quite')";
    lab.wait_until(answered);
    let document = LessonDocument {
        name: "mine.md".to_owned(),
        text: MINE.to_owned(),
        files: [("busy.json".to_owned(), BUSY.to_owned())].into(),
        address: None,
    };
    let link = LessonLink { source: LessonLinkSource::Document(document), step: 0, student: None };
    let fragment = link.to_fragment().expect("a short lesson");
    lab.goto("#catalog:two-users");
    lab.wait_until(READY);
    lab.goto(&format!("#{fragment}"));
    arrived(&lab, 1);
    lab.wait_until(answered);
    // In a lesson the link that is shared leads to the lesson.
    lab.eval("document.querySelector('#share').click()");
    lab.wait_until("document.querySelector('.toast p')?.textContent.includes('#document1:')");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_number_is_typed_with_the_keyboard_and_right_within_its_tolerance() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    open_mine(&lab);
    press(&lab, "#lesson-next");
    arrived(&lab, 2);
    let field = "#lesson-number";
    assert_eq!(lab.text("#lesson-unit"), "s");
    lab.keys(field, format!("soon{}", Key::Return));
    lab.wait_for("#lesson-number-fault");
    assert_eq!(lab.eval("document.querySelector('#lesson-number').ariaInvalid"), json!("true"));
    assert_eq!(lab.count("#lesson-answer p"), 0, "what is no number is no answer");
    let right = fairlane::simulate(&steps::native("skew"), steps::policy("uwfq"));
    let right = right.jobs[0].finish().expect("it ends").seconds();
    for (number, verdict) in [(right * 1.2, "Not quite"), (right * 1.05, "Right. ")] {
        lab.eval("document.querySelector('#lesson-number').select()");
        lab.keys(field, format!("{number:.2} s{}", Key::Return));
        lab.wait_until(&format!(
            "document.querySelector('#lesson-answer').textContent.includes('{verdict}')"
        ));
    }
    accessible(&lab, "a number");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_document_is_kept_under_mine_and_continues_after_a_reload() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    open_mine(&lab);
    press(&lab, "#lesson-next");
    arrived(&lab, 2);
    lab.eval("new Promise(done => setTimeout(done, 900))");
    lab.reload();
    arrived(&lab, 2);
    press(&lab, "#lesson-close");
    press(&lab, "#lesson-return");
    lab.wait_until("document.querySelector('#lesson') === null");
    steps::click(&lab, "#my-scenarios");
    lab.wait_until("document.querySelector('#mine .kept')?.textContent.includes('My own lesson')");
    press(&lab, "#mine .kept");
    arrived(&lab, 1);
    press(&lab, "#lesson-next");
    arrived(&lab, 2);
    press(&lab, "#lesson-next");
    arrived(&lab, 3);
    assert_eq!(lab.count("#lesson-faults"), 0, "the scenario beside it is kept, too");
}

#[test]
fn a_link_contains_the_document_and_a_damaged_one_says_so() {
    let site = Site::dist();
    let document =
        LessonDocument { name: "mine.md".to_owned(), text: MINE.to_owned(), ..LessonDocument::default() };
    let link = LessonLink { source: LessonLinkSource::Document(document), step: 1, student: None };
    let fragment = link.to_fragment().expect("a short link");
    let lab = Lab::open_as(&site, Look::DESK, &format!("#{fragment}"));
    arrived(&lab, 2);
    assert!(!lab.address().contains('#'), "{}", lab.address());
    press(&lab, "#lesson-link");
    lab.wait_until("document.querySelector('.toast')?.textContent.includes('#document1:')");
    lab.goto(&format!("#{}", &fragment[..fragment.len() - 20]));
    lab.wait_until("document.querySelector('[role=alert]')?.textContent.includes('The link is')");
}

/// A document on another server is loaded once the reader says so, with the scenario beside it.
#[test]
fn an_address_elsewhere_is_asked_about_first() {
    let site = Site::dist();
    let elsewhere = Site::dist();
    elsewhere.answer("/lessons/mine.md", Answer::html(MINE).for_everybody());
    elsewhere.answer("/lessons/scenarios/busy.json", Answer::json(BUSY).for_everybody());
    let address = elsewhere.url("lessons/mine.md");
    let lab = Lab::open_as(&site, Look::DESK, &format!("#lesson={address}&step=3"));
    lab.wait_for("#lesson-offer-dialog[open]");
    assert!(lab.text("#lesson-offer-dialog .address").contains(&address));
    accessible(&lab, "the question");
    lab.eval("new Promise(done => setTimeout(done, 300))");
    assert_eq!(lab.count("#lesson"), 0, "nothing is loaded unasked");
    press(&lab, "#lesson-accept");
    arrived(&lab, 3);
    assert_eq!(lab.count("#lesson-faults"), 0, "with the scenario beside it");
    drop(lab);
    // Refused, nothing is loaded; and what is not there is said.
    let lab = Lab::open_as(&site, Look::PHONE, &format!("#lesson={address}"));
    press(&lab, "#lesson-refuse");
    lab.wait_until("document.querySelector('#lesson-offer-dialog') === null");
    assert_eq!(lab.count("#lesson"), 0);
    lab.goto(&format!("#lesson={}", elsewhere.url("lessons/none.md")));
    press(&lab, "#lesson-accept");
    let notice = lab.text("[role=alert]");
    assert!(notice.contains("was not opened"), "{notice}");
}

#[test]
fn a_program_of_a_document_asks_before_it_runs() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let files = Files::new();
    lab.upload("#file", files.write("program.md", PROGRAM));
    lab.wait_for("#lesson[data-place='document/1']");
    lab.wait_until("document.querySelector('#lesson-faults')?.textContent.includes('press Run it')");
    assert_eq!(lab.count("#panel-custom[data-state=done]"), 0);
    press(&lab, "#panel-custom .ask button");
    lab.wait_for("#panel-custom[data-state=done]");
    lab.wait_until("document.querySelector('#lesson-faults') === null");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn whatever_is_opened_as_a_document_is_said_in_its_place() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let files = Files::new();
    for (name, text) in
        [("empty.md", ""), ("notes.md", "# Notes\n\nNo lesson.\n"), ("cut.md", &TEMPLATE[..40])]
    {
        lab.upload("#file", files.write(name, text));
        lab.wait_for("#lesson-faults");
        assert!(lab.text("#lesson-faults").contains("line 1"), "{name}: {}", lab.text("#lesson-faults"));
        press(&lab, "#lesson-close");
        press(&lab, "#lesson-return");
        lab.wait_until("document.querySelector('#lesson') === null");
    }
    lab.upload_all("#file", [files.write("a.md", MINE), files.write("b.md", MINE)]);
    assert!(lab.text("[role=alert]").contains("one lesson at a time"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Each student's numbers are their own; what was done is saved as a file, also after a reload.
#[test]
fn a_student_hands_in_a_file_that_can_be_graded() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let files = Files::new();
    lab.upload("#file", files.write("homework.md", HOMEWORK));
    lab.wait_for("#lesson-student");
    assert!(lab.eval("document.querySelector('#lesson-begin').disabled").as_bool().unwrap_or_default());
    lab.keys("#lesson-student", format!("Ada Ünal{}", Key::Return));
    lab.wait_for("#lesson-number");
    lab.wait_until(READY);
    for number in ["1.5", "2"] {
        lab.eval("document.querySelector('#lesson-number').select()");
        lab.keys("#lesson-number", format!("{number}{}", Key::Return));
        lab.wait_until(&format!("document.querySelector('#lesson-number').value === '{number}'"));
    }
    lab.eval("new Promise(done => setTimeout(done, 900))");
    lab.reload();
    lab.wait_for("#lesson-hand-in");
    lab.wait_until(READY);
    press(&lab, "#lesson-hand-in");
    lab.wait_for("#hand-in-dialog[open]");
    accessible(&lab, "handing in");
    assert!(lab.text("#hand-in-dialog table").contains("answered"));
    // Enter is a press of the button, and what was handed in is said.
    lab.eval("document.querySelector('#hand-in-name').focus()");
    lab.press(Key::Return);
    let file = lab.download("homework-ada-ünal.json");
    lab.wait_for("#hand-in-done");
    assert!(lab.text("#hand-in-done").contains("1 of 1 answer of Ada Ünal"), "{}", lab.text("#hand-in-done"));
    assert!(lab.text("#hand-in-done").contains("homework-ada-ünal.json"));
    accessible(&lab, "handed in");
    press(&lab, "#hand-in-end");
    lab.wait_until("document.querySelector('#hand-in-dialog') === null");
    let file = AnswerFile::from_json(&String::from_utf8(file).expect("text")).expect("an answer file");
    assert_eq!((file.student.as_str(), file.answers.len()), ("Ada Ünal", 1));
    assert_eq!(file.answers[0].answer, GivenAnswer::Number(1.5), "the first answer counts");
    assert_eq!(file.document, Fingerprint::of(&document::read(HOMEWORK, &NoFiles)));
    assert!(file.handed_in.is_some());
    lab.look(Look::PHONE);
    press(&lab, "#lesson-hand-in");
    lab.wait_for("#hand-in-dialog[open]");
    let cut = "(() => { const r = document.querySelector('#hand-in-dialog').getBoundingClientRect(); \
        return r.left >= 0 && r.right <= innerWidth; })()";
    assert_eq!(lab.eval(cut), json!(true), "nothing is cut");
}

/// A lesson is written: the card follows, a mistake is said beside its line, and the view becomes a step.
#[test]
fn a_lesson_is_written_on_the_page_and_kept() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::click(&lab, "#lessons > summary");
    press(&lab, "#write-lesson");
    lab.wait_for("#document");
    arrived(&lab, 1);
    assert!(lab.text("#writer-state").contains("no mistake"), "{}", lab.text("#mistakes"));
    accessible(&lab, "writing");
    lab.eval("document.querySelector('#document').focus()");
    let more = json!("\n## Mine\n\n{response uwfq nowhere}\n");
    lab.eval(&format!(
        "(() => {{ const a = document.querySelector('#document'); a.value += {more}; \
         a.setSelectionRange(a.value.length, a.value.length); \
         a.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    ));
    lab.wait_until("document.querySelector('#mistakes')?.textContent.includes('nowhere')");
    lab.wait_until("document.querySelector('#lesson-title')?.textContent === 'Mine'");
    assert_eq!(lab.eval("document.activeElement.id"), json!("document"), "the focus stays");
    // Lines wrap, and a note is right of its line.
    let note = "(() => { const a = document.querySelector('#document'), note = document.querySelector('.note.bad'); \
        return a.scrollWidth <= a.clientWidth \
            && note.getBoundingClientRect().left >= a.getBoundingClientRect().right - 1; })()";
    lab.wait_until(note);
    // An expression is completed with its present value, and its brace is closed.
    lab.keys("#document", "It takes {makespan");
    lab.wait_for("#completion-0");
    let first = lab.text("#completion-0");
    assert!(first.starts_with("makespan uwfq") && first.contains("\u{a0}s"), "{first}");
    accessible(&lab, "completing");
    lab.keys("#document", format!("{}{}", Key::Down, Key::Enter));
    let end = "document.querySelector('#document').value.endsWith('}')";
    lab.wait_until(end);
    lab.wait_until("document.querySelector('#completions').hidden");
    press(&lab, "#add-view");
    lab.wait_until(
        "document.querySelector('#document').value.includes('<!-- scene: catalog:skew&policies=')",
    );
    lab.wait_until("document.querySelector('#lesson-title')?.textContent === 'What is to be seen'");
    for look in [Look::DESK, Look::PHONE] {
        lab.look(look);
        assert_eq!(lab.eval("document.documentElement.scrollWidth <= innerWidth"), json!(true));
    }
    lab.eval("new Promise(done => setTimeout(done, 900))");
    press(&lab, "#writer-close");
    lab.wait_until("document.querySelector('#document') === null");
    // The document has its answers ticked, and nothing has been answered.
    press(&lab, "#lesson-edit");
    lab.wait_for("#show-answers-dialog[open]");
    assert_eq!(lab.count("#document"), 0);
    press(&lab, "#show-answers-edit");
    lab.wait_until("document.querySelector('#document')?.value.includes('## What is to be seen')");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_element_shows_a_document_and_a_lesson_by_name() {
    let site = Site::dist();
    let lab = site.url("");
    site.answer("/mine.md", Answer::html(MINE));
    site.answer(
        "/article.html",
        Answer::html(&format!(
            "<!doctype html><script defer src='{lab}fairlane-demo.js'></script>\
             <fairlane-demo id='one' lesson='mine.md' loading='eager'></fairlane-demo>\
             <fairlane-demo id='two' lesson='skew/2' loading='eager'></fairlane-demo>"
        )),
    );
    let page = Lab::open_as(&site, Look::DESK, "article.html");
    page.eval("Promise.all(['one', 'two'].map(id => document.getElementById(id).ready)).then(() => true)");
    let place = |id: &str| {
        format!(
            "document.getElementById('{id}').shadowRoot.querySelector('iframe').contentDocument\
             .querySelector('#lesson')?.dataset.place"
        )
    };
    page.wait_until(&format!("{} === 'document/1'", place("one")));
    page.wait_until(&format!("{} === 'lesson:skew/2'", place("two")));
}
