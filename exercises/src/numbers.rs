//! Inputs that reveal mistakes.

/// Returns `n` numbers with absolute values between 0.5 and 4 and either sign.
/// Any fourteen consecutive ones have different absolute values, and none is
/// near 0, where a wrong gradient can look right. They are multiples of 0.25,
/// so products are exact and easy to read. The same seed gives the same
/// numbers.
pub fn numbers(seed: u64, n: usize) -> Vec<f32> {
    let start = mix(seed);
    // 14 and each of these steps are coprime, so all 14 values occur.
    let step = [3, 5, 9, 11][(start >> 32) as usize % 4];
    let number = |i: u64| {
        let quarters = 2 + (start % 14 + i * step) % 14;
        let sign = if mix(start ^ i) & 1 == 0 { 1.0 } else { -1.0 };
        sign * quarters as f32 / 4.0
    };
    (0..n as u64).map(number).collect()
}

/// The mixing function of SplitMix64: similar inputs give unrelated outputs.
fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_far_from_zero_and_have_both_signs() {
        let numbers = numbers(1, 1000);
        assert!(numbers.iter().all(|x| (0.5..4.0).contains(&x.abs())));
        let negative = numbers.iter().filter(|x| **x < 0.0).count();
        assert!((400..600).contains(&negative), "{negative}");
    }

    #[test]
    fn neighbors_differ_in_size() {
        for neighbors in numbers(2, 100).windows(14) {
            for (i, x) in neighbors.iter().enumerate() {
                assert!(neighbors[..i].iter().all(|y| y.abs() != x.abs()));
            }
        }
    }

    #[test]
    fn seeds_differ_and_repeat() {
        assert_eq!(numbers(3, 9), numbers(3, 9));
        assert_ne!(numbers(3, 9), numbers(4, 9));
        assert_eq!(numbers(3, 9)[..4], numbers(3, 4));
    }
}
