//! A network learns to keep two moons apart, and draws the border.

mod border;
mod picture;

use std::path::Path;
use std::process::ExitCode;

use rungrad::data::{Dataset, moons};
use rungrad::draw::{Color, Mark, Series, plot, save};
use rungrad::metrics::{accuracy, predictions};
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Mlp;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::progress::Progress;
use rungrad::rng::Random;

use border::Border;
use picture::Picture;

const EPOCHS: usize = 100;

fn main() -> ExitCode {
    rungrad::run(|| {
        let points = moons(200, 0.15, 1);
        let network = train(&points, &moons(200, 0.15, 2));
        let border = Border::new(|points| shares(&network, points));

        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let svg = root.join("target/moons.svg");
        save(&svg, curves(&points, &border).as_bytes())?;
        let png = root.join("target/moons.png");
        save(&png, &Picture::new(&points, &border).png())?;
        println!("drawn in {} and {}", svg.display(), png.display());
        Ok(())
    })
}

/// Two inputs, two hidden layers, a score for each moon. The bends of tanh
/// are smooth, and so is the border.
fn train(points: &Dataset, others: &Dataset) -> Mlp {
    let mut random = Random::new(0);
    let sizes = [2, 16, 16, 2];
    let mut network = Mlp::new(&sizes, Tensor::tanh, &mut random);
    let mut sgd = Sgd::new(0.1, 0.9);
    let progress = Progress::new(EPOCHS);
    for epoch in 1..=EPOCHS {
        let mut total = 0.0;
        for batch in points.batches(40, &mut random) {
            let loss = scores(&network, &batch).cross_entropy(&batch.labels);
            loss.backward();
            sgd.step(network.parameters());
            total += loss.to_vec()[0] * batch.rows() as f32;
        }
        if epoch % 10 == 0 {
            let predictions =
                predictions(&scores(&network, others).to_vec(), 2);
            let right = 100.0 * accuracy(&others.labels, &predictions);
            let loss = total / points.rows() as f32;
            let words = format!("loss {loss:.3}  right {right:.1} %");
            progress.show(epoch, &words);
        }
    }
    network
}

fn scores(network: &Mlp, rows: &Dataset) -> Tensor {
    network.forward(&Tensor::new(&rows.shape(), &rows.inputs))
}

/// How much of each point, given as x, y, x, y, .., the network gives to the
/// second moon.
fn shares(network: &Mlp, points: &[f32]) -> Vec<f32> {
    let points = Tensor::new(&[points.len() / 2, 2], points);
    let shares = network.forward(&points).softmax().to_vec();
    shares.chunks(2).map(|share| share[1]).collect()
}

/// The points of both moons and the border between them.
fn curves(points: &Dataset, border: &Border) -> String {
    let moon = |name: &str, mark, color, label| {
        let rows = (0..points.rows()).filter(|&r| points.labels[r] == label);
        let point = |row| (points.row(row)[0], points.row(row)[1]);
        let points = rows.map(point).collect();
        Series { name: name.to_string(), mark, color, points }
    };
    let border = Series {
        name: "border".to_string(),
        mark: Mark::Pieces,
        color: Color::Text,
        points: border.pieces(),
    };
    plot(
        "moons",
        "Two half circles of points that reach into each other, and the \
         curved border that a network has learned between them.",
        ["x", "y"],
        &[
            moon("first moon", Mark::Dots, Color::Value, 0),
            moon("second moon", Mark::Rings, Color::Grad, 1),
            border,
        ],
    )
}
