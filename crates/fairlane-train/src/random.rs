//! The Mersenne Twister as Python's `random` uses it, so that a seed makes the same workload here as in a script.

/// State of MT19937 (Matsumoto and Nishimura 1998).
#[derive(Clone)]
pub struct MersenneTwister {
    state: [u32; LENGTH],
    next: usize,
}

const LENGTH: usize = 624;

impl MersenneTwister {
    /// As `random.Random(seed)` of Python: the seed is a key of one word.
    pub fn new(seed: u32) -> MersenneTwister {
        let mut state = [0_u32; LENGTH];
        state[0] = 19_650_218;
        for index in 1..LENGTH {
            let before = state[index - 1];
            state[index] = 1_812_433_253_u32.wrapping_mul(before ^ before >> 30).wrapping_add(index as u32);
        }
        let mut index = 1;
        let mut mix = |rounds: usize, factor: u32, add: &dyn Fn(usize) -> u32| {
            for _ in 0..rounds {
                let before = state[index - 1];
                state[index] =
                    (state[index] ^ (before ^ before >> 30).wrapping_mul(factor)).wrapping_add(add(index));
                index += 1;
                if index == LENGTH {
                    state[0] = state[LENGTH - 1];
                    index = 1;
                }
            }
        };
        mix(LENGTH, 1_664_525, &|_| seed);
        mix(LENGTH - 1, 1_566_083_941, &|index| (index as u32).wrapping_neg());
        state[0] = 1 << 31;
        MersenneTwister { state, next: LENGTH }
    }

    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        if self.next == LENGTH {
            for index in 0..LENGTH {
                let bits = self.state[index] & 1 << 31 | self.state[(index + 1) % LENGTH] & !(1 << 31);
                let twist = if bits & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[index] = self.state[(index + 397) % LENGTH] ^ bits >> 1 ^ twist;
            }
            self.next = 0;
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    /// A number below a bound, as `random.choice` draws an index; the bound is more than 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bits = usize::BITS - bound.leading_zeros();
        loop {
            let drawn = (self.word() >> (32 - bits)) as usize;
            if drawn < bound {
                return drawn;
            }
        }
    }

    /// A number in [0, 1), as `random.random`.
    pub fn unit(&mut self) -> f64 {
        let (high, low) = (f64::from(self.word() >> 5), f64::from(self.word() >> 6));
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }

    /// A span of a Poisson process of rate 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// A number of a normal distribution (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python 3: `r = random.Random(7); r.getrandbits(32), r.choice(range(22)), r.random()`.
    #[test]
    fn the_numbers_are_those_of_python() {
        let mut random = MersenneTwister::new(7);
        assert_eq!(random.word(), 1_390_851_128);
        assert_eq!(random.below(22), 4);
        assert_eq!(random.unit(), 0.394_823_496_423_173_5);
    }
}
