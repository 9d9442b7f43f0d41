//! The tensor of Part 2, built in "A tensor on the GPU" and "Gradients that
//! are not recorded".

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result, mistake, or_raise};
use crate::opencl::{Buffer, Gpu};
use crate::ops::Op;
use crate::{ledger, shape};

// ANCHOR: tensor
/// An array in a device's memory that remembers how it was computed. Clones
/// share everything.
#[derive(Clone)]
pub struct Tensor(pub(super) Rc<Node>);

pub(super) struct Node {
    pub(super) id: u64,
    pub(super) op: Op,
    pub(super) gpu: Gpu,
    /// A buffer does not know its shape, so the tensor stores it.
    pub(super) shape: Vec<usize>,
    pub(super) buffer: Rc<Buffer<f32>>,
    pub(super) requires_grad: bool,
    pub(super) grad: RefCell<Option<Tensor>>,
    /// In operand order; `x * x` has `x` twice.
    pub(super) parents: Vec<Tensor>,
    /// `None` for a leaf.
    pub(super) rule: Option<Rule>,
}

/// Takes `grad_out` and returns one gradient for each parent that needs one.
/// It captures detached tensors, never the parents themselves.
pub(super) type Rule = Box<dyn Fn(&Tensor) -> Vec<Option<Tensor>>>;
// ANCHOR_END: tensor

impl Tensor {
    /// Creates a leaf from values, which are copied to the device. It has no
    /// gradient unless you call [`Tensor::requires_grad`].
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2, 3], &[1., 2., 3., 4., 5., 6.])?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the number of values does not match the shape, or if the device is
    /// out of memory.
    #[doc(alias = "tensor")]
    pub fn new(gpu: &Gpu, shape: &[usize], values: &[f32]) -> Result<Tensor> {
        let size = shape::checked_size(shape)?;
        if size != values.len() {
            return Err(Error::Mistake(format!(
                "Tensor::new: shape {shape:?} holds {size} elements, but {} \
                 values were given; make the two agree",
                values.len()
            )));
        }
        // OpenCL has no buffer of 0 bytes; an empty tensor owns one unused
        // element.
        let buffer = match values {
            [] => gpu.upload(&[0.0])?,
            _ => gpu.upload(values)?,
        };
        Ok(Tensor::plain(shape, buffer))
    }

    /// Creates a leaf from a buffer that a kernel of your own has filled or
    /// will fill.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::from_buffer(&[2, 1], gpu.upload(&[1.0, 2.0])?);
    /// assert_eq!(x.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the buffer and the shape have different numbers of elements.
    // ANCHOR: from-buffer
    #[track_caller]
    pub fn from_buffer(shape: &[usize], buffer: Buffer<f32>) -> Tensor {
        let size = or_raise(shape::checked_size(shape));
        if buffer.len() != size.max(1) {
            mistake(format!(
                "Tensor::from_buffer: shape {shape:?} holds {size} elements, \
                 but the buffer has room for {}; allocate as many as the \
                 shape holds",
                buffer.len()
            ));
        }
        Tensor::plain(shape, buffer)
    }
    // ANCHOR_END: from-buffer
}

/// ```no_run
/// # use rungrad::opencl::Gpu;
/// # use rungrad::part2_gpu::Tensor;
/// # let gpu = Gpu::first()?;
/// let x = Tensor::new(&gpu, &[1], &[3.0])?.requires_grad();
/// // The detached factor is a constant.
/// x.mul(&x.detach()).backward();
/// assert_eq!(x.grad().unwrap().to_vec()?, [3.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If this tensor is the recorded result of an operation.
// ANCHOR: leaves
impl Tensor {
    /// Returns a leaf with the same values that keeps its gradient. If this
    /// tensor is such a leaf already, it is returned unchanged. The recorded
    /// result of an operation is rejected, because a leaf would silently cut
    /// it off from its operands.
    #[track_caller]
    pub fn requires_grad(&self) -> Tensor {
        match (&self.0.rule, self.0.requires_grad) {
            (Some(_), _) => mistake(format!(
                "requires_grad: this tensor is the result of {}, and a leaf \
                 would cut it off from what it was computed from; call \
                 .detach() first if that is meant",
                self.op()
            )),
            (None, true) => self.clone(),
            (None, false) => Tensor::leaf(self.shape(), &self.0.buffer, true),
        }
    }

