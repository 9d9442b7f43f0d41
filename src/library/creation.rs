//! Constructors: tensors from data, with constant, evenly spaced or random
//! elements. They return a `Result`, because the device may fail.

use super::Data;
use crate::error::{Error, Result, or_raise, room, zeros};
use crate::part3_unified::{Array, Device, Tensor};
use crate::rng::Random;
use crate::shape::checked_size;

impl Tensor {
    /// Creates a tensor of the given shape from data that may be elsewhere: a
    /// list, an ndarray, or a device buffer.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::from_data(&[2, 1], vec![1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.shape(), [2, 1]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of elements does not match the shape, or the device
    /// fails.
    pub fn from_data(
        shape: &[usize],
        data: impl Into<Data>,
        device: Device,
    ) -> Result<Tensor> {
        Ok(Tensor::from(Array::from_data(shape, data, device)?))
    }

    /// Creates a tensor with the same value everywhere. It stores a single
    /// element, whatever the shape.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::full(&[2, 2], 7.0, Device::Cpu)?;
    /// assert_eq!(x.to_vec()?, [7.0; 4]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the shape exceeds the address space, or the device fails.
    pub fn full(shape: &[usize], value: f32, device: Device) -> Result<Tensor> {
        Ok(Tensor::from(Array::full(shape, value, device)?))
    }

    /// Creates a tensor of zeros.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// assert_eq!(Tensor::zeros(&[3], Device::Cpu)?.to_vec()?, [0.0; 3]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::full`].
    pub fn zeros(shape: &[usize], device: Device) -> Result<Tensor> {
        Tensor::full(shape, 0.0, device)
    }

    /// Creates a tensor of ones.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// assert_eq!(Tensor::ones(&[3], Device::Cpu)?.to_vec()?, [1.0; 3]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::full`].
    pub fn ones(shape: &[usize], device: Device) -> Result<Tensor> {
        Tensor::full(shape, 1.0, device)
    }

    /// Creates a tensor with the same value everywhere, and with this tensor's
    /// shape, type and device.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.full_like(5.0).to_vec()?, [5.0, 5.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn full_like(&self, value: impl Into<f64>) -> Tensor {
        let full = self.array().full_here(self.shape(), value.into());
        Tensor::from(or_raise(full))
    }

    /// Creates a tensor of zeros with this tensor's shape, type and device.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.zeros_like().to_vec()?, [0.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn zeros_like(&self) -> Tensor {
        self.full_like(0.0)
    }

    /// Creates a tensor of ones with this tensor's shape, type and device.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.ones_like().to_vec()?, [1.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn ones_like(&self) -> Tensor {
        self.full_like(1.0)
    }
}

impl Tensor {
    /// Creates a tensor that counts from `start` in steps of `step`, as long
    /// as the value, rounded to `f32`, is before `end`. For example,
    /// `arange(0.0, 0.3, 0.1, device)` has three elements.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let up = Tensor::arange(0.0, 5.0, 2.0, Device::Cpu)?;
    /// assert_eq!(up.to_vec()?, [0.0, 2.0, 4.0]);
    /// let down = Tensor::arange(1.0, 0.0, -0.25, Device::Cpu)?;
    /// assert_eq!(down.to_vec()?, [1.0, 0.75, 0.5, 0.25]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the step leads away from `end` or is 0, if one of the three is not
    /// finite, if memory runs out, or if the device fails.
    pub fn arange(
        start: impl Into<f64>,
        end: impl Into<f64>,
        step: impl Into<f64>,
        device: Device,
    ) -> Result<Tensor> {
        let [start, end, step] = [start.into(), end.into(), step.into()];
        let count = ((end - start) / step).ceil();
        if !(count >= 0.0 && count.is_finite() && step.is_finite()) {
            return Err(Error::Mistake(format!(
                "arange: no steps of {step} lead from {start} to {end}; give \
                 finite numbers, and a step in that direction"
            )));
        }
        let n = checked_size(&[count as usize])?;
        let mut values = room(n)?;
        // Multiplied in `f64`, so that rounding errors do not accumulate.
        let number = |i: usize| (start + i as f64 * step) as f32;
        let end = end as f32;
        let is_before = |x: &f32| if step > 0.0 { *x < end } else { *x > end };
        values.extend((0..n).map(number).take_while(is_before));
        Tensor::new(&[values.len()], &values, device)
    }

