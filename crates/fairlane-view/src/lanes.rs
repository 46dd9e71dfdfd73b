//! A lane per user with a block per job: the layout of the blocks.
//!
//! ```
//! use fairlane_view::lanes::lanes;
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let lanes = lanes(&scenario, &[]);
//! assert_eq!(lanes.len(), scenario.users().len());
//! assert_eq!(lanes[0].blocks.len(), 12);
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use fairlane::ids::JobId;
use fairlane::scenario::{Queue, Scenario};
use fairlane::units::{Span, Time};

/// A job's block in its user's lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneBlock {
    /// The job, by index in the file.
    pub job: usize,
    /// Its arrival: the block's left edge.
    pub from: Time,
    /// The block's right edge.
    pub to: Time,
    /// Row within the lane, so that blocks of one lane do not cover each other.
    pub row: usize,
    /// Where the next block of the same row begins, if there is one: room for the label ends there.
    pub next: Option<Time>,
    /// The instant at which the job is due, if the scenario gives it a deadline.
    pub due: Option<Time>,
}

/// One user's lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// The user's jobs in the order of arrival.
    pub blocks: Vec<LaneBlock>,
    /// Rows needed, at least one.
    pub rows: usize,
}

/// Lays out a lane per user. A block is as long as its job's response time on the idle cluster,
/// where that is known, by index in the file.
///
/// Each block goes into the first row that is free at its arrival.
pub fn lanes(scenario: &Scenario, alone: &[Option<Span>]) -> Vec<Lane> {
    let mut lanes: Vec<Lane> =
        scenario.users().iter().map(|_| Lane { blocks: Vec::new(), rows: 1 }).collect();
    let mut rows: Vec<LaneRows> = lanes.iter().map(|_| LaneRows::default()).collect();
    for job in scenario.arrival_order() {
        let spec = &scenario.jobs()[job.index()];
        let (lane, rows) = (&mut lanes[spec.user.index()], &mut rows[spec.user.index()]);
        let length = alone.get(job.index()).copied().flatten().unwrap_or_default();
        let (from, to) = (spec.arrival, spec.arrival + length);
        let (row, before) = rows.occupy(from, to, lane.blocks.len());
        if let Some(before) = before {
            lane.blocks[before].next = Some(from);
        }
        let due = spec.deadline.map(|deadline| from + deadline);
        lane.blocks.push(LaneBlock { job: job.index(), from, to, row, next: None, due });
        lane.rows = rows.last.len();
    }
    lanes
}

/// The rows of a lane during layout.
#[derive(Default)]
struct LaneRows {
    /// Each row's last block, by row.
    last: Vec<usize>,
    /// Rows in use and until when, the soonest first.
    busy: BinaryHeap<Reverse<(Time, usize)>>,
    /// Rows that are free.
    free: BTreeSet<usize>,
}

impl LaneRows {
    /// Occupies the first row that is free from `from` for a block that ends at `to`; the row, and the
    /// block before it there.
    fn occupy(&mut self, from: Time, to: Time, block: usize) -> (usize, Option<usize>) {
        while let Some(&Reverse((_, row))) = self.busy.peek().filter(|Reverse((until, _))| *until <= from) {
            self.busy.pop();
            self.free.insert(row);
        }
        let (row, before) = match self.free.pop_first() {
            Some(row) => (row, Some(std::mem::replace(&mut self.last[row], block))),
            None => {
                self.last.push(block);
                (self.last.len() - 1, None)
            }
        };
        self.busy.push(Reverse((to, row)));
        (row, before)
    }
}

/// Most users with a lane of their own, unless the reader wants all.
pub const MAX_LANES: usize = 8;

