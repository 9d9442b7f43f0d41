//! Which programs of the book run in the fast tier of the tests.

/// The commands that take half a minute or more contain one of these: they train
/// networks, or a simulator counts what a product of matrices does.
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
    /// What every run of the tests includes.
    Fast,
    /// What only the ignored tests run.
    Slow,
}

impl Tier {
    /// Returns whether a command runs in this tier. `UPDATE=1` writes the
    /// outputs of all commands, so then the fast tier has all of them.
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
