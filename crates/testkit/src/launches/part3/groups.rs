//! The kernels whose groups work together: products, rows and tiles.

use super::super::draft::tiles;
use super::{Bench, Both, written};

/// The rows of one matrix, or the columns of the other: small whole numbers, of
/// which no two neighbors are equal and every sum is exact.
struct Side {
    lines: usize,
    k: usize,
    /// Whether neighbors in memory lie along `k`.
    along_k: bool,
    /// After so many along a line the numbers come again.
    period: usize,
    /// Whether one of them is an infinity.
    is_endless: bool,
    batches: usize,
}

const BEFORE: usize = 4;
/// A product over so many numbers is one of one matrix, in two parts of which
/// the first takes two steps and the other one. Over fewer it is one of two
/// matrices, each a step, and over more there are two of both: a simulator
/// needs a second for each step of a large tile.
pub const IN_PARTS: usize = 21;

impl Side {
    fn number(&self, batch: usize, line: usize, l: usize) -> f32 {
        if self.is_endless && [batch, line, l] == [1, 1, 5] {
            return f32::INFINITY;
        }
        ((4 * batch + 2 * line + 3 * l) % self.period) as f32 - 2.0
    }

    /// The matrices, behind four numbers that nobody may take for theirs.
    fn memory(&self) -> Vec<f32> {
        let number = |at: usize| {
            let (batch, at) = (at / self.size(), at % self.size());
            match self.along_k {
                true => self.number(batch, at / self.k, at % self.k),
                false => self.number(batch, at % self.lines, at / self.lines),
            }
        };
        let numbers = (0..self.batches * self.size()).map(number);
        [99.0; BEFORE].into_iter().chain(numbers).collect()
    }

    fn size(&self) -> usize {
        self.lines * self.k
    }

    /// How far apart lines and the numbers of one lie, as the kernel is told.
    fn strides(&self) -> [i32; 8] {
        let [line, along] = match self.along_k {
            true => [self.k, 1],
            false => [1, self.lines],
        };
        [0, 0, line, 0, 0, along, self.size(), 0].map(|stride| stride as i32)
    }
}

impl Bench<'_> {
    /// (2, rows, n) x (2, n, columns) of small whole numbers, in two parts along
    /// n, by one layer of groups, or less where [`IN_PARTS`] says so; the rest
    /// is as the kernel's options say that the operands lie. Where there is time, no tile is the only one. A row
    /// has an infinity, which the others must not hear of.
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
        // A kernel that numbers its groups anew has more across than down, and
        // of one number in a row more than it takes together.
        let is_renumbered = self.kernel.name() == "product_warpgroups";
        let across = match (is_renumbered, self.n) {
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
        // Oclgrind 21 calls unwritten what the twins for tensor cores read back
        // where a sum is no number; a device has the right numbers there.
        let is_simulated = self.gpu.info().platform == "Oclgrind";
        let side = |lines: usize, along_k, period| {
            let is_endless = period == 5 && !is_simulated;
            Side { lines, k, along_k, period, is_endless, batches }
        };
        let (a, b) = (side(rows, along[0], 5), side(columns, along[1], 7));
        let [x, y] = [&a, &b].map(|it| self.gpu.upload(&it.memory()).unwrap());
        // A step more than one, and not a whole one.
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
            .scalar(BEFORE as u32)
            .scalar(a.strides())
            .input(&y)
            .scalar(BEFORE as u32)
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

    /// (2, 3, n) of ones by two columns of twos, in parts of 100.
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
            // Three groups, each with teams for two rows.
            .global([3 * 32, 2])
            .local([32, 2]);
        let of_part = |part: usize| PART.min(k - part * PART);
        let right = (0..parts).flat_map(|part| [2.0 * of_part(part) as f32; 6]);
        (written(launch, &out), right.collect())
    }

    /// Three rows of equal scores, of n or a few more each, by teams for two
    /// rows; the kernel that is told what to write writes both.
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
            // A function of a device may be another in its last digits.
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

    /// Three rows of n or fewer, by teams for two rows: each logarithm is 0, so
    /// what a row got in all is taken from each of its elements.
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

    /// Lines of n from a matrix that has them as columns, with three zeros
    /// behind each: one group has more of them than its tile.
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

    /// (3, n, 2) from a view whose neighbors are n - 1 apart, but along n.
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