/// Which users' lanes are shown one by one, by index: the first few, those of chosen jobs, and those whose names
/// contain what is searched for. The others share one lane.
pub fn unfolded(scenario: &Scenario, chosen: &BTreeSet<JobId>, search: &str) -> Vec<bool> {
    let search = search.trim().to_ascii_lowercase();
    let users = scenario.users().iter().enumerate();
    let mut shown: Vec<bool> = users
        .map(|(index, user)| {
            index < MAX_LANES || (!search.is_empty() && user.name.to_ascii_lowercase().contains(&search))
        })
        .collect();
    // A lane for the last one takes no more room than one for the rest.
    if shown.len() == MAX_LANES + 1 {
        shown.fill(true);
    }
    for job in chosen.iter().filter_map(|job| scenario.jobs().get(job.index())) {
        shown[job.user.index()] = true;
    }
    shown
}

/// The blocks of several lanes as those of one, in the order of arrival.
pub fn merged<'a>(lanes: impl Iterator<Item = &'a Lane>) -> Lane {
    let mut blocks: Vec<LaneBlock> = lanes.flat_map(|lane| lane.blocks.iter().cloned()).collect();
    blocks.sort_by_key(|block| (block.from, block.job));
    Lane { blocks, rows: 1 }
}

/// Jobs of a lane that are so close together that they are drawn as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobCluster {
    /// Arrival of the first.
    pub from: Time,
    /// End of the last.
    pub to: Time,
    /// How many jobs.
    pub jobs: usize,
}

/// The jobs of a lane drawn together where less than `gap` is between them.
pub fn clusters(lane: &Lane, gap: Span) -> Vec<JobCluster> {
    let mut clusters: Vec<JobCluster> = Vec::new();
    for block in &lane.blocks {
        match clusters.last_mut().filter(|last| block.from <= last.to + gap) {
            Some(last) => {
                last.to = last.to.max(block.to);
                last.jobs += 1;
            }
            None => clusters.push(JobCluster { from: block.from, to: block.to, jobs: 1 }),
        }
    }
    clusters
}

/// Jobs of a lane that arrive together, in rows below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimultaneousJobs {
    /// The first one's arrival.
    pub from: Time,
    /// The end of the last one's block.
    pub to: Time,
    /// The first one's row.
    pub row: usize,
    /// How many jobs, at least two: as many as rows.
    pub jobs: usize,
}

/// The jobs of a lane that arrive within `gap`, where they take at least half of its rows, so that their number can be
/// read in the place of their names. Blocks are in the order of arrival.
pub fn simultaneous<'a>(
    blocks: impl IntoIterator<Item = &'a LaneBlock>,
    rows: usize,
    gap: Span,
) -> Vec<SimultaneousJobs> {
    let mut groups: Vec<SimultaneousJobs> = Vec::new();
    for block in blocks {
        match groups.last_mut().filter(|last| block.from <= last.from + gap) {
            // A row between them is another job's.
            Some(last) if block.row == last.row + last.jobs => {
                last.to = last.to.max(block.to);
                last.jobs += 1;
            }
            _ => groups.push(SimultaneousJobs { from: block.from, to: block.to, row: block.row, jobs: 1 }),
        }
    }
    groups.retain(|group| group.jobs > 1 && 2 * group.jobs >= rows);
    groups
}

/// Most windows of a queue that are shown.
pub const MAX_WINDOWS: usize = 100;

/// The windows of a queue's bursts that meet a stretch of time, each from its begin to its end. None if there are
/// more than [`MAX_WINDOWS`].
pub fn windows(queue: &Queue, from: Time, to: Time) -> Vec<(Time, Time)> {
    let first = from.0.saturating_sub(queue.joins.0) / queue.period.0;
    let begin = |burst: u64| Time(queue.joins.0.saturating_add(burst.saturating_mul(queue.period.0)));
    let windows =
        (first..).map(begin).take_while(|&begin| begin <= to).map(|begin| (begin, begin + queue.within));
    let windows: Vec<_> = windows.filter(|&(_, end)| end >= from).take(MAX_WINDOWS + 1).collect();
    if windows.len() > MAX_WINDOWS { Vec::new() } else { windows }
}

/// The position of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// On its block.
    On,
    /// To the right of its block.
    Beside,
}

/// How a block's label is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockLabel {
    /// Its position.
    pub anchor: Anchor,
    /// Its width in logical pixels; a longer text is cut.
    pub width: f64,
    /// Whether the job's work has room behind its name.
    pub with_work: bool,
}

