//! What a drag leaves of the schedule before it, and tasks on their way from one schedule to another.

use e2e::{Key, Lab, Look, Site, json};

use crate::steps;

/// From here on, whether tasks move over a panel's chart is noted by its policy.
#[track_caller]
fn watch_movements(lab: &Lab) {
    lab.eval(
        "(() => {
           window.moved = new Set();
           new MutationObserver(() => document.querySelectorAll('.moving:not([hidden])')
             .forEach(canvas => window.moved.add(canvas.closest('.panel').id.slice(6))))
             .observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['hidden'] });
         })()",
    );
}

/// The policies over whose charts tasks have moved since the last call, once they stand still again.
#[track_caller]
fn movements(lab: &Lab) -> Vec<String> {
    lab.wait_until(steps::READY);
    lab.wait_until("document.querySelector('.moving:not([hidden])') === null");
    let moved =
        lab.eval("(() => { const moved = [...window.moved].sort(); window.moved.clear(); return moved; })()");
    moved.as_array().into_iter().flatten().filter_map(|id| Some(id.as_str()?.to_owned())).collect()
}

/// Drags the job's block with the pointer by logical pixels, without letting go.
#[track_caller]
fn drag(lab: &Lab, job: u32, by: f64) {
    lab.eval(&format!(
        "(() => {{
           const block = document.querySelector('#lanes [data-job=\"{job}\"]');
           const area = block.getBoundingClientRect();
           const [x, y] = [area.left + 4, area.top + area.height / 2];
           const send = (type, target, x) => target.dispatchEvent(new PointerEvent(type, {{
             bubbles: true, cancelable: true, composed: true, pointerId: 1, isPrimary: true, button: type === \
             'pointermove' ? -1 : 0,
             buttons: 1, clientX: x, clientY: y, pointerType: 'mouse' }}));
           window.drop = () => send('pointerup', document.querySelector('#lanes'), x + {by});
           send('pointerdown', block, x);
           for (let step = 1; step <= 5; step++) send('pointermove', document.querySelector('#lanes'), x + {by} * \
           step / 5);
         }})()"
    ));
}

const ARROWS: &str = "[...document.querySelectorAll('.panel .verdicts .ratio')].filter(ratio => \
    ratio.textContent.includes('→')).length";
/// Pixels of the first chart.
const PIXELS: &str = "(canvas => [...canvas.getContext('2d').getImageData(0, 0, canvas.width, \
    canvas.height).data].join())(document.querySelector('.panel canvas[role=img]'))";

#[test]
fn a_drag_keeps_the_old_schedule_as_outlines_and_verdicts_show_old_and_new() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    assert_eq!(lab.eval(ARROWS), json!(0));
    drag(&lab, 1, 120.0);
    lab.wait_until(&format!("{ARROWS} > 0"));
    lab.wait_until("document.querySelector('.panel .figure b').textContent.includes('→')");
    let dragged = lab.eval(PIXELS);
    lab.eval("window.drop()");
    lab.wait_until(steps::READY);
    lab.wait_until(&format!("{ARROWS} === 0"));
    // The job stays chosen and the schedule is the same one: what is gone are the outlines.
    assert_ne!(lab.eval(PIXELS), dragged);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn tasks_move_to_where_an_edit_or_another_policy_has_them() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    steps::tick_exactly(&lab, &[steps::policy("fair"), steps::policy("uwfq")]);
    watch_movements(&lab);
    // Of a policy that is ticked beside others.
    steps::click(&lab, "#policy-fifo");
    assert_eq!(movements(&lab), ["fifo"]);
    // By a key, and back.
    lab.eval("document.querySelector('#lanes [data-job=\"1\"]').focus()");
    lab.press(Key::Right);
    assert_eq!(movements(&lab), ["fair", "fifo", "uwfq"]);
    steps::click(&lab, "#undo");
    assert_eq!(movements(&lab), ["fair", "fifo", "uwfq"]);
    // Under the pointer each schedule replaces the one before at once.
    drag(&lab, 1, 60.0);
    lab.wait_until(&format!("{ARROWS} > 0"));
    assert_eq!(lab.eval("[...window.moved]"), json!([]));
    lab.eval("window.drop()");
    movements(&lab);
    lab.look(Look::DESK.still());
    steps::click(&lab, "#undo");
    assert_eq!(movements(&lab), Vec::<String>::new());
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
