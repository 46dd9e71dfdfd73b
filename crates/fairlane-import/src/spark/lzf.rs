//! LZF as Spark writes it: the chunks of compress-lzf's `LZFOutputStream` (its class `LZFChunk`).

use std::io::{self, Read};

use lzf_rust::decompress;

use super::blocks::Compressed;

const MAGIC: &[u8] = b"ZV";
/// Magic, how the chunk is stored, and its length as stored.
const HEADER_BYTES: usize = 5;
/// How a chunk is stored.
const STORED: u8 = 0;
const COMPRESSED: u8 = 1;

/// Decompresses a chunk; several streams may follow one another.
pub(super) fn next_block<R: Read>(source: &mut Compressed<R>, block: &mut Vec<u8>) -> io::Result<bool> {
    let Some(header) = source.header::<HEADER_BYTES>()? else { return Ok(false) };
    if !header.starts_with(MAGIC) {
        return Err(incorrect("a chunk does not begin with its mark"));
    }
    let stored = usize::from(u16::from_be_bytes([header[3], header[4]]));
    match header[2] {
        STORED => block.extend_from_slice(source.take(stored)?),
        COMPRESSED => {
            let length = source.take(2)?;
            block.resize(usize::from(u16::from_be_bytes([length[0], length[1]])), 0);
            if decompress(source.take(stored)?, block).ok() != Some(block.len()) {
                return Err(incorrect("a chunk does not decompress"));
            }
        }
        _ => return Err(incorrect("a chunk is stored in an unknown way")),
    }
    Ok(true)
}

fn incorrect(what: &str) -> io::Error {
    io::Error::other(format!("is not correct LZF: {what}"))
}
