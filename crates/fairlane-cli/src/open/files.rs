//! What the page opens: logs of a cluster with its pools file, one scenario, also with its results, one lesson with what it
//! names, or nothing.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::iter;
use std::path::{Path, PathBuf};

use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::results;
use crate::args::ScenarioArg;
use crate::history::ServerLog;
use crate::lesson::{self, Beside};
use crate::path::InputPath;
use crate::{CliError, import, input, path, print_error};
use fairlane::catalog;
use fairlane_import::spark::{FileKind, driver_log};
use fairlane_study::lesson::document::{self, LessonFiles, MAX_BYTES};
use fairlane_view::link::LinkedFile;

/// Where the page finds the files, from its own folder on.
pub(super) const FOLDER: &str = "files";

/// The policy of what happened in a log.
pub(super) const OBSERVED: &str = "observed";

/// What the page opens.
pub(super) enum Opened {
    /// A session: what a link to the page has behind its `#`.
    Session(String),
    /// Files, in the order in which the page opens them.
    Files(Vec<OpenedFile>),
}

/// A file that the page opens.
pub(super) struct OpenedFile {
    pub(super) name: String,
    pub(super) content: Content,
}

pub(super) enum Content {
    /// What this file has when the page asks for it.
    Path(PathBuf),
    /// A scenario that was read and checked.
    Scenario(String),
    /// A log that a History Server has sent.
    Fetched(Bytes),
}

impl Opened {
    /// Reads what the command line names, as far as the page does not.
    pub(super) fn read(sources: &[ScenarioArg], remote: &[ServerLog]) -> Result<Opened, CliError> {
        if let ([ScenarioArg::Catalog(name)], []) = (sources, remote) {
            return input::entry(name).map(|entry| Opened::Session(format!("catalog:{}", entry.name)));
        }
        if let ([source @ ScenarioArg::StandardInput], []) = (sources, remote) {
            return scenario(source, "scenario.json", None).map(|file| Opened::Files(vec![file]));
        }
        if remote.is_empty()
            && let Some(opened) = results::beside_scenario(sources)?
        {
            return Ok(opened);
        }
        let path = |source: &ScenarioArg| match source {
            ScenarioArg::File(path) => Ok(path.clone()),
            ScenarioArg::StandardInput | ScenarioArg::Catalog(_) => {
                Err(CliError::new(source.to_string(), "is opened by itself; give nothing else with it"))
            }
        };
        let paths: Vec<InputPath> = sources.iter().map(path).collect::<Result<_, _>>()?;
        if let Some(lesson) = paths.iter().find(|path| is_lesson(path.path())) {
            return match (paths.as_slice(), remote) {
                ([lesson], []) => lesson_files(lesson.path()).map(Opened::Files),
                _ => {
                    let message = "is a lesson, which brings the files that it names; give it alone";
                    Err(CliError::new(lesson.path().display().to_string(), message))
                }
            };
        }
        files(paths, remote).map(Opened::Files)
    }

    /// The end of the page's address, which has it open this.
    pub(super) fn fragment(&self) -> String {
        match self {
            Opened::Session(text) => format!("#{text}"),
            Opened::Files(files) if files.is_empty() => String::new(),
            Opened::Files(files) => {
                let files = files.iter().enumerate();
                let linked =
                    files.map(|(index, file)| LinkedFile::new(&format!("{FOLDER}/{index}"), &file.name));
                LinkedFile::to_fragment(&linked.collect::<Vec<_>>())
            }
        }
    }

    /// A file by its address from [`FOLDER`] on; its name is there for the reader.
    pub(super) fn find(&self, address: &str) -> Option<&OpenedFile> {
        let Opened::Files(files) = self else { return None };
        let (index, _) = address.split_once('/')?;
        files.get(index.parse::<usize>().ok()?)
    }
}

/// The files of logs and of their pools, or of a scenario.
pub(super) fn files(paths: Vec<InputPath>, remote: &[ServerLog]) -> Result<Vec<OpenedFile>, CliError> {
    let (pools, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| is_pools_file(path.path()));
    let fail =
        |path: &InputPath, message: &str| Err(CliError::new(path.path().display().to_string(), message));
    if let [_, second, ..] = pools.as_slice() {
        return fail(second, "is a second pools file; give the one of the logs' cluster");
    }
    if let ([pools], []) = (pools.as_slice(), others.as_slice())
        && remote.is_empty()
    {
        return fail(pools, "declares pools for a log or a scenario; give that, too");
    }
    let logs = import::files(&others)?;
    if let ([other], [_], []) = (others.as_slice(), logs.as_slice(), remote)
        && !other.path().is_dir()
        && matches!(kind(other.path())?, FileKind::Other | FileKind::ProgramLog)
    {
        let name = name(other.path());
        return Ok(vec![scenario(&ScenarioArg::File(other.clone()), &name, pools.first())?]);
    }
    let local = |path: PathBuf| kind(&path).map(|_| log_file(path));
    let fetched = |log: &ServerLog| {
        log.fetch().map(|bytes| OpenedFile { name: log.name(), content: Content::Fetched(bytes.into()) })
    };
    let logs = logs.into_iter().map(local).chain(remote.iter().map(fetched));
    logs.chain(pools.iter().map(|pools| local(pools.path().to_owned()))).collect()
}

