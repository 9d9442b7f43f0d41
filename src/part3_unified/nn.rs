//! Modules: a layer, layers one after the other, and the move of all their
//! parameters to a device. "Modules and training anywhere" builds them.
//!
//! Reading order: the trait [`Module`], [`NamedParameters`], of which modules are made,
//! [`Linear`], [`Conv2d`], [`Sequential`]; what a module keeps beside its
//! parameters, [`Kept`]; the layers that use it, [`Dropout`] and [`BatchNorm`];
//! [`LayerNorm`], [`Embedding`], [`Residual`], the pools; [`init`], how
//! weights begin; and [`MultiHeadAttention`], of which, in [`Block`]s, a
//! [`Gpt`] is made, that writes on with a [`Memory`] of what it has read.
//!
//! A model of your own lists the fields that it learns, and says what it
//! makes of its input:
//!
//! ```
//! use rungrad::part3_unified::nn::{Linear, Module};
//! use rungrad::part3_unified::{Device, Tensor};
//! use rungrad::rng::Random;
//!
//! struct Block {
//!     hidden: Linear,
//!     out: Linear,
//!     gain: Tensor,
//! }
//!
//! impl Module for Block {
//!     fn forward(&self, x: &Tensor) -> Tensor {
//!         let hidden = self.hidden.forward(x).tanh();
//!         x + self.out.forward(&hidden) * &self.gain
//!     }
//!
//!     rungrad::parameters!(hidden, out, gain);
//! }
//!
//! let mut random = Random::new(0);
//! let model = Block {
//!     hidden: Linear::new(2, 3, &mut random),
//!     out: Linear::new(3, 2, &mut random),
//!     gain: Tensor::new(&[], &[0.5], Device::Cpu)?.requires_grad(),
//! };
//! assert_eq!(model.count(), 6 + 3 + 6 + 2 + 1);
//! assert_eq!(model.parameters()[3].0, "out.bias");
//! println!("{}", model.summary());
//! # Ok::<(), rungrad::Error>(())
//! ```
//!
//! Two fields that hold clones of one leaf are **tied weights**: one parameter,
//! as in PyTorch. It counts once, takes one step, and stays one leaf when the
//! model moves, changes its type, is saved and is loaded. A clone outside the
//! model is not replaced by a step: it keeps the numbers of before.

mod attention;
mod convolution;
mod dropout;
mod embedding;
mod gpt;
pub mod init;
mod kept;
mod named;
mod norm;
mod pool;
mod table;
mod tied;

use std::any::type_name;
use std::fmt;

pub use crate::parameters;
pub use attention::{KeysValues, MultiHeadAttention};
pub use convolution::Conv2d;
pub use dropout::Dropout;
pub use embedding::{Embedding, Residual};
pub use gpt::{Block, Gpt, GptSizes, Memory};
pub use kept::{Buffer, Generator, Kept, Mode};
pub use named::NamedParameters;
pub use norm::{BatchNorm, LayerNorm};
pub use pool::{AvgPool2d, MaxPool2d};
pub use tied::{SharedParameter, distinct};
pub(super) use tied::{first_places, set_all};

use super::{DType, Device, Tensor};
use crate::error::Result;
use crate::rng::Random;
use crate::scope::scope;

/// A parameter and its name, to be looked at.
pub type Parameter<'a> = (String, &'a Tensor);

/// The name of a parameter, and the place in the model where it stands, so
/// that a step can put a better one there.
pub type ParameterMut<'a> = (String, &'a mut Tensor);

// ANCHOR: module
/// A function with parameters.
pub trait Module: Send + Sync {
    /// Computes the output of an input.
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor;

    /// Lists what can be learned, each by its name. A leaf that two fields hold
    /// is listed under both names; [`distinct`] groups them.
    #[doc(alias("named_parameters"))]
    fn parameters(&self) -> Vec<Parameter<'_>>;

    /// Lists the places of the same parameters, in the same order.
    fn parameters_mut(&mut self) -> Vec<ParameterMut<'_>>;

    /// Lists what is kept beside the parameters, each by its name: buffers,
    /// generators and modes.
    fn kept(&self) -> Vec<(String, Kept<'_>)> {
        Vec::new()
    }

    /// Moves every parameter and every buffer to a device.
    ///
    /// Each becomes a new leaf there, as by a step: it records, and it has no
    /// gradient yet. A parameter that is there already stays the leaf that it
    /// is, and tied weights stay tied.
    ///
    /// # Errors
    ///
    /// If the device refuses a parameter, for want of room or because there
    /// is no such device; then none has moved.
    fn to(&mut self, device: Device) -> Result<()> {
        replace(self, |tensor| {
            // Detached first: the way there is not to be recorded.
            let away = tensor.device() != device;
            away.then(|| tensor.detach().to(device)).transpose()
        })
    }

