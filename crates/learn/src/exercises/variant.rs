//! What varies in an exercise that can be done again.

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

/// A variant of an exercise. In its task and in its solution `@name@` stands
/// for what is drawn.
pub struct Again {
    pub task: String,
    draw: Vec<Draw>,
}

/// Values of which a seed chooses one. Those of one seed belong together.
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
    /// Counts the seeds that draw something else.
    pub fn seeds(&self) -> usize {
        self.draw.iter().map(|it| it.from.len()).max().unwrap_or(1).max(1)
    }

    fn drawn(&self, seed: usize) -> impl Iterator<Item = (&str, &str)> {
        self.draw.iter().filter_map(move |Draw { name, from }| {
            let at = seed.checked_rem(from.len())?;
            Some((name.as_str(), from[at].as_str()))
        })
    }

    /// Writes what is drawn as a check reads it.
    pub fn variable(&self, seed: usize) -> String {
        let pairs = self.drawn(seed).map(|(name, it)| format!("{name}={it}"));
        pairs.collect::<Vec<_>>().join(" ")
    }

    /// Puts what is drawn into a text.
    pub(crate) fn filled(&self, text: &str, seed: usize) -> String {
        self.drawn(seed).fold(text.to_string(), |text, (name, it)| {
            text.replace(&format!("@{name}@"), it)
        })
    }
}
