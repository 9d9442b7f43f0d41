//! Thirteen numbers added up in two launches by groups of eight: "Reductions
//! and barriers".

use std::fmt::Write;

/// Items of a group.
const GROUP: usize = 8;
const NUMBERS: usize = 13;

/// The left edge of an item's column, and the width of a cell.
fn column(item: usize) -> usize {
    84 + 36 * item + 14 * (item / GROUP)
}
const WIDTH: usize = 30;
/// From one row of cells to the next, and the height of a cell.
const STEP: usize = 56;
const HEIGHT: usize = 24;

pub(crate) fn svg() -> String {
    let numbers: Vec<f32> = (1..=NUMBERS).map(|i| i as f32).collect();
    let mut svg = String::from(HEAD);
    let partials = launch(&mut svg, &numbers, 48);
    let sum = launch(&mut svg, &partials, 396);
    assert_eq!(sum, [numbers.iter().sum::<f32>()]);
    svg + TAIL
}

/// Draws a launch from `top` on, and gives what its groups leave.
fn launch(svg: &mut String, numbers: &[f32], top: usize) -> Vec<f32> {
    let mut put = |line: String| writeln!(svg, "{line}").expect("a String");
    let groups = numbers.len().div_ceil(GROUP);
    let mut partials = Vec::new();
    let rows = ["values", "round 1", "round 2", "round 3"];
    let left = if groups > 1 { "partials" } else { "sum" };
    put("<g text-anchor=\"end\">".into());
    for (row, words) in rows.into_iter().chain([left]).enumerate() {
        let last = if row == rows.len() { 6 } else { 0 };
        let y = top + STEP * row + 17 + last;
        put(format!("<text x=\"76\" y=\"{y}\">{words}</text>"));
    }
    put("</g>".into());
    for group in 0..groups {
        let first = column(GROUP * group);
        let past = column(GROUP * group + GROUP - 1) + WIDTH;
        put(format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" \
             font-weight=\"600\">group {group}</text>",
            (first + past) / 2,
            top - 10
        ));
        let value = |item| numbers.get(GROUP * group + item).copied();
        let mut tree: Vec<f32> =
            (0..GROUP).map(|item| value(item).unwrap_or(0.0)).collect();
        for (row, width) in [GROUP, 4, 2, 1].into_iter().enumerate() {
            let y = top + STEP * row;
            if row > 0 {
                for item in 0..width {
                    let x = column(GROUP * group + item) + WIDTH / 2;
                    let from = column(GROUP * group + item + width);
                    put(format!(
                        "<path d=\"M{x} {0}V{y}M{1} {0}L{x} {y}\" \
                         stroke=\"currentColor\" stroke-opacity=\"0.5\"/>",
                        y + HEIGHT - STEP,
                        from + WIDTH / 2
                    ));
                    tree[item] += tree[item + width];
                }
            }
            for (item, sum) in tree.iter().enumerate() {
                let there = row > 0 || value(item).is_some();
                let x = column(GROUP * group + item);
                put(cell(x, y, *sum, item < width, there));
            }
            let y = y + HEIGHT + (STEP - HEIGHT) / 2;
            put(format!(
                "<path d=\"M{} {y}H{}\" stroke=\"var(--fig-gpu)\" \
                 stroke-width=\"3\"/>",
                first - 4,
                past + 4
            ));
        }
        let (x, y) = (first, top + STEP * rows.len() + 6);
        put(format!(
            "<path d=\"M{0} {1}V{y}\" stroke=\"currentColor\" \
             stroke-width=\"1.5\"/>",
            x + WIDTH / 2,
            y + HEIGHT - STEP - 6
        ));
        put(format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             fill=\"none\" stroke=\"var(--fig-value)\" stroke-width=\"2\"/>\n\
             <text class=\"code\" x=\"{}\" y=\"{}\" text-anchor=\"middle\" \
             font-weight=\"600\">{}</text>",
            x + WIDTH / 2,
            y + 17,
            tree[0]
        ));
        partials.push(tree[0]);
    }
    partials
}

/// A cell of local memory: whether its item adds in this round, and whether
/// there is a value for it.
fn cell(x: usize, y: usize, sum: f32, adds: bool, there: bool) -> String {
    let frame = format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\""
    );
    let words = format!(
        "<text class=\"code\" x=\"{}\" y=\"{}\" \
         text-anchor=\"middle\">{sum}</text>",
        x + WIDTH / 2,
        y + 17
    );
    match (adds, there) {
        (true, true) => format!(
            "{frame} fill=\"var(--fig-gpu)\" fill-opacity=\"0.2\" \
             stroke=\"var(--fig-gpu)\"/>\n{words}"
        ),
        (true, false) => format!(
            "{frame} fill=\"none\" stroke=\"var(--fig-grad)\" \
             stroke-dasharray=\"4 3\"/>\n{words}"
        ),
        (false, _) => format!(
            "{frame} fill=\"none\" stroke=\"var(--fig-gpu)\" \
             stroke-dasharray=\"2 5\"/>"
        ),
    }
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 664\" role=\"img\">
<title>Thirteen numbers become two partial sums, and those become one</title>
<desc>Two groups of eight items. Group 0 has the values 1 to 8, group 1 has 9 to 13, and its last three items bring 0. In round 1 items 0 to 3 of each group add what lies four places further on, in round 2 items 0 and 1, in round 3 item 0. A barrier line crosses each whole group after the values and after every round. The partial sums 36 and 55 are left, and a second launch with one group makes 91 of them in the same way.</desc>
<text x=\"8\" y=\"16\" font-weight=\"600\">first launch</text>
<text x=\"8\" y=\"364\" font-weight=\"600\">second launch</text>
";

const TAIL: &str = "\
<g fill=\"none\">
<rect x=\"404\" y=\"420\" width=\"30\" height=\"24\" fill=\"var(--fig-gpu)\" fill-opacity=\"0.2\" stroke=\"var(--fig-gpu)\"/>
<rect x=\"404\" y=\"456\" width=\"30\" height=\"24\" stroke=\"var(--fig-gpu)\" stroke-dasharray=\"2 5\"/>
<rect x=\"404\" y=\"492\" width=\"30\" height=\"24\" stroke=\"var(--fig-grad)\" stroke-dasharray=\"4 3\"/>
<path d=\"M400 540H438\" stroke=\"var(--fig-gpu)\" stroke-width=\"3\"/>
<rect x=\"404\" y=\"564\" width=\"30\" height=\"24\" stroke=\"var(--fig-value)\" stroke-width=\"2\"/>
</g>
<text x=\"446\" y=\"437\">the item works</text>
<text x=\"446\" y=\"473\">it only comes to the barrier</text>
<text x=\"446\" y=\"509\">it has no value, and brings 0</text>
<text x=\"446\" y=\"545\">barrier</text>
<text x=\"446\" y=\"581\">global memory; the rest is local</text>
</svg>
";
