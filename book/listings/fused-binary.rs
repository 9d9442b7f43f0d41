fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
    match is_written(a) {
        true => {
            let pair = [a.clone(), b.clone()];
            self.wish(What::Binary(op, pair), a.shape())
        }
        false => self.now([a, b], |base, [a, b]| base.binary(op, a, b)),
    }
}
