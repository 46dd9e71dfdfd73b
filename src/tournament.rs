//! The least of many keys of which one changes at a time.

/// No key: after all others.
const EMPTY: u128 = u128::MAX;

/// A tournament tree. Every slot has a key or none; of two slots the lesser key goes up, and the
/// least of all is at the top.
///
/// Changing one slot's key costs at most log2(slots) comparisons and stops where the result stays
/// the same; reading the least costs nothing. A key is one number, made of its parts by
/// [`key`]; the slot is the last part, so that no two keys are equal. Used for whatever the engine
/// needs the first of: the next task to end, the next user to leave, the stage whose turn it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tournament {
    /// The top is at 1, the children of `n` at `2n` and `2n + 1`, the slots at the end.
    nodes: Vec<u128>,
    /// Number of slots, a power of two.
    slots: usize,
}

/// A key of two parts and the slot that holds it.
pub(crate) const fn key(first: u64, second: u32, slot: u32) -> u128 {
    (first as u128) << 64 | (second as u128) << 32 | slot as u128
}

/// The slot of a key made by [`key`].
pub(crate) const fn slot(key: u128) -> u32 {
    key as u32
}

/// A number that orders as the number it is made of. It must not be negative.
pub(crate) fn ascending(number: f64) -> u64 {
    debug_assert!(number >= 0.0, "{number} is negative");
    // Adding 0 turns -0 into 0. The bits of what is left ascend.
    (number + 0.0).to_bits()
}

impl Tournament {
    /// A tree with at least this many slots, all empty.
    pub(crate) fn new(slots: usize) -> Self {
        let slots = slots.next_power_of_two();
        Tournament { nodes: vec![EMPTY; 2 * slots], slots }
    }

    /// The least key, if any slot has one.
    pub(crate) fn first(&self) -> Option<u128> {
        self.nodes.get(1).copied().filter(|&key| key != EMPTY)
    }

    /// Gives a slot a key, instead of the one it has.
    pub(crate) fn set(&mut self, slot: u32, key: u128) {
        let slot = slot as usize;
        if slot >= self.slots {
            self.grow(slot + 1);
        }
        let (mut node, mut least) = (self.slots + slot, key);
        self.nodes[node] = key;
        while node > 1 {
            least = least.min(self.nodes[node ^ 1]);
            node >>= 1;
            if self.nodes[node] == least {
                break;
            }
            self.nodes[node] = least;
        }
    }

    /// Removes a slot's key.
    pub(crate) fn clear(&mut self, slot: u32) {
        self.set(slot, EMPTY);
    }

    /// The key of a slot that has one.
    pub(crate) fn get(&self, slot: u32) -> Option<u128> {
        self.nodes[self.slots..].get(slot as usize).copied().filter(|&key| key != EMPTY)
    }

    fn grow(&mut self, slots: usize) {
        let mut larger = Tournament::new(slots);
        if let Some(keys) = self.nodes.get(self.slots..) {
            larger.nodes[larger.slots..][..keys.len()].copy_from_slice(keys);
        }
        for node in (1..larger.slots).rev() {
            larger.nodes[node] = larger.nodes[2 * node].min(larger.nodes[2 * node + 1]);
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
            let (slot, first) = (state >> 8 & 63, u64::from(state >> 20));
            if keys.len() <= slot as usize {
                keys.resize(slot as usize + 1, None);
            }
            if state >> 14 & 3 == 0 {
                tree.clear(slot);
                keys[slot as usize] = None;
            } else {
                tree.set(slot, key(first, state, slot));
                keys[slot as usize] = Some(key(first, state, slot));
            }
            assert_eq!(tree.first(), keys.iter().flatten().min().copied());
            assert_eq!(tree.get(slot), keys[slot as usize]);
        }
    }

    #[test]
    fn numbers_ascend_as_their_bits_do() {
        let numbers = [-0.0, f64::MIN_POSITIVE, 0.5, 1.0, 1e300, f64::INFINITY];
        assert!(numbers.is_sorted_by_key(|&number| ascending(number)));
        assert_eq!(ascending(-0.0), ascending(0.0));
    }
}
