//! An optimizer whose state is divided among the ranks, as in stage 1 of ZeRO
//! (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion
//! Parameter Models").
//!
//! Adam needs two values for each element of a parameter. All ranks have the
//! same gradients, so each rank can update some of the parameters, with only
//! their part of the state, and send the result to the others.

use rungrad::io::{self, State, Value};
use rungrad::nn::{Parameters, SharedParameter, distinct};
use rungrad::optim::Optimizer;
use rungrad::part3_unified::Tensor;
use rungrad::{Error, Result};

use super::{DataParallel, message};

impl DataParallel<'_> {
    /// Updates the model like `optimizer.step(model.parameters_mut())`, with the
    /// same bits, but the optimizer of each rank has the state of only the
    /// parameters of this rank.
    ///
    /// Each parameter belongs to one rank, as a whole, so one large parameter
    /// can make the parts uneven.
    ///
    /// # Errors
    ///
    /// If a rank has ended or sends nothing within the time limit, or a device
    /// fails.
    ///
    /// # Panics
    ///
    /// As [`Optimizer::step`].
    pub fn sharded_step<M: Parameters + ?Sized>(
        &self,
        model: &mut M,
        optimizer: &mut dyn Optimizer,
    ) -> Result<()> {
        let (rank, size) = (self.collective.rank(), self.collective.size());
        // ANCHOR: step
        let mut shares = shares(model, size);
        let own = shares[rank].iter();
        let mut own: Vec<(String, Tensor)> = own
            .map(|it| (it.name().to_string(), it.tensor().clone()))
            .collect();
        // An optimizer rejects a step without any gradient.
        if own.iter().any(|(_, parameter)| parameter.grad().is_some()) {
            let own = own.iter_mut();
            optimizer.step(own.map(|(name, it)| (name.clone(), it)).collect());
        }
        let mut values = Vec::new();
        for (_, parameter) in &own {
            values.extend(parameter.to_vec()?);
        }
        let send = |owner| self.collective.broadcast(owner, values.clone());
        let pending: Vec<_> = (0..size).map(send).collect();
        for (share, pending) in shares.iter_mut().zip(pending) {
            let values = pending.wait()?;
            let mut rest = &values[..];
            for parameter in share {
                let old = parameter.tensor();
                let (values, after) = rest.split_at(old.len());
                rest = after;
                // Like an optimizer, this keeps a parameter without a gradient.
                if old.grad().is_some() {
                    let new = Tensor::new(old.shape(), values, old.device())?;
                    parameter.set(new.requires_grad());
                }
            }
        }
        // ANCHOR_END: step
        Ok(())
    }
    /// Collects the state of the optimizer from all ranks on rank 0, whose
    /// optimizer then has the state of all trainable parameters and can be
    /// saved. The optimizers of the other ranks do not change. Pass a copy of
    /// the optimizer, unless the training ends.
    ///
    /// If no parameter is frozen, an optimizer that is not divided has the same
    /// state.
    ///
    /// # Errors
    ///
    /// If a rank has ended or sends nothing within the time limit, a device
    /// cannot be read, or some rank has made fewer steps than others because
    /// none of its parameters had a gradient.
    pub fn gather_state<M: Parameters + ?Sized>(
        &self,
        model: &mut M,
        optimizer: &mut dyn State,
    ) -> Result<()> {
        let (rank, size) = (self.collective.rank(), self.collective.size());
        let own = message::from_state(&optimizer.state())?;
        let (mut whole, mut start) = (Vec::new(), 0);
        for (owner, share) in shares(model, size).iter().enumerate() {
            if share.is_empty() {
                continue;
            }
            // The other ranks drop what they receive, one share at a time.
            let sent = if rank == owner { own.clone() } else { Vec::new() };
            let received = self.collective.broadcast(owner, sent).wait()?;
            for (name, value) in message::to_state(&received)? {
                match (parameter_of(&name), &value) {
                    (Some((kind, index)), _) => {
                        whole
                            .push((format!("{kind}.{}", start + index), value));
                    }
                    (None, Value::Number(number)) => {
                        check_same(&whole, owner, &name, *number)?;
                        if owner == 0 {
                            whole.push((name, value));
                        }
                    }
                    (None, Value::Tensor(_)) => {}
                }
            }
            start += share.len();
        }
        match rank {
            0 => io::set_state("optimizer", optimizer, whole),
            _ => Ok(()),
        }
    }

    /// Removes the state of the parameters of other ranks from an optimizer
    /// that has the state of all, for example from a checkpoint that was saved
    /// after [`DataParallel::gather_state`], with any number of ranks.
    ///
    /// # Errors
    ///
    /// If the optimizer has the state of a different number of parameters.
    pub fn shard_state<M: Parameters + ?Sized>(
        &self,
        model: &mut M,
        optimizer: &mut dyn State,
    ) -> Result<()> {
        let (rank, size) = (self.collective.rank(), self.collective.size());
        let shares = shares(model, size);
        let start: usize = shares[..rank].iter().map(Vec::len).sum();
        let own = start..start + shares[rank].len();
        let all: usize = shares.iter().map(Vec::len).sum();
        let (mut state, mut len) = (Vec::new(), 0);
        for (name, value) in optimizer.state() {
            match parameter_of(&name) {
                Some((kind, index)) => {
                    len = len.max(index + 1);
                    if own.contains(&index) {
                        let name = format!("{kind}.{}", index - start);
                        state.push((name, value));
                    }
                }
                None => state.push((name, value)),
            }
        }
        // Before the first step, the state is empty.
        if len != 0 && len != all {
            return Err(Error::Mistake(format!(
                "shard_state: the optimizer has the state of {len} parameters, \
                 but {all} parameters of the model are trainable; load a \
                 checkpoint that was saved after gather_state"
            )));
        }
        io::set_state("optimizer", optimizer, state)
    }
}

/// Splits the name of a value that belongs to one parameter, such as `mean.3`,
/// into its kind and the index of the parameter.
fn parameter_of(name: &str) -> Option<(&str, usize)> {
    let (kind, index) = name.rsplit_once('.')?;
    Some((kind, index.parse().ok()?))
}

/// Checks that a number that belongs to no parameter, such as the number of
/// steps, is the same on all ranks.
fn check_same(
    whole: &[(String, Value)],
    owner: usize,
    name: &str,
    number: u64,
) -> Result<()> {
    let same = whole.iter().find(|(other, _)| other == name);
    let Some((_, Value::Number(first))) = same else { return Ok(()) };
    if *first == number {
        return Ok(());
    }
    Err(Error::Mistake(format!(
        "gather_state: {name} is {first} on rank 0 and {number} on rank \
         {owner}, because in some step none of a rank's parameters had a \
         gradient; use fewer ranks, or an optimizer that is not divided"
    )))
}

/// Divides the trainable parameters among the ranks; a frozen parameter needs no
/// state. Each of them belongs to the rank that would have its first element, if
/// all elements were divided evenly.
fn shares<M: Parameters + ?Sized>(
    model: &mut M,
    size: usize,
) -> Vec<Vec<SharedParameter<'_>>> {
    let mut parameters = distinct(model.parameters_mut());
    parameters.retain(|it| it.tensor().records());
    let total: usize = parameters.iter().map(|it| it.tensor().len()).sum();
    let mut shares = Vec::new();
    shares.resize_with(size, Vec::new);
    let mut start = 0;
    for parameter in parameters {
        let owner = (start * size / total.max(1)).min(size - 1);
        start += parameter.tensor().len();
        shares[owner].push(parameter);
    }
    shares
}
