//! Questions about a number that a program prints, to be answered before one
//! looks: the table `exercises/predictions.toml`.
//!
//! The table has no answers. It says where in the output of a program the
//! number stands, and the output is made by the program, so no answer can go
//! stale. `crates/bookgen/` makes the questions on the pages from the same rows.

use std::fmt::Display;

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

/// A question, and where its answer stands.
pub struct Prediction {
    /// The name that never changes.
    pub id: String,
    /// The file of its page, below `book/src/`.
    pub chapter: String,
    /// The output, below `book/listings/`.
    pub listing: String,
    place: Place,
    /// How far from the number an answer may lie, as a factor.
    factor: f64,
    pub question: String,
    /// Why it is that number.
    pub why: String,
    pub wrong: Vec<Guess>,
}

/// Where in an output a number stands.
struct Place {
    /// Words of its line.
    line: String,
    /// Which of the lines that have these words, counted from 1.
    nth: usize,
    /// Which of the numbers of that line, counted from 1.
    number: usize,
}

/// A number that many would say, and why it is another.
pub struct Guess {
    pub guess: String,
    pub because: String,
}

/// The number of an output: as it is printed there, and what it is.
#[derive(Debug, PartialEq)]
pub struct Found<'a> {
    pub shown: &'a str,
    pub is: f64,
    /// The line that has it.
    pub line: &'a str,
}

impl<'de> Deserialize<'de> for Prediction {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let prediction = Prediction {
            id: row.required("id")?,
            chapter: row.required("chapter")?,
            listing: row.required("listing")?,
            place: Place {
                line: row.required("line")?,
                nth: row.optional("nth").unwrap_or(1),
                number: row.required("number")?,
            },
            factor: row.optional("factor").unwrap_or(1.0),
            question: row.required("question")?,
            why: row.required("why")?,
            wrong: row.required("wrong")?,
        };
        row.finalize(None)?;
        Ok(prediction)
    }
}

impl<'de> Deserialize<'de> for Guess {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let guess = Guess {
            guess: row.required("guess")?,
            because: row.required("because")?,
        };
        row.finalize(None)?;
        Ok(guess)
    }
}

/// Reads the table.
pub fn read(text: &str) -> Result<Vec<Prediction>, String> {
    let mut document = toml_span::parse(text).map_err(in_a_line)?;
    let mut table = TableHelper::new(&mut document).map_err(in_a_line)?;
    let rows = table.required("prediction").map_err(in_a_line)?;
    table.finalize(None).map_err(in_a_line)?;
    Ok(rows)
}

fn in_a_line(error: impl Display) -> String {
    error.to_string().lines().collect::<Vec<_>>().join(", ")
}

impl Prediction {
    /// Finds the number in what the program prints.
    pub fn answer<'a>(&self, output: &'a str) -> Result<Found<'a>, String> {
        let Place { line, nth, number } = &self.place;
        let words = in_single_spaces(line);
        let lines = split(output).1.into_iter();
        let mut of = lines.filter(|it| in_single_spaces(it).contains(&words));
        let found = of.nth(nth.saturating_sub(1)).ok_or_else(|| {
            format!("{} has no line {nth} with {line:?}", self.listing)
        })?;
        let mut numbers = numbers(found);
        let shown = numbers.nth(number.saturating_sub(1)).ok_or_else(|| {
            format!("{} has no number {number} in {found:?}", self.listing)
        })?;
        let is = value(shown).ok_or_else(|| format!("{shown} is no number"))?;
        Ok(Found { shown, is, line: found })
    }

    /// Tells whether an answer is near enough.
    pub fn is_right(&self, answer: f64, right: f64) -> bool {
        if self.factor <= 1.0 {
            return (answer - right).abs() <= 1e-6 * right.abs();
        }
        let ratio = answer / right;
        (1.0 / self.factor..=self.factor).contains(&ratio)
    }

    /// Says why an answer that many give is not the number.
    pub fn reason(&self, answer: f64) -> Option<&str> {
        let is = |it: &&Guess| {
            value(&it.guess)
                .is_some_and(|it| (it - answer).abs() <= 1e-3 * it.abs())
        };
        self.wrong.iter().find(is).map(|it| it.because.as_str())
    }
}

