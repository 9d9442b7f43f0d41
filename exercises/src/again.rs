//! A variant of an exercise: the same check with other values, another order or
//! another operation, as `cargo learn again` has drawn it.

use std::env;

/// What was drawn, `factor=7 less=2`; not set for the exercise itself.
const DRAWN: &str = "RUNGRAD_AGAIN";

/// Tells whether this is a variant.
pub fn again() -> bool {
    env::var_os(DRAWN).is_some()
}

/// Returns the value that was drawn under this name; None in the exercise
/// itself.
pub fn drawn(name: &str) -> Option<f32> {
    value(&env::var(DRAWN).ok()?, name)
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