/// Upper estimates of the width of a letter of a name, and of one of the work in smaller print, in logical pixels:
/// the text is not measured.
const NAME_LETTER_PX: f64 = 7.0;
const WORK_LETTER_PX: f64 = 6.5;
/// The free space on either side of a label.
const ASIDE_PX: f64 = 4.0;
/// A name cut to less than this is useless: names differ at their ends.
const MIN_CUT_PX: f64 = 70.0;

/// How a label with these numbers of letters is shown: whole on its block, else whole beside it, else cut where some
/// of it can be read; `None` where there is no room for that either. `on` is the room on the block, and `beside` that
/// from its right edge to the next block or to the lane's end, in logical pixels.
pub fn label(on: f64, beside: f64, name: usize, work: usize) -> Option<BlockLabel> {
    let (on, beside) = (on - 2.0 * ASIDE_PX, beside - 2.0 * ASIDE_PX);
    let name = name as f64 * NAME_LETTER_PX;
    let (anchor, width) = match (on, beside) {
        _ if on >= name => (Anchor::On, on),
        _ if beside >= name => (Anchor::Beside, beside),
        _ if on >= beside.max(MIN_CUT_PX) => (Anchor::On, on),
        _ if beside >= MIN_CUT_PX => (Anchor::Beside, beside),
        _ => return None,
    };
    // The blank between them counts as a letter.
    let with_work = width >= name + (work + 1) as f64 * WORK_LETTER_PX;
    Some(BlockLabel { anchor, width, with_work })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_eight_users_the_rest_share_a_lane_but_for_those_wanted() {
        let scenario = |users: usize| {
            let job = |user| {
                format!(r#"{{"user":"u{user}","arrival_s":{},"stages":[{{"work_s":1}}]}}"#, users - user)
            };
            let jobs: Vec<String> = (0..users).map(job).collect();
            let text = format!(r#"{{"format":"fairlane/scenario@1","jobs":[{}]}}"#, jobs.join(","));
            Scenario::from_json(&text).expect("a good scenario")
        };
        let folded = |users, chosen: &[u32], search| {
            let scenario = scenario(users);
            let shown = unfolded(&scenario, &chosen.iter().copied().map(JobId).collect(), search);
            (0..users).filter(|&user| !shown[user]).collect::<Vec<_>>()
        };
        assert_eq!(folded(9, &[], ""), [0; 0]);
        assert_eq!(folded(12, &[], ""), [8, 9, 10, 11]);
        assert_eq!(folded(12, &[9, 400], ""), [8, 10, 11]);
        assert_eq!(folded(12, &[], " U10"), [8, 9, 11]);
        let scenario = scenario(12);
        let lanes = lanes(&scenario, &[]);
        let rest = merged(lanes[8..].iter());
        assert_eq!(rest.blocks.iter().map(|block| block.job).collect::<Vec<_>>(), [11, 10, 9, 8]);
    }

    #[test]
    fn jobs_that_arrive_together_are_one_where_they_take_half_of_the_rows() {
        let block =
            |from, to, row| LaneBlock { job: 0, from: Time(from), to: Time(to), row, next: None, due: None };
        let group = |from, to, row, jobs| SimultaneousJobs { from: Time(from), to: Time(to), row, jobs };
        let [first, second, third, later] = [block(0, 5, 0), block(1, 9, 1), block(1, 2, 2), block(2, 8, 0)];
        let all = [first.clone(), second.clone(), third, later.clone()];
        let simultaneous = |blocks: &[LaneBlock], rows| super::simultaneous(blocks, rows, Span(1));
        assert_eq!(simultaneous(&all, 3), [group(0, 9, 0, 3)]);
        assert_eq!(simultaneous(&all, 7), []);
        // Another job is between the two.
        assert_eq!(simultaneous(&[first, block(0, 9, 2)], 3), []);
        assert_eq!(simultaneous(&[later, block(2, 8, 1)], 2), [group(2, 8, 0, 2)]);
    }

    #[test]
    fn blocks_that_overlap_stack_and_rows_are_used_again() {
        let job = |arrival: f64| format!(r#"{{"user":"a","arrival_s":{arrival},"stages":[{{"work_s":1}}]}}"#);
        let text = format!(
            r#"{{"format":"fairlane/scenario@1","users":[{{"name":"idle"}}],"jobs":[{},{},{}]}}"#,
            job(0.0),
            job(1.0),
            job(2.0)
        );
        let scenario = Scenario::from_json(&text).expect("a good scenario");
        let lanes = lanes(&scenario, &[Some(Span(2_000_000)); 3]);
        assert_eq!((lanes[0].rows, lanes[0].blocks.len()), (1, 0));
        let rows: Vec<usize> = lanes[1].blocks.iter().map(|block| block.row).collect();
        assert_eq!((lanes[1].rows, rows), (2, vec![0, 1, 0]));
        assert_eq!(lanes[1].blocks[0].next, Some(Time(2_000_000)));
    }

    #[test]
    fn jobs_close_together_are_drawn_as_one() {
        let block =
            |from, to| LaneBlock { job: 0, from: Time(from), to: Time(to), row: 0, next: None, due: None };
        let lane = Lane { blocks: vec![block(0, 10), block(4, 6), block(12, 20), block(30, 31)], rows: 1 };
        let cluster = |from, to, jobs| JobCluster { from: Time(from), to: Time(to), jobs };
        assert_eq!(clusters(&lane, Span(2)), [cluster(0, 20, 3), cluster(30, 31, 1)]);
    }

    #[test]
    fn windows_recur_from_the_joining_on() {
        let queue = Queue { joins: Time(100), period: Span(50), within: Span(20), ..Queue::default() };
        let windows = |from, to| {
            let windows = super::windows(&queue, Time(from), Time(to));
            windows.into_iter().map(|(begin, end)| (begin.0, end.0)).collect::<Vec<_>>()
        };
        assert_eq!(windows(0, 99), []);
        assert_eq!(windows(0, 160), [(100, 120), (150, 170)]);
        assert_eq!(windows(110, 149), [(100, 120)]);
        assert_eq!(windows(121, 149), []);
        assert_eq!(windows(0, 100_000), [], "too many");
    }

    #[test]
    fn a_job_is_due_its_deadline_after_its_arrival() {
        let text = r#"{"format":"fairlane/scenario@1","jobs":[
            {"user":"a","arrival_s":2,"deadline_s":3,"stages":[{"work_s":1}]},{"user":"a","arrival_s":2,"stages":[{"work_s":1}]}]}"#;
        let lanes = lanes(&Scenario::from_json(text).expect("a good scenario"), &[]);
        assert_eq!(
            lanes[0].blocks.iter().map(|block| block.due).collect::<Vec<_>>(),
            [Some(Time(5_000_000)), None]
        );
    }

    #[test]
    fn a_label_is_whole_or_readable_or_not_there() {
        let label = |on, beside| {
            let label = super::label(on, beside, 6, 4)?;
            Some((label.anchor, label.with_work))
        };
        assert_eq!(label(200.0, 200.0), Some((Anchor::On, true)));
        assert_eq!(label(60.0, 200.0), Some((Anchor::On, false)));
        assert_eq!(label(4.0, 200.0), Some((Anchor::Beside, true)));
        assert_eq!(label(4.0, 60.0), Some((Anchor::Beside, false)));
        // Six letters need 42 pixels and what is kept free beside them.
        assert_eq!(label(4.0, 50.0), Some((Anchor::Beside, false)));
        assert_eq!(label(50.0, -3.0), Some((Anchor::On, false)));
        assert_eq!(label(4.0, 49.0), None);
        assert_eq!(label(-20.0, -20.0), None);
        let long = |beside| super::label(4.0, beside, 20, 4).map(|label| (label.width, label.with_work));
        assert_eq!((long(80.0), long(77.0)), (Some((72.0, false)), None));
    }
}
