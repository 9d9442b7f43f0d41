//! The kernels with cooperating work-items: matmul, rows and tiles.

use super::super::draft::tiles;
use super::{Bench, Both, written};

/// The rows of the left matrix, or the columns of the right one (lines). The
/// elements are small whole numbers, so every sum is exact, and neighbors
/// differ.
struct Side {
    lines: usize,
    k: usize,
    /// Whether neighbors in memory are neighbors along `k`.
    along_k: bool,
    /// The elements of a line repeat after this many.
    period: usize,
    /// Whether one element is infinite.
    has_infinity: bool,
    batches: usize,
}

const OFFSET: usize = 4;
/// The value of `n` at which one pair of matrices is multiplied in two parts,
/// the first with two steps along k and the second with one. A smaller `n`
/// means two pairs with one step each, and a larger one two pairs in two parts
/// each. More would be too slow, because a simulator needs a second for each
/// step of a large tile.
pub const IN_PARTS: usize = 21;

impl Side {
    fn number(&self, batch: usize, line: usize, l: usize) -> f32 {
        if self.has_infinity && [batch, line, l] == [1, 1, 5] {
            return f32::INFINITY;
        }
        ((4 * batch + 2 * line + 3 * l) % self.period) as f32 - 2.0
    }

    /// Returns the matrices, after four values that must not be read.
    fn buffer_values(&self) -> Vec<f32> {
        let number = |at: usize| {
            let (batch, at) = (at / self.size(), at % self.size());
            match self.along_k {
                true => self.number(batch, at / self.k, at % self.k),
                false => self.number(batch, at % self.lines, at / self.lines),
            }
        };
        let numbers = (0..self.batches * self.size()).map(number);
        [99.0; OFFSET].into_iter().chain(numbers).collect()
    }

    fn size(&self) -> usize {
        self.lines * self.k
    }

    /// Returns the strides of lines and of elements in a line, as a kernel
    /// argument.
    fn strides(&self) -> [i32; 8] {
        let [line, along] = match self.along_k {
            true => [self.k, 1],
            false => [1, self.lines],
        };
        [0, 0, line, 0, 0, along, self.size(), 0].map(|stride| stride as i32)
    }
}

