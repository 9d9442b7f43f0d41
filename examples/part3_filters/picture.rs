//! Draws the filters as gray squares, and their response to a digit.

use std::fmt::Write;

use rungrad::data::Dataset;

/// The number of filters, and how many of them fit next to the digit.
const SHOWN: usize = 8;
const ACROSS: usize = 4;
const COLUMN: usize = 74;
const ROW: usize = 160;
const LEFT: usize = 10;

/// Draws a digit, some filters (count, 3, 3), and the response of each to the
/// digit (count, 8, 8), as SVG. The fullest square of a filter is its largest
/// weight and the emptiest its smallest; for the responses, an empty square is
/// 0.
pub(crate) fn svg(digit: &Dataset, filters: &[f32], seen: &[f32]) -> String {
    let title = format!(
        "A handwritten {} of 8 by 8 pixels, next to it {SHOWN} filters of 3 by \
         3 weights, and below each filter its output for the digit: each \
         responds to different parts of the outline.",
        digit.labels[0]
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 380 320\" \
         role=\"img\" aria-labelledby=\"filters-title\" font-size=\"14\" \
         fill=\"currentColor\">\n<title id=\"filters-title\">{title}</title>\n"
    );
    let most = |numbers: &[f32]| numbers.iter().fold(0.0_f32, |a, b| a.max(*b));
    squares(&mut svg, [LEFT, 80], 8, &digit.inputs, [0.0, 1.0]);
    for at in 0..SHOWN {
        let left = LEFT + COLUMN * (at % ACROSS + 1);
        let top = at / ACROSS * ROW;
        let filter = &filters[at * 9..][..9];
        let least = filter.iter().fold(f32::INFINITY, |a, b| a.min(*b));
        let span = [least, most(filter)];
        squares(&mut svg, [left + 8, top + 10], 16, filter, span);
        let after = &seen[at * 64..][..64];
        svg += "<g fill=\"var(--fig-value, #1a5fb4)\">\n";
        squares(&mut svg, [left, top + 80], 8, after, [0.0, most(after)]);
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

/// Draws a grid of squares whose fill is proportional to the value.
fn squares(
    svg: &mut String,
    [left, top]: [usize; 2],
    side: usize,
    numbers: &[f32],
    [least, most]: [f32; 2],
) {
    let count = numbers.len().isqrt();
    let mut put = |line: std::fmt::Arguments<'_>| {
        writeln!(svg, "{line}").expect("a String takes every line");
    };
    for (at, number) in numbers.iter().enumerate() {
        let share = (number - least) / (most - least).max(1e-6);
        let (x, y) = (left + at % count * side, top + at / count * side);
        put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" height=\"{side}\" \
             fill-opacity=\"{share:.2}\"/>"
        ));
    }
    let whole = count * side;
    put(format_args!(
        "<rect x=\"{left}\" y=\"{top}\" width=\"{whole}\" height=\"{whole}\" \
         fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.4\"/>"
    ));
}
