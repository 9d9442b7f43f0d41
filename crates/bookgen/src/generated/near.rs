//! Compares results of training with the book, with a tolerance: processors
//! that round differently end with slightly different numbers.

/// The largest allowed difference: 2 of 100 digits, or 2 of 680 pixels.
const TOLERANCE: f64 = 2.0;

/// Returns whether two texts have equal words and similar numbers. A curve may
/// have a different number of points, but must have the same extent.
pub(crate) fn near(found: &str, wanted: &str) -> bool {
    let (words, numbers) = split_numbers(found);
    let (wanted_words, wanted_numbers) = split_numbers(wanted);
    let mut pairs = numbers.iter().zip(&wanted_numbers);
    words == wanted_words && pairs.all(|(a, b)| (a - b).abs() <= TOLERANCE)
}

/// Splits a text into its words, with a `#` for each number, and its numbers.
/// A curve in an SVG contributes only its minimum and maximum along each axis.
fn split_numbers(text: &str) -> (String, Vec<f64>) {
    let mut parts = text.split(" d=\"");
    let (mut words, mut numbers) =
        split_words(parts.next().unwrap_or_default());
    for part in parts {
        let (curve, rest) = part.split_once('"').unwrap_or((part, ""));
        let (_, along) = split_words(curve);
        // Usually, x and y alternate.
        for turn in 0..2 {
            let along = || along.iter().copied().skip(turn).step_by(2);
            numbers.push(along().fold(f64::INFINITY, f64::min));
            numbers.push(along().fold(f64::NEG_INFINITY, f64::max));
        }
        let (more_words, more_numbers) = split_words(rest);
        words += &more_words;
        numbers.extend(more_numbers);
    }
    (words, numbers)
}

/// A single dot is a number, too, because a table may show it for 0.
fn split_words(text: &str) -> (String, Vec<f64>) {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let (mut words, mut numbers) = (String::new(), Vec::new());
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(start) = rest.find(is_part) {
            let (before, tail) = rest.split_at(start);
            let end = tail.find(|c| !is_part(c)).unwrap_or(tail.len());
            words.extend([before, "#"]);
            numbers.push(tail[..end].parse().unwrap_or(0.0));
            rest = &tail[end..];
        }
        words.extend([rest, " "]);
    }
    (words, numbers)
}
