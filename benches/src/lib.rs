//! What the benches measure, the same natively and in WebAssembly: workloads of a given shape, and
//! bare loops to hold the simulator against.

pub mod jumps;
pub mod programs;
#[cfg(target_arch = "wasm32")]
mod wasm;
pub mod workload;
pub mod yardstick;

pub use workload::{Arrivals, Durations, Extras, Workload};

/// Numbers that look random and are always the same: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number below `end`. Slightly uneven, which no bench minds.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}
