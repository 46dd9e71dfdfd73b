//! The waiting stages where memory is modelled: which is the first of those whose tasks fit.

use super::View;
use crate::bits::BitSet;
use crate::ids::StageIndex;
use crate::order;

/// The waiting stages in groups, such as those of a job, each with a key.
///
/// A question or a change takes O(log stages).
pub(super) struct ByMemory<K> {
    stages: Groups,
    keys: Least<(K, StageIndex)>,
}

impl<K: Ord + Copy> ByMemory<K> {
    /// The stages of a scenario in groups, none of them waiting.
    pub fn new(view: &View, groups: u32, group: &dyn Fn(StageIndex) -> u32) -> Self {
        ByMemory { stages: Groups::new(view, groups, group), keys: Least::new(view.stages() as usize) }
    }

    /// Sets a stage's key; from now on it waits.
    pub fn set(&mut self, stage: StageIndex, key: K) {
        self.keys.set(self.stages.insert(stage), Some((key, stage)));
    }

    /// Sets keys of stages that wait.
    pub fn set_all(&mut self, keys: &[(StageIndex, K)]) {
        let slots = &self.stages.slots;
        self.keys.set_all(keys.iter().map(|&(stage, key)| (slots[stage.index()].in_group, (key, stage))));
    }

    /// Removes a stage if it waits.
    pub fn clear(&mut self, stage: StageIndex) {
        self.keys.set(self.stages.remove(stage), None);
    }

    /// The slot, among all stages, of the group's waiting stage with the least memory.
    pub fn least_of(&self, group: u32) -> Option<u32> {
        self.stages.least_of(group)
    }

    /// The end of the slots, among all stages, of those that need no more than some memory.
    pub fn fitting(&self, most: u64) -> u32 {
        self.stages.fitting(most)
    }

    /// The stage with the least key of those of a group that need no more than some memory.
    pub fn first_of(&self, group: u32, most: u64) -> Option<StageIndex> {
        let [from, end] = self.stages.fitting_of(group, most);
        self.keys.first(from, end).map(|(_, stage)| stage)
    }
}

/// The stages in groups. Every stage, waiting or not, has a slot in its group and one among all stages, both in the order
/// of the memory that its tasks hold.
struct Groups {
    /// By stage index.
    slots: Vec<StageSlots>,
    /// The stages and their memory, group by group.
    stages: Vec<(StageIndex, u64)>,
    /// Where each group begins in `stages`; one entry more than there are groups.
    first: Vec<u32>,
    /// By slot in `stages`: those that wait.
    waiting: BitSet,
    /// The memory of all stages, ascending.
    memory: Vec<u64>,
}

#[derive(Clone, Copy, Default)]
struct StageSlots {
    in_group: u32,
    overall: u32,
}

impl Groups {
    fn new(view: &View, groups: u32, group: &dyn Fn(StageIndex) -> u32) -> Groups {
        let count = view.stages() as usize;
        let memory = |stage: u32| view.stage(StageIndex(stage)).memory();
        let by_memory = order::by_key(count, memory);
        let mut stages: Vec<_> = by_memory.iter().map(|&stage| (StageIndex(stage), memory(stage))).collect();
        stages.sort_by_key(|&(stage, _)| group(stage));
        let mut slots = vec![StageSlots::default(); count];
        (0..).zip(&by_memory).for_each(|(slot, &stage)| slots[stage as usize].overall = slot);
        (0..).zip(&stages).for_each(|(slot, (stage, _))| slots[stage.index()].in_group = slot);
        let begin = |of: u32| stages.partition_point(|&(stage, _)| group(stage) < of) as u32;
        Groups {
            first: (0..=groups).map(begin).collect(),
            slots,
            stages,
            waiting: BitSet::new(count),
            memory: by_memory.into_iter().map(memory).collect(),
        }
    }

