//! Variants of an exercise: the same check with different values, a different
//! order or a different operation, drawn by `cargo learn again`.

use std::env;

/// The drawn values, for example `factor=7 less=2`; unset for the exercise
/// itself.
const DRAWN: &str = "RUNGRAD_AGAIN";

/// Returns whether this is a variant.
pub fn again() -> bool {
    env::var_os(DRAWN).is_some()
}

/// Returns the second value in a variant, and the first one in the exercise
/// itself.
pub fn either<T>(own: T, variant: T) -> T {
    if again() { variant } else { own }
}

/// Returns the value at the drawn index `case` in a variant, and the first
/// argument in the exercise itself.
pub fn choose<T, const N: usize>(own: T, variants: [T; N]) -> T {
    match drawn("case") {
        Some(case) => variants.into_iter().nth(case as usize).expect("a case"),
        None => own,
    }
}

/// Returns the value drawn for this name, or `None` in the exercise itself.
pub fn drawn(name: &str) -> Option<f32> {
    value(&env::var(DRAWN).ok()?, name)
}

/// Returns what a reduction of no values is, and how it adds a value: a sum, or
/// in a variant the maximum, the minimum, or the sum of the absolute values.
pub fn drawn_reduction() -> (f32, fn(f32, f32) -> f32) {
    match drawn("none") {
        None => (0.0, |all, x| all + x),
        Some(f32::NEG_INFINITY) => (f32::NEG_INFINITY, f32::max),
        Some(f32::INFINITY) => (f32::INFINITY, f32::min),
        Some(none) => (none, |all, x| all + x.abs()),
    }
}

fn value(drawn: &str, name: &str) -> Option<f32> {
    let mut pairs =
        drawn.split_whitespace().filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_name() {
        assert_eq!(value("factor=7 less=-0.5", "less"), Some(-0.5));
        assert_eq!(value("factor=7", "fact"), None);
        assert_eq!(value("", "factor"), None);
    }
}
