//! Draws memory as a row of slots, and views of it below: a line connects each
//! element of a view with its slot.

use std::fmt::Write;

use super::plain_head;
use super::svg::{VALUE, escape};

/// The minimum width, which fits a phone. More elements make it wider.
const WIDTH: f64 = 460.0;
/// The left edge of the slots, if the labels on the left are short.
const MIN_LEFT: f64 = 176.0;
const RIGHT: f64 = 12.0;
/// The minimum and maximum width of a cell.
const CELL_WIDTHS: (f64, f64) = (32.0, 72.0);
/// The height of a cell.
const CELL_HEIGHT: f64 = 28.0;
/// The gap between two rows of a view; between two matrices it is twice as
/// large.
const GAP: f64 = 10.0;
/// The height of a view, from its slots to the next view.
const VIEW_HEIGHT: f64 = 116.0;
/// The distance from the slots down to the elements.
const DROP: f64 = 56.0;

/// A view to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnView {
    /// The label on the left; its first line is bold.
    pub words: Vec<String>,
    /// The size of each axis.
    pub shape: Vec<usize>,
    /// The elements in row-major order.
    pub values: Vec<f32>,
    /// The slot of each element; empty for a view of different memory.
    pub slots: Vec<usize>,
}

impl DrawnView {
    /// Returns the horizontal positions of the cells, counted in cells and in
    /// gaps. A cell is preceded by one gap for every axis that restarts there.
    fn places(&self) -> Vec<(f64, f64)> {
        let mut gaps = 0;
        let cell = |i: usize| {
            let inner = self.shape.iter().rev().scan(1, |size, n| {
                *size *= n;
                Some(*size)
            });
            let begun = inner.filter(|size| i.is_multiple_of(*size)).count();
            // The first element restarts every axis, but gets no gap.
            gaps += if i == 0 { 0 } else { begun };
            (i as f64, gaps as f64)
        };
        (0..self.values.len()).map(cell).collect()
    }
}

/// Draws memory with these values, and views of it, as SVG. `name` is the
/// prefix of the title's id; screen readers read the title.
pub fn slots(
    name: &str,
    title: &str,
    memory: &[f32],
    walks: &[DrawnView],
) -> String {
    let longest = walks.iter().flat_map(|walk| &walk.words);
    let longest = longest.map(|words| 8.5 * words.chars().count() as f64);
    let left = longest.map(|width| width + 24.0).fold(MIN_LEFT, f64::max);
    let ends = walks.iter().filter_map(|walk| walk.places().pop());
    let mut ends: Vec<(f64, f64)> = ends.collect();
    ends.push((memory.len() as f64 - 1.0, 0.0));
    let mut cell = CELL_WIDTHS.1;
    for (cells, gaps) in &ends {
        let room = WIDTH - left - RIGHT - gaps * GAP;
        cell = cell.min(room / (cells + 1.0)).max(CELL_WIDTHS.0);
    }
    let at = |(cells, gaps): (f64, f64)| left + cells * cell + gaps * GAP;
    let ends = ends.into_iter().map(|end| at(end) + cell + RIGHT);
    let width = ends.fold(WIDTH, f64::max);
    let height = 62.0 + VIEW_HEIGHT * walks.len() as f64;

    let mut svg = plain_head(name, title, [width, height]);
    let mut put = |line: std::fmt::Arguments<'_>| {
        writeln!(svg, "{line}").expect("a String takes every line");
    };
    put(format_args!(
        "<text x=\"8\" y=\"34\" font-weight=\"bold\">memory</text>"
    ));
    for (slot, value) in memory.iter().enumerate() {
        let x = left + slot as f64 * cell;
        put(format_args!("{}", cell_svg(x, 16.0, cell, *value, 1.8)));
        // A line through the whole picture shows that all views share the
        // memory.
        put(format_args!(
            "<path d=\"M{0:.1} 44V{1}\" stroke=\"currentColor\" \
             stroke-opacity=\"0.25\" stroke-dasharray=\"2 4\"/>",
            x + cell / 2.0,
            height - VIEW_HEIGHT + 12.0
        ));
    }
    for (number, walk) in walks.iter().enumerate() {
        let top = 74.0 + VIEW_HEIGHT * number as f64;
        for (line, words) in walk.words.iter().enumerate() {
            let weight = if line == 0 { " font-weight=\"bold\"" } else { "" };
            put(format_args!(
                "<text x=\"8\" y=\"{}\"{weight}>{}</text>",
                top + 19.0 * line as f64 + 14.0,
                escape(words)
            ));
        }
        let places = walk.places();
        // The line to the first element is thicker: it shows the offset.
        for (i, (slot, place)) in walk.slots.iter().zip(&places).enumerate() {
            let wide = if i == 0 { 2.5 } else { 1.2 };
            let from = left + (*slot as f64 + 0.5) * cell;
            let to = at(*place) + cell / 2.0;
            put(format_args!(
                "<path d=\"M{from:.1} {top}L{to:.1} {}\" stroke=\"{VALUE}\" \
                 stroke-width=\"{wide}\"/>",
                top + DROP
            ));
            put(format_args!(
                "<circle cx=\"{from:.1}\" cy=\"{top}\" r=\"{}\" \
                 fill=\"{VALUE}\"/>",
                wide + 1.2
            ));
        }
        for (value, place) in walk.values.iter().zip(&places) {
            let (x, y) = (at(*place), top + DROP);
            put(format_args!("{}", cell_svg(x, y, cell, *value, 1.2)));
        }
    }
    svg + "</svg>\n"
}

