//! Neural network modules: layers, sequences of layers, and moving their
//! parameters between devices. Built in "Modules and training anywhere".
//!
//! Reading order: the traits [`Module`] and [`Parameters`], and
//! [`NamedParameters`], which modules are composed of; [`Linear`], [`Conv2d`]
//! and [`Sequential`]; [`Kept`], the state of a module besides its parameters,
//! and the layers that use it, [`Dropout`] and [`BatchNorm`]; [`LayerNorm`],
//! [`GroupNorm`], [`RmsNorm`], [`Embedding`], [`Residual`] and pooling;
//! [`GruCell`] and [`LstmCell`]; [`init`], the initialization of weights; and
//! [`MultiHeadAttention`], which [`Block`] and [`Gpt`] are built from. A
//! [`Memory`] is a GPT's key-value cache.
//!
//! To define a model, list the fields with parameters, and write its forward
//! pass. A part with several inputs, such as a recurrent cell, implements only
//! [`Parameters`]:
//!
//! ```
//! use rungrad::nn::{Linear, Module, Parameters};
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
//! }
//!
//! impl Parameters for Block {
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
//! Two fields that hold clones of the same leaf are **tied weights**: one
//! parameter, as in PyTorch. It is counted once, updated once per step, and
//! stays one leaf when the model is moved, converted, saved or loaded. Clones
//! outside the model are not updated by a step; they keep the old values.
//!
//! A parameter that does not require a gradient is **frozen**: optimizers skip
//! it, and it stays frozen when the model is moved, converted or loaded.
//! Freeze a field by `layer.weight = layer.weight.detach()`, and unfreeze it
//! by `layer.weight = layer.weight.clone().requires_grad()`.

mod attention;
mod convolution;
mod dropout;
mod embedding;
mod gpt;
mod group_norm;
pub mod init;
mod kept;
mod named;
mod norm;
mod pool;
mod recurrent;
mod table;
mod tied;

use std::any::type_name;
use std::fmt;

#[doc(hidden)]
pub use crate::parameters;
pub use attention::{KeysValues, MultiHeadAttention};
pub use convolution::Conv2d;
pub use dropout::Dropout;
pub use embedding::{Embedding, Residual};
pub use gpt::{Block, Gpt, GptSizes, Memory};
pub use group_norm::{GroupNorm, RmsNorm};
pub use kept::{Buffer, Generator, Kept, Mode};
pub use named::NamedParameters;
pub use norm::{BatchNorm, LayerNorm};
pub use pool::{AvgPool2d, MaxPool2d};
pub use recurrent::{GruCell, LstmCell};
pub use tied::{SharedParameter, distinct};
pub(super) use tied::{first_places, set_all};

use crate::error::Result;
use crate::part3_unified::{DType, Device, Tensor};
use crate::rng::Random;
use crate::scope::scope;

/// The name of a parameter, and a reference to it.
pub type Parameter<'a> = (String, &'a Tensor);

/// The name of a parameter, and a mutable reference to the field that holds
/// it, so that a step can replace it.
pub type ParameterMut<'a> = (String, &'a mut Tensor);

// ANCHOR: module
/// A function of a tensor, with trainable parameters.
pub trait Module: Parameters {
    /// Computes the output for an input.
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor;
}

/// A part of a model that has trainable parameters. It needs no forward pass
/// with one input, so a recurrent cell can be moved and saved as well.
pub trait Parameters: Send + Sync {
    /// Lists the parameters with their names. A leaf that two fields share is
    /// listed under both names; [`distinct`] groups them.
    #[doc(alias("named_parameters"))]
    fn parameters(&self) -> Vec<Parameter<'_>>;

    /// Lists the same parameters, mutably and in the same order.
    fn parameters_mut(&mut self) -> Vec<ParameterMut<'_>>;

    /// Lists the state besides the parameters, with names: buffers, random
    /// number generators and modes.
    fn kept(&self) -> Vec<(String, Kept<'_>)> {
        Vec::new()
    }

    /// Moves all parameters and buffers to a device.
    ///
    /// Each parameter becomes a new leaf on the device, without a gradient, as
    /// after a step. Parameters that are already on the device stay the same
    /// leaves, and tied weights stay tied.
    ///
    /// # Errors
    ///
    /// If the device does not exist or is out of memory; then the model is
    /// unchanged.
    fn to(&mut self, device: Device) -> Result<()> {
        replace(self, |tensor| {
            // Detach, so that the copy is not recorded in the graph.
            let away = tensor.device() != device;
            away.then(|| tensor.detach().to(device)).transpose()
        })
    }

