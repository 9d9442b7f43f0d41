//! The U-shaped curve of "Nudge it": the error of a finite difference over the
//! size of the nudge, on logarithmic axes, from the numbers of the program.

use std::fmt::Write;

use super::Svg;

#[path = "../../../../examples/part1_nudge.rs"]
#[allow(dead_code, unreachable_pub)]
mod program;

/// Returns the position of a nudge of 1e`x` with an error of 1e`y`.
fn place(x: f64, y: f64) -> (f64, f64) {
    (436.0 + 36.0 * x, 42.0 - 22.0 * y)
}

/// The exponents at the edges of the chart.
const NUDGES: [i32; 2] = [-10, 0];
const ERRORS: [i32; 2] = [-12, 1];

pub(crate) fn svg() -> String {
    let mut svg = Svg::new(HEAD);
    let (left, bottom) = place(NUDGES[0].into(), ERRORS[0].into());
    let (right, top) = place(NUDGES[1].into(), ERRORS[1].into());
    svg.put(format!(
        "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" \
         stroke=\"currentColor\" stroke-width=\"1.5\"/>"
    ));
    svg.put("<g class=\"code\" text-anchor=\"end\">");
    for error in (ERRORS[0]..ERRORS[1]).step_by(3) {
        let (_, y) = place(0.0, error.into());
        svg.put(format!(
            "<path d=\"M{left} {y}H{right}\" stroke=\"currentColor\" \
             stroke-opacity=\"0.25\"/>"
        ));
        svg.text(68, y + 5.0, "", format!("1e{error}"));
    }
    svg.put("</g>\n<g class=\"code\">");
    for nudge in (NUDGES[0] + 1..NUDGES[1]).step_by(2) {
        let (x, _) = place(nudge.into(), 0.0);
        svg.put(format!(
            "<path d=\"M{x} {bottom}v5\" stroke=\"currentColor\"/>"
        ));
        svg.text(x, bottom + 22.0, "", format!("1e{nudge}"));
    }
    svg.put("</g>");
    // The nudge that the reference uses.
    let judge = rungrad::gradcheck::NUDGE;
    let (x, y) = place(judge.log10(), program::worst_in_f64(judge).log10());
    svg.put(format!(
        "<path d=\"M{x:.1} {bottom}V{:.1}\" stroke=\"currentColor\" \
         stroke-width=\"1.5\"/>",
        y + 7.0
    ));
    svg.put(format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" \
         stroke=\"currentColor\" stroke-width=\"1.5\"/>"
    ));
    svg.put(curve(program::worst_in_f32, "var(--fig-grad)"));
    svg.put(curve(program::worst_in_f64, "var(--fig-value)"));
    svg.put(TAIL);
    svg.end()
}

/// Draws a line through points at 1, 2 and 5 times each power of ten.
fn curve(error: fn(f64) -> f64, color: &str) -> String {
    let mut points = String::new();
    let mut dots = String::new();
    for power in (1..=9).rev() {
        for digit in [1, 2, 5] {
            let nudge = format!("{digit}e-{power}");
            let nudge: f64 = nudge.parse().expect("a number");
            let (x, y) = place(nudge.log10(), error(nudge).log10());
            write!(points, " {x:.1},{y:.1}").expect("a String");
            write!(dots, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>")
                .expect("a String");
        }
    }
    format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" \
         stroke-width=\"1.5\"/>\n<g fill=\"{color}\">{dots}</g>",
        points.trim_start()
    )
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 372\" role=\"img\" text-anchor=\"middle\">
<title>The error of a finite difference against the size of the nudge, in f32 and in f64</title>
<desc>Two curves shaped like a U on logarithmic axes. From the right, where the nudge is large, both fall together. The curve of f32 turns at a nudge of about 0.005 with an error of 1e-5, and climbs until nothing is right at 1e-8. The curve of f64 goes on falling to an error of 4e-11 at a nudge of 1e-5, which the judge uses, and then climbs too.</desc>
";

const TAIL: &str = "\
<text x=\"256\" y=\"362\">size of the nudge</text>
<text x=\"16\" y=\"174\" transform=\"rotate(-90 16 174)\">relative error</text>
<text x=\"180\" y=\"92\" fill=\"var(--fig-grad)\" font-weight=\"600\">f32</text>
<text x=\"141\" y=\"236\" fill=\"var(--fig-value)\" font-weight=\"600\">f64</text>
<text x=\"268\" y=\"290\" text-anchor=\"start\">the judge</text>
<text x=\"376\" y=\"250\">too large: truncation</text>
<text x=\"162\" y=\"170\">too small: rounding</text>";
