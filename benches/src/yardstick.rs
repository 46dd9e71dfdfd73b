//! List scheduling with nothing around it: the next of many durations goes to the slot that is free
//! first. What no simulator of a cluster can do without, three ways; each writes down (slot, start)
//! of every task, as a trace does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Random;

/// How the slot that is free first is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yardstick {
    /// A tournament tree over the slots.
    Tournament,
    /// A heap of four children, each entry one number.
    FourAry,
    /// The standard library's heap.
    Binary,
}

/// The slot and the start of each task.
pub type Log = Vec<(u32, u64)>;

impl Yardstick {
    /// All of them.
    pub const ALL: [Yardstick; 3] = [Yardstick::Tournament, Yardstick::FourAry, Yardstick::Binary];

    /// A word for tables.
    pub fn name(self) -> &'static str {
        match self {
            Yardstick::Tournament => "tournament tree",
            Yardstick::FourAry => "4-ary heap",
            Yardstick::Binary => "std BinaryHeap",
        }
    }

    /// Runs all tasks on so many slots (at most 256).
    pub fn run(self, durations: &[u32], slots: u32) -> Log {
        match self {
            Yardstick::Tournament => tournament(durations, slots),
            Yardstick::FourAry => four_ary(durations, slots),
            Yardstick::Binary => binary(durations, slots),
        }
    }
}

/// Durations in µs, up to two seconds.
pub fn durations(count: usize) -> Vec<u32> {
    let mut random = Random(1);
    (0..count).map(|_| random.below(2_000_000) as u32 + 1).collect()
}

/// An instant and a slot in one number, which orders as the instant does.
fn pack(free: u64, slot: u32) -> u64 {
    free << 8 | u64::from(slot)
}

fn tournament(durations: &[u32], slots: u32) -> Log {
    let leaves = slots.next_power_of_two() as usize;
    let mut nodes = vec![u64::MAX; 2 * leaves];
    for slot in 0..slots {
        nodes[leaves + slot as usize] = pack(0, slot);
    }
    for node in (1..leaves).rev() {
        nodes[node] = nodes[2 * node].min(nodes[2 * node + 1]);
    }
    let mut log = Log::with_capacity(durations.len());
    for &duration in durations {
        let (start, slot) = (nodes[1] >> 8, nodes[1] as u8);
        log.push((u32::from(slot), start));
        let mut node = leaves + usize::from(slot);
        let mut least = pack(start + u64::from(duration), u32::from(slot));
        nodes[node] = least;
        while node > 1 {
            least = least.min(nodes[node ^ 1]);
            node >>= 1;
            nodes[node] = least;
        }
    }
    log
}

fn four_ary(durations: &[u32], slots: u32) -> Log {
    let mut heap: Vec<u64> = (0..slots).map(|slot| pack(0, slot)).collect();
    let mut log = Log::with_capacity(durations.len());
    for &duration in durations {
        let (start, slot) = (heap[0] >> 8, heap[0] as u8);
        log.push((u32::from(slot), start));
        let entry = pack(start + u64::from(duration), u32::from(slot));
        let mut place = 0;
        loop {
            let first = 4 * place + 1;
            let children = first..(first + 4).min(heap.len());
            let Some(least) = children.min_by_key(|&child| heap[child]) else { break };
            if heap[least] >= entry {
                break;
            }
            heap[place] = heap[least];
            place = least;
        }
        heap[place] = entry;
    }
    log
}

fn binary(durations: &[u32], slots: u32) -> Log {
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = (0..slots).map(|slot| Reverse((0, slot))).collect();
    let mut log = Log::with_capacity(durations.len());
    for &duration in durations {
        let Some(Reverse((start, slot))) = heap.pop() else { break };
        log.push((slot, start));
        heap.push(Reverse((start + u64::from(duration), slot)));
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_agree() {
        let durations = durations(5_000);
        for slots in [1, 2, 5, 32, 256] {
            let logs = Yardstick::ALL.map(|yardstick| yardstick.run(&durations, slots));
            assert!(logs.windows(2).all(|pair| pair[0] == pair[1]), "{slots} slots");
        }
    }
}
