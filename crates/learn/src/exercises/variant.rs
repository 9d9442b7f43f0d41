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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_what_belongs_together() {
        let draw = |name: &str, from: &[&str]| Draw {
            name: name.to_string(),
            from: from.iter().map(ToString::to_string).collect(),
        };
        let again = Again {
            task: "Multiply by @by@, take @less@ away.".to_string(),
            draw: vec![draw("by", &["2", "3"]), draw("less", &["5", "7"])],
        };
        assert_eq!(again.seeds(), 2);
        assert_eq!(again.variable(1), "by=3 less=7");
        let task = again.filled(&again.task, 4);
        assert_eq!(task, "Multiply by 2, take 5 away.");
        let plain = Again { task: String::new(), draw: vec![] };
        assert_eq!((plain.seeds(), plain.variable(3).as_str()), (1, ""));
    }
}
