//! The course's table of exercises, `exercises/exercises.toml`.

use std::fs;

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

use crate::checkout::Checkout;
use crate::command::Stop;

/// One row of the table.
pub(crate) struct Exercise {
    /// The name that never changes.
    pub(crate) id: String,
    pub(crate) title: String,
}

impl<'de> Deserialize<'de> for Exercise {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let exercise =
            Exercise { id: row.required("id")?, title: row.required("title")? };
        row.finalize(Some(value))?;
        Ok(exercise)
    }
}

/// All exercises in the order of the course; none when there is no table.
pub(crate) fn exercises(checkout: &Checkout) -> Result<Vec<Exercise>, Stop> {
    let file = checkout.root.join("exercises/exercises.toml");
    if !file.exists() {
        return Ok(Vec::new());
    }
    let unreadable = |why: String| {
        let place = checkout.shown(&file);
        Stop::Failed(format!(
            "cannot read {place}: {why}; `git checkout {place}` brings it back"
        ))
    };
    let text =
        fs::read_to_string(&file).map_err(|it| unreadable(it.to_string()))?;
    read(&text).map_err(unreadable)
}

fn read(text: &str) -> Result<Vec<Exercise>, String> {
    let mut document = toml_span::parse(text).map_err(|it| it.to_string())?;
    let mut table =
        TableHelper::new(&mut document).map_err(|it| it.to_string())?;
    let rows = table.required("exercise").map_err(|it| it.to_string())?;
    Ok(rows)
}
