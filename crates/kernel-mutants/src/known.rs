//! The mutants whose result is known, as listed in `known.txt`.

use std::fs;

use crate::Result;
use crate::mutations::Mutant;

/// The list, relative to the root of the project.
pub(crate) const FILE: &str = "crates/kernel-mutants/known.txt";

/// A paragraph of the list.
pub(crate) struct Known {
    /// Whether no test can notice the mutant. Otherwise a test must catch it.
    pub(crate) survives: bool,
    file: String,
    before: String,
    after: String,
}

impl Known {
    pub(crate) fn is(&self, file: &str, mutant: &Mutant) -> bool {
        let texts = (&*self.file, &self.before, &self.after);
        texts == (file, &mutant.before, &mutant.after)
    }
}

/// Reads the list of the project in the current folder.
pub(crate) fn read() -> Result<Vec<Known>> {
    let text = fs::read_to_string(FILE).map_err(|error| {
        format!("{FILE}: {error}. Start this tool in the root of the project.")
    })?;
    let mut known = Vec::new();
    for paragraph in text.trim().split("\n\n").skip(1) {
        let entry = parse(paragraph);
        known.push(entry.ok_or(format!("{FILE}: wrong entry:\n{paragraph}"))?);
    }
    Ok(known)
}

fn parse(paragraph: &str) -> Option<Known> {
    let mut lines = paragraph.lines().map(|line| line.trim().to_string());
    let head = lines.next()?;
    let (result, file) = head.split_once(": ")?;
    let [before, after] = [lines.next()?, lines.next()?];
    let survives = result == "survives" && lines.next().is_some();
    let file = file.to_string();
    let known = Known { survives, file, before, after };
    (survives || result == "caught").then_some(known)
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::path::Path;

    use super::*;
    use crate::mutations::mutants;

    /// Promise: Each entry in the list of known kernel mutants names a mutant
    /// that exists.
    #[test]
    fn every_known_mutant_exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
        env::set_current_dir(root.expect("the root")).unwrap();
        for known in read().unwrap() {
            let text = fs::read_to_string(&known.file).unwrap_or_default();
            let mut all = mutants(&text).into_iter();
            let exists = all.any(|it| known.is(&known.file, &it));
            let Known { file, after, .. } = known;
            assert!(exists, "{FILE}: no mutant of {file} is `{after}`");
        }
    }
}