    /// Changes the type of the numbers of every parameter and every buffer, as
    /// [`Module::to`] moves them: each parameter becomes a new leaf, unless it
    /// is of this type already.
    ///
    /// # Errors
    ///
    /// If a device has no such numbers, or no room; then none has changed.
    #[doc(alias("half", "double", "float"))]
    fn to_dtype(&mut self, dtype: DType) -> Result<()> {
        replace(self, |tensor| {
            let other = tensor.dtype() != dtype;
            other.then(|| tensor.detach().to_dtype(dtype)).transpose()
        })
    }

    /// Forgets every gradient. A step has done so already.
    fn zero_grad(&self) {
        for (_, parameter) in self.parameters() {
            parameter.zero_grad();
        }
    }
    // ANCHOR_END: module

    /// Says to every module in it that it is being trained, which is how each
    /// begins: [`Dropout`] drops, and [`BatchNorm`] normalizes by its batch.
    fn train(&self) {
        kept::set_modes(self.kept(), true);
    }

    /// Says to every module in it that it is not being trained: what only
    /// training needs is off, until [`Module::train`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::part3_unified::nn::{Dropout, Module};
    /// let dropout = Dropout::new(0.5, &mut rungrad::rng::Random::new(0));
    /// dropout.eval();
    /// let x = Tensor::ones(&[3], Device::Cpu)?;
    /// assert_eq!(dropout.forward(&x).to_vec()?, [1.0; 3]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    fn eval(&self) {
        kept::set_modes(self.kept(), false);
    }

    /// Lists the buffers: numbers that are moved and saved with the parameters,
    /// and that no step changes.
    #[doc(alias = "named_buffers")]
    fn buffers(&self) -> Vec<(String, &Buffer)> {
        let kept = self.kept().into_iter();
        kept.filter_map(|(name, it)| Some((name, it.buffer()?))).collect()
    }

    /// Lists the generators of random numbers. Whoever saves their states with
    /// the parameters goes on with the same numbers.
    fn generators(&self) -> Vec<(String, &Generator)> {
        let kept = self.kept().into_iter();
        kept.filter_map(|(name, it)| Some((name, it.generator()?))).collect()
    }

    /// Counts the numbers that can be learned. Tied weights count once.
    #[doc(alias = "numel")]
    fn count(&self) -> usize {
        let parameters = first_places(&self.parameters());
        parameters.iter().map(|(_, p)| p.array().len()).sum()
    }

    /// Draws a table of the parameters: name, shape, how many numbers, and on
    /// which device, with a total. Tied weights have one row, with their first
    /// name. It reads no number from a device.
    ///
    /// ```
    /// # use rungrad::part3_unified::nn::{Linear, Module};
    /// # use rungrad::rng::Random;
    /// let layer = Linear::new(64, 10, &mut Random::new(0));
    /// let table = "\
    /// parameter  shape     numbers  device
    /// weight     [64, 10]      640  cpu
    /// bias       [10]           10  cpu
    /// total                    650";
    /// assert_eq!(layer.summary(), table);
    /// ```
    fn summary(&self) -> String {
        table::summary(&first_places(&self.parameters()))
    }

    /// Says what `Debug` calls it in a list of modules: the name of its type.
    fn name(&self) -> String {
        table::short(type_name::<Self>())
    }
}

/// Puts new leaves in the place of parameters that are to be others, and new
/// numbers into buffers: of all or of none.
fn replace<M: Module + ?Sized>(
    module: &mut M,
    other: impl Fn(&Tensor) -> Result<Option<Tensor>>,
) -> Result<()> {
    let buffers = module.buffers().into_iter();
    let buffers = buffers.map(|(_, buffer)| other(&buffer.get()));
    let buffers = buffers.collect::<Result<Vec<_>>>()?;
    let parameters = distinct(module.parameters_mut());
    let leaves = parameters.iter().map(|parameter| other(parameter.tensor()));
    let leaves = leaves.collect::<Result<Vec<_>>>()?;
    set_all(module, leaves, buffers);
    Ok(())
}

// ANCHOR: function
/// A function that has no parameters is a module too: `Tensor::relu`.
impl<F: Fn(&Tensor) -> Tensor + Send + Sync> Module for F {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        self(x)
    }

    fn parameters(&self) -> Vec<Parameter<'_>> {
        Vec::new()
    }

    fn parameters_mut(&mut self) -> Vec<ParameterMut<'_>> {
        Vec::new()
    }
}
// ANCHOR_END: function

