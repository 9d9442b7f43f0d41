//! What a row is called.

use std::fmt;

use crate::work::Transformer;
use crate::work::Work::{self, *};

/// The name of a row: stable, and with its sizes, so that a row has the same
/// name only where it is the same work.
impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            Multiply(n) => format!("multiply {}", power(n)),
            Copy(n) => format!("copy {}", power(n)),
            CopyHalves(n) => format!("copy f16 {}", power(n)),
            Seven(n) => format!("seven {}", power(n)),
            Product { batch, sizes: [m, k, n], turned } => {
                let sizes = match m == k && k == n {
                    true => m.to_string(),
                    false => format!("{m}x{k}x{n}"),
                };
                let batch = match batch {
                    1 => String::new(),
                    many => format!("{many} of "),
                };
                let turned = match turned {
                    [false, false] => "",
                    [true, false] => " left transposed",
                    [false, true] => " right transposed",
                    [true, true] => " both transposed",
                };
                format!("matmul {batch}{sizes}{turned}")
            }
            Vector { rows, columns, turned: false } => {
                format!("matvec {rows}x{columns}")
            }
            Vector { rows, columns, .. } => {
                format!("matvec {rows}x{columns} transposed")
            }
            Sum { side, axis: None } => format!("sum {side}x{side}"),
            Sum { side, axis: Some(axis) } => {
                format!("sum {side}x{side} axis {axis}")
            }
            Max { side, axis } => format!("max {side}x{side} axis {axis}"),
            Turn(side) => format!("transpose {side}x{side}"),
            AddRow(side) => format!("broadcast {side}x{side}"),
            SumOver { sizes: [a, b, c], axes } => {
                let names: Vec<String> =
                    axes.iter().map(usize::to_string).collect();
                let word = if axes.len() == 1 { "axis" } else { "axes" };
                format!("sum {a}x{b}x{c} {word} {}", names.join(" and "))
            }
            Softmax { rows, columns } => format!("softmax {rows}x{columns}"),
            LogSoftmax { rows, columns } => {
                format!("log_softmax {rows}x{columns}")
            }
            Gather { rows, columns } => format!("gather {rows}x{columns}"),
            Notebook(n) => format!("notebook {}", power(n)),
            Chain(n) => format!("chain {n}"),
            Forward(n) => format!("chain {n} forward"),
            Mlp { batch, inputs, hidden } => {
                format!("mlp {batch}x{inputs}-{hidden}-10")
            }
            Cnn(batch) => format!("cnn {batch}x1x28x28"),
            Gpt(Transformer { batch, context, width, layers, .. }) => {
                format!("gpt {batch}x{context} {layers} of {width}")
            }
        };
        f.pad(&name)
    }
}

/// Writes a large size as the power that it is.
fn power(n: usize) -> String {
    let tens = n.ilog10();
    match n {
        _ if n >= 1 << 20 && n.is_power_of_two() => format!("2^{}", n.ilog2()),
        _ if n >= 1_000_000 && n == 10usize.pow(tens) => format!("10^{tens}"),
        _ => n.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_size() {
        let square = |turned| Product { batch: 1, sizes: [9; 3], turned };
        let batch = Product { batch: 8, sizes: [1, 2, 3], turned: [false; 2] };
        for (work, name) in [
            (Multiply(1), "multiply 1"),
            (Multiply(1 << 28), "multiply 2^28"),
            (Multiply(1_000_000), "multiply 10^6"),
            (Multiply(1_000_001), "multiply 1000001"),
            (square([true, false]), "matmul 9 left transposed"),
            (batch, "matmul 8 of 1x2x3"),
            (Sum { side: 5, axis: Some(1) }, "sum 5x5 axis 1"),
            (
                SumOver { sizes: [2, 3, 4], axes: &[0, 2] },
                "sum 2x3x4 axes 0 and 2",
            ),
            (Mlp { batch: 1, inputs: 2, hidden: 3 }, "mlp 1x2-3-10"),
        ] {
            assert_eq!(work.to_string(), name);
        }
    }
}
