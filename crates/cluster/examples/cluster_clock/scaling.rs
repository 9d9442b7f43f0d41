//! The speedup of a step, for several numbers of ranks.

use cluster::local::Cost;
use cluster::{DataParallel, Order};
use rungrad::Result;

use super::ranks::{LAYER, ROWS, run};
use super::{ETHERNET, INSIDE};

/// Returns the time of a step on a batch of `rows` rows.
fn time(size: usize, cost: Cost, rows: usize) -> Result<f64> {
    let step = run((size, cost, rows), |rank| {
        let mut parallel = DataParallel::new(&rank.collective, Order::Fastest);
        parallel.bucket_len = LAYER;
        let (weights, loss) = (vec![1.0; rows], |rows| rank.loss(rows));
        parallel.backward(&rank.model, &weights, loss)?.wait()
    });
    step.map(|(_, time, _)| time)
}

pub(crate) fn show() -> Result<()> {
    println!("            32 rows     32 rows  32 rows per rank");
    println!("ranks  one machine    Ethernet          Ethernet");
    let alone = time(1, ETHERNET, ROWS)?;
    for size in [1, 2, 4, 8, 16, 32] {
        let inside = alone / time(size, INSIDE, ROWS)?;
        let divided = alone / time(size, ETHERNET, ROWS)?;
        // The batch grows with the number of ranks.
        let grown = size as f64 * alone / time(size, ETHERNET, size * ROWS)?;
        println!("{size:>5}{inside:>13.2}{divided:>12.2}{grown:>18.2}");
    }
    Ok(())
}
