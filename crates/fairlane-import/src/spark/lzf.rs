//! LZF as Spark writes it: the chunks of compress-lzf's `LZFOutputStream` (its class `LZFChunk`).

use std::io::{self, ErrorKind, Read};

use lzf_rust::decompress;

use super::blocks::{Blocks, fill};

const MAGIC: &[u8] = b"ZV";
/// Magic, how the chunk is stored, and its length as stored.
const HEADER_BYTES: usize = 5;
/// How a chunk is stored.
const STORED: u8 = 0;
const COMPRESSED: u8 = 1;

/// Decompresses chunks one after the other.
pub(super) struct LzfChunks<R> {
    source: R,
    compressed: Vec<u8>,
}

impl<R: Read> LzfChunks<R> {
    pub(super) fn new(source: R) -> LzfChunks<R> {
        LzfChunks { source, compressed: Vec::new() }
    }
}

impl<R: Read> Blocks for LzfChunks<R> {
    fn next_block(&mut self, block: &mut Vec<u8>) -> io::Result<bool> {
        let mut header = [0; HEADER_BYTES];
        match fill(&mut self.source, &mut header)? {
            0 => return Ok(false),
            HEADER_BYTES => {}
            _ => return Err(ErrorKind::UnexpectedEof.into()),
        }
        if !header.starts_with(MAGIC) {
            return Err(incorrect("a chunk does not begin with its mark"));
        }
        let stored = usize::from(u16::from_be_bytes([header[3], header[4]]));
        match header[2] {
            STORED => {
                block.resize(stored, 0);
                self.source.read_exact(block)?;
            }
            COMPRESSED => {
                let mut length = [0; 2];
                self.source.read_exact(&mut length)?;
                self.compressed.resize(stored, 0);
                self.source.read_exact(&mut self.compressed)?;
                block.resize(usize::from(u16::from_be_bytes(length)), 0);
                if decompress(&self.compressed, block).ok() != Some(block.len()) {
                    return Err(incorrect("a chunk does not decompress"));
                }
            }
            _ => return Err(incorrect("a chunk is stored in an unknown way")),
        }
        Ok(true)
    }
}

fn incorrect(what: &str) -> io::Error {
    io::Error::other(format!("is not correct LZF: {what}"))
}
