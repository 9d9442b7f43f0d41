//! Which positions the attention heads of a trained network look at.

use rungrad::Error;
use rungrad::data::names;
use rungrad::nn::{Gpt, Module};
use rungrad::part3_unified::{Device, Tensor, no_grad};

use super::{HELD_OUT, SPLIT_SEED, tokens};

/// The attention tables of one name: for each block and head, the weight with
/// which each position attends to each.
pub(crate) type Tables = Vec<Vec<Vec<f32>>>;

// ANCHOR: tables
/// Returns the attention weights of all heads while a network reads a text.
pub(crate) fn tables(gpt: &Gpt, text: &[usize]) -> Result<Tables, Error> {
    let places = text.len();
    let look = || {
        let width = gpt.places.shape()[1];
        let mut x = gpt.tokens.rows(text).add(&gpt.places.slice(0..places));
        let mut all = Vec::new();
        for block in &gpt.blocks {
            let heads = block.attention.heads;
            let qkv = block.attention.qkv.forward(&block.norm1.forward(&x));
            let part = |third: usize, head: usize| {
                let (d, from) = (width / heads, third * width);
                qkv.slice((.., from + head * d..from + (head + 1) * d))
            };
            let shares = |head| {
                let (queries, keys) = (part(0, head), part(1, head));
                // With the identity as values, the output is the attention
                // weights.
                let itself = identity(places, x.device())?;
                queries.causal_attention(&keys, &itself).to_vec()
            };
            all.push((0..heads).map(shares).collect::<Result<_, _>>()?);
            let text = x.reshape(&[1, places, width]);
            x = block.forward(&text).reshape(&[places, width]);
        }
        Ok(all)
    };
    no_grad(look)
}
// ANCHOR_END: tables

fn identity(n: usize, device: Device) -> Result<Tensor, Error> {
    Tensor::one_hot(&(0..n).collect::<Vec<_>>(), n, device)
}

/// Prints the mean attention weight of each head over names of the test set.
pub(crate) fn show(gpt: &Gpt) -> Result<(), Error> {
    let (_, held_out) = names().split(HELD_OUT, SPLIT_SEED);
    let heads = gpt.blocks[0].attention.heads;
    let mut sums = vec![[0.0; 4]; gpt.blocks.len() * heads];
    let mut count = 0.0;
    for name in &held_out.names[..100] {
        let text = tokens(name)?;
        let places = text.len();
        let all = tables(gpt, &text)?.concat();
        // From the fourth token on, the four columns are distinct positions.
        for row in 3..places {
            count += 1.0;
            for (sums, table) in sums.iter_mut().zip(&all) {
                let share = |place| table[row * places + place];
                let at = [row, row - 1, row - 2, 0].map(share);
                sums.iter_mut().zip(at).for_each(|(sum, it)| *sum += it);
            }
        }
    }
    println!("{:14}itself  one back  two back  the start  the rest", "");
    for (at, sums) in sums.iter().enumerate() {
        let [itself, one, two, start] = sums.map(|sum| sum / count);
        let rest = 1.0 - itself - one - two - start;
        println!(
            "block {} head {}{itself:8.2}{one:10.2}{two:10.2}{start:11.2}\
             {rest:10.2}",
            at / heads + 1,
            at % heads + 1
        );
    }
    Ok(())
}
