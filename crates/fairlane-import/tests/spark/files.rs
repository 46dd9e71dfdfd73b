//! Compressed, recorded and damaged logs.

use std::fs;
use std::io::{self, Read, Write};

use fairlane::PolicyId;
use fairlane::ids::JobId;
use fairlane::trace::Trace;
use fairlane_import::spark::{ImportOptions, JobUnit, Log, TiesReport, UserRule};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::json;

use super::{Written, default, read, sound, users};

pub(super) fn recorded(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/spark/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read(path).expect("a recorded log")
}

pub(super) fn text_of(name: &str) -> Vec<u8> {
    let mut text = Vec::new();
    GzDecoder::new(recorded(name).as_slice()).read_to_end(&mut text).expect("gzip");
    text
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

type Compress = fn(&[u8]) -> Vec<u8>;

#[test]
fn compressions_are_recognised_and_may_be_cut() {
    let text = Written::new().job(0, 1_000, &[(0, &[], 1)], json!({})).task(0, 0, 1_000, 1_100).text();
    let as_text = default(text.as_bytes());
    // The last line takes several blocks, so that a cut leaves the others whole.
    let filler: String = (0..400_u64).map(|number| (number * 7919 % 10007).to_string()).collect();
    let long = text.clone() + &format!("{{\"Event\":\"Long\",\"text\":\"{filler}\"}}\n");
    let compressions: [Compress; 4] = [gzip, |bytes| gzip(&gzip(bytes)), lz4, zstd];
    for compressed in compressions {
        assert_eq!(default(&compressed(text.as_bytes())).observed, as_text.observed);
        let whole = compressed(long.as_bytes());
        let cut = default(&whole[..whole.len() - 30]);
        assert_eq!((cut.report.events.cut.len(), &cut.observed), (1, &as_text.observed));
    }
    let members = [gzip(&text.as_bytes()[..100]), gzip(&text.as_bytes()[100..])].concat();
    assert_eq!(default(&members).observed, as_text.observed);
}

/// Spark's lz4: blocks of 64 bytes, then the end of the stream.
fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in bytes.chunks(64).chain([&[][..]]) {
        let checksum =
            if part.is_empty() { 0 } else { xxhash_rust::xxh32::xxh32(part, 0x9747_b28c) & 0x0fff_ffff };
        let length = (part.len() as u32).to_le_bytes();
        out.extend(
            [b"LZ4Block".as_slice(), &[0x16], &length, &length, &checksum.to_le_bytes(), part].concat(),
        );
    }
    out
}

/// Frames of uncompressed blocks, with one that is to be skipped.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
    for part in bytes.chunks(100) {
        // A window of 1 KB, one last raw block.
        out.extend(b"\x28\xb5\x2f\xfd\x00\x00");
        out.extend(&((part.len() as u32) << 3 | 1).to_le_bytes()[..3]);
        out.extend(part);
    }
    out
}

#[test]
fn bombs_are_refused() {
    let error = read(&gzip(&vec![b'\n'; 80 << 20])).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("decompresses to more than 500 times its size"), "{error}");
    let line = read(vec![b' '; 65 << 20].as_slice()).err().map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(line, "log: is longer than 64 MB, as no line of an event log is");
    // A window that would fill the memory.
    assert!(read(b"\x28\xb5\x2f\xfd\x00\xf8\x01\0\0").is_err());
}

#[test]
fn recorded_failures_are_imported() {
    let import = default(&recorded("faults.gz"));
    let (tasks, jobs) = (&import.report.tasks, &import.report.jobs);
    assert_eq!((tasks.imported, tasks.failed, tasks.killed), (130, 13, 4));
    assert_eq!((jobs.executions_in_log, jobs.executions_without_job, jobs.executions_nested), (23, 3, 2));
    assert_eq!((jobs.executions_failed, jobs.spark_failed, jobs.imported), (2, 2, 19));
}

#[test]
fn a_log_cut_in_a_line_is_imported_up_to_there() {
    let import = default(&recorded("killed-midline.inprogress.gz"));
    assert_eq!(import.report.events.cut, ["log ends in the middle of line 444"]);
    // Three tasks ran when it ended.
    let tasks = &import.report.tasks;
    assert_eq!((tasks.imported, tasks.unfinished, tasks.left_out.len()), (169, 3, 0));
}

#[test]
fn a_cluster_and_zstd_frames_are_imported() {
    let cluster = default(&recorded("pitfalls-cluster.gz"));
    assert_eq!((cluster.scenario.cluster().executors, cluster.scenario.cluster().cores_per_executor), (2, 2));
    let local = default(&recorded("pitfalls-local.zstd"));
    assert_eq!((cluster.report.tasks.imported, local.report.tasks.imported), (58, 58));
    assert_eq!(users(&local), ["user", "ann", "bob", "cid", "dee"]);
}

