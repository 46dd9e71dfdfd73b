//! Moving through time.

use e2e::{Key, Lab, Site, json};
use fairlane::simulate;
use fairlane::units::Time;
use fairlane_view::TimeAxis;

use crate::steps::{self, READY};

/// Every instant at which something happens under any of these policies, and the axis they share.
fn instants(name: &str, policies: &[&str]) -> (Vec<Time>, TimeAxis) {
    let scenario = steps::native(name);
    let traces: Vec<_> = policies.iter().map(|id| simulate(&scenario, steps::policy(id))).collect();
    let runs = traces.iter().flat_map(|trace| trace.tasks.iter().flat_map(|run| [run.start, run.end]));
    let mut instants: Vec<Time> = runs.chain(scenario.jobs().iter().map(|job| job.arrival)).collect();
    instants.sort();
    instants.dedup();
    let end = *instants.last().expect("something happens");
    (instants, TimeAxis::whole(end))
}

fn shown(time: Time) -> String {
    fairlane::number::instant(time)
}

#[track_caller]
fn now(lab: &Lab) -> String {
    lab.text("#now")
}

/// The instant shown, in seconds.
#[track_caller]
fn seconds(lab: &Lab) -> f64 {
    now(lab).trim_end_matches(" s").parse().expect("seconds")
}

