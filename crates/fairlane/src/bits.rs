//! A set of small numbers whose least is known at once.

/// A set of numbers below a bound, as bits, with the set of the words that have any above it. Inserting, removing and
/// finding the least look at one word of each level, and a level has 64 times as many as the one above.
#[derive(Clone, Debug)]
pub(crate) struct BitSet {
    words: Vec<u64>,
    /// The words that are not 0, where there are several.
    summary: Option<Box<BitSet>>,
}

impl BitSet {
    /// An empty set of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> BitSet {
        let words = bound.div_ceil(64).max(1);
        BitSet { words: vec![0; words], summary: (words > 1).then(|| Box::new(BitSet::new(words))) }
    }

    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        let word = self.words.get(number as usize / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        let word = &mut self.words[number as usize / 64];
        let was_empty = *word == 0;
        *word |= 1 << (number % 64);
        if let Some(summary) = self.summary.as_mut().filter(|_| was_empty) {
            summary.insert(number / 64);
        }
    }

    /// Removes a number; whether the set is empty now.
    #[inline]
    pub(crate) fn remove(&mut self, number: u32) -> bool {
        let word = &mut self.words[number as usize / 64];
        *word &= !(1 << (number % 64));
        *word == 0 && self.summary.as_mut().is_none_or(|summary| summary.remove(number / 64))
    }

    /// The numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let mut from = 0;
        std::iter::from_fn(move || {
            let next = if from == 0 { self.first() } else { self.first_from(from) }?;
            from = next + 1;
            Some(next)
        })
    }

    /// The least number.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        let index = match &self.summary {
            Some(summary) => summary.first()?,
            None => 0,
        };
        let word = self.words[index as usize];
        (word != 0).then(|| index * 64 + word.trailing_zeros())
    }

    /// The least number that is not below another one.
    pub(crate) fn first_from(&self, from: u32) -> Option<u32> {
        let index = from / 64;
        let word = self.words.get(index as usize)? >> (from % 64);
        if word != 0 {
            return Some(from + word.trailing_zeros());
        }
        let index = self.summary.as_ref()?.first_from(index + 1)?;
        Some(index * 64 + self.words[index as usize].trailing_zeros())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn it_is_a_set() {
        for bound in [1, 64, 65, 4096, 5000, 300_000] {
            let (mut bits, mut set) = (BitSet::new(bound), BTreeSet::new());
            let mut state = 1_u32;
            for _ in 0..4000 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let number = (state >> 4) % bound as u32;
                if state >> 30 == 0 {
                    bits.insert(number);
                    set.insert(number);
                } else {
                    let number = set.first().copied().filter(|_| state >> 29 & 1 == 0).unwrap_or(number);
                    let is_empty = bits.remove(number);
                    set.remove(&number);
                    assert_eq!(is_empty, set.is_empty());
                }
                assert_eq!(bits.first(), set.first().copied());
                assert_eq!(bits.contains(number), set.contains(&number));
                assert_eq!(bits.first_from(number / 2), set.range(number / 2..).next().copied());
            }
        }
    }
}