impl Bench<'_> {
    /// (2, rows, n) x (2, n, columns), in two parts along n, or less as
    /// described at [`IN_PARTS`]. The kernel's options determine the memory
    /// layout of the operands. Unless the device is slow, there are several
    /// tiles. One row contains an infinity, which must not reach the others.
    pub(super) fn product(&self) -> Both {
        let options = self.kernel.options();
        let batches = if self.n == IN_PARTS { 1 } else { 2 };
        let (sides, items) = match self.kernel.name() {
            "product_few_rows" => ([3, 128], 128),
            "product_long_sums" => ([8, 8], 256),
            _ => {
                let tiles = tiles(self.kernel).expect("of one of the tiles");
                (tiles.sides, tiles.items)
            }
        };
        let is_slow = self.gpu.info().platform == "Oclgrind" || self.n > 300;
        let most = if is_slow { [28, 32] } else { [usize::MAX; 2] };
        // A kernel that renumbers its work-groups gets more tiles across than
        // down, and for n = 1 more than it takes together.
        let renumbers_groups = self.kernel.name() == "product_warpgroups";
        let across = match (renumbers_groups, self.n) {
            (true, 1) => 17 * sides[1],
            (true, _) => 2 * sides[1],
            (false, _) => sides[1],
        };
        let [rows, columns] =
            [most[0].min(sides[0] + 4), most[1].min(across + 8)];
        let k = match options.contains("-DFOURS=1") {
            true => self.n.next_multiple_of(4),
            false => self.n,
        };
        let along = [" -DA_ALONG_K=1", " -DB_ALONG_N=0"];
        let along = along.map(|option| options.contains(option));
        // If a sum is NaN, Oclgrind 21 reports a false uninitialized read in
        // the replacements of the tensor core kernels. Devices compute the
        // right values.
        let is_simulated = self.gpu.info().platform == "Oclgrind";
        let side = |lines: usize, along_k, period| {
            let has_infinity = period == 5 && !is_simulated;
            Side { lines, k, along_k, period, has_infinity, batches }
        };
        let (a, b) = (side(rows, along[0], 5), side(columns, along[1], 7));
        let [x, y] =
            [&a, &b].map(|it| self.gpu.upload(&it.buffer_values()).unwrap());
        // More than one step along k, and not a whole number of steps.
        let length = k.div_ceil(2).next_multiple_of(4).max(20);
        let parts = k.div_ceil(length);
        let sizes = [1, rows, 1, columns, 1, k, batches, length];
        let all = parts * batches * rows * columns;
        let out = self.out(all);
        let [down, across] =
            [rows.div_ceil(sides[0]), columns.div_ceil(sides[1])];
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&x)
            .scalar(OFFSET as u32)
            .scalar(a.strides())
            .input(&y)
            .scalar(OFFSET as u32)
            .scalar(b.strides())
            .scalar(sizes.map(|size| size as i32))
            .output(&out)
            .scalar(rows as i32)
            .scalar(k as i32)
            .scalar(columns as i32)
            .global([across * items, down, 1])
            .local([items, 1, 1]);
        let element = |at: usize| {
            let (which, at) = (at / columns / rows, at % (columns * rows));
            let (part, batch) = (which / batches, which % batches);
            let (i, j) = (at / columns, at % columns);
            let along = part * length..k.min((part + 1) * length);
            along.map(|l| a.number(batch, i, l) * b.number(batch, j, l)).sum()
        };
        let right = (0..all).map(element).collect();
        (written(launch, &out), right)
    }

    /// (2, 3, n) of ones times two columns of twos, in parts of 100.
    pub(super) fn product_vector(&self) -> Both {
        const PART: usize = 100;
        let fours = self.kernel.name() == "product_vector_fours";
        let k = if fours { self.n.next_multiple_of(4) } else { self.n };
        let ones = self.gpu.upload(&vec![1.0_f32; 6 * k]).unwrap();
        let twos = self.gpu.upload(&vec![2.0_f32; 2 * k]).unwrap();
        let n = k as i32;
        let parts = k.div_ceil(PART);
        let out = self.out(6 * parts);
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&ones)
            .scalar(0_u32)
            .input(&twos)
            .scalar(0_u32)
            .scalar([3 * n, n, 1, n, 1, 2, PART as i32, 0])
            .output(&out)
            .scalar(3_u32)
            .scalar(k as u32)
            // Three work-groups, each for two rows.
            .global([3 * 32, 2])
            .local([32, 2]);
        let of_part = |part: usize| PART.min(k - part * PART);
        let right = (0..parts).flat_map(|part| [2.0 * of_part(part) as f32; 6]);
        (written(launch, &out), right.collect())
    }

    /// Three rows of n or slightly more equal scores, in work-groups of two
    /// rows. The argument `logs` selects softmax or its logarithm; both are
    /// tested.
    pub(super) fn softmax(&self) -> Both {
        let fours = self.kernel.name() == "softmax_fours";
        let n = if fours { self.n.next_multiple_of(4) } else { self.n };
        let scores = self.gpu.upload(&vec![2.0_f32; 3 * n]).unwrap();
        for logs in [1_u32, 0] {
            let out = self.out(3 * n);
            let launch = self.gpu.launch(self.kernel).input(&scores);
            let launch = launch.scalar(0_u32).scalar(n as u32).scalar(logs);
            let launch = launch.output(&out).scalar(3_u32);
            let written = written(launch.global([64, 2]).local([64, 2]), &out);
            // The functions of a device may differ in the last digits.
            let right =
                if logs == 1 { -(n as f32).ln() } else { 1.0 / n as f32 };
            for value in &written {
                assert!(
                    (value - right).abs() < 1e-6 + 1e-6 * right.abs(),
                    "{value}, not {right}"
                );
            }
        }
        (vec![], vec![])
    }

    /// Three rows of at most n, in work-groups of two rows. Each logarithm is
    /// 0, so the sum of the row's gradient is subtracted from each element.
    pub(super) fn softmax_grads(&self) -> Both {
        let columns = self.n.min(300);
        let grads: Vec<f32> =
            (0..3 * columns).map(|i| (i % 7) as f32 - 2.0).collect();
        let y = self.gpu.upload(&vec![0.0_f32; 3 * columns]).unwrap();
        let above = self.gpu.upload(&grads).unwrap();
        let out = self.out(3 * columns);
        let launch = self.gpu.launch(self.kernel).input(&y).scalar(0_u32);
        let launch = launch.input(&above).scalar(0_u32);
        let launch = launch.scalar(columns as u32).output(&out).scalar(3_u32);
        let launch = launch.global([32, 2]).local([32, 2]);
        let right = grads.chunks(columns).flat_map(|row| {
            let all: f32 = row.iter().sum();
            row.iter().map(move |x| x - all)
        });
        (written(launch, &out), right.collect())
    }

    /// Copies lines of n from the columns of a matrix, and pads each with
    /// three zeros. One work-group has more lines than its tile.
    pub(super) fn copy_lines(&self) -> Both {
        const LINES: usize = 34;
        let values = (0..LINES * self.n).map(|i| i as f32);
        let (values, room) = (values.collect::<Vec<f32>>(), self.n + 3);
        let a = self.gpu.upload(&values).unwrap();
        let out = self.out(LINES * room);
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&a)
            .scalar(0_u32)
            .scalar([0, 0, 1, 0, 0, LINES as i32, 0, 0])
            .output(&out)
            .scalar(LINES as u32)
            .scalar(self.count)
            .scalar(room as u32)
            .global([room.next_multiple_of(32), 8])
            .local([32, 8]);
        let number = |line: usize, l: usize| match l < self.n {
            true => values[LINES * l + line],
            false => 0.0,
        };
        let right = (0..LINES * room).map(|i| number(i / room, i % room));
        (written(launch, &out), right.collect())
    }

    /// (3, n, 2) from a view that is contiguous along n.
    pub(super) fn copy_by_tiles(&self) -> Both {
        let n = self.n as i32;
        let values: Vec<f32> = (0..6 * self.n).map(|i| i as f32).collect();
        let (a, out) =
            (self.gpu.upload(&values).unwrap(), self.out(6 * self.n));
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&a)
            .scalar(0_u32)
            .scalar([1, 1, 1, 1, 1, 3, n, 2])
            .scalar([0, 0, 0, 0, 0, 2 * n, 1, n])
            .output(&out)
            .scalar([0, 0, 0, 0, 0, 2 * n, 2, 1])
            .global([64, 8])
            .local([32, 8]);
        let at = |i: usize| {
            let (image, y, x) = (i / 2 / self.n, i / 2 % self.n, i % 2);
            values[image * 2 * self.n + x * self.n + y]
        };
        (written(launch, &out), (0..6 * self.n).map(at).collect())
    }
}
