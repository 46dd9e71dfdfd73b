//! The page without a mouse.

use e2e::{Key, Lab, Look, Site, json};

use crate::steps::{self, READY};

/// The element with the focus, or what is wrong with how that shows.
#[track_caller]
fn focused(lab: &Lab) -> String {
    let description = lab.eval(
        "(() => {
          const e = document.activeElement;
          if (e === document.body) return 'body';
          const name = e.id || (e.dataset.job ? 'job-' + e.dataset.job : e.className);
          const style = getComputedStyle(e), r = e.getBoundingClientRect();
          const [x, y] = [r.left + r.width / 2, r.top + r.height / 2];
          const top = document.elementFromPoint(Math.min(Math.max(x, 0), innerWidth - 1), y);
          if (!e.matches(':focus-visible') || style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 1)
            return name + ' has no visible focus';
          if (r.width < 12 || r.height < 12) return name + ` is ${r.width} x ${r.height}`;
          if (y < 0 || y > innerHeight) return name + ' is out of sight';
          // The ruler below the slider takes the pointer.
          if (!(e.contains(top) || top?.contains(e) || getComputedStyle(e).pointerEvents === 'none')) return `${name} is covered by ${top?.outerHTML.slice(0, 80)}`;
          return name;
        })()",
    );
    description.as_str().unwrap_or_default().to_owned()
}

/// Where Tab leads, once around.
#[track_caller]
fn tab_order(lab: &Lab) -> Vec<String> {
    let mut order = Vec::new();
    for _ in 0..120 {
        lab.press(Key::Tab);
        let at = focused(lab);
        if at == "body" || order.first() == Some(&at) {
            break;
        }
        order.push(at);
    }
    order
}

#[test]
fn tab_reaches_everything_in_the_order_of_the_page() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    // First the links that skip to the stage, the transport and the side; at last what to do next. What folds and unfolds
    // has no name: the lessons' menu here.
    let header = [
        "skip-to-schedules",
        "skip-to-time",
        "skip-to-figures",
        "title",
        "scenario",
        "open-set-up",
        "",
        "share",
        "embed",
        "further",
        "follow",
        "to-paper",
        "tick-next",
        "next-lesson",
    ];
    // In columns the time controls stand in the ruler. At the start there is no way back: those two buttons are off.
    let transport = ["play", "step", "to-end", "slider", "speed", "predict-mode"];
    // One block of the lanes, from which Ctrl and the arrows lead to the others.
    let stage = [
        "job-0",
        "add",
        "mark-inversion",
        "mark-skew",
        "colour",
        "hide-future",
        "textures",
        "rows-compact",
        "rows-fit",
        "rows-large",
        "zoom-in",
        "ideal-virtual-time",
    ];
    // Each panel's heading and its first user's figures, without a name, and of the first panel what was checked of its schedule, from which the arrows lead to the
    // others; CFQ's is FIFO's here.
    // Below them the lesson about the scenario.
    let panels = [
        "collapse", "", "ok", "collapse", "", "collapse", "", "collapse", "fold-cfq", "", "collapse", "",
        "link", "fidelity",
    ];
    // What is beside the schedules is folded to its tabs.
    let tab = "tab-compare";
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    // How charts are shown is a menu there, but for what one hides and zooms.
    let in_columns = [&stage[..4], &["view", "hide-future"], &stage[10..]].concat();
    let begin = [words(&header), words(&transport), words(&in_columns)].concat();
    assert_eq!(tab_order(&lab), [begin.clone(), words(&panels), words(&[tab])].concat());

    // Each policy's name, and one tick, from which the arrows lead to the others. What is more is folded. The outcomes
    // are covered.
    lab.eval("document.querySelector('#open-set-up').click()");
    let set_up = [
        "",
        "policy-fifo",
        "",
        "",
        "",
        "",
        "write-policy",
        "more-policies",
        "atr",
        "more-cluster",
        "memory-and-locality",
        "dynamic-allocation",
        "attempts-and-places",
        "users",
        "generator",
    ];
    let names: Vec<&str> = panels.into_iter().filter(|name| !["", "ok", "fold-cfq"].contains(name)).collect();
    let order_beside_set_up = [begin, words(&names), words(&set_up), words(&[tab])].concat();
    assert_eq!(tab_order(&lab), order_beside_set_up, "with the set-up");

    lab.look(Look::PHONE);
    lab.goto("#catalog:two-users");
    lab.wait_until(READY);
    steps::show_apart(&lab);
    // There most of the header, what is next and how charts are shown are menus, and the set-up is a folded sheet.
    let menus = |list: &[&str], menu: &str| (words(list), menu.to_owned());
    let menus = [
        menus(&header[4..10], "more"),
        menus(&header[10..], "next-steps"),
        menus(&stage[4..11], "view"),
        menus(&[tab], "tab-set-up"),
    ];
    // One panel is in front, with the ideal below it.
    let in_front = [
        "front-fifo",
        "front-fair",
        "front-ujf",
        "front-cfq",
        "front-uwfq",
        "collapse",
        "",
        "ok",
        "ideal-virtual-time",
        "link",
        "fidelity",
    ];
    let mut on_phone =
        [words(&header), words(&stage[..11]), words(&in_front), words(&[tab]), words(&transport)].concat();
    for (list, menu) in menus {
        let at = on_phone.windows(list.len()).position(|part| part == list).expect("a part of the order");
        on_phone.splice(at..at + list.len(), [menu]);
    }
    let at = on_phone.iter().position(|name| name == "tab-set-up").expect("just put there");
    on_phone.insert(at + 1, tab.to_owned());
    assert_eq!(tab_order(&lab), on_phone, "on a phone");
}

