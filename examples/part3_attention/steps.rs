//! Four letters look at each other: a mean, a table, scores, a mask, heads.

use rungrad::Error;
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor};

/// The places of a name.
const LETTERS: [&str; 4] = ["e", "m", "m", "a"];
/// What each says of itself: whether it is a vowel, and whether it is an m.
const SAYS: [f32; 8] = [1., 0., 0., 1., 0., 1., 1., 0.];

pub(crate) fn show(device: Device) -> Result<(), Error> {
    let says = Tensor::new(&[4, 2], &SAYS, device)?;
    println!("what each place says, and the mean so far");
    let means = mean_so_far(&says);
    print(&["vowel", "m", "vowel", "m"], &Tensor::cat(&[&says, &means], 1))?;

    println!("\nwho looks at whom");
    let table = table(4, device)?;
    print(&LETTERS, &table)?;
    let apart = table.matmul(&says).sub(&means).abs().max().item()?;
    println!("times what they say, it is the mean, within {apart}");

    // A vowel asks for an m, and an m asks for a vowel.
    let asks = Tensor::new(&[2, 2], &[0., 3., 3., 0.], device)?;
    let queries = says.matmul(&asks);
    println!("\nscores: what a row asks for, times what a column is");
    print(&LETTERS, &queries.matmul(&says.transpose()))?;
    println!("\nshares: divided, hidden, softmax");
    let [shares, seen] = attend(&queries, &says, &says);
    print(&LETTERS, &shares)?;
    println!("\nwhat each place takes in");
    print(&["vowel", "m"], &seen)?;
    let engine = queries.causal_attention(&says, &says);
    let apart = engine.sub(&seen).abs().max().item()?;
    println!("causal_attention differs by less than 1e-6: {}", apart < 1e-6);

    // The second head asks for its own kind.
    let alike = says * 3.0;
    let says = Tensor::new(&[4, 2], &SAYS, device)?;
    println!("\na second head, which asks for its own kind");
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
/// Gives each place the mean of what it and those before it say: (places, d)
/// -> (places, d).
fn mean_so_far(says: &Tensor) -> Tensor {
    let mean = |n| says.slice(0..n).mean_over(&[0], Keep::No);
    let means: Vec<Tensor> = (1..=says.shape()[0]).map(mean).collect();
    Tensor::stack(&means.iter().collect::<Vec<_>>(), 0)
}
// ANCHOR_END: mean

// ANCHOR: table
/// Makes the table of a mean: row i has the same share for each place up to i.
fn table(places: usize, device: Device) -> Result<Tensor, Error> {
    let seen = Tensor::ones(&[places, places], device)?.tril(0);
    Ok(&seen / seen.sum_over(&[1], Keep::Yes))
}
// ANCHOR_END: table

// ANCHOR: attend
/// Lets each place look at itself and those before it: the shares, and what
/// they bring.
fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> [Tensor; 2] {
    let width = queries.shape()[1] as f32;
    let scores = queries.matmul(&keys.transpose()) / width.sqrt();
    // So far below 0 that nothing is left of it.
    let hidden = scores.full_like(-1e30).triu(1);
    let shares = (scores + hidden).softmax();
    let seen = shares.matmul(values);
    [shares, seen]
}
// ANCHOR_END: attend

/// Prints a row for each place. What is 0 is a dot.
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

// ANCHOR: widths
/// Draws queries and keys, and looks at scores of many widths, as they are and
/// divided by the root of the width.
pub(crate) fn widths(device: Device) -> Result<(), Error> {
    println!("              as they are                divided");
    println!("width  deviation  share  slope  deviation  share  slope");
    for width in [4, 16, 64, 256] {
        let queries = Tensor::randn(&[500, width], 1, device)?;
        let keys = Tensor::randn(&[16, width], 2, device)?;
        let scores = queries.matmul(&keys.transpose());
        let mut line = format!("{width:>5}");
        for scores in [&scores, &(&scores / (width as f32).sqrt())] {
            let largest = scores.softmax().max_over(&[1], Keep::No);
            // How fast the largest share moves with its score.
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
// ANCHOR_END: widths
