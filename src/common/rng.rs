//! A random number generator with the same numbers in every run and on every
//! device, built in "Train the digits".
//!
//! The generator is counter-based: number `k` of a sequence depends only on
//! the seed and `k`, not on number `k - 1`. A million work-items can each
//! compute their own number, in any order, and get the same result as this
//! file. The arithmetic uses only wrapping 64-bit integers, which OpenCL C has
//! as well (`ulong`). Numbers that need a logarithm or a cosine are computed
//! on the host, because devices may differ in the last bit of these functions.
//!
//! Reading order: [`bits`], [`unit()`], [`Random`].

use std::f64::consts::TAU;

/// Computes number `counter` of the sequence with this seed by SplitMix64,
/// whose state is a counter.
pub fn bits(seed: u64, counter: u64) -> u64 {
    // 2^64 divided by the golden ratio, rounded to an odd integer. Because it
    // is odd, its multiples visit every 64-bit number before they repeat.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut z = seed.wrapping_add(STEP.wrapping_mul(counter.wrapping_add(1)));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Converts random bits to a number in `[0, 1)`. It uses the upper 24 bits,
/// because an `f32` represents integers exactly only up to 2^24.
pub fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1 << 24) as f32
}

/// A random number generator: a seed and a position in its sequence.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    counter: u64,
}

impl Random {
    /// Creates a generator at the start of the sequence of `seed`.
    pub fn new(seed: u64) -> Random {
        Random { seed, counter: 0 }
    }

    /// Creates a generator from a [`state`], so that it continues the
    /// sequence there.
    ///
    /// ```
    /// use rungrad::rng::Random;
    /// let mut random = Random::new(7);
    /// random.normal();
    /// let mut again = Random::at(random.state());
    /// assert_eq!(again.normal(), random.normal());
    /// ```
    ///
    /// [`state`]: Random::state
    pub fn at([seed, counter]: [u64; 2]) -> Random {
        Random { seed, counter }
    }

    /// Returns the seed and how many numbers were drawn, which together
    /// determine all later numbers.
    pub fn state(&self) -> [u64; 2] {
        [self.seed, self.counter]
    }

    /// Draws 64 random bits, for example as the seed of a new sequence.
    pub fn bits(&mut self) -> u64 {
        let bits = bits(self.seed, self.counter);
        self.counter += 1;
        bits
    }

    /// Draws a number uniformly from `[0, 1)`.
    pub fn uniform(&mut self) -> f32 {
        unit(self.bits())
    }

    /// Draws a number from the standard normal distribution, by the Box-Muller
    /// transform of two uniform numbers.
    pub fn normal(&mut self) -> f32 {
        // `1 - uniform` is in (0, 1], so the logarithm is finite.
        let radius = f64::from(1.0 - self.uniform());
        let angle = TAU * f64::from(self.uniform());
        ((-2.0 * radius.ln()).sqrt() * angle.cos()) as f32
    }

    /// Draws an integer uniformly from `0..n`: the random bits as a fraction
    /// of 2^64, times `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Shuffles the items so that every order is equally likely
    /// (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first five numbers of the reference implementation for this seed.
    #[test]
    fn bits_agree_with_splitmix64() {
        let first: Vec<u64> = (0..5).map(|k| bits(1_234_567, k)).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn a_sequence_depends_only_on_its_counter() {
        let mut random = Random::new(7);
        for k in 0..100 {
            assert_eq!(random.uniform(), unit(bits(7, k)));
        }
    }

    #[test]
    fn unit_is_less_than_1() {
        assert_eq!(unit(0), 0.0);
        assert_eq!(unit(1 << 63), 0.5);
        assert!(unit(u64::MAX) < 1.0);
    }

    /// Computed once more by a program in another language.
    #[test]
    fn a_seed_gives_fixed_values() {
        let mut random = Random::new(1);
        let uniform = [(); 3].map(|()| random.uniform());
        assert_eq!(uniform, [0.566_561_5, 0.745_781_7, 0.971_002_7]);
        let normal = [(); 3].map(|()| random.normal());
        let expected = [-1.018_298_5, 1.217_259_8, -0.269_244_64];
        let near = |(x, y): (f32, f32)| (x - y).abs() < 1e-6;
        assert!(normal.into_iter().zip(expected).all(near), "{normal:?}");
        let mut order: Vec<usize> = (0..10).collect();
        random.shuffle(&mut order);
        assert_eq!(order, [5, 9, 1, 0, 2, 6, 8, 4, 3, 7]);
    }

    #[test]
    fn normal_has_mean_0_and_deviation_1() {
        let mut random = Random::new(3);
        let values: Vec<f64> =
            (0..40_000).map(|_| f64::from(random.normal())).collect();
        let mean = values.iter().sum::<f64>() / 40_000.0;
        let square = values.iter().map(|x| x * x).sum::<f64>() / 40_000.0;
        // The tolerances are about four standard deviations.
        assert!(mean.abs() < 0.02, "mean {mean}");
        assert!((square - 1.0).abs() < 0.03, "mean square {square}");
    }

    #[test]
    fn below_returns_every_number_in_range() {
        let mut random = Random::new(5);
        let mut seen = [0; 6];
        (0..6_000).for_each(|_| seen[random.below(6)] += 1);
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<usize> = (0..1000).collect();
        Random::new(2).shuffle(&mut items);
        assert!(items.windows(2).any(|pair| pair[0] > pair[1]));
        items.sort_unstable();
        assert!(items.into_iter().eq(0..1000));
        let mut none: [u8; 0] = [];
        Random::new(2).shuffle(&mut none);
    }
}
