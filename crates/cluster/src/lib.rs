//! Data-parallel training: each of several **ranks** has a replica of the model
//! and computes the gradients of its part of the batch, and the ranks add their
//! gradients. A rank is a thread or a process, on this machine or on a different
//! one.
//!
//! Reading order: [`Link`] moves values between two ranks; [`local`] has a link
//! for the threads of one process, with a clock that simulates a network, and
//! `mpi` one for processes, if the feature `mpi` is on.
//! [`algorithms`] adds the values of all ranks over any link, and [`Collective`]
//! runs them in the background. [`TreeSum`] adds in an order that does not depend
//! on the number of ranks. [`DataParallel`] trains a model, and
//! [`DataParallel::sharded_step`] divides the state of its optimizer. [`model`]
//! predicts the time of a step on more ranks than you have.
//!
//! ```
//! use cluster::{DataParallel, Order, local};
//! use rungrad::nn::{Linear, Module, Parameters};
//! use rungrad::optim::{Adam, Optimizer};
//! use rungrad::part3_unified::{Device, Span, Tensor};
//! use rungrad::rng::Random;
//!
//! let train = |collective| {
//!     let x = Tensor::rand(&[32, 3], 1, Device::Cpu)?;
//!     let mut model = Linear::new(3, 3, &mut Random::new(0));
//!     let mut adam = Adam::new(0.05);
//!     let parallel = DataParallel::new(&collective, Order::Fixed { shards: 8 });
//!     parallel.broadcast(&mut model)?;
//!     let mut loss = 0.0;
//!     for _ in 0..20 {
//!         let reduction = parallel.backward(&model, &[1.0; 32], |rows| {
//!             let x = x.slice(&[rows]);
//!             model.forward(&x).mse(&(&x * 2.0 - 1.0))
//!         })?;
//!         loss = reduction.wait()?;
//!         adam.step(model.parameters_mut());
//!     }
//!     Ok::<f32, rungrad::Error>(loss)
//! };
//! let one = local::run(1, train).remove(0)?;
//! for four in local::run(4, train) {
//!     assert_eq!(one.to_bits(), four?.to_bits());
//! }
//! # Ok::<(), rungrad::Error>(())
//! ```

pub mod algorithms;
mod buffers;
mod collective;
mod link;
pub mod local;
mod message;
pub mod model;
#[cfg(feature = "mpi")]
pub mod mpi;
mod sharding;
mod training;
pub mod tree;

pub use collective::{Collective, Pending};
pub use link::Link;
pub use training::{DataParallel, Order, Reduction};
pub use tree::TreeSum;

use std::ops::Range;

/// Returns part `index` of `0..len` divided into `parts` ranges, whose lengths
/// differ by at most 1. A part is empty if there are more parts than elements.
///
/// ```
/// let parts = [0, 1, 2].map(|index| cluster::part(8, 3, index));
/// assert_eq!(parts, [0..2, 2..5, 5..8]);
/// ```
pub fn part(len: usize, parts: usize, index: usize) -> Range<usize> {
    len * index / parts..len * (index + 1) / parts
}
