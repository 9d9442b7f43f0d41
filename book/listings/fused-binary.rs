fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
    if is_deferred(a) {
        let pair = [a.clone(), b.clone()];
        self.defer(LazyOp::Binary(op, pair), a.shape())
    } else {
        self.now([a, b], |base, [a, b]| base.binary(op, a, b))
    }
}
