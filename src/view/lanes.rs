//! A lane per user with a block per job: where each block lies.

use crate::scenario::Scenario;
use crate::units::{Span, Time};

/// A job's block in its user's lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The job, by place in the file.
    pub job: usize,
    /// Its arrival: the block's left edge.
    pub from: Time,
    /// The block's right edge.
    pub to: Time,
    /// Row within the lane, so that blocks of one lane do not cover each other.
    pub row: usize,
    /// Where the next block of the same row begins, if there is one: room for the label ends there.
    pub next: Option<Time>,
}

/// One user's lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// The user's jobs in the order of arrival.
    pub blocks: Vec<Block>,
    /// Rows needed, at least one.
    pub rows: usize,
}

/// Lays out a lane per user. A block is as long as its job's response time on the idle cluster,
/// where that is known, by place in the file.
///
/// Each block goes into the first row that is free at its arrival.
pub fn lanes(scenario: &Scenario, alone: &[Span]) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = scenario.users.iter().map(|_| Lane { blocks: Vec::new(), rows: 1 }).collect();
    // For each lane the row's last block, by row.
    let mut last: Vec<Vec<usize>> = vec![Vec::new(); lanes.len()];
    for job in scenario.arrival_order() {
        let spec = &scenario.jobs[job.index()];
        let lane = &mut lanes[spec.user.index()];
        let rows = &mut last[spec.user.index()];
        let length = alone.get(job.index()).copied().unwrap_or_default();
        let row = rows.iter().position(|&block| lane.blocks[block].to <= spec.arrival).unwrap_or(rows.len());
        match rows.get(row) {
            Some(&block) => lane.blocks[block].next = Some(spec.arrival),
            None => rows.push(0),
        }
        rows[row] = lane.blocks.len();
        lane.blocks.push(Block {
            job: job.index(),
            from: spec.arrival,
            to: spec.arrival + length,
            row,
            next: None,
        });
        lane.rows = rows.len();
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let lanes = lanes(&scenario, &[Span(2_000_000); 3]);
        assert_eq!((lanes[0].rows, lanes[0].blocks.len()), (1, 0));
        let rows: Vec<usize> = lanes[1].blocks.iter().map(|block| block.row).collect();
        assert_eq!((lanes[1].rows, rows), (2, vec![0, 1, 0]));
        assert_eq!(lanes[1].blocks[0].next, Some(Time(2_000_000)));
    }
}
