//! The cores: which are free, and what memory their executors have left.

use crate::bits::BitSet;
use crate::ids::CoreId;
use crate::scenario::Cluster;

/// The cores, free or not.
#[derive(Clone)]
pub(crate) struct Cores {
    count: u32,
    free_count: u32,
    per_executor: u32,
    free: BitSet,
    memory: Option<Memory>,
    /// `None` if all executors are always there.
    elastic: Option<Elastic>,
}

/// Executors that come and go.
#[derive(Clone)]
struct Elastic {
    /// Which executors take tasks.
    open: Vec<bool>,
    /// The cores with a task.
    busy: BitSet,
}

impl Cores {
    pub(super) fn new(cluster: &Cluster) -> Cores {
        let count = cluster.cores();
        let mut free = BitSet::new(count as usize);
        (0..count).for_each(|core| free.insert(core));
        let memory = cluster.memory_per_executor.map(|memory| Memory::new(cluster.executors, memory));
        let elastic = cluster.is_elastic().then(|| Elastic {
            open: vec![true; cluster.executors as usize],
            busy: BitSet::new(count as usize),
        });
        Cores { count, free_count: count, per_executor: cluster.cores_per_executor, free, memory, elastic }
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    #[inline]
    pub(crate) fn per_executor(&self) -> u32 {
        self.per_executor
    }

    pub(crate) fn free(&self) -> u32 {
        self.free_count
    }

    pub(super) fn memory(&self) -> Option<&Memory> {
        self.memory.as_ref()
    }

    #[inline]
    pub(crate) fn is_free(&self, core: CoreId) -> bool {
        self.free.contains(core.0)
    }

    /// Whether a core's executor has some memory left.
    #[inline]
    pub(crate) fn has_memory(&self, core: CoreId, memory: u64) -> bool {
        self.memory.as_ref().is_none_or(|state| memory <= state.free(core.0 / self.per_executor))
    }

    /// Whether an executor takes tasks.
    pub(crate) fn is_open(&self, executor: u32) -> bool {
        self.elastic.as_ref().is_none_or(|elastic| elastic.open[executor as usize])
    }

    /// Number of cores that have a task.
    pub(crate) fn busy(&self) -> u32 {
        match &self.elastic {
            Some(elastic) => elastic.busy.iter().count() as u32,
            None => self.count - self.free_count,
        }
    }

    /// From now on an executor takes tasks or does not. Its running tasks go on.
    pub(crate) fn set_open(&mut self, executor: u32, open: bool) {
        let Some(elastic) = &mut self.elastic else { return };
        if std::mem::replace(&mut elastic.open[executor as usize], open) == open {
            return;
        }
        for core in executor * self.per_executor..(executor + 1) * self.per_executor {
            if elastic.busy.contains(core) {
            } else if open {
                self.free.insert(core);
                self.free_count += 1;
            } else {
                self.free.remove(core);
                self.free_count -= 1;
            }
        }
        if let Some(memory) = &mut self.memory {
            memory.set_open(executor, open, self.per_executor);
        }
    }

    pub(super) fn every_free(&self) -> impl Iterator<Item = CoreId> + '_ {
        self.free.iter().map(CoreId)
    }

    pub(super) fn lowest(&self) -> Option<CoreId> {
        self.free.first().map(CoreId)
    }

    /// The lowest free core of an executor with enough free memory.
    pub(super) fn lowest_with(&self, memory: u64) -> Option<CoreId> {
        let Some(state) = &self.memory else { return self.lowest() };
        self.free.first_from(state.first_with(memory)? * self.per_executor).map(CoreId)
    }

    pub(super) fn largest_free_memory(&self) -> Option<u64> {
        match &self.memory {
            Some(memory) => memory.largest(),
            None => (self.free_count > 0).then_some(u64::MAX),
        }
    }

    /// Occupies a free core with a task that holds some memory.
    #[inline]
    pub(crate) fn occupy(&mut self, core: CoreId, memory: u64) {
        self.free_count -= 1;
        self.free.remove(core.0);
        if let Some(elastic) = &mut self.elastic {
            elastic.busy.insert(core.0);
        }
        if let Some(state) = &mut self.memory {
            state.hold(core.0 / self.per_executor, memory, self.per_executor);
        }
    }

    #[inline]
    pub(crate) fn release(&mut self, core: CoreId, memory: u64) {
        let executor = core.0 / self.per_executor;
        let mut open = true;
        if let Some(elastic) = &mut self.elastic {
            elastic.busy.remove(core.0);
            open = elastic.open[executor as usize];
        }
        if open {
            self.free_count += 1;
            self.free.insert(core.0);
        }
        if let Some(state) = &mut self.memory {
            state.give_back(executor, memory, open);
        }
    }
}

