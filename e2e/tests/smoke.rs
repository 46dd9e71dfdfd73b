//! The page opens.

use e2e::{Lab, Site};

#[test]
fn the_page_opens_without_a_complaint() {
    let site = Site::dist();
    let lab = Lab::open(&site);
    lab.wait_until("document.documentElement.dataset.ready === 'true'");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