/// Splits a listing into the command, which may go over several lines, and the
/// lines of the output.
pub fn split(listing: &str) -> (String, Vec<&str>) {
    let mut command = String::new();
    let mut lines = listing.lines();
    for line in lines.by_ref() {
        let goes_on = line.trim_end().strip_suffix('\\');
        command += goes_on.unwrap_or(line);
        if goes_on.is_none() {
            break;
        }
    }
    let command = in_single_spaces(command.trim_start_matches("$ "));
    (command, lines.collect())
}

fn in_single_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads a number as a reader may type it.
pub fn value(text: &str) -> Option<f64> {
    let number: f64 = text.trim().replace(',', "").parse().ok()?;
    number.is_finite().then_some(number)
}

/// Lists the numbers of a line. Digits of a name, as in `part1`, are none.
fn numbers(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    let mut before = ' ';
    std::iter::from_fn(move || {
        loop {
            let letter = rest.chars().next()?;
            let end = number(rest);
            let is_new = !(before.is_alphanumeric() || before == '_');
            if let Some(end) = end.filter(|_| is_new) {
                let (found, behind) = rest.split_at(end);
                before = '0';
                rest = behind;
                return Some(found);
            }
            before = letter;
            rest = &rest[letter.len_utf8()..];
        }
    })
}

/// Finds the end of the number that a text begins with.
fn number(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let digit = |it: &&u8| it.is_ascii_digit();
        from + bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(digit)
            .count()
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut end = digits(start);
    if end == start {
        return None;
    }
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if bytes.get(end) == Some(&b'e') {
        let sign = usize::from(bytes.get(end + 1) == Some(&b'-'));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "
[[prediction]]
id = 'second'
chapter = 'one.md'
listing = 'one.out'
line = 'b: grad'
nth = 2
number = 2
question = 'How many?'
why = 'It is so.'
wrong = [{ guess = '12', because = 'That is the first.' }]
";
    const OUTPUT: &str =
        "$ cargo run b: grad 1 1\nb:  grad [3, 12]\nb: grad [4, -2.5e-3]\n";

    #[test]
    fn the_answer_is_what_the_program_prints() {
        let rows = read(TABLE).unwrap();
        let found = rows[0].answer(OUTPUT).unwrap();
        assert_eq!((found.shown, found.is), ("-2.5e-3", -0.0025));
        assert_eq!(found.line, "b: grad [4, -2.5e-3]");
        assert!(rows[0].is_right(-0.0025, found.is));
        assert!(!rows[0].is_right(-0.0026, found.is));
        assert_eq!(rows[0].reason(12.0), Some("That is the first."));
        assert_eq!(rows[0].reason(13.0), None);
    }

    #[test]
    fn a_long_command_is_no_output() {
        let listing = "$ cargo run \\\n    b: grad 1\nb: grad 2\n";
        let (command, lines) = split(listing);
        assert_eq!(command, "cargo run b: grad 1");
        assert_eq!(lines, ["b: grad 2"]);
    }

    #[test]
    fn a_factor_leaves_room_on_both_sides() {
        let table = TABLE.replace("nth = 2", "factor = 2.0");
        let row = &read(&table).unwrap()[0];
        for (answer, is_right) in
            [(7.0, true), (20.0, true), (5.0, false), (25.0, false)]
        {
            assert_eq!(row.is_right(answer, 12.0), is_right, "{answer}");
        }
    }

    #[test]
    fn a_place_that_is_gone_is_a_sentence() {
        let row = &read(TABLE).unwrap()[0];
        let error = row.answer("$ run\nb: grad [3, 12]\n").unwrap_err();
        assert!(error.contains("no line 2"), "{error}");
        let error = row.answer("$ run\nb: grad 1\nb: grad 1\n").unwrap_err();
        assert!(error.contains("no number 2"), "{error}");
        assert!(read(&TABLE.replace("why", "whys")).is_err());
    }

    #[test]
    fn digits_of_a_name_are_no_number() {
        let of = |line| numbers(line).collect::<Vec<_>>();
        assert_eq!(of("matmul3_tiled 64.00 x2 1e-5"), ["64.00", "1e-5"]);
        assert_eq!(
            of("[0.0, 1.875], -3 3-4 5. 1,000"),
            ["0.0", "1.875", "-3", "3", "4", "5", "1", "000"]
        );
    }
}
