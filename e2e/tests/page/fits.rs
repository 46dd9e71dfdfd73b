//! Everything fits, from a phone to a laptop: nothing is cut off, broken up or covered.

use e2e::{Lab, Look, Site, json};

use crate::steps::{self, Files, READY};

/// A telephone, a tablet, a small and a usual laptop's window.
fn screens() -> [Look; 4] {
    [Look::PHONE, Look::PHONE.sized(768, 1024), Look::DESK.sized(1000, 800), Look::DESK]
}

/// In how many rows the visible elements stand that match.
#[track_caller]
fn rows(lab: &Lab, css: &str) -> u64 {
    let rows = lab.eval(&format!(
        "(() => {{
          const boxes = Array.from(document.querySelectorAll({}), e => e.getBoundingClientRect());
          const middles = boxes.filter(b => b.width > 2 && b.height > 2).map(b => b.top + b.height / 2);
          return middles.sort((a, b) => a - b).filter((y, i) => i === 0 || y - middles[i - 1] > 8).length;
        }})()",
        json!(css)
    ));
    rows.as_u64().unwrap_or_default()
}

/// Nothing makes the page wider than the window, which a browser on a touch screen would enlarge along with it.
#[track_caller]
fn assert_fits(lab: &Lab, look: Look) {
    let width = lab.eval("Math.max(document.documentElement.scrollWidth, innerWidth)");
    assert_eq!(width, json!(look.width), "the page is as wide as the window");
}

#[track_caller]
fn none(lab: &Lab, at: &str, fault: &str, list: &str) {
    assert_eq!(lab.eval(list), json!([]), "{at}: {fault}");
}

#[test]
fn bars_keep_to_their_rows_and_tables_to_their_width() {
    let site = Site::dist();
    // Many policies with long names, long times, many users.
    let lab = steps::open(&site, "macro");
    for look in screens() {
        lab.look(look);
        lab.wait_until(READY);
        lab.eval("document.querySelectorAll('#all-tables, .palette').forEach(fold => fold.open = true)");
        let at = format!("{} px", look.width);
        let phone = look.width < 640;
        let header = match look.width {
            0..=900 => ".top > *:not(.header-more)",
            _ => ".top > *:not(.header-more, #more), .header-more > *:not(.space, .further-menu)",
        };
        assert_eq!(rows(&lab, header), 1, "{at}: rows of the header");
        assert_fits(&lab, look);
        let transport = ".transport button, .transport > #slider, .transport .now, .transport select";
        assert_eq!(rows(&lab, transport), if phone { 2 } else { 1 }, "{at}: rows of the transport");
        assert_eq!(rows(&lab, "#zoom-out, #zoom-in, #fit"), 1, "{at}: rows of the tools");
        assert_eq!(rows(&lab, ".chip"), 1, "{at}: rows of the palette");
        let longer = lab.eval("document.documentElement.scrollHeight - innerHeight");
        assert!(look.width < 901 || longer == json!(0), "{at}: the window scrolls by {longer}");
        none(
            &lab,
            &at,
            "these are too wide",
            "Array.from(document.querySelectorAll('.top, .transport, .stage-tools, .palette, \
               .scroll:has(#overview, #by-group, #against-ujf, #against-ideal, #use-of-cores)')) \
             .filter(e => (e.scrollWidth > e.clientWidth || e.scrollWidth > innerWidth) \
               && !(e.matches('.top') && innerWidth < 901)) \
             .map(e => `${e.className} ${e.firstElementChild.id}: ${e.scrollWidth} > ${e.clientWidth}`)",
        );
    }
}

#[test]
fn names_beside_blocks_are_whole_and_cover_no_block() {
    let site = Site::dist();
    let lab = steps::open(&site, "macro");
    for look in screens() {
        lab.look(look);
        lab.wait_until(READY);
        let named = lab.count(".block .beside");
        assert!(named > 4, "{named} names");
        none(
            &lab,
            &format!("{} px", look.width),
            "these cover a block",
            "Array.from(document.querySelectorAll('.track')).flatMap(track => { \
               const boxes = Array.from(track.querySelectorAll('.block'), b => [b, b.getBoundingClientRect()]); \
               return Array.from(track.querySelectorAll('.beside')).filter(name => { \
                 const n = name.getBoundingClientRect(); \
                 return boxes.some(([block, b]) => block !== name.parentElement && b.left > n.left + 1 && \
                   b.left + 1 < n.right && b.top + 2 < n.bottom && b.bottom - 2 > n.top); \
               }).map(name => name.textContent); })",
        );
    }
}

