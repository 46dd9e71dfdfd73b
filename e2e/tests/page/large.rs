//! A large file under all ten policies: the page never freezes.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use e2e::Site;
use fairlane::catalog;

use crate::frames::{never_freezes, watch_frames};
use crate::steps::{self, Files, READY};

/// A thousand jobs of twenty users with 300 tasks each, of uneven length, on 64 cores.
fn three_hundred_thousand_tasks() -> String {
    let mut jobs = String::new();
    for job in 0..1000 {
        let comma = if job == 0 { "" } else { ",\n" };
        let profile: Vec<String> = (0..10).map(|slice| (1 + (job * 7 + slice * 3) % 5).to_string()).collect();
        write!(
            jobs,
            r#"{comma}{{ "user": "user{}", "arrival_s": {}, "stages": [{{ "work_s": 150, "partitions": 300, "profile": [{}] }}] }}"#,
            job % 20,
            job as f64 * 2.3,
            profile.join(", ")
        )
        .expect("text can grow");
    }
    format!(
        r#"{{ "format": "fairlane/scenario@1", "cluster": {{ "executors": 8, "cores_per_executor": 8 }}, "jobs": [{jobs}] }}"#
    )
}

#[test]
fn the_page_does_not_freeze_while_ten_policies_of_a_large_file_are_simulated() {
    let site = Site::dist();
    let files = Files::new();
    let lab = steps::open(&site, "skew");
    steps::tick_exactly(&lab, &steps::papers_policies());
    let file = files.write("large.json", three_hundred_thousand_tasks());

    watch_frames(&lab);
    let started = Instant::now();
    lab.upload("#file", &file);
    lab.wait_until("document.querySelectorAll('.lanes .lane').length === 9");
    never_freezes(&lab, "opening", started);

    let started = Instant::now();
    lab.wait_at_most(
        Duration::from_secs(120),
        // A panel that shows two policies alike has a button for the second.
        &format!(
            "document.querySelectorAll('.panel[data-state=done], [id^=unfold-]').length === 10 && {READY}"
        ),
    );
    let progress = never_freezes(&lab, "simulating ten policies", started);
    assert!(progress > 0, "nobody saw how far the simulations were");

    let started = Instant::now();
    lab.click("#play");
    lab.eval("new Promise(done => setTimeout(done, 1500))");
    lab.click("#play");
    never_freezes(&lab, "playing", started);

    let started = Instant::now();
    lab.click("#theme");
    lab.wait_until("document.documentElement.dataset.theme === 'light'");
    lab.click("#step");
    never_freezes(&lab, "another theme", started);

    // Something else asked for in the middle of it all is there soon. The page itself picks the moment:
    // from outside the simulations are easily missed.
    lab.eval(
        "(() => {
          const change = () => {
            if (!document.querySelector('.panel[data-state=pending]')) return requestAnimationFrame(change);
            const select = document.querySelector('#scenario');
            select.value = 'two-users';
            select.dispatchEvent(new Event('change', { bubbles: true }));
          };
          requestAnimationFrame(change);
        })()",
    );
    let started = Instant::now();
    lab.upload("#file", &file);
    lab.wait_until("document.querySelector('#scenario').value === 'two-users'");
    lab.wait_until("document.querySelectorAll('.panel[data-state=done]').length === 5");
    lab.wait_until(READY);
    never_freezes(&lab, "changing one's mind", started);
    assert!(started.elapsed() < Duration::from_secs(10), "the abandoned simulations hold up the new ones");
    let panels = steps::panels(&lab).join(",");
    assert_eq!(Some(panels.as_str()), catalog::find("two-users").map(|entry| entry.policies));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
