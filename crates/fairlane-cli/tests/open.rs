//! `fairlane open`: what its server sends to whom, and when it ends.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use fairlane::policy::spark::{self, Pool};
use fairlane::scenario::Scenario;
use tempfile::TempDir;

use crate::command::{SMALL, complaint, folder_with, printed};

const INDEX: &str = "<!doctype html><html><head><title>Fairlane</title></head><body></body></html>";
/// How long the server may take to notice that a page is closed: a page that is loaded again has five seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder with a page of two files.
fn page() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("guide")).expect("a writable folder");
    for (name, text) in [
        ("index.html", INDEX),
        ("fairlane.wasm", "\0asm"),
        ("guide/index.html", INDEX),
        ("fairlane-offline.js", "keep"),
    ] {
        fs::write(folder.path().join(name), text).expect("a writable folder");
    }
    folder
}

/// `fairlane open` while it runs.
pub struct Opened {
    process: Child,
    /// The name of the server and the path of the address that is printed.
    host: String,
    token: String,
    _page: TempDir,
}

/// What the server answers.
pub struct Answer {
    pub status: u16,
    headers: String,
    pub body: String,
}

impl Answer {
    #[track_caller]
    fn header(&self, name: &str) -> &str {
        let start = format!("{name}: ");
        let value = self.headers.lines().find_map(|line| line.strip_prefix(start.as_str()));
        value.unwrap_or_else(|| panic!("{name} in\n{}", self.headers))
    }
}

impl Opened {
    pub fn start(arguments: &[&str]) -> Opened {
        let page = page();
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairlane"));
        command.arg("open").arg("--page").arg(page.path()).args(arguments);
        Opened::of(command.arg("--no-browser"), page)
    }

    fn of(command: &mut Command, page: TempDir) -> Opened {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("the command starts");
        let mut line = String::new();
        let printed = process.stdout.take().expect("standard output");
        BufReader::new(printed).read_line(&mut line).expect("a line");
        let address = line.trim_end().strip_prefix("Fairlane is at http://").expect("an address");
        let (host, token) = address.split_once('/').expect("a path");
        Opened { process, host: host.to_owned(), token: token.to_owned(), _page: page }
    }

    /// Sends a request whose first line has this method and path, with these headers.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("a server");
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        write!(stream, "{method} {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n")
            .expect("a connection");
        stream
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut answer = String::new();
        self.send(method, path, headers).read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("headers");
        let (first, headers) = head.split_once("\r\n").expect("a status");
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, headers: headers.to_owned(), body: body.to_owned() }
    }

    /// What a page of this server gets at a path.
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[("Host", &self.host), ("Sec-Fetch-Site", "same-origin")])
    }

    /// The address that the printed one leads to: the folder of the page, and the fragment.
    #[track_caller]
    pub fn enter(&self) -> (String, String) {
        let answer = self.ask("GET", &format!("/{}", self.token), &[("Host", &self.host)]);
        assert_eq!(answer.status, 303, "{}", answer.body);
        let target = answer.header("location");
        let (folder, fragment) = target.split_once('#').unwrap_or((target, ""));
        (folder.to_owned(), fragment.to_owned())
    }

    /// Holds the request of an open page until it is dropped.
    fn hold(&self, folder: &str) -> TcpStream {
        let stream = self.send("GET", &format!("{folder}fairlane-open"), &[("Host", &self.host)]);
        let mut reader = BufReader::new(stream.try_clone().expect("a connection"));
        let mut line = String::new();
        reader.read_line(&mut line).expect("a status");
        assert_eq!(line, "HTTP/1.1 200 OK\r\n");
        stream
    }

    /// How the command ends, if it ends within a time.
    fn end(&mut self, within: Duration) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            match self.process.try_wait().expect("a process") {
                None if started.elapsed() < within => sleep(Duration::from_millis(50)),
                status => return status,
            }
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn small() -> (TempDir, String) {
    folder_with("Ana & Ben.json", SMALL)
}

