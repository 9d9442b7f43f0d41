//! Data-parallel training: the bits do not depend on the number of ranks, and
//! the gradients equal the result of one backward pass over the whole batch.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use cluster::local::{self, Cost, Network};
use cluster::{Collective, DataParallel, Order};
use rungrad::io::{self, State};
use rungrad::nn::{BatchNorm, Dropout, Kept, Linear, Module, Parameters};
use rungrad::optim::{Adam, Optimizer};
use rungrad::part3_unified::{
    Array, Context, Device, Function, Gradients, Op, Tensor, apply,
};
use rungrad::rng::Random;
use rungrad::{DType, Result};

/// A model with every special case: two layers share one weight, one parameter
/// is frozen, and the loss depends on `spare` only if `uses_spare`.
struct Model {
    first: Linear,
    second: Linear,
    dropout: Dropout,
    frozen: Tensor,
    spare: Tensor,
    uses_spare: bool,
}

impl Model {
    fn new(seed: u64, uses_spare: bool) -> Model {
        let mut random = Random::new(seed);
        let first = Linear::new(6, 6, &mut random);
        let mut second = Linear::new(6, 6, &mut random);
        second.weight = first.weight.clone();
        let ones = || Tensor::ones(&[6], Device::Cpu).unwrap();
        Model {
            first,
            second,
            dropout: Dropout::new(0.25, &mut random),
            frozen: ones(),
            spare: ones().requires_grad(),
            uses_spare,
        }
    }

    /// Returns the mean loss of some rows. Only rows after the first ten use
    /// `spare`.
    fn loss(&self, x: &Tensor, rows: Range<usize>) -> Tensor {
        let uses_spare = self.uses_spare && rows.start >= 10;
        let x = x.slice(&[rows]);
        let y = self.forward(&x);
        let y = if uses_spare { y * &self.spare } else { y };
        y.mse(&(&x * 2.0 - 1.0))
    }
}

impl Module for Model {
    fn forward(&self, x: &Tensor) -> Tensor {
        let hidden = self.dropout.forward(&self.first.forward(x).tanh());
        self.second.forward(&hidden) * &self.frozen
    }
}

impl Parameters for Model {
    rungrad::parameters!(first, second, dropout, frozen, spare);
}

/// What a rank trains.
struct Run {
    model: Model,
    adam: Adam,
}

impl Run {
    /// Creates a run. Only rank 0 has the right parameters and dropout seed.
    fn new(collective: &Collective) -> Run {
        let model = Model::new(collective.rank() as u64, true);
        Run { model, adam: Adam::new(0.01) }
    }

    /// Trains for some steps, and returns the bits of the losses and of the
    /// parameters.
    fn train(
        &mut self,
        collective: &Collective,
        order: Order,
        rows: usize,
        steps: usize,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        let x = Tensor::rand(&[rows, 6], 1, Device::Cpu)?;
        let mut parallel = DataParallel::new(collective, order);
        // One bucket for each parameter.
        parallel.bucket_len = 1;
        let model = &mut self.model;
        parallel.broadcast(model)?;
        let mut losses = Vec::new();
        for _ in 0..steps {
            let loss = |rows| model.loss(&x, rows);
            let weights = vec![1.0; rows];
            let reduction = parallel.backward(model, &weights, loss)?;
            losses.push(reduction.wait()?.to_bits());
            self.adam.step(model.parameters_mut());
            assert_eq!(model.first.weight.id(), model.second.weight.id());
        }
        let mut parameters = Vec::new();
        for (_, parameter) in model.parameters() {
            parameters.extend(parameter.to_vec()?.iter().map(|x| x.to_bits()));
        }
        Ok((losses, parameters))
    }

    fn parts(&mut self) -> [io::Part<'_>; 2] {
        [("model", &mut self.model), ("adam", &mut self.adam)]
    }
}

/// Trains a new model for five steps.
fn train(
    collective: &Collective,
    order: Order,
    rows: usize,
) -> (Vec<u32>, Vec<u32>) {
    Run::new(collective).train(collective, order, rows, 5).unwrap()
}

