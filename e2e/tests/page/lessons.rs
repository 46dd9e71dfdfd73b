//! Lessons: every step sets up what it promises, points at what is there, and shows the native
//! simulator's figures; nothing of the reader's is lost.

use e2e::{Key, Lab, Look, Site, Value, json};
use fairlane_study::lesson::document::{
    Answers, GuessState, LessonScene, Question, StepSource, StyledText, TextBlock, text_with_figures,
};
use fairlane_study::lesson::{self, LessonFacts, StepId, lessons};
use fairlane_view::view::Tab;

use crate::axe;
use crate::recorded;
use crate::steps::{self, READY};

/// What a step speaks of.
fn facts_of(scene: &LessonScene) -> LessonFacts {
    recorded::facts(scene)
}

fn step(fragment: &str) -> StepId {
    StepId::from_fragment(fragment).expect("a lesson").expect("a step")
}

#[track_caller]
fn open(site: &Site, look: Look, fragment: &str) -> Lab {
    let lab = Lab::open_as(site, look, &format!("#{fragment}"));
    arrived(&lab, step(fragment));
    lab
}

/// Waits until the page has been set up for a step.
#[track_caller]
fn arrived(lab: &Lab, step: StepId) {
    lab.wait_for(&format!("#lesson[data-place='{}']", step.fragment()));
    // The recorded run, too.
    lab.wait_until("document.querySelector('#lesson-awaited') === null");
    lab.wait_until(READY);
}

/// Clicks a button of the card, which stays where it is however the page is scrolled.
#[track_caller]
fn press(lab: &Lab, css: &str) {
    lab.wait_for(css);
    lab.eval(&format!("document.querySelector({}).click()", json!(css)));
}

#[track_caller]
fn next(lab: &Lab) {
    press(lab, "#lesson-next");
}

/// Everything that blocks say, text by text.
fn texts(blocks: &[TextBlock], facts: &LessonFacts) -> Vec<String> {
    let said = |words: &Vec<StyledText>| text_with_figures(words, facts);
    let of = |block: &TextBlock| match block {
        TextBlock::Text(words) => vec![said(words)],
        TextBlock::List { items, .. } => items.iter().map(said).collect(),
        TextBlock::Table { head, rows } => head.iter().chain(rows.iter().flatten()).map(said).collect(),
        TextBlock::Code(code) => vec![code.clone()],
        TextBlock::Walk(job) => {
            let lines = lesson::walk(facts, job).expect("a test follows every walk").lines;
            lines.into_iter().flat_map(|line| line.state.into_iter().chain([line.words])).collect()
        }
    };
    blocks.iter().flat_map(of).collect()
}

#[track_caller]
fn reads(lab: &Lab, css: &str, expected: &[String], at: &str) {
    let shown = lab.eval(&format!("document.querySelector({}).textContent", json!(css)));
    let shown = shown.as_str().unwrap_or_default();
    for text in expected {
        assert!(shown.contains(text.as_str()), "{at}: \"{text}\" is not in \"{shown}\"");
    }
}

