//! The first figure of the book: from one expression to the names that the
//! last program of the course invents.

use std::fs;

use rungrad::part1_cpu::Tensor;

use super::Svg;
use crate::tree::Tree;

const NAMES: &str = "book/listings/part3_names_invented.out";

/// The baseline of the first name, and the distance of the next.
const FIRST: usize = 56;
const STEP: usize = 19;

pub(crate) fn svg() -> String {
    let (a, b) = (Tensor::new(&[], &[2.0]), Tensor::new(&[], &[3.0]));
    let result = a.mul(&b).mul(&b);
    result.backward();
    let one = |x: &Tensor| x.to_vec()[0];
    let grad = |x: &Tensor| x.grad().map_or(0.0, |grad| grad.sum());
    let text = fs::read_to_string(Tree::root().join(NAMES));
    let text = text.unwrap_or_default();
    let names = text.lines().filter(|line| !line.contains(['$', ' ']));

    let mut svg = Svg::new(HEAD);
    svg.put("<g class=\"code\">");
    svg.text(104, 92, "", "(a * b) * b");
    let value = " fill=\"var(--fig-value, #1a5fb4)\"";
    let back = " fill=\"var(--fig-grad, #b3261e)\"";
    let words = format!("{} * {} * {}", one(&a), one(&b), one(&b));
    svg.text(104, 128, value, format!("{words} = {}", one(&result)));
    svg.text(104, 170, back, format!("a.grad = {}", grad(&a)));
    svg.text(104, 194, back, format!("b.grad = {}", grad(&b)));
    svg.put("</g>");
    svg.fold(|svg| {
        svg.put(NAMES_BOX);
        svg.put("<g class=\"code\">");
        for (at, name) in names.enumerate() {
            svg.text(590, FIRST + at * STEP, value, name);
        }
        svg.put("</g>");
    });
    svg.put(MOTION);
    svg.end()
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 286\" role=\"img\" text-anchor=\"middle\" fill=\"currentColor\" font-size=\"14\" font-family=\"sans-serif\" class=\"folds\" style=\"--fold-cut: 452; --fold-down: 284; --fold-height: 286; --fold-total: 528\">
<title>From one expression to ten invented names</title>
<desc>Three stages from left to right. The expression (a * b) * b with its value and its two gradients; a transformer, made of many such operations, with values that run forward from the letters of a name to the loss and gradients that run back; and ten names that the trained transformer has invented.</desc>
<style>@media (prefers-color-scheme: dark) { svg:root { color: #dcdcdc; background: #16181d; --fig-value: #7fb8ff; --fig-grad: #ff9a8d } } @media (prefers-reduced-motion: reduce) { svg:root { --fig-motion: hidden } }</style>
<defs>
<marker id=\"course-ink\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"currentColor\"/></marker>
<marker id=\"course-value\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"var(--fig-value, #1a5fb4)\"/></marker>
<marker id=\"course-grad\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"var(--fig-grad, #b3261e)\"/></marker>
</defs>
<g fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\">
<rect x=\"14\" y=\"34\" width=\"180\" height=\"206\" rx=\"10\"/>
<rect x=\"250\" y=\"34\" width=\"200\" height=\"206\" rx=\"10\"/>
<g stroke-opacity=\"0.6\">
<rect x=\"282\" y=\"50\" width=\"136\" height=\"28\" rx=\"6\"/>
<rect x=\"282\" y=\"87\" width=\"136\" height=\"28\" rx=\"6\"/>
<rect x=\"282\" y=\"124\" width=\"136\" height=\"28\" rx=\"6\"/>
<rect x=\"282\" y=\"161\" width=\"136\" height=\"28\" rx=\"6\"/>
<rect x=\"282\" y=\"198\" width=\"136\" height=\"28\" rx=\"6\"/>
</g>
<path marker-end=\"url(#course-ink)\" d=\"M198 137H246\"/>
</g>
<path marker-end=\"url(#course-value)\" d=\"M266 52V226\" fill=\"none\" stroke=\"var(--fig-value, #1a5fb4)\" stroke-width=\"2\"/>
<path marker-end=\"url(#course-grad)\" d=\"M434 226V52\" fill=\"none\" stroke=\"var(--fig-grad, #b3261e)\" stroke-width=\"2\" stroke-dasharray=\"6 4\"/>
<g font-weight=\"600\">
<text x=\"104\" y=\"22\">one expression</text><text x=\"350\" y=\"22\">a transformer</text>
</g>
<text x=\"350\" y=\"69\">letters of a name</text>
<text x=\"350\" y=\"106\">attention</text>
<text x=\"350\" y=\"143\">matmul and GELU</text>
<text x=\"350\" y=\"180\">softmax</text>
<text x=\"350\" y=\"217\">loss</text>
<text x=\"222\" y=\"126\">many</text>
<text x=\"232\" y=\"270\"><tspan fill=\"var(--fig-value, #1a5fb4)\">values run forward</tspan>, <tspan fill=\"var(--fig-grad, #b3261e)\">gradients run backward</tspan></text>
";

/// The last stage, without the names.
const NAMES_BOX: &str = "\
<rect x=\"506\" y=\"34\" width=\"168\" height=\"206\" rx=\"10\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>
<path marker-end=\"url(#course-ink)\" d=\"M454 137H502\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>
<text x=\"590\" y=\"22\" font-weight=\"600\">ten invented names</text>
<text x=\"478\" y=\"126\">train</text>";

/// A value that runs forward and a gradient that then runs back.
/// `--fig-motion` hides both for readers who want less motion.
const MOTION: &str = "\
<g visibility=\"var(--fig-motion, visible)\" stroke=\"none\">
<circle r=\"6\" fill=\"var(--fig-value, #1a5fb4)\"><animateMotion dur=\"6s\" repeatCount=\"indefinite\" path=\"M266 52V222\" keyPoints=\"0;1;1\" keyTimes=\"0;0.5;1\" calcMode=\"linear\"/></circle>
<circle r=\"6\" fill=\"var(--fig-grad, #b3261e)\"><animateMotion dur=\"6s\" repeatCount=\"indefinite\" path=\"M434 226V56\" keyPoints=\"0;0;1\" keyTimes=\"0;0.5;1\" calcMode=\"linear\"/></circle>
</g>";