/// Escape and a press outside close any dialog, Tab does not leave it, and the focus goes back.
#[test]
fn all_dialogs_close_alike() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.wait_for("#embed:not([disabled])");
    lab.click("#tab-charts");
    for (opener, dialog, back) in [
        // It is in a menu, which has closed.
        ("#help", "#help-dialog", "#further"),
        ("#embed", "#embed-dialog", "#embed"),
        ("#fidelity", "#fidelity-dialog", "#fidelity"),
        ("#chart-size", "#chart-dialog", "#chart-size"),
    ] {
        let open = |lab: &Lab| {
            steps::click(lab, opener);
            lab.wait_for(&format!("{dialog}[open]"));
        };
        let closed = |lab: &Lab, by: &str| {
            lab.wait_until(&format!("document.querySelector('{dialog}') === null"));
            let back = format!("'#' + document.activeElement.id === '{back}'");
            lab.wait_until(&back);
            assert_eq!(lab.eval(&back), json!(true), "{dialog} closed by {by}");
        };
        open(&lab);
        for _ in 0..12 {
            lab.press(Key::Tab);
            let inside = format!(
                "document.activeElement === document.body || !!document.activeElement.closest('{dialog}')"
            );
            assert_eq!(lab.eval(&inside), json!(true), "Tab leaves {dialog}");
        }
        lab.eval(&format!("document.querySelector('{dialog} button').focus()"));
        lab.press(Key::Escape);
        closed(&lab, "Escape");
        open(&lab);
        // Inside, even on its edge, a press closes nothing.
        let (x, y) = (lab.rect(dialog).x + 2.0, lab.rect(dialog).centre().1);
        lab.drag((x, y), (x, y));
        assert_eq!(lab.count(dialog), 1);
        lab.drag((3.0, 3.0), (3.0, 3.0));
        closed(&lab, "a press outside");
    }
    // A menu makes way for a dialog.
    lab.click("#my-scenarios");
    lab.press("?");
    lab.wait_for("#help-dialog[open]");
    assert_eq!(lab.count(".menu[open]"), 0);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Escape and a press elsewhere close any menu, one is open at a time, and the focus goes back.
