//! Compressions that store a file block by block, each block on its own.

use std::io::{self, Read};

/// A file as a sequence of blocks.
pub(super) trait Blocks {
    /// Decompresses the next block, which may be empty, into an empty buffer; whether there is one.
    fn next_block(&mut self, block: &mut Vec<u8>) -> io::Result<bool>;
}

/// The bytes of all blocks, one block after the other.
pub(super) struct BlockReader<B> {
    blocks: B,
    block: Vec<u8>,
    /// How much of the block has been read.
    position: usize,
}

impl<B: Blocks> BlockReader<B> {
    pub(super) fn new(blocks: B) -> BlockReader<B> {
        BlockReader { blocks, block: Vec::new(), position: 0 }
    }
}

impl<B: Blocks> Read for BlockReader<B> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.position == self.block.len() {
            self.position = 0;
            self.block.clear();
            if !self.blocks.next_block(&mut self.block)? {
                return Ok(0);
            }
        }
        let read = buffer.len().min(self.block.len() - self.position);
        buffer[..read].copy_from_slice(&self.block[self.position..self.position + read]);
        self.position += read;
        Ok(read)
    }
}

/// Reads until a buffer is full or the file ends; how much there was.
pub(super) fn fill(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
