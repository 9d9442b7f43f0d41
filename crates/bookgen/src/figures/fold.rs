//! Eight numbers added up in two ways, and the warps that work in each round:
//! "Reductions and barriers".

use std::fmt::Write;

/// Items of the group, and of a warp: fewer than a device has.
const ITEMS: usize = 8;
const WARP: usize = 4;
/// From one item, and from one round, to the next.
const WIDE: usize = 38;
const STEP: usize = 64;
/// The size of a cell.
const CELL: [usize; 2] = [30, 24];
const TOP: usize = 44;

pub(crate) fn svg() -> String {
    let mut svg = String::from(HEAD);
    let halves = [4, 2, 1].map(|apart| (apart, 1));
    let neighbors = [1, 2, 4].map(|apart| (apart, 2 * apart));
    for (left, name, rounds) in [
        (10, "upper half onto lower half", halves),
        (366, "neighbor onto neighbor", neighbors),
    ] {
        let middle = left + ITEMS * WIDE / 2;
        let words = format!(
            "<text x=\"{middle}\" y=\"20\" text-anchor=\"middle\" \
             font-weight=\"600\">{name}</text>"
        );
        writeln!(svg, "{words}").expect("a String");
        tree(&mut svg, left, rounds);
    }
    svg + "</svg>\n"
}

/// Draws a tree whose rounds add what lies so far away, to items that are so
/// far from one another; of halves, the first ones.
fn tree(svg: &mut String, left: usize, rounds: [(usize, usize); 3]) {
    let mut put = |line: String| writeln!(svg, "{line}").expect("a String");
    let mut sums: Vec<usize> = (1..=ITEMS).collect();
    let middle = |item: usize| left + item * WIDE + WIDE / 2;
    for round in 0..=rounds.len() {
        let y = TOP + round * STEP;
        let working: Vec<usize> = match round.checked_sub(1) {
            None => (0..ITEMS).collect(),
            Some(at) => {
                let (_, gap) = rounds[at];
                (0..ITEMS >> round).map(|i| i * gap).collect()
            }
        };
        for warp in 0..ITEMS / WARP {
            if working.iter().any(|item| item / WARP == warp) {
                put(format!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" \
                     rx=\"5\" fill=\"var(--fig-gpu)\" fill-opacity=\"0.2\"/>",
                    left + warp * WARP * WIDE + 1,
                    y - 4,
                    WARP * WIDE - 2,
                    CELL[1] + 8
                ));
            }
        }
        for &item in &working {
            if let Some(at) = round.checked_sub(1) {
                let from = item + rounds[at].0;
                let (x, up) = (middle(item), y + CELL[1] - STEP);
                put(format!(
                    "<path d=\"M{x} {up}V{y}M{} {up}L{x} {y}\" \
                     stroke=\"currentColor\" stroke-opacity=\"0.5\"/>",
                    middle(from)
                ));
                sums[item] += sums[from];
            }
        }
        for (item, sum) in sums.iter().enumerate() {
            let x = middle(item);
            let works = working.contains(&item);
            let look = match works {
                true => "stroke=\"var(--fig-gpu)\" stroke-width=\"1.5\"",
                false => "stroke=\"currentColor\" stroke-opacity=\"0.35\"",
            };
            put(format!(
                "<rect x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{}\" \
                 fill=\"none\" {look}/>",
                x - CELL[0] / 2,
                CELL[0],
                CELL[1]
            ));
            if works {
                put(format!(
                    "<text class=\"code\" x=\"{x}\" y=\"{}\" \
                     text-anchor=\"middle\">{sum}</text>",
                    y + 17
                ));
            }
        }
    }
    assert_eq!(sums[0], ITEMS * (ITEMS + 1) / 2);
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 274\" role=\"img\">
<title>The same sum folded in two ways, with the warps that work</title>
<desc>Eight items in two warps of four add up 1 to 8 in three rounds, and get 36. On the left the upper half is folded onto the lower one: in all three rounds the first warp alone works. On the right neighbors are added first: both warps work in rounds 1 and 2, each with half or a quarter of its items, and one in round 3.</desc>
";
