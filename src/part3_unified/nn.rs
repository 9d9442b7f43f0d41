//! Modules: a layer, layers one after the other, and the move of all their
//! parameters to a device. Chapter 27 builds them.
//!
//! Reading order: [`Linear`], the trait [`Module`], [`Sequential`].

use super::{Device, Tensor};
use crate::error::{Error, or_raise, room, zeros};
use crate::rng::Random;
use crate::shape::checked_size;

/// The name of a parameter, and the place in the model where it stands, so
/// that somebody can put a better one there.
pub type Parameter<'a> = (String, &'a mut Tensor);

// ANCHOR: module
/// A function with parameters.
pub trait Module: Send + Sync {
    /// What it makes of its input.
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor;

    /// What can be learned, each by its name.
    fn parameters(&mut self) -> Vec<Parameter<'_>>;

    /// Moves every parameter to a device.
    ///
    /// Each becomes a new leaf there, as by a step: it records, and it has no
    /// gradient yet. A parameter that is there already stays the leaf that it
    /// is. If the device refuses one of them, none has moved.
    fn to(&mut self, device: Device) -> Result<(), Error> {
        let mut parameters = self.parameters();
        parameters.retain(|(_, parameter)| parameter.device() != device);
        let moved = parameters.iter().map(|(_, parameter)| {
            // Detached first: the way there is not to be recorded.
            let there = parameter.detach().to(device)?;
            Ok(there.requires_grad())
        });
        let moved = moved.collect::<Result<Vec<Tensor>, Error>>()?;
        for ((_, parameter), moved) in parameters.into_iter().zip(moved) {
            *parameter = moved;
        }
        Ok(())
    }

    /// Forgets every gradient. A step has done so already.
    fn zero_grad(&mut self) {
        for (_, parameter) in self.parameters() {
            parameter.zero_grad();
        }
    }
}
// ANCHOR_END: module

// ANCHOR: function
/// A function that has no parameters is a module too: `Tensor::relu`.
impl<F: Fn(&Tensor) -> Tensor + Send + Sync> Module for F {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        self(x)
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        Vec::new()
    }
}
// ANCHOR_END: function

/// Each output is a weighted sum of all inputs, and a bias.
pub struct Linear {
    /// Shape (inputs, outputs).
    pub weight: Tensor,
    /// Shape (outputs), which stretches over the rows.
    pub bias: Tensor,
}

// ANCHOR: linear
impl Linear {
    /// The weights are drawn around 0 with a standard deviation of
    /// `sqrt(2 / inputs)`, from the bits that Part 1 draws from; the biases
    /// are 0. All of them begin on the processor.
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
    /// (rows, inputs) -> (rows, outputs).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.matmul(&self.weight).add(&self.bias)
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![
            ("weight".to_string(), &mut self.weight),
            ("bias".to_string(), &mut self.bias),
        ]
    }
}
// ANCHOR_END: linear

/// Modules one after the other.
#[derive(Default)]
pub struct Sequential {
    /// From the input to the output.
    pub modules: Vec<Box<dyn Module>>,
}

// ANCHOR: sequential
impl Sequential {
    /// Nothing yet: what goes in comes out.
    pub fn new() -> Sequential {
        Sequential::default()
    }

    /// And then another one.
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

    /// The names get the number of the module in front: `2.weight`.
    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let modules = self.modules.iter_mut().enumerate();
        let of_module = modules.flat_map(|(at, module)| {
            let parameters = module.parameters().into_iter();
            parameters.map(move |(name, p)| (format!("{at}.{name}"), p))
        });
        of_module.collect()
    }
}
// ANCHOR_END: sequential
