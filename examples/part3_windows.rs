//! A filter moves over a digit: the windows are a view, and the filter's
//! response is a matrix multiplication.

use std::process::ExitCode;

use rungrad::ConvOptions;
use rungrad::Error;
use rungrad::data::digits;
use rungrad::part3_unified::{Device, Tensor, Window};

fn main() -> ExitCode {
    rungrad::run(|| {
        let [image, edges] = edges()?;
        let (left, right) = (rows(&image)?, rows(&edges)?);
        // The corner of the output is centered on the second pixel of the
        // image.
        let beside = [vec![String::new()], right].concat();
        for (row, left) in left.iter().enumerate() {
            let right = beside.get(row).map_or("", String::as_str);
            println!("{}", format!("{left}     {right}").trim_end());
        }
        product(&image, &edges)
    })
}

// ANCHOR: edges
/// Returns a digit, and where it gets darker to the right.
fn edges() -> Result<[Tensor; 2], Error> {
    let image = Tensor::new(&[1, 1, 8, 8], digits().row(0), Device::Cpu)?;
    #[rustfmt::skip]
    let numbers = [-1.0, 0.0, 1.0,
                   -1.0, 0.0, 1.0,
                   -1.0, 0.0, 1.0];
    let filter = Tensor::new(&[1, 1, 3, 3], &numbers, Device::Cpu)?;
    let edges = image.conv2d(&filter, None, &ConvOptions::new());
    Ok([image, edges])
}
// ANCHOR_END: edges

/// Formats the rows as characters: ink and increases as `+` and `#`, decreases
/// as `-` and `=`.
fn rows(image: &Tensor) -> Result<Vec<String>, Error> {
    let letter = |x: &f32| match x {
        1.5.. => '#',
        0.25.. => '+',
        -0.25.. => '.',
        -1.5.. => '-',
        _ => '=',
    };
    let values = image.to_vec()?;
    let rows = values.chunks(image.shape()[3]);
    Ok(rows.map(|row| row.iter().map(letter).collect()).collect())
}

// ANCHOR: product
/// Computes the same with a matrix multiplication.
fn product(image: &Tensor, edges: &Tensor) -> Result<(), Error> {
    let image = image.reshape(&[8, 8]);
    let windows = image.windows(&Window::new([3, 3]));
    let rows = windows.reshape(&[36, 9]);
    let steps = [("image", &image), ("windows", &windows), ("rows", &rows)];
    for (name, tensor) in steps {
        let shares = tensor.array().shares_storage(image.array());
        println!(
            "{name:7}  shape {:?}  strides {:?}  {}",
            tensor.shape(),
            tensor.array().strides(),
            if shares { "the image's memory" } else { "a copy" }
        );
    }
    let filter = [-1.0, 0.0, 1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0];
    let filter = Tensor::new(&[9, 1], &filter, Device::Cpu)?;
    let product = rows.matmul(&filter);
    let same = product.to_vec()? == edges.to_vec()?;
    println!("the product has the numbers of the convolution: {same}");
    Ok(())
}
// ANCHOR_END: product
