let busy = |tiles: &&Tiles| {
    let [m, n] = tiles.sides;
    let all = product.m.div_ceil(m) * product.n.div_ceil(n);
    // A long k can be split into parts, which count as tiles.
    let parts = (product.k / K_PER_PART).max(1);
    all * product.batches * parts * tiles.of_units >= units
};
let by_rule = || TILES.iter().find(|tiles| can(tiles) && busy(tiles));
let chosen = timed.filter(&can).or_else(by_rule);
chosen.unwrap_or(&TILES[TILES.len() - 1])
