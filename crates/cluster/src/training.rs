//! Data-parallel training.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use std::{iter, mem, thread};

use rungrad::nn::{Generator, Kept, Parameters, distinct};
use rungrad::part3_unified::{DType, PendingRead, Tensor};
use rungrad::{Error, Result, rng};

use super::{Collective, Pending, TreeSum, algorithms, buffers, message, part};

/// The order in which the gradients of the rows of a batch are added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// The batch is divided into this many shards, each of which has its own
    /// forward and backward pass. Their gradients are added in a fixed tree, so
    /// the bits of all results are the same for any number of ranks.
    Fixed {
        /// The number of shards. More ranks than shards do not help.
        shards: usize,
    },
    /// Each rank computes its part of the batch at once, and the ranks add
    /// their gradients in the fastest order. The bits depend on the number of
    /// ranks.
    Fastest,
}

/// Trains replicas of one model, one on each rank.
///
/// Each rank computes the gradients of its rows of the batch. As soon as the
/// gradients of a few parameters, a **bucket**, are complete, the ranks begin
/// to add them, while the backward pass goes on.
pub struct DataParallel<'a> {
    /// Connects this rank with the others.
    pub collective: &'a Collective,
    /// The order of the additions.
    pub order: Order,
    /// The maximum number of elements in a bucket. A parameter with more
    /// elements has its own bucket.
    pub bucket_len: usize,
}

impl<'a> DataParallel<'a> {
    /// Creates a trainer whose buckets have at most 1 MiB.
    ///
    /// # Panics
    ///
    /// If the number of shards is 0.
    #[track_caller]
    pub fn new(collective: &'a Collective, order: Order) -> DataParallel<'a> {
        assert_ne!(
            order,
            Order::Fixed { shards: 0 },
            "DataParallel: the batch cannot be divided into 0 shards; give at \
             least 1"
        );
        DataParallel { collective, order, bucket_len: (1 << 20) / 4 }
    }

    /// Copies the parameters, and the states of the random number generators,
    /// from rank 0 to all ranks. Only rank 0 needs to read a checkpoint. Every
    /// rank passes the same model.
    ///
    /// # Errors
    ///
    /// If a rank fails, a device cannot be read, a parameter is not `f32`, the
    /// model has buffers, or a parameter of rank 0 has a different number of
    /// elements.
    pub fn broadcast<M: Parameters + ?Sized>(
        &self,
        model: &mut M,
    ) -> Result<()> {
        let from_rank_0 = |values| self.collective.broadcast(0, values).wait();
        for (generator, state) in generators(model)? {
            let sent = state.map(message::from_number).concat();
            let received = from_rank_0(sent)?;
            let (seed, step) = received.split_at(message::NUMBER_LEN);
            let state = [seed, step].map(message::to_number);
            generator.set_state(state);
        }
        for mut parameter in distinct(model.parameters_mut()) {
            let old = parameter.tensor();
            check_is_f32(parameter.name(), old)?;
            let values = from_rank_0(old.to_vec()?)?;
            let new = Tensor::new(old.shape(), &values, old.device())?;
            let new = if old.records() { new.requires_grad() } else { new };
            parameter.set(new);
        }
        Ok(())
    }

    /// Computes the gradients of the weighted mean loss of a batch, and starts
    /// to add them on all ranks. There is one weight per row: 1, or for example
    /// the number of tokens that are not padding. `loss` computes the weighted
    /// mean loss of some rows; it is called only for rows of this rank.
    ///
    /// Dropout draws different numbers for each shard, which do not depend on
    /// the number of ranks.
    ///
    /// # Errors
    ///
    /// If a device cannot be read, a parameter is not `f32`, or the model has
    /// buffers, such as the running means of a `BatchNorm`: each rank would
    /// compute different ones.
    pub fn backward<M: Parameters + ?Sized>(
        &self,
        model: &M,
        weights: &[f32],
        mut loss: impl FnMut(Range<usize>) -> Tensor,
    ) -> Result<Reduction> {
        let generators = generators(model)?;
        let (rank, size) = (self.collective.rank(), self.collective.size());
        let shards = match self.order {
            Order::Fixed { shards } => shards,
            Order::Fastest => size,
        };
        let mut buckets = Buckets::new(self, model, shards)?;
        let own = part(shards, size, rank);
        // ANCHOR: shards
        for shard in own.clone() {
            buckets.begin(shard, shard + 1 == own.end);
            for (generator, [seed, step]) in &generators {
                let index = step * shards as u64 + shard as u64;
                generator.set_state([rng::bits(*seed, index), 0]);
            }
            let rows = part(weights.len(), shards, shard);
            let weight = sum(&weights[rows.clone()]) / sum(weights);
            if weight > 0.0 {
                let loss = loss(rows) * weight;
                buckets.set_loss(loss.detach());
                loss.backward_with_hook(|leaf, grad| buckets.add(leaf, grad));
            }
            buckets.end();
        }
        // ANCHOR_END: shards
        for (generator, [seed, step]) in generators {
            generator.set_state([seed, step + 1]);
        }
        buckets.finish()
    }
}

/// Collects the gradients of this rank, and starts the reduction of each bucket
/// when it is complete.
struct Buckets<'a> {
    parallel: &'a DataParallel<'a>,
    shards: usize,
    /// The trainable parameters, each of them once. The last one comes first,
    /// because the backward pass begins with the last layers.
    leaves: Vec<Tensor>,
    /// The index in `leaves`, by the id of a leaf.
    index_of: HashMap<u64, usize>,
    /// The ranges of `leaves` that form the buckets.
    ranges: Vec<Range<usize>>,
    /// The sum of the gradients of this rank's shards, for each leaf.
    sums: Vec<TreeSum<Tensor>>,
    /// The shards of this rank so far.
    done: Vec<Shard>,
    /// The reductions of the first buckets, in the order of `ranges`.
    started: Vec<Pending>,
    /// Runs functions on a thread that waits for copies to the host.
    reader: Sender<Box<dyn FnOnce() + Send>>,
    intervals: Intervals,
    /// The first error in the hook, which cannot return it.
    failure: Option<Error>,
}

