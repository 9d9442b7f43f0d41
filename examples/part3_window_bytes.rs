//! The cost of copying the windows of a convolution, in bytes and launches.

use std::process::ExitCode;

use rungrad::ConvOptions;
use rungrad::part3_unified::{Device, Tensor, Window, no_grad};
use rungrad::{Error, ledger};

// ANCHOR: ways
/// The multiplication reads the windows through the view, without a copy.
fn by_the_view(images: &Tensor, filters: &Tensor) -> Tensor {
    images.conv2d(filters, None, &ConvOptions::new())
}

/// First copies each window to a column of a matrix (im2col).
fn by_columns(images: &Tensor, filters: &Tensor) -> Tensor {
    let windows = images.windows(&Window::new([3, 3]));
    // (n, channels, height, width, rows, columns)
    let columns = windows.permute(&[0, 1, 4, 5, 2, 3]);
    let columns = columns.reshape(&[8, 16 * 9, 32 * 32]);
    let product = filters.reshape(&[32, 16 * 9]).matmul(&columns);
    product.reshape(&[8, 32, 32, 32])
}
// ANCHOR_END: ways

type Way = fn(&Tensor, &Tensor) -> Tensor;

fn main() -> ExitCode {
    rungrad::run(|| {
        let device = Device::Gpu(0);
        let images = Tensor::rand(&[8, 16, 34, 34], 1, device)?;
        let filters = Tensor::rand(&[32, 16, 3, 3], 2, device)?;
        println!("8 images of 16 channels  {:>8} bytes", bytes(&images));
        let ways: [(&str, Way); 2] =
            [("by the view", by_the_view), ("by columns", by_columns)];
        let mut results = Vec::new();
        for (name, way) in ways {
            let run = || no_grad(|| way(&images, &filters));
            results.push(cost(name, run, device)?);
            let gradients = || {
                let [x, w] = [&images, &filters].map(Tensor::clone);
                let (x, w) = (x.requires_grad(), w.requires_grad());
                way(&x, &w).sum().backward();
                x.grad().expect("the images require a gradient")
            };
            let _ = cost("  and gradients", gradients, device)?;
        }
        let [a, b] = [&results[0], &results[1]];
        println!("the results are equal: {}", a.to_vec()? == b.to_vec()?);
        Ok(())
    })
}

/// Returns the peak memory on the device above the initial use. The peak never
/// falls, so the variant that needs less must run first.
fn cost(
    name: &str,
    way: impl Fn() -> Tensor,
    device: Device,
) -> Result<Tensor, Error> {
    let before = device.memory()?;
    let (result, counts) = ledger::measure(way);
    let after = device.memory()?;
    assert!(after.peak > before.peak, "an earlier peak hides this one");
    println!(
        "{name:23}  {:>8} bytes at the peak, {:>2} launches",
        after.peak - before.now,
        counts.launches
    );
    Ok(result)
}

fn bytes(tensor: &Tensor) -> usize {
    4 * tensor.array().len()
}
