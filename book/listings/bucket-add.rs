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
