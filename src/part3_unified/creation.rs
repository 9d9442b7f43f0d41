//! How a tensor begins: numbers that are given, all the same, evenly spaced
//! or random. Each may be refused by the device, and so is a `Result`.

use super::{Array, Data, Device, Tensor};
use crate::error::{Error, Result, or_raise, room, zeros};
use crate::rng::Random;
use crate::shape::checked_size;

impl Tensor {
    /// Makes a tensor of a shape, of numbers that may lie elsewhere: a list,
    /// an ndarray, a buffer of a device.
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
    /// If the numbers do not fill the shape, or the device refuses.
    pub fn from_data(
        shape: &[usize],
        data: impl Into<Data>,
        device: Device,
    ) -> Result<Tensor> {
        Ok(Tensor::from(Array::from_data(shape, data, device)?))
    }

    /// Makes a tensor that is one value everywhere: a single number in
    /// memory, whatever the shape.
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
    /// If the shape is beyond all memory, or the device refuses.
    pub fn full(shape: &[usize], value: f32, device: Device) -> Result<Tensor> {
        Ok(Tensor::from(Array::full(shape, value, device)?))
    }

    /// Makes a tensor of zeros.
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

    /// Makes a tensor of ones.
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

    /// Makes one value everywhere, in this tensor's shape, of its type and on
    /// its device.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu)?;
    /// assert_eq!(x.full_like(5.0).to_vec()?, [5.0, 5.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[track_caller]
    pub fn full_like(&self, value: impl Into<f64>) -> Tensor {
        let full = self.array.full_here(self.shape(), value.into());
        Tensor::from(or_raise(full))
    }

    /// Makes zeros in this tensor's shape and on its device.
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

    /// Makes ones in this tensor's shape and on its device.
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
    /// Counts from `start` in steps as long as the number, rounded to `f32`, is
    /// before `end`. So there are three from 0.0 to 0.3 in steps of 0.1.
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
    /// If the step leads away from `end` or is 0, if one of the three is no
    /// finite number, if memory has no room, or the device refuses.
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
        // In `f64`, so that no step adds to the error of the one before.
        let number = |i: usize| (start + i as f64 * step) as f32;
        let end = end as f32;
        let is_before = |x: &f32| if step > 0.0 { *x < end } else { *x > end };
        values.extend((0..n).map(number).take_while(is_before));
        Tensor::new(&[values.len()], &values, device)
    }

    /// Divides the way from `start` to `end` into `count` numbers, both ends
    /// included.
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
    /// If memory has no room, or the device refuses.
    pub fn linspace(
        start: f32,
        end: f32,
        count: usize,
        device: Device,
    ) -> Result<Tensor> {
        let [from, to] = [start, end].map(f64::from);
        let last = count.saturating_sub(1).max(1) as f64;
        let mut values = room(checked_size(&[count])?)?;
        // A mean of both ends, so that each end is met exactly.
        let number = |i: usize| {
            let part = i as f64 / last;
            (from * (1.0 - part) + to * part) as f32
        };
        values.extend((0..count).map(number));
        Tensor::new(&[count], &values, device)
    }

    /// Makes the matrix that changes nothing: ones from corner to corner, and
    /// zeros.
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
    /// If memory has no room, or the device refuses.
    pub fn eye(n: usize, device: Device) -> Result<Tensor> {
        let mut values = zeros(checked_size(&[n, n])?)?;
        values.iter_mut().step_by(n + 1).for_each(|value| *value = 1.0);
        Tensor::new(&[n, n], &values, device)
    }

    /// Makes a row for each label, 1 at its class and 0 elsewhere.
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
    /// If a label is no class, if memory has no room, or the device refuses.
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
    /// Draws random numbers from 0 to below 1. A seed gives the same ones on
    /// every device.
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
    /// If memory has no room, or the device refuses.
    pub fn rand(shape: &[usize], seed: u64, device: Device) -> Result<Tensor> {
        Ok(Tensor::from(Array::uniform(shape, seed, device)?))
    }

    /// Draws random numbers around 0 with standard deviation 1. A seed gives
    /// the same ones on every device: they are made on the host, because the
    /// logarithms of two devices may differ.
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
    /// If memory has no room, or the device refuses.
    pub fn randn(shape: &[usize], seed: u64, device: Device) -> Result<Tensor> {
        let (n, mut random) = (checked_size(shape)?, Random::new(seed));
        let mut values = room(n)?;
        values.extend((0..n).map(|_| random.normal()));
        Tensor::new(shape, &values, device)
    }
}
