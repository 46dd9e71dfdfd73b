//! `fairlane open`: the command with the built page, and a browser at the address that it prints.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use e2e::{Lab, Look, Site, dist, json};

use crate::steps::{self, READY};

/// The command while it runs.
struct Opened {
    process: Child,
    address: String,
}

impl Drop for Opened {
    fn drop(&mut self) {
        let _ = self.process.kill().and_then(|()| self.process.wait());
    }
}

/// The command, as the native tests or `cargo build` left it.
pub fn command() -> PathBuf {
    let command = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/debug/fairlane");
    assert!(command.is_file(), "there is no command: build it first with cargo build");
    command
}

impl Opened {
    fn start(command: &Path, file: &Path) -> Opened {
        let mut command = Command::new(command);
        command.args(["open", "--no-browser", "--page"]).arg(dist()).arg(file).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the command starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("standard output")).read_line(&mut line).expect("a line");
        let address = line.trim_end().strip_prefix("Fairlane is at ").expect("an address").to_owned();
        Opened { process, address }
    }

    /// Goes to the printed address, and waits for the log and its schedules. As it ran has no panel of its own where
    /// another schedule is the same.
    fn show(&self, lab: &Lab) {
        lab.cdp("Page.navigate", json!({ "url": self.address }));
        lab.wait_for("#log-report");
        lab.wait_until(READY);
    }
}

/// What only a browser may treat in another way than the native tests of these logs, which are in
/// `crates/fairlane-import/tests/spark/world.rs`: markup in names, a folder, a log that is still written, and a
/// compressed one.
const LOGS: [&str; 4] = [
    "11-html-in-names.ndjson",
    "15-two-applications",
    "16-a-job-that-never-ends.ndjson.inprogress",
    "23-zstd-window-128-mb.zstd",
];

fn log(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/fairlane-import/tests/data/world").join(name)
}

#[test]
fn logs_are_opened_by_the_command() {
    let command = command();
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    for name in LOGS {
        let opened = Opened::start(&command, &log(name));
        opened.show(&lab);
        assert!(lab.text("#log-report summary").contains("imported"), "{name}");
        assert_eq!(lab.console_errors(), Vec::<String>::new(), "{name}");
        // A page whose server ends before it complains.
        lab.cdp("Page.navigate", json!({ "url": "about:blank" }));
        lab.wait_until("location.href === 'about:blank'");
    }
}

#[test]
fn the_page_of_the_command_keeps_no_copy_of_itself() {
    let opened = Opened::start(&command(), &log(LOGS[0]));
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    steps::hurry(&lab);
    opened.show(&lab);
    assert_eq!(lab.eval("navigator.serviceWorker === undefined"), json!(true));
    // A published page would have registered its worker by now.
    lab.eval("new Promise(done => setTimeout(done, 6000))");
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
