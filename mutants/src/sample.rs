//! Which mutants are planted.

use std::collections::{BTreeSet, VecDeque};
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
    rust: VecDeque<Mutant>,
    kernels: VecDeque<Mutant>,
    /// How many of the two queues are planted.
    of_rust: usize,
    of_kernels: usize,
}

/// SplitMix64: a counter, stirred.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, (self.bits() % (last as u64 + 1)) as usize);
        }
    }
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
            _ if words.explained => is(survivors, mutant),
            _ => !is(survivors, mutant) || is(always, mutant),
        };
        all.retain(wanted);
        if all.is_empty() {
            return Err("No mutant is there by this name; --list shows all \
                        that --count asks for."
                .into());
        }
        let mut random = Random(words.seed);
        random.shuffle(&mut all);
        let (always, rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|mutant| is(always, mutant));
        let (kernels, rust): (VecDeque<_>, VecDeque<_>) =
            rest.into_iter().partition(|it| it.form == Form::Kernel);
        let count = match words.explained {
            true => rust.len() + kernels.len(),
            false => words.count,
        };
        // A quarter of them in kernels, if there are enough of both.
        let of_kernels = (count / 4)
            .max(count.saturating_sub(rust.len()))
            .min(kernels.len());
        let of_rust = count - of_kernels.min(count);
        Ok(Sample { always, rust, kernels, of_rust, of_kernels })
    }

    /// The mutants that are tried first, as long as all of them compile.
    pub(crate) fn first(&self) -> Vec<Mutant> {
        let rust = self.rust.iter().take(self.of_rust);
        let kernels = self.kernels.iter().take(self.of_kernels);
        self.always.iter().chain(rust).chain(kernels).cloned().collect()
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
