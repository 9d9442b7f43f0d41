//! The network of "Names", computed with the tensors of Part 1. Its weights come
//! from `data/names.safetensors`, rounded to 8 bits by the program `pack`.

use rungrad::Error;
use rungrad::ops::Keep;
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Linear;

use crate::z85;

pub(crate) const TOKENS: usize = 27;
/// The number of tokens that the network reads at most.
pub(crate) const CONTEXT: usize = 16;
pub(crate) const HEADS: usize = 4;
const WIDTH: usize = 32;
const HEAD_WIDTH: usize = WIDTH / HEADS;
/// The number of weights with a common scale.
const GROUP: usize = 32;

/// Rounds weights to 8 bits for `book/src/live/weights.js`: groups of two
/// bytes, the upper half of an `f32` scale, and 32 signed bytes.
pub fn encode(weights: &[f32]) -> String {
    let groups = weights.chunks(GROUP).flat_map(round);
    z85::encode(&groups.collect::<Vec<u8>>())
}

/// Rounds a group with the scale that has the smallest squared error. A scale
/// below the largest weight / 127 clips that weight, but is finer for all
/// others.
fn round(group: &[f32]) -> Vec<u8> {
    let largest = group.iter().fold(0.0, |most: f32, it| most.max(it.abs()));
    let upper = ((largest / 127.0).to_bits() >> 16) + 1;
    let scale = |upper: u32| f32::from_bits(upper << 16);
    // Casting to a byte clips.
    let byte = |weight: &f32, upper| (weight / scale(upper)).round() as i8;
    let error = |upper: u32| {
        let error = |weight: &f32| {
            weight - scale(upper) * f32::from(byte(weight, upper))
        };
        group.iter().map(|it| error(it).powi(2)).sum::<f32>()
    };
    let candidates = (upper.max(17) - 16)..=upper;
    let best = candidates.min_by(|&a, &b| error(a).total_cmp(&error(b)));
    let best = best.expect("there are candidates");
    let mut bytes = best.to_le_bytes()[..2].to_vec();
    bytes.extend(group.iter().map(|it| byte(it, best).cast_unsigned()));
    bytes
}

/// The weights in the order of their names, which is the order of the file.
struct Weights(std::vec::IntoIter<f32>);

impl Weights {
    /// Reverses [`encode`].
    fn decode(digits: &str) -> Option<Weights> {
        let bytes = z85::decode(digits)?;
        let decode = |group: &[u8]| {
            let upper = u16::from_le_bytes([group[0], group[1]]);
            let scale = f32::from_bits(u32::from(upper) << 16);
            let weight =
                move |&byte: &u8| scale * f32::from(byte.cast_signed());
            group[2..].iter().map(weight).collect::<Vec<f32>>()
        };
        // The last digits may decode to padding.
        let groups = bytes.chunks_exact(2 + GROUP);
        let weights: Vec<f32> = groups.flat_map(decode).collect();
        Some(Weights(weights.into_iter()))
    }

    fn tensor(&mut self, shape: &[usize]) -> Option<Tensor> {
        let count = shape.iter().product();
        let values: Vec<f32> = self.0.by_ref().take(count).collect();
        (values.len() == count).then(|| Tensor::new(shape, &values))
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Option<Linear> {
        let bias = self.tensor(&[outputs])?;
        Some(Linear { weight: self.tensor(&[inputs, outputs])?, bias })
    }

    fn norm(&mut self) -> Option<Norm> {
        let bias = self.tensor(&[WIDTH])?;
        Some(Norm { weight: self.tensor(&[WIDTH])?, bias })
    }
}

struct Norm {
    weight: Tensor,
    bias: Tensor,
}

impl Norm {
    fn forward(&self, x: &Tensor) -> Tensor {
        normalize(x).mul(&self.weight).add(&self.bias)
    }
}

/// Shifts and scales each row to mean 0 and variance 1.
pub(crate) fn normalize(x: &Tensor) -> Tensor {
    let centered = x.sub(&x.mean_over(&[1], Keep::Yes));
    let variance = centered.mul(&centered).mean_over(&[1], Keep::Yes);
    centered.div(&(variance + 1e-5).sqrt())
}

struct Block {
    out: Linear,
    qkv: Linear,
    down: Linear,
    norm1: Norm,
    norm2: Norm,
    up: Linear,
}

impl Block {
    fn read(weights: &mut Weights) -> Option<Block> {
        Some(Block {
            out: weights.linear(WIDTH, WIDTH)?,
            qkv: weights.linear(WIDTH, 3 * WIDTH)?,
            down: weights.linear(4 * WIDTH, WIDTH)?,
            norm1: weights.norm()?,
            norm2: weights.norm()?,
            up: weights.linear(WIDTH, 4 * WIDTH)?,
        })
    }