#[test]
fn all_menus_close_alike() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let open = |lab: &Lab| lab.count(".menu[open]");
    for menu in ["#my-scenarios", "#lessons summary", "#save", "#panel-fair .trust summary"] {
        lab.click(menu);
        assert_eq!(open(&lab), 1, "{menu}");
        lab.press(Key::Escape);
        assert_eq!(open(&lab), 0, "{menu}");
        // What is in a menu goes with it.
        assert_eq!(lab.eval("document.activeElement.matches('summary, #further')"), json!(true), "{menu}");
        lab.click(menu);
        lab.click(".lane .user");
        assert_eq!(open(&lab), 0, "{menu}");
    }
    lab.click("#my-scenarios");
    lab.click("#save");
    assert_eq!(open(&lab), 1);
    // A dialog that Present hides would trap its reader.
    lab.press(Key::Escape);
    lab.click("#present");
    lab.press("?");
    lab.wait_until("document.querySelector('#help-dialog[open]')?.checkVisibility()");
}

#[test]
fn everything_works_without_a_mouse() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    let to = |lab: &Lab, id: &str| {
        for _ in 0..80 {
            lab.press(Key::Tab);
            if lab.eval("document.activeElement.id") == id {
                return;
            }
        }
        panic!("Tab does not lead to {id}");
    };
    to(&lab, "open-set-up");
    lab.press(" ");
    to(&lab, "policy-fifo");
    lab.press(" ");
    lab.wait_for("#panel-fifo[data-state=done]");
    assert_eq!(lab.eval("document.activeElement.id"), json!("policy-fifo"), "the focus stays where it was");
    lab.press(Key::Right);
    assert_eq!(lab.eval("document.activeElement.id"), json!("policy-fifo-p"), "in the list arrows lead on");
    lab.eval("document.activeElement.blur()");
    lab.press(Key::Right);
    assert_ne!(lab.text("#now"), "0.000 s", "the arrows step where no control needs them");

    // What is beside the schedules makes way for the outcomes.
    lab.press(Key::Escape);
    lab.wait_until("document.querySelector('.with-set-up') === null");
    // The slider knows the instant better than the figure beside it, which is rounded.
    let instant = |lab: &Lab| lab.eval("document.querySelector('#slider').value");
    // From the tick of the first panel to that of the second.
    lab.eval("document.querySelector('.trust summary').focus()");
    lab.press(Key::Down);
    assert_eq!(
        lab.eval("document.activeElement === document.querySelectorAll('.trust summary')[1]"),
        json!(true)
    );
    to(&lab, "play");
    lab.press(" ");
    assert_eq!(
        lab.eval("document.querySelector('#play').ariaLabel"),
        "Pause",
        "space presses the button once, and no more"
    );
    lab.press(" ");
    assert_eq!(lab.eval("document.querySelector('#play').ariaLabel"), "Play");
    let before = instant(&lab);
    lab.press(Key::Right);
    assert_ne!(instant(&lab), before);

    to(&lab, "step");
    let before = instant(&lab);
    lab.press(Key::Return);
    assert_ne!(instant(&lab), before);

    to(&lab, "scenario");
    lab.press(Key::Down);
    lab.wait_until("document.querySelector('#scenario').value === 'two-users'");
    lab.wait_until(READY);
    assert_eq!(lab.text("#now"), "0.000 s", "the select keeps its arrow keys");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// What had the focus may go; the focus stays near it and never falls to the body.