    /// Converts all parameters and buffers to another element type, as
    /// [`Parameters::to`] moves them: each parameter becomes a new leaf, unless
    /// it already has this type.
    ///
    /// # Errors
    ///
    /// If a device does not support the type or is out of memory; then the
    /// model is unchanged.
    #[doc(alias("half", "double", "float"))]
    fn to_dtype(&mut self, dtype: DType) -> Result<()> {
        replace(self, |tensor| {
            let other = tensor.dtype() != dtype;
            other.then(|| tensor.detach().to_dtype(dtype)).transpose()
        })
    }

    /// Clears all gradients. An optimizer's step does this too.
    fn zero_grad(&self) {
        for (_, parameter) in self.parameters() {
            parameter.zero_grad();
        }
    }
    // ANCHOR_END: module

    /// Replaces each parameter by a new leaf without a gradient.
    ///
    /// The clone of a module holds the same leaves as the original. A step
    /// replaces the leaves of one of the two and leaves the other as it was,
    /// which is right for the best model so far or a running average. Call
    /// this on a clone that is trained as well, so that the gradients of the
    /// two are separate.
    ///
    /// ```
    /// # use rungrad::nn::{Linear, Parameters};
    /// # use rungrad::rng::Random;
    /// let layer = Linear::new(2, 1, &mut Random::new(0));
    /// let mut other = layer.clone();
    /// assert_eq!(other.weight.id(), layer.weight.id());
    /// other.renew();
    /// assert_ne!(other.weight.id(), layer.weight.id());
    /// ```
    fn renew(&mut self) {
        let renewed = replace(self, |tensor| Ok(Some(tensor.detach())));
        renewed.expect("a detached tensor needs no memory");
    }

    /// Switches all submodules to training mode, which is the initial mode:
    /// [`Dropout`] drops elements, and [`BatchNorm`] normalizes with the
    /// statistics of the batch.
    fn train(&self) {
        kept::set_modes(self.kept(), true);
    }

    /// Switches all submodules to evaluation mode, until [`Parameters::train`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// use rungrad::nn::{Dropout, Module, Parameters};
    /// let dropout = Dropout::new(0.5, &mut rungrad::rng::Random::new(0));
    /// dropout.eval();
    /// let x = Tensor::ones(&[3], Device::Cpu)?;
    /// assert_eq!(dropout.forward(&x).to_vec()?, [1.0; 3]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    fn eval(&self) {
        kept::set_modes(self.kept(), false);
    }

    /// Lists the buffers: tensors that are moved and saved with the
    /// parameters, but are not updated by steps.
    #[doc(alias = "named_buffers")]
    fn buffers(&self) -> Vec<(String, &Buffer)> {
        let kept = self.kept().into_iter();
        kept.filter_map(|(name, it)| Some((name, it.buffer()?))).collect()
    }

    /// Lists the random number generators. Save their states with the
    /// parameters to continue with the same random numbers.
    fn generators(&self) -> Vec<(String, &Generator)> {
        let kept = self.kept().into_iter();
        kept.filter_map(|(name, it)| Some((name, it.generator()?))).collect()
    }

    /// Returns the number of elements of all parameters, including frozen ones.
    /// Tied weights count once.
    #[doc(alias = "numel")]
    fn count(&self) -> usize {
        let parameters = first_places(&self.parameters());
        parameters.iter().map(|(_, p)| p.array().len()).sum()
    }

    /// Returns a table of the parameters with their names, shapes, sizes and
    /// devices, and the total size. Tied weights have one row, with their
    /// first name. No data is read from a device.
    ///
    /// ```
    /// # use rungrad::nn::{Linear, Parameters};
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

    /// Returns the module's name for `Debug` output, by default its type name.
    fn name(&self) -> String {
        table::short_type_name(type_name::<Self>())
    }
}

/// Replaces the parameters and buffers for which `other` returns a new tensor;
/// all of them, or none if one fails.
fn replace<M: Parameters + ?Sized>(
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
/// A function without parameters, such as `Tensor::relu`, is a module.
impl<F: Fn(&Tensor) -> Tensor + Send + Sync> Module for F {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        self(x)
    }
}

