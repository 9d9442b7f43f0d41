//! The speed of matmul on the roofline of a device, for "How fast, and why",
//! from the table in the book.

use std::fs;

use rungrad::draw::{Color, Mark, Series, plot_loglog};

use crate::tree::Tree;

/// A matmul row of the table.
struct Row {
    /// Operations per byte.
    intensity: f64,
    /// Operations per second.
    rate: f64,
    /// Operations per second that the model predicts.
    predicted: f64,
}

/// Draws the roofline from the first three numbers, and the rows below it.
pub(crate) fn svg(name: &str) -> String {
    let file = format!("book/listings/{name}.out");
    let table = fs::read_to_string(Tree::root().join(file));
    let table = table.unwrap_or_default();
    let rows: Vec<Row> = table.lines().filter_map(row).collect();
    // GB/s, and billions of products per second.
    let number = |label: &str| {
        let line = table.lines().find_map(|line| line.strip_prefix(label))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let bytes = number("bytes").unwrap_or(1.0) * 1e9;
    let top = number("products").unwrap_or(1.0) * 2e9;
    let edges = [0.1, top / bytes, 1000.0];
    let roof = edges.map(|it| (it as f32, top.min(it * bytes) as f32));
    let points = |rate: fn(&Row) -> f64| {
        rows.iter()
            .map(|row| (row.intensity as f32, rate(row) as f32))
            .collect()
    };
    let series = |name: &str, mark, color, points| Series {
        name: name.to_string(),
        mark,
        color,
        points,
    };
    plot_loglog(
        &name.replace("part3_how_fast", "roofline"),
        "Operations in a second over operations for each byte, both \
         logarithmic: a roof that rises with the bytes and is flat where the \
         arithmetic is the limit, and the measured and the predicted rows \
         below it.",
        ["operations for each byte", "operations in a second"],
        &[
            series("the roof", Mark::Line, Color::Text, roof.to_vec()),
            series("measured", Mark::Dots, Color::Gpu, points(|it| it.rate)),
            series(
                "predicted",
                Mark::Rings,
                Color::Value,
                points(|it| it.predicted),
            ),
        ],
    )
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
