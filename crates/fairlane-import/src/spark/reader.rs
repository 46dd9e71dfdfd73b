//! The lines of a log file, decompressed as they are read.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::blocks::BlockReader;
use super::file_kind::FileKind;
use super::{lz4, lzf, snappy};

/// Bytes that are read at once.
const CHUNK: usize = 1 << 18;
/// Maximum length of a line in bytes. Spark's longest lines hold the text of a query's plan.
const LONGEST_LINE: u64 = 64 << 20;
/// Maximum window of a zstd frame in bytes, all of which is kept in memory.
/// 128 MB, as `zstd --long` and the command's own limit have it.
const LARGEST_WINDOW: u64 = 128 << 20;
/// Decompressed bytes that any file may have, however small it is.
pub(super) const FREE_BYTES: u64 = 64 << 20;
/// Beyond these, decompressed bytes for each byte of the file. Logs have 10 to 50.
pub(super) const MAX_BYTES_PER_BYTE: u64 = 500;
/// A compressed file inside of a compressed file is read too.
const MAX_LAYERS: usize = 2;

/// The lines of one file.
pub(super) struct LogLines<'a> {
    source: BufReader<BoundedReader<'a>>,
    line: Vec<u8>,
    number: u64,
}

/// What follows in a file.
#[derive(Debug)]
pub(super) enum NextLine<'a> {
    /// A line, without its line end.
    Line(&'a [u8]),
    /// The end.
    End,
    /// The file ends in the middle of what its compression calls a block, or is not whole for another reason.
    Cut,
}

impl<'a> LogLines<'a> {
    /// Reads a file, whatever its compression; it is recognised by its first bytes.
    pub(super) fn new(file: impl Read + 'a) -> io::Result<LogLines<'a>> {
        let source = BufReader::with_capacity(CHUNK, BoundedReader::new(file)?);
        Ok(LogLines { source, line: Vec::new(), number: 0 })
    }

    /// Number of the last line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Decompressed bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.source.get_ref().decompressed
    }

    /// The next line.
    ///
    /// # Errors
    /// The file cannot be read, is not compressed correctly or grows too much, or the line is too long.
    pub(super) fn next(&mut self) -> io::Result<NextLine<'_>> {
        self.line.clear();
        let read = self.source.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut self.line);
        match read {
            Ok(0) => return Ok(NextLine::End),
            Ok(_) => self.number += 1,
            Err(error) if self.source.get_ref().is_cut(&error) => return Ok(NextLine::Cut),
            Err(error) => return Err(error),
        }
        if self.line.len() as u64 > LONGEST_LINE {
            let most = LONGEST_LINE >> 20;
            return Err(io::Error::other(format!("is longer than {most} MB, as no line of an event log is")));
        }
        let line = if self.number == 1 { unmarked(&self.line) } else { &self.line };
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        Ok(NextLine::Line(text.strip_suffix(b"\r").unwrap_or(text)))
    }
}

/// A text without the byte order mark that some programs begin it with.
fn unmarked(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// A file decompressed, whatever its compression; an error once it grows too much.
pub(crate) fn decompressed<'a>(file: impl Read + 'a) -> io::Result<impl Read + 'a> {
    BoundedReader::new(file)
}

/// What has been read of the file itself.
#[derive(Default)]
struct Meter {
    bytes: Cell<u64>,
    /// Whether more was asked for than there is.
    exhausted: Cell<bool>,
}

struct Metered<R> {
    file: R,
    meter: Rc<Meter>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.meter.bytes.set(self.meter.bytes.get() + read as u64);
        self.meter.exhausted.set(read == 0 && !buffer.is_empty());
        Ok(read)
    }
}

/// A file's decompressed bytes, refused once they are too many.
struct BoundedReader<'a> {
    source: Box<dyn Read + 'a>,
    meter: Rc<Meter>,
    decompressed: u64,
}

