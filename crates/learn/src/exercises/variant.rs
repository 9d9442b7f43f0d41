//! The variants of an exercise, for `cargo learn again`.

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

use crate::terminal::wrap;

/// A variant of an exercise. In its task and changes, `@name@` is replaced by
/// a drawn value.
pub struct Again {
    pub task: String,
    /// Replacements in the exercise's solution: each has an old and a new text.
    change: Vec<Vec<String>>,
    draw: Vec<Draw>,
}

/// The values to draw from. A seed selects the value with that index in each
/// list.
struct Draw {
    name: String,
    from: Vec<String>,
}

impl<'de> Deserialize<'de> for Again {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let again = Again {
            task: row.required("task")?,
            change: row.required("change")?,
            draw: row.optional("draw").unwrap_or_default(),
        };
        row.finalize(None)?;
        Ok(again)
    }
}

impl<'de> Deserialize<'de> for Draw {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let draw =
            Draw { name: row.required("name")?, from: row.required("from")? };
        row.finalize(None)?;
        Ok(draw)
    }
}

impl Again {
    /// Returns the number of seeds with different values.
    pub fn seeds(&self) -> usize {
        self.draw.iter().map(|it| it.from.len()).max().unwrap_or(1).max(1)
    }

    fn drawn(&self, seed: usize) -> impl Iterator<Item = (&str, &str)> {
        self.draw.iter().filter_map(move |Draw { name, from }| {
            let at = seed.checked_rem(from.len())?;
            Some((name.as_str(), from[at].as_str()))
        })
    }

    /// Formats the drawn numbers for the check, which needs no drawn text.
    pub fn variable(&self, seed: usize) -> String {
        let numbers =
            self.drawn(seed).filter(|(_, it)| it.parse::<f32>().is_ok());
        let pairs = numbers.map(|(name, it)| format!("{name}={it}"));
        pairs.collect::<Vec<_>>().join(" ")
    }

    /// Returns the solution of the variant, made from the exercise's solution.
    /// In the comment at its top, the variant's task is before the original
    /// one.
    pub(crate) fn solution(
        &self,
        id: &str,
        solution: &str,
        seed: usize,
    ) -> Result<String, String> {
        let mut text = solution.to_string();
        for change in &self.change {
            let [old, new] = &change[..] else {
                return Err(format!(
                    "a change of the variant has {} texts; it must have two, \
                     the old and the new",
                    change.len()
                ));
            };
            if !text.contains(old.as_str()) {
                return Err(format!(
                    "the variant replaces {old:?}, which is not in the solution"
                ));
            }
            text = text.replace(old.as_str(), &self.substitute(new, seed));
        }
        let task = wrap(&self.substitute(&self.task, seed), 70);
        let task = task.join("\n//        ");
        let task = format!("// WHAT   {task}\n// BEFORE ");
        Ok(text.replacen("// WHAT   ", &task, 1).replacen(
            &format!("learn check {id}"),
            &format!("learn again {id}"),
            1,
        ))
    }

    /// Replaces the placeholders in a text by the drawn values.
    pub(crate) fn substitute(&self, text: &str, seed: usize) -> String {
        self.drawn(seed).fold(text.to_string(), |text, (name, it)| {
            text.replace(&format!("@{name}@"), it)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLUTION: &str = "\
// one: a product.
//
// WHAT   Multiply by ten.
// CHECK  cargo learn check one

out = 10 * a
";

    fn again(change: &str) -> Again {
        let text = format!(
            "task = 'Multiply by @factor@.'\nchange = {change}\n\
             draw = [{{ name = 'factor', from = ['7', '9'] }}, \
             {{ name = 'way', from = ['up', 'and down'] }}]"
        );
        let mut value = toml_span::parse(&text).unwrap();
        Again::deserialize(&mut value).unwrap()
    }

    #[test]
    fn a_variant_is_the_solution_with_its_changes_and_its_task() {
        let variant = "\
// one: a product.
//
// WHAT   Multiply by 9.
// BEFORE Multiply by ten.
// CHECK  cargo learn again one

out = 9 * a
";
        let again = again("[['10 *', '@factor@ *']]");
        assert_eq!(again.solution("one", SOLUTION, 1).unwrap(), variant);
        assert_eq!(again.variable(1), "factor=9");
    }

    #[test]
    fn a_change_that_does_not_fit_is_rejected() {
        let error = |change| again(change).solution("one", SOLUTION, 0);
        let error = |change| error(change).unwrap_err();
        assert!(error("[['11 *', '7 *']]").contains("\"11 *\""));
        assert!(error("[['10 *']]").contains("has 1 texts"));
    }
}
