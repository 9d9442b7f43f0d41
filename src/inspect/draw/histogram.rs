//! Histograms of tensor values as SVG.

use std::fmt::Write;

use super::plain_head;
use super::svg::{VALUE, escape};

const WIDTH: f64 = 440.0;
/// The height of a histogram, including the gap to the next.
const ROW_HEIGHT: f64 = 86.0;
/// The height of the text above the bars.
const TEXT_HEIGHT: f64 = 24.0;
/// The horizontal range of the bars, and their maximum height.
const LEFT: f64 = 10.0;
const RIGHT: f64 = 430.0;
const MAX_BAR_HEIGHT: f64 = 34.0;
const BARS: usize = 40;

/// Draws one histogram per tensor, one below the other, as SVG. Each has its
/// own axis, which is symmetric around 0 and reaches to the largest absolute
/// value. Above it are the root mean square, the percentage of zeros, and
/// the number of infinite or NaN values. `name` is the prefix of the title's
/// id; screen readers read the title.
pub fn histograms<'a>(
    name: &str,
    title: &str,
    tensors: impl IntoIterator<Item = (&'a str, &'a [f32])>,
) -> String {
    let tensors: Vec<(&str, &[f32])> = tensors.into_iter().collect();
    let height = ROW_HEIGHT * tensors.len() as f64;
    let mut svg = plain_head(name, title, [WIDTH, height]);
    for (at, (tensor, numbers)) in tensors.into_iter().enumerate() {
        histogram(&mut svg, ROW_HEIGHT * at as f64, tensor, numbers);
    }
    svg + "</svg>\n"
}

fn histogram(svg: &mut String, top: f64, tensor: &str, numbers: &[f32]) {
    let mut put = |line: std::fmt::Arguments<'_>| {
        writeln!(svg, "{line}").expect("a String takes every line");
    };
    let foot = top + TEXT_HEIGHT + MAX_BAR_HEIGHT;
    let middle = f64::midpoint(LEFT, RIGHT);
    let ValueCounts { most, bars, zeros, not_finite } =
        ValueCounts::of(numbers);
    put(format_args!(
        "<text x=\"{LEFT}\" y=\"{:.1}\">{}</text>",
        top + 16.0,
        escape(tensor)
    ));
    let wide = (RIGHT - LEFT) / BARS as f64;
    let fullest = bars.iter().copied().max().unwrap_or(0).max(1);
    for (bar, count) in bars.iter().enumerate().filter(|(_, n)| **n > 0) {
        // Keep a bar with a single value visible.
        let high = (MAX_BAR_HEIGHT * *count as f64 / fullest as f64).max(1.0);
        put(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\" \
             fill=\"{VALUE}\"/>",
            LEFT + wide * bar as f64,
            foot - high,
            wide - 1.0
        ));
    }
    put(format_args!(
        "<path d=\"M{LEFT} {foot:.1} H{RIGHT} M{middle} {foot:.1} v4\" \
         stroke=\"currentColor\" stroke-opacity=\"0.5\" fill=\"none\"/>"
    ));
    for (x, anchor, word) in [
        (LEFT, "start", format!("-{most:.2e}")),
        (middle, "middle", "0".to_string()),
        (RIGHT, "end", format!("{most:.2e}")),
    ] {
        put(format_args!(
            "<text x=\"{x}\" y=\"{:.1}\" text-anchor=\"{anchor}\" \
             font-size=\"12\">{word}</text>",
            foot + 15.0
        ));
    }
    let count = numbers.len();
    let share = 100.0 * zeros as f64 / count.max(1) as f64;
    let rest = match not_finite {
        0 => String::new(),
        _ => format!(", {not_finite} are no numbers"),
    };
    put(format_args!(
        "<text x=\"{RIGHT}\" y=\"{:.1}\" text-anchor=\"end\">deviation {:.1e}, \
         {share:.0} % of {count} are 0{rest}</text>",
        top + 16.0,
        root_mean_square(numbers)
    ));
}

/// The value counts of a histogram.
#[derive(Debug, PartialEq)]
struct ValueCounts {
    /// The largest absolute value.
    most: f32,
    /// The counts of nonzero values in equal intervals from `-most` to `most`.
    bars: [usize; BARS],
    zeros: usize,
    /// The number of infinite and NaN values.
    not_finite: usize,
}

impl ValueCounts {
    fn of(numbers: &[f32]) -> ValueCounts {
        let finite = || numbers.iter().copied().filter(|n| n.is_finite());
        let most = finite().map(f32::abs).fold(0.0, f32::max);
        let mut bars = [0; BARS];
        let mut zeros = 0;
        for number in finite() {
            if number == 0.0 {
                zeros += 1;
                continue;
            }
            let part = (number / most + 1.0) / 2.0 * BARS as f32;
            bars[(part as usize).min(BARS - 1)] += 1;
        }
        let not_finite = numbers.len() - finite().count();
        ValueCounts { most, bars, zeros, not_finite }
    }
}

/// Returns the root mean square of the finite values.
fn root_mean_square(numbers: &[f32]) -> f64 {
    let finite = || numbers.iter().filter(|n| n.is_finite());
    let squares: f64 = finite().map(|&n| f64::from(n).powi(2)).sum();
    (squares / finite().count().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_counted_in_its_bar() {
        let numbers = [-2.0, -1.95, 0.0, 0.01, -0.01, 1.0, 2.0, 2.0];
        let ValueCounts { most, bars, zeros, not_finite } =
            ValueCounts::of(&numbers);
        assert_eq!((most, zeros, not_finite), (2.0, 1, 0));
        let full = bars.iter().enumerate().filter(|(_, count)| **count > 0);
        let full: Vec<(usize, usize)> = full.map(|(i, n)| (i, *n)).collect();
        assert_eq!(full, [(0, 2), (19, 1), (20, 1), (30, 1), (39, 2)]);
        assert_eq!(bars.iter().sum::<usize>() + zeros, numbers.len());
    }

    #[test]
    fn non_finite_values_are_counted_separately() {
        let numbers = [f32::NAN, 3.0, f32::INFINITY, -4.0];
        let counted = ValueCounts::of(&numbers);
        assert_eq!((counted.most, counted.not_finite), (4.0, 2));
        assert_eq!(counted.bars.iter().sum::<usize>(), 2);
        assert!((root_mean_square(&numbers) - 12.5_f64.sqrt()).abs() < 1e-9);
        let svg = histograms("h", "Sizes", [("odd <x>", &numbers[..])]);
        assert!(svg.contains("2 are no numbers"), "{svg}");
        assert!(svg.contains("odd &lt;x>"), "{svg}");
        let svg = histograms("h", "Sizes", [("one", &[f32::NAN, 1.0][..])]);
        assert!(svg.contains("1 are no numbers"), "{svg}");
    }

    #[test]
    fn zero_and_empty_tensors_are_drawn() {
        let svg = histograms(
            "h",
            "Sizes",
            [("zeros", &[0.0; 5][..]), ("none", &[][..])],
        );
        assert!(svg.contains("viewBox=\"0 0 440 172\""), "{svg}");
        assert!(svg.contains("100 % of 5 are 0"), "{svg}");
        assert!(svg.contains("0 % of 0 are 0"), "{svg}");
        assert!(!svg.contains("<rect"), "{svg}");
        assert!(!svg.contains("NaN"), "{svg}");
        assert!(!svg.contains("no numbers"), "{svg}");
    }
}
