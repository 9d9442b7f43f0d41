/// Runs the network on a digit (64) and records the output of each module.
fn record(
    network: &Sequential,
    digit: &[f32],
    device: Device,
) -> Result<Seen, Error> {
    let mut x = Tensor::new(&[1, 64], digit, device)?;
    let mut stages = Vec::new();
    for module in &network.modules {
        x = no_grad(|| module.forward(&x));
        stages.push((x.shape().to_vec(), x.to_vec()?));
    }
    let filters = network.parameters()[0].1.to_vec()?;
    Ok(Seen { filters, stages, scores: x.to_vec()? })
}
