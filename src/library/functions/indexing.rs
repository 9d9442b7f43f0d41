//! Selecting and adding elements by index. Each operation's gradient is
//! another one in this file.

use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::ops::Op;
use crate::part3_unified::{
    Array, Axis, Context, Function, Gradients, Tensor, apply,
};

impl Tensor {
    /// Selects elements along an axis by index. Indices may repeat and be in
    /// any order. With a table of word vectors, this is an embedding lookup.
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
    /// If the axis does not exist, or an index is out of range.
    #[track_caller]
    #[doc(alias = "embedding")]
    #[doc(alias = "take")]
    pub fn index_select(&self, axis: impl Axis, indices: &[usize]) -> Tensor {
        let axis = or_raise(checks::axis("index_select", self.shape(), axis));
        apply(IndexSelect { axis, indices: indices.to_vec() }, &[self])
    }
}

/// The elements at the given indices along an axis. The gradient of an element
/// is the sum of the gradients of its copies.
pub struct IndexSelect {
    /// The axis.
    pub axis: usize,
    /// The indices of the selected elements.
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
    /// Adds the elements of `source` along an axis to the elements at the
    /// given indices. Indices may repeat. This is the gradient of
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
    /// If the axis does not exist, an index is out of range, the number of
    /// indices differs from the size of `source` along the axis, the other
    /// sizes differ, or `source` is on another device.
    #[track_caller]
    pub fn index_add(
        &self,
        axis: impl Axis,
        indices: &[usize],
        source: &Tensor,
    ) -> Tensor {
        let axis = or_raise(checks::axis("index_add", self.shape(), axis));
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

/// A sum of elements by index along an axis, starting from zeros: the gradient
/// of [`IndexSelect`].
pub struct IndexAdd {
    /// The axis.
    pub axis: usize,
    /// The index that each element is added to.
    pub indices: Vec<usize>,
    /// The size of the result along the axis.
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

// Flatten all axes into one: `gather` and `scatter_add` are `index_select` and
// `index_add` on row-major positions.
impl Tensor {
    /// Selects one element along an axis for each element of the result: along
    /// axis 1, element `[i, j]` is `self[i, indices[i, j]]`. `shape` is the
    /// shape of `indices` and of the result.
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
    /// If the axis does not exist, an index is out of range, `shape` has a
    /// different number of axes or is larger along another axis, or there is
    /// not one index for each element of the result.
    #[track_caller]
    #[doc(alias = "take_along_dim")]
    pub fn gather(
        &self,
        axis: impl Axis,
        shape: &[usize],
        indices: &[usize],
    ) -> Tensor {
        let axis = or_raise(checks::axis("gather", self.shape(), axis));
        let indices =
            checks::gather("gather", self.shape(), axis, shape, indices);
        let flat = self.reshape(&[self.array().len()]);
        flat.index_select(0, &or_raise(indices)).reshape(shape)
    }

    /// Adds each element of `source` to the element that its index names along
    /// an axis. This is the gradient of [`Tensor::gather`].
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
    /// If the axis does not exist, an index is out of range, `source` has a
    /// different number of axes or is larger along another axis, there is not
    /// one index for each of its elements, or it is on another device.
    #[track_caller]
    pub fn scatter_add(
        &self,
        axis: impl Axis,
        indices: &[usize],
        source: &Tensor,
    ) -> Tensor {
        let axis = or_raise(checks::axis("scatter_add", self.shape(), axis));
        let (shape, from) = (self.shape(), source.shape());
        let indices = checks::gather("scatter_add", shape, axis, from, indices);
        let (flat, source) = (
            self.reshape(&[self.array().len()]),
            source.reshape(&[source.array().len()]),
        );
        flat.index_add(0, &or_raise(indices), &source).reshape(shape)
    }

    /// Selects the element in the column of each row's label: (rows, classes)
    /// -> (rows).
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
    /// If this is not a matrix, there is not one label per row, or a label is
    /// out of range.
    #[track_caller]
    pub fn pick(&self, labels: &[usize]) -> Tensor {
        let [rows, classes] =
            or_raise(checks::labels("pick", self.shape(), labels));
        let indices = labels.iter().enumerate().map(|(i, l)| i * classes + l);
        let flat = self.reshape(&[rows * classes]);
        flat.index_select(0, &indices.collect::<Vec<_>>())
    }
}