#[test]
fn times_on_the_ruler_are_whole_wherever_the_last_one_falls() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "macro");
    let mut near_the_end = 0;
    for _ in 0..12 {
        none(
            &lab,
            "a phone",
            "these are cut off",
            "Array.from(document.querySelectorAll('.axis .label')).filter(label => \
               label.getBoundingClientRect().right > document.querySelector('#stage').getBoundingClientRect().right) \
             .map(label => label.textContent)",
        );
        let last = lab.eval(
            "Math.max(...Array.from(document.querySelectorAll('.axis .label'), l => \
            Number(l.style.getPropertyValue('--x'))))",
        );
        near_the_end += usize::from(last.as_f64().unwrap_or_default() > 0.97);
        let drawn = lab.texts(".axis .label");
        lab.press("+");
        lab.wait_until(&format!(
            "JSON.stringify(Array.from(document.querySelectorAll('.axis .label'), l => l.innerText.trim())) !== {}",
            json!(json!(drawn).to_string())
        ));
    }
    assert!(near_the_end > 0, "no window ends at a tick");
}

#[test]
fn controls_of_a_phone_lie_below_nothing_else() {
    let site = Site::dist();
    let lab = steps::open_as(&site, Look::PHONE, "two-users");
    steps::click(&lab, "#lanes [data-job='12']");
    lab.wait_for(".job-steps");
    none(
        &lab,
        "a phone",
        "these lie below something else",
        "Array.from(document.querySelectorAll('.tabs [role=tab], #tab-set-up, .fold-sheet')).filter(e => { \
           const b = e.getBoundingClientRect(); \
           return !e.contains(document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2)); }).map(e => \
           e.id)",
    );
    steps::click(&lab, "#tab-set-up");
    lab.eval("document.querySelectorAll('.left details').forEach(part => part.open = true)");
    // A figure in the line of a panel has the least that WCAG 2.2 asks for: that line is a part of the picture.
    none(
        &lab,
        "a phone",
        "these are too small",
        "Array.from(document.querySelectorAll( \
           'button:not(.block), select, summary, .tick, .switch, .field input[type=text]')) \
         .map(e => [e, e.getBoundingClientRect()]) \
         .filter(([e, b]) => b.width > 2 && (b.height < (e.closest('.outcome') ? 24 : 40) || b.width < 24)) \
         .map(([e, b]) => `${e.id || e.innerText}: ${b.width} x ${b.height}`)",
    );
}

/// Names of any length leave the figures in sight.
#[test]
fn long_names_leave_room_for_figures() {
    let site = Site::dist();
    let files = Files::new();
    let lab = steps::open_as(&site, Look::DESK, "two-users");
    let scenario = r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 2, "cores_per_executor": 2 }, "jobs": [
        { "user": "the-department-of-long-names", "name": "consolidation-of-everything-for-everybody", "arrival_s": 0, "stages": [{ "work_s": 64, "partitions": 64 }] },
        { "user": "b", "name": "report", "arrival_s": 1, "stages": [
            { "name": "scan the whole of a long table of events", "work_s": 8, "partitions": 8 }, { "work_s": 1, "partitions": 1, "parents": [0] }] } ] }"#;
    lab.upload("#file", files.write("long.json", scenario));
    lab.wait_until("document.querySelector('#lanes b').innerText.startsWith('the-department')");
    lab.wait_until(READY);
    for (tab, table) in [("job", "#queue"), ("differences", "table.queue")] {
        lab.click(&format!("#tab-{tab}"));
        lab.wait_for(table);
        none(
            &lab,
            tab,
            "these are too wide",
            &format!(
                "Array.from(document.querySelectorAll({}), e => e.parentElement) \
                 .filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)",
                json!(table)
            ),
        );
    }
}

/// With a default size of text of 24 pixels texts grow, and numbers of cores keep to their rows.
#[test]
fn large_text_fits() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let size =
        |lab: &Lab| lab.eval("parseFloat(getComputedStyle(document.querySelector('.panel h2')).fontSize)");
    let before = size(&lab).as_f64().unwrap_or_default();
    lab.eval("void (document.documentElement.style.fontSize = '24px')");
    assert_eq!(size(&lab).as_f64(), Some(1.5 * before));
    for css in ["#rows-compact", "#rows-large"] {
        steps::click(&lab, css);
        lab.wait_for(&format!("{css}[aria-pressed=true]"));
        none(
            &lab,
            css,
            "these numbers overlap",
            "(numbers => numbers.slice(1).filter((box, i) => box.top < numbers[i].bottom - 0.5).map(box => box.top)) \
               ([...document.querySelectorAll('#panel-fair .gutter .core')].map(e => e.getBoundingClientRect()))",
        );
    }
    assert!(lab.count("#panel-fair .gutter .core") > 2);
}