#[test]
fn the_focus_moves_on_when_its_element_is_removed() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.wait_for("#my-scenarios");
    let on_block = "document.activeElement.matches('#lanes .block')";
    let focus = |css: &str| lab.eval(&format!("document.querySelector(`{css}`).focus()"));
    // A user's only job, the last of all.
    focus("#lanes [data-job='12']");
    lab.press(Key::Delete);
    lab.wait_for("#undo-deletion");
    lab.wait_until(on_block);
    // Undo of that by the button in the message.
    focus("#undo-deletion");
    lab.press(Key::Return);
    lab.wait_until("document.querySelector('#undo-deletion') === null");
    lab.wait_until(on_block);
    // Deleting in the editor.
    lab.eval("document.querySelector(`#lanes [data-job='3']`).click()");
    steps::edit_job(&lab);
    lab.wait_for("#delete");
    focus("#delete");
    lab.press(Key::Return);
    lab.wait_until("document.activeElement !== document.body");
    // A step back to the start switches its own button off.
    focus("#step");
    lab.press(Key::Return);
    focus("#to-start");
    lab.press(Key::Return);
    lab.wait_until("document.activeElement.id === 'play'");
    // A lesson that ends gives the focus to the list of lessons.
    lab.goto("#lesson:fifo-and-fair/1");
    lab.wait_for("#lesson-close");
    lab.wait_until(READY);
    focus("#lesson-close");
    lab.press(Key::Return);
    lab.wait_for("#lesson-return");
    focus("#lesson-return");
    lab.press(Key::Return);
    lab.wait_until("document.activeElement === document.querySelector('#lessons > summary')");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Enter on the button that starts the predictions must not end them: the question has the focus.
#[test]
fn predictions_by_keys_do_not_end_themselves() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.wait_for("#my-scenarios");
    lab.eval("document.querySelector('#predict-mode').focus()");
    lab.press(Key::Return);
    lab.wait_for("#predict-reveal");
    lab.wait_until("document.activeElement.id === 'predict-question'");
    lab.press("1");
    lab.wait_for("#predict-next");
    lab.press(Key::Return);
    lab.wait_for("#predict-reveal");
    assert_eq!(lab.count("#predict"), 1);
}

/// What a move and a ticked policy lead to is read out, and any task is asked why by keys.
#[test]
fn results_are_read_out_and_any_task_is_asked_why() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.wait_for("#my-scenarios");
    // Jobs are grouped by user.
    let groups =
        lab.eval("Array.from(document.querySelectorAll('#lanes [role=group]'), group => group.ariaLabel)");
    assert_eq!(groups, json!(["ana: 12 jobs", "ben: 1 job"]));
    lab.eval("document.querySelector(`#lanes [data-job='12']`).focus()");
    lab.press(Key::Right);
    lab.wait_until(
        "/ arrives at [0-9.]+ s; response time [0-9.]+ s under /.test(document.querySelector('#said').textContent)",
    );
    steps::click(&lab, "#policy-uwfq-p");
    lab.wait_until(
        "/^UWFQ-P: mean response [0-9.]+ s, rank [0-9] of 6$/.test(document.querySelector('#said').textContent)",
    );
    // The moved job is chosen.
    lab.click("#tab-job");
    lab.select("#why-policy", "fair");
    lab.wait_for("#why-task option:nth-child(3)");
    let wanted = lab.eval("document.querySelector('#why-task option:nth-child(3)').value");
    lab.select("#why-task", wanted.as_str().expect("a task"));
    lab.wait_until("/^Core [0-9]+ at .* starts$/.test(document.querySelector('#why-title').textContent)");
    lab.select("#why-task", "");
    lab.wait_until("document.querySelector('#why-title').textContent.startsWith('Waiting at')");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Keys of the page are letters in a field: nothing presents, zooms, steps or helps.
#[test]
fn keys_of_the_page_are_text_in_every_field() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    lab.wait_for("#more-policies");
    steps::click(&lab, "#more-policies");
    steps::click(&lab, "#more-cluster");
    lab.click("#lanes [data-job='12']");
    steps::edit_job(&lab);
    let state = "document.querySelector('.presenting, dialog[open]') === null \
        && document.querySelector('#play').ariaLabel === 'Play' && document.querySelector('#zoom-in') !== null \
        && document.querySelectorAll('#lanes [data-job]').length === 13";
    let now = lab.text("#now");
    for field in ["#find-policy", "#title", "#job-name", "#executors"] {
        lab.click(field);
        lab.eval(&format!("document.querySelector('{field}').select()"));
        lab.press("p?+-0[] P");
        assert_eq!(
            lab.eval(&format!("document.querySelector('{field}').value")),
            json!("p?+-0[] P"),
            "{field}"
        );
        assert_eq!(lab.eval(state), json!(true), "{field}");
        assert_eq!(lab.text("#now"), now, "{field}");
    }
}
