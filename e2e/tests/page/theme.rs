//! Light, dark, or as the system has it.

use std::time::{Duration, Instant};

use e2e::{Lab, Look, Site, Value, json};

use crate::steps::{self, READY};

/// The choice, the paper's colour and the ink's.
#[track_caller]
fn theme(lab: &Lab) -> Value {
    lab.eval(
        "[document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor, \
          getComputedStyle(document.body).color]",
    )
}

/// What all charts show, once they show the colours of the stylesheet as it is now.
#[track_caller]
fn charts(lab: &Lab) -> Value {
    // Charts are drawn a moment after the style has changed.
    let patience = Instant::now();
    while steps::user_hues(lab, ".panel canvas") != [1, 2] {
        assert!(patience.elapsed() < Duration::from_secs(5), "the chart lacks the stylesheet's colours");
    }
    // Folded tables have one that is not drawn.
    lab.eval(
        "Array.from(document.querySelectorAll('canvas')).filter(c => c.checkVisibility()).map(c => c.toDataURL())",
    )
}

#[track_caller]
fn every_chart_differs(one: &Value, other: &Value) {
    let (one, other) = (one.as_array().unwrap(), other.as_array().unwrap());
    assert_eq!(one.len(), other.len());
    assert!(one.iter().zip(other).all(|(one, other)| one != other), "a chart kept its old colours");
}

#[test]
fn the_button_cycles_through_the_themes_and_the_choice_is_kept() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let system = theme(&lab);
    assert_eq!(system[0], json!("system"));
    let light_charts = charts(&lab);

    lab.click("#theme");
    let light = theme(&lab);
    assert_eq!(light[0], json!("light"));
    assert_eq!((&light[1], &light[2]), (&system[1], &system[2]), "the system is light");

    lab.click("#theme");
    let dark = theme(&lab);
    assert_eq!(dark[0], json!("dark"));
    assert!(dark[1] != light[1] && dark[2] != light[2]);
    every_chart_differs(&charts(&lab), &light_charts);

    // The page keeps itself a moment after a change: only then does it come back with the same charts.
    lab.wait_until("localStorage.getItem('fairlane.session') !== null");
    lab.reload();
    lab.wait_until(READY);
    // Policies of one schedule share a panel again.
    steps::show_apart(&lab);
    assert_eq!(theme(&lab), dark, "the choice outlives the page");
    every_chart_differs(&charts(&lab), &light_charts);

    lab.click("#theme");
    assert_eq!(theme(&lab), system);
    assert_eq!(charts(&lab), light_charts);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn a_change_of_the_systems_scheme_redraws_the_open_page() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let (light, light_charts) = (theme(&lab), charts(&lab));
    lab.look(Look::DESK.dark());
    lab.wait_until("matchMedia('(prefers-color-scheme: dark)').matches");
    let dark = theme(&lab);
    assert!(dark[0] == json!("system") && dark[1] != light[1]);
    every_chart_differs(&charts(&lab), &light_charts);

    // A theme of the reader's own does not follow the system.
    lab.click("#theme");
    assert_eq!(theme(&lab)[1], light[1]);
    assert_eq!(charts(&lab), light_charts);
    lab.look(Look::DESK);
    assert_eq!(charts(&lab), light_charts);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// System colours replace what is text and frame, never the hue of a user.
#[test]
fn schedules_keep_their_hues_in_forced_colours() {
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    lab.cdp(
        "Emulation.setEmulatedMedia",
        json!({ "features": [{ "name": "forced-colors", "value": "active" }] }),
    );
    lab.goto("#catalog:two-users");
    lab.wait_until(READY);
    assert_eq!(lab.eval("matchMedia('(forced-colors: active)').matches"), json!(true));
    let dots = "new Set([...document.querySelectorAll('.lane .dot')].map(it => \
        getComputedStyle(it).backgroundColor)).size";
    assert_eq!(lab.eval(dots), json!(2));
    let colours = "(() => { const canvas = document.querySelector('.panel canvas'); \
        const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, \
        canvas.height).data.buffer); \
        const count = new Map(); for (const pixel of pixels) count.set(pixel, (count.get(pixel) ?? 0) + 1); \
        return [...count.values()].filter(many => many > pixels.length / 100).length; })()";
    assert!(lab.eval(colours).as_u64().is_some_and(|colours| colours >= 3), "{}", lab.eval(colours));
}
