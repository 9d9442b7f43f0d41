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
