//! A small GPT: a network that reads a text and says what comes next.

use super::super::{DType, Tensor, no_grad};
use super::{
    Dropout, Embedding, KeysValues, LayerNorm, Linear, Module,
    MultiHeadAttention, by_rows, init, parameters,
};
use crate::error::{Result, mistake};
use crate::rng::Random;
use crate::scope::scope;

/// A block of a transformer: attention, then a network for each place by
/// itself. Both add to what was there, and read it normalized.
pub struct Block {
    /// Before attention.
    pub norm1: LayerNorm,
    /// Looks at other places.
    pub attention: MultiHeadAttention,
    /// Before the network.
    pub norm2: LayerNorm,
    /// To four times the width.
    pub up: Linear,
    /// And back.
    pub down: Linear,
    /// Of what both add.
    pub dropout: Dropout,
}

// ANCHOR: block
impl Block {
    /// Makes a block on the processor, which drops a share of what it adds.
    #[track_caller]
    pub fn new(
        width: usize,
        heads: usize,
        dropout: f32,
        random: &mut Random,
    ) -> Block {
        Block {
            norm1: LayerNorm::new(width),
            attention: MultiHeadAttention::new(width, heads, random),
            norm2: LayerNorm::new(width),
            up: Linear::new(width, 4 * width, random),
            down: Linear::new(4 * width, width, random),
            dropout: Dropout::new(dropout, random),
        }
    }

    /// Computes what the network adds at each place.
    #[track_caller]
    fn thought(&self, x: &Tensor) -> Tensor {
        let _part = scope("thought");
        let wide = self.up.forward(&self.norm2.forward(x)).gelu();
        self.dropout.forward(&self.down.forward(&wide))
    }

    /// Does what [`Module::forward`] does for places that come after those
    /// that were read.
    #[track_caller]
    pub fn forward_after(&self, x: &Tensor, past: &mut KeysValues) -> Tensor {
        let read = self.norm1.forward(x);
        let x = x.add(&self.attention.forward_after(&read, past));
        x.add(&self.thought(&x))
    }
}

impl Module for Block {
    /// Computes (n, places, width) -> (n, places, width).
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        let seen = {
            let _part = scope("attention");
            let read = self.norm1.forward(x);
            self.dropout.forward(&self.attention.forward(&read))
        };
        let x = x.add(&seen);
        x.add(&self.thought(&x))
    }

    parameters!(norm1, attention, norm2, up, down, dropout);
}
// ANCHOR_END: block

/// The sizes of a [`Gpt`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GptSizes {
    /// How many tokens there are.
    pub vocabulary: usize,
    /// How many places a text has at most.
    pub context: usize,
    /// How many blocks follow one another.
    pub layers: usize,
    /// Into how many heads attention is divided.
    pub heads: usize,
    /// How many numbers a place has.
    pub width: usize,
    /// Which share of what is added is dropped in training.
    pub dropout: f32,
}

/// A network that reads tokens and gives each token a score for being the
/// next, at every place.
///
/// ```
/// use rungrad::part3_unified::nn::{Gpt, GptSizes, Module};
/// # use rungrad::rng::Random;
/// let sizes = GptSizes {
///     vocabulary: 27, context: 16, layers: 4, heads: 4, width: 64, dropout: 0.0,
/// };
/// let gpt = Gpt::new(sizes, &mut Random::new(0));
/// assert_eq!(gpt.count(), 204_544);
/// let scores = gpt.scores(&[0, 5, 13, 13, 1, 0], 3);
/// assert_eq!(scores.shape(), [6, 27]);
/// ```
pub struct Gpt {
    /// A row for each token: (vocabulary, width).
    pub tokens: Embedding,
    /// A row for each place: (context, width).
    pub places: Tensor,
    /// From the first to the last.
    pub blocks: Vec<Block>,
    /// After the last block.
    pub norm: LayerNorm,
    /// The scores of all tokens: (width, vocabulary), without a bias.
    pub head: Tensor,
    /// Of the rows that the first block gets.
    pub dropout: Dropout,
}