/// One shard of this rank.
struct Shard {
    index: usize,
    /// Whether this rank has no shard after this one.
    is_last: bool,
    /// The loss, multiplied by its weight in the batch; `None` if this is 0.
    loss: Option<Tensor>,
    /// Whether each leaf has received a gradient.
    has_grad: Vec<bool>,
}

impl<'a> Buckets<'a> {
    fn new<M: Parameters + ?Sized>(
        parallel: &'a DataParallel<'a>,
        model: &M,
        shards: usize,
    ) -> Result<Buckets<'a>> {
        let (mut leaves, mut index_of) = (Vec::new(), HashMap::new());
        for (name, leaf) in model.parameters().into_iter().rev() {
            // A frozen parameter has no id, and tied weights share one.
            let Some(id) = leaf.id().filter(|id| !index_of.contains_key(id))
            else {
                continue;
            };
            check_is_f32(&name, leaf)?;
            index_of.insert(id, leaves.len());
            leaves.push(leaf.clone());
        }
        let (reader, queue) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        thread::spawn(move || queue.into_iter().for_each(|read| read()));
        Ok(Buckets {
            parallel,
            shards,
            ranges: bucket_ranges(&leaves, parallel.bucket_len),
            sums: vec![TreeSum::new(); leaves.len()],
            leaves,
            index_of,
            done: Vec::new(),
            started: Vec::new(),
            reader,
            intervals: Intervals::default(),
            failure: None,
        })
    }

    fn begin(&mut self, index: usize, is_last: bool) {
        let has_grad = vec![false; self.leaves.len()];
        self.done.push(Shard { index, is_last, loss: None, has_grad });
    }

    fn set_loss(&mut self, loss: Tensor) {
        self.done.last_mut().expect("a shard has begun").loss = Some(loss);
    }

    /// Adds the gradient of a leaf for the current shard, and starts the
    /// reductions of the buckets that are now complete.
    fn add(&mut self, leaf: u64, grad: &Tensor) {
        // ANCHOR: add
        // The loss can depend on leaves that are not in the model.
        let Some(&leaf) = self.index_of.get(&leaf) else { return };
        self.push(leaf, grad.clone());
        let shard = self.done.last_mut().expect("a shard has begun");
        shard.has_grad[leaf] = true;
        if !shard.is_last {
            return;
        }
        // All ranks start the buckets in the same order.
        while let Some(range) = self.ranges.get(self.started.len())
            && self.done.last().is_some_and(|it| it.has_all(range.clone()))
            && self.failure.is_none()
        {
            self.failure = self.start_next().err();
        }
        // ANCHOR_END: add
    }

    fn push(&mut self, leaf: usize, grad: Tensor) {
        let index = self.done.last().expect("a shard has begun").index;
        self.sums[leaf].push(index..index + 1, grad, |a, b| a + b);
    }

    /// Ends the current shard. Parameters without a gradient add zeros.
    fn end(&mut self) {
        for leaf in 0..self.leaves.len() {
            if !self.done.last().is_some_and(|it| it.has_grad[leaf]) {
                self.push(leaf, self.leaves[leaf].zeros_like());
            }
        }
    }

    // ANCHOR: start
    /// Starts the reduction of the next bucket.
    fn start_next(&mut self) -> Result<()> {
        let range = self.ranges[self.started.len()].clone();
        let len = self.leaves[range.clone()].iter().map(Tensor::len).sum();
        let mut blocks: Vec<Vec<PendingRead>> = Vec::new();
        for sum in &mut self.sums[range] {
            for (k, grad) in mem::take(sum).blocks().enumerate() {
                if k == blocks.len() {
                    blocks.push(Vec::new());
                }
                // The device has not computed the gradient yet.
                blocks[k].push(grad.array().start_read()?);
            }
        }
        let read = move |reads: Vec<PendingRead>| {
            let mut values = buffers::take(len);
            for read in reads {
                read.append_to(&mut values)?;
            }
            Ok(values)
        };
        let blocks = move || blocks.into_iter().map(read).collect();
        self.started.push(self.reduce(len, blocks));
        Ok(())
    }
    // ANCHOR_END: start

    /// Starts a reduction of blocks that `read` waits for. Meanwhile, earlier
    /// blocks are reduced.
    fn reduce(
        &self,
        len: usize,
        read: impl FnOnce() -> Result<Vec<Vec<f32>>> + Send + 'static,
    ) -> Pending {
        let (order, shards) = (self.parallel.order, self.shards);
        let intervals = self.intervals.clone();
        let (reply, blocks) = mpsc::channel();
        // If this fails, no blocks arrive.
        _ = self.reader.send(Box::new(move || _ = reply.send(read())));
        self.parallel.collective.submit(move |link| {
            let mut blocks = blocks.recv().expect("a read does not panic")?;
            let start = Instant::now();
            let sum = match order {
                Order::Fixed { .. } => {
                    algorithms::fixed_all_reduce(link, shards, len, &blocks)
                }
                // Each rank has exactly one shard, and so one block.
                Order::Fastest => {
                    algorithms::ring_all_reduce(link, blocks.remove(0))
                }
            };
            let mut all =
                intervals.lock().unwrap_or_else(PoisonError::into_inner);
            all.push([start, Instant::now()]);
            blocks.into_iter().for_each(buffers::give_back);
            sum
        })
    }

    /// Starts the reductions of all other buckets, and of the loss.
    fn finish(mut self) -> Result<Reduction> {
        while self.failure.is_none() && self.started.len() < self.ranges.len() {
            self.start_next()?;
        }
        if let Some(error) = self.failure {
            return Err(error);
        }
        // The loss, followed by the number of shards in which each leaf has a
        // gradient.
        let mut shards = Vec::new();
        for Shard { index, loss, has_grad, .. } in mem::take(&mut self.done) {
            let loss = match loss {
                Some(loss) => loss.array().start_read()?,
                None => PendingRead::ready(vec![0.0]),
            };
            shards.push((index, loss, has_grad));
        }
        let blocks = || {
            let mut status = TreeSum::new();
            for (index, loss, has_grad) in shards {
                let mut values = Vec::new();
                loss.append_to(&mut values)?;
                values.extend(has_grad.into_iter().map(f32::from));
                status.push(index..index + 1, values, algorithms::added);
            }
            Ok(status.blocks().cloned().collect())
        };
        let status = self.reduce(1 + self.leaves.len(), blocks);
        let Buckets { leaves, ranges, started, intervals, .. } = self;
        let buckets = iter::zip(ranges, started).collect();
        Ok(Reduction { leaves, buckets, status, intervals })
    }
}

