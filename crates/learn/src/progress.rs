//! The learner's progress: a small text file in the checkout, ignored by git.
//! Its keys never change.

use std::collections::BTreeMap;
use std::fs;

use crate::checkout::{Checkout, replace};
use crate::command::Stop;
use crate::terminal::say;

const NAME: &str = "progress";

const HEADER: &str = "# The progress of `cargo learn`, one line for each \
                      thing: its kind, its id, its state.\n";

/// The states by kind and id, as in `exercise p1_mul solved`.
pub(crate) struct Progress<'a> {
    pub(crate) checkout: &'a Checkout,
    states: BTreeMap<(String, String), String>,
    /// The number of unreadable lines. They are dropped when the file is
    /// saved.
    pub(crate) damaged: usize,
}

impl Progress<'_> {
    /// Reads the file. A missing file is empty progress; of a damaged file,
    /// only the unreadable lines are lost.
    pub(crate) fn load(checkout: &Checkout) -> Progress<'_> {
        let file = checkout.state_folder().join(NAME);
        let bytes = fs::read(file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut states = BTreeMap::new();
        let mut damaged = 0;
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|it| !it.is_empty() && !it.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [kind, id, state] if words.iter().all(|it| is_word(it)) => {
                    let key = (kind.to_string(), id.to_string());
                    states.insert(key, state.to_string());
                }
                _ => damaged += 1,
            }
        }
        Progress { checkout, states, damaged }
    }

    pub(crate) fn get(&self, kind: &str, id: &str) -> Option<&str> {
        let key = (kind.to_string(), id.to_string());
        self.states.get(&key).map(String::as_str)
    }

    pub(crate) fn set(&mut self, kind: &str, id: &str, state: &str) {
        debug_assert!([kind, id, state].iter().all(|it| is_word(it)));
        let key = (kind.to_string(), id.to_string());
        self.states.insert(key, state.to_string());
    }

    /// Reads the file again, changes it and saves it, under a lock, because
    /// another companion may have saved in the meantime.
    pub(crate) fn update(
        checkout: &Checkout,
        with: impl FnOnce(&mut Progress),
    ) -> Result<(), Stop> {
        let _alone = checkout.lock(NAME);
        let mut progress = Progress::load(checkout);
        with(&mut progress);
        progress.save()
    }

    /// Like [`Progress::update`], but a failure to save is only printed,
    /// because the command itself succeeded.
    pub(crate) fn update_or_warn(
        checkout: &Checkout,
        with: impl FnOnce(&mut Progress),
    ) {
        if let Err(stop) = Progress::update(checkout, with) {
            let why = stop.sentence().unwrap_or_default();
            say!("Note: your progress was not saved: {why}.");
        }
    }

    /// Replaces the file.
    fn save(&self) -> Result<(), Stop> {
        let mut text = HEADER.to_string();
        for ((kind, id), state) in &self.states {
            text += &format!("{kind} {id} {state}\n");
        }
        let file = self.checkout.state_folder().join(NAME);
        replace(&file, text.as_bytes())
    }
}

fn is_word(text: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !text.is_empty() && text.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a checkout in an empty temporary folder.
    fn checkout(name: &str) -> Checkout {
        let root = std::env::temp_dir()
            .join(format!("rungrad-progress-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join(".learn")).unwrap();
        let (target, exercises) = (root.join("target"), root.join("exercises"));
        Checkout { root, target, exercises }
    }

    /// Promise: A damaged progress file loses only the damaged lines.
    #[test]
    fn readable_lines_of_a_damaged_file_are_kept() {
        let checkout = checkout("damaged");
        let file = checkout.root.join(".learn/progress");
        let text = b"exercise p1_mul solved\n\xff\xfe\x00 x\nexercise half\n";
        fs::write(file, text).unwrap();
        let mut progress = Progress::load(&checkout);
        assert_eq!(progress.damaged, 2);
        progress.set("hint", "p1_mul", "2");
        progress.save().unwrap();
        let again = Progress::load(&checkout);
        assert_eq!(again.get("exercise", "p1_mul"), Some("solved"));
        assert_eq!(again.get("hint", "p1_mul"), Some("2"));
        assert_eq!(again.get("exercise", "half"), None);
        assert_eq!(again.damaged, 0);
        fs::remove_dir_all(checkout.root).unwrap();
    }

    /// The lines before the first damage are unchanged.
    ///
    /// Promise: A damaged progress file is read as far as possible and can be
    /// saved again.
    #[test]
    fn any_damaged_file_can_be_read_and_saved_again() {
        use testkit::damage::damaged;
        use testkit::random::{Random, cases, first_seed};

        let checkout = checkout("anyhow");
        let file = checkout.root.join(".learn/progress");
        let mut text = HEADER.to_string();
        for id in 0..20 {
            text += &format!("exercise p{id} solved\n");
        }
        for seed in first_seed()..first_seed() + cases(300) {
            let bytes = damaged(text.as_bytes(), &mut Random(seed));
            fs::write(&file, &bytes).unwrap();
            let pairs = bytes.iter().zip(text.as_bytes());
            let same = pairs.take_while(|(a, b)| a == b).count();
            let whole = text[..same].rfind('\n').map_or("", |at| &text[..at]);
            let progress = Progress::load(&checkout);
            for line in whole.lines().skip(1) {
                let id = line.split(' ').nth(1).unwrap();
                let known = progress
                    .states
                    .contains_key(&("exercise".to_string(), id.to_string()));
                assert!(known, "seed {seed}: {id} is lost");
            }
            progress.save().unwrap();
            let again = Progress::load(&checkout);
            assert_eq!(again.states, progress.states, "seed {seed}");
            assert_eq!(again.damaged, 0, "seed {seed}");
        }
        fs::remove_dir_all(checkout.root).unwrap();
    }
}
