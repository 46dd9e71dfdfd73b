//! Every user's list of jobs that have not finished virtually, in the order of their deadlines.
//!
//! A list answers in O(log n) what the paper finds by a walk: which job is first, where a new
//! one belongs, how much work is before a job (and so its global deadline), and which is the
//! first with a waiting stage.

use std::cmp::Ordering;

use crate::ids::Rank;
use crate::units::VirtualTime;

/// One user's list: a treap, held by its root. A job is in at most one list at a time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JobList {
    root: Option<Rank>,
}

/// Two deadlines are too close to decide which is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooClose;

/// The jobs of all lists, by rank.
#[derive(Clone, Debug)]
pub(super) struct JobLists {
    nodes: Vec<JobNode>,
}

#[derive(Clone, Copy, Debug, Default)]
struct JobNode {
    /// D_user: Vu at which the job finishes virtually.
    deadline: VirtualTime,
    /// L, in core-µs.
    estimate: u64,
    /// Estimates of the subtree. All estimates of a scenario together stay below 2^53.
    work: u64,
    left: Option<Rank>,
    right: Option<Rank>,
    /// Jobs in the subtree; 0 outside of every list.
    jobs: u32,
    /// Whether a stage of the job waits.
    waits: bool,
    /// Whether any of the subtree waits.
    any_waits: bool,
}

/// A treap's shape follows from numbers that look random and are always the same.
fn priority(rank: Rank) -> u32 {
    let mixed = (rank.0 ^ rank.0 >> 16).wrapping_mul(0x85eb_ca6b);
    let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}

impl JobLists {
    pub(super) fn new(jobs: usize) -> Self {
        JobLists { nodes: vec![JobNode::default(); jobs] }
    }

    fn node(&self, rank: Rank) -> &JobNode {
        &self.nodes[rank.index()]
    }

    fn order(&self, rank: Rank) -> (VirtualTime, Rank) {
        (self.node(rank).deadline, rank)
    }

    /// Whether a job is in a list.
    pub(super) fn holds(&self, rank: Rank) -> bool {
        self.node(rank).jobs > 0
    }

    /// D_user of a job in a list.
    pub(super) fn deadline(&self, rank: Rank) -> f64 {
        self.node(rank).deadline.0
    }

    /// L of a job in a list, in core-µs.
    pub(super) fn estimate(&self, rank: Rank) -> u64 {
        self.node(rank).estimate
    }

    /// Whether a stage of the job waits.
    pub(super) fn waits(&self, rank: Rank) -> bool {
        self.node(rank).waits
    }

    /// Makes a deadline more exact; the order of the list must stay what it is.
    pub(super) fn correct(&mut self, rank: Rank, deadline: f64) {
        self.nodes[rank.index()].deadline = VirtualTime(deadline);
    }

    /// Number of jobs.
    pub(super) fn len(&self, list: JobList) -> u32 {
        list.root.map_or(0, |root| self.node(root).jobs)
    }

    /// Work of all jobs, in core-µs.
    pub(super) fn work(&self, list: JobList) -> u64 {
        self.work_under(list.root)
    }

    fn work_under(&self, root: Option<Rank>) -> u64 {
        root.map_or(0, |root| self.node(root).work)
    }

    /// The first job.
    pub(super) fn first(&self, list: JobList) -> Option<Rank> {
        let mut first = list.root?;
        while let Some(left) = self.node(first).left {
            first = left;
        }
        Some(first)
    }

    /// Checks that a job's position in a list is certain, where deadlines may be off by half of `doubt` each.
    pub(super) fn check_position(&self, list: JobList, deadline: f64, doubt: f64) -> Result<(), TooClose> {
        let mut at = list.root;
        while let Some(rank) = at {
            let node = self.node(rank);
            let ahead = deadline - node.deadline.0;
            if doubt > 0.0 && ahead.abs() <= doubt {
                return Err(TooClose);
            }
            // Of equal deadlines the job that is there already has the lower rank or is beside it.
            at = if ahead < 0.0 { node.left } else { node.right };
        }
        Ok(())
    }

