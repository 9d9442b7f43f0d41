//! Levels and their laws: what the checks of the reader's engine, device and
//! kernels have in common.

use exercises::{Growing, Outcome, Stop};

use crate::broken;

/// A law is a named test. Its name, with spaces, is a sentence of the verdict.
pub(crate) type Law<E> = (&'static str, fn(&E));

/// A stage of the reader's program.
pub(crate) struct Level<E: 'static> {
    pub(crate) name: &'static str,
    /// The functions that the level requires.
    pub(crate) needs: &'static [Need],
    pub(crate) laws: &'static [Law<E>],
}

/// The name of a function, and its signature.
pub(crate) type Need = (&'static str, &'static str);

/// Lists laws by the names of their functions.
macro_rules! laws {
    ($of:ty; $($module:ident: $($name:ident),* $(,)?;)*) => {
        &[$($((stringify!($name), $module::$name as fn(&$of)),)*)*]
    };
}

/// Defines a law per operation, which compares it with the reference on a
/// number of seeded operands.
macro_rules! judged {
    ($of:ty, $cases:expr; $($name:ident $op:literal),* $(,)?) => {
        $(pub(super) fn $name(e: &$of) {
            let cases: fn(&$of) -> u64 = $cases;
            testkit::verdict::agrees_on(e, $op, cases(e));
        })*
    };
}

pub(crate) use {judged, laws};

/// The levels of a program, and the steps before and after their laws.
pub(crate) struct Ladder<E: 'static> {
    /// The engine that the laws are called with.
    pub(crate) of: E,
    pub(crate) levels: &'static [Level<E>],
    /// Sets the current level and returns the required functions that are
    /// missing.
    pub(crate) missing: fn(&E, usize, &'static [Need]) -> Vec<&'static Need>,
    /// Explains how to write the missing functions.
    pub(crate) task: fn(&[&Need]) -> String,
    /// How many laws of a level, counted from the first, also run under
    /// Oclgrind.
    pub(crate) watched: usize,
    pub(crate) end: fn(&E) -> Outcome,
}

impl<E> Growing for Ladder<E> {
    fn names(&self) -> Vec<&'static str> {
        self.levels.iter().map(|level| level.name).collect()
    }

    fn begin(&self, level: usize) -> Outcome {
        broken::record_panics();
        let Level { name, needs, .. } = self.levels[level - 1];
        let missing = (self.missing)(&self.of, level, needs);
        if missing.is_empty() {
            return Ok(());
        }
        let task = (self.task)(&missing);
        Err(Stop::ToDo(format!(
            "level {level}, {name}, still needs these functions:\n{task}"
        )))
    }

    fn laws(&self, level: usize) -> Vec<String> {
        let laws = self.levels[level - 1].laws.iter();
        laws.map(|(name, _)| name.replace('_', " ")).collect()
    }

    fn law(&self, level: usize, law: usize) -> Outcome {
        broken::run_law(&self.of, self.levels[level - 1].laws[law])
    }

    fn is_watched(&self, _: usize, law: usize) -> bool {
        law < self.watched
    }

    fn end(&self) -> Outcome {
        (self.end)(&self.of)
    }
}

#[cfg(all(test, feature = "opencl"))]
mod tests {
    use crate::{device, kernels, levels};

    /// Promise: The levels of "Your own engine" have the same names in the
    /// exercise table and in the verdict.
    #[test]
    fn the_table_of_exercises_has_the_same_levels() {
        let table = include_str!("../../exercises/exercises.toml");
        let engine: Vec<&str> =
            levels::LEVELS.iter().map(|level| level.name).collect();
        let device = device::LEVELS.iter().map(|level| level.name).collect();
        let kernels = kernels::LEVELS.iter().map(|level| level.name).collect();
        for (id, names) in [
            ("my_engine", engine),
            ("my_device", device),
            ("my_kernels", kernels),
        ] {
            let row = table.split("\n[[exercise]]\n").skip(1);
            let its = format!("id = \"{id}\"");
            let row = row.into_iter().find(|row| row.contains(&its));
            let levels = row.expect("a row").split("\n[[exercise.level]]\n");
            let named = levels.skip(1).map(|level| {
                let mut lines = level.lines();
                let name = lines.find_map(|it| it.strip_prefix("name = "));
                name.expect("a name").trim_matches('"')
            });
            assert_eq!(named.collect::<Vec<_>>(), names, "{id}");
        }
    }
}