    /// The slot in its group of a stage that waits from now on.
    fn insert(&mut self, stage: StageIndex) -> u32 {
        let slot = self.slots[stage.index()].in_group;
        self.waiting.insert(slot);
        slot
    }

    /// The slot in its group of a stage that no longer waits.
    fn remove(&mut self, stage: StageIndex) -> u32 {
        let slot = self.slots[stage.index()].in_group;
        self.waiting.remove(slot);
        slot
    }

    fn least_of(&self, group: u32) -> Option<u32> {
        let [first, end] = [0, 1].map(|after| self.first[group as usize + after]);
        let slot = self.waiting.first_from(first).filter(|&slot| slot < end)?;
        Some(self.slots[self.stages[slot as usize].0.index()].overall)
    }

    fn fitting(&self, most: u64) -> u32 {
        self.memory.partition_point(|&memory| memory <= most) as u32
    }

    /// The slots of a group's stages that need no more than some memory, and their end.
    fn fitting_of(&self, group: u32, most: u64) -> [u32; 2] {
        let [first, end] = [0, 1].map(|after| self.first[group as usize + after]);
        let stages = &self.stages[first as usize..end as usize];
        [first, first + stages.partition_point(|&(_, memory)| memory <= most) as u32]
    }
}

/// The keys of the groups of [`ByMemory`], each in the slot of the group's waiting stage with the least memory.
pub(super) struct GroupKeys<G> {
    keys: Least<(G, u32)>,
    /// By group.
    slots: Vec<Option<u32>>,
}

impl<G: Ord + Copy> GroupKeys<G> {
    /// No group has a waiting stage.
    pub fn new(view: &View, groups: u32) -> Self {
        GroupKeys { keys: Least::new(view.stages() as usize), slots: vec![None; groups as usize] }
    }

    /// Sets a group's key. `slot` is [`ByMemory::least_of`] the group.
    pub fn set(&mut self, group: u32, slot: Option<u32>, key: G) {
        let before = std::mem::replace(&mut self.slots[group as usize], slot);
        if let Some(before) = before.filter(|_| before != slot) {
            self.keys.set(before, None);
        }
        if let Some(slot) = slot {
            self.keys.set(slot, Some((key, group)));
        }
    }

    /// Sets the keys of groups; those without a waiting stage have none.
    pub fn set_all(&mut self, keys: impl ExactSizeIterator<Item = (u32, G)>) {
        let slots = &self.slots;
        let keys: Vec<_> =
            keys.filter_map(|(group, key)| Some((slots[group as usize]?, (key, group)))).collect();
        self.keys.set_all(keys.into_iter());
    }

    /// The key of a group with waiting stages.
    pub fn get(&self, group: u32) -> Option<G> {
        self.keys.get(self.slots[group as usize]?).map(|(key, _)| key)
    }

    /// The group with the least key of those with a waiting stage that fits. `fitting` is [`ByMemory::fitting`].
    pub fn first(&self, fitting: u32) -> Option<u32> {
        self.keys.first(0, fitting).map(|(_, group)| group)
    }
}

/// Keys in slots, and the least of those in a range.
pub(super) struct Least<K> {
    keys: Vec<Option<K>>,
    tree: Tree,
}

impl<K: Ord + Copy> Least<K> {
    /// No slot has a key.
    pub fn new(slots: usize) -> Self {
        Least { keys: vec![None; slots], tree: Tree(vec![EMPTY; 2 * slots]) }
    }

    fn get(&self, slot: u32) -> Option<K> {
        self.keys[slot as usize]
    }

    /// Sets the key of a slot.
    pub fn set(&mut self, slot: u32, key: Option<K>) {
        self.keys[slot as usize] = key;
        let keys = &self.keys;
        self.tree.set(slot, key.is_some(), &|one, other| keys[one as usize] < keys[other as usize]);
    }

