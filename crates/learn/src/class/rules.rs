//! The rules of a class, `class.toml`.

use std::fs;
use std::io::ErrorKind;
use std::time::{SystemTime, UNIX_EPOCH};

use toml_span::de_helpers::TableHelper;
use toml_span::{DeserError, Deserialize, Value};

use crate::checkout::Checkout;
use crate::command::Stop;

#[derive(Default)]
pub(super) struct Rules {
    /// The exercises that are graded.
    pub(super) exercises: Vec<String>,
    /// Whether an exercise that has variants is graded on its variant only.
    pub(super) variants: bool,
    /// The first day on which solutions are shown, as `YYYY-MM-DD`.
    solutions_after: Option<String>,
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize(value: &mut Value<'de>) -> Result<Self, DeserError> {
        let mut row = TableHelper::new(value)?;
        let rules = Rules {
            exercises: row.optional("exercises").unwrap_or_default(),
            variants: row.optional("variants").unwrap_or(false),
            solutions_after: row.optional("solutions_after"),
        };
        row.finalize(None)?;
        Ok(rules)
    }
}

const FILE: &str = "class.toml";

impl Rules {
    /// Reads the rules. Without the file there are none.
    pub(super) fn read(checkout: &Checkout) -> Result<Rules, Stop> {
        let wrong = |why: String| {
            Stop::Failed(format!(
                "{FILE} is not valid: {why}; `cargo learn help class` shows \
                 an example"
            ))
        };
        let text = match fs::read_to_string(checkout.root.join(FILE)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Rules::default());
            }
            Err(error) => return Err(wrong(error.to_string())),
        };
        let mut document =
            toml_span::parse(&text).map_err(|it| wrong(it.to_string()))?;
        let rules = Rules::deserialize(&mut document).map_err(|error| {
            let lines = error.to_string();
            wrong(lines.lines().collect::<Vec<_>>().join(", "))
        })?;
        match &rules.solutions_after {
            Some(day) if !is_day(day) => Err(wrong(format!(
                "solutions_after is {day:?}, and a day is written like \
                 \"2027-02-01\""
            ))),
            _ => Ok(rules),
        }
    }

    /// Returns the day until which the solutions are locked.
    fn locked_until(&self, today: &str) -> Option<&str> {
        let day = self.solutions_after.as_deref()?;
        Some(day).filter(|day| today < *day)
    }
}

/// Fails if the class's rules lock the solutions today.
pub(crate) fn require_unlocked(checkout: &Checkout) -> Result<(), Stop> {
    let rules = Rules::read(checkout)?;
    match rules.locked_until(&day(SystemTime::now())) {
        None => Ok(()),
        Some(day) => Err(Stop::Failed(format!(
            "solutions are locked until {day} by {FILE}; `cargo learn hint` \
             helps until then"
        ))),
    }
}

/// Returns whether a text has the form of `2027-02-01`. Such texts are ordered
/// like the days.
fn is_day(text: &str) -> bool {
    let form = |(at, letter): (usize, char)| match at {
        4 | 7 => letter == '-',
        _ => letter.is_ascii_digit(),
    };
    text.len() == 10
        && text.chars().enumerate().all(form)
        && ("01"..="12").contains(&&text[5..7])
        && ("01"..="31").contains(&&text[8..])
}

/// Returns the day in UTC, counted in the Gregorian calendar.
fn day(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    let mut days = seconds / 86_400;
    let mut year = 1970;
    let is_leap = |year: u64| {
        year.is_multiple_of(4)
            && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    format!("{year:04}-{:02}-{:02}", month + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_converted_to_its_day() {
        let at = |seconds| day(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01");
        assert_eq!(at(951_782_400), "2000-02-29");
        assert_eq!(at(1_801_439_999), "2027-01-31");
        assert_eq!(at(1_801_440_000), "2027-02-01");
    }

    /// Promise: A class's solutions are locked before a day and open from that
    /// day on.
    #[test]
    fn solutions_are_locked_until_their_day() {
        let rules = |day: &str| Rules {
            solutions_after: Some(day.to_string()),
            ..Rules::default()
        };
        let locked = |today| rules("2027-02-01").locked_until(today).is_some();
        assert!(locked("2026-11-27") && locked("2027-01-31"));
        assert!(!locked("2027-02-01") && !locked("2030-01-01"));
        assert_eq!(Rules::default().locked_until("1970-01-01"), None);
        assert!(is_day("2027-02-01"));
        for wrong in ["1.2.2027", "2027-31-01", "2027-12-32", "2027-02-00"] {
            assert!(!is_day(wrong), "{wrong}");
        }
    }
}
