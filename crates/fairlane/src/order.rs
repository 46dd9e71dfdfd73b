//! Orders of many items, and items by group.
//!
//! Each type of items that the standard library sorts brings a sort of several kilobytes into the page's program: the
//! functions here share one sort, of indices.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The indices `0..count` in the order of a key, equal keys in the order of index.
///
/// O(n log n); asks for each key once. There is one sort for all because each further one would add to the page, and
/// one that looks up what it compares would be slower.
pub fn by_key(count: usize, key: impl Fn(u32) -> u64) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = (0..count as u32).map(|index| (key(index), index)).collect();
    // Stable because that one is quick where much is in order already; no two items are equal.
    keyed.sort();
    keyed.into_iter().map(|(_, index)| index).collect()
}

/// Sorts items in their own order. O(n log n), at most 2^32 items.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts items by a comparison; equal ones keep their order. O(n log n), at most 2^32 items.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    sort_indices(&mut order, &mut |one, other| compare(&items[one as usize], &items[other as usize]));
    arrange(items, &mut order);
}

/// Sorts items by a key; equal keys keep their order. Asks for each key once. O(n log n), at most 2^32 items.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl FnMut(&T) -> K) {
    let keys: Vec<K> = items.iter().map(key).collect();
    let mut order: Vec<u32> = (0..items.len() as u32).collect();
    sort_indices(&mut order, &mut |one, other| keys[one as usize].cmp(&keys[other as usize]));
    arrange(items, &mut order);
}

/// A set of a few items, inserted one by one: `collect` would sort them first.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

#[inline(never)]
fn sort_indices(order: &mut [u32], compare: &mut dyn FnMut(u32, u32) -> Ordering) {
    order.sort_by(|&one, &other| compare(one, other));
}

/// Moves the item at `order[i]` to `i`, for each i, cycle by cycle.
fn arrange<T>(items: &mut [T], order: &mut [u32]) {
    for start in 0..order.len() {
        let mut index = start;
        loop {
            let from = std::mem::replace(&mut order[index], index as u32) as usize;
            if from == start {
                break;
            }
            items.swap(index, from);
            index = from;
        }
    }
}

/// Ascending positions, group by group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Positions {
    /// Where each group begins in `list`; one entry more than there are groups.
    first: Vec<u32>,
    list: Vec<u32>,
}

impl Positions {
    /// The positions `0, 1, …` of a sequence whose items belong to the groups given. There must be
    /// fewer than 2^32 items.
    pub(crate) fn new(groups: usize, sequence: impl Iterator<Item = usize> + Clone) -> Positions {
        let mut first = vec![0_u32; groups + 1];
        for group in sequence.clone() {
            first[group + 1] += 1;
        }
        for group in 0..groups {
            first[group + 1] += first[group];
        }
        let mut next = first.clone();
        let mut list = vec![0; first[groups] as usize];
        for (position, group) in sequence.enumerate() {
            list[next[group] as usize] = position as u32;
            next[group] += 1;
        }
        Positions { first, list }
    }

    /// Where each group begins, and the positions, group by group: what [`Positions::from_columns`] takes.
    pub(crate) fn columns(&self) -> [&[u32]; 2] {
        [&self.first, &self.list]
    }

    /// Positions out of their columns.
    pub(crate) fn from_columns([first, list]: [Vec<u32>; 2]) -> Positions {
        Positions { first, list }
    }

    /// The positions of a group, ascending.
    pub(crate) fn of(&self, group: usize) -> &[u32] {
        &self.list[self.first[group] as usize..self.first[group + 1] as usize]
    }

    /// How many items of a group are before a position.
    pub(crate) fn before(&self, group: usize, position: u32) -> u32 {
        self.of(group).partition_point(|&other| other < position) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_keep_their_order() {
        let keys = [3, 1, 2, 1, u64::MAX, 0, 3];
        assert_eq!(by_key(keys.len(), |index| keys[index as usize]), [5, 1, 3, 2, 0, 6, 4]);
        assert!(by_key(0, |_| 0).is_empty());
    }

    #[test]
    fn items_are_sorted_and_equal_ones_keep_their_order() {
        let mut state = 7_u32;
        for count in 0..60 {
            let draw = |_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 28
            };
            let items: Vec<(u32, usize)> = (0..count).map(draw).zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|&(key, _)| key);
            let (mut by_key, mut by_comparison) = (items.clone(), items);
            sort_by_key(&mut by_key, |&(key, _)| key);
            sort_by(&mut by_comparison, |one, other| one.0.cmp(&other.0));
            assert_eq!((&by_key, &by_comparison), (&expected, &expected));
        }
    }
}