/// Each output is a weighted sum of all inputs, and a bias.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor, nn::{Linear, Module}};
/// # use rungrad::rng::Random;
/// let layer = Linear::new(3, 2, &mut Random::new(0));
/// let rows = Tensor::rand(&[5, 3], 1, Device::Cpu)?;
/// assert_eq!(layer.forward(&rows).shape(), [5, 2]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias = "Dense")]
pub struct Linear {
    /// Shape (inputs, outputs). PyTorch keeps it transposed.
    pub weight: Tensor,
    /// Shape (outputs), which stretches over the rows.
    pub bias: Tensor,
}

// ANCHOR: linear
impl Linear {
    /// Makes a layer on the processor. The weights are drawn around 0 with a
    /// standard deviation of `sqrt(2 / inputs)`, from the bits that Part 1
    /// draws from; the biases are 0.
    ///
    /// # Panics
    ///
    /// If the host has no memory for so many weights.
    #[track_caller]
    pub fn new(inputs: usize, outputs: usize, random: &mut Random) -> Linear {
        let deviation = (2.0 / inputs as f32).sqrt();
        Linear {
            weight: init::normal(&[inputs, outputs], deviation, random),
            bias: init::filled(&[outputs], 0.0),
        }
    }
}

impl Module for Linear {
    /// Computes (.., inputs) -> (.., outputs).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        by_rows(x, |rows| rows.matmul(&self.weight).add(&self.bias))
    }

    parameters!(weight, bias);

    fn name(&self) -> String {
        format!("Linear {:?}", self.weight.shape())
    }
}
// ANCHOR_END: linear

impl Linear {
    /// Makes a layer on the processor that begins as PyTorch's does: weights
    /// and biases are drawn evenly, up to `1 / sqrt(inputs)` from 0.
    ///
    /// ```
    /// # use rungrad::part3_unified::nn::Linear;
    /// # use rungrad::rng::Random;
    /// let layer = Linear::kaiming_uniform(16, 2, &mut Random::new(0));
    /// assert!(layer.weight.abs().max().item()? <= 0.25);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the host has no memory for so many weights.
    #[track_caller]
    pub fn kaiming_uniform(
        inputs: usize,
        outputs: usize,
        random: &mut Random,
    ) -> Linear {
        let (shape, a) = ([inputs, outputs], 5f32.sqrt());
        Linear {
            weight: init::kaiming_uniform(&shape, inputs, a, random),
            bias: init::kaiming_uniform(&[outputs], inputs, a, random),
        }
    }
}

/// Computes on (rows, columns) what has more axes in front, or one less.
#[track_caller]
fn by_rows(x: &Tensor, compute: impl FnOnce(&Tensor) -> Tensor) -> Tensor {
    let (Some((&columns, outer)), false) =
        (x.shape().split_last(), x.rank() == 2)
    else {
        return compute(x);
    };
    let y = compute(&x.reshape(&[outer.iter().product(), columns]));
    let last = y.shape().last().copied();
    y.reshape(&outer.iter().copied().chain(last).collect::<Vec<_>>())
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// Modules one after the other.
///
/// ```
/// # use rungrad::part3_unified::{Tensor, nn::{Linear, Module, Sequential}};
/// # use rungrad::rng::Random;
/// let mut random = Random::new(0);
/// let network = Sequential::new()
///     .then(Linear::new(64, 32, &mut random))
///     .then(Tensor::relu)
///     .then(Linear::new(32, 10, &mut random));
/// let shown = "Sequential [Linear [64, 32], relu, Linear [32, 10]]";
/// assert_eq!(format!("{network:?}"), shown);
/// ```
#[derive(Default)]
pub struct Sequential {
    /// From the input to the output.
    pub modules: Vec<Box<dyn Module>>,
}

// ANCHOR: sequential
impl Sequential {
    /// Begins with nothing: what goes in comes out.
    pub fn new() -> Sequential {
        Sequential::default()
    }

    /// Adds another one at the end.
    pub fn then(mut self, module: impl Module + 'static) -> Sequential {
        self.modules.push(Box::new(module));
        self
    }
}

impl Module for Sequential {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        let mut x = x.clone();
        for (at, module) in self.modules.iter().enumerate() {
            let _part = scope(at);
            x = module.forward(&x);
        }
        x
    }

    /// Lists the parameters of all modules. The names get the number of the
    /// module in front: `2.weight`.
    fn parameters(&self) -> Vec<Parameter<'_>> {
        self.modules.named("")
    }

    fn parameters_mut(&mut self) -> Vec<ParameterMut<'_>> {
        self.modules.named_mut("")
    }

    fn kept(&self) -> Vec<(String, Kept<'_>)> {
        self.modules.named_kept("")
    }
}
// ANCHOR_END: sequential

impl fmt::Debug for Sequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.modules.iter().map(|module| module.name());
        let names = names.collect::<Vec<_>>().join(", ");
        write!(f, "Sequential [{names}]")
    }
}
