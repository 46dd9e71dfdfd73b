//! Writes results: to standard output, and to files that are either complete or unchanged.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use super::path::{OutputFolder, OutputPath, folder, resolved};
use super::table::for_terminal;
use super::text::printable_lines;
use super::{CliError, standard_output};

/// What a command prints.
pub(super) enum Printed {
    /// Lines for people: whatever a name has in it, only their ends move a terminal's cursor.
    Text(String),
    /// What a program reads, byte for byte; on a terminal it is shown as text.
    Data(String),
}

/// Writes to standard output.
pub(super) fn print(printed: &Printed) -> Result<(), CliError> {
    match (printed, io::stdout().is_terminal()) {
        (Printed::Text(text) | Printed::Data(text), true) => print_bytes(&for_terminal(text)),
        (Printed::Text(text), false) => print_bytes(&printable_lines(text)),
        (Printed::Data(text), false) => print_bytes(text),
    }
}

/// Whether standard output is still read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pipe {
    /// It is.
    Open,
    /// The pipe is closed.
    Closed,
}

impl Pipe {
    /// The end of a command that has printed what was read of it.
    pub(super) fn end(self) -> Result<(), CliError> {
        match self {
            Pipe::Open => Ok(()),
            Pipe::Closed => Err(CliError::ReaderGone),
        }
    }
}

/// Prints a line that a program reads at once, and reports whether anyone reads on.
pub(super) fn print_line(text: String) -> Result<Pipe, CliError> {
    match print(&Printed::Data(text)) {
        Ok(()) => Ok(Pipe::Open),
        Err(CliError::ReaderGone) => Ok(Pipe::Closed),
        Err(error) => Err(error),
    }
}

fn print_bytes(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    written(standard_output::check().and_then(|()| out.write_all(text.as_bytes())).and_then(|()| out.flush()))
}

/// What came of writing to standard output.
pub(super) fn written(result: io::Result<()>) -> Result<(), CliError> {
    result.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => CliError::ReaderGone,
        _ => CliError::new("standard output", format!("cannot be written: {error}")),
    })
}

/// A value as indented JSON with a final newline.
pub(super) fn json(value: &impl Serialize) -> Printed {
    let text = serde_json::to_string_pretty(value).expect("all keys are strings");
    Printed::Data(text + "\n")
}

/// Why a file cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> CliError {
    let message = match error.kind() {
        ErrorKind::NotFound => "No such folder; create it first".to_owned(),
        ErrorKind::IsADirectory => "Is a directory; give a file in it".to_owned(),
        ErrorKind::PermissionDenied => {
            "Permission denied; make the file and its folder writable, or choose another path".to_owned()
        }
        _ => format!("cannot be written: {error}"),
    };
    CliError::new(path.display().to_string(), message)
}

impl OutputPath {
    /// Writes the file as [`stage`](Self::stage) and [`StagedFile::commit`] do.
    pub(super) fn write(
        &self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        self.stage(content)?.commit()
    }

    /// Writes a temporary file with JSON, as [`stage`](Self::stage) does.
    pub(super) fn stage_json(&self, value: &impl Serialize) -> Result<StagedFile, CliError> {
        self.stage(|writer| Ok(serde_json::to_writer(writer, value)?))
    }

    /// Writes a temporary file beside the file, which stays as it is until the other is committed. A path that is not
    /// a regular file, such as a pipe, is written directly.
    pub(super) fn stage(
        &self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<StagedFile, CliError> {
        stage(self.path(), content).map_err(|error| unwritable(self.path(), &error))
    }
}

/// A file that is complete, under a temporary name.
#[must_use]
pub(super) struct StagedFile {
    path: PathBuf,
    /// The temporary file and what it becomes; nothing if it was written directly.
    temporary: Option<(NamedTempFile, PathBuf)>,
}

impl StagedFile {
    /// Puts the file in its place.
    pub(super) fn commit(self) -> Result<(), CliError> {
        let Some((file, target)) = self.temporary else { return Ok(()) };
        match file.persist(target) {
            Ok(_) => Ok(()),
            Err(error) => Err(unwritable(&self.path, &error.error)),
        }
    }
}

fn stage(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<StagedFile> {
    let target = resolved(path);
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            ignore_closed_pipe(fill(&mut File::options().write(true).open(&target)?, content))?;
            return Ok(StagedFile { path: path.to_owned(), temporary: None });
        }
        // An existing file must itself be writable, not only its folder.
        Ok(_) => drop(File::options().append(true).open(&target)?),
        Err(_) => {}
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(permissions(&target));
    let mut file = builder.tempfile_in(folder(&target))?;
    fill(file.as_file_mut(), content)?;
    Ok(StagedFile { path: path.to_owned(), temporary: Some((file, target)) })
}

/// What the names of temporary files and folders begin and end with.
const PREFIX: &str = ".fairlane-";
const SUFFIX: &str = ".tmp";

fn fill(file: &mut File, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(file);
    content(&mut writer)?;
    writer.flush()
}

fn ignore_closed_pipe(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// The permissions of an existing file, else those of a new one: temporary files are private by default.
#[cfg(unix)]
fn permissions(target: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(target).map_or_else(|_| fs::Permissions::from_mode(0o666), |metadata| metadata.permissions())
}

impl OutputFolder {
    /// Writes the files of the folder, in the order of [`FILES`](Self::FILES): all of them, or none, and then no new
    /// folder either.
    pub(super) fn write(&self, texts: [&str; 3]) -> Result<(), CliError> {
        let fail = |error| unwritable(self.path(), &error);
        if fs::metadata(self.path()).is_ok_and(|metadata| metadata.is_dir()) {
            let files = OutputFolder::FILES.map(|name| self.path().join(name)).into_iter().zip(texts);
            let staged: Vec<StagedFile> = files
                .map(|(path, text)| {
                    stage(&path, |writer| writer.write_all(text.as_bytes()))
                        .map_err(|error| unwritable(&path, &error))
                })
                .collect::<Result<_, _>>()?;
            return staged.into_iter().try_for_each(StagedFile::commit);
        }
        // All folders that are missing are made elsewhere with what is in them; then the topmost is moved.
        let missing = self.path().ancestors().take_while(|path| fs::symlink_metadata(path).is_err());
        let topmost = missing.filter(|path| !path.as_os_str().is_empty()).last().unwrap_or(self.path());
        let below = self.path().strip_prefix(topmost).unwrap_or(Path::new(""));
        let elsewhere = tempfile::Builder::new()
            .prefix(PREFIX)
            .suffix(SUFFIX)
            .tempdir_in(folder(topmost))
            .map_err(fail)?;
        let made = elsewhere.path().join("folder");
        fs::create_dir_all(made.join(below)).map_err(fail)?;
        for (name, text) in OutputFolder::FILES.into_iter().zip(texts) {
            fs::write(made.join(below).join(name), text).map_err(fail)?;
        }
        fs::rename(made, topmost).map_err(fail)
    }
}
