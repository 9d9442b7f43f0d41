//! What became of the mutants, as text.

use std::path::Path;

use crate::mutant::Mutant;
use crate::named::Named;
use crate::suite::Fate;
use crate::tree::{self, Planted};

/// A mutant as a diff.
pub(crate) fn shown(root: &Path, mutant: &Mutant) -> Result<String, String> {
    Ok(mutant.diff(&tree::read(&root.join(&mutant.file))?))
}

/// At least 95 of 100. Of few, two may survive: a handful that is drawn anew
/// with each change of the sources should not stop one.
fn enough(caught: usize, can: usize) -> bool {
    can - caught <= (can / 20).max(2)
}

/// What became of every mutant.
pub(crate) struct Report<'a> {
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    planted: &'a Planted,
    fate: Fate,
    /// One of planted.txt.
    always: bool,
    explained: bool,
}

impl Row<'_> {
    fn caught(&self) -> bool {
        matches!(self.fate, Fate::Caught(_))
    }
}

impl<'a> Report<'a> {
    /// Those that have been tried.
    pub(crate) fn new(
        planted: &'a [Planted],
        fates: Vec<Option<Fate>>,
        always: &[Named],
        survivors: &[Named],
    ) -> Report<'a> {
        let is = |list: &[Named], mutant: &Mutant| {
            list.iter().any(|named| named.is(mutant))
        };
        let rows = planted.iter().zip(fates).filter_map(|(planted, fate)| {
            let always = is(always, &planted.mutant);
            let explained = is(survivors, &planted.mutant);
            Some(Row { planted, fate: fate?, always, explained })
        });
        Report { rows: rows.collect() }
    }

    /// Enough of what can be caught, each that is listed, and none of which
    /// it is said that nothing can notice it.
    pub(crate) fn good(&self) -> bool {
        let can = self.rows.iter().filter(|it| it.caught() || !it.explained);
        let caught = self.rows.iter().filter(|row| row.caught());
        let missed = self.rows.iter().any(|it| it.always && !it.caught());
        let noticed = self.noticed().next().is_some();
        enough(caught.count(), can.count()) && !missed && !noticed
    }

    /// Those that survivors.txt explains, and that a test notices.
    fn noticed(&self) -> impl Iterator<Item = &Row<'_>> {
        let rows = self.rows.iter();
        rows.filter(|it| it.explained && !it.always && it.caught())
    }

    pub(crate) fn summary(&self) -> String {
        let count = |kind: fn(&Row) -> bool| {
            self.rows.iter().filter(|row| kind(row)).count()
        };
        format!(
            "{} mutants: {} caught, {} survived, {} unreached; {} of these \
             are explained",
            self.rows.len(),
            count(|row| row.caught()),
            count(|row| matches!(row.fate, Fate::Survived(_))),
            count(|row| matches!(row.fate, Fate::Unreached)),
            count(|row| !row.caught() && row.explained),
        )
    }

    /// Those that survive without a word, as paragraphs of survivors.txt, and
    /// those of it that do not survive.
    pub(crate) fn unexplained(&self, root: &Path) -> Result<String, String> {
        let mut text = String::new();
        for row in self.noticed() {
            let Fate::Caught(by) = &row.fate else { continue };
            let name = row.planted.mutant.name();
            text += &format!("\nsurvivors.txt is wrong: {by} notices {name}\n");
        }
        for row in &self.rows {
            if row.caught() || row.explained {
                continue;
            }
            let Planted { number, mutant } = row.planted;
            let fate = match row.fate {
                Fate::Survived(tests) => format!("survives {tests} tests"),
                _ => "is reached by no test".to_owned(),
            };
            text += &format!(
                "\nmutant {number} {fate}: --one {}\n{}{}",
                mutant.place(),
                shown(root, mutant)?,
                Named::paragraph(mutant),
            );
        }
        Ok(text)
    }

    /// A line for each mutant, and what there is to say of the survivors.
    pub(crate) fn text(
        &self,
        root: &Path,
        why: &[Named],
    ) -> Result<String, String> {
        let mut text = self.summary() + "\n\n";
        for row in &self.rows {
            let Planted { number, mutant } = row.planted;
            let fate = row.fate.line();
            text += &format!("{number} {}: {fate}\n", mutant.name());
            let why = why.iter().find(|named| named.is(mutant));
            if let Some(why) = why
                && !row.caught()
            {
                text += &format!("    {}\n", why.why());
            }
        }
        Ok(text + &self.unexplained(root)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_of_a_hundred_may_survive_and_two_of_few() {
        assert!(enough(380, 400) && !enough(379, 400));
        assert!(enough(10, 12) && !enough(9, 12));
        assert!(enough(0, 0));
    }
}
