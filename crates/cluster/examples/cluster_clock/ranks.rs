//! A rank with a model whose layers take a fixed time on the simulated clock.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use cluster::local::{Cost, Network};
use cluster::{Collective, Pending, algorithms};
use rungrad::Result;
use rungrad::nn::{Linear, Module, Parameters};
use rungrad::part3_unified::{
    Array, Context, Device, Function, Gradients, Op, Tensor, apply,
};
use rungrad::rng::Random;

/// The number of layers, each of which has 256 x 256 weights and 256 biases.
const LAYERS: usize = 4;
const WIDTH: usize = 256;

/// The number of parameters of one layer.
pub(crate) const LAYER: usize = WIDTH * WIDTH + WIDTH;

/// The number of rows in a batch.
pub(crate) const ROWS: usize = 32;

/// The simulated time of one layer for one row, in seconds.
const FORWARD: f64 = 62.5e-6;
const BACKWARD: f64 = 125e-6;

/// An interval on the simulated clock, in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) is_message: bool,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

/// The intervals of one rank.
pub(crate) type Events = Arc<Mutex<Vec<Event>>>;

pub(crate) struct Rank {
    pub(crate) collective: Arc<Collective>,
    pub(crate) model: Stack,
    pub(crate) events: Events,
    x: Tensor,
}

impl Rank {
    fn new(collective: Collective, rows: usize) -> Result<Rank> {
        let mut random = Random::new(0);
        let mut layer = || Linear::new(WIDTH, WIDTH, &mut random);
        let layers = (0..LAYERS).map(|_| layer()).collect();
        Ok(Rank {
            collective: Arc::new(collective),
            model: Stack { layers },
            events: Events::default(),
            x: Tensor::rand(&[rows, WIDTH], 1, Device::Cpu)?,
        })
    }

    /// Computes the part of the batch's mean loss that comes from the rows of
    /// this rank.
    pub(crate) fn own_loss(&self) -> Tensor {
        let (rank, size) = (self.collective.rank(), self.collective.size());
        let count = self.x.shape()[0];
        let own = cluster::part(count, size, rank);
        let weight = own.len() as f64 / count as f64;
        self.loss(own) * weight
    }

    /// Computes the mean loss of some rows.
    pub(crate) fn loss(&self, rows: Range<usize>) -> Tensor {
        let count = rows.len() as f64;
        let x = self.x.slice(&[rows]);
        let mut y = x.clone();
        for layer in &self.model.layers {
            spend(&self.collective, &self.events, FORWARD * count);
            let spends = Spends {
                collective: self.collective.clone(),
                events: self.events.clone(),
                seconds: BACKWARD * count,
            };
            y = apply(spends, &[&layer.forward(&y)]);
        }
        y.mse(&x)
    }

    /// Starts to add values, like [`Collective::all_reduce`], and records when
    /// this begins and ends.
    pub(crate) fn all_reduce(&self, values: Vec<f32>) -> Pending {
        let events = self.events.clone();
        self.collective.submit(move |link| {
            let start = link.time();
            let sum = algorithms::ring_all_reduce(link, values)?;
            let end = link.time();
            push(&events, Event { is_message: true, start, end });
            Ok(sum)
        })
    }

    /// Returns the gradients of all parameters.
    pub(crate) fn gradients(&self) -> Result<Vec<f32>> {
        let mut values = Vec::new();
        for (_, leaf) in self.model.parameters() {
            values.extend(leaf.grad().expect("every layer is used").to_vec()?);
        }
        Ok(values)
    }

    /// Stores gradients in the leaves with these ids.
    pub(crate) fn store(&self, leaves: &[u64], values: &[f32]) -> Result<()> {
        let mut rest = values;
        for id in leaves {
            let parameters = self.model.parameters();
            let mut leaves = parameters.into_iter().map(|(_, leaf)| leaf);
            let leaf = leaves.find(|it| it.id() == Some(*id));
            let leaf = leaf.expect("a leaf of the model");
            let (values, after) = rest.split_at(leaf.len());
            rest = after;
            leaf.set_grad(Tensor::new(leaf.shape(), values, Device::Cpu)?);
        }
        Ok(())
    }
}

/// Runs `step` on all ranks of a network with links of this cost. Returns the
/// result of rank 0, the time of the slowest rank, and the intervals of rank 0.
pub(crate) fn run<T: Send>(
    (size, cost, rows): (usize, Cost, usize),
    step: impl Fn(&mut Rank) -> Result<T> + Sync,
) -> Result<(T, f64, Vec<Event>)> {
    let network = Network::new(size).with_cost(move |_, _| cost);
    let ranks = network.run(|collective| {
        let mut rank = Rank::new(collective, rows)?;
        let result = step(&mut rank)?;
        let events = rank.events.lock().expect("no rank panics").clone();
        Ok((result, rank.collective.time(), events))
    });
    let mut ranks = ranks.into_iter().collect::<Result<Vec<_>>>()?;
    let slowest = ranks.iter().map(|(_, time, _)| *time).fold(0.0, f64::max);
    let (result, _, events) = ranks.swap_remove(0);
    Ok((result, slowest, events))
}

/// A stack of linear layers.
pub(crate) struct Stack {
    layers: Vec<Linear>,
}

impl Parameters for Stack {
    rungrad::parameters!(layers);
}

/// Lets time pass on the simulated clock.
fn spend(collective: &Collective, events: &Events, seconds: f64) {
    let start = collective.time();
    collective.compute(seconds);
    push(events, Event { is_message: false, start, end: start + seconds });
}

fn push(events: &Events, event: Event) {
    events.lock().expect("no rank panics").push(event);
}

/// Returns its input, and spends time in its backward pass.
struct Spends {
    collective: Arc<Collective>,
    events: Events,
    seconds: f64,
}

impl Function for Spends {
    fn op(&self) -> Op {
        Op::Custom("spends")
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        spend(&self.collective, &self.events, self.seconds);
        vec![Some(grad_out.clone())]
    }
}
