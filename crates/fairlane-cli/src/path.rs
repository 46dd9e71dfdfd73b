//! Paths of the command line: what is read and what is written have types of their own, so that one check before
//! anything else keeps every command from writing over what it reads.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use same_file::Handle;

use super::CliError;
use super::args::{LogSource, ScenarioArg};
use super::program::PolicyArg;

/// A file or folder that a command reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputPath(PathBuf);

/// A file that a command writes; `output` writes it.
#[derive(Clone, Debug)]
pub(crate) struct OutputPath(PathBuf);

/// A folder that a command writes files of known names to; `output` writes it.
#[derive(Clone, Debug)]
pub(crate) struct OutputFolder(PathBuf);

impl InputPath {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl OutputPath {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl OutputFolder {
    /// What is written: the scenario's own file is none of them, whatever its name.
    pub(crate) const FILES: [&str; 3] = ["workload.json", "pools.xml", "play.py"];

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl From<OsString> for InputPath {
    fn from(path: OsString) -> InputPath {
        InputPath(path.into())
    }
}

impl From<PathBuf> for InputPath {
    fn from(path: PathBuf) -> InputPath {
        InputPath(path)
    }
}

/// Makes the argument parser read a path of any characters that is not empty.
macro_rules! parsed_as_path {
    ($($path:ident),*) => {$(
        impl ValueParserFactory for $path {
            type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> $path>;

            fn value_parser() -> Self::Parser {
                PathBufValueParser::new().map($path)
            }
        }
    )*};
}

parsed_as_path!(InputPath, OutputPath, OutputFolder);

/// The paths of a command, whatever its options are called.
#[derive(Default)]
struct Paths {
    reads: Vec<PathBuf>,
    writes: Vec<PathBuf>,
    reads_standard_input: bool,
}

/// Refuses outputs that are also inputs, or the same file twice, by whatever names, links or redirections.
pub(crate) fn check(matches: &ArgMatches) -> Result<(), CliError> {
    let mut paths = Paths::default();
    paths.collect(matches);
    let mut outputs: Vec<(String, FileIdentity)> = Vec::new();
    let written = paths.writes.iter().map(|path| (path.display().to_string(), FileIdentity::of(path)));
    let printed = ("standard output".to_owned(), FileIdentity::of_stream(Handle::stdout()));
    for (name, identity) in written.chain([printed]) {
        let Some(identity) = identity else { continue };
        if let Some((other, _)) = outputs.iter().find(|(_, known)| known.is(&identity)) {
            return Err(CliError::new(
                other,
                match other == &name {
                    true => "two outputs would go to this file; name a file for each".to_owned(),
                    false => format!("is the same file as {name}, another output; name a file for each"),
                },
            ));
        }
        outputs.push((name, identity));
    }
    let redirected = paths.reads_standard_input.then(|| FileIdentity::of_stream(Handle::stdin())).flatten();
    if let Some(input) = redirected {
        refuse(&outputs, "standard input", &input)?;
    }
    for path in &paths.reads {
        for path in [path.clone()].into_iter().chain(files_of(path)) {
            if let Some(input) = FileIdentity::of(&path) {
                refuse(&outputs, &path.display().to_string(), &input)?;
            }
        }
    }
    Ok(())
}

/// Refuses an input that is one of the outputs, or the folder of one.
fn refuse(outputs: &[(String, FileIdentity)], input: &str, identity: &FileIdentity) -> Result<(), CliError> {
    match outputs.iter().find(|(_, output)| output.is(identity) || output.is_in(identity)) {
        None => Ok(()),
        Some((output, known)) => Err(CliError::new(
            output,
            match known.is(identity) {
                _ if output == input => "is also read; name another file for the output".to_owned(),
                true => {
                    format!("is the same file as {input}, which is read; name another file for the output")
                }
                false => format!("lies in {input}, all files of which are read; name a file elsewhere"),
            },
        )),
    }
}

/// The files in a folder; none if it is no folder.
fn files_of(path: &Path) -> Vec<PathBuf> {
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

impl Paths {
    fn collect(&mut self, matches: &ArgMatches) {
        for id in matches.ids() {
            let id = id.as_str();
            self.reads.extend(values(matches, id, |InputPath(path)| Some(path)));
            self.reads.extend(values(matches, id, |policy: PolicyArg| policy.file));
            self.writes.extend(values(matches, id, |OutputPath(path)| Some(path)));
            for OutputFolder(folder) in values(matches, id, Some) {
                self.writes.extend(OutputFolder::FILES.map(|name| folder.join(name)));
            }
            self.reads.extend(values(matches, id, LogSource::local).into_iter().map(|InputPath(path)| path));
            let sources = values(matches, id, Some);
            for source in sources.into_iter().chain(values(matches, id, LogSource::local)) {
                match source {
                    ScenarioArg::StandardInput => self.reads_standard_input = true,
                    ScenarioArg::Catalog(_) => {}
                    ScenarioArg::File(InputPath(path)) => self.reads.push(path),
                }
            }
        }
        if let Some((_, inner)) = matches.subcommand() {
            self.collect(inner);
        }
    }
}

/// The values of an argument, if they are of this type.
fn values<T: Clone + Send + Sync + 'static, U>(
    matches: &ArgMatches,
    id: &str,
    read: impl Fn(T) -> Option<U>,
) -> Vec<U> {
    let values = matches.try_get_many::<T>(id).ok().flatten();
    values.into_iter().flatten().cloned().filter_map(read).collect()
}

/// What two paths have in common if they lead to the same file.
enum FileIdentity {
    /// A file that is there, however many names and links it has.
    File { handle: Handle, path: PathBuf },
    /// A folder, or a file that is to be made, without links on the way to it.
    Path(PathBuf),
}

impl FileIdentity {
    /// None of a pipe or a device, which nothing is overwritten by.
    fn of(path: &Path) -> Option<FileIdentity> {
        let resolved = resolved(path);
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => Some(match Handle::from_path(path) {
                Ok(handle) => FileIdentity::File { handle, path: resolved },
                Err(_) => FileIdentity::Path(resolved),
            }),
            Ok(metadata) if !metadata.is_dir() => None,
            Ok(_) | Err(_) => Some(FileIdentity::Path(resolved)),
        }
    }

