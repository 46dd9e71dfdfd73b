//! The stages that wait: submitted, with pending tasks.

use crate::bits::BitSet;
use crate::ids::StageIndex;

/// How many stages wait, and the least memory that a task of one needs.
#[derive(Default)]
pub(super) struct Waiting {
    count: u32,
    /// Where memory is modelled.
    memory: Option<Demands>,
}

/// The waiting stages by what memory their tasks need.
struct Demands {
    /// The amounts that there are in the scenario, ascending.
    amounts: Vec<u64>,
    /// By stage index: the amount, by its index.
    of_stage: Vec<u32>,
    /// By amount: the waiting stages that need it.
    counts: Vec<u32>,
    /// The amounts that some need.
    needed: BitSet,
}

impl Waiting {
    /// None of the stages waits. `memory` is what their tasks need, if it is modelled.
    pub(super) fn new(memory: Option<Vec<u64>>) -> Waiting {
        let demands = memory.map(|memory| {
            let mut amounts = memory.clone();
            amounts.sort();
            amounts.dedup();
            let index = |amount: &u64| amounts.partition_point(|other| other < amount) as u32;
            Demands {
                of_stage: memory.iter().map(index).collect(),
                counts: vec![0; amounts.len()],
                needed: BitSet::new(amounts.len()),
                amounts,
            }
        });
        Waiting { count: 0, memory: demands }
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn insert(&mut self, stage: StageIndex) {
        self.count += 1;
        if let Some(Demands { of_stage, counts, needed, .. }) = &mut self.memory {
            let amount = of_stage[stage.index()];
            counts[amount as usize] += 1;
            needed.insert(amount);
        }
    }

    pub(super) fn remove(&mut self, stage: StageIndex) {
        self.count -= 1;
        if let Some(Demands { of_stage, counts, needed, .. }) = &mut self.memory {
            let amount = of_stage[stage.index()];
            counts[amount as usize] -= 1;
            if counts[amount as usize] == 0 {
                needed.remove(amount);
            }
        }
    }

    /// The least memory that a task of a waiting stage needs; 0 where memory is not modelled. `None` if no stage waits.
    pub(super) fn least_memory(&self) -> Option<u64> {
        match &self.memory {
            Some(Demands { amounts, needed, .. }) => needed.first().map(|amount| amounts[amount as usize]),
            None => (self.count > 0).then_some(0),
        }
    }
}
