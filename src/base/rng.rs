//! Random numbers that are the same in every run and on every device, built
//! in "Train the digits".
//!
//! The bits are counter-based: number `k` of a sequence is computed from the
//! seed and `k` alone, not from number `k - 1`. So a million work-items can
//! each compute their own, in any order, and agree with this file. It takes
//! only integers that wrap around, which OpenCL C has as well (`ulong`). What
//! needs a logarithm or a cosine, where devices may differ in the last bit,
//! is made on the host.
//!
//! Reading order: [`bits`], [`unit()`], [`Random`].

use std::f64::consts::TAU;

/// Computes number `counter` of the sequence `seed`, by SplitMix64: its state
/// is a counter anyway, stirred until neighbors have nothing in common.
pub fn bits(seed: u64, counter: u64) -> u64 {
    // 2^64 divided by the golden ratio, made odd: its multiples visit every
    // number once before the first comes again.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut z = seed.wrapping_add(STEP.wrapping_mul(counter.wrapping_add(1)));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Turns bits into a number from 0 up to, but not including, 1. An `f32`
/// counts exactly up to 2^24, so the upper 24 bits are all that fits.
pub fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1 << 24) as f32
}

/// A sequence, and how far it has been used.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    counter: u64,
}

impl Random {
    /// Begins the sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random { seed, counter: 0 }
    }

    /// Goes on in a sequence where another one was, by its [`state`].
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

    /// Returns the seed, and how many numbers were drawn: all that there is
    /// to know about the numbers to come.
    pub fn state(&self) -> [u64; 2] {
        [self.seed, self.counter]
    }

    /// Draws 64 bits: the seed of another sequence.
    pub fn bits(&mut self) -> u64 {
        let bits = bits(self.seed, self.counter);
        self.counter += 1;
        bits
    }

    /// Draws a number from 0 up to, but not including, 1.
    pub fn uniform(&mut self) -> f32 {
        unit(self.bits())
    }

    /// Draws a number around 0 with standard deviation 1: the Box-Muller
    /// transform, which makes it of two even ones.
    pub fn normal(&mut self) -> f32 {
        // From above 0 up to 1: the logarithm of 0 is no number.
        let radius = f64::from(1.0 - self.uniform());
        let angle = TAU * f64::from(self.uniform());
        ((-2.0 * radius.ln()).sqrt() * angle.cos()) as f32
    }

    /// Draws a whole number from 0 up to, but not including, `n`: the bits as
    /// a fraction of 2^64, times `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Brings the items into an order of which each is as likely as any
    /// other.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        // The last place takes any item, the next one any of the others.
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first five numbers of its authors' program, for the same seed.
    #[test]
    fn the_bits_are_those_of_splitmix64() {
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
    fn a_sequence_is_its_counter() {
        let mut random = Random::new(7);
        for k in 0..100 {
            assert_eq!(random.uniform(), unit(bits(7, k)));
        }
    }

    #[test]
    fn a_unit_is_never_1() {
        assert_eq!(unit(0), 0.0);
        assert_eq!(unit(1 << 63), 0.5);
        assert!(unit(u64::MAX) < 1.0);
    }

    /// Computed once more by a program in another language.
    #[test]
    fn a_seed_always_gives_these_numbers() {
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
    fn normals_have_mean_0_and_deviation_1() {
        let mut random = Random::new(3);
        let values: Vec<f64> =
            (0..40_000).map(|_| f64::from(random.normal())).collect();
        let mean = values.iter().sum::<f64>() / 40_000.0;
        let square = values.iter().map(|x| x * x).sum::<f64>() / 40_000.0;
        // Four times as far as chance alone would take them.
        assert!(mean.abs() < 0.02, "mean {mean}");
        assert!((square - 1.0).abs() < 0.03, "mean square {square}");
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
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
