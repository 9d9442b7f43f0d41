//! Four letters attend to each other: a mean, a table, scores, a mask, heads.

use rungrad::Error;
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor};

/// The letters of a name.
const LETTERS: [&str; 4] = ["e", "m", "m", "a"];
/// The values of each letter: whether it is a vowel, and whether it is an m.
const SAYS: [f32; 8] = [1., 0., 0., 1., 0., 1., 1., 0.];

pub(crate) fn show(device: Device) -> Result<(), Error> {
    let says = Tensor::new(&[4, 2], &SAYS, device)?;
    println!("the value of each position, and the mean so far");
    let means = mean_so_far(&says);
    print(&["vowel", "m", "vowel", "m"], &Tensor::cat(&[&says, &means], 1))?;

    println!("\nthe weights of this mean");
    let table = table(4, device)?;
    print(&LETTERS, &table)?;
    let apart = table.matmul(&says).sub(&means).abs().max().item()?;
    println!("times the values, they give the mean, within {apart}");

    // A vowel looks for an m, and an m looks for a vowel.
    let asks = Tensor::new(&[2, 2], &[0., 3., 3., 0.], device)?;
    let queries = says.matmul(&asks);
    println!("\nscores: the query of the row times the key of the column");
    print(&LETTERS, &queries.matmul(&says.transpose()))?;
    println!("\nweights: scaled, masked, softmax");
    let [shares, seen] = attend(&queries, &says, &says);
    print(&LETTERS, &shares)?;
    println!("\nthe output of each position");
    print(&["vowel", "m"], &seen)?;
    let engine = queries.causal_attention(&says, &says);
    let apart = engine.sub(&seen).abs().max().item()?;
    println!("causal_attention differs by less than 1e-6: {}", apart < 1e-6);

    // The second head looks for letters of the same kind.
    let alike = says * 3.0;
    let says = Tensor::new(&[4, 2], &SAYS, device)?;
    println!("\na second head, which looks for letters of the same kind");
    let [shares, other] = attend(&alike, &says, &says);
    print(&LETTERS, &shares)?;
    let side_by_side = [&queries, &alike, &says, &says, &says, &says];
    let rows = Tensor::cat(&side_by_side, 1).reshape(&[1, 4, 12]);
    let both = rows.self_attention(2).reshape(&[4, 4]);
    let apart = both.sub(&Tensor::cat(&[&seen, &other], 1));
    let apart = apart.abs().max().item()?;
    println!(
        "self_attention of two differs by less than 1e-6: {}",
        apart < 1e-6
    );
    Ok(())
}

// ANCHOR: mean
/// Returns for each position the mean of the values up to it: (places, d) ->
/// (places, d).
fn mean_so_far(says: &Tensor) -> Tensor {
    let mean = |n| says.slice(0..n).mean_over(&[0], Keep::No);
    let means: Vec<Tensor> = (1..=says.shape()[0]).map(mean).collect();
    Tensor::stack(&means.iter().collect::<Vec<_>>(), 0)
}
// ANCHOR_END: mean

// ANCHOR: table
/// Returns the weights of a running mean: row i is uniform up to position i.
fn table(places: usize, device: Device) -> Result<Tensor, Error> {
    let seen = Tensor::ones(&[places, places], device)?.tril(0);
    Ok(&seen / seen.sum_over(&[1], Keep::Yes))
}
// ANCHOR_END: table

// ANCHOR: attend
/// Attends to the current and earlier positions. Returns the attention weights
/// and the output.
fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> [Tensor; 2] {
    let width = queries.shape()[1] as f32;
    let scores = queries.matmul(&keys.transpose()) / width.sqrt();
    // So negative that its probability is exactly 0.
    let hidden = scores.full_like(-1e30).triu(1);
    let shares = (scores + hidden).softmax();
    let seen = shares.matmul(values);
    [shares, seen]
}
// ANCHOR_END: attend

/// Prints one row per position, with a dot for 0.
fn print(columns: &[&str], rows: &Tensor) -> Result<(), Error> {
    let head = columns.iter().map(|it| format!("{it:>7}"));
    println!(" {}", head.collect::<String>());
    let values = rows.to_vec()?;
    for (letter, row) in LETTERS.iter().zip(values.chunks(columns.len())) {
        let cells = row.iter().map(|&x| match x {
            0.0 => format!("{:>7}", "."),
            x => format!("{x:7.2}"),
        });
        println!("{letter}{}", cells.collect::<String>());
    }
    Ok(())
}

/// Draws random queries and keys of several widths and prints their scores,
/// unscaled and divided by the square root of the width.
pub(crate) fn widths(device: Device) -> Result<(), Error> {
    println!("                  scores          divided scores");
    println!("width  deviation  prob.  slope  deviation  prob.  slope");
    for width in [4, 16, 64, 256] {
        let queries = Tensor::randn(&[500, width], 1, device)?;
        let keys = Tensor::randn(&[16, width], 2, device)?;
        let scores = queries.matmul(&keys.transpose());
        let mut line = format!("{width:>5}");
        for scores in [&scores, &(&scores / (width as f32).sqrt())] {
            let largest = scores.softmax().max_over(&[1], Keep::No);
            // The derivative of the largest probability with respect to its
            // score.
            let slope = &largest * (1.0 - &largest);
            line += &format!(
                "{:11.2}{:7.3}{:7.3}",
                scores.std().item()?,
                largest.mean().item()?,
                slope.mean().item()?
            );
        }
        println!("{line}");
    }
    Ok(())
}