/// What the page shows of a scene.
#[track_caller]
fn shows(lab: &Lab, scene: &LessonScene, facts: &LessonFacts, at: &str) {
    // What happened is above what would have happened.
    let policies: Vec<String> = scene.view.policies.iter().map(ToString::to_string).collect();
    let observed = if matches!(scene.source, StepSource::Recorded(_)) { "observed," } else { "" };
    assert_eq!(steps::panels(lab).join(","), format!("{observed}{}", policies.join(",")), "{at}: panels");
    let users = facts.scenario().users().iter().map(|user| user.name.clone()).collect::<Vec<_>>();
    // The first of many users.
    let shown = lab.texts(".lanes .user b");
    assert!(users.starts_with(&shown) && shown.len() >= users.len().min(8), "{at}: lanes of {shown:?}");
    assert!(
        lab.text("#scenario option:checked").contains(facts.scenario().name())
            || !steps::shown_scenario(lab).is_empty(),
        "{at}"
    );
    let view = scene.view(facts).expect("its jobs");
    for &policy in &view.policies {
        let hash = fairlane::simulate(facts.scenario(), policy).hash();
        assert_eq!(lab.text(&format!("#panel-{policy} code.hash")), format!("{hash:016x}"), "{at}: {policy}");
    }
    let now = lab.text("#now");
    assert!(
        now.starts_with(&format!("{:.3}", scene.view.playhead.seconds())),
        "{at}: the playhead is at {now}"
    );
    let zoomed = lab.eval("!document.querySelector('#fit').disabled");
    // Since an answer the ruler may have the room that it had while the future was hidden: all can be fitted then, too.
    assert!(zoomed == json!(true) || view.window.is_none(), "{at}: zoom");
    let chosen: Vec<u64> = view.chosen.iter().map(|job| u64::from(job.0)).collect();
    let pressed = lab.eval(
        "Array.from(document.querySelectorAll('#lanes [aria-pressed=true]'), b => Number(b.dataset.job))",
    );
    assert_eq!(pressed, json!(chosen), "{at}: chosen jobs");
    let marks =
        lab.eval("['#mark-inversion', '#mark-skew'].filter(id => document.querySelector(id).checked).length");
    assert_eq!(marks, json!(scene.view.marks.as_ref().map_or(0, |marks| marks.len())), "{at}: marks");
    let tab = match scene.view.tab {
        Tab::Compare => "compare",
        Tab::Charts => "charts",
        Tab::Inspector(_) => "job",
        Tab::Differences => "differences",
        Tab::Program => "program",
    };
    assert_eq!(lab.count(&format!("#tab-{tab}[aria-selected=true]")), 1, "{at}: the tab {tab}");
    if let Some((policy, _)) = &scene.why {
        let policy = policy.to_string();
        assert_eq!(lab.eval("document.querySelector('#why-policy').value"), json!(policy), "{at}: why");
    }
}

/// All that a step points at is there and set off.
#[track_caller]
fn points(lab: &Lab, at: &str) {
    let missing = "document.querySelector('#lesson').dataset.spots.split(' || ').filter(css => { \
        const found = document.querySelector(css); \
        return !found || getComputedStyle(found).outlineStyle !== 'solid' || \
        parseFloat(getComputedStyle(found).outlineWidth) < 2; })";
    // What is pointed at may be drawn a frame after the card.
    lab.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    assert_eq!(lab.eval(missing), json!([]), "{at}: pointed at in vain");
}

