//! Ready queues: the waiting stages, arranged so that the one with the least key is known without looking at all of
//! them.
//!
//! A policy says by its keys what the order is; a queue finds the first faster. [`StageQueue`] is for keys that stay
//! what they are once a stage has been submitted, [`CountQueue`] for counts of running tasks.
//!
//! ```
//! use fairlane::policy::queue::CountQueue;
//! let mut queue = CountQueue::new(3);
//! queue.set(2, 1);
//! queue.set(0, 1);
//! queue.set(1, 4);
//! assert_eq!(queue.first(), Some(0), "fewest running tasks, then position");
//! queue.set(0, 5);
//! assert_eq!(queue.first(), Some(2));
//! ```

use std::collections::BTreeSet;

use super::tie::tie_order;
use super::{Context, Launch, StageView, View};
use crate::bits::BitSet;
use crate::ids::{StageId, StageIndex};
use crate::order::{self, GroupedPositions};

/// The waiting stages by keys that stay what they are once a stage has been submitted, then by rank and id.
#[derive(Clone, Debug)]
pub struct StageQueue<K>(BTreeSet<(K, StageIndex)>);

impl<K> Default for StageQueue<K> {
    fn default() -> Self {
        StageQueue(BTreeSet::new())
    }
}

impl<K: Ord> StageQueue<K> {
    /// A stage was submitted.
    pub fn insert(&mut self, stage: StageIndex, key: K) {
        self.0.insert((key, stage));
    }

    /// The last task of a stage was launched.
    pub fn remove(&mut self, stage: StageIndex, key: K) {
        self.0.remove(&(key, stage));
    }

    /// Whether a stage that has been submitted waits now.
    pub fn set(&mut self, stage: StageIndex, key: K, waits: bool) {
        match waits {
            true => self.insert(stage, key),
            false => self.remove(stage, key),
        }
    }

    /// The next task of the first stage that fits a free core, on the lowest-numbered one.
    pub fn next_task(&self, view: &View) -> Option<Launch> {
        let most = view.largest_free_memory()?;
        let fits = |&&(_, stage): &&(K, StageIndex)| view.stage(stage).memory() <= most;
        let &(_, stage) = self.0.iter().find(fits)?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }
}

/// Members of a group by (running tasks, position in the group): a set for each count, because a count moves by one.
///
/// Members are known by their position among all that the group ever has, in the order of ties.
#[derive(Clone, Debug)]
pub struct CountQueue {
    /// Each member's count while it waits.
    counts: Vec<Option<u32>>,
    /// The waiting members of each small count; made when first needed.
    sets: Vec<BitSet>,
    /// The counts whose set is not empty.
    used: BitSet,
    /// The waiting members of larger counts.
    others: BTreeSet<(u32, u32)>,
    /// The least (count, position) in the sets, which mostly stays while others change.
    least: Option<(u32, u32)>,
    /// The last change if it lowered a count, not made yet: a core that becomes free mostly goes to a task of the same
    /// member, which takes the change back.
    lowered: Option<(u32, u32)>,
}

impl CountQueue {
    /// Counts with sets of their own: a set takes a bit for each member of the group.
    const SETS: u32 = 64;

    /// A group of members none of which waits.
    pub fn new(members: usize) -> CountQueue {
        CountQueue {
            counts: vec![None; members],
            sets: Vec::new(),
            used: BitSet::new(Self::SETS as usize),
            others: BTreeSet::new(),
            least: None,
            lowered: None,
        }
    }

    /// The waiting member with the least (count, position).
    #[inline]
    pub fn first(&self) -> Option<u32> {
        // What is lowered is also in its former set, further behind.
        let least = self.least?;
        Some(self.lowered.map_or(least, |lowered| lowered.min(least)).1)
    }

    /// A stage, which is this member, was submitted, has launched a task, or one has ended.
    #[inline]
    pub fn update(&mut self, member: u32, stage: StageView) {
        match stage.pending() {
            0 => self.remove(member),
            _ => self.set(member, stage.running()),
        }
    }

    /// Sets a member's count; from now on it waits.
    pub fn set(&mut self, member: u32, count: u32) {
        if let Some((count, lowered)) = self.lowered.take()
            && lowered != member
        {
            self.change(lowered, count);
        }
        match self.counts[member as usize] {
            Some(before) if count == before => {}
            Some(before) if count < before => self.lowered = Some((count, member)),
            _ => self.change(member, count),
        }
    }

