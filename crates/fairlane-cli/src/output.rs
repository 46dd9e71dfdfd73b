//! Writes results: to standard output, and to files that are either complete or unchanged.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::CliError;

/// Writes to standard output. A closed pipe (`| head`) is not an error.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    print_line(text).map(drop)
}

/// Whether standard output is still read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pipe {
    /// It is.
    Open,
    /// The pipe is closed.
    Closed,
}

/// Writes to standard output immediately and reports whether anyone reads on.
pub(super) fn print_line(text: &str) -> Result<Pipe, CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Pipe::Open),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Pipe::Closed),
        Err(error) => Err(CliError::new("standard output", format!("cannot be written: {error}"))),
    }
}

/// A value as indented JSON with a final newline.
pub(super) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("all keys are strings");
    text + "\n"
}

/// Writes a JSON file as [`write_file`] does.
pub(super) fn write_json_file(path: &Path, value: &impl Serialize) -> Result<(), CliError> {
    write_file(path, |writer| Ok(serde_json::to_writer(writer, value)?))
}

/// Writes a file by renaming a temporary one beside it, so that the file is either complete or unchanged. A path that
/// is not a regular file, such as a pipe, is written directly.
pub(super) fn write_file(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    write_atomically(path, content).map_err(|error| unwritable(path, &error))
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

fn write_atomically(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // Follow symbolic links, so that the link is kept.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            return ignore_closed_pipe(fill(&mut File::options().write(true).open(&target)?, content));
        }
        // An existing file must itself be writable, not only its folder.
        Ok(_) => drop(File::options().append(true).open(&target)?),
        Err(_) => {}
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fairlane-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(permissions(&target));
    let mut file = builder.tempfile_in(folder(&target))?;
    fill(file.as_file_mut(), content)?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

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

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The permissions of an existing file, else those of a new one: temporary files are private by default.
#[cfg(unix)]
fn permissions(target: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(target).map_or_else(|_| fs::Permissions::from_mode(0o666), |metadata| metadata.permissions())
}
