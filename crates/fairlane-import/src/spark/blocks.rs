//! Compressions that store a file block by block, each block on its own.

use std::io::{self, ErrorKind, Read};

/// A compressed file.
pub(super) struct Compressed<R> {
    source: R,
    /// The bytes that were taken last.
    taken: Vec<u8>,
}

impl<R: Read> Compressed<R> {
    /// The header of the next block; `None` at the end of the file.
    pub(super) fn header<const LENGTH: usize>(&mut self) -> io::Result<Option<[u8; LENGTH]>> {
        self.taken.clear();
        self.source.by_ref().take(LENGTH as u64).read_to_end(&mut self.taken)?;
        match self.taken.as_slice().try_into() {
            Ok(header) => Ok(Some(header)),
            Err(_) if self.taken.is_empty() => Ok(None),
            Err(_) => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    /// The next bytes, of a length that a header announced.
    pub(super) fn take(&mut self, length: usize) -> io::Result<&[u8]> {
        self.taken.resize(length, 0);
        self.source.read_exact(&mut self.taken)?;
        Ok(&self.taken)
    }
}

/// Decompresses the next block, which may be empty, into an empty buffer; whether there is one.
pub(super) type NextBlock<R> = fn(&mut Compressed<R>, &mut Vec<u8>) -> io::Result<bool>;

/// The bytes of all blocks, one block after the other.
pub(super) struct BlockReader<R> {
    compressed: Compressed<R>,
    next_block: NextBlock<R>,
    block: Vec<u8>,
    /// How much of the block has been read.
    position: usize,
}

impl<R: Read> BlockReader<R> {
    pub(super) fn new(source: R, next_block: NextBlock<R>) -> BlockReader<R> {
        let compressed = Compressed { source, taken: Vec::new() };
        BlockReader { compressed, next_block, block: Vec::new(), position: 0 }
    }
}

impl<R: Read> Read for BlockReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.position == self.block.len() {
            self.position = 0;
            self.block.clear();
            if !(self.next_block)(&mut self.compressed, &mut self.block)? {
                return Ok(0);
            }
        }
        let read = (&self.block[self.position..]).read(buffer)?;
        self.position += read;
        Ok(read)
    }
}
