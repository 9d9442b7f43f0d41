//! 98 groups of 1024 items queue for 16 units, and the last group is not full,
//! for "How a GPU computes", from the numbers of its program.

use super::Svg;

#[path = "../../../../examples/part2_groups.rs"]
#[allow(dead_code, unreachable_pub)]
mod program;

const LAUNCH: program::Launch = program::Launch { n: 100_000, size: 1024 };
const UNITS: u64 = 16;

/// Rerounds the upper left corner of a group.
fn place(group: u64) -> (u64, u64) {
    (LEFT + STEP * (group / UNITS), 32 + 24 * (group % UNITS))
}

/// The left edge of the first round, and the distance between rounds.
const LEFT: u64 = 66;
const STEP: u64 = 41;
/// The size of a group in the picture. All rounds fit on a phone.
const WIDTH: u64 = 36;
const HEIGHT: u64 = 20;

pub(crate) fn svg() -> String {
    let groups = LAUNCH.groups();
    let rounds = groups.div_ceil(UNITS);
    let bottom = 32 + 24 * UNITS;
    let mut svg = Svg::new(HEAD);
    svg.put("<g class=\"code\" text-anchor=\"end\">");
    for unit in 0..UNITS {
        let (x, y) = place(unit);
        svg.text(x - 10, y + 15, "", unit);
    }
    svg.put("</g>\n<g class=\"code\" text-anchor=\"middle\">");
    for round in 0..rounds {
        let (x, _) = place(round * UNITS);
        svg.text(x + WIDTH / 2, 22, "", round + 1);
    }
    svg.put("</g>\n<g fill=\"none\" stroke=\"var(--fig-gpu)\">");
    for group in 0..rounds * UNITS {
        let (x, y) = place(group);
        let dash = match group < groups {
            true => "",
            false => " stroke-dasharray=\"2 5\"",
        };
        svg.put(format!(
            "<path d=\"M{x} {y}h{WIDTH}v{HEIGHT}h-{WIDTH}z\"{dash}/>"
        ));
    }
    svg.put("</g>\n<g fill=\"var(--fig-gpu)\" fill-opacity=\"0.2\">");
    for group in 0..groups {
        let (x, y) = place(group);
        let full = match group + 1 == groups {
            true => WIDTH * (LAUNCH.size - LAUNCH.idle()) / LAUNCH.size,
            false => WIDTH,
        };
        svg.put(format!("<path d=\"M{x} {y}h{full}v{HEIGHT}h-{full}z\"/>"));
    }
    svg.put("</g>\n<g class=\"code\" text-anchor=\"middle\">");
    for group in 0..groups {
        let (x, y) = place(group);
        svg.text(x + WIDTH / 2, y + 15, "", group);
    }
    svg.put("</g>");
    let (last, idle, size) = (groups - 1, LAUNCH.idle(), LAUNCH.size);
    let words =
        format!("In group {last}, {idle} of {size} items have no element;");
    svg.text(8, bottom + 22, "", words);
    svg.text(8, bottom + 42, "", "the units below it have no group.");
    svg.put("</g>");
    svg.end()
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"puzzle\" viewBox=\"0 0 680 884\" role=\"img\">
<title>98 groups of 1024 items queue on 16 units</title>
<desc>A table with a row for each of 16 compute units and a column for each of 7 rounds. Groups 0 to 15 are in the first column, 16 to 31 in the second, and so on. The seventh column has only groups 96 and 97, and the right third of group 97 is empty.</desc>
<g transform=\"scale(1.885)\">
<g font-weight=\"600\">
<text x=\"8\" y=\"22\">round</text>
<text x=\"8\" y=\"47\">unit</text>
</g>
";