    /// Returns a leaf that shares the buffer but not the graph, so that
    /// gradients do not flow through it.
    pub fn detach(&self) -> Tensor {
        self.shaped(self.shape())
    }
}
// ANCHOR_END: leaves

impl Tensor {
    /// Creates the result of an operation of your own from its name, its
    /// parents in operand order, its result as a plain tensor, and the local
    /// gradient rule. Unless a parent requires a gradient, the result stays
    /// plain and the rule is dropped.
    ///
    /// ```no_run
    /// # use rungrad::opencl::Gpu;
    /// # use rungrad::part2_gpu::Tensor;
    /// # let gpu = Gpu::first()?;
    /// let x = Tensor::new(&gpu, &[2], &[3.0, 4.0])?.requires_grad();
    /// let result = x.detach().scale(2.0);
    /// let twice = Tensor::from_op("twice", &[&x], result, |grad_out| {
    ///     vec![Some(grad_out.scale(2.0))]
    /// });
    /// twice.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_vec()?, [2.0, 2.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn from_op(
        name: &'static str,
        parents: &[&Tensor],
        result: Tensor,
        rule: impl Fn(&Tensor) -> Vec<Option<Tensor>> + 'static,
    ) -> Tensor {
        Tensor::record(Op::named(name), parents, result, rule)
    }
}

// ANCHOR: record
impl Tensor {
    /// Implements [`Tensor::from_op`], for the operations of this crate too.
    pub(super) fn record(
        op: Op,
        parents: &[&Tensor],
        result: Tensor,
        rule: impl Fn(&Tensor) -> Vec<Option<Tensor>> + 'static,
    ) -> Tensor {
        if !parents.iter().any(|p| p.0.requires_grad) {
            return result;
        }
        let parents = parents.iter().map(|&p| p.clone()).collect();
        let (shape, buffer) = (result.shape(), &result.0.buffer);
        let rule: Rule = Box::new(rule);
        Tensor::from_node(op, shape, buffer, true, parents, Some(rule))
    }
}
// ANCHOR_END: record

impl Tensor {
    fn from_node(
        op: Op,
        shape: &[usize],
        buffer: &Rc<Buffer<f32>>,
        requires_grad: bool,
        parents: Vec<Tensor>,
        rule: Option<Rule>,
    ) -> Tensor {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ledger::count(|c| c.nodes += 1);
        Tensor(Rc::new(Node {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            op,
            gpu: buffer.gpu().clone(),
            shape: shape.to_vec(),
            buffer: Rc::clone(buffer),
            requires_grad,
            grad: RefCell::new(None),
            parents,
            rule,
        }))
    }

    fn leaf(
        shape: &[usize],
        buffer: &Rc<Buffer<f32>>,
        requires_grad: bool,
    ) -> Tensor {
        Tensor::from_node(
            Op::Leaf,
            shape,
            buffer,
            requires_grad,
            Vec::new(),
            None,
        )
    }

    /// Creates a leaf from a buffer that a kernel has filled or will fill.
    pub(super) fn plain(shape: &[usize], buffer: Buffer<f32>) -> Tensor {
        Tensor::leaf(shape, &Rc::new(buffer), false)
    }

    /// Returns a leaf that shares the buffer, with a different shape of the
    /// same size.
    pub(super) fn shaped(&self, shape: &[usize]) -> Tensor {
        Tensor::leaf(shape, &self.0.buffer, false)
    }
}

