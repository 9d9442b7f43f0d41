//! A small GPT: a transformer that predicts the next token of a text.

use super::{
    Dropout, Embedding, KeysValues, LayerNorm, Linear, Module,
    MultiHeadAttention, Parameters, affine, init, parameters,
};
use crate::error::{Result, mistake};
use crate::part3_unified::{DType, Tensor, no_grad};
use crate::rng::Random;
use crate::scope::scope;

// ANCHOR: block
/// A transformer block: attention, followed by a feed-forward network that is
/// applied to each position separately. Each adds its output to its input (a
/// residual connection), and reads a normalized copy of it.
#[derive(Clone)]
pub struct Block {
    /// Normalizes the input of attention.
    pub norm1: LayerNorm,
    /// Attends to earlier positions.
    pub attention: MultiHeadAttention,
    /// Normalizes the input of the feed-forward network.
    pub norm2: LayerNorm,
    /// The first layer of the feed-forward network: width to 4 * width.
    pub up: Linear,
    /// The second layer of the feed-forward network: 4 * width to width.
    pub down: Linear,
    /// Applied to the outputs of attention and of the feed-forward network.
    pub dropout: Dropout,
}

impl Block {
    /// Creates a block on the CPU; `dropout` is the probability of dropping an
    /// element.
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

    /// Computes the output of the feed-forward network.
    #[track_caller]
    fn feed_forward(&self, x: &Tensor) -> Tensor {
        let _part = scope("thought");
        let wide = self.up.forward(&self.norm2.forward(x)).gelu();
        self.dropout.forward(&self.down.forward(&wide))
    }

    /// Like [`Module::forward`], for positions that follow those in the cache.
    #[track_caller]
    pub fn forward_after(&self, x: &Tensor, past: &mut KeysValues) -> Tensor {
        let read = self.norm1.forward(x);
        let x = x.add(&self.attention.forward_after(&read, past));
        x.add(&self.feed_forward(&x))
    }
}
// ANCHOR_END: block

// ANCHOR: block-forward
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
        x.add(&self.feed_forward(&x))
    }
}

impl Parameters for Block {
    parameters!(norm1, attention, norm2, up, down, dropout);
}
// ANCHOR_END: block-forward

/// The hyperparameters of a [`Gpt`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GptSizes {
    /// The number of tokens.
    pub vocabulary: usize,
    /// The maximum number of positions in a text.
    pub context: usize,
    /// The number of blocks.
    pub layers: usize,
    /// The number of attention heads.
    pub heads: usize,
    /// The number of elements per position.
    pub width: usize,
    /// The dropout probability during training.
    pub dropout: f32,
}

// ANCHOR: gpt
/// A transformer that computes, for each position of a text, a score of every
/// token for being the next one.
///
/// ```
/// use rungrad::nn::{Gpt, GptSizes, Parameters};
/// # use rungrad::rng::Random;
/// let sizes = GptSizes {
///     vocabulary: 27,
///     context: 16,
///     layers: 4,
///     heads: 4,
///     width: 64,
///     dropout: 0.0,
/// };
/// let gpt = Gpt::new(sizes, &mut Random::new(0));
/// assert_eq!(gpt.count(), 204_544);
/// let scores = gpt.scores(&[0, 5, 13, 13, 1, 0], 3);
/// assert_eq!(scores.shape(), [6, 27]);
/// ```
#[derive(Clone)]
pub struct Gpt {
    /// The token embeddings: (vocabulary, width).
    pub tokens: Embedding,
    /// The position embeddings: (context, width).
    pub places: Tensor,
    /// The transformer blocks, in order.
    pub blocks: Vec<Block>,
    /// The normalization after the last block.
    pub norm: LayerNorm,
    /// The output projection: (width, vocabulary), without a bias.
    pub head: Tensor,
    /// Applied to the embeddings.
    pub dropout: Dropout,
}