    /// Inserts a job into a list.
    pub(super) fn insert(&mut self, list: &mut JobList, rank: Rank, deadline: f64, estimate: u64) {
        let waits = self.node(rank).waits;
        let deadline = VirtualTime(deadline);
        self.nodes[rank.index()] = JobNode { deadline, estimate, waits, ..JobNode::default() };
        self.sum_up(rank);
        list.root = Some(self.insert_under(list.root, rank));
    }

    fn insert_under(&mut self, root: Option<Rank>, new: Rank) -> Rank {
        let Some(root) = root else { return new };
        if (priority(new), new) > (priority(root), root) {
            let (left, right) = self.split(Some(root), self.order(new));
            let node = &mut self.nodes[new.index()];
            (node.left, node.right) = (left, right);
            self.sum_up(new);
            return new;
        }
        if self.order(new) < self.order(root) {
            let left = self.insert_under(self.node(root).left, new);
            self.nodes[root.index()].left = Some(left);
        } else {
            let right = self.insert_under(self.node(root).right, new);
            self.nodes[root.index()].right = Some(right);
        }
        self.sum_up(root);
        root
    }

    /// What is before and what is after a position in the order.
    fn split(&mut self, root: Option<Rank>, at: (VirtualTime, Rank)) -> (Option<Rank>, Option<Rank>) {
        let Some(root) = root else { return (None, None) };
        if self.order(root) < at {
            let (before, after) = self.split(self.node(root).right, at);
            self.nodes[root.index()].right = before;
            self.sum_up(root);
            (Some(root), after)
        } else {
            let (before, after) = self.split(self.node(root).left, at);
            self.nodes[root.index()].left = after;
            self.sum_up(root);
            (before, Some(root))
        }
    }

    /// Removes the first job.
    pub(super) fn pop_first(&mut self, list: &mut JobList) -> Option<Rank> {
        let (rest, first) = self.without_first(list.root?);
        list.root = rest;
        let node = &mut self.nodes[first.index()];
        (node.left, node.right, node.jobs) = (None, None, 0);
        Some(first)
    }

    fn without_first(&mut self, root: Rank) -> (Option<Rank>, Rank) {
        let Some(left) = self.node(root).left else { return (self.node(root).right, root) };
        let (rest, first) = self.without_first(left);
        self.nodes[root.index()].left = rest;
        self.sum_up(root);
        (Some(root), first)
    }

    fn sum_up(&mut self, rank: Rank) {
        let node = *self.node(rank);
        let (mut jobs, mut work, mut any_waits) = (1, node.estimate, node.waits);
        for child in [node.left, node.right].into_iter().flatten().map(|child| self.node(child)) {
            jobs += child.jobs;
            work += child.work;
            any_waits |= child.any_waits;
        }
        let node = &mut self.nodes[rank.index()];
        (node.jobs, node.work, node.any_waits) = (jobs, work, any_waits);
    }

    /// Work of a job in the list and of those before it, in core-µs, and the number of those.
    pub(super) fn work_through(&self, list: JobList, rank: Rank) -> (u64, u32) {
        let position = self.order(rank);
        let (mut before, mut jobs) = (0, 0);
        let mut at = list.root;
        while let Some(root) = at {
            let node = self.node(root);
            let order = position.cmp(&self.order(root));
            if order == Ordering::Less {
                at = node.left;
                continue;
            }
            before += self.work_under(node.left) + node.estimate;
            jobs += node.left.map_or(0, |left| self.node(left).jobs);
            if order == Ordering::Equal {
                break;
            }
            jobs += 1;
            at = node.right;
        }
        (before, jobs)
    }

