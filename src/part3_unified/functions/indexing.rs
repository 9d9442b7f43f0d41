//! Elements by their indices along an axis. Each way has its mirror.

use super::super::{Array, Context, Function, Gradients, Tensor, apply};
use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;

impl Tensor {
    /// Takes the elements at some indices along an axis, in that order, any of
    /// them more than once: from a table, for each word its row.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.index_select(0, &[1, 1]).to_vec()?, [4., 5., 6., 4., 5., 6.]);
    /// assert_eq!(x.index_select(1, &[2, 0]).to_vec()?, [3., 1., 6., 4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such axis, or no such element.
    #[track_caller]
    #[doc(alias = "embedding")]
    #[doc(alias = "take")]
    pub fn index_select(&self, axis: usize, indices: &[usize]) -> Tensor {
        apply(IndexSelect { axis, indices: indices.to_vec() }, &[self])
    }
}

/// The elements at some indices along an axis. Each element gets the sum of
/// what its copies got.
pub struct IndexSelect {
    /// The axis.
    pub axis: usize,
    /// Which elements along it are taken.
    pub indices: Vec<usize>,
}

impl Function for IndexSelect {
    fn op(&self) -> Op {
        Op::IndexSelect(self.axis, self.indices.clone())
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].index_select(self.axis, &self.indices)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (axis, indices) = (self.axis, self.indices.clone());
        let count = ctx.shape(0)[axis];
        vec![Some(apply(IndexAdd { axis, indices, count }, &[grad_out]))]
    }
}

impl Tensor {
    /// Adds the elements along an axis of `source` to those at some indices
    /// here, to any of them more than once: the mirror of
    /// [`Tensor::index_select`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[3], &[10., 20., 30.], Device::Cpu)?;
    /// let more = Tensor::new(&[2], &[1., 2.], Device::Cpu)?;
    /// assert_eq!(x.index_add(0, &[2, 2], &more).to_vec()?, [10., 20., 33.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such axis or element, if there is not an index for each
    /// element of `source` along the axis, if the other sizes are not equal,
    /// or if `source` is on another device.
    #[track_caller]
    pub fn index_add(
        &self,
        axis: usize,
        indices: &[usize],
        source: &Tensor,
    ) -> Tensor {
        or_raise(checks::axes("index_add", self.shape(), &[axis]));
        let mut shape = self.shape().to_vec();
        shape[axis] = indices.len();
        if shape != source.shape() {
            mistake(format!(
                "index_add: {} indices along axis {axis} of shape {:?} take \
                 {shape:?}, but the source has {:?}; make the two agree",
                indices.len(),
                self.shape(),
                source.shape()
            ));
        }
        let (indices, count) = (indices.to_vec(), self.shape()[axis]);
        self.add(&apply(IndexAdd { axis, indices, count }, &[source]))
    }
}

/// The elements along an axis, each added to the one that its index names: the
/// mirror of [`IndexSelect`].
pub struct IndexAdd {
    /// The axis.
    pub axis: usize,
    /// To which element along it each is added.
    pub indices: Vec<usize>,
    /// How many elements the result has along the axis.
    pub count: usize,
}

impl Function for IndexAdd {
    fn op(&self) -> Op {
        Op::IndexAdd(self.axis, self.indices.clone(), self.count)
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        inputs[0].index_add(self.axis, &self.indices, self.count)
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.index_select(self.axis, &self.indices))]
    }
}

// Each element has a number in row-major order, and along that one axis all
// of these are rows.
impl Tensor {
    /// Takes for each element of a result of `shape` the one that its index
    /// names along an axis, the other indices being its own: along axis 1
    /// element `[i, j]` is `self[i, indices[i, j]]`.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.gather(1, &[2, 1], &[2, 0]).to_vec()?, [3., 4.]);
    /// assert_eq!(x.gather(0, &[1, 3], &[1, 0, 1]).to_vec()?, [4., 2., 6.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such axis or element, if `shape` has another number of
    /// axes or is longer along another one, or if there is not an index for
    /// each of its elements.
    #[track_caller]
    #[doc(alias = "take_along_dim")]
    pub fn gather(
        &self,
        axis: usize,
        shape: &[usize],
        indices: &[usize],
    ) -> Tensor {
        let indices =
            checks::gather("gather", self.shape(), axis, shape, indices);
        let flat = self.reshape(&[self.array.len()]);
        flat.index_select(0, &or_raise(indices)).reshape(shape)
    }

    /// Adds each element of `source` to the one that its index names along
    /// an axis: the mirror of [`Tensor::gather`].
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[0.; 4], Device::Cpu)?;
    /// let ones = Tensor::new(&[2, 3], &[1.; 6], Device::Cpu)?;
    /// let sums = x.scatter_add(1, &[0, 0, 1, 1, 1, 1], &ones);
    /// assert_eq!(sums.to_vec()?, [2., 1., 0., 3.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such axis or element, if `source` has another number of
    /// axes or is longer along another one, if there is not an index for each
    /// of its elements, or if it is on another device.
    #[track_caller]
    pub fn scatter_add(
        &self,
        axis: usize,
        indices: &[usize],
        source: &Tensor,
    ) -> Tensor {
        let (shape, from) = (self.shape(), source.shape());
        let indices = checks::gather("scatter_add", shape, axis, from, indices);
        let (flat, source) = (
            self.reshape(&[self.array.len()]),
            source.reshape(&[source.array.len()]),
        );
        flat.index_add(0, &or_raise(indices), &source).reshape(shape)
    }

    /// Takes from each row the element that its label names:
    /// (rows, classes) -> (rows).
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu)?;
    /// assert_eq!(x.pick(&[2, 0]).to_vec()?, [3., 4.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If this is no matrix, if there is not a label for each row, or if one
    /// names no element.
    #[track_caller]
    pub fn pick(&self, labels: &[usize]) -> Tensor {
        let [rows, classes] =
            or_raise(checks::labels("pick", self.shape(), labels));
        let indices = labels.iter().enumerate().map(|(i, l)| i * classes + l);
        let flat = self.reshape(&[rows * classes]);
        flat.index_select(0, &indices.collect::<Vec<_>>())
    }
}
