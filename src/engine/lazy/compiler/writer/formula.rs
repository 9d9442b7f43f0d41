//! The formulas of elementwise operations in generated kernels.

/// The functions that formulas call.
const FUNCTIONS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/kernels/engine/elementwise.cl"
));

/// The formula of an elementwise operation, in terms of `x`, `y`, `z` and a
/// scalar `p`. It is the text from which the operation's own kernel is made,
/// so that both compute the same.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    pub(super) name: &'static str,
    formula: &'static str,
}

impl Formula {
    /// Selects `y` if `x` is not 0, and `z` otherwise.
    pub const CHOICE: Formula = Formula::new("where", "x != 0.0f ? y : z");

    /// Creates the formula of an operation.
    pub const fn new(name: &'static str, formula: &'static str) -> Formula {
        Formula { name, formula }
    }

    /// Returns the formula with its variables replaced by `arguments` and
    /// `number`.
    pub(super) fn with(
        &self,
        arguments: &[String],
        number: Option<&str>,
    ) -> String {
        // A factor of -1 becomes a sign, so that no multiplication is left.
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

    /// Returns the definition of the function that the formula calls, unless it
    /// is a function of OpenCL C.
    pub(super) fn functions(&self) -> Option<String> {
        let (name, _) = self.formula.split_once('(')?;
        let start = FUNCTIONS.find(&format!("\nACC {name}("))? + 1;
        let length = FUNCTIONS[start..].find("\n}\n")? + 3;
        let text = &FUNCTIONS[start..start + length];
        Some(replaced(text, |word| (word == "ACC").then(|| "float".to_owned())))
    }
}

/// Replaces words of a text; `with` returns `None` for a word that stays.
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

/// Returns whether a text contains a word.
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
    fn a_factor_of_minus_1_is_a_sign() {
        let formula = Formula::new("scale", "x * p");
        let with = |number| formula.with(&["a".to_owned()], Some(number));
        assert_eq!(with("(-1.0f)"), "-a");
        assert_eq!(with("2.0f"), "a * 2.0f");
    }
}
