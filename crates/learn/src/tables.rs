//! The questions with choices, `book/questions.toml`, and the misconceptions,
//! `exercises/misconceptions.toml`.

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

/// A question of the section "Check yourself" of a chapter.
pub struct Question {
    /// The page of the question, below `book/src/`.
    pub chapter: String,
    pub question: String,
    pub choices: Vec<Choice>,
}

pub struct Choice {
    pub text: String,
    pub is_right: bool,
    /// Explains why the choice is right or wrong.
    pub reason: String,
}

pub struct Misconception {
    pub id: String,
    pub area: String,
    /// The misconception in a learner's words.
    pub belief: String,
    /// The correction.
    pub fact: String,
    /// Known wrong answers that show it, as `ID/NAME`.
    pub answers: Vec<String>,
}

impl<'de> Deserialize<'de> for Question {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let question = Question {
            chapter: row.required("chapter")?,
            question: row.required("question")?,
            choices: row.required("choices")?,
        };
        row.finalize(None)?;
        Ok(question)
    }
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let choice = Choice {
            text: row.required("text")?,
            is_right: row.optional("right").unwrap_or(false),
            reason: row.required("reason")?,
        };
        row.finalize(None)?;
        Ok(choice)
    }
}

impl<'de> Deserialize<'de> for Misconception {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let misconception = Misconception {
            id: row.required("id")?,
            area: row.required("area")?,
            belief: row.required("belief")?,
            fact: row.required("fact")?,
            answers: row.required("answers")?,
        };
        row.finalize(None)?;
        Ok(misconception)
    }
}

/// Reads the rows with a name from the text of a table.
pub fn rows<T>(text: &str, name: &'static str) -> Result<Vec<T>, String>
where
    for<'de> T: Deserialize<'de>,
{
    let mut document = toml_span::parse(text).map_err(|it| it.to_string())?;
    let rows = TableHelper::new(&mut document)
        .and_then(|mut table| Ok(table.required(name)?));
    rows.map_err(|error: DeserError| error.to_string())
}

/// Returns a text of a table as HTML. Text between backticks is code.
pub fn html(text: &str) -> String {
    let text = escaped(text);
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(i, part)| match i % 2 {
        0 => part.to_string(),
        _ => format!("<code>{part}</code>"),
    });
    parts.collect()
}

/// Escapes text for HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
