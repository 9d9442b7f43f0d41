let (mut shards, mut value) = (shards, value);
// A block begins at a multiple of its size.
while let Some((left, _)) = self.blocks.last()
    && left.len() == shards.len()
    && left.start % (2 * left.len()) == 0
{
    let (left, sum) = self.blocks.pop().expect("it was checked");
    shards = left.start..shards.end;
    value = add(sum, value);
}
self.blocks.push((shards, value));