impl<'a> BoundedReader<'a> {
    fn new(file: impl Read + 'a) -> io::Result<BoundedReader<'a>> {
        let meter = Rc::new(Meter::default());
        let mut source: Box<dyn Read + 'a> = Box::new(Metered { file, meter: Rc::clone(&meter) });
        for _ in 0..MAX_LAYERS {
            let mut head = Vec::new();
            source.by_ref().take(FileKind::HEAD_BYTES).read_to_end(&mut head)?;
            let kind = FileKind::from_head(&head);
            let whole = Cursor::new(head).chain(source);
            source = match kind {
                FileKind::Gzip => Box::new(MultiGzDecoder::new(whole)),
                FileKind::Zstd => Box::new(ZstdFrames::new(BufReader::with_capacity(CHUNK, whole))),
                FileKind::Lz4 => {
                    Box::new(BlockReader::new(BufReader::with_capacity(CHUNK, whole), lz4::next_block))
                }
                FileKind::Snappy => {
                    Box::new(BlockReader::new(BufReader::with_capacity(CHUNK, whole), snappy::next_block))
                }
                FileKind::Lzf => {
                    Box::new(BlockReader::new(BufReader::with_capacity(CHUNK, whole), lzf::next_block))
                }
                FileKind::Zip => {
                    return Err(io::Error::other(UnsupportedCompression("a zip archive in another file")));
                }
                FileKind::Unread(what) => return Err(io::Error::other(UnsupportedCompression(what))),
                FileKind::Parquet | FileKind::Events | FileKind::ProgramLog | FileKind::Other => {
                    source = Box::new(whole);
                    break;
                }
            };
        }
        Ok(BoundedReader { source, meter, decompressed: 0 })
    }

    /// Whether an error means that the file ends too early.
    fn is_cut(&self, error: &io::Error) -> bool {
        error.kind() == ErrorKind::UnexpectedEof || self.meter.exhausted.get()
    }
}

impl Read for BoundedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.decompressed += read as u64;
        let most = self.meter.bytes.get().saturating_mul(MAX_BYTES_PER_BYTE).max(FREE_BYTES);
        if self.decompressed > most {
            self.meter.exhausted.set(false);
            return Err(io::Error::other(grows()));
        }
        Ok(read)
    }
}

/// What is wrong with a file that grows too much.
pub(super) fn grows() -> String {
    format!(
        "decompresses to more than {MAX_BYTES_PER_BYTE} times its size, as no event log does; decompress it \
         yourself if it is one"
    )
}

/// A compression that is not read.
#[derive(Debug)]
struct UnsupportedCompression(&'static str);

impl fmt::Display for UnsupportedCompression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "is {}; decompress it first. Text, gzip, zstd and Spark's lz4, Snappy and LZF are read",
            self.0
        )
    }
}

impl std::error::Error for UnsupportedCompression {}

/// Zstd frames one after the other: Spark ends a frame whenever it flushes.
struct ZstdFrames<R> {
    source: R,
    decoder: FrameDecoder,
    /// Whether the decoder is within a frame.
    within: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    fn new(source: R) -> ZstdFrames<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(LARGEST_WINDOW);
        ZstdFrames { source, decoder, within: false }
    }

    /// Begins the next frame, or skips one that holds nothing.
    fn begin(&mut self) -> io::Result<()> {
        match self.decoder.reset(&mut self.source) {
            Ok(()) => self.within = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let length = u64::from(length);
                if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
            }
            Err(error) => return Err(io::Error::other(format!("is not correct zstd: {error}"))),
        }
        Ok(())
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if self.within {
                let read = self.decoder.read(buffer)?;
                if read > 0 {
                    return Ok(read);
                }
                if self.decoder.is_finished() {
                    self.within = false;
                } else {
                    let blocks = BlockDecodingStrategy::UptoBlocks(1);
                    let decoded = self.decoder.decode_blocks(&mut self.source, blocks);
                    decoded.map_err(|error| io::Error::other(format!("is not correct zstd: {error}")))?;
                }
            } else if self.source.fill_buf()?.is_empty() {
                return Ok(0);
            } else {
                self.begin()?;
            }
        }
    }
}
