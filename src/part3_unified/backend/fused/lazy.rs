//! A storage that is a wish until somebody wants its numbers.

use std::fmt;
use std::mem::Discriminant;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::super::super::caller::caller;
use super::super::gpu::DeviceIndices;
use super::{
    Array, Binary, DType, Fused, Reduce, Shared, Storage, Unary, downcast,
};
use crate::error::Result;
use crate::shape::size;

/// Numbers that are there, or that can be computed.
pub(super) struct Lazy {
    len: usize,
    dtype: DType,
    /// Who computes them; what is there needs nobody.
    device: Option<&'static Fused>,
    state: Mutex<State>,
    /// Who has counted it last, and where the last schedule has it.
    counted: AtomicU64,
    place: AtomicUsize,
}

pub(super) enum State {
    Ready(Shared),
    Waiting(Arc<Wish>),
}

/// What is to be computed.
pub(super) struct Wish {
    pub(super) what: What,
    pub(super) shape: SmallVec<[usize; 4]>,
    /// The number of its oldest among those behind it. Wishes are numbered, so
    /// there are not more than it and this one are apart.
    oldest: u64,
    number: u64,
    /// The operation, and the line of the program that asked for it.
    pub(super) caller: Option<&'static Location<'static>>,
}

// ANCHOR: what
pub(super) enum What {
    Number(f32),
    Unary(Unary, Array),
    Binary(Binary, [Array; 2]),
    Choice([Array; 3]),
    View(Array),
    Join(Reduce, Array, [usize; 2]),
    Pick(Integers, Array, usize),
    Spread(Integers, Array, usize),
}
// ANCHOR_END: what

/// Integers where a kernel reads them.
#[derive(Clone)]
pub(super) enum Integers {
    Sent(Arc<DeviceIndices>),
    Here(Arc<[usize]>),
}

impl Integers {
    pub(super) fn len(&self) -> usize {
        match self {
            Integers::Sent(places) => places.len(),
            Integers::Here(places) => places.len(),
        }
    }

    pub(super) fn sent(&self) -> Option<&DeviceIndices> {
        match self {
            Integers::Sent(places) => Some(places),
            Integers::Here(_) => None,
        }
    }

    pub(super) fn here(&self) -> Option<&[usize]> {
        match self {
            Integers::Here(places) => Some(places),
            Integers::Sent(_) => None,
        }
    }
}

/// So many wishes are computed together: a kernel of more would have too many
/// arguments for some devices.
const MOST: u64 = 64;

impl Lazy {
    pub(super) fn ready(storage: Shared) -> Shared {
        let kind = (storage.len(), storage.dtype());
        Lazy::shared(kind, None, State::Ready(storage))
    }

    pub(super) fn waiting(device: &'static Fused, wish: Wish) -> Shared {
        let kind = (size(&wish.shape), DType::F32);
        Lazy::shared(kind, Some(device), State::Waiting(Arc::new(wish)))
    }

    fn shared(
        (len, dtype): (usize, DType),
        device: Option<&'static Fused>,
        state: State,
    ) -> Shared {
        let (counted, place) = Default::default();
        let state = Mutex::new(state);
        Arc::new(Lazy { len, dtype, device, state, counted, place })
    }

    /// Returns where a schedule has it, as far as that is known.
    pub(super) fn place(&self) -> usize {
        self.place.load(Ordering::Relaxed)
    }

    pub(super) fn set_place(&self, place: usize) {
        self.place.store(place, Ordering::Relaxed);
    }

