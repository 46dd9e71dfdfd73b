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
    let lab = Lab::blank(&site, Look::DESK.forced());
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

    // Bars have borders and textures, in the charts and in the lanes; the plain page has neither.
    assert_eq!(lab.eval("document.documentElement.dataset.texture"), json!("bordered"));
    assert!(drawn_in_ink(&lab) > 0.02, "{} of a chart are borders", drawn_in_ink(&lab));
    let block = "getComputedStyle(document.querySelector(`#lanes [data-job='12']`))";
    assert_ne!(lab.eval(&format!("{block}.backgroundImage")), json!("none"));
    assert_eq!(lab.eval(&format!("{block}.borderTopWidth")), json!("1px"));
    // What is switched on is read.
    lab.wait_for("#rows-compact[aria-pressed=true]");
    let pressed = lab.eval(
        "(style => style.color !== style.backgroundColor && style.backgroundColor !== \
          getComputedStyle(document.querySelector('#rows-large')).backgroundColor) \
         (getComputedStyle(document.querySelector('#rows-compact')))",
    );
    assert_eq!(pressed, json!(true));
    lab.look(Look::DESK);
    lab.wait_until("document.documentElement.dataset.texture === 'none'");
    lab.wait_until(READY);
    let patience = Instant::now();
    while drawn_in_ink(&lab) > 0.001 {
        assert!(patience.elapsed() < Duration::from_secs(5), "borders stay");
    }
    assert_eq!(lab.eval(&format!("{block}.backgroundImage")), json!("none"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// Which part of the first chart's pixels has the colour of text.
#[track_caller]
fn drawn_in_ink(lab: &Lab) -> f64 {
    let part = lab.eval(
        "(() => { const canvas = document.querySelector('.panel canvas'); \
           const bytes = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; \
           const probe = document.body.appendChild(document.createElement('span')); \
           probe.style.color = 'var(--ink)'; \
           const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number); probe.remove(); \
           let inked = 0; for (let i = 0; i < bytes.length; i += 4) \
             inked += bytes[i] === r && bytes[i + 1] === g && bytes[i + 2] === b; \
           return inked / (bytes.length / 4); })()",
    );
    part.as_f64().unwrap_or_default()
}

/// Textures are a choice of the reader's, which the browser keeps.
#[test]
fn textures_are_switched_on_and_kept() {
    let site = Site::dist();
    let lab = steps::open(&site, "two-users");
    let plain = charts(&lab);
    lab.click("#textures");
    lab.wait_until("document.documentElement.dataset.texture === 'patterned'");
    the_charts_differ(&lab, &plain);
    // ben, the second user, has a texture; ana, the first one, is plain.
    let image = |job: u32| {
        lab.eval(&format!(
            "getComputedStyle(document.querySelector(`#lanes [data-job='{job}']`)).backgroundImage"
        ))
    };
    assert_eq!(image(0), json!("none"));
    assert_ne!(image(12), json!("none"));
    lab.reload();
    lab.wait_until(READY);
    assert_eq!(lab.eval("document.querySelector('#textures').checked"), json!(true));
    assert_ne!(image(12), json!("none"));
    lab.click("#textures");
    lab.wait_until("document.documentElement.dataset.texture === 'none'");
    assert_eq!(image(12), json!("none"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

/// The charts show something else, once they are drawn again.
#[track_caller]
fn the_charts_differ(lab: &Lab, before: &Value) {
    let patience = Instant::now();
    while charts(lab) == *before {
        assert!(patience.elapsed() < Duration::from_secs(5), "the charts have no textures");
    }
}