    /// Gives slots that have keys others: at once if they are many, which then takes O(slots).
    fn set_all(&mut self, keys: impl ExactSizeIterator<Item = (u32, K)>) {
        if keys.len() * (self.keys.len().ilog2() as usize) < self.keys.len() {
            keys.for_each(|(slot, key)| self.set(slot, Some(key)));
            return;
        }
        keys.for_each(|(slot, key)| self.keys[slot as usize] = Some(key));
        let keys = &self.keys;
        self.tree.update_all(&|one, other| keys[one as usize] < keys[other as usize]);
    }

    /// The least key of the slots from one to before another.
    pub fn first(&self, from: u32, end: u32) -> Option<K> {
        let keys = &self.keys;
        let slot = self.tree.first(from, end, &|one, other| keys[one as usize] < keys[other as usize])?;
        keys[slot as usize]
    }
}

/// Whether the key of the first slot is less than that of the second; both have one.
type IsLess<'a> = &'a dyn Fn(u32, u32) -> bool;

/// A binary tree of slots, its top at 1 and the slots themselves at the end: in each node the slot with the least key
/// below it. One for keys of all types, which are compared for it.
struct Tree(Vec<u32>);

/// No slot below a node has a key.
const EMPTY: u32 = u32::MAX;

impl Tree {
    /// A slot has another key, or none.
    fn set(&mut self, slot: u32, has_key: bool, is_less: IsLess) {
        let mut node = self.0.len() / 2 + slot as usize;
        self.0[node] = if has_key { slot } else { EMPTY };
        while node > 1 {
            node /= 2;
            let least = least(self.0[2 * node], self.0[2 * node + 1], is_less);
            // Above a node whose least key is another slot's, as it was, nothing changes.
            if least == self.0[node] && least != slot {
                return;
            }
            self.0[node] = least;
        }
    }

    /// Slots that have keys have others.
    fn update_all(&mut self, is_less: IsLess) {
        for node in (1..self.0.len() / 2).rev() {
            self.0[node] = least(self.0[2 * node], self.0[2 * node + 1], is_less);
        }
    }

    /// The slot with the least key of those from one to before another.
    fn first(&self, from: u32, end: u32, is_less: IsLess) -> Option<u32> {
        let slots = self.0.len() / 2;
        if (from, end as usize) == (0, slots) {
            return self.0.get(1).copied().filter(|&first| first != EMPTY);
        }
        let (mut from, mut end, mut first) = (slots + from as usize, slots + end as usize, EMPTY);
        while from < end {
            if from % 2 == 1 {
                first = least(first, self.0[from], is_less);
                from += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                first = least(first, self.0[end], is_less);
            }
            (from, end) = (from / 2, end / 2);
        }
        Some(first).filter(|&first| first != EMPTY)
    }
}

fn least(one: u32, other: u32, is_less: IsLess) -> u32 {
    if one == EMPTY || (other != EMPTY && is_less(other, one)) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_a_range_is_that_of_a_search() {
        for slots in [1, 2, 7, 64, 100] {
            let (mut tree, mut keys) = (Least::new(slots), vec![None; slots]);
            let mut state = 9_u32;
            let mut random = move |end: usize| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as usize % end
            };
            for _ in 0..2000 {
                let (slot, key) = (random(slots), Some(random(50)).filter(|&key| key < 40));
                tree.set(slot as u32, key);
                keys[slot] = key;
                if slot % 5 == 0 {
                    let having = (0..slots).filter(|&slot| keys[slot].is_some() && random(3) > 0);
                    let others: Vec<usize> = having.take(1 + slot).collect();
                    others.iter().for_each(|&slot| keys[slot] = Some(random(40)));
                    let others: Vec<_> =
                        others.iter().map(|&slot| (slot as u32, keys[slot].unwrap_or_default())).collect();
                    tree.set_all(others.into_iter());
                }
                let (one, other) = (random(slots + 1), random(slots + 1));
                let (from, end) = (one.min(other), one.max(other));
                let expected = keys[from..end].iter().flatten().min().copied();
                assert_eq!(tree.first(from as u32, end as u32), expected);
            }
        }
    }
}
