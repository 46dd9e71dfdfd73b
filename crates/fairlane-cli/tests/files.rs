//! Files that the command reads and writes: none is lost, whatever it is called.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::command::*;

const FAIRLANE: &str = env!("CARGO_BIN_EXE_fairlane");

fn scenario_in(folder: &Path) -> String {
    let path = folder.join("small.json");
    fs::write(&path, SMALL).expect("a writable folder");
    path.to_str().expect("text").to_owned()
}

/// A folder with the scenario.
fn place() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = scenario_in(folder.path());
    (folder, scenario)
}

#[track_caller]
fn refused(args: &[&str], reason: &str) {
    let message = complaint(args, SMALL);
    assert!(message.contains(reason), "{args:?}: {message}");
}

fn simulate(scenario: &str, trace: &str, reason: &str) {
    refused(&["simulate", scenario, "--policy", "fifo", "--trace", trace], reason);
    let scenario = scenario.trim_start_matches("./");
    if scenario != "-" {
        assert_eq!(fs::read_to_string(scenario).expect("the scenario"), SMALL, "the input is as it was");
    }
}

#[test]
fn an_output_that_is_the_input_is_refused() {
    let (folder, scenario) = place();
    let here = folder.path().to_str().expect("text");
    simulate(&scenario, &scenario, "is also read; name another file");
    simulate(&scenario, &format!("{here}/./small.json"), "is the same file as");
    fs::create_dir(folder.path().join("inner")).expect("a folder");
    simulate(&scenario, &format!("{here}/inner/../small.json"), "is the same file as");
    let output = |args: &[&str]| refused(args, "is also read");
    output(&["generate", "--spec", &scenario, "--output", &scenario]);
    output(&["sweep", &scenario, "--out", &scenario]);
    let pools = format!("{here}/pools.xml");
    fs::write(&pools, "<allocations/>").expect("a file");
    output(&["sweep", "catalog:skew", "--policies", "spark", "--pools", &pools, "--out", &pools]);
    let program = format!("{here}/mine.rhai");
    fs::write(&program, "rank").expect("a file");
    output(&["simulate", &scenario, "--policy", &format!("custom:{program}"), "--trace", &program]);
    let workload = format!("{here}/workload.json");
    fs::copy(&scenario, &workload).expect("a copy");
    output(&["spark-export", &workload, "--policy", "fair", "-o", here]);
    assert_eq!(fs::read_to_string(&workload).expect("the scenario"), SMALL);
    assert_eq!(names_in(folder.path()), ["inner", "mine.rhai", "pools.xml", "small.json", "workload.json"]);
}

#[cfg(unix)]
#[test]
fn links_to_the_input_are_the_input() {
    let (folder, scenario) = place();
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    std::os::unix::fs::symlink(&scenario, at("symbolic")).expect("a link");
    fs::hard_link(&scenario, at("hard")).expect("a link");
    for name in ["symbolic", "hard"] {
        simulate(&scenario, &at(name), "is the same file as");
        simulate(&at(name), &scenario, "is the same file as");
    }
}

#[test]
fn two_outputs_of_one_file_are_refused() {
    let (folder, _) = place();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fairlane-import/tests/data/spark/faults.gz");
    let log = log.to_str().expect("text");
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let import = |scenario: &str, observed: &str| {
        complaint(&["import", log, "--scenario", &at(scenario), "--observed", &at(observed)], "")
    };
    assert!(import("a.json", "a.json").contains("two outputs would go to this file"));
    assert!(import("a.json", "./a.json").contains("another output; name a file for each"));
    // On some file systems they are one.
    assert!(import("a.json", "A.json").contains("another output"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("later.json", at("dangling")).expect("a link");
        assert!(import("dangling", "later.json").contains("another output"));
        // A link to a file that does not exist yet is kept, too.
        standard_output(
            fairlane(&["import", log, "--scenario", &at("dangling"), "--observed", &at("other")]).assert(),
        );
        assert!(fs::symlink_metadata(at("dangling")).expect("the link").is_symlink());
        assert!(fs::read_to_string(at("later.json")).expect("the scenario").contains("fairlane/scenario@1"));
    }
    // Where the second cannot be written, there is not the first either.
    let message = complaint(&["import", log, "--scenario", &at("none/a"), "--observed", &at("b")], "");
    assert!(message.contains("No such folder"), "{message}");
    assert!(!Path::new(&at("b")).exists());
}

#[test]
fn a_folder_that_is_read_is_not_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fairlane-import/tests/data/spark/faults.gz");
    fs::copy(data, folder.path().join("events_1_app")).expect("a copy");
    let here = folder.path().to_str().expect("text");
    let message = complaint(&["import", here, "--scenario", &format!("{here}/scenario.json")], "");
    assert!(message.contains("all files of which are read; name a file elsewhere"), "{message}");
    assert_eq!(names_in(folder.path()), ["events_1_app"]);
}