    /// Creates a tensor of `count` evenly spaced numbers from `start` to
    /// `end`, both included.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::linspace(-1.0, 1.0, 5, Device::Cpu)?;
    /// assert_eq!(x.to_vec()?, [-1.0, -0.5, 0.0, 0.5, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If memory runs out, or the device fails.
    pub fn linspace(
        start: f32,
        end: f32,
        count: usize,
        device: Device,
    ) -> Result<Tensor> {
        let [from, to] = [start, end].map(f64::from);
        let last = count.saturating_sub(1).max(1) as f64;
        let mut values = room(checked_size(&[count])?)?;
        // A weighted mean, so that both ends are exact.
        let number = |i: usize| {
            let part = i as f64 / last;
            (from * (1.0 - part) + to * part) as f32
        };
        values.extend((0..count).map(number));
        Tensor::new(&[count], &values, device)
    }

    /// Creates an identity matrix: ones on the diagonal, zeros elsewhere.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::eye(2, Device::Cpu)?;
    /// assert_eq!(x.to_vec()?, [1.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If memory runs out, or the device fails.
    pub fn eye(n: usize, device: Device) -> Result<Tensor> {
        let mut values = zeros(checked_size(&[n, n])?)?;
        values.iter_mut().step_by(n + 1).for_each(|value| *value = 1.0);
        Tensor::new(&[n, n], &values, device)
    }

    /// Creates a matrix with one row per label: 1 in the column of its class
    /// and 0 elsewhere.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::one_hot(&[2, 0], 3, Device::Cpu)?;
    /// assert_eq!(x.to_vec()?, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a label is not below `classes`, if memory runs out, or if the device
    /// fails.
    pub fn one_hot(
        labels: &[usize],
        classes: usize,
        device: Device,
    ) -> Result<Tensor> {
        if let Some(label) = labels.iter().find(|&&label| label >= classes) {
            return Err(Error::Mistake(format!(
                "one_hot: label {label} with {classes} classes; labels count \
                 from 0"
            )));
        }
        let mut values = zeros(checked_size(&[labels.len(), classes])?)?;
        for (row, label) in labels.iter().enumerate() {
            values[row * classes + label] = 1.0;
        }
        Tensor::new(&[labels.len(), classes], &values, device)
    }
}

impl Tensor {
    /// Creates a tensor of random numbers from [0, 1). A seed gives the same
    /// numbers on every device.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::rand(&[2, 2], 1, Device::Cpu)?;
    /// let again = Tensor::rand(&[2, 2], 1, Device::Cpu)?;
    /// assert_eq!(x.to_vec()?, again.to_vec()?);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If memory runs out, or the device fails.
    pub fn rand(shape: &[usize], seed: u64, device: Device) -> Result<Tensor> {
        Ok(Tensor::from(Array::uniform(shape, seed, device)?))
    }

    /// Creates a tensor of normally distributed random numbers with mean 0 and
    /// standard deviation 1. A seed gives the same numbers on every device:
    /// they are generated on the host, because logarithms may be rounded
    /// differently on each device.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::randn(&[1000], 1, Device::Cpu)?;
    /// assert!(x.mean().item()?.abs() < 0.1);
    /// assert!((x.std().item()? - 1.0).abs() < 0.1);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If memory runs out, or the device fails.
    pub fn randn(shape: &[usize], seed: u64, device: Device) -> Result<Tensor> {
        let (n, mut random) = (checked_size(shape)?, Random::new(seed));
        let mut values = room(n)?;
        values.extend((0..n).map(|_| random.normal()));
        Tensor::new(shape, &values, device)
    }
}

impl Tensor {
    /// Creates a tensor of random numbers from [0, 1) with this tensor's
    /// shape, type and device. See [`Tensor::rand`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::zeros(&[2, 2], Device::Cpu)?;
    /// let right = Tensor::rand(&[2, 2], 1, Device::Cpu)?;
    /// assert_eq!(x.rand_like(1).to_vec()?, right.to_vec()?);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn rand_like(&self, seed: u64) -> Tensor {
        let random = or_raise(Tensor::rand(self.shape(), seed, self.device()));
        or_raise(random.to_dtype(self.dtype()))
    }

    /// Creates a tensor of normally distributed random numbers with this
    /// tensor's shape, type and device. See [`Tensor::randn`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::zeros(&[2, 2], Device::Cpu)?;
    /// let right = Tensor::randn(&[2, 2], 1, Device::Cpu)?;
    /// assert_eq!(x.randn_like(1).to_vec()?, right.to_vec()?);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn randn_like(&self, seed: u64) -> Tensor {
        let random = or_raise(Tensor::randn(self.shape(), seed, self.device()));
        or_raise(random.to_dtype(self.dtype()))
    }
}
