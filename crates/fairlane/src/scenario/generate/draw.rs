//! Uniform numbers: a stream of its own for every user and purpose.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What a stream decides. Streams differ by it, so that drawing more for one purpose moves nothing
/// that is drawn for another.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Arrivals,
    Sizes,
    Skew,
    Estimates,
    Jobs,
}

/// A stream of uniform numbers.
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    /// The stream of a purpose under a seed, for a user's jobs of one kind, known by a label. ChaCha has
    /// 2^64 streams to a key; the label's XXH3 hash picks one, so that other users do not change them.
    pub(super) fn new(seed: u64, label: &str, purpose: Purpose) -> Draws {
        let mut source = ChaCha8Rng::seed_from_u64(seed);
        source.set_stream(xxh3_64_with_seed(label.as_bytes(), purpose as u64));
        Draws(source)
    }

    /// The stream of a job that is drawn as a whole, known by a label.
    pub(crate) fn of_job(seed: u64, label: &str) -> Draws {
        Draws::new(seed, label, Purpose::Jobs)
    }

    /// Uniform in [0, 1): a whole multiple of 2^-53.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in 0..count, by the upper half of a 128-bit product (Lemire, 2019, without rejection:
    /// the bias is below count / 2^64).
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    /// Exponentially distributed with mean 1: -ln(1 - u).
    pub(crate) fn exponential(&mut self) -> f64 {
        -libm::log1p(-self.unit())
    }
}
