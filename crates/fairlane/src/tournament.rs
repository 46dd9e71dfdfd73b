//! The least of many keys of which one changes at a time.

use crate::units::Time;

/// No key: after all others.
pub(crate) const EMPTY: u128 = u128::MAX;

/// A tournament tree. Every slot has a key or none; of four slots the least key goes up, and the
/// least of all is at the top.
///
/// Changing one slot's key looks at log4(slots) groups; reading the least costs nothing. A key is one number, made of
/// its parts by [`key`]; the slot is the last part, so that no two keys are equal. Used for whatever the engine
/// needs the first of: the next task to end, the next user to leave, the stage whose turn it is.
#[derive(Clone, Debug)]
pub(crate) struct Tournament {
    /// The top is group 0; key `i` of group `g` is the least of group `4 g + i + 1`. The slots' groups are at the end.
    groups: Vec<[u128; 4]>,
    /// Group of the first slots.
    slots: usize,
    least: u128,
}

/// A key of two parts and the slot that holds it.
pub(crate) const fn key(first: u64, second: u32, slot: u32) -> u128 {
    (first as u128) << 64 | (second as u128) << 32 | slot as u128
}

/// The slot of a key made by [`key`].
pub(crate) const fn slot(key: u128) -> u32 {
    key as u32
}

/// The first part of a key made by [`key`], where it is an instant.
pub(crate) const fn time(key: u128) -> Time {
    Time((key >> 64) as u64)
}

/// A number that orders as the number it is made of. It must not be negative.
pub(crate) fn ascending(number: f64) -> u64 {
    debug_assert!(number >= 0.0, "{number} is negative");
    // Adding 0 turns -0 into 0. The bits of what is left ascend.
    (number + 0.0).to_bits()
}

#[inline]
fn least_of(keys: &[u128; 4]) -> u128 {
    keys[0].min(keys[1]).min(keys[2].min(keys[3]))
}

impl Tournament {
    /// A tree with at least this many slots, all empty.
    pub(crate) fn new(slots: usize) -> Self {
        let (mut groups, mut first) = (1, 0);
        while groups * 4 < slots {
            first += groups;
            groups *= 4;
        }
        Tournament { groups: vec![[EMPTY; 4]; first + groups], slots: first, least: EMPTY }
    }

    /// The least key, if any slot has one.
    pub(crate) fn first(&self) -> Option<u128> {
        (self.least != EMPTY).then_some(self.least)
    }

    /// Gives a slot a key, instead of the one it has.
    pub(crate) fn set(&mut self, slot: u32, key: u128) {
        let (mut group, mut index, mut least) = (self.slots + slot as usize / 4, slot as usize % 4, key);
        if group >= self.groups.len() {
            return self.grow(slot, key);
        }
        loop {
            let keys = &mut self.groups[group];
            keys[index] = least;
            least = least_of(keys);
            if group == 0 {
                break;
            }
            (group, index) = ((group - 1) / 4, (group - 1) % 4);
        }
        self.least = least;
    }

    /// Removes a slot's key.
    pub(crate) fn clear(&mut self, slot: u32) {
        self.set(slot, EMPTY);
    }

    /// The key of a slot that has one.
    pub(crate) fn get(&self, slot: u32) -> Option<u128> {
        let group = self.groups.get(self.slots + slot as usize / 4)?;
        Some(group[slot as usize % 4]).filter(|&key| key != EMPTY)
    }

    /// Gives slots keys, instead of those that they have: at once if they are many, which then takes O(slots of the
    /// tree).
    pub(crate) fn set_all(&mut self, keys: impl ExactSizeIterator<Item = (u32, u128)>) {
        if keys.len() * 2 < self.groups.len() {
            keys.for_each(|(slot, key)| self.set(slot, key));
            return;
        }
        for (slot, key) in keys {
            match self.groups.get_mut(self.slots + slot as usize / 4) {
                Some(group) => group[slot as usize % 4] = key,
                None => self.grow(slot, key),
            }
        }
        for group in (1..self.groups.len()).rev() {
            self.groups[(group - 1) / 4][(group - 1) % 4] = least_of(&self.groups[group]);
        }
        self.least = least_of(&self.groups[0]);
    }

    /// Sets a slot's key in a larger tree.
    #[cold]
    fn grow(&mut self, slot: u32, key: u128) {
        let mut larger = Tournament::new(slot as usize + 1);
        for (old, &key) in (0..).zip(self.groups[self.slots..].as_flattened()) {
            larger.set(old, key);
        }
        larger.set(slot, key);
        *self = larger;
    }
}

impl Default for Tournament {
    fn default() -> Self {
        Tournament::new(0)
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
    fn many_keys_at_once_are_as_one_by_one() {
        let mut state = 3_u32;
        let mut random = move |end: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % end
        };
        let [mut tree, mut slow] = [Tournament::default(), Tournament::default()];
        for round in 1..200 {
            let slots = random(round + 1);
            let keys: Vec<(u32, u128)> =
                (0..slots).map(|slot| (slot * 3, key(u64::from(random(9)), 0, slot * 3))).collect();
            tree.set_all(keys.iter().copied());
            keys.iter().for_each(|&(slot, key)| slow.set(slot, key));
            let cleared = random(200);
            tree.clear(cleared);
            slow.clear(cleared);
            assert_eq!(tree.first(), slow.first());
        }
    }

    #[test]
    fn numbers_ascend_as_their_bits_do() {
        let numbers = [-0.0, f64::MIN_POSITIVE, 0.5, 1.0, 1e300, f64::INFINITY];
        assert!(numbers.is_sorted_by_key(|&number| ascending(number)));
        assert_eq!(ascending(-0.0), ascending(0.0));
    }
}