// ANCHOR: gpt
impl Gpt {
    /// Makes a network on the processor. Its weights are drawn around 0 with a
    /// deviation of 0.02, as those of GPT-2 were; those that add to what was
    /// there have less of it, the more of them there are.
    ///
    /// # Panics
    ///
    /// If the heads do not share the width, or the host has no memory for so
    /// many weights.
    #[track_caller]
    pub fn new(sizes: GptSizes, random: &mut Random) -> Gpt {
        let GptSizes { vocabulary, context, layers, heads, width, dropout } =
            sizes;
        let mut gpt = Gpt {
            tokens: Embedding::new(vocabulary, width, random),
            places: init::normal(&[context, width], 1.0, random),
            blocks: (0..layers)
                .map(|_| Block::new(width, heads, dropout, random))
                .collect(),
            norm: LayerNorm::new(width),
            head: init::normal(&[width, vocabulary], 1.0, random),
            dropout: Dropout::new(dropout, random),
        };
        let less = 1.0 / (2.0 * layers as f32).sqrt();
        for (name, weight) in gpt.parameters_mut() {
            // Biases and norms stay as they are.
            if weight.rank() < 2 {
                continue;
            }
            let adds = ["attention.out.weight", "down.weight"];
            let adds = adds.iter().any(|end| name.ends_with(end));
            let deviation = if adds { 0.02 * less } else { 0.02 };
            *weight = init::normal(weight.shape(), deviation, random);
        }
        gpt
    }
}
// ANCHOR_END: gpt

impl Gpt {
    /// Computes the scores of what comes after each token of some texts, which
    /// have so many places each: -> (n * places, vocabulary).
    ///
    /// # Panics
    ///
    /// If the tokens are no whole texts, if a text is longer than the context,
    /// or if there is no such token.
    #[track_caller]
    pub fn scores(&self, tokens: &[usize], places: usize) -> Tensor {
        self.flat(self.forward(&self.embedded(tokens, places, 0)))
    }

    /// Computes scores of what the last block has made.
    #[track_caller]
    fn read_out(&self, x: &Tensor) -> Tensor {
        let _part = scope("head");
        by_rows(&self.norm.forward(x), |rows| rows.matmul(&self.head))
    }

    /// Joins texts and places to rows.
    fn flat(&self, scores: Tensor) -> Tensor {
        let vocabulary = self.head.shape()[1];
        scores.reshape(&[scores.len() / vocabulary, vocabulary])
    }

    /// Looks up the rows of tokens and of their places, from one on: -> (n,
    /// places, width).
    #[track_caller]
    fn embedded(&self, tokens: &[usize], places: usize, from: usize) -> Tensor {
        let [context, width] = [0, 1].map(|axis| self.places.shape()[axis]);
        if places == 0 || !tokens.len().is_multiple_of(places) {
            mistake(format!(
                "Gpt: {} tokens are no texts of {places} places; give each \
                 text as many",
                tokens.len()
            ));
        }
        if from + places > context {
            mistake(format!(
                "Gpt: a text of {} places is longer than the context of \
                 {context}; give it less",
                from + places
            ));
        }
        let _part = scope("tokens");
        let rows = self.tokens.rows(tokens);
        let rows = rows.reshape(&[tokens.len() / places, places, width]);
        match places == context {
            true => rows.add(&self.places),
            false => rows.add(&self.places.slice(&[from..from + places])),
        }
    }
}

// ANCHOR: gpt-forward
impl Module for Gpt {
    /// Computes scores of rows that stand for tokens at their places: (n,
    /// places, width) -> (n, places, vocabulary). [`Gpt::scores`] begins with
    /// the tokens.
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        let mut x = self.dropout.forward(x);
        for (at, block) in self.blocks.iter().enumerate() {
            let _part = scope(format_args!("blocks.{at}"));
            x = block.forward(&x);
        }
        self.read_out(&x)
    }

    parameters!(tokens, places, blocks, norm, head, dropout);
}
// ANCHOR_END: gpt-forward

