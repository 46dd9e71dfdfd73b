//! The policy that is a trained network: the same schedule as natively, and its scores as bars.

use e2e::{Lab, Look, Site, json};
use fairlane::simulate;

use crate::steps;

#[test]
fn a_network_schedules_as_natively_and_shows_its_scores() {
    let site = Site::dist();
    let step = "#lesson:what-the-network-found/3";
    let lab = Lab::open_as(&site, Look::DESK.sized(1440, 900), step);
    let trace = simulate(&steps::native("decima-batch"), steps::policy("decima"));
    let hash = "#panel-decima[data-state=done] code.hash";
    lab.wait_until(&format!("document.querySelector('{hash}')?.textContent === '{:016x}'", trace.hash()));
    lab.wait_for("#queue .score");
    lab.eval("document.querySelector('#why-key').open = true");
    // Each limit has a score, and the smallest change that lets another stage win is named.
    let facts = "[...document.querySelectorAll('table.facts tr')].filter(row => row.innerText.includes";
    assert!(
        lab.eval(&format!("{facts}('score of the limit') && row.querySelector('.score')).length >= 10"))
            == json!(true)
    );
    assert_eq!(lab.eval(&format!("{facts}('would go first with')).length")), json!(1));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
