//! What waits beside a chart: a chip per stage in the policy's order, and the way of a launched one to its core.

use fairlane::ids::{CoreId, JobId, UserId};
use fairlane::replay::RankedQueue;
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;
use fairlane::units::Time;

/// A stage that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Its job.
    pub job: JobId,
    /// Its index in the job.
    pub stage: u32,
    /// Who submitted the job.
    pub user: UserId,
    /// The job's name.
    pub label: String,
    /// The stage, its user, and its tasks in words.
    pub facts: String,
    /// Tasks not yet launched.
    pub pending: u32,
}

/// The chips of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chips {
    /// The stages that go next, the first first.
    pub chips: Vec<Chip>,
    /// How many stages wait besides.
    pub more: usize,
}

/// Logical pixels from the top of one chip to that of the next.
pub const CHIP_PX: u32 = 16;

/// How many chips a chart of this height has room for, in logical pixels.
pub fn room(height: u32) -> usize {
    ((height + 2) / CHIP_PX).max(1) as usize
}

/// The chips of a queue where only that many fit: if more stages wait, the last position shows how many.
pub fn chips(scenario: &Scenario, queue: &RankedQueue, room: usize) -> Chips {
    let shown = if queue.waiting <= room { queue.waiting } else { room.saturating_sub(1) };
    let chip = |stage: &fairlane::replay::WaitingStage| Chip {
        job: stage.job,
        stage: stage.stage,
        user: stage.user,
        label: scenario.job_label(stage.job),
        facts: format!(
            "{} of {}: {} waiting, {} running",
            scenario.stage_label(stage.job, stage.stage),
            scenario.users()[stage.user.index()].name,
            fairlane::number::counted(stage.pending as usize, "task"),
            stage.running
        ),
        pending: stage.pending,
    };
    let chips: Vec<Chip> = queue.stages.iter().take(shown).map(chip).collect();
    Chips { more: queue.waiting.saturating_sub(chips.len()), chips }
}

/// A launched task on its way from its stage's chip to its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The task, by index in the trace.
    pub task: usize,
    /// The index of the chip that it leaves.
    pub chip: usize,
    /// The core that it goes to.
    pub core: CoreId,
}

/// The first few launches after one instant until another, of stages that had a chip at the former.
pub fn flights(trace: &Trace, before: &Chips, from: Time, to: Time, most: usize) -> Vec<Flight> {
    // Launches are in the order of time.
    let first = trace.tasks.partition_point(|run| run.start <= from);
    let launched = trace.tasks[first..].iter().enumerate().take_while(|(_, run)| run.start <= to);
    let flight = |(index, run): (usize, &fairlane::trace::TaskRun)| {
        let of_stage = |chip: &Chip| chip.job == run.job && chip.stage == run.stage;
        let chip = before.chips.iter().position(of_stage)?;
        Some(Flight { task: first + index, chip, core: run.core })
    };
    launched.filter_map(flight).take(most).collect()
}

/// The instant whose queue is shown while a schedule plays: the last multiple of `step` microseconds, shifted so that
/// of `count` panels each changes at another moment.
pub fn beat(now: Time, step: u64, index: usize, count: usize) -> Time {
    let step = step.max(1);
    let shift = step * index as u64 / count.max(1) as u64;
    Time(((now.0 + shift) / step * step).saturating_sub(shift))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane::catalog;
    use fairlane::policy::PolicyId;
    use fairlane::replay::Replay;
    use fairlane::replay::ReplayPoint;
    use fairlane::simulate;

    /// At every offer round under every policy the first chip is the stage that the engine launches first, but where
    /// the explanation itself says that another had its turn.
    #[test]
    fn the_chips_are_in_the_order_in_which_the_engine_launches() {
        for name in ["two-users", "skew", "priority-inversion"] {
            let scenario = catalog::find(name).expect("an entry").scenario();
            for policy in PolicyId::all() {
                let trace = simulate(&scenario, policy);
                let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
                for round in (0..trace.tasks.len()).take(200) {
                    let queue = replay.queue(&trace, ReplayPoint::Dispatch(round), 99).expect("a moment");
                    let chips = chips(&scenario, &queue, 99);
                    let run = &trace.tasks[round];
                    let turn = queue.chosen.expect("a dispatch");
                    assert_eq!((chips.chips[turn].job, chips.chips[turn].stage), (run.job, run.stage));
                    let order: Vec<_> = queue.stages.iter().map(|stage| (stage.job, stage.stage)).collect();
                    let shown: Vec<_> = chips.chips.iter().map(|chip| (chip.job, chip.stage)).collect();
                    assert_eq!(shown, order[..shown.len()], "{name} {policy}");
                    assert_eq!(shown.len() + chips.more, queue.waiting);
                }
            }
        }
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let scenario = catalog::find("two-users").expect("an entry").scenario();
        let policy: PolicyId = "fair".parse().expect("a policy");
        let trace = simulate(&scenario, policy);
        let mut replay = Replay::new(&scenario, policy).expect("a registered policy");
        let at = ReplayPoint::Instant(Time(300_000));
        let mut queue = |most| replay.queue(&trace, at, most).expect("a moment");
        let waiting = queue(0).waiting;
        assert!(waiting > 4, "{waiting} stages wait");
        let few = chips(&scenario, &queue(4), 4);
        assert_eq!((few.chips.len(), few.more), (3, waiting - 3));
        let all = chips(&scenario, &queue(waiting), waiting);
        assert_eq!((all.chips.len(), all.more), (waiting, 0));
        assert_eq!([room(10), room(94), room(400)], [1, 6, 25]);

        let later =
            Time(trace.tasks.iter().map(|run| run.start.0).find(|&start| start > 300_000).expect("one"));
        let flights = flights(&trace, &all, Time(300_000), later, 3);
        assert!(!flights.is_empty() && flights.len() <= 3);
        for flight in flights {
            let run = &trace.tasks[flight.task];
            assert_eq!((all.chips[flight.chip].job, flight.core), (run.job, run.core));
        }
    }

    #[test]
    fn panels_change_one_after_the_other_and_never_ahead_of_the_playhead() {
        let shown = |now, index| beat(Time(now), 100, index, 4).0;
        assert_eq!([shown(0, 0), shown(99, 0), shown(100, 0), shown(230, 0)], [0, 0, 100, 200]);
        assert_eq!([shown(0, 1), shown(74, 1), shown(75, 1), shown(230, 1)], [0, 0, 75, 175]);
        for now in 0..500 {
            assert!((0..4).all(|index| shown(now, index) <= now && now - shown(now, index) < 100));
        }
    }
}
