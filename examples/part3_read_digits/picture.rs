//! Draws every stage of the network for one drawing, as SVG.

use std::fmt::Write;

use super::drawing::Drawing;
use super::{Seen, show};

/// The size fits a phone.
const SIZE: [usize; 2] = [460, 440];
/// Top of the pictures of both rows, below their captions.
const TOPS: [usize; 2] = [34, 254];
/// Height of the drawing and of the feature maps.
const TALL: usize = 180;

/// Draws the drawing, its 64 values and the feature maps of the first
/// convolution layer, and below them the feature maps of the second layer and
/// the ten probabilities.
pub(crate) fn svg(drawing: &Drawing, digit: &[f32], seen: &Seen) -> String {
    let shares = show::shares(&seen.scores);
    let read =
        (1..10).fold(0, |a, b| if shares[b] > shares[a] { b } else { a });
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" \
         role=\"img\" aria-labelledby=\"read-digits-title\" font-size=\"14\" \
         fill=\"currentColor\">\n<title id=\"read-digits-title\">A drawn \
         digit, the same as 8 by 8 pixels, the outputs of 16 filters, the \
         outputs of 32 more, and ten bars, of which the bar of the {read} \
         is the longest.</title>\n",
        SIZE[0], SIZE[1]
    );
    let [upper, lower] = TOPS;
    put(&mut svg, format_args!("{}", words([10, upper], "drawn")));
    strokes(&mut svg, drawing, [10, upper], [112, TALL]);
    put(&mut svg, format_args!("{}", words([142, upper], "8 × 8")));
    squares(&mut svg, [142, upper + 42], 12, 8, digit);
    for (layer, corner, side, across) in
        [(0, [258, upper], 5, 4), (1, [10, lower], 8, 8)]
    {
        let [left, top] = corner;
        let (count, maps) = seen.maps(layer);
        let words = words(corner, &format!("{} filters see", maps.len()));
        put(&mut svg, format_args!("{words}"));
        let most = maps.concat().into_iter().fold(1e-6, f32::max);
        svg += "<g fill=\"var(--fig-value, #1a5fb4)\">\n";
        for (at, map) in maps.iter().enumerate() {
            let step = count * side + 4;
            let place = [left + at % across * step, top + at / across * step];
            // Take the square root so that weak responses are visible.
            let shares = map.iter().map(|number| (number / most).sqrt());
            let shares: Vec<f32> = shares.collect();
            squares(&mut svg, place, side, count, &shares);
        }
        svg += "</g>\n";
    }
    put(&mut svg, format_args!("{}", words([330, lower], "it reads")));
    for (at, share) in shares.iter().enumerate() {
        let y = lower + 18 * at;
        let wide = share * 102.0;
        put(
            &mut svg,
            format_args!(
                "<text x=\"330\" y=\"{}\">{at}</text>\n<rect x=\"348\" \
                 y=\"{y}\" width=\"{wide:.1}\" height=\"14\" \
                 fill=\"var(--fig-value, #1a5fb4)\"/>",
                y + 12
            ),
        );
    }
    svg + "</svg>\n"
}

/// Draws a caption above a picture.
fn words([left, top]: [usize; 2], words: &str) -> String {
    format!("<text x=\"{left}\" y=\"{}\">{words}</text>", top - 14)
}

fn put(svg: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(svg, "{line}").expect("a String takes every line");
}

/// Draws the original, scaled to fit: each run of ink is a rectangle.
fn strokes(
    svg: &mut String,
    drawing: &Drawing,
    [left, top]: [usize; 2],
    [wide, tall]: [usize; 2],
) {
    let scale = (wide as f32 / drawing.width as f32)
        .min(tall as f32 / drawing.height as f32);
    put(
        svg,
        format_args!(
            "<g transform=\"translate({left} {top}) scale({scale:.4})\">\n\
             <rect width=\"{}\" height=\"{}\" fill=\"none\" \
             stroke=\"currentColor\" stroke-opacity=\"0.4\" \
             stroke-width=\"{:.2}\"/>",
            drawing.width,
            drawing.height,
            1.0 / scale
        ),
    );
    let mut path = String::new();
    for (y, row) in drawing.ink.chunks(drawing.width).enumerate() {
        let mut from = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if run[0] {
                path += &format!("M{from} {y}h{}v1h-{}z", run.len(), run.len());
            }
            from += run.len();
        }
    }
    put(svg, format_args!("<path d=\"{path}\"/>\n</g>"));
}

/// Draws a grid of squares whose fill is proportional to the value.
fn squares(
    svg: &mut String,
    [left, top]: [usize; 2],
    side: usize,
    count: usize,
    shares: &[f32],
) {
    for (at, share) in shares.iter().enumerate() {
        let (x, y) = (left + at % count * side, top + at / count * side);
        put(
            svg,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{side}\" \
                 height=\"{side}\" fill-opacity=\"{:.2}\"/>",
                share
            ),
        );
    }
    let whole = count * side;
    put(
        svg,
        format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{whole}\" \
             height=\"{whole}\" fill=\"none\" stroke=\"currentColor\" \
             stroke-opacity=\"0.4\"/>"
        ),
    );
}
