//! A set of small numbers whose least is known at once.

/// A set of numbers below a bound, as bits with summaries above: a bit of a level says whether the word below has any.
/// Inserting, removing and finding the least look at one word of each level, and a level holds 64 times as much as
/// the one above.
#[derive(Clone, Debug)]
pub(crate) struct BitSet {
    /// The numbers' own bits first, a single word last.
    levels: Vec<Vec<u64>>,
}

impl BitSet {
    /// An empty set of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> BitSet {
        let (mut levels, mut bits) = (Vec::new(), bound.max(1));
        loop {
            bits = bits.div_ceil(64);
            levels.push(vec![0; bits]);
            if bits == 1 {
                return BitSet { levels };
            }
        }
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        let word = self.levels[0].get(number as usize / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    pub(crate) fn insert(&mut self, number: u32) {
        let mut index = number as usize;
        for level in &mut self.levels {
            let word = &mut level[index / 64];
            let before = *word;
            *word |= 1 << (index % 64);
            if before != 0 {
                return;
            }
            index /= 64;
        }
    }

    pub(crate) fn remove(&mut self, number: u32) {
        let mut index = number as usize;
        for level in &mut self.levels {
            let word = &mut level[index / 64];
            *word &= !(1 << (index % 64));
            if *word != 0 {
                return;
            }
            index /= 64;
        }
    }

    /// The least number.
    pub(crate) fn first(&self) -> Option<u32> {
        let mut index = 0;
        for level in self.levels.iter().rev() {
            let word = level[index];
            if word == 0 {
                return None;
            }
            index = index * 64 + word.trailing_zeros() as usize;
        }
        Some(index as u32)
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
                    bits.remove(number);
                    set.remove(&number);
                }
                assert_eq!(bits.first(), set.first().copied());
                assert_eq!(bits.contains(number), set.contains(&number));
            }
        }
    }
}
