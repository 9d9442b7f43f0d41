//! The roofline figure of "How fast, and why": the model's prediction for one
//! matmul, with the prices that the book's table of an H200 has measured.

use rungrad::Error;
use serde_json::{Value, json};

/// The table whose first lines are the prices, and the table of the roof.
const PRICES: &str =
    include_str!("../../../book/listings/part3_how_fast_h200.out");
const ROOF: &str =
    include_str!("../../../book/listings/experiment_roof_h200.out");

/// The largest number of rows.
const MAX_ROWS: usize = 4096;

/// The prices of a launch, a byte and a multiply-add, in seconds.
pub(crate) struct Prices {
    launch: f64,
    byte: f64,
    multiply_add: f64,
}

impl Prices {
    pub(crate) fn read() -> Prices {
        Prices {
            launch: 1e-6 * measured(PRICES, "a launch"),
            byte: 1e-9 / measured(PRICES, "bytes"),
            multiply_add: 1e-9 / measured(PRICES, "FMAs"),
        }
    }

    /// Returns the seconds of launches, bytes and multiply-adds. The model of
    /// the chapter adds them.
    pub(crate) fn parts(
        &self,
        launches: f64,
        bytes: f64,
        products: f64,
    ) -> [f64; 3] {
        [
            launches * self.launch,
            bytes * self.byte,
            products * self.multiply_add,
        ]
    }
}

/// Returns the number in the line with this label.
fn measured(table: &str, label: &str) -> f64 {
    let line = table.lines().find_map(|line| line.strip_prefix(label));
    let word = line.and_then(|line| line.split_whitespace().next());
    word.and_then(|word| word.parse().ok()).expect("a line of the table")
}

/// Answers a request with the side of a square matrix and the number of rows
/// that are multiplied by it. The answer has the three parts of the predicted
/// time, the position on the roofline, and the positions of all powers of two.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let words: Option<Vec<usize>> =
        words.iter().map(|word| word.parse().ok()).collect();
    let words = words.as_deref().unwrap_or_default();
    let [side @ 1..=8192, rows @ 1..=MAX_ROWS] = *words else {
        return Err(Error::Usage(format!(
            "a matmul takes the side of its matrix, at most 8192, and a number \
             of rows, at most {MAX_ROWS}"
        )));
    };
    let powers = (0..=MAX_ROWS.ilog2()).map(|power| 1 << power);
    let mut answer = point(side, rows);
    answer["roof"] = json!({
        "bytes": 1e12 * measured(ROOF, "copies, global memory"),
        "flop": 1e12 * measured(ROOF, "multiply-adds in registers"),
    });
    answer["walk"] = powers.map(|rows| point(side, rows)).collect();
    Ok(answer)
}

/// Returns the prediction for (rows, side) by (side, side), in one launch with
/// the smallest possible memory traffic.
fn point(side: usize, rows: usize) -> Value {
    // `usize` has 32 bits in a page.
    let [m, n] = [rows, side].map(|it| it as f64);
    let [bytes, products] = [4.0 * (2.0 * m * n + n * n), m * n * n];
    let parts = Prices::read().parts(1.0, bytes, products);
    let seconds: f64 = parts.iter().sum();
    let flop = 2.0 * products;
    let names = ["overhead-bound", "memory-bound", "compute-bound"];
    let largest =
        (0..3).max_by(|&i, &j| parts[i].total_cmp(&parts[j])).unwrap_or(0);
    json!({
        "rows": rows,
        "bytes": bytes,
        "products": products,
        "intensity": flop / bytes,
        "rate": flop / seconds,
        "parts": parts,
        "seconds": seconds,
        "regime": names[largest],
    })
}