    /// Returns the attention of one head. The trained network divides its
    /// scores by the root of the head's width.
    fn attention(&self, x: &Tensor, head: usize, divisor: f32) -> Attention {
        let qkv = self.qkv.forward(&self.norm1.forward(x));
        let part = |third: usize| {
            columns(&qkv, third * WIDTH + head * HEAD_WIDTH, HEAD_WIDTH)
        };
        let scores = part(0).matmul(&part(1).transpose());
        let places = x.shape()[0];
        let later = |i: usize| match i % places > i / places {
            true => f32::NEG_INFINITY,
            false => 0.0,
        };
        let mask: Vec<f32> = (0..places * places).map(later).collect();
        let mask = Tensor::new(&[places, places], &mask);
        let weights = (&scores * (1.0 / divisor)).add(&mask).softmax();
        let seen = weights.matmul(&part(2));
        Attention { scores, weights, seen }
    }

    fn forward(&self, x: &Tensor) -> Tensor {
        let divisor = (HEAD_WIDTH as f32).sqrt();
        let heads: Vec<Vec<f32>> = (0..HEADS)
            .map(|head| self.attention(x, head, divisor).seen.to_vec())
            .collect();
        let rows = (0..x.shape()[0]).flat_map(|row| {
            let part = move |head: &Vec<f32>| {
                head[row * HEAD_WIDTH..(row + 1) * HEAD_WIDTH].to_vec()
            };
            heads.iter().flat_map(part).collect::<Vec<f32>>()
        });
        let seen = Tensor::new(x.shape(), &rows.collect::<Vec<f32>>());
        let x = x.add(&self.out.forward(&seen));
        let wide = self.up.forward(&self.norm2.forward(&x)).gelu();
        x.add(&self.down.forward(&wide))
    }
}

/// The values of one head, with a row for each position that reads.
pub(crate) struct Attention {
    /// The products of queries and keys.
    pub(crate) scores: Tensor,
    /// The attention weights.
    pub(crate) weights: Tensor,
    seen: Tensor,
}

/// Copies some columns of a matrix, without recording it: the network is
/// trained already.
fn columns(x: &Tensor, from: usize, count: usize) -> Tensor {
    let [rows, all] = [0, 1].map(|axis| x.shape()[axis]);
    let values = x.to_vec();
    let row = |row: usize| &values[row * all + from..row * all + from + count];
    let values: Vec<f32> = (0..rows).flat_map(|it| row(it).to_vec()).collect();
    Tensor::new(&[rows, count], &values)
}

/// A transformer with two blocks of four heads.
pub(crate) struct Gpt {
    blocks: [Block; 2],
    head: Tensor,
    norm: Norm,
    places: Tensor,
    tokens: Tensor,
}

impl Gpt {
    /// Decodes the weights of `book/src/live/weights.js`.
    pub(crate) fn decode(digits: &str) -> Result<Gpt, Error> {
        let read = || {
            let mut weights = Weights::decode(digits)?;
            let weights = &mut weights;
            Some(Gpt {
                blocks: [Block::read(weights)?, Block::read(weights)?],
                head: weights.tensor(&[WIDTH, TOKENS])?,
                norm: weights.norm()?,
                places: weights.tensor(&[CONTEXT, WIDTH])?,
                tokens: weights.tensor(&[TOKENS, WIDTH])?,
            })
        };
        read().ok_or_else(|| {
            Error::Usage(
                "these are not the weights of the network of names".to_string(),
            )
        })
    }

    /// Returns the input of the first block: the embeddings of tokens and
    /// positions.
    fn embed(&self, text: &[usize]) -> Tensor {
        let (tokens, places) = (self.tokens.to_vec(), self.places.to_vec());
        let row = |(place, &token): (usize, &usize)| {
            let token = &tokens[token * WIDTH..][..WIDTH];
            let place = &places[place * WIDTH..][..WIDTH];
            token.iter().zip(place).map(|(a, b)| a + b).collect::<Vec<f32>>()
        };
        let rows: Vec<f32> = text.iter().enumerate().flat_map(row).collect();
        Tensor::new(&[text.len(), WIDTH], &rows)
    }

    /// Returns the scores of the token that follows a text.
    pub(crate) fn next(&self, text: &[usize]) -> Tensor {
        let mut x = self.embed(text);
        for block in &self.blocks {
            x = block.forward(&x);
        }
        let scores = self.norm.forward(&x).matmul(&self.head).to_vec();
        Tensor::new(&[1, TOKENS], &scores[scores.len() - TOKENS..])
    }

    /// Returns the attention of a head, counted from 0 through both blocks.
    pub(crate) fn attention(
        &self,
        text: &[usize],
        head: usize,
        divisor: f32,
    ) -> Attention {
        let mut x = self.embed(text);
        let (block, head) = (head / HEADS, head % HEADS);
        for earlier in &self.blocks[..block] {
            x = earlier.forward(&x);
        }
        self.blocks[block].attention(&x, head, divisor)
    }
}
