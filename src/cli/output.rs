//! Where results go: standard output in one piece, and files that are either whole or not there.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::CliError;

/// Writes to standard output. A reader who has seen enough (`| head`) is no error.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    print_line(text).map(drop)
}

/// Whether anybody still reads standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// Somebody does.
    There,
    /// The pipe is closed.
    Gone,
}

/// Writes one of many lines to standard output at once, and says whether there is any use in more.
pub(super) fn print_line(text: &str) -> Result<Reader, CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::There),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(CliError::new("standard output", format!("cannot be written: {error}"))),
    }
}

/// A value as JSON for people to read too, with a line end.
pub(super) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("what is printed has only keys that are text");
    text + "\n"
}

/// Writes a JSON file by way of a temporary one beside it, so that the file is either whole or as it was
/// before. What is there but is no regular file, such as a pipe, is written to directly.
pub(super) fn write_json_file(path: &Path, value: &impl Serialize) -> Result<(), CliError> {
    write_file(path, |writer| Ok(serde_json::to_writer(writer, value)?))
}

/// Writes a file as [`write_json_file`] does, whatever its contents.
pub(super) fn write_file(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    write_whole(path, content).map_err(|error| unwritable(path, &error))
}

/// Why a file cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> CliError {
    let sentence = match error.kind() {
        ErrorKind::NotFound => "its folder does not exist; create it first".to_owned(),
        ErrorKind::IsADirectory => "is a directory; name a file in it".to_owned(),
        ErrorKind::PermissionDenied => "must not be written; choose another place".to_owned(),
        _ => format!("cannot be written: {error}"),
    };
    CliError::new(path.display().to_string(), sentence)
}

fn write_whole(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // Through a symbolic link to the file itself, which keeps the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            return ignore_closed_pipe(fill(&mut File::options().write(true).open(&target)?, content));
        }
        // An existing file must be writable itself and not only its folder.
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

/// The permissions of the file that is there, else those of any new file; temporary files would
/// be private.
#[cfg(unix)]
fn permissions(target: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(target).map_or_else(|_| fs::Permissions::from_mode(0o666), |metadata| metadata.permissions())
}
