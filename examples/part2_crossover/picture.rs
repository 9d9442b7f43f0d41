//! Draws times against sizes. The book's figures are drawn by the same code,
//! from a table measured on another machine.

use rungrad::draw::{Color, Mark, Series, plot_loglog};

/// The times for one size, in seconds.
pub(crate) struct Point {
    /// Number of elements, or of rows of a square matrix.
    pub(crate) n: usize,
    /// Part 1 on the host.
    pub(crate) host: f64,
    /// The device, including the copies in both directions.
    pub(crate) copies: f64,
    /// The device, with the data already there.
    pub(crate) launch: f64,
}

/// Draws the curves of the computation `name`.
pub(crate) fn curves(name: &str, points: &[Point]) -> String {
    let series = |name: &str, mark, color, time: fn(&Point) -> f64| Series {
        name: name.to_string(),
        mark,
        color,
        points: points
            .iter()
            .map(|point| (point.n as f32, time(point) as f32))
            .collect(),
    };
    let along = match name {
        "matmul" => "rows and columns of a square matrix",
        _ => "elements",
    };
    plot_loglog(
        &format!("crossover-{name}"),
        &format!(
            "Times of {name} over the size: the host's as a line, the \
             device's as rings with the copies and as dots without them."
        ),
        [along, "seconds"],
        &[
            series("host", Mark::Line, Color::Cpu, |point| point.host),
            series("with copies", Mark::Rings, Color::Gpu, |p| p.copies),
            series("without", Mark::Dots, Color::Gpu, |p| p.launch),
        ],
    )
}
