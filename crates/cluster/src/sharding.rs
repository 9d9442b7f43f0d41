//! An optimizer whose state is divided among the ranks, as in stage 1 of ZeRO
//! (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion
//! Parameter Models").
//!
//! Adam needs two values for each element of a parameter. All ranks have the
//! same gradients, so each rank can update some of the parameters, with only
//! their part of the state, and send the result to the others.

use rungrad::Result;
use rungrad::nn::{Parameters, SharedParameter, distinct};
use rungrad::optim::Optimizer;
use rungrad::part3_unified::Tensor;

use super::DataParallel;

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
        let mut parameters = distinct(model.parameters_mut());
        // A frozen parameter needs no state.
        parameters.retain(|it| it.tensor().records());
        // ANCHOR: step
        let mut shares = shares(parameters, size);
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
}

/// Divides the parameters among the ranks. Each of them belongs to the rank
/// that would have its first element, if all elements were divided evenly.
fn shares(
    parameters: Vec<SharedParameter<'_>>,
    size: usize,
) -> Vec<Vec<SharedParameter<'_>>> {
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