pub(super) fn is_pools_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

pub(super) fn is_lesson(path: &Path) -> bool {
    let endings = ["md", "markdown"];
    path.extension()
        .is_some_and(|extension| endings.iter().any(|ending| extension.eq_ignore_ascii_case(ending)))
}

/// The files beside a lesson, and which of them it names.
struct NamedFiles<'a> {
    beside: Beside<'a>,
    found: RefCell<Vec<String>>,
}

impl LessonFiles for NamedFiles<'_> {
    fn text(&self, name: &str) -> Result<String, String> {
        self.beside.text(name).inspect(|_| {
            let mut found = self.found.borrow_mut();
            if !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        })
    }
}

/// A lesson, and the files that it names; of one that is missing the lesson's step says so on the page.
fn lesson_files(path: &Path) -> Result<Vec<OpenedFile>, CliError> {
    let text = lesson::read(path, MAX_BYTES as u64, "a lesson")?;
    let folder = path::folder(path);
    let files = NamedFiles { beside: Beside { folder }, found: RefCell::default() };
    document::read(&text, &files);
    let beside = files.found.into_inner().into_iter();
    let beside = beside.map(|name| OpenedFile { content: Content::Path(folder.join(&name)), name });
    Ok(iter::once(log_file(path.to_owned())).chain(beside).collect())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn log_file(path: PathBuf) -> OpenedFile {
    OpenedFile { name: name(&path), content: Content::Path(path) }
}

/// What a file is; an error if it cannot be read.
pub(super) fn kind(path: &Path) -> Result<FileKind, CliError> {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FileKind::HEAD_BYTES).read_to_end(&mut head));
    read.map_err(|error| import::unreadable(path, &error))?;
    Ok(FileKind::from_head(&head))
}

/// A scenario, which is checked here already, so that its faults are known before there is a page. With a pools file
/// Spark's scheduler has these pools.
fn scenario(source: &ScenarioArg, name: &str, pools: Option<&InputPath>) -> Result<OpenedFile, CliError> {
    let text = source.text()?;
    let fault = other_file(&text).or_else(|| driver_log(&text).map(str::to_owned));
    if let Some(fault) = fault {
        return Err(CliError::new(source.to_string(), fault));
    }
    let scenario = source.check(&text)?;
    let text = match pools {
        None => text,
        Some(pools) => {
            let error = |fault: String| CliError::new(pools.path().display().to_string(), fault);
            let file = import::pools_file(pools)?;
            for remark in file.remarks() {
                print_error(&format!("{}: {remark}", pools.path().display()));
            }
            let edit = file.edit().map_err(|fault| error(fault.to_owned()))?;
            scenario.with(&edit).map_err(|fault| error(fault.to_string()))?.to_json()
        }
    };
    Ok(OpenedFile { name: name.to_owned(), content: Content::Scenario(text) })
}

/// What all of Fairlane's files begin with, and a row of a sweep.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    policy: Option<String>,
    /// The name of the scenario, or in the points of a sweep itself.
    scenario: Option<Value>,
}

/// What a text is that no page opens, with the remedy; none of a scenario and of what is no file of ours.
fn other_file(text: &str) -> Option<String> {
    // Rows are objects on lines of their own.
    let head = serde_json::Deserializer::from_str(text).into_iter::<Head>().next()?.ok()?;
    let Some(format) = &head.format else {
        return head.policy.is_some().then(|| format!("has rows of results, {}", remedy(&head)));
    };
    let (kind, _) = format.strip_prefix("fairlane/")?.split_once('@')?;
    match kind {
        "scenario" => None,
        "generator" => Some("is a generator; give what fairlane generate makes of it".to_owned()),
        _ if head.policy.as_deref() == Some(OBSERVED) => {
            Some(format!("is what happened in a log ({format}), which the page reads itself; open the log"))
        }
        _ => Some(format!("is a file of results ({format}), {}", remedy(&head))),
    }
}

/// What to open in the place of results.
fn remedy(head: &Head) -> String {
    let name = head.scenario.as_ref().and_then(Value::as_str);
    let entry = catalog::ENTRIES.iter().find(|entry| name == Some(entry.title));
    match entry {
        Some(entry) => format!("which the page computes itself; open catalog:{}", entry.name),
        None => "which the page computes itself; open the scenario that it was made of".to_owned(),
    }
}
