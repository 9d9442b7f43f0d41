//! Which mutants are planted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::mutant::{Form, Mutant};
use crate::named::Named;
use crate::tree::{self, Planted, Tree};
use crate::words::Words;
use crate::{kernel, rust, say};

/// All mutants there are, the chosen ones first.
pub(crate) struct Sample {
    /// Those that are planted in any case.
    always: Vec<Mutant>,
    rust: Vec<Mutant>,
    kernels: Vec<Mutant>,
    /// How many of the two lists are planted, one or the other.
    count: usize,
}

/// What decides who is planted first: it depends on nothing but the seed and
/// the mutant's own line, so an edit elsewhere leaves it where it stands.
fn rank(seed: u64, mutant: &Mutant, of_equals: usize) -> u64 {
    let Mutant { file, change, code, .. } = mutant;
    let text = format!("{seed}\n{file}\n{change}\n{code}\n{of_equals}");
    // FNV-1a, and then the stirring of SplitMix64: near texts end far apart.
    let mut z = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The smallest rank first. Lines that are equal differ by their place among
/// each other.
fn in_order(seed: u64, all: Vec<Mutant>) -> Vec<Mutant> {
    let mut equals = BTreeMap::new();
    let mut ranked: Vec<(u64, Mutant)> = Vec::new();
    for mutant in all {
        let line = [&mutant.file, &mutant.change, &mutant.code];
        let count = equals.entry(line.map(String::clone)).or_insert(0);
        ranked.push((rank(seed, &mutant, *count), mutant));
        *count += 1;
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, mutant)| mutant).collect()
}

impl Sample {
    pub(crate) fn new(
        root: &Path,
        words: &Words,
        always: &[Named],
        survivors: &[Named],
    ) -> Result<Sample, String> {
        let mut all = Vec::new();
        for file in tree::sources(root, "src", ".rs")? {
            if !file.ends_with("/tests.rs") {
                all.extend(rust::mutants(
                    &file,
                    &tree::read(&root.join(&file))?,
                )?);
            }
        }
        for file in tree::sources(root, "kernels", ".cl")? {
            let text = tree::read(&root.join(&file))?;
            all.extend(kernel::mutants(&file, &text));
        }
        let gone = |named: &&Named| !all.iter().any(|it| named.is(it));
        if let Some(named) = always.iter().find(gone) {
            return Err(format!(
                "planted.txt is stale: nowhere is {}",
                named.sentence()
            ));
        }
        for named in survivors.iter().filter(gone) {
            say(&format!(
                "survivors.txt is stale: nowhere is {}",
                named.sentence()
            ));
        }
        for named in survivors.iter().filter(|it| it.is_of_a_part()) {
            let count = all.iter().filter(|it| named.is(it)).count();
            say(&format!(
                "{count} are left out, {}: {}",
                named.sentence(),
                named.why()
            ));
        }
        let is = |list: &[Named], mutant: &Mutant| {
            list.iter().any(|named| named.is(mutant))
        };
        // What cannot be noticed is no fault, so others are planted instead;
        // whether it really cannot is a run of its own.
        let wanted = |mutant: &Mutant| match (&words.one, &words.only) {
            (Some(one), _) => mutant.name().starts_with(one.as_str()),
            (None, Some(path)) if !mutant.file.starts_with(path.as_str()) => {
                false
            }
            _ if words.explained => {
                let by = |named: &&Named| named.is(mutant);
                let by = survivors.iter().find(by);
                by.is_some_and(|named| !named.is_of_a_part())
            }
            _ => !is(survivors, mutant) || is(always, mutant),
        };
        let mut all = in_order(words.seed, all);
        all.retain(wanted);
        if all.is_empty() {
            return Err("No mutant is there by this name; --list shows all \
                        that --count asks for."
                .into());
        }
        let (always, rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|mutant| is(always, mutant));
        let count = match words.explained {
            true => rest.len(),
            false => words.count.unwrap_or(400),
        };
        let (kernels, rust) =
            rest.into_iter().partition(|it| it.form == Form::Kernel);
        Ok(Sample { always, rust, kernels, count })
    }

