//! Logs in the forms in which people have them: Spark's other codecs, zip archives.

use std::io::{Cursor, Write};

use fairlane_import::spark::{Import, ImportError, ImportOptions, Log};
use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::files::recorded;
use super::{Written, default, read, sound, users};

/// An archive as Java writes it: without the sizes before each file, and with its folder.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new_stream(Vec::new());
    archive.add_directory("eventlog_v2_app-1", SimpleFileOptions::default()).expect("memory");
    for (name, bytes) in files {
        archive.start_file(*name, SimpleFileOptions::default()).expect("memory");
        archive.write_all(bytes).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

fn unpacked(bytes: &[u8]) -> Result<Import, ImportError> {
    let mut log = Log::default();
    log.read_file("logs.zip", Cursor::new(bytes))?;
    log.import(&ImportOptions::default()).map(sound)
}

fn message(bytes: &[u8]) -> String {
    unpacked(bytes).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn snappy_and_lzf_of_real_spark_are_the_same_log() {
    let [snappy, lzf] = ["codec.snappy", "codec.lzf"].map(|name| default(&recorded(name)));
    assert_eq!((snappy.report.tasks.imported, snappy.report.jobs.imported), (14, 3));
    assert_eq!(snappy.observed, lzf.observed);
}

#[test]
fn snappy_and_lzf_may_be_cut_and_continued() {
    for name in ["codec.snappy", "codec.lzf"] {
        let whole = recorded(name);
        let cut = &whole[..whole.len() - 30];
        // A log of one block has nothing before the cut.
        let nothing = read(cut).err().map(|error| error.to_string());
        assert_eq!(nothing.as_deref(), Some("log: is cut off before its first event; copy it again"));
        // Another stream in the same file.
        let continued = read(&[&whole, cut].concat()).expect("a log");
        let import = sound(continued.import(&ImportOptions::default()).expect("a log"));
        assert_eq!((import.report.tasks.imported, import.report.events.cut.len()), (14, 1), "{name}");
    }
}

#[test]
fn a_rolling_log_in_an_archive_is_read_by_number() {
    let text = Written::new().job(0, 1_000, &[(0, &[], 1)], json!({})).task(0, 0, 1_000, 1_100).text();
    let (first, second) = text.split_at(text.find('\n').map_or(0, |end| end + 1));
    let archive = zip(&[
        ("eventlog_v2_app-1/events_10_app-1", second.as_bytes()),
        ("eventlog_v2_app-1/events_9_app-1", first.as_bytes()),
        ("eventlog_v2_app-1/appstatus_app-1", b""),
    ]);
    let import = unpacked(&archive).expect("an archive");
    assert_eq!((import.observed, import.report.events.files), (default(text.as_bytes()).observed, 2));
    let recorded = recorded("codec.snappy");
    let import = unpacked(&zip(&[("local-1.snappy", &recorded)])).expect("an archive");
    assert_eq!(users(&import), users(&default(&recorded)));
}

#[test]
fn damaged_archives_are_errors_with_a_place() {
    let text = Written::new().job(0, 1_000, &[(0, &[], 1)], json!({})).task(0, 0, 1_000, 1_100).text();
    let whole = zip(&[("app-1", text.as_bytes())]);
    let cut = message(&whole[..whole.len() / 2]);
    assert!(
        cut.starts_with("logs.zip: is a damaged zip archive (") && cut.ends_with("download it again"),
        "{cut}"
    );
    assert_eq!(message(&zip(&[])), "logs.zip: has no event log in it; give an archive of one");
    let start = |app: &str, attempt: &str| {
        format!(
            "{{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"a\",\"App ID\":\"{app}\",\
             \"App Attempt ID\":\"{attempt}\"}}\n"
        )
    };
    let [one, again, other] = [start("a", "1"), start("a", "2"), start("b", "1")];
    assert_eq!(
        message(&zip(&[("a_1", one.as_bytes()), ("a_2", again.as_bytes())])),
        "logs.zip/a_2, line 1: begins attempt 2 of the application, but the lines before are of attempt 1; \
         import one at a time"
    );
    let several = message(&zip(&[("a", one.as_bytes()), ("b", other.as_bytes())]));
    assert!(several.starts_with("logs.zip/b, line 1: begins the application b"), "{several}");
    let bomb = message(&zip(&[("app-1", &vec![b'\n'; 80 << 20])]));
    assert!(bomb.starts_with("logs.zip/app-1: decompresses to more than 500 times its size"), "{bomb}");
    // Every damage of a byte is found, changes nothing or cuts the log: then what ran has no end.
    let as_text = default(text.as_bytes()).observed;
    for index in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[index] ^= 0x10;
        if let Ok(import) = unpacked(&bytes)
            && import.report.events.cut.is_empty()
        {
            assert_eq!(import.observed, as_text, "byte {index}");
        }
    }
}