impl Shard {
    fn has_all(&self, leaves: Range<usize>) -> bool {
        self.has_grad[leaves].iter().all(|has_grad| *has_grad)
    }
}

/// When each reduction of a step has begun and ended on this rank.
type Intervals = Arc<Mutex<Vec<[Instant; 2]>>>;

/// The reductions of one step, which may still be running.
#[must_use = "the model has no gradients before `wait`"]
pub struct Reduction {
    leaves: Vec<Tensor>,
    buckets: Vec<(Range<usize>, Pending)>,
    status: Pending,
    intervals: Intervals,
}

impl Reduction {
    /// Waits for the last bucket, replaces the gradients of the model's
    /// parameters by the gradients of the whole batch, and returns its mean
    /// loss. A parameter that has a gradient on no rank keeps none, so that an
    /// optimizer skips it.
    ///
    /// # Errors
    ///
    /// If a rank has ended or sends nothing within the time limit, or a device
    /// is out of memory.
    pub fn wait(self) -> Result<f32> {
        self.wait_with_intervals().map(|(loss, _)| loss)
    }

    /// Like [`Reduction::wait`], but also returns when each reduction has begun
    /// and ended on this rank. The last one has the loss.
    ///
    /// # Errors
    ///
    /// As [`Reduction::wait`].
    pub fn wait_with_intervals(self) -> Result<(f32, Vec<[Instant; 2]>)> {
        let mut grads = Vec::new();
        for (range, pending) in self.buckets {
            // The device receives a bucket while later ones are reduced.
            let values = pending.wait()?;
            let mut rest = &values[..];
            for leaf in &self.leaves[range] {
                let (values, after) = rest.split_at(leaf.len());
                rest = after;
                grads.push(Tensor::new(leaf.shape(), values, leaf.device())?);
            }
            buffers::give_back(values);
        }
        let status = self.status.wait()?;
        let is_used = status[1..].iter().map(|count| *count > 0.0);
        for ((leaf, grad), is_used) in
            self.leaves.iter().zip(grads).zip(is_used)
        {
            if is_used {
                leaf.set_grad(grad);
            }
        }
        let mut intervals =
            self.intervals.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((status[0], mem::take(&mut intervals)))
    }
}