#[test]
fn the_page_is_served_with_the_file_that_it_opens() {
    let (_folder, path) = small();
    let opened = Opened::start(&[&path]);
    let (folder, fragment) = opened.enter();
    assert_eq!(fragment, "open=files/0/Ana%20%26%20Ben.json");
    let index = opened.get(&folder);
    assert_eq!((index.status, index.header("content-type")), (200, "text/html; charset=utf-8"));
    let script = "<script src=\"fairlane-open.js\"></script></head>";
    assert_eq!(index.body, INDEX.replace("</head>", script), "the page says that it is open");
    let script = opened.get(&format!("{folder}fairlane-open.js"));
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    assert!(script.body.contains("serviceWorker"), "the page keeps nothing");
    let file = opened.get(&format!("{folder}files/0/Ana%20%26%20Ben.json"));
    assert_eq!((file.status, file.body.as_str()), (200, SMALL));
    let program = opened.get(&format!("{folder}fairlane.wasm"));
    assert_eq!((program.header("content-type"), program.body.as_str()), ("application/wasm", "\0asm"));
    assert_eq!(opened.get(&format!("{folder}guide/")).body, INDEX, "only the first document counts");
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "SAMEORIGIN"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(index.header(name), value);
        assert_eq!(file.header(name), value);
    }
    let head = opened.ask("HEAD", &folder, &[("Host", &opened.host)]);
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.header("content-length"), index.body.len().to_string());
}

#[test]
fn logs_are_served_in_order_with_their_pools_file_last() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rolling = folder.path().join("eventlog_v2_app");
    fs::create_dir(&rolling).expect("a writable folder");
    let write = |path: &Path, text: &str| fs::write(path, text).expect("a writable folder");
    write(&rolling.join("events_10_app"), "{\"Event\":\"ten\"}");
    write(&rolling.join("events_9_app"), "{\"Event\":\"nine\"}");
    write(&folder.path().join("pools.xml"), "<allocations/>");
    let [pools, rolling] =
        ["pools.xml", "eventlog_v2_app"].map(|name| folder.path().join(name).display().to_string());
    let opened = Opened::start(&[&pools, &rolling]);
    let (page, fragment) = opened.enter();
    assert_eq!(fragment, "open=files/0/events_9_app&files/1/events_10_app&files/2/pools.xml");
    for (index, text) in ["{\"Event\":\"nine\"}", "{\"Event\":\"ten\"}", "<allocations/>"].iter().enumerate()
    {
        assert_eq!(opened.get(&format!("{page}files/{index}/name")).body, *text);
    }
    // What is in the file now: a log grows.
    write(&folder.path().join("eventlog_v2_app/events_9_app"), "more");
    assert_eq!(opened.get(&format!("{page}files/0/events_9_app")).body, "more");
    fs::remove_file(folder.path().join("eventlog_v2_app/events_9_app")).expect("a file");
    let gone = opened.get(&format!("{page}files/0/events_9_app"));
    assert_eq!((gone.status, gone.body.as_str()), (404, "The file can no longer be read."));
}

#[test]
fn a_scenario_gets_the_pools_of_a_file() {
    let (_folder, path) = small();
    let text = "<allocations><pool name='ben'><weight>3</weight></pool></allocations>";
    let (_pools, pools) = folder_with("fairscheduler.xml", text);
    for arguments in [[path.as_str(), &pools], [pools.as_str(), &path]] {
        let opened = Opened::start(&arguments);
        let (folder, fragment) = opened.enter();
        assert_eq!(fragment, "open=files/0/Ana%20%26%20Ben.json");
        let file = opened.get(&format!("{folder}files/0/Ana%20%26%20Ben.json"));
        let scenario = Scenario::from_json(&file.body).expect("a scenario");
        assert_eq!(spark::declared(&scenario), [Pool { weight: 3, ..Pool::named("ben") }]);
        assert_eq!((scenario.name(), scenario.jobs().len()), ("Small", 3));
    }
}

#[test]
fn the_catalog_is_opened_by_name_and_nothing_is_opened_without_a_file() {
    assert_eq!(Opened::start(&["catalog:skew"]).enter().1, "catalog:skew");
    assert_eq!(Opened::start(&[]).enter().1, "");
}

#[test]
fn a_lesson_is_served_with_the_files_that_it_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("data")).expect("a writable folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a writable folder");
    let lesson = "---\ntitle: Two\nscene: file:data/small.json\n---\n\n## First\n\nText.\n\n\
                  ## Second\n<!-- scene: file:../private.json -->\n\nText.\n";
    write("two.md", lesson);
    write("data/small.json", SMALL);
    write("private.json", SMALL);
    let path = folder.path().join("two.md").display().to_string();
    let opened = Opened::start(&[&path]);
    let (page, fragment) = opened.enter();
    assert_eq!(fragment, "open=files/0/two.md&files/1/data%2Fsmall.json");
    assert_eq!(opened.get(&format!("{page}files/0/two.md")).body, lesson);
    assert_eq!(opened.get(&format!("{page}files/1/data%2Fsmall.json")).body, SMALL);
    assert_eq!(opened.get(&format!("{page}files/2/private.json")).status, 404);
}