/// The command with its standard input and output redirected to files.
fn redirected(args: &[&str], input: Stdio, output: Stdio) -> Output {
    Command::new(FAIRLANE)
        .args(args)
        .stdin(input)
        .stdout(output)
        .stderr(Stdio::piped())
        .output()
        .expect("the command runs")
}

fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn redirections_are_inputs_and_outputs() {
    let (folder, scenario) = place();
    let open = |path: &str| File::options().read(true).append(true).create(true).open(path).expect("a file");
    let trace = |to: &str| ["simulate", "-", "--policy", "fifo", "--trace", to].map(str::to_owned);
    let from_itself = trace(&scenario);
    let from_itself: Vec<&str> = from_itself.iter().map(String::as_str).collect();
    let (code, message) = said(&redirected(&from_itself, open(&scenario).into(), Stdio::null()));
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("is the same file as standard input, which is read"), "{message}");
    let both = folder.path().join("both").to_str().expect("text").to_owned();
    let args = ["simulate", &scenario, "--policy", "fifo", "--trace", &both];
    let (code, message) = said(&redirected(&args, Stdio::null(), open(&both).into()));
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("is the same file as standard output, another output"), "{message}");
    let args = ["compare", scenario.as_str()];
    let (code, message) = said(&redirected(&args, Stdio::null(), open(&scenario).into()));
    assert_eq!(code, Some(2), "{message}");
    assert!(message.contains("standard output: is the same file as"), "{message}");
    assert_eq!(fs::read_to_string(&scenario).expect("the scenario"), SMALL);
}

#[cfg(unix)]
#[test]
fn a_closed_standard_output_is_an_error() {
    for arguments in ["catalog", "--help", "simulate catalog:skew --policy fair --hash", "sweep catalog:skew"]
    {
        let script = format!("exec \"$0\" {arguments} >&-");
        let output = Command::new("sh").args(["-c", &script, FAIRLANE]).output().expect("a shell");
        let (code, message) = said(&output);
        assert_eq!(code, Some(2), "{arguments}: {message}");
        assert!(
            message.starts_with("fairlane: standard output: cannot be written: it is closed"),
            "{message}"
        );
    }
    let output = Command::new("sh").args(["-c", "exec \"$0\" catalog >/dev/null", FAIRLANE]).output();
    assert_eq!(said(&output.expect("a shell")), (Some(0), String::new()));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let marked = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("\u{feff}{text}")).expect("a writable folder");
        path.to_str().expect("text").to_owned()
    };
    let scenario = marked("small.json", SMALL);
    let program = marked("mine.rhai", "rank");
    let policy = format!("custom:{program}");
    let hash = |from: &str, input: &str| printed(&["simulate", from, "--policy", &policy, "--hash"], input);
    assert_eq!(hash(&scenario, ""), hash("-", SMALL));
    assert_eq!(hash("-", &format!("\u{feff}{SMALL}")), hash("-", SMALL));
    let line = SMALL.replace('\n', " ");
    let batch = ["batch", "--policy", "fair"];
    assert_eq!(printed(&batch, &format!("\u{feff}{line}\n")), printed(&batch, &format!("{line}\n")));
    let pools = marked("pools.xml", "<allocations><pool name=\"etl\"/></allocations>");
    printed(&["sweep", "catalog:skew", "--policies", "spark", "--pools", &pools], "");
    let table = marked("tasks.csv", "at,took\n0,5\n");
    let to = folder.path().join("scenario.json").to_str().expect("text").to_owned();
    let columns = ["--columns", "submit=at,runtime=took", "--cores", "1"];
    printed(&[&["import", &table, "--scenario", &to][..], &columns].concat(), "");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fairlane-import/tests/data/spark/faults.gz");
    let mut log = String::new();
    std::io::Read::read_to_string(
        &mut flate2::read::GzDecoder::new(File::open(data).expect("a log")),
        &mut log,
    )
    .expect("text");
    let log = marked("log", &log);
    printed(&["import", &log, "--scenario", &to], "");
}

