//! The filter figure of "Windows and a product": the windows of a digit through
//! a view, as the rows of a matrix, and their product with a filter.

use rungrad::Error;
use rungrad::data::digits;
use rungrad::part1_cpu::Tensor;
use rungrad::shape::Window;
use serde_json::{Value, json};

use crate::numbers;
use crate::strides::View;

const SIDE: usize = 8;
const FILTER: usize = 3;

/// Answers a request for a digit of the chapter (`digit` and its index), or a
/// request with the pixels of a drawing and the elements of a filter.
pub(crate) fn answer(what: &str, words: &[&str]) -> Result<Value, Error> {
    match (what, words) {
        ("digit", [word]) => {
            let digits = digits();
            let row: Option<usize> = word.parse().ok();
            let row =
                row.filter(|row| *row < digits.rows()).ok_or_else(|| {
                    Error::Usage(format!(
                        "there is no digit `{word}`; there are {}, from 0 on",
                        digits.rows()
                    ))
                })?;
            Ok(json!({
                "pixels": numbers(digits.row(row)),
                "label": digits.labels[row],
            }))
        }
        ("", [pixels, filter]) => {
            let pixels = read(pixels, SIDE * SIDE, "a drawing")?;
            convolve(&pixels, &read(filter, FILTER * FILTER, "a filter")?)
        }
        _ => Err(Error::Usage(
            "this figure takes a drawing and a filter".to_string(),
        )),
    }
}

fn read(words: &str, n: usize, what: &str) -> Result<Vec<f32>, Error> {
    let values: Option<Vec<f32>> =
        words.split(',').map(|it| it.parse().ok()).collect();
    let values = values.filter(|values| values.len() == n);
    values.ok_or_else(|| {
        Error::Usage(format!("{what} has {n} numbers, separated by commas"))
    })
}

/// Returns each window as a row, the products in it, and their sums.
fn convolve(pixels: &[f32], filter: &[f32]) -> Result<Value, Error> {
    let window = Window::new([FILTER, FILTER]);
    let view = View::dense(&[SIDE, SIDE]).windows(&window)?;
    let values: Vec<f32> = view.offsets().map(|i| pixels[i]).collect();
    let width = filter.len();
    let rows = Tensor::new(&[values.len() / width, width], &values);
    let products = rows.mul(&Tensor::new(&[1, width], filter));
    let sums = rows.matmul(&Tensor::new(&[width, 1], filter));
    Ok(json!({
        "positions": view.shape()[0],
        "strides": view.strides(),
        "rows": numbers(&values),
        "products": numbers(&products.to_vec()),
        "map": numbers(&sums.to_vec()),
    }))
}