#[test]
fn steps_visit_the_native_instants_in_both_directions() {
    let site = Site::dist();
    let lab = steps::open(&site, "skew");
    let (instants, _) = instants("skew", &["uwfq", "uwfq-p"]);
    let expected: Vec<String> = instants.iter().map(|&time| shown(time)).collect();

    let mut way = vec![now(&lab)];
    for _ in 0..3 {
        lab.click("#step");
        way.push(now(&lab));
    }
    assert_eq!(way, expected[..4]);
    for index in (0..3).rev() {
        lab.click("#step-back");
        assert_eq!(now(&lab), expected[index]);
    }
    assert_eq!(lab.eval("document.querySelector('#step-back').disabled"), json!(true));

    // With the keys all the way to the end, one instant after the other.
    for instant in &expected[1..] {
        lab.press(Key::Right);
        assert_eq!(now(&lab), *instant);
    }
    assert_eq!(lab.eval("document.querySelector('#step').disabled"), json!(true));
    lab.press(Key::Right);
    assert_eq!(now(&lab), *expected.last().unwrap());
    lab.press(Key::Left);
    assert_eq!(now(&lab), expected[expected.len() - 2]);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn play_moves_and_pause_stops() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let at_rest = |lab: &Lab| {
        let before = now(lab);
        lab.eval("new Promise(done => setTimeout(done, 300))");
        before == now(lab)
    };
    assert!(at_rest(&lab), "nothing moves before play");

    lab.click("#play");
    assert_eq!(lab.eval("document.querySelector('#play').ariaLabel"), "Pause");
    lab.wait_until("parseFloat(document.querySelector('#now').innerText) > 0.3");
    let read_out = |lab: &Lab| lab.eval("document.querySelector('#now').ariaLive");
    assert_eq!(read_out(&lab), json!("off"), "a clock that runs is not read out");
    lab.click("#play");
    assert_eq!(lab.eval("document.querySelector('#play').ariaLabel"), "Play");
    assert_eq!(read_out(&lab), json!("polite"));
    assert!(at_rest(&lab), "nothing moves after pause");

    // Space does the same, wherever the focus is not on a control.
    lab.eval("document.activeElement.blur()");
    lab.press(" ");
    assert_eq!(lab.eval("document.querySelector('#play').ariaLabel"), "Pause");
    assert!(!at_rest(&lab), "space plays");
    lab.press(" ");
    assert!(at_rest(&lab), "space pauses");
    assert_eq!(lab.eval("scrollY"), json!(0), "space does not scroll");

    // The schedule stops at its end, and play starts again from the beginning.
    lab.select("#speed", "50");
    lab.click("#play");
    lab.wait_until("document.querySelector('#to-end').disabled");
    lab.wait_until("document.querySelector('#play').ariaLabel === 'Play'");
    let (instants, _) = instants("two-users", &["fifo", "fair", "ujf", "cfq", "uwfq"]);
    assert_eq!(now(&lab), shown(*instants.last().unwrap()));
    lab.select("#speed", "0.1");
    lab.click("#play");
    assert!(seconds(&lab) < 1.0, "play at the end starts from the beginning");
    lab.click("#to-start");
    assert_eq!(now(&lab), "0.000 s");
    assert_eq!(lab.eval("document.querySelector('#play').ariaLabel"), "Play");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_slider_and_the_charts_seek() {
    let site = Site::dist();
    let lab = steps::open(&site, "priority-inversion");
    let (instants, axis) = instants("priority-inversion", &["fair", "uwfq", "uwfq-p"]);
    let end = *instants.last().unwrap();

    for chart in ["#panel-fair .chart", "#panel-uwfq-p .chart", ".lane:last-child .track"] {
        let area = lab.rect(chart);
        let second = axis.to.0 as f64 / 1e6 / area.width;
        lab.drag(area.at(0.1, 0.5), area.at(0.25, 0.5));
        let expected = axis.to.0 as f64 / 1e6 * 0.25;
        assert!((seconds(&lab) - expected).abs() <= second, "{chart}: {} for {expected}", seconds(&lab));
        lab.drag(area.at(0.5, 0.5), area.at(0.5, 0.5));
        let expected = axis.to.0 as f64 / 1e6 * 0.5;
        assert!((seconds(&lab) - expected).abs() <= second, "{chart}: {} for {expected}", seconds(&lab));
    }
    // Beyond the last event there is nothing to seek.
    let area = lab.rect("#panel-fair .chart");
    lab.drag(area.centre(), (area.x + area.width + 40.0, area.y));
    assert_eq!(now(&lab), shown(end));

    // The slider is on the ruler there, which takes the pointer.
    let slider = lab.rect("#slider");
    lab.drag(slider.centre(), slider.at(0.25, 0.5));
    assert!((seconds(&lab) / (end.0 as f64 / 1e6) - 0.25).abs() < 0.03, "{} on the slider", now(&lab));
    lab.keys("#slider", Key::End);
    assert_eq!(now(&lab), shown(end));
    lab.keys("#slider", Key::Home);
    assert_eq!(now(&lab), "0.000 s");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_playhead_lies_over_all_charts_at_its_instant() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let (instants, axis) = instants("two-users", &["fifo", "fair", "ujf", "cfq", "uwfq"]);
    for look in [e2e::Look::DESK, e2e::Look::PHONE] {
        lab.look(look);
        lab.wait_until(READY);
        for instant in [0, instants.len() / 2, instants.len() - 1] {
            lab.click("#to-start");
            // The slider takes any instant that a script sets, as a reader's hand would within a pixel.
            lab.eval(&format!(
                "(() => {{ const s = document.querySelector('#slider'); s.value = {} / {} * s.max; \
                 s.dispatchEvent(new InputEvent('input', {{ bubbles: true }})); }})()",
                instants[instant].0,
                instants.last().unwrap().0
            ));
            assert_eq!(now(&lab), shown(instants[instant]));
            let head = lab.rect(".playhead");
            let fraction = axis.fraction(instants[instant]);
            for policy in steps::panels(&lab) {
                // On a phone one panel is in front.
                lab.eval(&format!("document.querySelector('#front-{policy}').click()"));
                lab.wait_until(&format!("document.querySelector('#panel-{policy}').checkVisibility()"));
                let chart = lab.eval(&format!(
                    "(() => {{ const r = document.querySelector('#panel-{policy} canvas').getBoundingClientRect(); \
                     const h = document.querySelector('.playhead').getBoundingClientRect(); \
                     return [r.left + {fraction} * r.width - h.left, r.top - h.top, h.bottom - r.bottom]; }})()"
                ));
                let off: Vec<f64> = (0..3).filter_map(|index| chart[index].as_f64()).collect();
                assert!(off[0].abs() <= 1.0, "{policy}: the playhead {head:?} is {} px off", off[0]);
                assert!(
                    off[1] >= 0.0 && off[2] >= 0.0,
                    "{policy}: the playhead {head:?} ends within: {off:?}"
                );
            }
        }
    }
}