impl<F: Fn(&Tensor) -> Tensor + Send + Sync> Parameters for F {
    fn parameters(&self) -> Vec<Parameter<'_>> {
        Vec::new()
    }

    fn parameters_mut(&mut self) -> Vec<ParameterMut<'_>> {
        Vec::new()
    }
}
// ANCHOR_END: function

/// A fully connected layer: each output is a weighted sum of all inputs, plus
/// a bias.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::{Linear, Module};
/// # use rungrad::rng::Random;
/// let layer = Linear::new(3, 2, &mut Random::new(0));
/// let rows = Tensor::rand(&[5, 3], 1, Device::Cpu)?;
/// assert_eq!(layer.forward(&rows).shape(), [5, 2]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias = "Dense")]
#[derive(Clone)]
pub struct Linear {
    /// Shape (inputs, outputs). PyTorch stores the transpose.
    pub weight: Tensor,
    /// Shape (outputs), broadcast over the rows.
    pub bias: Tensor,
}

// ANCHOR: linear
impl Linear {
    /// Creates a layer on the CPU. The weights are normally distributed with
    /// mean 0 and standard deviation `sqrt(2 / inputs)`, and equal the weights
    /// of Part 1 for the same seed. The biases are 0.
    ///
    /// # Panics
    ///
    /// If the host is out of memory.
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
        affine(x, &self.weight, Some(&self.bias))
    }
}

impl Parameters for Linear {
    parameters!(weight, bias);

    fn name(&self) -> String {
        format!("Linear {:?}", self.weight.shape())
    }
}
// ANCHOR_END: linear

impl Linear {
    /// Creates a layer on the CPU with PyTorch's default initialization:
    /// weights and biases are uniform in `±1 / sqrt(inputs)`.
    ///
    /// ```
    /// # use rungrad::nn::Linear;
    /// # use rungrad::rng::Random;
    /// let layer = Linear::kaiming_uniform(16, 2, &mut Random::new(0));
    /// assert!(layer.weight.abs().max().item()? <= 0.25);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the host is out of memory.
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

/// Multiplies rows by a matrix and adds a bias: (.., inputs) -> (.., outputs).
/// The leading axes are flattened to one for the product.
#[track_caller]
fn affine(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Tensor {
    if let [outer @ .., inputs] = x.shape()
        && outer.len() != 1
    {
        let rows = x.reshape(&[outer.iter().product(), *inputs]);
        let y = affine(&rows, weight, bias);
        return y.reshape(&[outer, &y.shape()[1..]].concat());
    }
    let y = x.matmul(weight);
    match bias {
        Some(bias) => y.add(bias),
        None => y,
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A sequence of modules, each applied to the output of the one before.
///
/// ```
/// # use rungrad::part3_unified::Tensor;
/// # use rungrad::nn::{Linear, Module, Sequential};
/// # use rungrad::rng::Random;
/// let mut random = Random::new(0);
/// let network = Sequential::new()
///     .then(Linear::new(64, 32, &mut random))
///     .then(Tensor::relu)
///     .then(Linear::new(32, 10, &mut random));
/// let shown = "Sequential [Linear [64, 32], relu, Linear [32, 10]]";
/// assert_eq!(format!("{network:?}"), shown);
/// ```
#[derive(Clone, Default)]
pub struct Sequential {
    /// The modules, from input to output.
    pub modules: Vec<Box<dyn Layer>>,
}

// ANCHOR: sequential
impl Sequential {
    /// Creates an empty sequence, which returns its input.
    pub fn new() -> Sequential {
        Sequential::default()
    }

    /// Appends a module.
    pub fn then(mut self, module: impl Layer) -> Sequential {
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
}

impl Parameters for Sequential {
    /// Lists the parameters of all modules. Names begin with the index of the
    /// module: `2.weight`.
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

/// A module that a [`Sequential`] can hold: every module that is `Clone`.
pub trait Layer: Module + 'static {
    /// Returns a clone in a box.
    fn boxed(&self) -> Box<dyn Layer>;
}

impl<M: Module + Clone + 'static> Layer for M {
    fn boxed(&self) -> Box<dyn Layer> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Layer> {
    fn clone(&self) -> Box<dyn Layer> {
        (**self).boxed()
    }
}

impl fmt::Debug for Sequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.modules.iter().map(|module| module.name());
        let names = names.collect::<Vec<_>>().join(", ");
        write!(f, "Sequential [{names}]")
    }
}
