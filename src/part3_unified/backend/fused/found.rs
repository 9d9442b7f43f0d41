//! What stands behind a wish, as an expression and as a key.

use std::sync::Arc;

use smallvec::SmallVec;

use super::super::super::view::runs;
use super::lazy::{Integers, Kind, Lazy, State, What, Wish, with};
use super::schedule::Operation;
use super::{Array, Reduce, Shared, downcast};
use crate::error::Result;
use crate::opencl::{Expression, Join, Node, Operand, Step};

/// The wishes that stand behind one, in an order in which each comes after what
/// it is made of.
#[derive(Default)]
pub(super) struct Found {
    pub(super) steps: Vec<Part>,
    pub(super) numbers: Vec<f32>,
    pub(super) integers: Vec<Integers>,
    pub(super) key: Vec<Token>,
}

pub(super) struct Part {
    /// Nothing for the one that is asked for.
    pub(super) storage: Option<Shared>,
    /// What it is to be, or what is there.
    pub(super) wish: Result<Arc<Wish>, Shared>,
    operands: SmallVec<[usize; 3]>,
    /// So many of the others are made of it.
    uses: usize,
}

/// What tells one expression from another.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Token {
    Kind(Kind),
    Size(usize),
    Stride(isize),
    Held(bool),
}

impl Found {
    /// Finds what stands behind a wish.
    pub(super) fn behind(wish: Arc<Wish>) -> Found {
        let mut found = Found::default();
        found.add(None, Ok(wish));
        // ANCHOR: held
        for step in &found.steps {
            let held = match (&step.storage, &step.wish) {
                (_, Err(_)) => continue,
                (None, _) => true,
                // A number is written wherever it is used.
                (_, Ok(wish)) if wish.number_alone() => false,
                // One more is ours.
                (Some(storage), _) => {
                    Arc::strong_count(storage) > step.uses + 1
                }
            };
            found.key.push(Token::Held(held));
        }
        // ANCHOR_END: held
        found
    }

    fn visit(&mut self, storage: &Shared) -> usize {
        let lazy = downcast::<Lazy>(&**storage);
        let known = lazy.place();
        let same = |it: &Shared| Arc::ptr_eq(it, storage);
        if let Some(step) = self.steps.get_mut(known)
            && step.storage.as_ref().is_some_and(same)
        {
            step.uses += 1;
            return known;
        }
        let wish = match &*lazy.state() {
            State::Ready(there) => Err(there.clone()),
            State::Waiting(wish) => Ok(wish.clone()),
        };
        let place = self.add(Some(storage.clone()), wish);
        lazy.set_place(place);
        place
    }

    fn add(
        &mut self,
        storage: Option<Shared>,
        wish: Result<Arc<Wish>, Shared>,
    ) -> usize {
        let mut operands = SmallVec::new();
        match &wish {
            Err(there) => {
                self.key.push(Token::Kind(Kind::Given));
                self.key.push(Token::Size(there.len()));
            }
            Ok(wish) => {
                for operand in wish.operands() {
                    operands.push(self.visit(operand.storage()));
                }
                self.describe(wish, &operands);
            }
        }
        self.steps.push(Part { storage, wish, operands, uses: 1 });
        self.steps.len() - 1
    }

    /// Writes down what a wish is.
    fn describe(&mut self, wish: &Wish, operands: &[usize]) {
        let key = &mut self.key;
        key.push(Token::Kind(wish.kind()));
        key.extend(wish.shape.iter().map(|&size| Token::Size(size)));
        for (operand, step) in wish.operands().iter().zip(operands) {
            key.push(Token::Size(*step));
            let is_whole = operand.offset() == 0
                && operand.is_dense()
                && operand.len() == operand.storage().len();
            if !is_whole {
                let (shape, strides) = (operand.shape(), operand.strides());
                key.push(Token::Stride(operand.offset() as isize));
                key.extend(shape.iter().map(|&size| Token::Size(size)));
                key.extend(strides.iter().map(|&it| Token::Stride(it)));
            }
        }
        self.numbers.extend(wish.number());
        if let Some(integers) = wish.integers() {
            key.push(Token::Size(integers.len()));
            self.integers.push(integers.clone());
        }
    }

    /// Makes the expression that is planned.
    pub(super) fn expression(&self) -> Expression<Operation> {
        let held: Vec<bool> = self
            .key
            .iter()
            .filter_map(|it| match it {
                Token::Held(held) => Some(*held),
                _ => None,
            })
            .collect();
        let (mut slot, mut integers, mut held) =
            (0..self.numbers.len(), 0..self.integers.len(), held.into_iter());
        let nodes = self.steps.iter().enumerate().map(|(at, step)| {
            let wish = match &step.wish {
                Ok(wish) => wish,
                Err(there) => {
                    let shape = SmallVec::from_slice(&[there.len()]);
                    let step = Step::Given(at);
                    return Node { step, shape, held: false };
                }
            };
            let held = held.next().unwrap_or(true);
            let slot = wish.number().and_then(|_| slot.next());
            let integers = wish.integers().and_then(|_| integers.next());
            let operand = |which: usize| {
                operand(&wish.operands()[which], step.operands[which])
            };
            let all = || (0..step.operands.len()).map(operand).collect();
            let integers = integers.unwrap_or(0);
            let made = match &wish.what {
                What::Number(_) => Step::Number(slot.expect("it is one")),
                What::Unary(op, _) => {
                    let op = Operation::Unary(with(*op, 0.0));
                    Step::Apply(op, all(), slot)
                }
                What::Binary(op, _) => {
                    Step::Apply(Operation::Binary(*op), all(), None)
                }
                What::Choice(_) => Step::Apply(Operation::Choice, all(), None),
                What::View(_) => Step::View(operand(0)),
                What::Join(op, _, sizes) => {
                    Step::Join(join(*op), operand(0), *sizes)
                }
                What::Pick(_, _, width) => {
                    Step::Pick(integers, operand(0), *width)
                }
                What::Spread(_, _, block) => {
                    Step::Spread(integers, operand(0), *block)
                }
            };
            Node { step: made, shape: wish.shape.clone(), held }
        });
        Expression(nodes.collect())
    }
}

fn join(op: Reduce) -> Join {
    match op {
        Reduce::Sum => Join::Sum,
        Reduce::Max => Join::Max,
    }
}

/// Takes the view of an operand, in fewest axes.
fn operand(array: &Array, step: usize) -> Operand {
    let runs = runs([array.view()]);
    Operand {
        step,
        shape: runs.iter().map(|run| run.0).collect(),
        strides: runs.iter().map(|run| run.1[0]).collect(),
        offset: array.offset(),
    }
}