fn sum(weights: &[f32]) -> f64 {
    weights.iter().map(|weight| f64::from(*weight)).sum()
}

/// Divides the leaves into buckets of at most `limit` elements, or of one leaf.
fn bucket_ranges(leaves: &[Tensor], limit: usize) -> Vec<Range<usize>> {
    let (mut ranges, mut start, mut len) = (Vec::new(), 0, 0);
    for (index, leaf) in leaves.iter().enumerate() {
        if start < index && len + leaf.len() > limit {
            ranges.push(start..index);
            (start, len) = (index, 0);
        }
        len += leaf.len();
    }
    if start < leaves.len() {
        ranges.push(start..leaves.len());
    }
    ranges
}

fn check_is_f32(name: &str, parameter: &Tensor) -> Result<()> {
    match parameter.dtype() {
        DType::F32 => Ok(()),
        other => Err(Error::Mistake(format!(
            "DataParallel: {name} is {other}, but ranks exchange f32; convert \
             the model with .to_dtype(DType::F32)"
        ))),
    }
}

/// Lists the random number generators of a model, with their states.
fn generators<M: Parameters + ?Sized>(
    model: &M,
) -> Result<Vec<(&Generator, [u64; 2])>> {
    let mut generators = Vec::new();
    for (name, kept) in model.kept() {
        match kept {
            Kept::Generator(it) => generators.push((it, it.state())),
            Kept::Buffer(_) => {
                return Err(Error::Mistake(format!(
                    "DataParallel: each rank would compute a different {name} \
                     from its own rows; use a layer without buffers, such as \
                     LayerNorm or GroupNorm"
                )));
            }
            Kept::Mode(_) => {}
        }
    }
    Ok(generators)
}
