//! Seeded random numbers for tests, equal in every run.

use std::env;

/// Returns the number of random cases of a test: `usual`, unless
/// `RUNGRAD_CASES` requests more, as in the nightly run.
pub fn cases(usual: u64) -> u64 {
    number("RUNGRAD_CASES").unwrap_or(usual)
}

/// Returns the first seed of a test: 0, unless `RUNGRAD_SEED` is set. A
/// failure prints the seed of its case. Together with `RUNGRAD_CASES=1` it
/// runs only that case.
pub fn first_seed() -> u64 {
    number("RUNGRAD_SEED").unwrap_or(0)
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| {
        panic!("{name} is {text:?}, and should be a whole number")
    }))
}

/// SplitMix64: a mixed counter.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a value from 0 up to, but not including, `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Returns a value between -2 and 2 that is not close to 0, because finite
    /// differences need room.
    pub fn value(&mut self) -> f32 {
        let unit = (self.bits() >> 40) as f32 / (1u64 << 24) as f32;
        let size = 0.25 + 1.75 * unit;
        if self.bits() & 1 == 0 { size } else { -size }
    }

    pub fn values(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.value()).collect()
    }

    /// Shuffles the items, with equal probability for every order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Returns up to three axes of 0 to 9 elements.
    pub fn shape(&mut self) -> Vec<usize> {
        (0..self.below(4)).map(|_| self.below(10)).collect()
    }
}
