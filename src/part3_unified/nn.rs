//! Modules: a layer, layers one after the other, and the move of all their
//! parameters to a device. "Modules and training anywhere" builds them.
//!
//! Reading order: the trait [`Module`], [`NamedParameters`], of which modules are made,
//! [`Linear`], [`Conv2d`], [`Sequential`].
//!
//! A model of your own lists the fields that it learns, and says what it
//! makes of its input:
//!
//! ```
//! use rungrad::part3_unified::nn::{Linear, Module};
//! use rungrad::part3_unified::{Device, Tensor};
//! use rungrad::rng::Random;
//!
//! struct Residual {
//!     hidden: Linear,
//!     out: Linear,
//!     gain: Tensor,
//! }
//!
//! impl Module for Residual {
//!     fn forward(&self, x: &Tensor) -> Tensor {
//!         let hidden = self.hidden.forward(x).tanh();
//!         x + self.out.forward(&hidden) * &self.gain
//!     }
//!
//!     rungrad::parameters!(hidden, out, gain);
//! }
//!
//! let mut random = Random::new(0);
//! let model = Residual {
//!     hidden: Linear::new(2, 3, &mut random),
//!     out: Linear::new(3, 2, &mut random),
//!     gain: Tensor::new(&[], &[0.5], Device::Cpu)?.requires_grad(),
//! };
//! assert_eq!(model.count(), 6 + 3 + 6 + 2 + 1);
//! assert_eq!(model.parameters()[3].0, "out.bias");
//! println!("{}", model.summary());
//! # Ok::<(), rungrad::Error>(())
//! ```

mod convolution;
mod named;
mod table;

use std::any::type_name;
use std::fmt;

pub use crate::parameters;
pub use convolution::Conv2d;
pub use named::NamedParameters;

use super::{Device, Tensor};
use crate::error::{Result, or_raise, room, zeros};
use crate::rng::Random;
use crate::shape::checked_size;

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

    /// Lists what can be learned, each by its name.
    #[doc(alias("named_parameters", "state_dict"))]
    fn parameters(&self) -> Vec<Parameter<'_>>;

    /// Lists the places of the same parameters, in the same order.
    fn parameters_mut(&mut self) -> Vec<ParameterMut<'_>>;

    /// Moves every parameter to a device.
    ///
    /// Each becomes a new leaf there, as by a step: it records, and it has no
    /// gradient yet. A parameter that is there already stays the leaf that it
    /// is.
    ///
    /// # Errors
    ///
    /// If the device refuses a parameter, for want of room or because there
    /// is no such device; then none has moved.
    fn to(&mut self, device: Device) -> Result<()> {
        let mut parameters = self.parameters_mut();
        parameters.retain(|(_, parameter)| parameter.device() != device);
        let moved = parameters.iter().map(|(_, parameter)| {
            // Detached first: the way there is not to be recorded.
            let there = parameter.detach().to(device)?;
            Ok(there.requires_grad())
        });
        let moved = moved.collect::<Result<Vec<Tensor>>>()?;
        for ((_, parameter), moved) in parameters.into_iter().zip(moved) {
            *parameter = moved;
        }
        Ok(())
    }

    /// Forgets every gradient. A step has done so already.
    fn zero_grad(&self) {
        for (_, parameter) in self.parameters() {
            parameter.zero_grad();
        }
    }
    // ANCHOR_END: module

    /// Counts the numbers that can be learned.
    #[doc(alias = "numel")]
    fn count(&self) -> usize {
        self.parameters().iter().map(|(_, p)| p.array().len()).sum()
    }

    /// Draws a table of the parameters: name, shape, how many numbers, and on
    /// which device, with a total. It reads no number from a device.
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
        table::summary(&self.parameters())
    }

    /// Says what `Debug` calls it in a list of modules: the name of its type.
    fn name(&self) -> String {
        table::short(type_name::<Self>())
    }
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
        let count = or_raise(checked_size(&[inputs, outputs]));
        let mut weight = or_raise(room(count));
        weight.extend((0..count).map(|_| deviation * random.normal()));
        let leaf = |shape: &[usize], values: &[f32]| {
            or_raise(Tensor::new(shape, values, Device::Cpu)).requires_grad()
        };
        Linear {
            weight: leaf(&[inputs, outputs], &weight),
            bias: leaf(&[outputs], &or_raise(zeros(outputs))),
        }
    }
}

impl Module for Linear {
    /// Computes (rows, inputs) -> (rows, outputs).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.matmul(&self.weight).add(&self.bias)
    }

    parameters!(weight, bias);

    fn name(&self) -> String {
        format!("Linear {:?}", self.weight.shape())
    }
}
// ANCHOR_END: linear

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
        for module in &self.modules {
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
}
// ANCHOR_END: sequential

impl fmt::Debug for Sequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.modules.iter().map(|module| module.name());
        let names = names.collect::<Vec<_>>().join(", ");
        write!(f, "Sequential [{names}]")
    }
}
