//! The learner's file: its path, the text that this check was compiled from,
//! and what an answer must not contain.

use std::fs;

use crate::report::shown;
use crate::source;
use crate::verdict::{Outcome, wrong};

/// The learner's file of an exercise.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The path of the file.
    pub path: &'static str,
    /// The text that was compiled into this program. `None` for a kernel,
    /// which is read when the check runs.
    pub compiled: Option<&'static str>,
}

/// A kernel, given by its path.
impl From<&'static str> for Answer {
    fn from(path: &'static str) -> Answer {
        Answer { path, compiled: None }
    }
}

/// What an answer must not contain. The solutions are in the same checkout,
/// one `include!` away.
const OTHER_FILES: [&str; 5] =
    ["include!", "include_str!", "include_bytes!", "#[path", "#include"];

impl Answer {
    /// Returns an error message if this program was compiled from a different
    /// text than the file has now.
    ///
    /// Cargo compares only modification times. A file that was moved here or
    /// restored from a backup may be older than the program.
    pub(crate) fn stale_sentence(&self) -> Option<String> {
        let compiled = self.compiled?;
        // A missing file is reported where the check reads it.
        let text = fs::read(self.path).ok()?;
        let place = shown(self.path);
        (text != compiled.as_bytes()).then(|| {
            format!(
                "{place} has changed since this program was compiled, but its \
                 modification time is older, so cargo did not compile it \
                 again. To compile it again: touch {place}"
            )
        })
    }

    /// Rejects an answer that includes code from other files.
    pub(crate) fn is_one_file(&self) -> Outcome {
        // An unreadable file is reported where the check reads it.
        let text = fs::read_to_string(self.path).unwrap_or_default();
        let found = source::first(&text, &OTHER_FILES)
            .or_else(|| source::string_with(&text, "solutions/"));
        let Some((line, words)) = found else { return Ok(()) };
        let place = shown(self.path);
        Err(wrong(format!(
            "{place}:{line} has `{words}`. An answer is one file and uses no \
             other file of the exercises: write the code in {place}."
        )))
    }
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use super::*;
    use crate::verdict::Stop;

    /// Writes a file and returns it as an answer.
    fn answer(name: &str, text: &str) -> Answer {
        let file = format!("answer-{name}-{}", process::id());
        let file = env::temp_dir().join(file);
        fs::write(&file, text).unwrap();
        Answer::from(file.display().to_string().leak() as &'static str)
    }

    #[test]
    fn a_text_other_than_the_compiled_one_is_stale() {
        let file = answer("stale", "fn f() {}\r\n");
        let of = |compiled| {
            Answer { compiled: Some(compiled), ..file }.stale_sentence()
        };
        assert_eq!(of("fn f() {}\r\n"), None);
        assert!(of("fn f() {}\n").unwrap().contains("To compile it again"));
        assert_eq!(
            file.stale_sentence(),
            None,
            "a kernel is read when the check runs"
        );
        fs::remove_file(file.path).unwrap();
        assert_eq!(of("fn f() {}\n"), None, "there is no file");
    }

    /// Promise: An answer is one file and includes no other file.
    #[test]
    fn an_answer_is_one_file() {
        let rejected = |text: &str| {
            let file = answer("one-file", text);
            let outcome = file.is_one_file();
            fs::remove_file(file.path).unwrap();
            match outcome {
                Ok(()) => None,
                Err(Stop::Wrong { words, .. }) => Some(words),
                Err(other) => panic!("{other:?}"),
            }
        };
        for text in [
            "include!(\"../solutions/part1_cpu/mul_rule.rs\");",
            "\nstd::include_str!(\"a.cl\")",
            "#[path = \"other.rs\"]\nmod other;",
            "#include \"other.cl\"",
            "std::fs::read_to_string(\"exercises/solutions/a.cl\")",
        ] {
            let words = rejected(text).expect(text);
            assert!(words.contains("An answer is one file"), "{words}");
        }
        assert!(rejected("\ninclude!(\"a.rs\");").unwrap().contains(":2 has"));
        for text in [
            "// include!(\"a.rs\"), as in exercises/solutions/",
            "let path = include(a);",
            "#define N 3",
        ] {
            assert_eq!(rejected(text), None, "{text}");
        }
    }
}
