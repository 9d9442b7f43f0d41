//! The steps of "How fast, and why" on the roofline of an H200, from the
//! tables in the book.

use std::fs;

use super::Svg;
use super::roof::{Axes, RIGHT};
use crate::tree::Tree;

const AXES: Axes = Axes { across: [0.1, 2000.0], up: [1e9, 300e12] };

/// A row of the table that multiplies matrices.
struct Row {
    name: String,
    /// Operations per byte.
    intensity: f64,
    /// Operations per second.
    rate: f64,
    /// Operations per second that the model predicts.
    predicted: f64,
}

/// Draws the measured limits of the card, and the rows below them.
pub(crate) fn svg() -> String {
    let listing = |name: &str| {
        let file = format!("book/listings/{name}_h200.out");
        fs::read_to_string(Tree::root().join(file)).unwrap_or_default()
    };
    let roof = listing("experiment_roof");
    let limit = |label: &str| {
        let line = roof.lines().find_map(|line| line.strip_prefix(label))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let bytes = 1e12 * limit("copies, global memory").unwrap_or(1.0);
    let top = 1e12 * limit("multiply-adds in registers").unwrap_or(1.0);
    let matmuls = listing("experiment_tf32");
    let cores = matmuls
        .lines()
        .last()
        .and_then(|line| line.split_whitespace().nth(5)?.parse::<f64>().ok());
    // One float32 multiplication takes three of the tensor cores.
    let cores = 1e12 * cores.unwrap_or(3.0) / 3.0;
    let mut svg = Svg::new(HEAD);
    svg.put(AXES.grid(
        &[0.1, 1.0, 10.0, 100.0, 1000.0],
        &[
            (1e9, "0.001"),
            (10e9, "0.01"),
            (100e9, "0.1"),
            (1e12, "1"),
            (10e12, "10"),
            (100e12, "100"),
        ],
    ));
    svg.put(AXES.roof(bytes, top));
    svg.put(AXES.text([0.13, 3e12], "copies"));
    svg.put(AXES.text([0.26, 115e12], "multiply-adds in registers"));
    let [x, y] = AXES.point([cores / bytes, cores]);
    svg.put(format!(
        "<path d=\"M{x:.1} {y:.1}H{RIGHT}\" stroke=\"var(--fig-value)\" \
         stroke-dasharray=\"5 4\"/>"
    ));
    svg.put(AXES.text([52.0, 160e12], "tensor cores, TF32 / 3"));
    for row in listing("part3_how_fast").lines().filter_map(row) {
        let [x, found] = AXES.point([row.intensity, row.rate]);
        let [_, told] = AXES.point([row.intensity, row.predicted]);
        svg.put(format!(
            "<path d=\"M{x:.1} {found:.1}V{told:.1}\" \
             stroke=\"currentColor\"/><circle cx=\"{x:.1}\" \
             cy=\"{told:.1}\" r=\"4.5\" fill=\"none\" \
             stroke=\"var(--fig-value)\" stroke-width=\"1.5\"/>"
        ));
        // Neighbors must not overlap.
        let shift = match row.name.as_str() {
            "matmul 2048" => [-100.0, 22.0],
            "matmul 8192" => [-46.0, 26.0],
            "matvec 100000x100" => [9.0, 8.0],
            _ => [9.0, 12.0],
        };
        let at = [row.intensity, row.rate];
        svg.put(AXES.dot(at, &row.name, "var(--fig-gpu)", shift));
    }
    svg.end()
}

/// `matmul 64  1  0.05  0.3M  52.4 µs  150.5 µs  2.87x  26.6 µs`.
fn row(line: &str) -> Option<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [.., megabytes, products, predicted, unit, measured, other, _, _, _] =
        words[..]
    else {
        return None;
    };
    let operations = 2e6 * products.strip_suffix('M')?.parse::<f64>().ok()?;
    let bytes = 1e6 * megabytes.parse::<f64>().ok()?;
    let seconds = |number: &str, unit| {
        let unit = match unit {
            "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            _ => return None,
        };
        Some(number.parse::<f64>().ok()? * unit)
    };
    // Very small byte counts are rounded to 0.
    (operations > 0.0 && bytes > 0.0).then_some(())?;
    Some(Row {
        name: line.get(..21)?.trim().to_string(),
        intensity: operations / bytes,
        rate: operations / seconds(measured, other)?,
        predicted: operations / seconds(predicted, unit)?,
    })
}

/// The tables cannot be reproduced, but their columns must agree: the ratio is
/// the quotient of the two times, and the factor below the table is the
/// largest ratio.
#[test]
fn the_columns_of_the_predicted_rows_agree() {
    let tree = Tree::of_this_repository();
    let mut seen = 0;
    for (file, table) in tree.list("book/listings/part3_how_fast", ".out") {
        let mut worst = 1.0_f64;
        for line in table.lines().filter(|line| line.contains("M ")) {
            let Some(Row { rate, predicted, .. }) = row(line) else { continue };
            let told = line.split_whitespace().rev().nth(2).unwrap();
            let told: f64 = told.strip_suffix('x').unwrap().parse().unwrap();
            let ratio = predicted / rate;
            assert!((told / ratio - 1.0).abs() < 0.1, "{file}: {line}");
        }
        for word in table.split_whitespace() {
            let Some(ratio) = word.strip_suffix('x') else { continue };
            let Ok(ratio) = ratio.parse::<f64>() else { continue };
            worst = worst.max(ratio).max(1.0 / ratio);
        }
        let told = "the model is right within a factor of ";
        let told = table.lines().find_map(|line| line.strip_prefix(told));
        let told: f64 = told.unwrap().parse().unwrap();
        assert!((told / worst - 1.0).abs() < 0.1, "{file}: {told}, {worst}");
        seen += 1;
    }
    assert!(seen > 0, "a table at least");
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 376\" role=\"img\">
<title>The steps of this chapter on the roofline of an H200</title>
<desc>TFLOP/s over operations per byte, both logarithmic. The roof rises with the bandwidth of copies up to 15 operations per byte and is flat from there, at 64 TFLOP/s. A dashed line at 130 TFLOP/s is a third of the rate of the tensor cores. The matrix-vector product is just below the slope. Matmuls of 512, 2048 and 8192 are from left to right on the right, the last two just above the flat part. The four training steps are far below the roof, those of small batches the farthest. A ring, joined to each dot by a line, is the prediction.</desc>
<text x=\"64\" y=\"14\" font-weight=\"600\">TFLOP/s</text>
<text x=\"438\" y=\"370\" text-anchor=\"end\" font-weight=\"600\">operations (FLOP) per byte of memory traffic</text>
";
