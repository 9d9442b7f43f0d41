//! The elements that an item loads in one step along k, and the products that
//! it computes with them, for each block size of "The matmul ladder".

use rungrad::part2_gpu::matmul::{MATMUL_LADDER, MatmulRung};

use super::{BOLD, CODE, Svg};

/// The side of the square that represents an element.
const CELL: usize = 15;
/// The top of the blocks, below the elements of b.
const TOP: usize = 66;
const RIGHT: &str = " text-anchor=\"end\" font-weight=\"600\"";
/// The left edges of the blocks.
const PLACES: [usize; 4] = [64, 188, 318, 516];

pub(crate) fn svg() -> String {
    let mut svg = Svg::new(HEAD);
    let [first, second, third, last] = [2, 3, 4, 7].map(|i| &MATMUL_LADDER[i]);
    block(&mut svg, first, PLACES[0]);
    block(&mut svg, second, PLACES[1]);
    svg.fold(|svg| {
        svg.text(672, 22, RIGHT, "one multiply-add for each sum");
        block(svg, third, PLACES[2]);
        block(svg, last, PLACES[3]);
    });
    svg.end()
}

fn block(svg: &mut Svg, rung: &MatmulRung, left: usize) {
    let [rows, columns] = rung.block;
    let square =
        |x: usize, y: usize| format!("M{x} {y}h{CELL}v{CELL}h-{CELL}z");
    let a = (0..rows).map(|i| square(left - CELL - 8, TOP + i * CELL));
    let b = (0..columns).map(|j| square(left + j * CELL, TOP - CELL - 8));
    let loaded: String = a.chain(b).collect();
    svg.put(format!(
        "<path d=\"{loaded}\" fill=\"var(--fig-value)\" \
         fill-opacity=\"0.25\" stroke=\"var(--fig-value)\"/>"
    ));
    let sums: String = (0..rows * columns)
        .map(|at| {
            let (i, j) = (at / columns, at % columns);
            square(left + j * CELL, TOP + i * CELL)
        })
        .collect();
    svg.put(format!(
        "<path d=\"{sums}\" fill=\"none\" stroke=\"currentColor\"/>"
    ));
    let (loads, products) = (rows + columns, rows * columns);
    let [_, each] = rung.loads(1);
    let x = left - CELL - 8;
    let y = TOP + 16 * CELL + 30;
    let plural = if products > 1 { "s" } else { "" };
    svg.text(x, y, BOLD, format!("{rows} x {columns}"));
    svg.text(x, y + 22, "", format!("{loads} loads"));
    svg.text(x, y + 44, "", format!("{products} FMA{plural}"));
    svg.text(x, y + 66, CODE, format!("{each:.2} per FMA"));
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 410\" role=\"img\" class=\"folds\" style=\"--fold-cut: 292; --fold-down: 408; --fold-height: 410; --fold-total: 818\">
<title>The loads and multiply-adds of one item in one step along k</title>
<desc>Four blocks of results that one item computes, with the elements of a that it loads on the left and those of b above. One result: two loads for one multiply-add (FMA). A column of 16: 17 loads for 16. A block of 8 by 8: 16 loads for 64. A block of 16 by 8: 24 loads for 128.</desc>
<text x=\"8\" y=\"22\" font-weight=\"600\" fill=\"var(--fig-value)\">loaded: from a on the left, from b above</text>
";
