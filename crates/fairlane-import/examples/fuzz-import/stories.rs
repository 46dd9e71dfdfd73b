//! Short logs cut out of the recorded ones: the beginning of the log, and some lines from a job's start on.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use rand_chacha::ChaCha8Rng;
use ruzstd::decoding::StreamingDecoder;
use serde_json::Value;

use crate::damage::below;

/// Long fields that an import does not read. Without them an input takes a fraction of the time.
const LONG: [&str; 12] = [
    "Accumulables",
    "physicalPlanDescription",
    "sparkPlanInfo",
    "Details",
    "details",
    "Stack Trace",
    "Full Stack Trace",
    "Updated Blocks",
    "modifiedConfigs",
    "Task Executor Metrics",
    "Classpath Entries",
    "System Properties",
];
/// What a log's beginning consists of.
const BEGINNINGS: [&str; 5] =
    ["LogStart", "ExecutorAdded", "BlockManagerAdded", "EnvironmentUpdate", "ApplicationStart"];

/// The lines of a recorded log.
struct Recorded {
    /// As Spark wrote them.
    whole: Vec<Vec<u8>>,
    /// Without long fields.
    short: Vec<Vec<u8>>,
    /// The lines at which something begins.
    starts: Vec<usize>,
    /// The lines of the log's beginning.
    beginning: Vec<usize>,
}

pub(crate) struct Stories(Vec<Recorded>);

impl Stories {
    /// Stories of the recorded logs of the tests.
    pub(crate) fn recorded() -> Stories {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let names = [
            "faults.gz",
            "killed-midline.inprogress.gz",
            "loss-map.gz",
            "multi-fair.gz",
            "spec-plain.gz",
            "pitfalls-cluster.gz",
            "pitfalls-local.zstd",
        ];
        let recorded = names.iter().map(|name| data.join("spark").join(name));
        let world = fs::read_dir(data.join("world")).expect("a folder of cases");
        let world = world.map(|entry| entry.expect("a case").path());
        let mut world: Vec<PathBuf> =
            world.filter(|path| path.to_string_lossy().contains(".ndjson")).collect();
        world.sort();
        Stories(recorded.chain(world).map(|path| Recorded::read(&path)).collect())
    }

    /// The lines of a log.
    pub(crate) fn story(&self, random: &mut ChaCha8Rng) -> Vec<Vec<u8>> {
        let recorded = &self.0[below(random, self.0.len())];
        let lines = if below(random, 32) == 0 { &recorded.whole } else { &recorded.short };
        if below(random, 4096) == 0 {
            return lines.clone();
        }
        let start = recorded.starts[below(random, recorded.starts.len())];
        let length = [3, 6, 12, 24][below(random, 4)];
        let beginning = recorded.beginning.iter().filter(|&&line| line < start);
        let lines = beginning.map(|&line| &lines[line]).chain(lines[start..].iter().take(length));
        lines.cloned().collect()
    }
}

impl Recorded {
    fn read(path: &Path) -> Recorded {
        let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut text = Vec::new();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text).expect("gzip");
        } else if bytes.starts_with(b"{") {
            text = bytes;
        } else {
            // Spark ends a frame whenever it flushes.
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                StreamingDecoder::new(&mut rest).expect("zstd").read_to_end(&mut text).expect("zstd");
            }
        }
        let whole: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let is = |line: &[u8], names: &[&str]| {
            let head = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
            names.iter().any(|name| head.contains(&format!("{name}\"")))
        };
        let find = |names: &[&str]| (0..whole.len()).filter(|&line| is(&whole[line], names)).collect();
        let (starts, beginning) = (find(&["JobStart", "SQLExecutionStart"]), find(&BEGINNINGS));
        let short = whole.iter().map(|line| match serde_json::from_slice(line) {
            Ok(mut value) => {
                shorten(&mut value);
                text_of(&value)
            }
            Err(_) => line[..line.len().min(2_000)].to_vec(),
        });
        Recorded { short: short.collect(), whole, starts, beginning }
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                let long_setting =
                    name.starts_with("spark.") && value.as_str().is_some_and(|text| text.len() > 60);
                !LONG.contains(&name.as_str()) && !long_setting
            });
            fields.values_mut().for_each(shorten);
        }
        Value::Array(list) => {
            list.truncate(6);
            list.iter_mut().for_each(shorten);
        }
        _ => {}
    }
}

/// An event as Spark writes it: its name first.
pub(crate) fn text_of(value: &Value) -> Vec<u8> {
    let Some((fields, name)) = value.as_object().and_then(|fields| Some((fields, fields.get("Event")?)))
    else {
        return value.to_string().into_bytes();
    };
    let others = fields.iter().filter(|(field, _)| *field != "Event");
    let others: String =
        others.map(|(field, value)| format!(",{}:{value}", Value::from(field.as_str()))).collect();
    format!("{{\"Event\":{name}{others}}}").into_bytes()
}
