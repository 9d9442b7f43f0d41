//! The memory of each rank if the state of the optimizer is divided.

use cluster::{Collective, DataParallel, Order, local};
use rungrad::Result;
use rungrad::data::names;
use rungrad::io::{State, Value};
use rungrad::loader::Loader;
use rungrad::nn::{Gpt, GptSizes, Parameters};
use rungrad::optim::Adam;
use rungrad::rng::Random;

/// The elements that a rank stores.
struct Stored {
    parameters: usize,
    gradients: usize,
    state: usize,
}

// ANCHOR: state
/// Takes one step with a divided optimizer, and counts what this rank stores.
fn step(rank: &Collective) -> Result<Stored> {
    let list = names();
    let sizes = GptSizes {
        vocabulary: list.vocabulary.size(),
        context: 16,
        layers: 2,
        heads: 4,
        width: 32,
        dropout: 0.0,
    };
    let mut gpt = Gpt::new(sizes, &mut Random::new(0));
    let mut adam = Adam::new(3e-3);
    let batch = Loader::new(list.whole(16), 8, 0).next_batch();
    let parallel = DataParallel::new(rank, Order::Fixed { shards: 8 });
    let loss = |rows: std::ops::Range<usize>| {
        let tokens = rows.start * batch.columns..rows.end * batch.columns;
        let scores = gpt.scores(&batch.inputs[tokens.clone()], batch.columns);
        scores.cross_entropy(&batch.targets[tokens])
    };
    parallel.backward(&gpt, &[1.0; 8], loss)?.wait()?;
    parallel.sharded_step(&mut gpt, &mut adam)?;
    let parameters = gpt.parameters().iter().map(|(_, it)| it.len()).sum();
    let state = adam.state().into_iter().map(|(_, value)| match value {
        Value::Tensor(tensor) => tensor.len(),
        Value::Number(_) => 0,
    });
    let state = state.sum();
    Ok(Stored { parameters, gradients: parameters, state })
}
// ANCHOR_END: state

pub(crate) fn show() -> Result<()> {
    println!("bytes per rank");
    println!("ranks  parameters  gradients  Adam, least  Adam, most     total");
    for size in [1, 2, 4, 8] {
        let ranks = local::run(size, |rank| step(&rank));
        let ranks = ranks.into_iter().collect::<Result<Vec<_>>>()?;
        let states = ranks.iter().map(|it| it.state);
        let (least, most) = (states.clone().min(), states.max());
        let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
        let Stored { parameters, gradients, .. } = ranks[0];
        let total = parameters + gradients + most;
        let [parameters, gradients, least, most, total] =
            [parameters, gradients, least, most, total].map(|it| 4 * it);
        println!(
            "{size:>5}{parameters:>12}{gradients:>11}{least:>13}{most:>12}\
             {total:>10}"
        );
    }
    Ok(())
}
