fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
    stored(elements(a)?.into_iter().map(|x| op.apply(x)).collect())
}

fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
    let pairs = elements(a)?.into_iter().zip(elements(b)?);
    stored(pairs.map(|(x, y)| op.apply(x, y)).collect())
}

fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
    let pairs = elements(a)?.into_iter().zip(elements(b)?);
    let choices = elements(mask)?.into_iter().zip(pairs);
    let select = |(m, (x, y))| if m != 0.0 { x } else { y };
    stored(choices.map(select).collect())
}