#[test]
fn a_log_that_grows_is_announced_and_followed_to_its_last_name() {
    let (folder, running) = folder_with("app-1.inprogress", "{\"Event\":\"one\"}\n");
    let opened = Opened::start(&["--watch", &running]);
    let (page, _) = opened.enter();
    let listed = || opened.get(&format!("{page}fairlane-files")).body;
    assert_eq!(listed(), "#open=files/0/app-1.inprogress");
    let held = opened.hold(&page);
    held.set_read_timeout(Some(PATIENCE)).expect("a connection");
    let mut lines = BufReader::new(held).lines().map(|line| line.expect("an answer"));
    let text = "{\"Event\":\"one\"}\n{\"Event\":\"two\"}\n";
    fs::write(&running, text).expect("a writable folder");
    assert!(lines.any(|line| line == "changed"));
    assert_eq!(opened.get(&format!("{page}files/0/app-1.inprogress")).body, text);
    fs::rename(&running, folder.path().join("app-1")).expect("a writable folder");
    assert!(lines.any(|line| line == "changed"));
    assert_eq!(listed(), "#open=files/0/app-1");
    assert_eq!(opened.get(&format!("{page}files/0/app-1")).body, text);
}

#[test]
fn others_are_refused() {
    let (_folder, path) = small();
    let opened = Opened::start(&[&path]);
    let (folder, _) = opened.enter();
    let (host, file) = (opened.host.as_str(), format!("{folder}files/0/a"));
    let origin = format!("http://{host}");
    let (_, port) = host.split_once(':').expect("a port");
    let localhost = format!("localhost:{port}");
    let six = format!("[::1]:{port}");
    let six_origin = format!("http://{six}");
    let status =
        |method: &str, path: &str, headers: &[(&str, &str)]| opened.ask(method, path, headers).status;
    for headers in [
        vec![("Host", host)],
        vec![("Host", &localhost)],
        vec![("Host", &six)],
        vec![("Host", &six), ("Origin", &six_origin)],
        vec![("Host", host), ("Origin", &origin)],
        vec![("Host", host), ("Sec-Fetch-Site", "none")],
        vec![("Host", host), ("Sec-Fetch-Site", "same-origin")],
    ] {
        assert_eq!(status("GET", &file, &headers), 200, "{headers:?}");
    }
    // Another name of this machine, as after DNS rebinding, none at all, or two.
    let other_port = format!("{host}1");
    let other_six = format!("[::2]:{port}");
    for headers in [
        vec![("Host", "lab.example")],
        vec![("Host", "127.0.0.1")],
        vec![("Host", "[::1]")],
        vec![("Host", "::1")],
        vec![("Host", &other_six)],
        vec![("Host", &other_port)],
        vec![],
        vec![("Host", host), ("Host", "lab.example")],
        // Pages of other origins, which may be on this machine, too.
        vec![("Host", host), ("Origin", "https://lab.example")],
        vec![("Host", host), ("Origin", "http://127.0.0.1:1")],
        vec![("Host", host), ("Origin", "null")],
        // One name of this server does not read by another.
        vec![("Host", host), ("Origin", &six_origin)],
        vec![("Host", &six), ("Origin", &origin)],
        vec![("Host", host), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")],
        vec![("Host", host), ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "cors")],
        vec![
            ("Host", host),
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Mode", "navigate"),
            ("Sec-Fetch-Dest", "iframe"),
        ],
    ] {
        let refused = status("GET", &file, &headers);
        assert!([400, 403].contains(&refused), "{headers:?}: {refused}");
    }
    // A link in another page leads to the page.
    let link =
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")];
    assert_eq!(status("GET", &folder, &[&[("Host", host)], link.as_slice()].concat()), 200);
    // Without the secret, or elsewhere with it.
    let own = [("Host", host)];
    let mut wrong = folder.clone().into_bytes();
    wrong[1] = if wrong[1] == b'0' { b'1' } else { b'0' };
    let wrong = String::from_utf8(wrong).expect("text");
    for path in [
        "/",
        "/index.html",
        "/files/0/a",
        "/fairlane-files",
        "/fairlane-open",
        wrong.as_str(),
        folder.trim_end_matches('/'),
    ] {
        assert_eq!(status("GET", path, &own), 403, "{path}");
    }
    assert_eq!(status("GET", &format!("http://lab.example{folder}"), &own), 403);
    for path in [
        "files/1/a",
        "files/0",
        "files/",
        "files/-1/a",
        "missing",
        "../Cargo.toml",
        "guide/../../x",
        "/etc/passwd",
    ] {
        assert_eq!(status("GET", &format!("{folder}{path}"), &own), 404, "{path}");
    }
    assert_eq!(
        status("GET", &format!("{folder}fairlane-offline.js"), &own),
        404,
        "nothing is kept of the page"
    );
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        assert_eq!(status(method, &folder, &own), 405, "{method}");
    }
}

