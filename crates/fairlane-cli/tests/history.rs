//! Logs of a History Server: a small one of the test's own. The tests with real Spark ask a real one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use tempfile::TempDir;

use crate::command::{fairlane, printed, standard_error, standard_output};
use crate::open::Opened;

const APPLICATIONS: &str = r#"[
    { "id": "application_1_0001", "name": "nightly", "attempts": [
        { "attemptId": "1", "startTime": "2026-11-20T01:00:00.000GMT", "duration": 90000, "sparkUser": "ana",
          "completed": true },
        { "attemptId": "2", "startTime": "2026-11-20T01:05:00.000GMT", "duration": 120000, "sparkUser": "ana",
          "completed": true } ] },
    { "id": "application_1_0003", "name": "notebook \u001b[2J", "attempts": [
        { "startTime": "2026-11-21T08:00:00.000GMT", "endTime": "1969-12-31T23:59:59.999GMT", "sparkUser": "ben",
          "completed": false } ] },
    { "id": "application_1_0002", "attempts": [] } ]"#;

/// A server with an answer for each path, and the paths that were asked for.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answers: impl Fn(&str) -> Option<Vec<u8>> + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut lines = BufReader::new(stream.try_clone().expect("a connection")).lines();
                let first = lines.next().and_then(Result::ok).unwrap_or_default();
                lines.find(|line| line.as_ref().map_or(true, String::is_empty));
                let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                let (status, body) = match (answers(&path), path.contains("forbidden")) {
                    (Some(body), _) => ("200 OK", body),
                    (None, true) => ("403 Forbidden", Vec::new()),
                    (None, false) => ("404 Not Found", Vec::new()),
                };
                heard.lock().expect("no panic").push(path);
                // Whoever asked may have ended.
                let head = format!(
                    "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            }
        });
        Server { address, asked }
    }

    /// One with three applications, whose logs are the recorded one.
    fn usual() -> Server {
        Server::start(|path| match path.strip_prefix("/api/v1/applications")? {
            "" => Some(APPLICATIONS.as_bytes().to_owned()),
            "/application_1_0001/logs" | "/application_1_0001/2/logs" => Some(recorded("faults.gz")),
            "/application_1_0003/logs" => Some(recorded("multi-fair.gz")),
            "/page/logs" => Some(b"<!doctype html><title>Log in</title>".to_vec()),
            _ => None,
        })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").drain(..).collect()
    }
}

fn recorded(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fairlane-import/tests/data/spark");
    fs::read(folder.join(name)).expect("a recorded log")
}

/// Imports from an address with these options.
fn import(address: &str, options: &[&str]) -> (assert_cmd::assert::Assert, TempDir) {
    let to = TempDir::new().expect("a folder");
    let mut command = fairlane(&["import", address]);
    command.args(options).arg("--scenario").arg(to.path().join("scenario.json")).env("NO_PROXY", "*");
    (command.assert(), to)
}

#[test]
fn without_a_choice_the_applications_are_listed_newest_first() {
    let server = Server::usual();
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("index.html"), "<html></html>").expect("a writable folder");
    let page = folder.path().to_str().expect("text");
    let list = printed(&["open", "--page", page, &server.address], "");
    let ids: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(ids[2..5], ["application_1_0003", "application_1_0001", "application_1_0002"], "{list}");
    let words = list.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("ben 2026-11-21 08:00 running 1 "), "{list}");
    assert!(words.contains("nightly ana 2026-11-20 01:05 2.0 2 "), "{list}");
    assert!(!list.contains('\u{1b}'), "{list:?}");
    assert!(list.contains("Choose with --app application_1_0003, several separated by commas"), "{list}");
    let (assert, to) = import(&server.address, &[]);
    let said = standard_error(assert);
    assert!(said.contains("choose what to import") && said.contains("application_1_0001"), "{said}");
    assert!(!to.path().join("scenario.json").exists());
}

#[test]
fn applications_are_chosen_by_id_by_attempt_or_as_the_latest() {
    let server = Server::usual();
    let logs = |options: &[&str]| {
        let (assert, to) = import(&server.address, options);
        standard_output(assert);
        assert!(to.path().join("scenario.json").exists());
        server.asked()
    };
    assert_eq!(logs(&["--app", "application_1_0001"]), ["/api/v1/applications/application_1_0001/logs"]);
    assert_eq!(logs(&["--app", "application_1_0001/2"]), ["/api/v1/applications/application_1_0001/2/logs"]);
    let both =
        ["/api/v1/applications/application_1_0001/logs", "/api/v1/applications/application_1_0003/logs"];
    assert_eq!(logs(&["--app", "application_1_0001,application_1_0003"]), both);
    let latest = logs(&["--latest", "2"]);
    assert_eq!(latest, ["/api/v1/applications", both[1], both[0]]);
    let page = format!("{}/history/application_1_0001/2/jobs/", server.address);
    standard_output(import(&page, &[]).0);
    assert_eq!(server.asked(), ["/api/v1/applications/application_1_0001/2/logs"]);
}

#[test]
fn the_page_opens_what_the_server_has_sent() {
    const LOG: &str = "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.5\"}\n";
    let server = Server::start(|path| path.ends_with("/app-1/logs").then(|| LOG.as_bytes().to_owned()));
    let opened = Opened::start(&[&server.address, "--app", "app-1"]);
    let (folder, fragment) = opened.enter();
    assert_eq!(fragment, "open=files/0/eventLogs-app-1.zip");
    assert_eq!(opened.get(&format!("{folder}files/0/eventLogs-app-1.zip")).body, LOG);
}

#[test]
fn faults_name_the_address_and_the_remedy() {
    let server = Server::usual();
    let said = |address: &str, options: &[&str]| standard_error(import(address, options).0);
    let usual = |options: &[&str]| said(&server.address, options);
    assert!(
        usual(&["--app", "app-9"]).contains("/app-9/logs: the server has no such application; without --app")
    );
    assert!(
        usual(&["--app", "forbidden"])
            .contains("asks who you are (status 403); download the log in a browser")
    );
    assert!(usual(&["--app", "page"]).contains("/page/logs: is no event log; open the address in a browser"));
    for id in ["../x", "a/b/c", "", "a b", "%2e", ".."] {
        assert!(usual(&["--app", id]).contains("is no id of an application"), "{id}");
    }
    let other = Server::start(|_| Some(b"<html></html>".to_vec()));
    assert!(
        said(&other.address, &["--latest", "1"])
            .contains("is no list of applications; give the address of a")
    );
    let nowhere = Server::start(|_| None);
    assert!(said(&nowhere.address, &["--latest", "1"]).contains("is no list of applications"));
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a free port");
    assert!(said(&format!("http://{closed}"), &[]).contains("nothing answers there; start the server"));
    assert!(
        said("https://history", &[])
            .contains("https://history: is encrypted, which this command does not read")
    );
    assert!(said("http://", &[]).contains("is no address; give that of a Spark History Server"));
    assert!(said("app.zstd", &["--latest", "1"]).contains("app.zstd: No such file"));
    let (_folder, file) = crate::command::folder_with("log", "{\"Event\":\"SparkListenerLogStart\"}");
    assert!(said(&file, &["--latest", "1"]).contains("choose from a History Server; give its address"));
    let two = [server.address.as_str(), "--latest", "1"];
    assert!(said(&nowhere.address, &two).contains("is a second History Server; give one"));
}