/// On a wide screen what is next has two rows beside the headline at most.
#[test]
fn what_is_next_fits_beside_the_headline() {
    let site = Site::dist();
    let lab = Lab::open_as(&site, Look::DESK.sized(1440, 900).still(), "#catalog:two-users");
    for (width, height) in [(1440, 900), (1920, 1080)] {
        lab.look(Look::DESK.sized(width, height).still());
        lab.wait_until(READY);
        lab.wait_for("#next-lesson");
        assert!(rows(&lab, ".next > *") <= 2, "{width} px");
    }
}

/// A changed scenario has the longest story and the most next steps.
#[test]
fn the_story_of_a_changed_scenario_fits() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let (x, y) = lab.rect("#lanes [data-job='12']").centre();
    lab.drag((x, y), (x + 60.0, y));
    lab.wait_for("#story #reset");
    for look in screens() {
        lab.look(look);
        lab.wait_until(READY);
        assert_fits(&lab, look);
        none(
            &lab,
            &format!("{} px", look.width),
            "these are cut off",
            "Array.from(document.querySelectorAll('#story p, #story button')) \
             .filter(e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth) \
             .map(e => e.innerText)",
        );
    }
}

/// What was rejected in a field goes with the change that undo takes back; another tab begins at its top; play and step
/// have icons of their own.
#[test]
fn small_things_are_as_one_expects() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    steps::click(&lab, "#lanes [data-job]");
    lab.wait_for("#job-arrival");
    let type_in = |css: &str, text: &str| {
        lab.eval(&format!("document.querySelector('{css}').select()"));
        lab.keys(css, format!("{text}{}", e2e::Key::Return));
    };
    type_in("#job-arrival", "0.5");
    lab.wait_until("document.querySelector('#job-arrival').value.startsWith('0.5')");
    type_in("#job-estimate", "many");
    lab.wait_for(".field.wrong #job-estimate");
    lab.click("#undo");
    lab.wait_until("document.querySelector('.field.wrong') === null");
    assert_ne!(lab.eval("document.querySelector('#job-estimate').value"), json!("many"));

    // Who reads it, the number by which stages wait for each other, and what -P does not split.
    assert!(lab.text(".readers").contains("UWFQ"), "{}", lab.text(".readers"));
    assert!(
        lab.text(".stage-editor summary").starts_with("stage 0"),
        "{}",
        lab.text(".stage-editor summary")
    );
    assert_eq!(lab.count(".unsplit"), 0);
    lab.click("#stage-0-splittable");
    lab.wait_for(".unsplit");
    assert!(lab.text(".unsplit").contains("UWFQ-P"), "{}", lab.text(".unsplit"));

    let scroll = "document.querySelector('aside.right')";
    lab.eval(&format!("{scroll}.scrollTop = 200"));
    assert!(lab.eval(&format!("{scroll}.scrollTop")).as_f64() > Some(50.0), "there is something to scroll");
    lab.click("#tab-compare");
    steps::edit_job(&lab);
    assert_eq!(lab.eval(&format!("{scroll}.scrollTop")), json!(0));

    let icons = lab.eval(
        "new Set(['#play', '#step', '#step-back', '#job-step', '#to-arrival', '#to-end'] \
          .map(css => document.querySelector(css + ' svg').innerHTML)).size",
    );
    assert_eq!(icons, json!(6), "icons that differ");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// The names of jobs are on their blocks however many users the scenario before had.
#[test]
fn names_are_on_blocks_after_another_scenario_too() {
    let site = Site::dist();
    let lab = steps::whole_lab(&site);
    for name in ["skew", "two-users", "skew"] {
        lab.select("#scenario", name);
        lab.wait_until(READY);
        lab.wait_until("document.querySelectorAll('#lanes .block span').length > 0");
    }
    // By a link: by now the browser may have kept the last one.
    lab.goto("#catalog:two-users");
    lab.wait_until(READY);
    lab.click("#next-lesson");
    // ana's twelve blocks are too thin for names.
    lab.wait_until("document.querySelector('#lanes [data-job=\"12\"] span')?.innerText.startsWith('ben-1')");
}
