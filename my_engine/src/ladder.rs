//! Levels, each with its laws, one behind the other: what the engine, the
//! device and the kernels of a reader have in common.

use exercises::{Growing, Outcome, Stop};

use crate::broken;

/// A law by its name, which is a sentence, and what it is looked at with.
pub(crate) type Law<E> = (&'static str, fn(&E));

/// A stage of what grows.
pub(crate) struct Level<E: 'static> {
    pub(crate) name: &'static str,
    /// The functions that it takes, with how they are written.
    pub(crate) needs: &'static [Need],
    pub(crate) laws: &'static [Law<E>],
}

/// A function by its name, and how it is written.
pub(crate) type Need = (&'static str, &'static str);

/// Lists laws by the names of their functions.
macro_rules! laws {
    ($of:ty; $($module:ident: $($name:ident),* $(,)?;)*) => {
        &[$($((stringify!($name), $module::$name as fn(&$of)),)*)*]
    };
}

/// Makes a law of each operation that is held against the judge on seeded
/// operands, so many of them.
macro_rules! judged {
    ($of:ty, $cases:expr; $($name:ident $op:literal),* $(,)?) => {
        $(pub(super) fn $name(e: &$of) {
            let cases: fn(&$of) -> u64 = $cases;
            testkit::verdict::agrees_on(e, $op, cases(e));
        })*
    };
}

pub(crate) use {judged, laws};

/// All levels of what grows, and what is asked before and behind them.
pub(crate) struct Ladder<E: 'static> {
    /// What the laws are looked at with.
    pub(crate) of: E,
    pub(crate) levels: &'static [Level<E>],
    /// Notes which level is looked at, and lists what it needs that is not there.
    pub(crate) lost: fn(&E, usize, &'static [Need]) -> Vec<&'static Need>,
    /// Says how to write what is lost.
    pub(crate) task: fn(&[&Need]) -> String,
    /// How many laws of a level, the first ones, are looked at under Oclgrind.
    pub(crate) watched: usize,
    pub(crate) end: fn(&E) -> Outcome,
}

impl<E> Growing for Ladder<E> {
    fn names(&self) -> Vec<&'static str> {
        self.levels.iter().map(|level| level.name).collect()
    }

    fn begin(&self, level: usize) -> Outcome {
        broken::listen();
        let Level { name, needs, .. } = self.levels[level - 1];
        let lost = (self.lost)(&self.of, level, needs);
        if lost.is_empty() {
            return Ok(());
        }
        let task = (self.task)(&lost);
        Err(Stop::ToDo(format!(
            "level {level}, {name}, takes what is not there:\n{task}"
        )))
    }

    fn laws(&self, level: usize) -> Vec<String> {
        let laws = self.levels[level - 1].laws.iter();
        laws.map(|(name, _)| name.replace('_', " ")).collect()
    }

    fn law(&self, level: usize, law: usize) -> Outcome {
        broken::judged(&self.of, self.levels[level - 1].laws[law])
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

    /// What the list of the companion and the pages call a level, the verdict
    /// calls it too.
    ///
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