    /// That of standard input or output, if it is redirected to a file.
    fn of_stream(handle: io::Result<Handle>) -> Option<FileIdentity> {
        let handle = handle.ok()?;
        let is_file = handle.as_file().metadata().is_ok_and(|metadata| metadata.is_file());
        is_file.then_some(FileIdentity::File { handle, path: PathBuf::new() })
    }

    fn path(&self) -> &Path {
        match self {
            FileIdentity::File { path, .. } | FileIdentity::Path(path) => path,
        }
    }

    fn is(&self, other: &FileIdentity) -> bool {
        match (self, other) {
            (FileIdentity::File { handle, .. }, FileIdentity::File { handle: other, .. }) => handle == other,
            // Whether case tells files apart is the file system's affair: where it does, this refuses too much.
            (FileIdentity::Path(path), FileIdentity::Path(other)) => {
                let folded = |path: &Path| path.to_string_lossy().to_lowercase();
                path == other || (path.parent() == other.parent() && folded(path) == folded(other))
            }
            _ => self.path() == other.path(),
        }
    }

    /// Whether this is a file directly in a folder.
    fn is_in(&self, folder: &FileIdentity) -> bool {
        matches!(folder, FileIdentity::Path(folder) if folder.is_dir() && self.path().parent() == Some(folder))
    }
}

/// Links that a path may lead over before it is taken as it is.
const MAX_LINKS: usize = 40;

/// A path without links, also of a file that does not exist yet, so that a link to it is kept.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(found) = fs::canonicalize(&path) {
            return found;
        }
        match fs::read_link(&path) {
            Ok(target) => path = folder(&path).join(target),
            Err(_) => break,
        }
    }
    match (fs::canonicalize(folder(&path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// The folder that a path lies in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Opens a file to be read, and refuses a folder.
pub(crate) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok((file, metadata))
}
