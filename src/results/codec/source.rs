//! Bytes stored elsewhere, such as in a buffer of the browser, copied to where they are needed.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::DecodeError;

/// Bytes that can be copied from.
pub trait ByteSource: std::fmt::Debug {
    /// Number of bytes.
    fn length(&self) -> usize;

    /// Copies the bytes from an offset on; the range is within the source.
    fn copy(&self, offset: usize, into: &mut [u8]);
}

impl ByteSource for Vec<u8> {
    fn length(&self) -> usize {
        self.len()
    }

    fn copy(&self, offset: usize, into: &mut [u8]) {
        into.copy_from_slice(&self[offset..offset + into.len()]);
    }
}

/// Bytes copied in one go: few enough to take well below a millisecond.
const CHUNK: usize = 1 << 20;

/// Reads a source from its beginning to its end.
pub(super) struct ByteReader<'a, S: ?Sized> {
    source: &'a S,
    offset: usize,
}

impl<'a, S: ByteSource + ?Sized> ByteReader<'a, S> {
    pub(super) fn new(source: &'a S) -> Self {
        ByteReader { source, offset: 0 }
    }

    /// Number of bytes left.
    pub(super) fn left(&self) -> usize {
        self.source.length() - self.offset
    }

    /// The next items as they lie in memory, chunk by chunk with a pause after each.
    pub(super) async fn column<T: FromBytes + IntoBytes + Immutable + Copy>(
        &mut self,
        count: usize,
        pause: &impl AsyncFn(),
    ) -> Result<Vec<T>, DecodeError> {
        if count > self.left() / size_of::<T>() {
            return Err(DecodeError::Damaged);
        }
        let mut column = Vec::new();
        column.try_reserve_exact(count).map_err(|_| DecodeError::TooLarge)?;
        while column.len() < count {
            let from = column.len();
            column.resize(count.min(from + CHUNK / size_of::<T>()), T::new_zeroed());
            self.fill(column[from..].as_mut_bytes())?;
            pause().await;
        }
        Ok(column)
    }

    fn fill(&mut self, into: &mut [u8]) -> Result<(), DecodeError> {
        if into.len() > self.left() {
            return Err(DecodeError::Damaged);
        }
        self.source.copy(self.offset, into);
        self.offset += into.len();
        Ok(())
    }
}