/// Shape, values and device:
///
/// ```no_run
/// # use rungrad::opencl::Gpu;
/// # use rungrad::part2_gpu::Tensor;
/// # let gpu = Gpu::first()?;
/// let x = Tensor::new(&gpu, &[1, 2], &[3.0, 4.0])?;
/// assert_eq!((x.shape(), x.len(), x.is_empty()), (&[1, 2][..], 2, false));
/// assert_eq!(x.to_vec()?, [3.0, 4.0]);
/// assert_eq!(x.buffer().read()?, [3.0, 4.0]);
/// println!("{x} is on {}", x.gpu().name());
/// # Ok::<(), rungrad::Error>(())
/// ```
impl Tensor {
    /// Returns the device whose memory holds the values.
    #[doc(alias = "device")]
    pub fn gpu(&self) -> &Gpu {
        &self.0.gpu
    }

    /// Returns the buffer that holds the values.
    #[doc(alias = "data_ptr")]
    pub fn buffer(&self) -> &Buffer<f32> {
        &self.0.buffer
    }

    /// Returns the size of each axis.
    #[doc(alias = "size")]
    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// Returns the number of elements.
    #[doc(alias = "numel")]
    pub fn len(&self) -> usize {
        shape::size(&self.0.shape)
    }

    /// Returns whether the tensor has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the elements to the host, in row-major order. Waits for every
    /// kernel that was launched before.
    ///
    /// # Errors
    ///
    /// If the device reports an error.
    #[doc(alias = "tolist")]
    pub fn to_vec(&self) -> Result<Vec<f32>> {
        let mut values = self.0.buffer.read()?;
        values.truncate(self.len());
        Ok(values)
    }
}

/// The graph and gradients:
///
/// ```no_run
/// # use rungrad::opencl::Gpu;
/// # use rungrad::part2_gpu::Tensor;
/// # let gpu = Gpu::first()?;
/// let x = Tensor::new(&gpu, &[1], &[3.0])?.requires_grad();
/// let y = x.mul(&x);
/// assert!(y.records() && x.grad().is_none());
/// assert_eq!((x.op(), y.op()), ("leaf", "mul"));
/// assert_eq!(y.parents()[1].id(), x.id());
/// y.backward();
/// assert_eq!(x.grad().unwrap().to_vec()?, [6.0]);
/// x.zero_grad();
/// assert!(x.grad().is_none());
/// # Ok::<(), rungrad::Error>(())
/// ```
impl Tensor {
    /// Returns the gradient accumulated so far, or `None` before the first
    /// backward pass. Only leaves keep a gradient. It is a tensor of this
    /// tensor's shape that requires no gradient itself.
    pub fn grad(&self) -> Option<Tensor> {
        self.0.grad.borrow().clone()
    }

    /// Clears the gradient, so that the next backward pass starts from zero.
    pub fn zero_grad(&self) {
        self.0.grad.replace(None);
    }

    /// Returns whether operations on this tensor are recorded because it
    /// requires a gradient.
    #[doc(alias = "requires_grad")]
    pub fn records(&self) -> bool {
        self.0.requires_grad
    }

    /// Returns the name of the operation that computed this tensor, or `leaf`.
    #[doc(alias = "grad_fn")]
    pub fn op(&self) -> &'static str {
        self.0.op.name()
    }

    /// Returns the operands of the operation that computed this tensor, in
    /// order.
    #[doc(alias = "next_functions")]
    pub fn parents(&self) -> &[Tensor] {
        &self.0.parents
    }

    /// Returns the id that identifies this tensor on a tape.
    pub fn id(&self) -> u64 {
        self.0.id
    }
}

/// Drops a chain of nodes of any length in a loop instead of recursively, as
/// in Part 1.
impl Drop for Node {
    fn drop(&mut self) {
        ledger::count(|c| c.nodes_freed += 1);
        let mut orphans = std::mem::take(&mut self.parents);
        while let Some(orphan) = orphans.pop() {
            if let Some(mut node) = Rc::into_inner(orphan.0) {
                orphans.append(&mut node.parents);
            }
        }
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |t: &Tensor| match t.to_vec() {
            Ok(values) => shape::list(&values),
            Err(error) => format!("({error})"),
        };
        let grad = self.grad().map_or("none".to_string(), |g| show(&g));
        write!(f, "<Tensor with data: {}, grad: {grad}>", show(self))
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
