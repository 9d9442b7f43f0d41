//! Checks `tied_weights`, a sum of gradients that can have several parts.
//!
//! Each use of a weight goes through a function whose backward pass reports its
//! part, so the parts come from a real backward pass.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use exercises::{
    Link, Order, Outcome, Stop, check, expect, numbers, run_ranks, wrong,
};
use rungrad::part3_unified::{
    Array, Context, Device, Function, Gradients, Op, Tensor, apply,
};
use yours::Reducer;

exercises::yours!("cluster/tied_weights.rs");

fn main() -> ExitCode {
    check(
        "tied_weights",
        YOURS,
        &[
            ("two weights, each of them used once", untied),
            ("one weight, used by two layers", tied),
            ("two weights, used in each of four steps", recurrent),
        ],
    )
}

/// Adds values of all ranks. A clone is the same connection.
#[derive(Clone)]
pub struct Ranks(Arc<Mutex<Connection>>);

struct Connection {
    link: Link,
    calls: usize,
    /// The values of each call, by sender.
    received: Vec<Vec<Vec<f32>>>,
}

impl Ranks {
    fn new(link: Link) -> Ranks {
        let received = vec![Vec::new(); link.size()];
        Ranks(Arc::new(Mutex::new(Connection { link, calls: 0, received })))
    }

    fn connection(&self) -> std::sync::MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to add the values of all ranks, element by element, and returns
    /// at once. Every rank calls this in the same order.
    pub fn all_reduce(&self, values: Vec<f32>) -> Pending {
        let mut connection = self.connection();
        let Connection { link, calls, received } = &mut *connection;
        let (rank, size) = (link.rank(), link.size());
        for other in (0..size).filter(|other| *other != rank) {
            link.send(other, values.clone());
        }
        received[rank].push(values);
        *calls += 1;
        Pending { call: *calls - 1, ranks: self.clone() }
    }
}

/// A sum that may not have arrived yet.
pub struct Pending {
    call: usize,
    ranks: Ranks,
}

impl Pending {
    /// Waits for the sum.
    pub fn wait(self) -> Vec<f32> {
        let mut connection = self.ranks.connection();
        let Connection { link, received, .. } = &mut *connection;
        for (rank, received) in received.iter_mut().enumerate() {
            while received.len() <= self.call {
                received.push(link.receive(rank));
            }
        }
        let mut sum = vec![0.0; received[link.rank()][self.call].len()];
        for values in received {
            let values = &values[self.call];
            sum.iter_mut().zip(values).for_each(|(sum, it)| *sum += it);
        }
        sum
    }
}

/// A part of a gradient, as the backward pass has computed it.
struct Part {
    leaf: u64,
    grad: Vec<f32>,
    /// How often `all_reduce` was called while the part was reported.
    calls: usize,
}

/// What the functions of one rank share.
#[derive(Clone)]
struct Watch {
    ranks: Ranks,
    reducer: Arc<Mutex<Option<Reducer>>>,
    parts: Arc<Mutex<Vec<Part>>>,
}

impl Watch {
    fn with<T>(&self, work: impl FnOnce(&mut Reducer) -> T) -> T {
        let mut reducer =
            self.reducer.lock().unwrap_or_else(PoisonError::into_inner);
        work(reducer.as_mut().expect("it is taken at the end"))
    }

    /// Returns a leaf, and reports each use of it and each of its gradients.
    fn uses(&self, leaf: &Tensor) -> Tensor {
        let id = leaf.id().expect("a leaf");
        self.with(|reducer| reducer.used(id));
        apply(Watched { leaf: id, watch: self.clone() }, &[leaf])
    }
}

struct Watched {
    leaf: u64,
    watch: Watch,
}

impl Function for Watched {
    fn op(&self) -> Op {
        Op::Custom("watched")
    }

    fn forward(
        &self,
        _: &mut Context,
        inputs: &[&Array],
    ) -> rungrad::Result<Array> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        let grad = grad_out.to_vec().expect("the CPU can be read");
        let calls = || self.watch.ranks.connection().calls;
        let before = calls();
        self.watch.with(|reducer| reducer.part(self.leaf, &grad));
        let part = Part { leaf: self.leaf, grad, calls: calls() - before };
        let parts = self.watch.parts.lock();
        parts.unwrap_or_else(PoisonError::into_inner).push(part);
        vec![Some(grad_out.clone())]
    }
}

/// Computes a loss from weights and inputs. `uses` is called for every use of a
/// weight.
type Loss = fn(&[Tensor], &Tensor, &dyn Fn(&Tensor) -> Tensor) -> Tensor;

/// What a rank returns: its parts, the names of its leaves by their ids, its
/// own gradients, and the sums.
struct Report {
    parts: Vec<Part>,
    names: BTreeMap<u64, usize>,
    own: Vec<Vec<f32>>,
    sums: BTreeMap<u64, Vec<f32>>,
}

impl Report {
    /// Returns a part of the gradient of a weight.
    fn part(&self, weight: usize, which: usize) -> Option<&Vec<f32>> {
        let parts =
            self.parts.iter().map(|it| (self.names[&it.leaf], &it.grad));
        parts.filter(|(it, _)| *it == weight).map(|(_, grad)| grad).nth(which)
    }
}