impl Gpt {
    /// Creates a network on the CPU. The weights are normally distributed with
    /// mean 0 and standard deviation 0.02, as in GPT-2. The weights that
    /// project into the residual path are scaled down by `sqrt(2 * layers)`.
    ///
    /// # Panics
    ///
    /// If the width is not a multiple of the number of heads, or the host is
    /// out of memory.
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
        let residual_scale = 1.0 / (2.0 * layers as f32).sqrt();
        for (name, weight) in gpt.parameters_mut() {
            // Skip biases and normalization weights.
            if weight.rank() < 2 {
                continue;
            }
            let residual = ["attention.out.weight", "down.weight"];
            let is_residual = residual.iter().any(|end| name.ends_with(end));
            let deviation =
                if is_residual { 0.02 * residual_scale } else { 0.02 };
            *weight = init::normal(weight.shape(), deviation, random);
        }
        gpt
    }
}

impl Gpt {
    /// Computes the next-token scores at each position of one or more texts
    /// with `places` tokens each: -> (n * places, vocabulary).
    ///
    /// # Panics
    ///
    /// If the number of tokens is not a multiple of `places`, a text is longer
    /// than the context, or a token is out of range.
    #[track_caller]
    pub fn scores(&self, tokens: &[usize], places: usize) -> Tensor {
        self.flatten_scores(self.forward(&self.embedded(tokens, places, 0)))
    }

    /// Computes the scores from the output of the last block.
    #[track_caller]
    fn token_scores(&self, x: &Tensor) -> Tensor {
        let _part = scope("head");
        affine(&self.norm.forward(x), &self.head, None)
    }

    /// Flattens the texts and positions into rows.
    fn flatten_scores(&self, scores: Tensor) -> Tensor {
        let vocabulary = self.head.shape()[1];
        scores.reshape(&[scores.len() / vocabulary, vocabulary])
    }

    /// Returns the sum of the token and position embeddings, where the first
    /// token is at position `from`: -> (n, places, width).
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
// ANCHOR_END: gpt

// ANCHOR: gpt-forward
impl Module for Gpt {
    /// Computes scores from embedded tokens: (n, places, width) -> (n, places,
    /// vocabulary). [`Gpt::scores`] embeds the tokens first.
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        let mut x = self.dropout.forward(x);
        for (at, block) in self.blocks.iter().enumerate() {
            let _part = scope(format_args!("blocks.{at}"));
            x = block.forward(&x);
        }
        self.token_scores(&x)
    }
}

impl Parameters for Gpt {
    parameters!(tokens, places, blocks, norm, head, dropout);
}
// ANCHOR_END: gpt-forward

/// The key-value caches of all blocks of a [`Gpt`].
#[derive(Clone, Debug, Default)]
pub struct Memory {
    blocks: Vec<KeysValues>,
}

impl Memory {
    /// Creates an empty cache.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Returns the number of positions in the cache.
    pub fn places(&self) -> usize {
        self.blocks.first().map_or(0, KeysValues::places)
    }
}

impl Gpt {
    /// Like [`Gpt::scores`], for tokens that follow those in the cache. The
    /// keys and values of earlier positions are reused instead of recomputed.
    ///
    /// # Panics
    ///
    /// As [`Gpt::scores`]; the tokens in the cache count toward the length of
    /// the text.
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
        self.flatten_scores(self.token_scores(&x))
    }
}

// ANCHOR: generate
impl Gpt {
    /// Generates up to `count` tokens after `begin`, and stops early if `end`
    /// is drawn, which is not returned. A token is drawn from the softmax of
    /// its scores divided by the temperature; at temperature 0, the highest
    /// score is chosen. When the context is full, the cache is rebuilt from
    /// the most recent half of it.
    ///
    /// # Panics
    ///
    /// If `begin` is empty, or the temperature is negative or NaN.
    ///
    /// # Errors
    ///
    /// If the device fails.
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
        // The tokens from here on are not in the cache yet.
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
            let token = draw_token(&last, temperature, random);
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
/// Draws a token according to its score.
fn draw_token(scores: &[f32], temperature: f32, random: &mut Random) -> usize {
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
