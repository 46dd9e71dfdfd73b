//! LZ4 as Spark writes it: the blocks of lz4-java's `LZ4BlockOutputStream`, which are not LZ4's own frames.

use std::io::{self, Read};

use lz4_flex::block::decompress_into;
use xxhash_rust::xxh32::xxh32;

use super::blocks::Compressed;

const MAGIC: &[u8] = b"LZ4Block";
/// Magic, token, compressed and original length, checksum.
const HEADER_BYTES: usize = 21;
/// The token's upper half: how the block is stored.
const STORED: u8 = 0x10;
const COMPRESSED: u8 = 0x20;
/// Seed and mask of the checksum of a block's original bytes.
const CHECKSUM_SEED: u32 = 0x9747_b28c;
const CHECKSUM_MASK: u32 = 0x0fff_ffff;
/// The largest block that a token can announce, in bytes.
const LARGEST_BLOCK: usize = 1 << 25;

/// Decompresses a block; several streams may follow one another.
pub(super) fn next_block<R: Read>(source: &mut Compressed<R>, block: &mut Vec<u8>) -> io::Result<bool> {
    let Some(header) = source.header::<HEADER_BYTES>()? else { return Ok(false) };
    if !header.starts_with(MAGIC) {
        return Err(incorrect("a block does not begin with its mark"));
    }
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (stored, length, checksum) = (number(9) as usize, number(13) as usize, number(17));
    if stored > LARGEST_BLOCK || length > LARGEST_BLOCK {
        return Err(incorrect("a block is too long"));
    }
    let compressed = source.take(stored)?;
    match header[8] & 0xf0 {
        STORED if stored == length => block.extend_from_slice(compressed),
        COMPRESSED => {
            block.resize(length, 0);
            match decompress_into(compressed, block) {
                Ok(written) if written == length => {}
                _ => return Err(incorrect("a block does not decompress")),
            }
        }
        _ => return Err(incorrect("a block is stored in an unknown way")),
    }
    // The end of a stream is a block of nothing whose checksum is 0.
    if length > 0 && xxh32(block, CHECKSUM_SEED) & CHECKSUM_MASK != checksum {
        return Err(incorrect("the checksum of a block differs"));
    }
    Ok(true)
}

fn incorrect(what: &str) -> io::Error {
    io::Error::other(format!("is not correct lz4: {what}"))
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::super::blocks::BlockReader;
    use super::*;

    /// A block as lz4-java writes it, stored or compressed as text of one repeated letter.
    fn block(method: u8, stored: &[u8], original: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(method | 6);
        bytes.extend((stored.len() as u32).to_le_bytes());
        bytes.extend((original.len() as u32).to_le_bytes());
        let checksum = if original.is_empty() { 0 } else { xxh32(original, CHECKSUM_SEED) & CHECKSUM_MASK };
        bytes.extend(checksum.to_le_bytes());
        bytes.extend(stored);
        bytes
    }

    fn text(bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        BlockReader::new(bytes, next_block).read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn blocks_of_several_streams_are_read_to_the_end() {
        // A literal "a", a match of 4 + 4 bytes one byte before it, and five literals as LZ4 demands at the end.
        let compressed = [0x14, b'a', 1, 0, 0x50, b'b', b'c', b'd', b'e', b'f'];
        let mut bytes = block(COMPRESSED, &compressed, b"aaaaaaaaabcdef");
        bytes.extend(block(STORED, b"", b""));
        bytes.extend(block(STORED, b"next", b"next"));
        assert_eq!(text(&bytes).expect("correct blocks"), "aaaaaaaaabcdefnext");
    }

    #[test]
    fn damage_is_an_error() {
        let good = block(STORED, b"text", b"text");
        for index in 0..good.len() {
            let mut bytes = good.clone();
            bytes[index] ^= 0x80;
            assert!(text(&bytes).is_err(), "byte {index}");
        }
        assert_eq!(text(&good[..good.len() - 1]).expect_err("cut").kind(), ErrorKind::UnexpectedEof);
    }
}
