//! `fairlane open`: the command with the built page, and a browser at the address that it prints.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{fs, thread};

use e2e::{Lab, Look, Site, dist, json};

use crate::steps::READY;

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

/// The command, built.
fn command() -> PathBuf {
    let built = Command::new(env!("CARGO")).args(["build", "--quiet", "-p", "fairlane-cli"]).status();
    assert!(built.expect("cargo").success());
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/debug/fairlane")
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

/// Invented logs, each of which was once read wrongly.
fn logs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/fairlane-import/tests/data/world");
    let mut logs: Vec<PathBuf> =
        fs::read_dir(folder).expect("logs").map(|entry| entry.expect("a log").path()).collect();
    logs.sort();
    // A driver's log, which the command refuses.
    logs.retain(|path| path.extension().is_none_or(|ending| ending != "txt"));
    logs
}

#[test]
fn each_log_is_opened_by_the_command() {
    let command = command();
    let logs = logs();
    assert!(logs.len() > 20, "{}", logs.len());
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    for log in &logs {
        let opened = Opened::start(&command, log);
        opened.show(&lab);
        let name = log.file_name().expect("a name").to_string_lossy();
        assert!(lab.text("#log-report summary").contains("imported"), "{name}");
        assert_eq!(lab.console_errors(), Vec::<String>::new(), "{name}");
        // A page whose server ends before it complains.
        lab.cdp("Page.navigate", json!({ "url": "about:blank" }));
        lab.wait_until("location.href === 'about:blank'");
    }
}

#[test]
fn the_page_of_the_command_keeps_no_copy_of_itself() {
    let opened = Opened::start(&command(), &logs()[0]);
    let site = Site::dist();
    let lab = Lab::blank(&site, Look::DESK);
    opened.show(&lab);
    assert_eq!(lab.eval("navigator.serviceWorker === undefined"), json!(true));
    // A published page registers its worker after five seconds.
    thread::sleep(std::time::Duration::from_secs(6));
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}
