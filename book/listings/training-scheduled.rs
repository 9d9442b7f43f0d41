for batch in learned.batches(BATCH, &mut random) {
    let scores = network.forward(&inputs(&batch, device)?);
    let loss = scores.cross_entropy(&batch.labels);
    loss.backward();
    adam.set_learning_rate(rates.rate(step));
    adam.step(network.parameters_mut());
    total += loss.detach() * batch.rows() as f32;
    step += 1;
}
