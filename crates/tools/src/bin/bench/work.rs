//! What a row does: what it moves and computes at least, and how
//! much memory it needs.

/// The bytes of an `f32`.
const NUMBER: f64 = 4.0;

/// A piece of work, the same for every engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Work {
    /// `x * y` of n numbers, into fresh memory.
    Multiply(usize),
    /// `x * 2` of n numbers: what can be moved.
    Copy(usize),
    /// The same of n numbers of 16 bits.
    CopyHalves(usize),
    /// `tanh(1.5 z + 0.5).exp() z - sigmoid(z)`, seven operations.
    Seven(usize),
    /// (batch, m, k) x (batch, k, n); a turned operand lies transposed in
    /// memory.
    Product {
        batch: usize,
        sizes: [usize; 3],
        turned: [bool; 2],
    },
    /// A matrix of these rows and columns and a vector; turned, the matrix is
    /// transposed.
    Vector {
        rows: usize,
        columns: usize,
        turned: bool,
    },
    /// Of a square matrix, over one axis or over all.
    Sum {
        side: usize,
        axis: Option<usize>,
    },
    /// Of three axes, over some.
    SumOver {
        sizes: [usize; 3],
        axes: &'static [usize],
    },
    /// The largest along an axis of a square matrix.
    Max {
        side: usize,
        axis: usize,
    },
    /// A square matrix, transposed and put in order.
    Turn(usize),
    /// A square matrix and a row that stretches over it.
    AddRow(usize),
    Softmax {
        rows: usize,
        columns: usize,
    },
    LogSoftmax {
        rows: usize,
        columns: usize,
    },
    /// As many rows as there are, in a scattered order.
    Gather {
        rows: usize,
        columns: usize,
    },
    /// `((x * y) * y).sum()` of n numbers, and backward.
    Notebook(usize),
    /// `y * b + a` so often on one number, and backward.
    Chain(usize),
    /// The same with a graph, and not backward.
    Forward(usize),
    /// A training step: a hidden layer with relu, ten classes, SGD.
    Mlp {
        batch: usize,
        inputs: usize,
        hidden: usize,
    },
    /// A training step on images of 1x28x28: 8 and 16 filters of 3x3, each
    /// with relu and a pool of 2x2, ten classes, SGD.
    Cnn(usize),
    /// A training step of a transformer on tokens, AdamW.
    Gpt(Transformer),
}

/// The sizes of a transformer, and what it reads at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Transformer {
    pub(crate) batch: usize,
    pub(crate) context: usize,
    pub(crate) width: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) vocabulary: usize,
}

impl Transformer {
    /// Counts the tokens of a step, and the weights that each is multiplied
    /// with.
    fn counts(self) -> [usize; 2] {
        let blocks = 12 * self.width * self.width * self.layers;
        [self.batch * self.context, blocks + self.width * self.vocabulary]
    }
}

use Work::*;

impl Work {
    /// Returns the word by which a peer knows it, and its sizes.
    pub(crate) fn order(self) -> (&'static str, Vec<usize>) {
        match self {
            Multiply(n) => ("multiply", vec![n]),
            Copy(n) => ("copy", vec![n]),
            CopyHalves(n) => ("copy_halves", vec![n]),
            Seven(n) => ("seven", vec![n]),
            Product { batch, sizes: [m, k, n], turned } => {
                let [a, b] = turned.map(usize::from);
                ("matmul", vec![batch, m, k, n, a, b])
            }
            Vector { rows, columns, turned } => {
                ("matvec", vec![rows, columns, usize::from(turned)])
            }
            Sum { side, axis: None } => ("sum", vec![side]),
            Sum { side, axis: Some(axis) } => ("sum", vec![side, axis]),
            SumOver { sizes, axes } => ("sum_over", [&sizes, axes].concat()),
            Max { side, axis } => ("max", vec![side, axis]),
            Turn(side) => ("transpose", vec![side]),
            AddRow(side) => ("broadcast", vec![side]),
            Softmax { rows, columns } => ("softmax", vec![rows, columns]),
            LogSoftmax { rows, columns } => {
                ("log_softmax", vec![rows, columns])
            }
            Gather { rows, columns } => ("gather", vec![rows, columns]),
            Notebook(n) => ("notebook", vec![n]),
            Chain(n) => ("chain", vec![n]),
            Forward(n) => ("forward", vec![n]),
            Mlp { batch, inputs, hidden } => {
                ("mlp", vec![batch, inputs, hidden])
            }
            Cnn(batch) => ("cnn", vec![batch]),
            Gpt(Transformer {
                batch,
                context,
                width,
                layers,
                heads,
                vocabulary,
            }) => {
                let sizes = [batch, context, width, layers, heads, vocabulary];
                ("gpt", sizes.to_vec())
            }
        }
    }