    /// The mutants that are tried first, as long as all of them compile. Every
    /// fourth is in a kernel, while there are any of both: so a larger count
    /// has the same ones, and then others.
    pub(crate) fn first(&self) -> Vec<Mutant> {
        let mut first = self.always.clone();
        let (mut rust, mut kernels) = (self.rust.iter(), self.kernels.iter());
        for turn in 1..=self.count {
            let next = match turn % 4 {
                0 => kernels.next().or_else(|| rust.next()),
                _ => rust.next().or_else(|| kernels.next()),
            };
            first.extend(next.cloned());
        }
        first
    }

    /// Plants the mutants, and others instead of those that do not compile.
    pub(crate) fn plant(
        &mut self,
        tree: &Tree,
    ) -> Result<Vec<Planted>, String> {
        for _ in 0..30 {
            let planted: Vec<Planted> = (1..)
                .zip(self.first())
                .map(|(number, mutant)| Planted { number, mutant })
                .collect();
            let map = tree.plant(&planted)?;
            let refused = tree.refused(&map)?;
            if refused.is_empty() {
                return Ok(planted);
            }
            say(&format!("{} do not compile", refused.len()));
            self.drop(&planted, &refused);
        }
        Err("After 30 tries there are still mutants that do not compile."
            .into())
    }

    fn drop(&mut self, planted: &[Planted], refused: &BTreeSet<u32>) {
        let refused = planted.iter().filter(|it| refused.contains(&it.number));
        for Planted { mutant, .. } in refused {
            let other = |it: &Mutant| it.name() != mutant.name();
            self.always.retain(other);
            self.rust.retain(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(seed: u64, text: &str) -> Vec<String> {
        let all = rust::mutants("a.rs", text).unwrap();
        let all = in_order(seed, all).into_iter();
        all.map(|it| format!("{} in {}", it.change, it.code)).collect()
    }

    #[test]
    fn an_edit_moves_no_mutant_of_another_line() {
        let text = "fn f() {\n    a(1 + 2);\n    b < c;\n    a(1 + 2);\n}\n";
        let before = names(1, text);
        let edited = text.replace("    b < c;\n", "    // why\n    b > c;\n");
        let after = names(1, &edited);
        let kept = |names: &[String]| {
            let names = names.iter().filter(|name| !name.contains("b "));
            names.cloned().collect::<Vec<_>>()
        };
        assert_eq!(kept(&before), kept(&after));
        assert_eq!((before.len(), kept(&before).len()), (10, 8));
    }

    #[test]
    fn a_seed_has_an_order_of_its_own_and_equal_lines_differ() {
        let line = "    a(1 + 2 * 3 - 4);\n".repeat(2);
        let text = format!("fn f() {{\n{line}}}\n");
        let [one, two] = [1, 2].map(|seed| names(seed, &text));
        assert_ne!(one, two);
        let all = rust::mutants("a.rs", &text).unwrap();
        let ranks = all.iter().map(|it| rank(1, it, 0));
        let ranks: BTreeSet<u64> = ranks.collect();
        assert_eq!(ranks.len(), all.len() / 2, "equal lines, equal ranks");
        assert_ne!(rank(1, &all[0], 0), rank(1, &all[0], 1));
    }

    #[test]
    fn a_larger_count_begins_with_the_smaller_one() {
        let text = "fn f() { a(1 + 2 * 3 - 4, b < c); }";
        let all = in_order(1, rust::mutants("a.rs", text).unwrap());
        let text = "x = a[i] + 1;\ny = b * 2;\nz = c / 3;";
        let kernels = in_order(1, kernel::mutants("a.cl", text));
        let first = |count| {
            let (rust, kernels) = (all.clone(), kernels.clone());
            let sample = Sample { always: Vec::new(), rust, kernels, count };
            let names = sample.first().into_iter().map(|it| it.name());
            names.collect::<Vec<_>>()
        };
        let most = first(100);
        assert_eq!(most.len(), all.len() + kernels.len());
        for count in 0..most.len() {
            assert_eq!(first(count), most[..count]);
        }
        assert!(most[3].starts_with("a.cl") && most[7].starts_with("a.cl"));
    }
}
