//! What an operation computes, taken from the line of its kernel.

use super::super::source::Kernel;

/// What an operation computes of `x`, `y`, `z` and a number `p`: the right
/// side of the line that makes its kernel, so that both compute the same.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    pub(super) name: &'static str,
    formula: &'static str,
    file: &'static str,
}

impl Formula {
    /// The choice between two numbers by a third.
    pub const CHOICE: Formula =
        Formula { name: "where", formula: "x != 0.0f ? y : z", file: "" };

    /// Finds the formula in the text of a kernel that one line makes.
    pub fn of(kernel: &Kernel) -> Option<Formula> {
        let file = kernel.text();
        let start = format!("ARY({}, ", kernel.name());
        let (_, rest) = file.split_once(&start)?;
        let formula = rest.split_once(")\n")?.0;
        let name = kernel.name().split_once('_')?.1;
        Some(Formula { name, formula, file })
    }

    /// Writes it with these for its letters.
    pub(super) fn with(
        &self,
        arguments: &[String],
        number: Option<&str>,
    ) -> String {
        // The sign goes into the operation that takes the product.
        if (self.formula, number) == ("x * p", Some("(-1.0f)")) {
            return format!("-{}", arguments[0]);
        }
        replaced(self.formula, |word| match word {
            "x" => arguments.first().cloned(),
            "y" => arguments.get(1).cloned(),
            "z" => arguments.get(2).cloned(),
            "p" => number.map(str::to_owned),
            "ACC" => Some("float".to_owned()),
            _ => None,
        })
    }

    /// Finds the functions of its file that it calls.
    pub(super) fn functions(&self) -> Option<String> {
        let (name, _) = self.formula.split_once('(')?;
        let start = self.file.find(&format!("\nACC {name}("))? + 1;
        let length = self.file[start..].find("\n}\n")? + 3;
        let text = &self.file[start..start + length];
        Some(replaced(text, |word| (word == "ACC").then(|| "float".to_owned())))
    }
}

/// Replaces some words of a text.
pub(super) fn replaced(
    text: &str,
    with: impl Fn(&str) -> Option<String>,
) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end.max(1));
        out.push_str(&with(word).unwrap_or_else(|| word.to_owned()));
        rest = behind;
    }
    out
}

/// Says whether a word stands in a text.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let found = std::cell::Cell::new(false);
    replaced(text, |it| {
        found.set(found.get() || it == word);
        None
    });
    found.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_turned_around_has_a_sign_and_no_factor() {
        let formula = Formula { name: "scale", formula: "x * p", file: "" };
        let with = |number| formula.with(&["a".to_owned()], Some(number));
        assert_eq!(with("(-1.0f)"), "-a");
        assert_eq!(with("2.0f"), "a * 2.0f");
    }
}