/// The batches of 3 and 21 rows do not divide into 8 shards, and 8 shards do
/// not divide among 3 ranks. With 3 rows, most shards are empty.
///
/// Promise: The losses and the parameters of a training have the same bits for
/// any number of ranks.
#[test]
fn the_bits_do_not_depend_on_the_number_of_ranks() {
    for rows in [3, 21, 32] {
        let order = Order::Fixed { shards: 8 };
        let run = |size| local::run(size, |it| train(&it, order, rows));
        let one = run(1).remove(0);
        assert_ne!(one.0[0], one.0[4], "the model learns");
        for size in [2, 3, 4, 8, 11] {
            for rank in run(size) {
                assert!(rank == one, "{rows} rows, {size} ranks");
            }
        }
    }
}

/// Promise: A training that continues from a checkpoint with a different number
/// of ranks has the same bits.
#[test]
fn a_checkpoint_continues_with_a_different_number_of_ranks() {
    let (order, rows) = (Order::Fixed { shards: 8 }, 21);
    let whole = local::run(1, |it| train(&it, order, rows)).remove(0);
    let name = format!("rungrad-cluster-{}.safetensors", std::process::id());
    let path = std::env::temp_dir().join(name);
    let first = local::run(4, |it| {
        let mut run = Run::new(&it);
        let (losses, _) = run.train(&it, order, rows, 2).unwrap();
        if it.rank() == 0 {
            io::checkpoint(&path, &run.parts()).unwrap();
        }
        losses
    });
    let rest = local::run(3, |it| {
        let mut run = Run::new(&it);
        io::resume(&path, &mut run.parts()).unwrap();
        run.train(&it, order, rows, 3).unwrap()
    });
    std::fs::remove_file(&path).unwrap();
    for (losses, parameters) in rest {
        assert_eq!([&first[0][..], &losses].concat(), whole.0);
        assert_eq!(parameters, whole.1);
    }
}

/// Promise: Each row counts with its weight, and rows of weight 0 are not
/// computed if they fill a shard.
#[test]
fn rows_have_weights() {
    let x = Tensor::rand(&[4, 6], 1, Device::Cpu).unwrap();
    let row_loss = |model: &Model, row: usize| model.loss(&x, row..row + 1);
    let weights = [3.0, 0.0, 0.0, 1.0];
    let whole = Model::new(7, false);
    whole.eval();
    let loss = (row_loss(&whole, 0) * 3.0 + row_loss(&whole, 3)) / 4.0;
    loss.backward();
    local::run(2, |it| {
        let model = Model::new(7, false);
        model.eval();
        let parallel = DataParallel::new(&it, Order::Fixed { shards: 4 });
        let loss_of = |rows: Range<usize>| {
            assert!([0..1, 3..4].contains(&rows), "{rows:?}");
            model.loss(&x, rows)
        };
        let reduction = parallel.backward(&model, &weights, loss_of);
        let mean = reduction.unwrap().wait().unwrap();
        near(&[mean], &[loss.item().unwrap()]);
        let [own, right] = [&model, &whole]
            .map(|it| it.first.weight.grad().unwrap().to_vec().unwrap());
        near(&own, &right);
    });
}

/// Promise: With the fastest order, all ranks have the same parameters.
#[test]
fn the_fastest_order_gives_all_ranks_the_same_parameters() {
    for size in [1, 2, 3] {
        let ranks = local::run(size, |it| train(&it, Order::Fastest, 21));
        assert!(ranks.iter().all(|rank| *rank == ranks[0]), "{size} ranks");
    }
}

/// Promise: The gradients and the loss equal the result of one backward pass over
/// the whole batch, up to rounding.
#[test]
fn the_gradients_are_those_of_the_whole_batch() {
    let x = Tensor::rand(&[21, 6], 1, Device::Cpu).unwrap();
    let whole = Model::new(7, false);
    whole.eval();
    let loss = whole.loss(&x, 0..21);
    loss.backward();
    for order in [Order::Fixed { shards: 4 }, Order::Fastest] {
        local::run(3, |it| {
            let model = Model::new(7, false);
            model.eval();
            let parallel = DataParallel::new(&it, order);
            let reduction = parallel
                .backward(&model, &[1.0; 21], |rows| model.loss(&x, rows));
            let mean = reduction.unwrap().wait().unwrap();
            near(&[mean], &[loss.item().unwrap()]);
            for ((name, own), (_, right)) in
                model.parameters().iter().zip(whole.parameters())
            {
                // Neither the frozen nor the unused parameter has a gradient.
                let has_grad = !["frozen", "spare"].contains(&&name[..]);
                assert_eq!(own.grad().is_some(), has_grad, "{name}");
                assert_eq!(right.grad().is_some(), has_grad, "{name}");
                if let (Some(own), Some(right)) = (own.grad(), right.grad()) {
                    near(&own.to_vec().unwrap(), &right.to_vec().unwrap());
                }
            }
        });
    }
}

