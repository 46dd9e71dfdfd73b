//! What a file is, by its first bytes.

/// What a file is. Text is not looked into further than an import needs to be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Compressed by gzip.
    Gzip,
    /// Compressed by zstd.
    Zstd,
    /// In the blocks of Spark's lz4.
    Lz4,
    /// In the blocks of Spark's Snappy.
    Snappy,
    /// In chunks of LZF.
    Lzf,
    /// A zip archive.
    Zip,
    /// Compressed or packed in a way that is not read, in words.
    Unread(&'static str),
    /// A Parquet file.
    Parquet,
    /// Text that begins with an event of Spark's.
    Events,
    /// What a program has logged, such as a driver: not an event log, but taken for one.
    ProgramLog,
    /// Anything else, such as a scenario.
    Other,
}

impl FileKind {
    /// Enough first bytes to tell.
    pub const HEAD_BYTES: u64 = 64;

    /// The kind of a file that begins so.
    pub fn from_head(head: &[u8]) -> FileKind {
        let magic: [(&[u8], FileKind); 11] = [
            (b"\x1f\x8b", FileKind::Gzip),
            (b"\x28\xb5\x2f\xfd", FileKind::Zstd),
            (b"LZ4Block", FileKind::Lz4),
            (b"PAR1", FileKind::Parquet),
            (b"\x04\x22\x4d\x18", FileKind::Unread("an LZ4 frame, which Spark does not write")),
            (b"\x82SNAPPY\0", FileKind::Snappy),
            (b"ZV\0", FileKind::Lzf),
            (b"ZV\x01", FileKind::Lzf),
            (b"PK\x03\x04", FileKind::Zip),
            (b"BZh", FileKind::Unread("compressed with bzip2")),
            (b"\xfd7zXZ\0", FileKind::Unread("compressed with xz")),
        ];
        if let Some((_, kind)) = magic.into_iter().find(|(magic, _)| head.starts_with(magic)) {
            return kind;
        }
        // A frame that zstd skips.
        if matches!(head, [first, 0x2a, 0x4d, 0x18, ..] if first & 0xf0 == 0x50) {
            return FileKind::Zstd;
        }
        let text: Vec<u8> = head.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        if text.starts_with(b"{\"Event\"") {
            FileKind::Events
        } else if is_program_log(head) {
            FileKind::ProgramLog
        } else {
            FileKind::Other
        }
    }

    /// Whether it is taken for a log rather than for a scenario. What is no event log is so called when it is read.
    pub fn is_log(self) -> bool {
        !matches!(self, FileKind::Parquet | FileKind::Other)
    }
}

/// Whether a line, or its beginning, is one of a program's log: it has a level and is no JSON.
pub(super) fn is_program_log(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split(|character: char| !character.is_ascii_alphanumeric());
    !text.trim_start().starts_with(['{', '[', '"'])
        && words.any(|word| ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_beginning() {
        for (head, kind) in [
            (b"\x1f\x8b\x08".as_slice(), FileKind::Gzip),
            (b"\x5a\x2a\x4d\x18", FileKind::Zstd),
            (b"LZ4Block\x10", FileKind::Lz4),
            (b"\x82SNAPPY\0\0", FileKind::Snappy),
            (b"ZV\x01", FileKind::Lzf),
            (b"ZVEZDA,submit", FileKind::Other),
            (b"PK\x03\x04", FileKind::Zip),
            (b"PAR1\x15", FileKind::Parquet),
            (b" { \"Event\":\"SparkListenerLogStart\"", FileKind::Events),
            (b"{ \"format\": \"fairlane/scenario@1\"", FileKind::Other),
            (b"24/03/18 09:01:02 INFO SparkContext: Running Spark", FileKind::ProgramLog),
            (b"{\"jobs\": [{\"user\": \"INFO\"", FileKind::Other),
            (b"", FileKind::Other),
        ] {
            assert_eq!(FileKind::from_head(head), kind);
        }
        assert!(matches!(FileKind::from_head(b"BZh9"), FileKind::Unread("compressed with bzip2")));
    }
}
