//! Logs in a zip archive, as the History Server gives them for download.

use std::io::{Cursor, Read, Seek, SeekFrom};

use zip::ZipArchive;

use super::ImportError;
use super::file_kind::FileKind;
use super::files::in_order;
use super::log::Log;
use super::problem::short;
use super::reader::{FREE_BYTES, MAX_BYTES_PER_BYTE, grows};

impl Log {
    /// Reads one file as [`Log::read`] does; of a zip archive all files of the log in it, a rolling log's by number.
    ///
    /// # Errors
    /// Those of [`Log::read`], or the archive is damaged, encrypted, or holds no log.
    pub fn read_file(&mut self, name: &str, mut file: impl Read + Seek) -> Result<(), ImportError> {
        let mut head = Vec::new();
        let read = file.by_ref().take(FileKind::HEAD_BYTES).read_to_end(&mut head);
        read.map_err(|error| ImportError::new(name, format!("cannot be read: {error}")))?;
        match FileKind::from_head(&head) {
            FileKind::Zip => self.read_archive(name, file),
            _ => self.read(name, Cursor::new(head).chain(file)),
        }
    }

    fn read_archive(&mut self, name: &str, mut file: impl Read + Seek) -> Result<(), ImportError> {
        let damaged = |error: &dyn std::error::Error| {
            ImportError::new(name, format!("is a damaged zip archive ({error}); download it again"))
        };
        let bytes = file.seek(SeekFrom::End(0)).map_err(|error| damaged(&error))?;
        let mut archive = ZipArchive::new(file).map_err(|error| damaged(&error))?;
        let files: Vec<(usize, String)> = (0..archive.len())
            .filter_map(|index| Some((index, archive.name_for_index(index)?.ok()?.into_owned())))
            .filter(|(_, path)| !path.ends_with('/'))
            .collect();
        let names: Vec<&str> =
            files.iter().map(|(_, path)| path.rsplit('/').next().unwrap_or(path)).collect();
        let order = in_order(&names);
        if order.is_empty() {
            return Err(ImportError::new(name, "has no event log in it; give an archive of one"));
        }
        let mut most = bytes.saturating_mul(MAX_BYTES_PER_BYTE).max(FREE_BYTES);
        for (index, path) in order.into_iter().map(|position| &files[position]) {
            let place = format!("{name}/{}", short(path));
            let member = archive.by_index(*index).map_err(|error| {
                ImportError::new(&place, format!("cannot be unpacked ({error}); unpack it yourself"))
            })?;
            let size = member.size();
            most = most.checked_sub(size).ok_or_else(|| ImportError::new(&place, grows()))?;
            // One byte more than the archive announces: only at its end is a file's checksum compared.
            self.read(&place, member.take(size.saturating_add(1)))?;
        }
        Ok(())
    }
}
