//! Snappy as Spark writes it: the blocks of snappy-java's `SnappyOutputStream`, which are not Snappy's own frames.

use std::io::{self, Read};

use snap::raw::{Decoder, decompress_len};

use super::blocks::Compressed;

/// `SnappyCodec.MAGIC_HEADER`, which begins a stream; its version and the oldest that can read it follow.
const MAGIC: &[u8] = b"\x82SNAPPY\0";
const VERSIONS_BYTES: usize = 8;
/// The largest block that is read, in bytes. Spark's have 32 KB.
const LARGEST_BLOCK: usize = 1 << 25;

/// Decompresses a block; several streams may follow one another.
pub(super) fn next_block<R: Read>(source: &mut Compressed<R>, block: &mut Vec<u8>) -> io::Result<bool> {
    let Some(length) = source.header()? else { return Ok(false) };
    // The next stream.
    if MAGIC.starts_with(&length) {
        let header = source.take(MAGIC.len() - length.len() + VERSIONS_BYTES)?;
        let is_magic = header.starts_with(&MAGIC[4..]);
        return if is_magic { Ok(true) } else { Err(incorrect("a stream does not begin with its mark")) };
    }
    let stored = u32::from_be_bytes(length) as usize;
    if stored > LARGEST_BLOCK {
        return Err(incorrect("a block is too long"));
    }
    let compressed = source.take(stored)?;
    let length = decompress_len(compressed).map_err(|_| incorrect("a block has no length"))?;
    if length > LARGEST_BLOCK {
        return Err(incorrect("a block is too long"));
    }
    block.resize(length, 0);
    match Decoder::new().decompress(compressed, block) {
        Ok(_) => Ok(true),
        Err(_) => Err(incorrect("a block does not decompress")),
    }
}

fn incorrect(what: &str) -> io::Error {
    io::Error::other(format!("is not correct Snappy: {what}"))
}
