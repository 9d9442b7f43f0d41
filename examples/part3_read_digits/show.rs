//! Prints the values of the network as text.

use rungrad::data::Dataset;

use super::Seen;

const CELLS: usize = 24;
const SHOWN: usize = 4;

/// Formats a row of pixels with two characters each, so that they are square.
fn line(pixels: &[f32], times: usize) -> String {
    let shades: Vec<char> = " .:-=+*#%@".chars().collect();
    let shade = |pixel: &f32| shades[(pixel * 9.0).round() as usize];
    let shades = pixels.iter().map(shade);
    shades.flat_map(|shade| std::iter::repeat_n(shade, times)).collect()
}

/// Formats digits side by side, five in a row, with the prediction below each.
pub(crate) fn digits(digits: &Dataset, read: &[usize]) -> String {
    let mut text = String::new();
    for from in (0..digits.rows()).step_by(5) {
        let row: Vec<usize> = (from..digits.rows().min(from + 5)).collect();
        for at in 0..8 {
            let part =
                |&digit: &usize| line(&digits.row(digit)[at * 8..][..8], 1);
            let parts = row.iter().map(part).collect::<Vec<_>>().join("    ");
            text += &format!("    {}\n", parts).replace(" \n", "\n");
        }
        let told = |&digit: &usize| format!("read as {:<4}", read[digit]);
        let told: String = row.iter().map(told).collect();
        text += &format!("    {}\n\n", told.trim_end());
    }
    trimmed(&text)
}

/// Computes the softmax of the scores.
pub(crate) fn shares(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let parts: Vec<f32> = scores.iter().map(|s| (s - most).exp()).collect();
    let whole: f32 = parts.iter().sum();
    parts.into_iter().map(|part| part / whole).collect()
}

/// Formats a digit next to its ten scores and probabilities.
pub(crate) fn digit_beside_scores(digit: &[f32], scores: &[f32]) -> String {
    let shares = shares(scores);
    let mut text = String::new();
    for (at, (score, share)) in scores.iter().zip(shares).enumerate() {
        let pixels = digit.chunks(8).nth(at).unwrap_or(&[0.0; 8]);
        let bar = "=".repeat((share * CELLS as f32).round() as usize);
        text += &format!(
            "    {}    {at}  score {score:>6.1}  {:>5.1} %  {bar}\n",
            line(pixels, 2),
            100.0 * share,
        );
    }
    trimmed(&text)
}

/// Formats the filters with the strongest responses, and their feature maps
/// below: digits from 1 to 9 are ninths of the strongest response of all.
pub(crate) fn filters(seen: &Seen) -> String {
    let (side, maps) = seen.maps(0);
    let sum = |filter: &usize| maps[*filter].iter().sum::<f32>();
    let mut order: Vec<usize> = (0..maps.len()).collect();
    order.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    order.truncate(SHOWN);
    let most = maps.concat().into_iter().fold(1e-6, f32::max);
    let mut text = String::new();
    for row in 0..3 {
        for filter in &order {
            let numbers = seen.filters[filter * 9 + row * 3..][..3].iter();
            let numbers: String =
                numbers.map(|number| format!("{number:>6.2}")).collect();
            text += &format!("{numbers:<19}");
        }
        text += "\n";
    }
    for row in 0..side {
        text += "\n";
        for filter in &order {
            let numbers = maps[*filter][row * side..][..side].iter();
            let numbers: String = numbers
                .map(|number| match (number / most * 9.0).round() {
                    0.0 => " .".to_string(),
                    ninths => format!(" {ninths}"),
                })
                .collect();
            text += &format!("  {numbers:<17}");
        }
    }
    trimmed(&(text + "\n"))
}

/// Removes spaces at the ends of lines.
fn trimmed(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
