//! The movement of each tile of "The matmul ladder" along k, to scale, and the
//! elements that one item computes.

use rungrad::part2_gpu::matmul::MATMUL_LADDER;

use super::Svg;

/// One element is one pixel. A panel shows this much of the result, and of k.
const SIDE: usize = 128;
const K: usize = 64;
/// The size of every tile along k.
const DEPTH: usize = 16;
/// The gap between the matrices, and the distances between panels.
const GAP: usize = 8;
const PITCH: [usize; 2] = [232, 284];
/// The step that is drawn: the second of four.
const STEP: usize = 1;
/// The minimum size of a mark, so that a single element is visible.
const MIN_SIZE: usize = 3;

/// The properties of a panel: the tile of the group, and the elements of one
/// item, in runs of neighbors.
struct Panel {
    rung: usize,
    tile: [usize; 2],
    item: [usize; 2],
    runs: [Runs; 2],
    ahead: bool,
}

/// The number of runs, their length, and the distance between their starts.
#[derive(Clone, Copy)]
struct Runs(usize, usize, usize);

const PANELS: [Panel; 6] = [
    panel(3, [2, 5], [5, 9], [Runs(1, 1, 0), Runs(1, 1, 0)]),
    panel(4, [0, 1], [16, 40], [Runs(1, 16, 0), Runs(1, 1, 0)]),
    panel(5, [0, 0], [5, 9], [Runs(8, 1, 16), Runs(8, 1, 16)]),
    panel(6, [0, 0], [20, 36], [Runs(2, 4, 64), Runs(2, 4, 64)]),
    Panel {
        ahead: true,
        ..panel(7, [0, 0], [20, 36], [Runs(2, 4, 64), Runs(2, 4, 64)])
    },
    Panel {
        ahead: true,
        ..panel(8, [0, 0], [20, 36], [Runs(4, 4, 32), Runs(2, 4, 64)])
    },
];

const fn panel(
    rung: usize,
    tile: [usize; 2],
    item: [usize; 2],
    runs: [Runs; 2],
) -> Panel {
    Panel { rung, tile, item, runs, ahead: false }
}

pub(crate) fn svg() -> String {
    let mut svg = Svg::new(HEAD);
    for (at, panel) in PANELS.iter().enumerate() {
        let [x, y] = [4 + at % 2 * PITCH[0], 24 + at / 2 * PITCH[1]];
        svg.put(format!(
            "<g transform=\"translate({x} {y})\">{}</g>",
            panel.svg()
        ));
    }
    svg.end()
}

impl Panel {
    fn svg(&self) -> String {
        let rung = &MATMUL_LADDER[self.rung - 1];
        let [down, across] = self.tile.map(|at| at * rung.tile);
        // The result is at the bottom right, a on its left, and b above it.
        let far = K + GAP;
        let mut parts = vec![
            self.words(),
            frame([0, far], [K, SIDE], 0.3),
            frame([far, 0], [SIDE, K], 0.3),
            frame([far, far], [SIDE, SIDE], 0.3),
            area([far + across, far + down], [rung.tile; 2], "gpu", 0.2),
        ];
        for step in 0..K / DEPTH {
            let at = step * DEPTH;
            let places = [
                ([at, far + down], [DEPTH, rung.tile]),
                ([far + across, at], [rung.tile, DEPTH]),
            ];
            for (place, size) in places {
                parts.push(match step {
                    STEP => area(place, size, "value", 0.3),
                    _ if step == STEP + 1 && self.ahead => {
                        dashed(place, size) + &area(place, size, "cpu", 0.2)
                    }
                    _ if step > STEP => dashed(place, size),
                    _ => frame(place, size, 0.5),
                });
            }
        }
        let [rows, columns] = [0, 1].map(|side| {
            let Runs(count, length, apart) = self.runs[side];
            let first = [down, across][side] + self.item[side];
            (0..count).map(move |i| (far + first + i * apart, length))
        });
        let now = STEP * DEPTH;
        for (y, high) in rows.clone() {
            parts.push(mark([now, y], [DEPTH, high]));
        }
        for (x, wide) in columns.clone() {
            parts.push(mark([x, now], [wide, DEPTH]));
        }
        for (y, high) in rows {
            for (x, wide) in columns.clone() {
                parts.push(mark([x, y], [wide, high]));
            }
        }
        parts.join("")
    }

    fn words(&self) -> String {
        let rung = &MATMUL_LADDER[self.rung - 1];
        let name = rung.kernel.name();
        let word = name.split('_').nth(1).unwrap_or_default();
        let [high, wide] = rung.block;
        let items = rung.group[0] * rung.group[1];
        let (side, far) = (rung.tile, K + GAP);
        let bottom = far + SIDE;
        format!(
            "<text y=\"12\" font-weight=\"600\">{}: {word}</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">a, k &#8594;</text>\
             <text x=\"{}\" y=\"14\">b</text>\
             <text x=\"{}\" y=\"32\">k&#8595;</text>\
             <text y=\"{}\">tile {side} x {side}, {items} items</text>\
             <text y=\"{}\" fill=\"var(--fig-grad)\">{high} x {wide} per item\
             </text>",
            self.rung,
            K,
            far - 6,
            far + SIDE + 4,
            far + SIDE + 4,
            bottom + 18,
            bottom + 36
        )
    }
}

fn rect([x, y]: [usize; 2], [wide, high]: [usize; 2], look: &str) -> String {
    format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" {look}/>"
    )
}

fn frame(place: [usize; 2], size: [usize; 2], opacity: f32) -> String {
    let look = format!(
        "fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"{opacity}\""
    );
    rect(place, size, &look)
}

fn dashed(place: [usize; 2], size: [usize; 2]) -> String {
    let look = "fill=\"none\" stroke-dasharray=\"3 3\" \
                stroke=\"var(--fig-value)\"";
    rect(place, size, look)
}

fn area(
    place: [usize; 2],
    size: [usize; 2],
    ink: &str,
    opacity: f32,
) -> String {
    let look = format!(
        "fill=\"var(--fig-{ink})\" fill-opacity=\"{opacity}\" \
         stroke=\"var(--fig-{ink})\""
    );
    rect(place, size, &look)
}

/// Marks the elements that one item reads and computes.
fn mark(place: [usize; 2], size: [usize; 2]) -> String {
    let size = size.map(|it| it.max(MIN_SIZE));
    rect(place, size, "fill=\"var(--fig-grad)\" fill-opacity=\"0.8\"")
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 836\" role=\"img\">
<title>The tiles of rungs 3 to 8 in one step along k</title>
<desc>Six panels to scale. Each shows 128 by 128 elements of the result, the rows of a on its left and the columns of b above it, 64 elements along k. A group computes a tile of the result: 16 by 16 on rung 3, 64 by 64 on rung 4, 128 by 128 on rungs 5 to 8. Its tiles of a and b are 16 deep and are shown in the second of four steps. One item computes a single element on rung 3, a column of 16 on rung 4, 64 elements that are 16 apart on rung 5, four squares of 4 by 4 on rungs 6 and 7, and eight squares on rung 8. On rungs 7 and 8 the tiles of the third step are already being loaded.</desc>
";