    fn change(&mut self, member: u32, count: u32) {
        self.leave_set(member);
        self.counts[member as usize] = Some(count);
        self.enter_set(member, count);
        self.find_least(member, Some((count, member)));
    }

    fn enter_set(&mut self, member: u32, count: u32) {
        if count >= Self::SETS {
            self.others.insert((count, member));
            return;
        }
        while self.sets.len() <= count as usize {
            self.sets.push(BitSet::new(self.counts.len()));
        }
        self.sets[count as usize].insert(member);
        self.used.insert(count);
    }

    /// Removes a member if it waits.
    pub fn remove(&mut self, member: u32) {
        self.lowered = self.lowered.filter(|&(_, lowered)| lowered != member);
        self.leave_set(member);
        self.find_least(member, None);
    }

    /// Updates the least after a member has moved, to a set or out of all.
    fn find_least(&mut self, member: u32, to: Option<(u32, u32)>) {
        let least = self.least.into_iter().chain(to).min();
        self.least = match self.least {
            Some((_, before)) if before == member && least != to => match self.used.first() {
                Some(count) => self.sets[count as usize].first().map(|member| (count, member)),
                None => self.others.first().copied(),
            },
            _ => least,
        };
    }

    fn leave_set(&mut self, member: u32) {
        let Some(count) = self.counts[member as usize].take() else { return };
        if count >= Self::SETS {
            self.others.remove(&(count, member));
            return;
        }
        if self.sets[count as usize].remove(member) {
            self.used.remove(count);
        }
    }
}

/// The stages of each group, such as a user, in the order of Spark's ties.
#[derive(Clone, Debug)]
pub struct TieOrder {
    /// Each stage's group, and its position in it.
    positions: Vec<(u32, u32)>,
    /// The stages, group by group in the order of ties.
    stages: Vec<StageIndex>,
    /// Where each group begins in `stages`; one entry more than there are groups.
    first: Vec<u32>,
}

impl TieOrder {
    /// Groups all stages of a scenario; `group` of a job by its index in the file.
    pub fn new(context: &Context, groups: usize, group: impl Fn(usize) -> u32) -> TieOrder {
        let scenario = context.scenario;
        let by_id = scenario.stages_by_id();
        let cluster = &scenario.cluster();
        let tie = |stage: u32| {
            tie_order(cluster.fair_tie_break, StageId(cluster.first_stage_id + u64::from(stage)))
        };
        let order = order::by_key(by_id.len(), tie);
        let group_of = |stage: u32| group(by_id[stage as usize].0.index());
        let members = GroupedPositions::new(groups, order.iter().map(|&stage| group_of(stage) as usize));
        let mut positions = vec![(0, 0); by_id.len()];
        for group in 0..groups {
            for (position, &at) in (0..).zip(members.group(group)) {
                positions[order[at as usize] as usize] = (group as u32, position);
            }
        }
        let [first, members] = members.columns();
        let stages = members.iter().map(|&at| StageIndex(order[at as usize])).collect();
        TieOrder { positions, stages, first: first.to_vec() }
    }

    /// A stage's group and its position in it.
    pub fn position(&self, stage: StageIndex) -> (u32, u32) {
        self.positions[stage.index()]
    }

    /// The stage at a position of a group.
    pub fn stage(&self, group: u32, position: u32) -> StageIndex {
        self.stages[(self.first[group as usize] + position) as usize]
    }

    /// The number of stages of a group.
    pub fn len_of(&self, group: u32) -> usize {
        (self.first[group as usize + 1] - self.first[group as usize]) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_that_of_a_search() {
        let mut queue = CountQueue::new(200);
        let mut counts: Vec<Option<u32>> = vec![None; 200];
        let mut state = 5_u32;
        for _ in 0..6000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (member, count) = ((state >> 8) % 200, (state >> 16) % 80);
            if state >> 30 == 0 {
                queue.remove(member);
                counts[member as usize] = None;
            } else {
                queue.set(member, count);
                counts[member as usize] = Some(count);
            }
            let least = (0..).zip(&counts).filter_map(|(member, count)| Some(((*count)?, member))).min();
            assert_eq!(queue.first(), least.map(|(_, member)| member));
        }
    }
}