#[track_caller]
fn walk(index: usize) {
    let site = Site::dist();
    let first = StepId::first(index);
    let look = Look::DESK.still();
    let lab = open(&site, look, &first.fragment());
    walk_from(&lab, first, |at| hides_nothing(&lab, look, at));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Nothing on the card is wider than it, and no answer to choose is cut off.
#[track_caller]
fn fits_its_card(lab: &Lab, at: &str) {
    let wide = lab.eval(
        "(() => { const card = document.querySelector('#lesson').getBoundingClientRect(); \
          const body = document.querySelector('.lesson-body'); \
          const inner = body.scrollWidth > body.clientWidth ? ['the body'] : []; \
          return inner.concat(Array.from(document.querySelectorAll('#lesson *')).filter(e => { \
            const area = e.getBoundingClientRect(); \
            return area.width > 2 && area.right > card.right + 0.5 || \
              e.matches('button') && e.scrollHeight > e.clientHeight + 1; \
          }).map(e => e.outerHTML.slice(0, 80))); })()",
    );
    assert_eq!(wide, json!([]), "{at}: wider than the card");
}

/// Walks through a lesson from its first step, which is open, and looks at every step, with one more look at it as it
/// comes.
#[track_caller]
pub fn walk_from(lab: &Lab, first: StepId, look_at: impl Fn(&str)) {
    let steps = first.lesson().steps.len();
    for step in 0..steps {
        let here = first.at(step);
        let at = here.fragment();
        arrived(lab, here);
        let scene = &here.step().scene;
        let facts = facts_of(scene);
        shows(lab, scene, &facts, &at);
        points(lab, &at);
        look_at(&at);
        fits_its_card(lab, &at);
        assert_eq!(lab.text("#lesson-title"), here.step().title, "{at}");
        reads(lab, ".lesson-body", &texts(&here.step().text, &facts), &at);
        let question = here.step().question.as_ref();
        assert_eq!(lab.count(".guess"), usize::from(question.is_some()), "{at}");
        if let Some(question) = question {
            assert_eq!(lab.text("#lesson-answer"), "", "{at}: the answer before the guess");
            let Answers::Options(options) = &question.answers else {
                lab.keys("#lesson-number", format!("999999{}", Key::Return));
                answered(lab, here, question, &facts, &at);
                next(lab);
                continue;
            };
            let right = options.iter().position(|option| option.is_right).expect("a right answer");
            let options: Vec<String> =
                options.iter().map(|option| text_with_figures(&option.words, &facts)).collect();
            let shown =
                lab.eval("Array.from(document.querySelectorAll('.option > span'), o => o.textContent)");
            assert_eq!(shown, json!(options), "{at}");
            let wrong = usize::from(right == 0);
            press(lab, &format!("[data-option='{wrong}']"));
            lab.wait_for(&format!("[data-option='{wrong}'].incorrect"));
            assert_eq!(lab.count(&format!("[data-option='{}'].correct", right)), 1, "{at}");
            answered(lab, here, question, &facts, &at);
            press(lab, &format!("[data-option='{}']", right));
            lab.wait_until("document.querySelector('#lesson-answer').innerText.startsWith('Right.')");
            assert_eq!(lab.count(".option.incorrect"), 0, "{at}");
        }
        next(lab);
    }
    lab.wait_for("#lesson.over #lesson-return");
    let name = json!(first.lesson().id);
    lab.wait_until(&format!("localStorage.getItem('fairlane.lessons')?.split(',').includes({name})"));
    assert_eq!(lab.count(&format!("[data-lesson={name}] .done")), 1);
}

/// What a wrong answer brings: its explanation and what the question has held back, to which the schedule plays.
#[track_caller]
fn answered(lab: &Lab, here: StepId, question: &Question, facts: &LessonFacts, at: &str) {
    lab.wait_until("document.querySelector('#lesson-answer').innerText.startsWith('Not quite.')");
    reads(lab, "#lesson-answer", &texts(&question.explanation, facts), at);
    lab.wait_until(READY);
    lab.wait_until("document.querySelector('.lab.playing') === null");
    let at = format!("{at}, answered");
    shows(lab, here.step().shown(GuessState::Answered).0, facts, &at);
    points(lab, &at);
    fits_its_card(lab, &at);
}

#[test]
fn lesson_1_is_walked_through() {
    walk(0);
}

#[test]
fn lesson_2_is_walked_through() {
    walk(1);
}

#[test]
fn lesson_3_is_walked_through() {
    walk(2);
}

#[test]
fn lesson_4_is_walked_through() {
    walk(3);
}

#[test]
fn lesson_5_is_walked_through() {
    walk(4);
}

#[test]
fn lesson_6_is_walked_through() {
    walk(5);
}

#[test]
fn lesson_7_is_walked_through() {
    walk(6);
}

#[test]
fn lesson_8_is_walked_through() {
    walk(7);
}

#[test]
fn lesson_9_is_walked_through() {
    walk(8);
}

#[test]
fn lesson_10_is_walked_through() {
    walk(9);
}

#[test]
fn lesson_11_is_walked_through() {
    walk(10);
}

#[test]
fn lesson_12_is_walked_through() {
    walk(11);
}

#[test]
fn lesson_13_is_walked_through() {
    walk(12);
}

#[test]
fn lesson_14_is_walked_through() {
    walk(13);
}

#[test]
fn lesson_15_is_walked_through() {
    walk(14);
}

#[test]
fn lesson_16_is_walked_through() {
    walk(15);
}

#[test]
fn lesson_17_is_walked_through() {
    walk(16);
}

#[test]
fn lesson_18_is_walked_through() {
    walk(17);
}

#[test]
fn lesson_19_is_walked_through() {
    walk(18);
}

#[test]
fn lesson_20_is_walked_through() {
    walk(19);
}

#[test]
fn lesson_21_is_walked_through() {
    walk(20);
    assert_eq!(lessons().len(), 21, "every lesson has its test");
}

#[test]
fn an_answer_is_played_to_and_marked_and_less_motion_jumps() {
    let site = Site::dist();
    let marked = "(lesson => lesson.dataset.answer)(document.querySelector('#lesson'))";
    let lab = open(&site, Look::DESK, "lesson:fifo-and-fair/2");
    press(&lab, "[data-option='2']");
    lab.wait_for(".lab.playing");
    assert_eq!(lab.eval(marked), json!("playing"));
    lab.wait_until("document.querySelector('.lab.playing') === null");
    assert_eq!(lab.text("#now"), "8.000 s");
    assert_eq!(lab.eval(marked), json!("marked"));
    points(&lab, "an answer");
    let width = "getComputedStyle(document.querySelector('.playhead')).borderLeftWidth";
    lab.wait_until(&format!("{width} === '4px'"));
    // Elsewhere nothing is marked.
    lab.click("#step");
    lab.wait_until(&format!("{marked} === 'not' && {width} !== '4px'"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
    drop(lab);
    let lab = open(&site, Look::DESK.still(), "lesson:fifo-and-fair/2");
    press(&lab, "[data-option='2']");
    lab.wait_until(&format!("{marked} === 'marked'"));
    assert_eq!(lab.text("#now"), "8.000 s");
}

/// The document and what is shown of it.
#[track_caller]
fn essence(lab: &Lab) -> Value {
    lab.wait_until(READY);
    lab.eval(
        "[Array.from(document.querySelectorAll('.panel'), p => p.id + p.querySelector('code.hash').textContent), \
          document.querySelector('#now').innerText, document.querySelector('#scenario option:checked').innerText, \
          document.querySelector('[role=tab][aria-selected=true]').id, \
          Array.from(document.querySelectorAll('#lanes [aria-pressed=true]'), b => b.dataset.job)]",
    )
}

#[test]
fn the_readers_page_is_restored_after_a_lesson_even_after_a_reload() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let (x, y) = lab.rect("#lanes [data-job='12']").centre();
    lab.drag((x, y), (x + 80.0, y));
    lab.click("#policy-uwfq-p");
    lab.wait_until(READY);
    lab.click("#step");
    let mine = essence(&lab);

    // Begun from the menu, played with, gone on.
    lab.click("#lessons summary");
    lab.click("[data-lesson='skew']");
    arrived(&lab, step("lesson:skew/1"));
    next(&lab);
    arrived(&lab, step("lesson:skew/2"));
    let set_up = essence(&lab);
    lab.eval("document.querySelector('.lesson-body').scrollTop = 0");
    let (x, y) = lab.rect("#lanes [data-job='0']").centre();
    lab.drag((x, y), (x + 60.0, y));
    lab.wait_for("#lesson-changed");
    let played = essence(&lab);
    assert_ne!(played, set_up);

    // A reload in the middle overwrites nothing.
    lab.eval("new Promise(done => setTimeout(done, 700))");
    lab.reload();
    arrived(&lab, step("lesson:skew/2"));
    assert_eq!(lab.count("#lesson-changed"), 1);
    assert_eq!(essence(&lab)[0], played[0]);

    press(&lab, "#lesson-set-up");
    lab.wait_until("document.querySelector('#lesson-changed') === null");
    assert_eq!(essence(&lab), set_up);
    lab.click("#undo");
    lab.wait_for("#lesson-changed");
    assert_eq!(essence(&lab)[0], played[0], "undo brings the reader's version of the step back");

    press(&lab, "#lesson-close");
    lab.wait_for("#lesson.over");
    assert_eq!(essence(&lab)[0], played[0], "leaving changes nothing");
    lab.click("#lesson-return");
    lab.wait_until("document.querySelector('#lesson') === null");
    let back = essence(&lab);
    // The tab and the chosen job are not kept over a reload, with or without a lesson.
    assert_eq!((&back[0], &back[1], &back[2]), (&mine[0], &mine[1], &mine[2]));
    lab.eval("new Promise(done => setTimeout(done, 700))");
    lab.reload();
    lab.wait_until(READY);
    assert_eq!((lab.count("#lesson"), &essence(&lab)[0]), (0, &mine[0]));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn links_lead_to_steps_and_wrong_ones_are_reported() {
    let site = Site::dist();
    let lab = open(&site, Look::DESK, "lesson:priority-inversion/3");
    assert!(!lab.address().contains('#'), "the link has been followed: {}", lab.address());
    press(&lab, "#lesson-link");
    lab.wait_for(".toast p");
    assert!(lab.text(".toast p").ends_with("#lesson:priority-inversion/3"), "{}", lab.text(".toast p"));
    // In a page that is open already.
    lab.eval("void (location.hash = 'lesson:skew/4')");
    arrived(&lab, step("lesson:skew/4"));
    lab.eval("void (location.hash = 'lesson:skew/99')");
    lab.wait_for(".notice");
    assert!(lab.text(".notice").contains("no step \"99\""), "{}", lab.text(".notice"));
    arrived(&lab, step("lesson:skew/4"));
    lab.goto("#lesson:no-such-lesson");
    lab.wait_for(".notice");
    assert!(lab.text(".notice").contains("no lesson \"no-such-lesson\""), "{}", lab.text(".notice"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn lessons_work_by_keys_alone() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.eval("document.querySelector('#lessons summary').focus()");
    lab.press(Key::Return);
    lab.wait_for("#lessons[open]");
    // The explainer and the question to a class come first.
    (0..3).for_each(|_| lab.press(Key::Tab));
    assert_eq!(lab.eval("document.activeElement.dataset.lesson"), json!(lessons()[0].id));
    lab.press(Key::Escape);
    lab.wait_until("!document.querySelector('#lessons').open");
    assert_eq!(lab.eval("document.activeElement.tagName"), json!("SUMMARY"));
    lab.press(Key::Return);
    (0..3).for_each(|_| lab.press(Key::Tab));
    lab.press(Key::Return);
    arrived(&lab, StepId::first(0));
    assert_eq!(lab.count("#lessons[open]"), 0);
    let focused = "document.activeElement.id === 'lesson-title'";
    lab.wait_until(focused);

    // The page's own keys go on to work from the card.
    let before = lab.text("#now");
    lab.press(Key::Right);
    assert_ne!(lab.text("#now"), before);
    lab.press(Key::Escape);
    assert_eq!(lab.count("#lesson"), 1, "Escape does not close the lesson");
    lab.eval("document.querySelector('#lesson-next').focus()");
    lab.press(Key::Return);
    arrived(&lab, StepId::first(0).at(1));
    lab.wait_until(focused);
    assert_eq!(lab.text("#lesson-title"), lessons()[0].steps[1].title);
    lab.eval("document.querySelector('[data-option=\"2\"]').focus()");
    lab.press(" ");
    lab.wait_for(".option.correct");
    // The answer plays, and stops by itself.
    lab.wait_until("document.querySelector('#play').ariaLabel === 'Play'");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Where two boxes overlap, in square pixels.
fn overlap(one: e2e::Rect, other: e2e::Rect) -> f64 {
    let along = |from: f64, length: f64, from_2: f64, length_2: f64| {
        ((from + length).min(from_2 + length_2) - from.max(from_2)).max(0.0)
    };
    along(one.x, one.width, other.x, other.width) * along(one.y, one.height, other.y, other.height)
}

/// A box without scrolling to it.
#[track_caller]
fn where_is(lab: &Lab, css: &str) -> e2e::Rect {
    let value = lab.eval(&format!(
        "(() => {{ const r = document.querySelector({}).getBoundingClientRect(); return [r.x, r.y, r.width, \
            r.height]; }})()",
        json!(css)
    ));
    let number = |index: usize| value[index].as_f64().unwrap_or(f64::NAN);
    e2e::Rect { x: number(0), y: number(1), width: number(2), height: number(3) }
}

/// What a step speaks of is in view, and not under the card.
#[track_caller]
fn hides_nothing(lab: &Lab, look: Look, at: &str) {
    // Once the side has unfolded, the page scrolls again.
    lab.eval("new Promise(done => requestAnimationFrame(() => setTimeout(done, 200)))");
    let first = lab.eval("document.querySelector('#lesson').dataset.spots.split(' || ')[0]");
    let spot = where_is(lab, first.as_str().unwrap_or_default());
    let card = where_is(lab, "#lesson");
    let widths = lab.eval("[document.documentElement.scrollWidth, innerWidth, innerHeight]");
    assert!(widths[0].as_f64() <= widths[1].as_f64(), "{at}: {widths}");
    // What is higher than the room beside the card shows at least its upper part.
    let (bottom, least) = if look.touch {
        (card.y, card.y * 0.5)
    } else if spot.x < card.x + card.width {
        // Below the card, in its column: half of what the card and the transport leave free.
        let bottom = where_is(lab, ".transport").y;
        (bottom, (bottom - card.y - card.height) * 0.5)
    } else {
        (f64::from(look.height), f64::from(look.height) * 0.5)
    };
    let seen = spot.height.min(least);
    assert!(
        spot.y >= -1.0 && spot.y + seen <= bottom + 1.0,
        "{at}: {first} is at {spot:?}, the card at {card:?}"
    );
    if !look.touch {
        assert_eq!(overlap(spot, card), 0.0, "{at}: the card hides {first}");
    }
}

/// The walks look at it on a desk.
#[test]
fn the_card_hides_nothing_it_speaks_of_on_a_phone() {
    let site = Site::dist();
    let look = Look::PHONE.still();
    let lab = open(&site, look, "lesson:fifo-and-fair/1");
    let firsts = (0..lessons().len()).map(StepId::first);
    for here in firsts.flat_map(|first| (0..first.lesson().steps.len()).map(move |step| first.at(step))) {
        let at = here.fragment();
        lab.eval(&format!("void (location.hash = '{at}')"));
        arrived(&lab, here);
        hides_nothing(&lab, look, &at);
    }
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// A step with a question, answered, of every lesson of which the number divides by `every`; the menu; the end.
#[track_caller]
fn examine(look: Look, name: &str, every: usize) {
    let site = Site::dist();
    let lab = open(&site, look, "lesson:fifo-and-fair/1");
    axe::inject(&lab);
    let faults = |at: &str| axe::faults_of(&lab, &format!("{name}, {at}"), axe::Rules::of(look));
    let mut found = Vec::new();
    for lesson in (0..lessons().len()).step_by(every) {
        let first = StepId::first(lesson);
        let asking =
            first.lesson().steps.iter().position(|step| step.question.is_some()).expect("a question");
        let here = first.at(asking);
        lab.eval(&format!("void (location.hash = '{}')", here.fragment()));
        arrived(&lab, here);
        press(&lab, "[data-option='0']");
        lab.wait_for(".option.correct");
        found.extend(faults(&here.fragment()));
    }
    lab.eval("document.querySelector('#lessons').open = true");
    found.extend(faults("the menu"));
    lab.eval("document.querySelector('#lessons').open = false");
    press(&lab, "#lesson-close");
    lab.wait_for("#lesson.over");
    found.extend(faults("the end"));
    assert!(found.is_empty(), "axe-core found {}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn axe_finds_no_serious_fault_in_lessons_in_the_light() {
    examine(Look::DESK, "light", 1);
}

#[test]
fn axe_finds_no_serious_fault_in_lessons_in_the_dark() {
    examine(Look::DESK.dark(), "dark", 4);
}

#[test]
fn axe_finds_no_serious_fault_in_lessons_on_a_phone() {
    examine(Look::PHONE, "phone", 4);
}
