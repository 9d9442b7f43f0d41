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