/// Whether the machine has this address.
fn has(address: &str) -> bool {
    TcpListener::bind((address, 0)).is_ok()
}

/// All of 127.0.0.0/8 is this machine; on Linux each of its addresses is another one.
#[test]
#[cfg(target_os = "linux")]
fn nothing_but_the_loopback_addresses_listens() {
    let opened = Opened::start(&[]);
    let port: u16 = opened.host.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    assert!(TcpStream::connect(("127.0.0.2", port)).is_err());
    assert_eq!(TcpStream::connect(("::1", port)).is_ok(), has("::1"), "localhost may mean this one");
}

#[test]
fn the_address_ends_with_the_first_page_and_the_command_with_the_last() {
    let mut opened = Opened::start(&["catalog:skew"]);
    let (folder, _) = opened.enter();
    // What looks at the address before the browser opens it spoils nothing.
    assert_eq!(opened.enter().0, folder);
    assert_eq!(opened.ask("HEAD", &format!("{folder}fairlane-open"), &[("Host", &opened.host)]).status, 200);
    let first = opened.hold(&folder);
    let again = opened.get(&format!("/{}", opened.token));
    assert_eq!(again.status, 410, "{}", again.body);
    let second = opened.hold(&folder);
    drop(first);
    assert_eq!(opened.end(Duration::from_secs(7)), None, "a page is open");
    // A page that is loaded again.
    drop(second);
    sleep(Duration::from_secs(1));
    let reloaded = opened.hold(&folder);
    assert_eq!(opened.end(Duration::from_secs(6)), None, "a page is open again");
    drop(reloaded);
    let status = opened.end(PATIENCE).expect("it ends with its last page");
    assert!(status.success(), "{status}");
}

#[test]
fn without_a_page_it_waits_for_one() {
    let mut opened = Opened::start(&[]);
    let (folder, _) = opened.enter();
    assert_eq!(opened.get(&folder).status, 200);
    assert_eq!(opened.end(Duration::from_secs(7)), None);
}

#[test]
#[cfg(target_os = "linux")]
fn the_browser_is_given_the_address() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, browser) = folder_with("browser", "#!/bin/sh\necho \"$1\" >\"$0.opened\"\n");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).expect("a file of ours");
    let page = page();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairlane"));
    command.arg("open").arg("--page").arg(page.path()).env("BROWSER", &browser);
    let opened = Opened::of(&mut command, page);
    let started = Instant::now();
    let written = folder.path().join("browser.opened");
    while fs::read_to_string(&written).unwrap_or_default().is_empty() && started.elapsed() < PATIENCE {
        sleep(Duration::from_millis(50));
    }
    let address = fs::read_to_string(&written).expect("the browser was started");
    assert_eq!(address.trim_end(), format!("http://{}/{}", opened.host, opened.token));
}

#[test]
fn results_are_opened_with_their_scenario() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (fair, uwfq, scenario) = (path("fair.json"), path("uwfq.json"), path("mine.json"));
    fs::write(&scenario, SMALL).expect("a writable folder");
    for (source, policy, trace) in [("catalog:skew", "fair", &fair), ("catalog:skew", "uwfq-p", &uwfq)] {
        printed(&["simulate", source, "--policy", policy, "--hash", "--trace", trace], "");
    }
    let (_, fragment) = Opened::start(&[&fair, "catalog:skew", &uwfq]).enter();
    assert!(fragment.starts_with("catalog:skew&policies=fair,uwfq-p&sum="), "{fragment}");

    let rows = path("rows.jsonl");
    let sweep = printed(&["sweep", "catalog:skew", "--policies", "fair,fifo", "--load", "1,2"], "");
    fs::write(&rows, sweep).expect("a writable folder");
    let (_, fragment) = Opened::start(&["catalog:skew", &rows, &uwfq]).enter();
    assert!(fragment.starts_with("catalog:skew&policies=fifo,fair,uwfq-p&sum="), "{fragment}");

    let page = page();
    let page = page.path().to_str().expect("text");
    let said =
        |arguments: &[&str]| complaint(&[&["open", "--page", page, "--no-browser"], arguments].concat(), "");
    let none = said(&[&scenario, &rows]);
    assert!(none.contains("rows.jsonl: has no row of this scenario as it is"), "{none}");
    let other = said(&[&scenario, &fair]);
    assert!(other.contains("fair.json: is not what fair does in this scenario"), "{other}");
    let second = said(&[&scenario, &fair, "catalog:skew"]);
    assert!(second.contains("catalog:skew: is a second file beside results"), "{second}");
    fs::write(&fair, r#"{ "format": "fairlane/trace@1", "policy": "observed" }"#).expect("a writable folder");
    assert!(said(&[&scenario, &fair]).contains("is what happened in a log"), "{}", said(&[&scenario, &fair]));
}

