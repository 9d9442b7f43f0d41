//! The variants of an exercise, for `cargo learn again`.

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

/// A variant of an exercise. In its task and solution, `@name@` is replaced by
/// a drawn value.
pub struct Again {
    pub task: String,
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

    /// Formats the drawn values for the check.
    pub fn variable(&self, seed: usize) -> String {
        let pairs = self.drawn(seed).map(|(name, it)| format!("{name}={it}"));
        pairs.collect::<Vec<_>>().join(" ")
    }

    /// Replaces the placeholders in a text by the drawn values.
    pub(crate) fn substitute(&self, text: &str, seed: usize) -> String {
        self.drawn(seed).fold(text.to_string(), |text, (name, it)| {
            text.replace(&format!("@{name}@"), it)
        })
    }
}