#[cfg(target_os = "linux")]
#[test]
fn paths_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join(OsStr::from_bytes(b"\xe9t\xe9"));
    fs::create_dir(&inner).expect("a folder");
    scenario_in(folder.path());
    let at = |name: &[u8]| inner.join(OsStr::from_bytes(name));
    let scenario = at(b"\xff.json");
    fs::write(&scenario, SMALL).expect("a file");
    fs::write(at(b"mine.rhai"), "rank").expect("a file");
    fs::write(at(b"pools\xff.xml"), "<allocations><pool name=\"etl\"/></allocations>").expect("a file");
    let done = |arguments: &[&OsStr]| standard_output(fairlane(&[]).args(arguments).assert());
    let word = OsStr::new;
    let mut policy = word("custom:").to_owned();
    policy.push(at(b"mine.rhai"));
    let trace = at(b"trace\xfe");
    done(&[
        word("simulate"),
        scenario.as_os_str(),
        word("--policy"),
        &policy,
        word("--trace"),
        trace.as_os_str(),
    ]);
    assert!(trace.exists());
    done(&[word("compare"), scenario.as_os_str(), word("--policies"), &policy]);
    let rows = at(b"rows\xfe");
    done(&[
        word("sweep"),
        scenario.as_os_str(),
        word("--policies"),
        word("spark"),
        word("--pools"),
        at(b"pools\xff.xml").as_os_str(),
        word("--out"),
        rows.as_os_str(),
    ]);
    assert!(rows.exists());
    let spec = at(b"spec\xfd");
    done(&[word("generate"), word("--print-spec"), word("--output"), spec.as_os_str()]);
    done(&[word("generate"), word("--spec"), spec.as_os_str()]);
    let exported = at(b"exported\xfc");
    done(&[
        word("spark-export"),
        scenario.as_os_str(),
        word("--policy"),
        word("fair"),
        word("-o"),
        exported.as_os_str(),
    ]);
    assert!(exported.join("play.py").exists());
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fairlane-import/tests/data/spark/faults.gz");
    fs::copy(log, at(b"log\xfb.gz")).expect("a copy");
    let imported = at(b"imported\xfa");
    done(&[
        word("import"),
        at(b"log\xfb.gz").as_os_str(),
        word("--pools"),
        at(b"pools\xff.xml").as_os_str(),
        word("--scenario"),
        imported.as_os_str(),
    ]);
    assert!(imported.exists());
}

#[test]
fn an_export_is_a_whole_folder_or_none() {
    let (folder, scenario) = place();
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let export = |to: &str| fairlane(&["spark-export", &scenario, "--policy", "fair", "-o", to]).assert();
    standard_output(export(&at("a/b/c")));
    assert_eq!(names_in(&folder.path().join("a/b/c")), ["play.py", "pools.xml", "workload.json"]);
    // Once more, over the first one and beside other files.
    fs::write(at("a/b/c/notes"), "mine").expect("a file");
    standard_output(export(&at("a/b/c")));
    assert_eq!(names_in(&folder.path().join("a/b/c")), ["notes", "play.py", "pools.xml", "workload.json"]);
    // One of the files cannot be written.
    fs::create_dir_all(at("d/pools.xml")).expect("a folder");
    assert!(standard_error(export(&at("d"))).contains("pools.xml: Is a directory"));
    assert_eq!(names_in(&folder.path().join("d")), ["pools.xml"]);
    assert!(standard_error(export(&format!("{scenario}/below"))).contains("below: cannot be written"));
    assert_eq!(names_in(folder.path()), ["a", "d", "small.json"]);
}