/// The executors' free memory in MB.
#[derive(Clone)]
pub(super) struct Memory {
    executors: Vec<ExecutorCores>,
    /// A tree over the executors, its root at 1 and its leaves at the end: the most memory of an executor with a free
    /// core below, plus one; 0 where none has a free core.
    largest: Vec<u64>,
}

#[derive(Clone, Copy)]
struct ExecutorCores {
    free: u64,
    tasks: u32,
}

impl Memory {
    fn new(executors: u32, memory: u64) -> Memory {
        let leaves = executors.next_power_of_two() as usize;
        let mut state = Memory {
            executors: vec![ExecutorCores { free: memory, tasks: 0 }; executors as usize],
            largest: vec![0; 2 * leaves],
        };
        (0..executors).for_each(|executor| state.set(executor, memory + 1));
        state
    }

    pub(super) fn free(&self, executor: u32) -> u64 {
        self.executors[executor as usize].free
    }

    fn largest(&self) -> Option<u64> {
        self.largest[1].checked_sub(1)
    }

    /// The first executor with a free core and enough memory.
    fn first_with(&self, memory: u64) -> Option<u32> {
        if self.largest[1] <= memory {
            return None;
        }
        let (mut node, leaves) = (1, self.largest.len() / 2);
        while node < leaves {
            node *= 2;
            if self.largest[node] <= memory {
                node += 1;
            }
        }
        Some((node - leaves) as u32)
    }

    fn hold(&mut self, executor: u32, memory: u64, cores: u32) {
        let state = &mut self.executors[executor as usize];
        state.free -= memory;
        state.tasks += 1;
        let key = if state.tasks < cores { state.free + 1 } else { 0 };
        self.set(executor, key);
    }

    fn give_back(&mut self, executor: u32, memory: u64, open: bool) {
        let state = &mut self.executors[executor as usize];
        state.free += memory;
        state.tasks -= 1;
        let key = if open { state.free + 1 } else { 0 };
        self.set(executor, key);
    }

    fn set_open(&mut self, executor: u32, open: bool, cores: u32) {
        let state = self.executors[executor as usize];
        self.set(executor, if open && state.tasks < cores { state.free + 1 } else { 0 });
    }

    fn set(&mut self, executor: u32, key: u64) {
        let mut node = self.largest.len() / 2 + executor as usize;
        self.largest[node] = key;
        while node > 1 {
            node /= 2;
            self.largest[node] = self.largest[2 * node].max(self.largest[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(executors: u32, cores_per_executor: u32, memory: Option<u64>) -> Cluster {
        Cluster { executors, cores_per_executor, memory_per_executor: memory, ..Cluster::default() }
    }

    #[test]
    fn the_lowest_core_that_fits_is_that_of_a_search() {
        for (executors, per_executor, memory) in
            [(1, 1, None), (7, 3, Some(100)), (300, 30, None), (90, 1, Some(64))]
        {
            let mut cores = Cores::new(&cluster(executors, per_executor, memory));
            let mut held: Vec<Option<u64>> = vec![None; (executors * per_executor) as usize];
            let mut state = 3_u32;
            let mut random = move |end: u32| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) % end
            };
            for _ in 0..3000 {
                let needed = if memory.is_some() { u64::from(random(60)) } else { 0 };
                let used = |executor: usize, held: &[Option<u64>]| -> u64 {
                    let first = executor * per_executor as usize;
                    held[first..first + per_executor as usize].iter().flatten().sum()
                };
                let fits = |core: usize, held: &[Option<u64>]| {
                    held[core].is_none()
                        && memory.is_none_or(|most| used(core / per_executor as usize, held) + needed <= most)
                };
                let expected = (0..held.len()).find(|&core| fits(core, &held));
                assert_eq!(cores.lowest_with(needed), expected.map(|core| CoreId(core as u32)));
                assert_eq!(cores.free() as usize, held.iter().filter(|core| core.is_none()).count());
                let busy: Vec<usize> = (0..held.len()).filter(|&core| held[core].is_some()).collect();
                match expected {
                    Some(core) if random(5) > 1 => {
                        cores.occupy(CoreId(core as u32), needed);
                        held[core] = Some(needed);
                    }
                    _ if !busy.is_empty() => {
                        let core = busy[random(busy.len() as u32) as usize];
                        cores.release(CoreId(core as u32), held[core].take().unwrap_or(0));
                    }
                    _ => {}
                }
            }
        }
    }
}
