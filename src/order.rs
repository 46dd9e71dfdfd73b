//! Orders of many items, all made by one sort: each type of items that is sorted on its own would bring a sort of its
//! own into the page, and one that looks up what it compares is slower besides.

/// The indices `0..count` in the order of a key, equal keys in the order of index.
///
/// O(n log n); asks for each key once.
pub fn by_key(count: usize, key: impl Fn(u32) -> u64) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = (0..count as u32).map(|index| (key(index), index)).collect();
    // Stable because that one is quick where much is in order already; no two items are equal.
    keyed.sort();
    keyed.into_iter().map(|(_, index)| index).collect()
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
