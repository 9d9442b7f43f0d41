//! Two steps of a group along k, each with a tile of both matrices: "The matmul
//! ladder".

use std::fmt::Write;

/// Rows and columns of the matrices, and of a tile.
const N: usize = 8;
const TILE: usize = 4;
/// A number, drawn as a square.
const CELL: usize = 22;
/// Where the matrices stand: a below on the left, b above on the right.
const LEFT: usize = 24;
const RIGHT: usize = 232;
const TOP: usize = 26;
const BELOW: usize = 234;
/// The element of the result that one item computes.
const ROW: usize = 1;
const COLUMN: usize = 2;

pub(crate) fn svg() -> String {
    let mut svg = String::from(HEAD);
    let mut put = |line: String| writeln!(svg, "{line}").expect("a String");
    for (x, y) in [(LEFT, BELOW), (RIGHT, TOP), (RIGHT, BELOW)] {
        let side = N * CELL;
        let lines: String = (0..=N)
            .map(|i| {
                let at = i * CELL;
                format!("M{x} {0}h{side}M{1} {y}v{side}", y + at, x + at)
            })
            .collect();
        put(format!(
            "<path d=\"{lines}\" stroke=\"currentColor\" \
             stroke-opacity=\"0.3\"/>"
        ));
    }
    for step in 0..N / TILE {
        let far = step * TILE * CELL;
        // The next step's tiles are not there yet.
        let look = match step {
            0 => " fill=\"var(--fig-value)\" fill-opacity=\"0.25\"",
            _ => " fill=\"none\" stroke-dasharray=\"5 4\"",
        };
        for (x, y) in [(LEFT + far, BELOW), (RIGHT, TOP + far)] {
            put(square(
                [x, y],
                [TILE, TILE],
                &format!("{look} stroke=\"var(--fig-value)\""),
            ));
        }
    }
    let sums = " fill=\"var(--fig-gpu)\" fill-opacity=\"0.2\" \
                stroke=\"var(--fig-gpu)\"";
    put(square([RIGHT, BELOW], [TILE, TILE], sums));
    let [across, down] = [RIGHT + COLUMN * CELL, BELOW + ROW * CELL];
    let one = " fill=\"none\" stroke=\"var(--fig-grad)\"";
    put(square([LEFT, down], [TILE, 1], one));
    put(square([across, TOP], [1, TILE], one));
    put(square([across, down], [1, 1], one));
    for (line, words) in legend().into_iter().enumerate() {
        let y = TOP + 14 + 22 * line;
        put(format!("<text x=\"430\" y=\"{y}\"{words}</text>"));
    }
    svg + "</svg>\n"
}

fn square([x, y]: [usize; 2], [wide, high]: [usize; 2], look: &str) -> String {
    let [wide, high] = [wide, high].map(|cells| cells * CELL);
    format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" \
         stroke-width=\"2\"{look}/>"
    )
}

fn legend() -> [String; 6] {
    let (items, loads) = (TILE * TILE, 2 * TILE * TILE);
    let reads = items * 2 * TILE;
    [
        format!(" font-weight=\"600\">a group of {items} items, one step"),
        format!(" fill=\"var(--fig-value)\">{loads} loads from global memory"),
        format!(">{reads} loads from local memory"),
        format!(">each number serves {TILE} items"),
        " fill=\"var(--fig-gpu)\">the sums of the group".to_string(),
        " fill=\"var(--fig-grad)\">what one item reads".to_string(),
    ]
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 424\" role=\"img\">
<title>A step along k, for a group of 16 items</title>
<desc>Three matrices of 8 by 8: a below on the left, b above on the right, the result where the rows of a meet the columns of b. A group computes a tile of 4 by 4 of the result. In its first step it loads a tile of 4 by 4 of both a and b, and one of its items reads a row of the one and a column of the other. Dashed frames show the tiles of the second step, further along k.</desc>
<g font-weight=\"600\" text-anchor=\"middle\">
<text x=\"112\" y=\"224\">a</text>
<text x=\"320\" y=\"16\">b</text>
<text x=\"320\" y=\"224\">a · b</text>
</g>
";
