//! Snappy as Spark writes it: the blocks of snappy-java's `SnappyOutputStream`, which are not Snappy's own frames.

use std::io::{self, ErrorKind, Read};

use snap::raw::{Decoder, decompress_len};

use super::blocks::{Blocks, fill};

/// `SnappyCodec.MAGIC_HEADER`, which begins a stream; its version and the oldest that can read it follow.
const MAGIC: &[u8] = b"\x82SNAPPY\0";
const VERSIONS_BYTES: usize = 8;
/// The largest block that is read, in bytes. Spark's have 32 KB.
const LARGEST_BLOCK: usize = 1 << 25;

/// Decompresses blocks one after the other, also of several streams.
pub(super) struct SnappyBlocks<R> {
    source: R,
    compressed: Vec<u8>,
}

impl<R: Read> SnappyBlocks<R> {
    pub(super) fn new(source: R) -> SnappyBlocks<R> {
        SnappyBlocks { source, compressed: Vec::new() }
    }
}

impl<R: Read> Blocks for SnappyBlocks<R> {
    fn next_block(&mut self, block: &mut Vec<u8>) -> io::Result<bool> {
        let mut length = [0; 4];
        match fill(&mut self.source, &mut length)? {
            0 => return Ok(false),
            4 => {}
            _ => return Err(ErrorKind::UnexpectedEof.into()),
        }
        // The next stream.
        if MAGIC.starts_with(&length) {
            let mut header = [0; MAGIC.len() - 4 + VERSIONS_BYTES];
            self.source.read_exact(&mut header)?;
            let is_magic = header.starts_with(&MAGIC[4..]);
            return if is_magic { Ok(true) } else { Err(incorrect("a stream does not begin with its mark")) };
        }
        let stored = u32::from_be_bytes(length) as usize;
        if stored > LARGEST_BLOCK {
            return Err(incorrect("a block is too long"));
        }
        self.compressed.resize(stored, 0);
        self.source.read_exact(&mut self.compressed)?;
        let length = decompress_len(&self.compressed).map_err(|_| incorrect("a block has no length"))?;
        if length > LARGEST_BLOCK {
            return Err(incorrect("a block is too long"));
        }
        block.resize(length, 0);
        match Decoder::new().decompress(&self.compressed, block) {
            Ok(_) => Ok(true),
            Err(_) => Err(incorrect("a block does not decompress")),
        }
    }
}

fn incorrect(what: &str) -> io::Error {
    io::Error::other(format!("is not correct Snappy: {what}"))
}
