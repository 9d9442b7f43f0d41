//! Assigns the programs of the book to the fast or slow tier of the tests.

/// Commands that contain one of these take half a minute or more: they train
/// networks, or a simulator counts the instructions of a matmul.
const SLOW: [&str; 6] = [
    "part1_digits -- ",
    "part2_crossover",
    "part3_filters",
    "part3_shakespeare",
    "part3_training",
    "learn profile matmul",
];

/// A tier of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Runs in every test run.
    Fast,
    /// Runs only in ignored tests.
    Slow,
}

impl Tier {
    /// Returns whether a command runs in this tier. With `UPDATE=1`, the fast
    /// tier includes all commands, so that all outputs are written.
    pub(crate) fn has(self, command: &str) -> bool {
        let is_slow = SLOW.iter().any(|words| command.contains(words));
        match self {
            Tier::Fast => !is_slow || crate::updates(),
            Tier::Slow => is_slow && !crate::updates(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_runs_in_one_tier() {
        if crate::updates() {
            return;
        }
        let seeds = "cargo run --example part1_digits -- --seeds 5";
        assert!(Tier::Slow.has(seeds) && !Tier::Fast.has(seeds));
        let one = "cargo run --example part1_digits";
        assert!(Tier::Fast.has(one) && !Tier::Slow.has(one));
    }
}