fn near(values: &[f32], right: &[f32]) {
    assert_eq!(values.len(), right.len());
    for (value, right) in values.iter().zip(right) {
        assert!((value - right).abs() < 1e-5, "{value}, not {right}");
    }
}

/// Promise: Every shard and every step has its own random numbers.
#[test]
fn every_shard_draws_its_own_random_numbers() {
    let collective = local::run(1, |it| it).remove(0);
    let parallel = DataParallel::new(&collective, Order::Fixed { shards: 8 });
    let (x, model) = (Tensor::ones(&[8, 6], Device::Cpu), Model::new(0, false));
    let (x, mut seeds) = (x.unwrap(), HashSet::new());
    for _ in 0..2 {
        let loss = |rows| {
            for (_, kept) in model.kept() {
                if let Kept::Generator(generator) = kept {
                    assert!(seeds.insert(generator.clone().seed()));
                }
            }
            model.loss(&x, rows)
        };
        parallel.backward(&model, &[1.0; 8], loss).unwrap().wait().unwrap();
    }
    assert_eq!(seeds.len(), 16);
}

/// Promise: An optimizer whose state is divided among the ranks computes the
/// same bits, and each rank has the state of only its own parameters.
#[test]
fn a_sharded_step_has_the_same_bits_and_less_state() {
    let (rows, weights) = (21, [1.0; 21]);
    let x = Tensor::rand(&[rows, 6], 1, Device::Cpu).unwrap();
    let run = |size, is_sharded| {
        local::run(size, |it| {
            let parallel = DataParallel::new(&it, Order::Fixed { shards: 8 });
            let mut model = Model::new(0, true);
            let mut adam = Adam::new(0.01);
            for _ in 0..4 {
                let loss = |rows| model.loss(&x, rows);
                let reduction = parallel.backward(&model, &weights, loss);
                reduction.unwrap().wait().unwrap();
                match is_sharded {
                    true => {
                        parallel.sharded_step(&mut model, &mut adam).unwrap()
                    }
                    false => adam.step(model.parameters_mut()),
                }
                assert_eq!(model.first.weight.id(), model.second.weight.id());
                assert!(!model.frozen.records());
            }
            let bits = |(_, it): (String, &Tensor)| {
                let values = it.to_vec().unwrap().into_iter();
                values.map(f32::to_bits).collect::<Vec<u32>>()
            };
            let bits: Vec<_> =
                model.parameters().into_iter().map(bits).collect();
            let state =
                adam.state().into_iter().map(|(_, value)| match value {
                    io::Value::Tensor(tensor) => tensor.len(),
                    io::Value::Number(_) => 0,
                });
            (bits, state.sum::<usize>())
        })
    };
    let (right, whole) = run(1, false).remove(0);
    for size in [1, 2, 3, 8] {
        let ranks = run(size, true);
        assert!(ranks.iter().all(|(bits, _)| *bits == right), "{size} ranks");
        // Only the ordinary step has a state for the frozen parameter.
        let sum: usize = ranks.iter().map(|(_, state)| state).sum();
        let whole = whole - 2 * 6;
        assert_eq!(sum, whole, "{size} ranks");
        assert!(size == 1 || ranks.iter().all(|(_, state)| *state < whole));
    }
}