/// The four users' executions of the recorded multi-user run, simulated under the scheduler it ran with.
#[test]
fn simulated_responses_are_near_the_recorded_ones() {
    let import = default(&recorded("multi-fair.gz"));
    assert_eq!((import.report.tasks.imported, import.report.jobs.sql), (1143, 49));
    // Counted once more by a program of its own, from the log's lines.
    let ties = TiesReport { contested: 425, ties: 342, to_first: 337 };
    assert_eq!(import.report.cluster.ties, Some(ties));
    let policy: PolicyId = import.report.cluster.ran_with.parse().expect("a policy");
    let simulated = fairlane::simulate(&import.scenario, policy);
    let ours = |job: &&usize| !["setup", "root"].contains(&import.scenario.user_name(JobId(**job as u32)));
    let jobs: Vec<usize> = (0..import.scenario.jobs().len()).collect();
    let errors = jobs.iter().filter(ours).map(|&job| {
        let response = |trace: &Trace| trace.jobs[job].response().map_or(0.0, |span| span.seconds());
        (response(&simulated) / response(&import.observed) - 1.0).abs()
    });
    let errors: Vec<f64> = errors.collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert_eq!(errors.len(), 21);
    assert!(mean < 0.15, "{mean}");
}

/// Numbers without a pattern, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Damages a text as disks, killed processes and hands do.
fn damaged(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=random.below(6) {
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(7) {
            0 => drop(lines.remove(at)),
            1 => lines.swap(at, other),
            2 => lines.insert(at, lines[other].clone()),
            3 => lines.truncate(at + 1),
            // Digits of ids and instants, which leave the JSON correct.
            4 | 5 => {
                let digits: Vec<usize> =
                    (0..lines[at].len()).filter(|&index| lines[at][index].is_ascii_digit()).collect();
                for _ in 0..4 {
                    if let Some(&index) = digits.get(random.below(digits.len())) {
                        lines[at][index] = b'0' + random.below(10) as u8;
                    }
                }
            }
            _ => {
                let index = random.below(lines[at].len());
                if let Some(byte) = lines[at].get_mut(index) {
                    *byte = random.below(256) as u8;
                }
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join(&b'\n')
}

/// Whatever is in a file, it is imported soundly or refused with a sentence.
fn survives(bytes: &[u8]) {
    let Ok(log) = read(bytes) else { return };
    for jobs in [JobUnit::Spark, JobUnit::Sql] {
        if let Ok(import) =
            log.import(&ImportOptions { jobs: Some(jobs), users: UserRule::Auto, ..ImportOptions::default() })
        {
            sound(import);
        }
    }
}

#[test]
fn damaged_logs_are_imported_soundly_or_refused() {
    let faults = text_of("faults.gz");
    let lines: Vec<&[u8]> = faults.split(|&byte| byte == b'\n').filter(|line| line.len() < 20_000).collect();
    let faults = lines.join(&b'\n');
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..80 {
        survives(&damaged(&faults, &mut random));
    }
}

#[test]
fn damaged_compression_is_an_error_or_a_cut() {
    let text = Written::new().job(0, 1_000, &[(0, &[], 1)], json!({})).task(0, 0, 1_000, 1_100).text();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let zstd = recorded("pitfalls-local.zstd");
    for whole in
        [gzip(text.as_bytes()), lz4(text.as_bytes()), zstd, recorded("codec.snappy"), recorded("codec.lzf")]
    {
        for _ in 0..200 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let index = random.below(bytes.len());
                bytes[index] = random.below(256) as u8;
            }
            bytes.truncate(bytes.len() - random.below(2) * random.below(bytes.len()));
            survives(&bytes);
        }
    }
}

/// A reader that gives one byte at a time, as slow pipes do.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (Some((&first, rest)), false) = (self.0.split_first(), buffer.is_empty()) else { return Ok(0) };
        (buffer[0], self.0) = (first, rest);
        Ok(1)
    }
}

#[test]
fn slow_readers_and_several_files_make_no_difference() {
    let text = Written::new().job(0, 1_000, &[(0, &[], 1)], json!({})).task(0, 0, 1_000, 1_100).text();
    let whole = default(text.as_bytes());
    let (first, second) = text.split_at(text.find("\n").map_or(0, |end| end + 1));
    let mut log = Log::default();
    log.read("events_1", Slow(first.as_bytes())).expect("a part");
    log.read("events_2", Slow(&gzip(second.as_bytes()))).expect("the other part");
    let parts = sound(log.import(&ImportOptions::default()).expect("a log"));
    assert_eq!((parts.observed, parts.report.events.files), (whole.observed, 2));
}
