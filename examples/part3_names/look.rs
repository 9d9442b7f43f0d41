//! The input of the network, the meaning of its loss, and its parameters.

use rungrad::Error;
use rungrad::data::Names;
use rungrad::loader::Rows;
use rungrad::nn::{Gpt, Parameters};

use super::CONTEXT;

/// Prints everything that can be shown before training.
pub(crate) fn look(
    gpt: &Gpt,
    known: &Names,
    held_out: &Names,
) -> Result<(), Error> {
    let batch = known.whole(CONTEXT).batch(&[0, 1]);
    for (row, name) in known.names.iter().take(batch.rows()).enumerate() {
        let part = row * CONTEXT..(row + 1) * CONTEXT;
        let counts = &batch.weights[part.clone()];
        println!("{name}");
        println!("  reads    {}", line(&batch.inputs[part.clone()]));
        println!("  answers  {}", line(&batch.targets[part]));
        println!("  counts   {}", line(counts));
    }
    let signs = known.vocabulary.size();
    let blind = (signs as f64).ln();
    println!("\n{signs} equally likely tokens  {blind:.3} nats");
    println!("by their frequencies    {:.3} nats", by_counts(known, held_out));
    println!("\n{}", gpt.summary());
    Ok(())
}

fn line<T: std::fmt::Display>(numbers: &[T]) -> String {
    numbers.iter().map(|number| format!("{number:>3}")).collect()
}

/// Computes the loss of a model that predicts letter frequencies.
fn by_counts(known: &Names, held_out: &Names) -> f64 {
    let [learned, asked] = [known, held_out].map(counts);
    let all: f64 = learned.iter().sum();
    let total: f64 = learned
        .iter()
        .zip(&asked)
        .map(|(count, times)| times * -(count / all).ln())
        .sum();
    total / asked.iter().sum::<f64>()
}

/// Counts each token in a list of names, including the end of each name.
fn counts(list: &Names) -> Vec<f64> {
    let mut counts = vec![0.0; list.vocabulary.size()];
    counts[0] = list.names.len() as f64;
    let letters = list.names.iter().flat_map(|name| name.chars());
    letters
        .filter_map(|letter| list.vocabulary.number(letter))
        .for_each(|number| counts[number] += 1.0);
    counts
}