    /// Records whether a stage of a job waits. The job may be in this list or in none.
    pub(super) fn set_waits(&mut self, list: JobList, rank: Rank, waits: bool) {
        self.nodes[rank.index()].waits = waits;
        if self.holds(rank)
            && let Some(root) = list.root
        {
            self.sum_up_along(root, self.order(rank));
        }
    }

    fn sum_up_along(&mut self, root: Rank, to: (VirtualTime, Rank)) {
        let (left, right) = (self.node(root).left, self.node(root).right);
        let next = match to.cmp(&self.order(root)) {
            Ordering::Less => left,
            Ordering::Equal => None,
            Ordering::Greater => right,
        };
        if let Some(next) = next {
            self.sum_up_along(next, to);
        }
        self.sum_up(root);
    }

    /// Visits the jobs with waiting stages in the order of the list, each with the work of it and of all before
    /// it, as long as the visitor says true.
    pub(super) fn visit_waiting(&self, list: JobList, visit: &mut impl FnMut(Rank, u64) -> bool) {
        self.visit_under(list.root, 0, visit);
    }

    fn visit_under(
        &self,
        root: Option<Rank>,
        before: u64,
        visit: &mut impl FnMut(Rank, u64) -> bool,
    ) -> bool {
        let Some(rank) = root else { return true };
        let node = self.node(rank);
        if !node.any_waits {
            return true;
        }
        let through = before + self.work_under(node.left) + node.estimate;
        self.visit_under(node.left, before, visit)
            && (!node.waits || visit(rank, through))
            && self.visit_under(node.right, through, visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same list in order, walked for every question.
    fn ordered(lists: &JobLists, members: &[Rank]) -> Vec<Rank> {
        let mut members = members.to_vec();
        members.sort_by_key(|&rank| lists.order(rank));
        members
    }

    #[test]
    fn a_list_answers_as_a_walk_would() {
        let mut lists = JobLists::new(400);
        let (mut list, mut members) = (JobList::default(), Vec::new());
        let mut state = 7_u32;
        let mut random = move |end: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % end
        };
        for round in 0..4000 {
            let rank = Rank(random(400));
            match random(3) {
                0 if !lists.holds(rank) => {
                    lists.insert(&mut list, rank, f64::from(random(50)), u64::from(random(9)));
                    members.push(rank);
                }
                1 if round % 7 == 0 => {
                    let first = ordered(&lists, &members).first().copied();
                    assert_eq!(lists.pop_first(&mut list), first);
                    members.retain(|&other| Some(other) != first);
                }
                _ => lists.set_waits(list, rank, random(2) == 0),
            }
            let order = ordered(&lists, &members);
            assert_eq!(lists.first(list), order.first().copied());
            assert_eq!(lists.len(list) as usize, order.len());
            let mut work = 0;
            let mut waiting = Vec::new();
            for (index, &rank) in order.iter().enumerate() {
                work += lists.estimate(rank);
                assert_eq!(lists.work_through(list, rank), (work, index as u32));
                if lists.waits(rank) {
                    waiting.push((rank, work));
                }
            }
            assert_eq!(lists.work(list), work);
            waiting.truncate(3);
            let mut visited = Vec::new();
            lists.visit_waiting(list, &mut |rank, work| {
                visited.push((rank, work));
                visited.len() < 3
            });
            assert_eq!(visited, waiting);
        }
    }

    #[test]
    fn doubt_is_reported() {
        let (mut lists, mut list) = (JobLists::new(3), JobList::default());
        lists.insert(&mut list, Rank(0), 10.0, 1);
        lists.insert(&mut list, Rank(1), 20.0, 1);
        assert_eq!(lists.check_position(list, 15.0, 4.0), Ok(()));
        assert_eq!(lists.check_position(list, 15.0, 5.0), Err(TooClose));
        assert_eq!(lists.check_position(list, 20.0, 0.0), Ok(()), "without doubt equal is equal");
    }
}
