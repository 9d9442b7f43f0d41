//! Checks `convolve`, a convolution that does not copy windows.
//!
//! Each step adds one possible mistake, so the first step that fails
//! identifies it.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Log, Out};
use exercises::{
    Kernel, Outcome, Stop, check_kernel, choose, counting, either, expect,
    numbers, wrong,
};

const YOURS: &str = exercises::path!("part3_unified/convolve.cl");

fn main() -> ExitCode {
    check_kernel(
        "convolve",
        YOURS,
        "convolve",
        &[
            ("one channel of 6 x 9, one filter", |kernel| {
                judge(kernel, Shape::new(1, 1, [6, 9]))
            }),
            ("three channels: each has its part of the filter", |kernel| {
                judge(kernel, Shape::new(3, 1, [5, 7]))
            }),
            ("four filters: each has its own output", |kernel| {
                judge(kernel, Shape::new(2, 4, [6, 5]))
            }),
            ("images of one row, one column and one pixel", |kernel| {
                judge(kernel, Shape::new(2, 3, [1, 8]))?;
                judge(kernel, Shape::new(1, 2, [7, 1]))?;
                judge(kernel, Shape::new(2, 2, [1, 1]))
            }),
            ("each item reads its windows and nothing else", read),
        ],
    )
}

#[derive(Clone, Copy)]
struct Shape {
    channels: usize,
    filters: usize,
    height: usize,
    width: usize,
}

/// Indices of an output element and a position in its window: filter, row,
/// column, channel, window row and window column.
type Place = [usize; 6];

impl Shape {
    fn new(channels: usize, filters: usize, size: [usize; 2]) -> Shape {
        let [height, width] = size;
        Shape { channels, filters, height, width }
    }

    fn image(self) -> usize {
        self.channels * self.height * self.width
    }

    fn out(self) -> usize {
        self.filters * self.height * self.width
    }

    fn numbers(self) -> (Vec<f32>, Vec<f32>) {
        let filters = self.filters * self.channels * 9;
        (numbers(1, self.image()), numbers(2, filters))
    }

    /// Returns the index of the pixel at a window position, if it is inside
    /// the image.
    fn pixel(self, [_, row, column, channel, v, u]: Place) -> Option<usize> {
        let down = (row + v).checked_sub(1).filter(|y| *y < self.height)?;
        let right = (column + u).checked_sub(1).filter(|x| *x < self.width)?;
        Some((channel * self.height + down) * self.width + right)
    }

    /// Returns the index of the weight for a window position. A variant flips
    /// the filter.
    fn number(self, [filter, _, _, channel, v, u]: Place) -> usize {
        let [v, u] = choose([v, u], flips([v, u]));
        ((filter * self.channels + channel) * 3 + v) * 3 + u
    }

    /// Computes the outputs, where `number` selects the filter weight for a
    /// position; `None` counts as 0.
    fn sums(self, number: impl Fn(Place) -> Option<usize>) -> Vec<f32> {
        let (image, filters) = self.numbers();
        let at = |n: usize| {
            let (row, column) = (n / self.width % self.height, n % self.width);
            [n / self.width / self.height, row, column]
        };
        let sum = |[filter, row, column]: [usize; 3]| {
            let mut sum = 0.0;
            for n in 0..self.channels * 9 {
                let place = [filter, row, column, n / 9, n / 3 % 3, n % 3];
                if let Some(pixel) = self.pixel(place)
                    && let Some(number) = number(place)
                {
                    sum += image[pixel] * filters[number];
                }
            }
            sum
        };
        (0..self.out()).map(|n| sum(at(n))).collect()
    }

    fn is_inside(self, n: usize) -> bool {
        let (row, column) = (n / self.width % self.height, n % self.width);
        (1..self.height.max(1) - 1).contains(&row)
            && (1..self.width.max(1) - 1).contains(&column)
    }
}

/// Returns a position in a window that is flipped on both axes, upside down,
/// or from left to right: once for each variant.
fn flips([v, u]: [usize; 2]) -> [[usize; 2]; 3] {
    [[2 - v, 2 - u], [2 - v, u], [v, 2 - u]]
}

