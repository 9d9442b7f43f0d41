//! How weights begin: leaves on the processor, drawn from a seed's sequence.
//!
//! [`Linear::new`] and [`Conv2d::new`] draw normal numbers for layers with a
//! `relu` behind them; their other constructor draws as PyTorch does.
//!
//! [`Linear::new`]: super::Linear::new
//! [`Conv2d::new`]: super::Conv2d::new

use super::super::{Device, Tensor};
use crate::error::{or_raise, room};
use crate::rng::Random;
use crate::shape::checked_size;

/// Draws numbers around 0 with a standard deviation.
///
/// ```
/// use rungrad::part3_unified::nn::init;
/// use rungrad::rng::Random;
///
/// let weight = init::normal(&[100, 100], 0.02, &mut Random::new(0));
/// assert!((weight.std().item()? - 0.02).abs() < 1e-3);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If the host has no memory for so many.
#[track_caller]
pub fn normal(shape: &[usize], deviation: f32, random: &mut Random) -> Tensor {
    drawn(shape, || deviation * random.normal())
}

/// Draws numbers from `-bound` to below `bound`, each as likely.
///
/// # Panics
///
/// If the host has no memory for so many.
#[track_caller]
pub fn uniform(shape: &[usize], bound: f32, random: &mut Random) -> Tensor {
    drawn(shape, || bound * (2.0 * random.uniform() - 1.0))
}

/// Draws even numbers for weights of which so many `inputs` are added up. `a`
/// is the slope of the leaky relu behind them: with it the sums keep the
/// variance of the inputs. PyTorch's layers take the square root of 5, which
/// makes the bound `1 / sqrt(inputs)`.
///
/// ```
/// use rungrad::part3_unified::nn::init;
/// use rungrad::rng::Random;
///
/// let a = 5f32.sqrt();
/// let weight = init::kaiming_uniform(&[64, 10], 64, a, &mut Random::new(0));
/// assert!(weight.abs().max().item()? <= 0.125);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If the host has no memory for so many.
// ANCHOR: kaiming
#[track_caller]
pub fn kaiming_uniform(
    shape: &[usize],
    inputs: usize,
    a: f32,
    random: &mut Random,
) -> Tensor {
    let variance = 2.0 / ((1.0 + a * a) * inputs as f32);
    // Even numbers up to a bound have a third of its square for variance.
    uniform(shape, (3.0 * variance).sqrt(), random)
}
// ANCHOR_END: kaiming

/// Fills a leaf with one number.
#[track_caller]
pub(super) fn filled(shape: &[usize], number: f32) -> Tensor {
    drawn(shape, || number)
}

#[track_caller]
fn drawn(shape: &[usize], mut number: impl FnMut() -> f32) -> Tensor {
    let count = or_raise(checked_size(shape));
    let mut values = or_raise(room(count));
    values.extend((0..count).map(|_| number()));
    or_raise(Tensor::new(shape, &values, Device::Cpu)).requires_grad()
}
