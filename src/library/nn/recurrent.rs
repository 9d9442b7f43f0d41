//! Cells of recurrent networks: one step of a GRU or an LSTM.

use std::fmt;

use super::{Linear, Module, Parameters, init, parameters};
use crate::error::or_raise;
use crate::part3_unified::Tensor;
use crate::rng::Random;

/// Creates a layer whose weights and biases are uniform in
/// `±1 / sqrt(width)`, as in PyTorch's cells.
#[track_caller]
fn gates(
    inputs: usize,
    count: usize,
    width: usize,
    random: &mut Random,
) -> Linear {
    let (outputs, bound) = (count * width, 1.0 / (width as f32).sqrt());
    Linear {
        weight: init::uniform(&[inputs, outputs], bound, random),
        bias: init::uniform(&[outputs], bound, random),
    }
}

/// Returns zeros for the state of each row.
#[track_caller]
fn no_state(x: &Tensor, hidden: &Linear) -> Tensor {
    let mut shape = x.shape().to_vec();
    shape.pop();
    shape.push(hidden.weight.shape()[0]);
    Tensor::from(or_raise(x.array().full_here(&shape, 0.0)))
}

/// One step of a gated recurrent unit: the next state from the input and the
/// state.
///
/// The reset gate `r`, the update gate `z` and the candidate `n` are in the
/// columns of both weights in this order, as in PyTorch's `GRUCell`, whose
/// weights are the transposes:
/// `n = tanh(n_x + r * n_h)`, and the next state is `n + z * (state - n)`.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::GruCell;
/// # use rungrad::rng::Random;
/// let cell = GruCell::new(3, 4, &mut Random::new(0));
/// let words = Tensor::rand(&[2, 5, 3], 1, Device::Cpu)?;
/// let mut state = Tensor::zeros(&[2, 4], Device::Cpu)?;
/// for word in words.split(1, 1) {
///     state = cell.step(&word.squeeze(1), &state);
/// }
/// assert_eq!(state.shape(), [2, 4]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias("GRU", "GRUCell", "RNN"))]
#[derive(Clone)]
pub struct GruCell {
    /// From the input to the three gates.
    pub input: Linear,
    /// From the state to the three gates.
    pub hidden: Linear,
}

impl GruCell {
    /// Creates a cell on the CPU with PyTorch's default initialization:
    /// weights and biases are uniform in `±1 / sqrt(width)`.
    ///
    /// # Panics
    ///
    /// If the host is out of memory.
    #[track_caller]
    pub fn new(inputs: usize, width: usize, random: &mut Random) -> GruCell {
        let input = gates(inputs, 3, width, random);
        GruCell { input, hidden: gates(width, 3, width, random) }
    }

    /// Computes the next state: (.., inputs) and (.., width) -> (.., width).
    ///
    /// # Panics
    ///
    /// If the shapes do not match, or the devices or the types differ.
    #[track_caller]
    pub fn step(&self, x: &Tensor, state: &Tensor) -> Tensor {
        let (x, h) = (self.input.forward(x), self.hidden.forward(state));
        let (x, h) = (x.chunk(3, x.rank() - 1), h.chunk(3, h.rank() - 1));
        let reset = x[0].add(&h[0]).sigmoid();
        let update = x[1].add(&h[1]).sigmoid();
        let candidate = x[2].add(&reset.mul(&h[2])).tanh();
        candidate.add(&update.mul(&state.sub(&candidate)))
    }
}

impl Module for GruCell {
    /// Computes one step from a state of zeros: (.., inputs) -> (.., width).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        self.step(x, &no_state(x, &self.hidden))
    }
}

impl Parameters for GruCell {
    parameters!(input, hidden);

    fn name(&self) -> String {
        format!("GruCell {:?}", self.input.weight.shape())
    }
}

/// One step of a long short-term memory: the next state and cell from the
/// input, the state and the cell.
///
/// The input gate `i`, the forget gate `f`, the candidate `g` and the output
/// gate `o` are in the columns of both weights in this order, as in PyTorch's
/// `LSTMCell`, whose weights are the transposes: the next cell is
/// `f * cell + i * g`, and the next state is `o * tanh(cell)`.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::nn::LstmCell;
/// # use rungrad::rng::Random;
/// let layer = LstmCell::new(3, 4, &mut Random::new(0));
/// let word = Tensor::rand(&[2, 3], 1, Device::Cpu)?;
/// let zeros = Tensor::zeros(&[2, 4], Device::Cpu)?;
/// let (state, cell) = layer.step(&word, &zeros, &zeros);
/// let (state, _) = layer.step(&word, &state, &cell);
/// assert_eq!(state.shape(), [2, 4]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[doc(alias("LSTM", "LSTMCell"))]
#[derive(Clone)]
pub struct LstmCell {
    /// From the input to the four gates.
    pub input: Linear,
    /// From the state to the four gates.
    pub hidden: Linear,
}

impl LstmCell {
    /// Creates a cell on the CPU with PyTorch's default initialization:
    /// weights and biases are uniform in `±1 / sqrt(width)`.
    ///
    /// # Panics
    ///
    /// If the host is out of memory.
    #[track_caller]
    pub fn new(inputs: usize, width: usize, random: &mut Random) -> LstmCell {
        let input = gates(inputs, 4, width, random);
        LstmCell { input, hidden: gates(width, 4, width, random) }
    }

    /// Computes the next state and the next cell: (.., inputs) and twice
    /// (.., width) -> twice (.., width).
    ///
    /// # Panics
    ///
    /// If the shapes do not match, or the devices or the types differ.
    #[track_caller]
    pub fn step(
        &self,
        x: &Tensor,
        state: &Tensor,
        cell: &Tensor,
    ) -> (Tensor, Tensor) {
        let sums = self.input.forward(x).add(&self.hidden.forward(state));
        let gates = sums.chunk(4, sums.rank() - 1);
        let [input, forget, output] =
            [&gates[0], &gates[1], &gates[3]].map(Tensor::sigmoid);
        let cell = forget.mul(cell).add(&input.mul(&gates[2].tanh()));
        (output.mul(&cell.tanh()), cell)
    }
}

impl Module for LstmCell {
    /// Computes one step from a state and a cell of zeros:
    /// (.., inputs) -> (.., width).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        let zeros = no_state(x, &self.hidden);
        self.step(x, &zeros, &zeros).0
    }
}

impl Parameters for LstmCell {
    parameters!(input, hidden);

    fn name(&self) -> String {
        format!("LstmCell {:?}", self.input.weight.shape())
    }
}

impl fmt::Debug for GruCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for LstmCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