#[test]
fn faults_of_files_are_known_before_there_is_a_page() {
    let page = page();
    let page = page.path().to_str().expect("text");
    let said = |arguments: &[&str]| {
        complaint(&[&["open", "--page", page, "--no-browser"], arguments].concat(), "{}")
    };
    let (_folder, path) = small();
    assert!(said(&["missing.zstd"]).contains("missing.zstd: No such file; give a Spark event log"));
    let (_wrong, wrong) = folder_with("wrong.json", r#"{ "format": "fairlane/scenario@1", "users": [] }"#);
    assert!(said(&[&wrong]).contains("wrong.json: "), "{}", said(&[&wrong]));
    assert!(said(&["-"]).starts_with("fairlane: standard input: "), "{}", said(&["-"]));
    assert!(said(&["catalog:none"]).contains("none"), "{}", said(&["catalog:none"]));
    for arguments in [["-", path.as_str()], ["catalog:skew", &path]] {
        assert!(said(&arguments).contains("is opened by itself; give nothing else with it"));
    }
    let (_pools, pools) = folder_with("pools.xml", "<allocations/>");
    assert!(said(&[&pools]).contains("pools.xml: declares pools for a log or a scenario; give that, too"));
    assert!(said(&[&pools, &path]).contains("pools.xml: declares no pool; give one"));
    assert!(said(&[&pools, &path, &pools]).contains("pools.xml: is a second pools file"));
    let (_trace, trace) = folder_with("trace.json", r#"{ "format": "fairlane/trace@1", "tasks": [] }"#);
    assert!(
        said(&[&trace])
            .contains("trace.json: is a file of results (fairlane/trace@1), which the page computes")
    );
    let (_observed, observed) =
        folder_with("trace.json", r#"{ "format": "fairlane/trace@1", "policy": "observed", "tasks": [] }"#);
    assert!(said(&[&observed]).contains("is what happened in a log"), "{}", said(&[&observed]));
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../fairlane-import/tests/data/world/14-driver-log.txt");
    assert!(
        said(&[log]).contains("14-driver-log.txt: is not JSON and looks like a driver's log; give the event")
    );
    let title = fairlane::catalog::find("skew").expect("an entry").title;
    let row = format!("{{\"scenario\":\"{title}\",\"policy\":\"fair\"}}\n");
    let (_row, row) = folder_with("rows.jsonl", &row);
    assert!(said(&[&row]).contains("which the page computes itself; open catalog:skew"), "{}", said(&[&row]));
    let (_rows, rows) =
        folder_with("rows.jsonl", "{\"policy\":\"fair\",\"seed\":1}\n{\"policy\":\"uwfq\"}\n");
    assert!(said(&[&rows]).contains("rows.jsonl: has rows of results, which the page computes itself"));
    let (_lesson, lesson) = folder_with("lesson.md", "# A lesson\n");
    assert!(said(&[&lesson, &path]).contains("lesson.md: is a lesson, which brings the files that it names"));
    for arguments in
        [vec!["--watch"], vec!["--watch", "catalog:skew"], vec!["--watch", &path], vec!["--watch", &lesson]]
    {
        assert!(said(&arguments).contains("--watch: follows logs that grow"), "{arguments:?}");
    }
    let empty = tempfile::tempdir().expect("a temporary folder");
    let empty = empty.path().to_str().expect("text");
    assert!(said(&[empty]).contains("has no event log in it"));
    let no_page = complaint(&["open", "--page", empty], "");
    assert!(
        no_page.contains("has no index.html that can be read; give the folder of a built page"),
        "{no_page}"
    );
}

#[test]
#[cfg(not(feature = "page"))]
fn a_command_without_the_page_says_how_to_get_it() {
    let said = complaint(&["open"], "");
    assert!(
        said.contains("built without the page") && said.contains("./fairlane-dev build command"),
        "{said}"
    );
}