const RANKS: usize = 2;

/// Runs a backward pass on each rank, and checks the sums of the gradients.
fn judge(loss: Loss) -> Outcome {
    let order = &mut Order::in_turn();
    let run = run_ranks(RANKS, usize::MAX, order, |link| {
        let rank = link.rank();
        report(rank, Ranks::new(link), loss)
    })?;
    let reports = run.results.into_iter().collect::<Result<Vec<_>, Stop>>()?;
    for report in &reports {
        starts(report)?;
    }
    let total = |values: Vec<&Vec<f32>>| -> Vec<f32> {
        let len = values[0].len();
        (0..len).map(|i| values.iter().map(|it| it[i]).sum()).collect()
    };
    for (rank, report) in reports.iter().enumerate() {
        for (id, weight) in &report.names {
            let Some(sum) = report.sums.get(id) else {
                return Err(wrong(format!(
                    "`finish` returns no gradient for weight {weight}."
                )));
            };
            let own = reports.iter().map(|it| &it.own[*weight]).collect();
            let right = total(own);
            for which in 0.. {
                let parts =
                    reports.iter().filter_map(|it| it.part(*weight, which));
                let parts: Vec<_> = parts.collect();
                if parts.is_empty() || expect("", sum, &right).is_ok() {
                    break;
                }
                if expect("", sum, &total(parts)).is_ok() {
                    return Err(wrong(format!(
                        "The gradient of weight {weight} is only its part from \
                         one use, number {} in the backward pass. Add all \
                         parts.",
                        which + 1
                    )));
                }
            }
            let what =
                format!("On rank {rank}, the gradient of weight {weight}");
            expect(&what, sum, &right)?;
        }
    }
    Ok(())
}

/// Runs the learner's reducer on one rank.
fn report(rank: usize, ranks: Ranks, loss: Loss) -> Result<Report, Stop> {
    let leaf = |weight: usize| {
        let values = numbers(weight as u64, 9);
        let values: Vec<f32> = values.iter().map(|it| it / 8.0).collect();
        Ok(Tensor::new(&[3, 3], &values, Device::Cpu)?.requires_grad())
    };
    let leaves = (0..2).map(leaf).collect::<Result<Vec<_>, Stop>>()?;
    let x = Tensor::new(&[2, 3], &numbers(9 + rank as u64, 6), Device::Cpu)?;
    let watch = Watch {
        reducer: Arc::new(Mutex::new(Some(Reducer::new(ranks.clone())))),
        ranks,
        parts: Arc::default(),
    };
    // This stores the gradients of this rank in the leaves.
    loss(&leaves, &x, &|leaf| watch.uses(leaf)).backward();
    let reducer = watch.reducer.lock();
    let reducer = reducer.unwrap_or_else(PoisonError::into_inner).take();
    let sums = reducer.expect("it was there").finish();
    let parts = watch.parts.lock();
    let parts =
        parts.unwrap_or_else(PoisonError::into_inner).drain(..).collect();
    let id = |leaf: &Tensor| leaf.id().expect("a leaf");
    let names = leaves.iter().map(id).zip(0..).collect();
    let grad = |leaf: &Tensor| leaf.grad().expect("it is used").to_vec();
    let own = leaves.iter().map(grad).collect::<Result<_, _>>()?;
    Ok(Report { parts, names, own, sums })
}

/// Checks that each sum starts when the last part of its gradient is known.
fn starts(report: &Report) -> Outcome {
    let mut known = BTreeMap::new();
    for part in &report.parts {
        let weight = report.names[&part.leaf];
        let all = report.parts.iter().filter(|it| it.leaf == part.leaf);
        let all = all.count();
        let known = known.entry(part.leaf).or_insert(0);
        *known += 1;
        if *known < all && part.calls > 0 {
            return Err(wrong(format!(
                "`all_reduce` was called for weight {weight} after {known} of \
                 its {all} parts, before the gradient was complete."
            )));
        }
        if *known == all && part.calls != 1 {
            return Err(wrong(format!(
                "When the last of {all} parts of weight {weight} had arrived, \
                 `all_reduce` should have been called once. It was called {} \
                 times.",
                part.calls
            )));
        }
    }
    Ok(())
}

fn untied(_: &()) -> Outcome {
    judge(|weights, x, uses| {
        let hidden = x.matmul(&uses(&weights[0])).tanh();
        let y = hidden.matmul(&uses(&weights[1]));
        (&y * &y).sum()
    })
}

fn tied(_: &()) -> Outcome {
    judge(|weights, x, uses| {
        let first = x.matmul(&uses(&weights[0])).tanh();
        let second = first.matmul(&uses(&weights[1])).tanh();
        let y = second.matmul(&uses(&weights[0]).transpose());
        (&y * &y).sum()
    })
}

fn recurrent(_: &()) -> Outcome {
    judge(|weights, x, uses| {
        let mut state = x.clone();
        for _ in 0..4 {
            let old = state.matmul(&uses(&weights[0]));
            state = (old + x.matmul(&uses(&weights[1]))).tanh();
        }
        (&state * &state).sum()
    })
}
