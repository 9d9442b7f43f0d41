//! The small network with its three fused operations written as primitives,
//! and the number of launches per step in both forms.

use rungrad::Error;
use rungrad::data::{TokenBatch, names};
use rungrad::ledger;
use rungrad::loader::Rows;
use rungrad::nn::{Block, Gpt, LayerNorm, Module, Parameters};
use rungrad::ops::Keep;
use rungrad::optim::{AdamW, Optimizer};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

use super::SIZES;

/// Which operations are fused into one kernel.
#[derive(Clone, Copy)]
struct Fused {
    attention: bool,
    norm: bool,
    gelu: bool,
}

// ANCHOR: apart
impl Fused {
    /// Computes self-attention of (n, places, 3 * width).
    fn attention(self, qkv: &Tensor, heads: usize) -> Tensor {
        if self.attention {
            return qkv.self_attention(heads);
        }
        let [n, places, all] = [0, 1, 2].map(|axis| qkv.shape()[axis]);
        let d = all / 3 / heads;
        let parts = qkv.reshape(&[n, places, 3, heads, d]);
        let parts = parts.permute(&[2, 0, 3, 1, 4]);
        let part =
            |i: usize| parts.slice(i..i + 1).reshape(&[n, heads, places, d]);
        let seen = part(0).causal_attention(&part(1), &part(2));
        seen.permute(&[0, 2, 1, 3]).reshape(&[n, places, all / 3])
    }

    /// Normalizes each row to mean 0 and variance 1, then applies the learned
    /// scale and shift.
    fn norm(self, norm: &LayerNorm, x: &Tensor) -> Tensor {
        if self.norm {
            return norm.forward(x);
        }
        let gap = x - x.mean_over(&[2], Keep::Yes);
        let var = (&gap * &gap).mean_over(&[2], Keep::Yes);
        gap / (var + norm.epsilon).sqrt() * &norm.weight + &norm.bias
    }

    /// Computes GELU: each element times the normal distribution function at
    /// it.
    fn gelu(self, x: &Tensor) -> Tensor {
        if self.gelu {
            return x.gelu();
        }
        x * ((x * 0.5_f32.sqrt()).erf() + 1.0) * 0.5
    }

    /// Computes the forward pass of a block.
    fn block(self, block: &Block, x: &Tensor) -> Tensor {
        let layer = &block.attention;
        let qkv = layer.qkv.forward(&self.norm(&block.norm1, x));
        let x = x + layer.out.forward(&self.attention(&qkv, layer.heads));
        let wide = block.up.forward(&self.norm(&block.norm2, &x));
        &x + block.down.forward(&self.gelu(&wide))
    }
}
// ANCHOR_END: apart

/// Computes the loss of a batch with the chosen operations fused.
fn loss(gpt: &Gpt, batch: &TokenBatch, fused: Fused) -> Tensor {
    let (places, width) = (batch.columns, SIZES.width);
    let x = gpt.tokens.rows(&batch.inputs);
    let mut x = x.reshape(&[batch.rows(), places, width]) + &gpt.places;
    for block in &gpt.blocks {
        x = fused.block(block, &x);
    }
    let rows = fused.norm(&gpt.norm, &x).reshape(&[x.len() / width, width]);
    let scores = rows.matmul(&gpt.head);
    scores.weighted_cross_entropy(&batch.targets, &batch.weights)
}

/// Counts the launches of a warm step on 32 names.
pub(crate) fn show(device: Device) -> Result<(), Error> {
    let device = match device {
        Device::Cpu => "gpu".parse()?,
        other => other,
    };
    let mut gpt = Gpt::new(SIZES, &mut Random::new(0));
    gpt.to(device)?;
    let rows = names().whole(SIZES.context);
    let batch = rows.batch(&(0..32).collect::<Vec<_>>());
    let mut adam = AdamW::new(1e-3, 0.01);
    let steps = [
        ("nothing fused", [false, false, false]),
        ("attention fused", [true, false, false]),
        ("and layer_norm", [true, true, false]),
        ("and gelu", [true, true, true]),
    ];
    println!("{:18}forward and backward   AdamW", "");
    for (what, [attention, norm, gelu]) in steps {
        let fused = Fused { attention, norm, gelu };
        let back = |gpt: &Gpt| loss(gpt, &batch, fused).backward();
        // The first step compiles the kernels, the second fills the buffer
        // pool.
        for _ in 0..2 {
            back(&gpt);
            adam.step(gpt.parameters_mut());
        }
        let ((), first) = ledger::measure(|| back(&gpt));
        let step = || adam.step(gpt.parameters_mut());
        let ((), second) = ledger::measure(step);
        println!("{what:18}{:>20}{:>8}", first.launches, second.launches);
    }
    let [one, other] = [true, false].map(|it| {
        let fused = Fused { attention: it, norm: it, gelu: it };
        loss(&gpt, &batch, fused)
    });
    let apart = one.sub(&other).abs().item()?;
    println!("the losses differ by less than 1e-5: {}", apart < 1e-5);
    Ok(())
}