    /// Writes one line for those who read the list.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Multiply(_) => "x * y, element by element, into fresh memory",
            Copy(_) => "x * 2: read and write each number once",
            CopyHalves(_) => "the same in f16, which is half the bytes",
            Seven(_) => "tanh(1.5z + 0.5).exp() * z - sigmoid(z)",
            Product { batch: 1, turned: [false, false], .. } => {
                "a product of two matrices"
            }
            Product { batch: 1, .. } => {
                "the same, operands lying transposed in memory"
            }
            Product { .. } => "as many products of matrices as the first size",
            Vector { turned: false, .. } => "a matrix and a vector",
            Vector { .. } => "the transposed matrix and a vector",
            Sum { axis: None, .. } => "the sum of all elements",
            Sum { .. } => "sums along an axis",
            SumOver { .. } => "sums of an array of three axes",
            Max { .. } => "the largest along an axis",
            Turn(_) => "a transposed matrix, copied into its own order",
            AddRow(_) => "a matrix and a row that stretches over it",
            Softmax { .. } => "softmax over rows",
            LogSoftmax { .. } => "log-softmax over rows",
            Gather { .. } => "rows of a table, in a scattered order",
            Notebook(_) => "((x * y) * y).sum(), forward and backward",
            Chain(_) => "y * b + a again and again, forward and backward",
            Forward(_) => "the same, the graph built and not walked",
            Mlp { .. } => "a training step: relu, cross-entropy, SGD",
            Cnn(_) => "a training step: two convolutions with pools, SGD",
            Gpt(_) => "a training step: a transformer on tokens, AdamW",
        }
    }

    /// Counts the bytes that must be read and written, whoever does it and
    /// however.
    pub(crate) fn bytes(self) -> Option<f64> {
        let square = |side: usize| (side * side) as f64;
        let numbers = match self {
            Multiply(n) => 3.0 * n as f64,
            Copy(n) | Seven(n) => 2.0 * n as f64,
            CopyHalves(n) => n as f64,
            Product { batch, sizes: [m, k, n], .. } => {
                (batch * (m * k + k * n + m * n)) as f64
            }
            Vector { rows, columns, .. } => {
                (rows * columns + rows + columns) as f64
            }
            Sum { side, .. } | Max { side, .. } => square(side),
            SumOver { sizes, .. } => sizes.iter().product::<usize>() as f64,
            Turn(side) | AddRow(side) => 2.0 * square(side),
            Softmax { rows, columns }
            | LogSoftmax { rows, columns }
            | Gather { rows, columns } => 2.0 * (rows * columns) as f64,
            Notebook(_)
            | Chain(_)
            | Forward(_)
            | Mlp { .. }
            | Cnn(_)
            | Gpt(_) => return None,
        };
        Some(NUMBER * numbers)
    }

    /// Counts the additions and multiplications; a function counts as one of
    /// them.
    pub(crate) fn operations(self) -> Option<f64> {
        let square = |side: usize| (side * side) as f64;
        let count = match self {
            Multiply(n) | Copy(n) | CopyHalves(n) => n as f64,
            Seven(n) => 7.0 * n as f64,
            Product { batch, sizes: [m, k, n], .. } => {
                2.0 * (batch * m * k) as f64 * n as f64
            }
            Vector { rows, columns, .. } => 2.0 * (rows * columns) as f64,
            Sum { side, .. } | Max { side, .. } | AddRow(side) => square(side),
            SumOver { sizes, .. } => sizes.iter().product::<usize>() as f64,
            Softmax { rows, columns } | LogSoftmax { rows, columns } => {
                5.0 * (rows * columns) as f64
            }
            // The first layer's input needs no gradient.
            Mlp { batch, inputs, hidden } => {
                batch as f64 * (4 * inputs * hidden + 6 * hidden * 10) as f64
            }
            Cnn(batch) => {
                let first = 4 * 28 * 28 * 8 * 9;
                let second = 6 * 14 * 14 * 16 * 8 * 9;
                batch as f64 * (first + second + 6 * 784 * 10) as f64
            }
            // Forward once and backward twice, and what places look at.
            Gpt(sizes) => {
                let [tokens, weights] = sizes.counts();
                let seen = 2 * sizes.context * sizes.width * sizes.layers;
                6.0 * tokens as f64 * (weights + seen) as f64
            }
            Turn(_) | Gather { .. } | Notebook(_) | Chain(_) | Forward(_) => {
                return None;
            }
        };
        Some(count)
    }

    /// Tells whether its speed is told in operations, and not in bytes.
    pub(crate) fn is_arithmetic(self) -> bool {
        matches!(self, Product { .. } | Mlp { .. } | Cnn(_) | Gpt(_))
    }

    /// Counts the bytes of the largest array, and of all that stand at the
    /// same time.
    pub(crate) fn memory(self) -> [f64; 2] {
        let [largest, all] = match self {
            Multiply(n) | Copy(n) | CopyHalves(n) => [n, 4 * n],
            Seven(n) => [n, 6 * n],
            Product { batch, sizes: [m, k, n], .. } => {
                let sizes = [m * k, k * n, m * n].map(|size| batch * size);
                let largest = sizes[0].max(sizes[1]).max(sizes[2]);
                [largest, sizes.iter().sum::<usize>() + sizes[2]]
            }
            Vector { rows, columns, .. } => {
                [rows * columns, rows * columns + 4 * (rows + columns)]
            }
            Sum { side, .. } | Max { side, .. } => {
                [side * side, 2 * side * side]
            }
            SumOver { sizes, .. } => {
                let all = sizes.iter().product();
                [all, 2 * all]
            }
            Turn(side) | AddRow(side) => [side * side, 3 * side * side],
            Softmax { rows, columns } | LogSoftmax { rows, columns } => {
                [rows * columns, 5 * rows * columns]
            }
            Gather { rows, columns } => [rows * columns, 3 * rows * columns],
            Notebook(n) => [n, 10 * n],
            Chain(n) | Forward(n) => [1, 8 * n],
            Mlp { batch, inputs, hidden } => {
                let weights = inputs * hidden;
                let layer = batch * hidden;
                let input = batch * inputs;
                [weights.max(layer).max(input), 4 * weights + 8 * layer + input]
            }
            // The windows of the first convolution, and of the second.
            Cnn(batch) => {
                [batch * 14 * 14 * 72, batch * 4 * (784 * 9 + 14 * 14 * 72)]
            }
            // What a place keeps in a block, its looks at others, and four
            // numbers of each weight.
            Gpt(sizes) => {
                let [tokens, weights] = sizes.counts();
                let looks = tokens * sizes.context * sizes.heads;
                let kept = (24 * tokens * sizes.width + looks) * sizes.layers;
                let scores = tokens * sizes.vocabulary;
                [looks.max(scores), kept + 4 * (weights + scores)]
            }
        };
        [largest, all].map(|numbers| NUMBER * numbers as f64)
    }

    /// Says why it does not fit into a memory, of which so many engines want
    /// their part: the bytes that one array may have, and all that there are.
    pub(crate) fn fits(
        self,
        [one, all]: [f64; 2],
        engines: usize,
    ) -> Result<(), String> {
        let [largest, sum] = self.memory();
        let sum = sum * engines as f64;
        if largest <= one && sum <= all {
            return Ok(());
        }
        let gb = |bytes: f64| format!("{:.1} GB", bytes * 1e-9);
        Err(format!(
            "it needs {}, {} of them in one piece, and the device has {} and {}",
            gb(sum),
            gb(largest),
            gb(all),
            gb(one)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_into_no_memory_says_what_it_needs() {
        let work = Multiply(1 << 28);
        assert_eq!(work.fits([2e9, 8e9], 1), Ok(()));
        let two = work.fits([2e9, 8e9], 2).unwrap_err();
        assert!(two.starts_with("it needs 8.6 GB, 1.1 GB of them"), "{two}");
        let piece = work.fits([1e9, 80e9], 1).unwrap_err();
        assert!(piece.ends_with("has 80.0 GB and 1.0 GB"), "{piece}");
    }

    #[test]
    fn what_is_counted_is_what_the_notes_count() {
        let product =
            Product { batch: 1, sizes: [4096; 3], turned: [false; 2] };
        assert_eq!(product.operations(), Some(137_438_953_472.0));
        assert_eq!(Multiply(10).bytes(), Some(120.0));
        // (16384, 16384) + (16384), read and written: 2.1 GB.
        assert_eq!(AddRow(16384).bytes(), Some(2_147_483_648.0));
    }
}
