//! Pictures as SVG, for a page or for a separate file.

use std::fmt::{Display, Write};

/// The color of the first series in a picture. Both colors are CSS variables
/// of the page, with a fallback for a separate file.
pub const FIRST: &str = "var(--fig-value, #1a5fb4)";
/// The color of the second series.
pub const SECOND: &str = "var(--fig-grad, #b3261e)";

const ALONE: &str = "@media (prefers-color-scheme: dark) { svg:root { \
    color: #dcdcdc; background: #16181d; --fig-value: #7fb8ff; \
    --fig-grad: #ff9a8d } }";

/// A picture that is being drawn.
pub struct Svg(String);

impl Svg {
    /// Begins a picture with a title. All ids begin with `name`, so that a
    /// page can contain several pictures.
    pub fn new([width, height]: [f64; 2], name: &str, title: &str) -> Svg {
        let mut svg = Svg(String::new());
        svg.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{name}-title\" font-size=\"13\" \
             font-family=\"ui-monospace, monospace\" fill=\"currentColor\">"
        ));
        let title = escape(title);
        svg.put(format_args!("<title id=\"{name}-title\">{title}</title>"));
        svg.put(format_args!("<style>{ALONE}</style>"));
        svg
    }

    /// Adds a line of SVG.
    pub fn put(&mut self, line: impl Display) {
        writeln!(self.0, "{line}").expect("a String takes every line");
    }

    /// Adds text.
    pub fn text(&mut self, x: f64, y: f64, anchor: &str, words: &str) {
        let words = escape(words);
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}\
             </text>"
        ));
    }

    /// Ends the picture and returns its source.
    pub fn end(mut self) -> String {
        self.put("</svg>");
        self.0
    }
}

/// Escapes the characters that have a meaning in SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