/// The disk is full after the first file.
#[cfg(unix)]
#[test]
fn an_export_to_a_full_disk_leaves_nothing() {
    let (folder, scenario) = place();
    let mut shell = assert_cmd::Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" spark-export \"$1\" --policy fair -o \"$2\"";
    let to = folder.path().join("new/folder");
    let message = standard_error(shell.args(["-c", script, FAIRLANE, &scenario]).arg(&to).assert());
    assert!(message.contains("cannot be written"), "{message}");
    assert_eq!(names_in(folder.path()), ["small.json"]);
}

#[test]
fn names_are_shown_escaped() {
    let hostile = SMALL
        .replace("Small", "\\u001b]0;owned\\u0007")
        .replace("report", "\\u001b[2J\\u009bm\\nrep\\u202eort")
        .replace("\"ana\"", "\"a\\tna\"");
    for args in [
        &["simulate", "-", "--policy", "uwfq"][..],
        &["simulate", "-", "--policy", "bopf", "--decisions"],
        &["simulate", "-", "--policy", "uwfq", "--by", "group"],
        &["compare", "-", "--metrics", "all"],
        &["properties", "-"],
        &["spark-export", "-", "--policy", "fair", "-o", "\u{1b}[2J"],
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let table =
            standard_output(fairlane(args).current_dir(&folder).write_stdin(hostile.as_str()).assert());
        assert!(table.chars().all(|c| c == '\n' || !c.is_control()), "{table}");
    }
    let table = printed(&["simulate", "-", "--policy", "uwfq"], &hostile);
    assert!(table.contains(r"\u001b[2J\u009bm\nrep\u202eort") && table.contains(r"a\tna"), "{table}");
    let message = complaint(&["compare", "\u{1b}[2J.json"], "");
    assert!(message.starts_with("fairlane: \\u001b[2J.json: No such file"), "{message}");
    let unknown = hostile.replace("\"weight\"", "\"wei\\u001bght\"");
    assert!(!complaint(&["compare", "-"], unknown).contains('\u{1b}'));
}

/// What a program reads is as it is in the scenario.
#[test]
fn json_keeps_names_as_they_are() {
    let hostile = SMALL.replace("report", "a\\u202eb\\u009bc");
    let output = json(&["simulate", "-", "--policy", "fifo", "--format", "json"], &hostile);
    assert_eq!(output["jobs"][0]["name"], "a\u{202e}b\u{9b}c");
}

#[test]
fn pools_files_are_bounded_and_questioned() {
    let folder = tempfile::tempdir().expect("a folder");
    let pools = |text: &str| {
        let path = folder.path().join("pools.xml");
        File::create(&path).and_then(|mut file| file.write_all(text.as_bytes())).expect("a file");
        fairlane(&["sweep", "catalog:skew", "--policies", "spark", "--pools"]).arg(path).assert()
    };
    let login = standard_error(pools("<html><body>Please log in</body></html>"));
    assert!(login.contains("pools.xml: is a web page, such as one that asks to log in"), "{login}");
    assert!(standard_error(pools(&"x".repeat(2 << 20))).contains("exceeds the limit of 1 MB"));
    let faulty = pools("<allocations><pool name=\"etl\"><weight>NaN</weight></pool></allocations>").success();
    let remark = String::from_utf8_lossy(&faulty.get_output().stderr).into_owned();
    assert!(remark.contains("weight \"NaN\" is not a whole number from 0; 1 is used"), "{remark}");
    let endless = fairlane(&["sweep", "catalog:skew", "--pools", "/dev/zero"]).assert();
    assert!(standard_error(endless).contains("exceeds the limit of 1 MB"));
}
