//! A network learns to separate two moons and draws its decision boundary.

mod border;
mod picture;
mod training;

use std::path::Path;
use std::process::ExitCode;

use rungrad::data::Dataset;
use rungrad::draw::{Color, Mark, Series, plot, save};
use rungrad::part1_cpu::nn::Mlp;
use rungrad::progress::Progress;

use border::Border;
use picture::Picture;
use training::{EPOCHS, Epoch, Training, both_moons, shares};

fn main() -> ExitCode {
    rungrad::run(|| {
        let (points, others) = both_moons();
        let network = train(&points, &others);
        let border = Border::new(|points| shares(&network, points));

        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let svg = root.join("target/moons.svg");
        save(&svg, curves(&points, &border).as_bytes())?;
        let png = root.join("target/moons.png");
        save(&png, &Picture::new(&points, &border).png())?;
        println!("the pictures are {} and {}", svg.display(), png.display());
        Ok(())
    })
}

fn train(points: &Dataset, others: &Dataset) -> Mlp {
    let mut training = Training::new();
    let progress = Progress::new(EPOCHS);
    for epoch in 1..=EPOCHS {
        let Epoch { loss, accuracy } = training.epoch(points, others);
        if epoch % 10 == 0 {
            let right = 100.0 * accuracy;
            let words = format!("loss {loss:.3}  right {right:.1} %");
            progress.show(epoch, &words);
        }
    }
    training.network
}

/// Draws the points of both moons and the boundary between them.
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
        "Two interleaved half circles of points, and the curved border that a \
         network has learned between them.",
        ["x", "y"],
        &[
            moon("first moon", Mark::Dots, Color::Value, 0),
            moon("second moon", Mark::Rings, Color::Grad, 1),
            border,
        ],
    )
}
