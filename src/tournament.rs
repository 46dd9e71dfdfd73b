//! The least of many keys of which one changes at a time.

/// No key: after all others.
const EMPTY: u128 = u128::MAX;

/// A tournament tree. Every seat has a key or none; of two seats the lesser key goes up, and the
/// least of all stands at the top.
///
/// Changing one seat's key costs at most log2(seats) comparisons and stops where the result stays
/// the same; reading the least costs nothing. A key is one number, made of its parts by
/// [`key`]; the seat is the last part, so that no two keys are equal. Used for whatever the engine
/// needs the first of: the next task to end, the next user to leave, the stage whose turn it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tournament {
    /// The top is at 1, the children of `n` at `2n` and `2n + 1`, the seats at the end.
    nodes: Vec<u128>,
    /// Number of seats, a power of two.
    seats: usize,
}

/// A key of two parts and the seat that holds it.
pub(crate) const fn key(first: u64, second: u32, seat: u32) -> u128 {
    (first as u128) << 64 | (second as u128) << 32 | seat as u128
}

/// The seat of a key made by [`key`].
pub(crate) const fn seat(key: u128) -> u32 {
    key as u32
}

/// A number that orders as the number it is made of. It must not be negative.
pub(crate) fn ascending(number: f64) -> u64 {
    debug_assert!(number >= 0.0, "{number} is negative");
    // Adding 0 turns -0 into 0. The bits of what is left ascend.
    (number + 0.0).to_bits()
}

impl Tournament {
    /// A tree with at least so many seats, all empty.
    pub(crate) fn new(seats: usize) -> Self {
        let seats = seats.next_power_of_two();
        Tournament { nodes: vec![EMPTY; 2 * seats], seats }
    }

    /// The least key, if any seat has one.
    pub(crate) fn first(&self) -> Option<u128> {
        self.nodes.get(1).copied().filter(|&key| key != EMPTY)
    }

    /// Gives a seat a key, in place of the one it has.
    pub(crate) fn set(&mut self, seat: u32, key: u128) {
        let seat = seat as usize;
        if seat >= self.seats {
            self.grow(seat + 1);
        }
        let (mut place, mut least) = (self.seats + seat, key);
        self.nodes[place] = key;
        while place > 1 {
            least = least.min(self.nodes[place ^ 1]);
            place >>= 1;
            if self.nodes[place] == least {
                break;
            }
            self.nodes[place] = least;
        }
    }

    /// Takes a seat's key away.
    pub(crate) fn clear(&mut self, seat: u32) {
        self.set(seat, EMPTY);
    }

    /// The key of a seat that has one.
    pub(crate) fn get(&self, seat: u32) -> Option<u128> {
        self.nodes[self.seats..].get(seat as usize).copied().filter(|&key| key != EMPTY)
    }

    fn grow(&mut self, seats: usize) {
        let mut larger = Tournament::new(seats);
        if let Some(keys) = self.nodes.get(self.seats..) {
            larger.nodes[larger.seats..][..keys.len()].copy_from_slice(keys);
        }
        for place in (1..larger.seats).rev() {
            larger.nodes[place] = larger.nodes[2 * place].min(larger.nodes[2 * place + 1]);
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_key_is_at_the_top_whatever_changes() {
        let mut tree = Tournament::default();
        let mut keys = Vec::new();
        assert_eq!(tree.first(), None);
        let mut state = 1_u32;
        for _ in 0..5000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (seat, first) = (state >> 8 & 63, u64::from(state >> 20));
            if keys.len() <= seat as usize {
                keys.resize(seat as usize + 1, None);
            }
            if state >> 14 & 3 == 0 {
                tree.clear(seat);
                keys[seat as usize] = None;
            } else {
                tree.set(seat, key(first, state, seat));
                keys[seat as usize] = Some(key(first, state, seat));
            }
            assert_eq!(tree.first(), keys.iter().flatten().min().copied());
            assert_eq!(tree.get(seat), keys[seat as usize]);
        }
    }

    #[test]
    fn numbers_ascend_as_their_bits_do() {
        let numbers = [-0.0, f64::MIN_POSITIVE, 0.5, 1.0, 1e300, f64::INFINITY];
        assert!(numbers.is_sorted_by_key(|&number| ascending(number)));
        assert_eq!(ascending(-0.0), ascending(0.0));
    }
}
