//! Orders of many items, and items by group.

/// The indices `0..count` in the order of a key, equal keys in the order of index.
pub fn by_key(count: usize, key: impl Fn(u32) -> u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_cached_key(|&index| key(index));
    order
}

/// Ascending positions, group by group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GroupedPositions {
    /// Where each group begins in `list`; one entry more than there are groups.
    first: Vec<u32>,
    list: Vec<u32>,
}

impl GroupedPositions {
    /// The positions `0, 1, …` of a sequence whose items belong to the groups given. There must be
    /// fewer than 2^32 items.
    pub(crate) fn new(groups: usize, sequence: impl Iterator<Item = usize> + Clone) -> GroupedPositions {
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
        GroupedPositions { first, list }
    }

    /// Where each group begins, and the positions, group by group: what [`Positions::from_columns`] takes.
    pub(crate) fn columns(&self) -> [&[u32]; 2] {
        [&self.first, &self.list]
    }

    /// Positions out of their columns.
    pub(crate) fn from_columns([first, list]: [Vec<u32>; 2]) -> GroupedPositions {
        GroupedPositions { first, list }
    }

    /// The positions of a group, ascending.
    pub(crate) fn group(&self, group: usize) -> &[u32] {
        &self.list[self.first[group] as usize..self.first[group + 1] as usize]
    }

    /// How many items of a group are before a position.
    pub(crate) fn before(&self, group: usize, position: u32) -> u32 {
        self.group(group).partition_point(|&other| other < position) as u32
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
}
