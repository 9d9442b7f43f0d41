fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
    match is_deferred(a) {
        true => {
            let pair = [a.clone(), b.clone()];
            self.defer(LazyOp::Binary(op, pair), a.shape())
        }
        false => self.now([a, b], |base, [a, b]| base.binary(op, a, b)),
    }
}