/// Promise: A training with a divided optimizer continues from a checkpoint with
/// a different number of ranks, or with an undivided optimizer, with the same
/// bits.
#[test]
fn a_divided_optimizer_continues_with_a_different_number_of_ranks() {
    let (rows, weights) = (21, [1.0; 21]);
    let x = Tensor::rand(&[rows, 6], 1, Device::Cpu).unwrap();
    let start = |rank: usize| {
        let mut random = Random::new(rank as u64);
        let first = Linear::new(6, 5, &mut random);
        let second = Linear::new(5, 6, &mut random);
        (Layers { first, second }, Adam::new(0.01))
    };
    let step = |parallel: &DataParallel, model: &Layers| {
        let loss = |rows: Range<usize>| {
            let x = x.slice(&[rows]);
            let hidden = model.first.forward(&x).tanh();
            model.second.forward(&hidden).mse(&x)
        };
        parallel.backward(model, &weights, loss).unwrap().wait().unwrap()
    };
    let bits = |model: &Layers| {
        let values = |(_, it): (String, &Tensor)| it.to_vec().unwrap();
        let values = model.parameters().into_iter().flat_map(values);
        values.map(f32::to_bits).collect::<Vec<u32>>()
    };
    let order = Order::Fixed { shards: 8 };
    let right = local::run(1, |it| {
        let parallel = DataParallel::new(&it, order);
        let (mut model, mut adam) = start(0);
        for _ in 0..6 {
            step(&parallel, &model);
            adam.step(model.parameters_mut());
        }
        bits(&model)
    });
    let name = format!("rungrad-divided-{}.safetensors", std::process::id());
    let path = std::env::temp_dir().join(name);
    // With eleven ranks, most have no parameter.
    for (before, after) in [(1, 3), (3, 2), (2, 11), (11, 1)] {
        local::run(before, |it| {
            let parallel = DataParallel::new(&it, order);
            let (mut model, mut adam) = start(it.rank());
            parallel.broadcast(&mut model).unwrap();
            for _ in 0..3 {
                step(&parallel, &model);
                parallel.sharded_step(&mut model, &mut adam).unwrap();
            }
            parallel.gather_state(&mut model, &mut adam).unwrap();
            if it.rank() == 0 {
                let parts: [io::Part<'_>; 2] =
                    [("model", &mut model), ("adam", &mut adam)];
                io::checkpoint(&path, &parts).unwrap();
            }
        });
        for is_divided in [true, false] {
            let ranks = local::run(after, |it| {
                let parallel = DataParallel::new(&it, order);
                let (mut model, mut adam) = start(it.rank());
                let mut parts: [io::Part<'_>; 2] =
                    [("model", &mut model), ("adam", &mut adam)];
                io::resume(&path, &mut parts).unwrap();
                if is_divided {
                    parallel.shard_state(&mut model, &mut adam).unwrap();
                }
                for _ in 0..3 {
                    step(&parallel, &model);
                    match is_divided {
                        true => parallel
                            .sharded_step(&mut model, &mut adam)
                            .unwrap(),
                        false => adam.step(model.parameters_mut()),
                    }
                }
                let state = adam.state().len();
                (bits(&model), state)
            });
            for (bits, state) in ranks {
                assert_eq!(bits, right[0], "{before} and {after} ranks");
                // The steps, and two tensors for each of four parameters.
                assert_eq!(state == 9, !is_divided || after == 1);
            }
        }
    }
    std::fs::remove_file(&path).unwrap();
}

struct Layers {
    first: Linear,
    second: Linear,
}

impl Parameters for Layers {
    rungrad::parameters!(first, second);
}

/// Promise: A checkpoint of a divided optimizer that cannot be complete, or that
/// does not fit the model, is rejected with a sentence.
#[test]
fn an_unsuitable_state_of_an_optimizer_is_rejected() {
    let x = Tensor::ones(&[4, 6], Device::Cpu).unwrap();
    let errors = local::run(2, |it| {
        let parallel = DataParallel::new(&it, Order::Fastest);
        let ones = |len| Tensor::ones(&[len], Device::Cpu).unwrap();
        let mut model = Pair {
            first: ones(6).requires_grad(),
            last: ones(6).requires_grad(),
        };
        let mut adam = Adam::new(0.01);
        // `last` belongs to rank 1 and has no gradient.
        let loss = |rows| (x.slice(&[rows]) * &model.first).sum();
        let reduction = parallel.backward(&model, &[1.0; 4], loss).unwrap();
        reduction.wait().unwrap();
        parallel.sharded_step(&mut model, &mut adam).unwrap();
        let gathered = parallel.gather_state(&mut model, &mut adam.clone());
        let sharded = match it.rank() {
            0 => parallel.shard_state(&mut model, &mut adam),
            _ => gathered.clone(),
        };
        [gathered, sharded].map(|it| it.unwrap_err().to_string())
    });
    let [gathered, sharded] = &errors[0];
    assert_eq!(gathered, &errors[1][0]);
    assert!(gathered.contains("1 on rank 0 and 0 on rank 1"), "{gathered}");
    assert!(sharded.contains("1 parameters, but 2"), "{sharded}");
}

/// Returns its input, and calls a function in its backward pass.
struct OnBackward<F>(F);

impl<F: Fn() + Send + Sync + 'static> Function for OnBackward<F> {
    fn op(&self) -> Op {
        Op::Custom("on_backward")
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        (self.0)();
        vec![Some(grad_out.clone())]
    }
}

/// The clock of a simulated network shows the overlap: the backward pass of the
/// first layer takes 1 second, and so does the message with the gradient of
/// the last layer.
///
/// Promise: The reduction of a bucket runs while the backward pass of earlier
/// layers runs.
#[test]
fn a_reduction_overlaps_the_backward_pass() {
    let len = 1000;
    // The two ranks exchange half of the gradient twice. The status has one
    // element for the loss and one for each parameter.
    let bandwidth = (4 * len) as f64;
    let network = || {
        let cost = Cost { latency: 0.0, bandwidth };
        Network::new(2).with_cost(move |_, _| cost)
    };
    let time_of = |bucket_len| {
        network().run(|collective| {
            let collective = Arc::new(collective);
            let ones = |len| Tensor::ones(&[len], Device::Cpu).unwrap();
            let model = Pair {
                first: ones(1).requires_grad(),
                last: ones(len).requires_grad(),
            };
            let mut parallel = DataParallel::new(&collective, Order::Fastest);
            parallel.bucket_len = bucket_len;
            let loss = |_| {
                let compute = collective.clone();
                let layer = OnBackward(move || compute.compute(1.0));
                (apply(layer, &[&model.first]) * &model.last).sum()
            };
            let reduction = parallel.backward(&model, &[1.0; 2], loss).unwrap();
            reduction.wait().unwrap();
            collective.time()
        })
    };
    let status = 2.0 * 4.0 / bandwidth;
    for (bucket_len, right) in [(len, 1.0), (len + 1, 2.0)] {
        for time in time_of(bucket_len) {
            let most = right + 4.0 * status;
            assert!((right..most).contains(&time), "{time} s, not {right} s");
        }
    }
}

struct Pair {
    first: Tensor,
    last: Tensor,
}

impl Parameters for Pair {
    rungrad::parameters!(first, last);
}

/// Promise: Models that ranks cannot train together are rejected with a sentence
/// that names the parameter or buffer.
#[test]
fn unsuitable_models_are_rejected() {
    let collective = local::run(1, |it| it).remove(0);
    let parallel = DataParallel::new(&collective, Order::Fastest);
    let message = |model: &dyn Parameters| {
        let loss = |_| panic!("the model is checked first");
        parallel.backward(model, &[1.0; 4], loss).err().unwrap().to_string()
    };
    let mut wide = Linear::new(2, 2, &mut Random::new(0));
    wide.to_dtype(DType::F64).unwrap();
    let wide = message(&wide);
    assert!(wide.starts_with("DataParallel: bias is f64"), "{wide}");
    let norm = message(&BatchNorm::new(3));
    assert!(norm.contains("use a layer without buffers"), "{norm}");
}

/// Promise: A rank that ends during training ends the step on every rank with
/// an error.
#[test]
fn a_rank_that_ends_during_training_is_an_error() {
    let errors = Mutex::new(Vec::new());
    local::run(4, |it| {
        let x = Tensor::rand(&[8, 6], 1, Device::Cpu).unwrap();
        let model = Model::new(0, true);
        let parallel = DataParallel::new(&it, Order::Fixed { shards: 8 });
        for step in 0..3 {
            if it.rank() == 2 && step == 1 {
                return;
            }
            let loss = |rows| model.loss(&x, rows);
            let reduction = parallel.backward(&model, &[1.0; 8], loss).unwrap();
            if let Err(error) = reduction.wait() {
                errors.lock().unwrap().push((step, error.to_string()));
                return;
            }
        }
    });
    let errors = errors.into_inner().unwrap();
    assert_eq!(errors.len(), 3);
    for (step, error) in errors {
        assert_eq!(step, 1);
        assert!(error.starts_with("rank 2 ended"), "{error}");
    }
}
