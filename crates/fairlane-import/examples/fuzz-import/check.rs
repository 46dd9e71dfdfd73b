//! What must hold of every import.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::Cursor;
use std::time::Duration;

use fairlane::Scenario;
use fairlane_import::spark::files::in_order;
use fairlane_import::spark::{EstimateModel, Import, ImportOptions, JobUnit, Logs, UserRule};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::damage::below;
use crate::files::{Files, Story};

/// What became of the inputs.
#[derive(Default)]
pub(crate) struct Counts {
    inputs: u64,
    imported: u64,
    /// Imports with something left out, cut, or moved.
    with_loss: u64,
    tasks: u64,
    refused_reading: u64,
    refused_importing: u64,
    bombs: u64,
    /// Inputs whose tasks were also counted here, line by line.
    recounted: u64,
    /// Most memory of an input, in bytes.
    pub(crate) most_bytes: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Counts) {
        self.inputs += other.inputs;
        self.imported += other.imported;
        self.with_loss += other.with_loss;
        self.tasks += other.tasks;
        self.refused_reading += other.refused_reading;
        self.refused_importing += other.refused_importing;
        self.bombs += other.bombs;
        self.recounted += other.recounted;
        self.most_bytes = self.most_bytes.max(other.most_bytes);
    }

    /// A summary for people.
    pub(crate) fn text(&self, seed: u64, time: Duration) -> String {
        let mut text = format!("{} inputs of seed {seed} in {:.0} s:", self.inputs, time.as_secs_f64());
        let _ = write!(
            text,
            " {} imported with {} tasks ({} not as they were), {} refused by a file or line, {} as a whole, {} bombs \
             refused. Tasks counted again: {} inputs. Most memory: {:.1} MB.",
            self.imported,
            self.tasks,
            self.with_loss,
            self.refused_reading,
            self.refused_importing,
            self.bombs,
            self.recounted,
            self.most_bytes as f64 / 1e6
        );
        text
    }
}

/// Imports the files as `fairlane import` does, and checks what comes out.
///
/// # Errors
/// What is wrong, as the end of a sentence that begins with the input.
pub(crate) fn import(files: &Files, random: &mut ChaCha8Rng, counts: &mut Counts) -> Result<(), String> {
    counts.inputs += 1;
    let names: Vec<&str> = files.files.iter().map(|(name, _)| name.as_str()).collect();
    let mut logs = Logs::default();
    for index in in_order(&names) {
        let (name, bytes) = &files.files[index];
        if let Err(error) = logs.read_file(name, Cursor::new(bytes)) {
            let is_bomb = matches!(files.story, Story::Bomb);
            *(if is_bomb { &mut counts.bombs } else { &mut counts.refused_reading }) += 1;
            return names_place(&error.to_string(), name);
        }
    }
    if matches!(files.story, Story::Bomb) {
        return Err("is a decompression bomb and was read".to_owned());
    }
    let options = ImportOptions {
        jobs: [None, Some(JobUnit::Spark), Some(JobUnit::Sql)][below(random, 3)],
        users: UserRule::WORDS[below(random, UserRule::WORDS.len())].parse().expect("a rule"),
        estimates: [EstimateModel::Perfect, EstimateModel::Earlier, EstimateModel::Factor(0.1)]
            [below(random, 3)],
        ..ImportOptions::default()
    };
    let import = match logs.into_log().and_then(|log| log.import(&options)) {
        Ok(import) => import,
        Err(error) => {
            counts.refused_importing += 1;
            return names_place(&error.to_string(), "");
        }
    };
    // Whether bytes that are no text make a line unreadable depends on what reads them.
    if let Story::Text(texts, _) = &files.story
        && texts.iter().all(|text| std::str::from_utf8(text).is_ok())
        && import.report.applications.is_empty()
    {
        counts.recounted += 1;
        let tasks: BTreeSet<u64> = texts.iter().flat_map(|text| tasks_of(text)).collect();
        // A file's last line may be cut in a way that leaves it readable here.
        let (counted, in_log) = (tasks.len() as u64, import.report.tasks.in_log);
        let cut = import.report.events.cut.len() as u64;
        equal("tasks in the log", counted.clamp(in_log, in_log + cut), counted)?;
    }
    counts.imported += 1;
    counts.tasks += import.report.tasks.imported;
    let with_loss = !import.report.tasks.left_out.is_empty() || !import.report.events.cut.is_empty();
    counts.with_loss += u64::from(with_loss || import.report.observed.moved > 0);
    sound(&import)?;
    if below(random, 16) == 0 {
        let again = Scenario::from_json(&import.scenario.to_json())
            .map_err(|error| format!("gives a scenario that does not read back: {error}"))?;
        equal("jobs read back", again.jobs().len() as u64, import.scenario.jobs().len() as u64)?;
    }
    Ok(())
}

/// No task is lost, and the observed trace obeys the rules.
fn sound(import: &Import) -> Result<(), String> {
    let tasks = &import.report.tasks;
    let left_out: u64 = tasks.left_out.values().sum();
    equal("tasks in the log", tasks.in_log, tasks.imported + left_out)?;
    equal("tasks of the trace", import.observed.tasks.len() as u64, tasks.imported)?;
    let stages = import.scenario.jobs().iter().flat_map(|job| &job.stages);
    let simulated = &import.report.simulated;
    let merged = simulated.copies + simulated.lost_attempts + simulated.repeated_tasks;
    equal(
        "attempts at the scenario's tasks",
        stages.map(|stage| u64::from(stage.partitions)).sum::<u64>() + merged,
        tasks.imported + simulated.discarded_tasks,
    )?;
    equal(
        "stages of the scenario",
        import.scenario.jobs().iter().map(|job| job.stages.len() as u64).sum(),
        import.report.stages.imported,
    )?;
    equal(
        "jobs of the users",
        import.report.users.users.iter().map(|user| user.jobs).sum(),
        import.report.jobs.imported,
    )?;
    match &import.report.observed.fault {
        Some(fault) => Err(format!("has an observed trace that breaks a rule: {fault}")),
        None => Ok(()),
    }
}

fn equal(what: &str, left: u64, right: u64) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("does not add up: {what}: {left} and {right}")) }
}

/// An error is a sentence with a place, and short enough to read.
fn names_place(error: &str, place: &str) -> Result<(), String> {
    let is_good = error.starts_with(place) && error.contains(": ") && error.len() < 2_000;
    if is_good { Ok(()) } else { Err(format!("gets a bad error: {error:?}")) }
}

/// The ids of the tasks that a text has, found in another way than the import does.
fn tasks_of(text: &[u8]) -> Vec<u64> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(rename = "Event", borrow)]
        event: Cow<'a, str>,
        #[serde(rename = "Task Info")]
        info: Option<Info>,
    }
    #[derive(Deserialize)]
    struct Info {
        #[serde(rename = "Task ID")]
        task: u64,
    }
    let lines = text.split(|&byte| byte == b'\n');
    let tasks = lines.filter_map(|line| {
        let line: Line = serde_json::from_slice(line).ok()?;
        let of_task =
            ["SparkListenerTaskStart", "SparkListenerTaskEnd"].contains(&line.event.rsplit('.').next()?);
        line.info.filter(|_| of_task).map(|info| info.task)
    });
    tasks.collect()
}
