//! What comes out of training is near what stands in the book: a processor
//! that rounds elsewhere ends elsewhere, by a little.

/// How far apart two numbers may be: 2 of 100 digits, 2 of 680 pixels.
const APART: f64 = 2.0;

/// Whether two texts have the same words and numbers that are near. A curve
/// may have more points or fewer, but must reach as far.
pub(crate) fn near(found: &str, wanted: &str) -> bool {
    let (words, numbers) = taken_apart(found);
    let (wanted_words, wanted_numbers) = taken_apart(wanted);
    let mut pairs = numbers.iter().zip(&wanted_numbers);
    words == wanted_words && pairs.all(|(a, b)| (a - b).abs() <= APART)
}

/// The words of a text, with a `#` for each number, and the numbers. Of a
/// curve in an SVG there are the least and the largest along each axis.
fn taken_apart(text: &str) -> (String, Vec<f64>) {
    let mut parts = text.split(" d=\"");
    let (mut words, mut numbers) = plain(parts.next().unwrap_or_default());
    for part in parts {
        let (curve, rest) = part.split_once('"').unwrap_or((part, ""));
        let (_, along) = plain(curve);
        // Mostly x and y take turns.
        for turn in 0..2 {
            let along = || along.iter().copied().skip(turn).step_by(2);
            numbers.push(along().fold(f64::INFINITY, f64::min));
            numbers.push(along().fold(f64::NEG_INFINITY, f64::max));
        }
        let (more_words, more_numbers) = plain(rest);
        words += &more_words;
        numbers.extend(more_numbers);
    }
    (words, numbers)
}

/// A dot alone is a number too: a table may show it for 0.
fn plain(text: &str) -> (String, Vec<f64>) {
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