    /// Counts what stands behind it and has not been counted in this round, and
    /// finds the oldest.
    fn count(&self, round: u64) -> (u64, u64) {
        if self.counted.swap(round, Ordering::Relaxed) == round {
            return (0, u64::MAX);
        }
        match &*self.state() {
            State::Waiting(wish) if !wish.number_alone() => wish.count(round),
            _ => (1, u64::MAX),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number that this is, where it is one.
    pub(super) fn number(&self) -> Option<f32> {
        match &*self.state() {
            State::Waiting(wish) => match wish.what {
                What::Number(number) => Some(number),
                _ => None,
            },
            State::Ready(_) => None,
        }
    }

    /// Returns what is behind it, where it is there.
    pub(super) fn there(&self) -> Option<Shared> {
        match &*self.state() {
            State::Ready(storage) => Some(storage.clone()),
            State::Waiting(_) => None,
        }
    }

    /// Computes the numbers alone. Whoever has the storage lets the device
    /// compute it together with others.
    pub(super) fn computed(&self) -> Result<Shared> {
        match (self.there(), self.device) {
            (Some(storage), _) => Ok(storage),
            (None, Some(device)) => device.compute_one(self),
            (None, None) => unreachable!("what is not there has a device"),
        }
    }

    /// Changes numbers that are there, and that nobody else looks at.
    pub(super) fn change(
        &self,
        change: impl FnOnce(&mut dyn Storage) -> Result<()>,
    ) -> Result<()> {
        match &mut *self.state() {
            State::Ready(storage) => {
                change(Arc::get_mut(storage).expect("it is ours alone"))
            }
            State::Waiting(_) => unreachable!("it was computed"),
        }
    }
}

impl Storage for Lazy {
    fn len(&self) -> usize {
        self.len
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.there() {
            Some(storage) => storage.fmt(f),
            None => write!(f, "{} numbers to be computed", self.len),
        }
    }
}

impl Wish {
    pub(super) fn new(what: What, shape: &[usize]) -> Wish {
        let shape = shape.into();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let wish = Wish { what, shape, oldest: 0, number, caller: caller() };
        wish.measured()
    }

    /// Finds the oldest behind it.
    pub(super) fn measured(mut self) -> Wish {
        static ROUND: AtomicU64 = AtomicU64::new(1);
        let operands = self.operands().iter().map(oldest);
        self.oldest = operands.fold(self.number, u64::min);
        if self.number - self.oldest >= MOST {
            let round = ROUND.fetch_add(1, Ordering::Relaxed);
            let (count, oldest) = self.count(round);
            // Others were wished for meanwhile that it is not made of.
            self.oldest = oldest.max(self.number.saturating_sub(count));
        }
        self
    }

    /// Finds what had better be computed now: the largest of what it is made
    /// of, where it is too much for one kernel.
    pub(super) fn too_much(&self) -> Option<&Array> {
        let is_waiting = |it: &&Array| oldest(it) < u64::MAX;
        let largest = || {
            let waiting = self.operands().iter().filter(is_waiting);
            waiting.min_by_key(|it| oldest(it))
        };
        (self.number - self.oldest >= MOST).then(largest).flatten()
    }

    /// Counts what stands behind it, each once, and finds the oldest.
    fn count(&self, round: u64) -> (u64, u64) {
        let operands = self.operands().iter();
        let lazies = operands.map(|it| downcast::<Lazy>(&**it.storage()));
        let counts = lazies.map(|lazy| lazy.count(round));
        counts.fold((1, self.number), |(sum, first), (count, oldest)| {
            (sum + count, first.min(oldest))
        })
    }

    /// Says whether it is a number and nothing else.
    pub(super) fn number_alone(&self) -> bool {
        matches!(self.what, What::Number(_))
    }

    /// Lists what it is made of.
    pub(super) fn operands(&self) -> &[Array] {
        match &self.what {
            What::Number(_) => &[],
            What::Binary(_, pair) => pair,
            What::Choice(all) => all,
            What::Unary(_, a)
            | What::View(a)
            | What::Join(_, a, _)
            | What::Pick(_, a, _)
            | What::Spread(_, a, _) => std::slice::from_ref(a),
        }
    }

    /// Returns the number that stands in it.
    pub(super) fn number(&self) -> Option<f32> {
        match &self.what {
            What::Number(number) => Some(*number),
            What::Unary(op, _) => number(*op),
            _ => None,
        }
    }

    /// Returns the integers that it reads.
    pub(super) fn integers(&self) -> Option<&Integers> {
        match &self.what {
            What::Pick(places, ..) | What::Spread(places, ..) => Some(places),
            _ => None,
        }
    }

    /// Says what it does, but not with which number.
    pub(super) fn kind(&self) -> Kind {
        match &self.what {
            What::Number(_) => Kind::Number,
            What::Unary(op, _) => Kind::Unary(std::mem::discriminant(op)),
            What::Binary(op, _) => Kind::Binary(*op),
            What::Choice(_) => Kind::Choice,
            What::View(_) => Kind::View,
            What::Join(op, _, [rows, columns]) => {
                Kind::Join(*op, *rows, *columns)
            }
            What::Pick(_, _, width) => Kind::Pick(*width),
            What::Spread(_, _, block) => Kind::Spread(*block),
        }
    }
}

/// Returns the number of the oldest wish behind an array that is to be computed.
fn oldest(array: &Array) -> u64 {
    match &*downcast::<Lazy>(&**array.storage()).state() {
        // A number is written into the text, however old it is.
        State::Waiting(wish) if !wish.number_alone() => wish.oldest,
        _ => u64::MAX,
    }
}

/// What a wish does, but not with which number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Given,
    Number,
    Unary(Discriminant<Unary>),
    Binary(Binary),
    Choice,
    View,
    Join(Reduce, usize, usize),
    Pick(usize),
    Spread(usize),
}

/// Returns the number of an operation.
fn number(op: Unary) -> Option<f32> {
    match op {
        Unary::Scale(number)
        | Unary::Shift(number)
        | Unary::DivScalar(number)
        | Unary::RdivScalar(number)
        | Unary::Pow(number) => Some(number as f32),
        _ => None,
    }
}

/// Returns an operation with another number.
pub(super) fn with(op: Unary, number: f32) -> Unary {
    let number = number.into();
    match op {
        Unary::Scale(_) => Unary::Scale(number),
        Unary::Shift(_) => Unary::Shift(number),
        Unary::DivScalar(_) => Unary::DivScalar(number),
        Unary::RdivScalar(_) => Unary::RdivScalar(number),
        Unary::Pow(_) => Unary::Pow(number),
        other => other,
    }
}
