//! Writes JSON.

use std::fmt::{self, Display, Formatter};

/// A JSON value.
pub(crate) enum Json {
    Text(String),
    Number(f64),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
    Null,
}

impl Json {
    pub(crate) fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    fn write(&self, out: &mut Formatter, indent: usize) -> fmt::Result {
        let line = |out: &mut Formatter, indent: usize| {
            write!(out, "\n{}", "  ".repeat(indent))
        };
        match self {
            Json::Null => write!(out, "null"),
            Json::Number(number) => write!(out, "{number}"),
            Json::Text(text) => write!(out, "{}", quoted(text)),
            Json::List(values) if values.is_empty() => write!(out, "[]"),
            Json::List(values) => {
                write!(out, "[")?;
                for (at, value) in values.iter().enumerate() {
                    write!(out, "{}", if at > 0 { "," } else { "" })?;
                    line(out, indent + 1)?;
                    value.write(out, indent + 1)?;
                }
                line(out, indent)?;
                write!(out, "]")
            }
            Json::Object(fields) => {
                write!(out, "{{")?;
                for (at, (name, value)) in fields.iter().enumerate() {
                    write!(out, "{}", if at > 0 { "," } else { "" })?;
                    line(out, indent + 1)?;
                    write!(out, "{}: ", quoted(name))?;
                    value.write(out, indent + 1)?;
                }
                line(out, indent)?;
                write!(out, "}}")
            }
        }
    }
}

impl Display for Json {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        self.write(out, 0)
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '\n' => quoted += "\\n",
            letter if letter.is_control() => {
                quoted += &format!("\\u{:04x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_read_back_as_it_was() {
        let text = "a \"b\" \\ \n\t\u{1b} ü \u{7f}";
        let json = Json::Object(vec![
            ("text", Json::text(text)),
            ("list", Json::List(vec![Json::Number(0.5), Json::Null])),
            ("none", Json::List(vec![])),
        ]);
        let read: serde_json::Value =
            serde_json::from_str(&json.to_string()).unwrap();
        assert_eq!(read["text"], text);
        assert_eq!(read["list"][0], 0.5);
        assert!(read["list"][1].is_null() && read["none"].is_array());
    }
}