/// Draws a cell with its value.
fn cell_svg(x: f64, y: f64, cell: f64, value: f32, line: f64) -> String {
    format!(
        "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{cell:.1}\" height=\"{CELL_HEIGHT}\" \
         fill=\"none\" stroke=\"currentColor\" stroke-width=\"{line}\"/>\n\
         <text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>",
        x + cell / 2.0,
        y + 19.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(shape: &[usize], slots: &[usize]) -> DrawnView {
        let values = slots.iter().map(|&slot| slot as f32).collect();
        let words = vec!["a < b".to_string(), "offset 0".to_string()];
        DrawnView {
            words,
            shape: shape.to_vec(),
            values,
            slots: slots.to_vec(),
        }
    }

    #[test]
    fn rows_are_separated_and_matrices_more() {
        let walk = walk(&[2, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7]);
        let gaps = walk.places().into_iter().map(|(_, gaps)| gaps);
        let right = [0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 4.0, 4.0];
        assert_eq!(gaps.collect::<Vec<_>>(), right);
    }

    #[test]
    fn elements_are_connected_to_their_slots() {
        let memory = [0.0, 1.0, 2.0];
        let svg = slots("test", "A test", &memory, &[walk(&[3], &[2, 2, 0])]);
        // Three slots with width 72: the center of the third is 176 + 2.5 *
        // 72.
        assert_eq!(svg.matches("M356.0 74L").count(), 2);
        assert!(svg.contains("M212.0 74L356.0 130"), "{svg}");
        // The value is inside its cell, with its baseline 19 below the top
        // edge.
        assert!(svg.contains("<text x=\"356.0\" y=\"35\""), "{svg}");
        assert!(svg.contains("<title id=\"test-title\">A test</title>"));
        assert!(svg.contains("viewBox=\"0 0 460 178\""), "{svg}");
    }

    /// Returns the rest of each line that begins with `start`.
    fn all<'a>(svg: &'a str, start: &str) -> Vec<&'a str> {
        svg.lines().filter_map(|line| line.strip_prefix(start)).collect()
    }

    #[test]
    fn lines_and_boxes_are_positioned_exactly() {
        let walks = [walk(&[2], &[1, 0]), walk(&[2, 1], &[0, 1])];
        let svg = slots("test", "A test", &[0.0, 1.0], &walks);
        assert!(svg.contains("viewBox=\"0 0 460 294\""), "{svg}");
        let cell = "width=\"72.0\" height=\"28\" fill=\"none\" \
                    stroke=\"currentColor\" stroke-width=";
        let at =
            |place: &str, wide: &str| format!("{place} {cell}\"{wide}\"/>");
        assert_eq!(
            all(&svg, "<rect "),
            [
                at("x=\"176.0\" y=\"16\"", "1.8"),
                at("x=\"248.0\" y=\"16\"", "1.8"),
                at("x=\"176.0\" y=\"130\"", "1.2"),
                at("x=\"248.0\" y=\"130\"", "1.2"),
                at("x=\"176.0\" y=\"246\"", "1.2"),
                at("x=\"258.0\" y=\"246\"", "1.2"),
            ]
        );
        assert_eq!(
            all(&svg, "<text "),
            [
                "x=\"8\" y=\"34\" font-weight=\"bold\">memory</text>",
                "x=\"212.0\" y=\"35\" text-anchor=\"middle\">0</text>",
                "x=\"284.0\" y=\"35\" text-anchor=\"middle\">1</text>",
                "x=\"8\" y=\"88\" font-weight=\"bold\">a &lt; b</text>",
                "x=\"8\" y=\"107\">offset 0</text>",
                "x=\"212.0\" y=\"149\" text-anchor=\"middle\">1</text>",
                "x=\"284.0\" y=\"149\" text-anchor=\"middle\">0</text>",
                "x=\"8\" y=\"204\" font-weight=\"bold\">a &lt; b</text>",
                "x=\"8\" y=\"223\">offset 0</text>",
                "x=\"212.0\" y=\"265\" text-anchor=\"middle\">0</text>",
                "x=\"294.0\" y=\"265\" text-anchor=\"middle\">1</text>",
            ]
        );
        let ways = all(&svg, "<path d=\"");
        let ways: Vec<&str> =
            ways.iter().filter_map(|it| it.split('"').next()).collect();
        assert_eq!(
            ways,
            [
                "M212.0 44V190",
                "M284.0 44V190",
                "M284.0 74L212.0 130",
                "M212.0 74L284.0 130",
                "M212.0 190L212.0 246",
                "M284.0 190L294.0 246",
            ]
        );
        // The line and the dot of the first element are thicker.
        let widths =
            ["2.5", "1.2"].map(|it| format!("stroke-width=\"{it}\"/>"));
        let lines = svg.lines().filter(|line| line.contains(" 74L"));
        for (line, width) in lines.zip(&widths) {
            assert!(line.ends_with(width), "{line}");
        }
        let dots = all(&svg, "<circle ");
        let dot = |place: &str| {
            dots.iter().filter(|it| it.starts_with(place)).count()
        };
        assert_eq!(dot("cx=\"284.0\" cy=\"74\" r=\"3.7\""), 1, "{dots:?}");
        assert_eq!(dot("cx=\"212.0\" cy=\"74\" r=\"2.4\""), 1, "{dots:?}");
    }

    #[test]
    fn elements_in_other_storage_have_no_line() {
        let mut other = walk(&[2], &[0, 1]);
        other.slots.clear();
        let svg = slots("test", "A test", &[0.0, 1.0], &[other]);
        assert!(!svg.contains("<circle"));
    }

    #[test]
    fn a_large_drawing_is_wider_and_escapes_text() {
        let slots: Vec<usize> = (0..40).collect();
        let memory: Vec<f32> = slots.iter().map(|&slot| slot as f32).collect();
        let svg = super::slots("test", "", &memory, &[walk(&[40], &slots)]);
        assert!(svg.contains("viewBox=\"0 0 1468 178\""), "{svg}");
        assert!(svg.contains("a &lt; b</text>"));
    }

    #[test]
    fn the_full_memory_of_a_small_view_is_drawn() {
        let svg = slots("test", "", &[0.0; 40], &[walk(&[2], &[0, 1])]);
        assert!(svg.contains("viewBox=\"0 0 1468 178\""), "{svg}");
    }

    #[test]
    fn long_labels_move_the_slots_right() {
        let mut long = walk(&[2], &[0, 1]);
        long.words.push("x".repeat(40));
        let svg = slots("test", "", &[0.0, 1.0], &[long]);
        // 40 characters with width 8.5, and a margin of 24.
        assert_eq!(svg.matches("<rect x=\"364.0\"").count(), 2, "{svg}");
    }

    #[test]
    fn an_empty_view_can_be_drawn() {
        let svg = slots("test", "", &[], &[walk(&[0, 2], &[])]);
        assert!(svg.contains("viewBox=\"0 0 460 178\""), "{svg}");
    }
}