fn run(
    kernel: &Kernel,
    shape: Shape,
    log: Option<usize>,
) -> Result<Vec<Vec<f32>>, Stop> {
    let (image, filters) = shape.numbers();
    let mut arguments = vec![
        In("image", &image),
        In("filters", &filters),
        Out("out", shape.out()),
        Count(shape.channels),
        Count(shape.height),
        Count(shape.width),
        Count(shape.out()),
    ];
    arguments.extend(log.map(Log));
    kernel.run(shape.out(), &arguments)
}

fn judge(kernel: &Kernel, shape: Shape) -> Outcome {
    let yours = run(kernel, shape, None)?.remove(0);
    let right = shape.sums(|place| Some(shape.number(place)));
    let Err(stop) = expect("out", &yours, &right) else { return Ok(()) };
    let why = diagnosis(shape, &yours, &right);
    Err(match stop {
        Stop::Wrong { words, .. } => wrong(format!("{words}\n\n{why}")),
        other => other,
    })
}

fn diagnosis(shape: Shape, yours: &[f32], right: &[f32]) -> &'static str {
    let near = |a: f32, b: f32| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
    let is =
        |other: Vec<f32>| yours.iter().zip(&other).all(|(y, o)| near(*y, *o));
    let at = |place: Place| Some(shape.number(place));
    let turned = |[f, y, x, c, v, u]: Place| {
        let [v, u] = choose([2 - v, 2 - u], flips([v, u]));
        at([f, y, x, c, v, u])
    };
    let swapped = |[f, y, x, c, v, u]: Place| at([f, y, x, c, u, v]);
    let own = |place: Place| at(place).filter(|_| place[3] == 0);
    let same = |[_, y, x, c, v, u]: Place| at([0, y, x, c, v, u]);
    let of_each = |[f, y, x, _, v, u]: Place| at([f, y, x, 0, v, u]);
    let short = |[f, _, _, c, v, u]: Place| {
        let number = ((f + c) * 3 + v) * 3 + u;
        (shape.filters > 1).then_some(number)
    };
    if is(shape.sums(turned)) {
        return either(
            "These are the sums for the filter rotated by half a turn. Here \
             the upper left weight of the filter is multiplied by the upper \
             left pixel of the window.",
            "These are the sums for the filter as it is. Here it is flipped.",
        );
    }
    if is(shape.sums(swapped)) {
        return "Row and column of the filter are swapped: its last axis is the \
                column, as in the image.";
    }
    if shape.channels > 1 && is(shape.sums(own)) {
        return "These are the sums over the first channel. A window has 9 \
                pixels in each channel, and all of them are added up.";
    }
    if shape.channels > 1 && is(shape.sums(of_each)) {
        return "Each channel is multiplied by the filter's weights for the \
                first. A filter has 9 weights for each channel.";
    }
    if shape.filters > 1 && is(shape.sums(same)) {
        return "Every output uses the first filter. A filter has 9 weights for \
                each channel, and then the next one begins.";
    }
    if is(shape.sums(short)) {
        return "You count 9 weights per filter. A filter has 9 weights for \
                each channel, so the next filter begins 9 * channels later.";
    }
    let inside: Vec<usize> =
        (0..right.len()).filter(|n| shape.is_inside(*n)).collect();
    if !inside.is_empty() && inside.iter().all(|n| near(yours[*n], right[*n])) {
        return "Where the whole window is inside the image, every sum is \
                right. At the edge a window extends beyond the image: a pixel \
                outside counts as 0, on each of the four sides. At its address \
                there is the end of the previous row, or another image.";
    }
    "Item i is at column i % width, in row i / width % height, of filter i / \
     width / height. Its window begins one row above and one column to the \
     left of its position."
}

/// Counts the reads of the image.
fn read(kernel: &Kernel) -> Outcome {
    let shape = Shape::new(2, 3, [8, 8]);
    let count = |text: &str| counting(text, "convolve", &["image"], "");
    let Some(kernel) = kernel.altered(count)? else { return Ok(()) };
    let counts = run(&kernel, shape, Some(256))?.remove(1);
    let read: f32 = counts.iter().sum();
    // Along an axis of 8 windows of 3, the first and the last read one pixel
    // less.
    let along = 3 * 8 - 2;
    let enough = shape.channels * shape.filters * along * along;
    if read as usize <= enough {
        return Ok(());
    }
    Err(wrong(format!(
        "The results are right, but your items read image[..] {read} times; \
         {enough} would be enough: {} for each channel and each filter. Do not \
         read outside the image at all, and read a pixel once for each window \
         that contains it.",
        along * along
    )))
}
