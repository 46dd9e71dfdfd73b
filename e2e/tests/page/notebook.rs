//! The widget of the package for Python, with a model in place of the notebook's.

use std::fs;
use std::path::Path;

use e2e::{Answer, Lab, Look, Site, json};

/// A page that shows the widget, or shows it again with what the model has by then.
const PAGE: &str = "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>A notebook</title>
    <link rel='icon' href='data:,'></head><body><div id='cell'></div><script type='module'>
    import widget from './widget.js';
    const listeners = {};
    window.values = { height: 560, state: {}, address: ADDRESS, scenario: SCENARIO };
    window.saved = 0;
    window.model = {
        get: key => values[key],
        set: (key, value) => { values[key] = value; listeners[`change:${key}`]?.forEach(listener => listener()); },
        save_changes: () => saved += 1,
        on: (event, listener) => (listeners[event] ??= new Set()).add(listener),
        off: (event, listener) => listeners[event].delete(listener),
    };
    window.close = widget.render({ model, el: document.querySelector('#cell') });
    </script></body></html>";

/// A job of 4 s on one core.
const OWN: &str = r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 1 },
    "users": [{ "name": "ana" }], "jobs": [{ "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 3] }] }] }"#;

#[test]
fn a_widget_and_its_kernel_have_the_same_scenario() {
    let site = Site::dist();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../python/fairlane/widget.js");
    site.answer("/widget.js", Answer::script(&fs::read_to_string(script).expect("the widget")));
    site.answer("/own.json", Answer::json(OWN));
    let address = site.url("?embed&edit&show=lanes,panels,transport&src=own.json&policies=uwfq");
    let page = PAGE.replace("ADDRESS", &json!(address).to_string()).replace("SCENARIO", OWN);
    site.answer("/notebook.html", Answer::html(&page));
    let lab = Lab::open_as(&site, Look::DESK, "notebook.html");
    lab.wait_until("values.state.mean_response_s?.uwfq === 4");
    assert_eq!(lab.rect("iframe").height, 560.0);
    lab.eval("model.set('height', 500)");
    assert_eq!(lab.rect("iframe").height, 500.0);

    // What the reader changes is the kernel's.
    lab.eval(
        "document.querySelector('iframe').contentDocument.querySelector('#lanes [data-job]')
            .dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))",
    );
    lab.wait_until("values.scenario.jobs[0].arrival_s > 0 && saved > 1");

    // What the kernel changes is shown, also if it does so before the first picture.
    let job = "document.querySelector('iframe').contentDocument.querySelectorAll('#lanes [data-job]').length";
    let two = "(() => { const scenario = structuredClone(values.scenario);
        scenario.jobs.push(...scenario.jobs); model.set('scenario', scenario); })()";
    lab.eval(two);
    lab.wait_until(&format!("{job} === 2"));
    lab.reload();
    lab.wait_until("!!window.model");
    lab.eval(two);
    lab.wait_until(&format!("{job} === 2"));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
