//! Reading bytes that lie elsewhere, such as in a buffer of the browser's, straight to where they are to stay.

use std::fmt::Debug;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::Undecodable;

/// Bytes that can be copied from.
pub trait Source: Debug {
    /// How many there are.
    fn length(&self) -> usize;

    /// Copies those from a place on. Place and length lie within the bytes.
    fn copy(&self, from: usize, into: &mut [u8]);

    /// The same bytes once more, for another owner.
    fn another(&self) -> Box<dyn Source>;
}

impl Source for Vec<u8> {
    fn length(&self) -> usize {
        self.len()
    }

    fn copy(&self, from: usize, into: &mut [u8]) {
        into.copy_from_slice(&self[from..from + into.len()]);
    }

    fn another(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }
}

/// Bytes copied in one go: so few that it takes well below a millisecond.
const CHUNK: usize = 1 << 20;

/// Reads a source from its beginning to its end.
pub(super) struct Reader<'a, S: ?Sized> {
    source: &'a S,
    at: usize,
}

impl<'a, S: Source + ?Sized> Reader<'a, S> {
    pub(super) fn new(source: &'a S) -> Self {
        Reader { source, at: 0 }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.source.length() - self.at
    }

    /// The next words of 64 bits.
    pub(super) fn words<const N: usize>(&mut self) -> Result<[u64; N], Undecodable> {
        let mut words = [0; N];
        self.fill(words.as_mut_bytes())?;
        Ok(words)
    }

    /// Leaves bytes out.
    pub(super) fn skip(&mut self, count: usize) -> Result<(), Undecodable> {
        if count > self.left() {
            return Err(Undecodable::Damaged);
        }
        self.at += count;
        Ok(())
    }

    /// The next bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Undecodable> {
        if count > self.left() {
            return Err(Undecodable::Damaged);
        }
        let mut bytes = vec![0; count];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// The next items as they lie in memory, chunk by chunk: each is checked, and then there is a pause.
    pub(super) async fn column<T: FromBytes + IntoBytes + Immutable + Copy>(
        &mut self,
        count: usize,
        pause: &impl AsyncFn(),
        mut check: impl FnMut(&[T]) -> bool,
    ) -> Result<Vec<T>, Undecodable> {
        if count > self.left() / size_of::<T>() {
            return Err(Undecodable::Damaged);
        }
        let mut column = Vec::new();
        column.try_reserve_exact(count).map_err(|_| Undecodable::TooLarge)?;
        while column.len() < count {
            let from = column.len();
            column.resize(count.min(from + CHUNK / size_of::<T>()), T::new_zeroed());
            self.fill(column[from..].as_mut_bytes())?;
            if !check(&column[from..]) {
                return Err(Undecodable::Damaged);
            }
            pause().await;
        }
        Ok(column)
    }

    fn fill(&mut self, into: &mut [u8]) -> Result<(), Undecodable> {
        if into.len() > self.left() {
            return Err(Undecodable::Damaged);
        }
        self.source.copy(self.at, into);
        self.at += into.len();
        Ok(())
    }
}