/// What a [`Gpt`] has read: the keys and values of each block.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    blocks: Vec<KeysValues>,
}

impl Memory {
    /// Begins with nothing read.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Counts the places that were read.
    pub fn places(&self) -> usize {
        self.blocks.first().map_or(0, KeysValues::places)
    }
}

// ANCHOR: scores-after
impl Gpt {
    /// Reads more of some texts, so many places each, and computes the scores
    /// that [`Gpt::scores`] has there. What was read before is not computed
    /// again: its keys and values are in the memory.
    ///
    /// # Panics
    ///
    /// As [`Gpt::scores`]; the context must have room for what was read and
    /// for what is read now.
    #[track_caller]
    pub fn scores_after(
        &self,
        tokens: &[usize],
        places: usize,
        memory: &mut Memory,
    ) -> Tensor {
        let mut x = self.embedded(tokens, places, memory.places());
        memory.blocks.resize(self.blocks.len(), KeysValues::default());
        for (block, past) in self.blocks.iter().zip(&mut memory.blocks) {
            x = block.forward_after(&x, past);
        }
        self.flat(self.read_out(&x))
    }
}
// ANCHOR_END: scores-after

// ANCHOR: generate
impl Gpt {
    /// Writes on: draws `count` more tokens, or fewer if `end` is drawn, which
    /// is not among them. Likely ones are drawn more often, the more so the
    /// lower the temperature is; at 0 always the likeliest. Where the context
    /// is full, the later half of it is read again.
    ///
    /// # Panics
    ///
    /// If there is no token to begin with, or the temperature is negative.
    ///
    /// # Errors
    ///
    /// If the device refuses.
    #[track_caller]
    pub fn generate(
        &self,
        begin: &[usize],
        count: usize,
        end: Option<usize>,
        temperature: f32,
        random: &mut Random,
    ) -> Result<Vec<usize>> {
        if begin.is_empty() || temperature.is_nan() || temperature < 0.0 {
            mistake(format!(
                "generate: {} tokens to begin with and a temperature of \
                 {temperature}; it takes at least one, and 0 or more",
                begin.len()
            ));
        }
        let context = self.places.shape()[0];
        let mut text = begin.to_vec();
        let mut memory = Memory::new();
        // From here on the text is still to be read.
        let mut from = text.len().saturating_sub(context);
        for _ in 0..count {
            if memory.places() + text.len() - from > context {
                memory = Memory::new();
                from = text.len() - context.div_ceil(2);
            }
            let new = &text[from..];
            let read = || self.scores_after(new, new.len(), &mut memory);
            let scores = no_grad(read);
            let last = scores.slice(&[new.len() - 1..new.len()]);
            let last = last.to_dtype(DType::F32)?.to_vec()?;
            let token = draw(&last, temperature, random);
            if Some(token) == end {
                break;
            }
            from = text.len();
            text.push(token);
        }
        Ok(text.split_off(begin.len()))
    }
}
// ANCHOR_END: generate

// ANCHOR: draw
/// Draws a token by its score.
fn draw(scores: &[f32], temperature: f32, random: &mut Random) -> usize {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if temperature == 0.0 {
        let is_most = |score: &f32| *score == most;
        return scores.iter().position(is_most).unwrap_or(0);
    }
    let weight = |score: &f32| f64::from((score - most) / temperature).exp();
    let total: f64 = scores.iter().map(weight).sum();
    let mut left = f64::from(random.uniform()) * total;
    for (token, score) in scores.iter().enumerate() {
        left -= weight(score);
        if left < 0.0 {
            return token;
        }
    }
    scores.len() - 1
}
// ANCHOR_END: draw
