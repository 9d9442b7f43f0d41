//! The kernels whose groups work together: products, rows and tiles.

use rungrad::part3_unified::kernels::TILES;

use super::{Bench, Both, written};

impl Bench<'_> {
    /// (28, n) x (n, 32) of ones and twos, in two parts along n, by one group;
    /// the rest is as the kernel's options say that the operands lie.
    pub(super) fn product(&self) -> Both {
        let options = self.kernel.options();
        let few = options.contains("-DROWS=");
        let (rows, columns, parts) = (if few { 7 } else { 28 }, 32, 2);
        let k = match options.contains("-DFOURS=1") {
            true => self.n.next_multiple_of(4),
            false => self.n,
        };
        let ones = vec![1.0_f32; rows * k];
        let twos = vec![2.0_f32; columns * k];
        let (ones, twos) =
            (self.gpu.upload(&ones).unwrap(), self.gpu.upload(&twos).unwrap());
        let to = |lines: usize, along_inner: bool| match along_inner {
            true => [0, 0, k, 0, 0, 1, 0, 0],
            false => [0, 0, 1, 0, 0, lines, 0, 0],
        };
        let a_to = to(rows, options.contains("-DA_ALONG_K=1"));
        let b_to = to(columns, options.contains("-DB_ALONG_N=0"));
        let length = k.div_ceil(parts).next_multiple_of(4);
        let parts = k.div_ceil(length);
        let sizes = [1, rows, 1, columns, 1, k, 1, length];
        let int8 = |sizes: [usize; 8]| sizes.map(|size| size as i32);
        let len = parts * rows * columns;
        let out = self.out(len);
        let tiles = TILES.iter().find(|tiles| {
            tiles.kernels.iter().any(|known| known.options() == options)
        });
        let (sides, items) =
            tiles.map_or(([16, 128], 128), |it| (it.sides, it.items));
        assert!(tiles.is_some() != few, "one of these tiles, or few rows");
        let [down, across] =
            [rows.div_ceil(sides[0]), columns.div_ceil(sides[1])];
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&ones)
            .scalar(0_u32)
            .scalar(int8(a_to))
            .input(&twos)
            .scalar(0_u32)
            .scalar(int8(b_to))
            .scalar(int8(sizes))
            .output(&out)
            .scalar(rows as i32)
            .scalar(k as i32)
            .scalar(columns as i32)
            .global([across * items, down, 1])
            .local([items, 1, 1]);
        let of_part = |part: usize| length.min(k - part * length);
        let right = (0..parts)
            .flat_map(|part| vec![2.0 * of_part(part) as f32; rows * columns]);
        (written(launch, &out), right.collect())
    }

    /// (2, 3, n) of ones by two columns of twos, in parts of 100.
    pub(super) fn product_vector(&self) -> Both {
        const PART: usize = 100;
        let ones = self.gpu.upload(&vec![1.0_f32; 6 * self.n]).unwrap();
        let twos = self.gpu.upload(&vec![2.0_f32; 2 * self.n]).unwrap();
        let n = self.n as i32;
        let parts = self.n.div_ceil(PART);
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
            .scalar(self.count)
            // Three groups, each with teams for two rows.
            .global([3 * 32, 2])
            .local([32, 2]);
        let of_part = |part: usize| PART.min(self.n - part * PART);
        let right = (0..parts).flat_map(|part| [2.0 * of_part(part) as f32; 6]);
        (written(launch, &out), right.collect())
    }

    /// Three rows of equal scores, of n each, by teams for two rows.
    pub(super) fn log_softmax(&self) -> Both {
        let scores = self.gpu.upload(&vec![2.0_f32; 3 * self.n]).unwrap();
        let out = self.out(3 * self.n);
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&scores)
            .scalar(0_u32)
            .scalar(self.count)
            .output(&out)
            .scalar(3_u32)
            .global([64, 2])
            .local([64, 2]);
        let written = written(launch, &out);
        // The logarithm of a device may be another in its last digits.
        let right = -(self.n as f32).ln();
        for value in &written {
            assert!((value - right).abs() < 1e-5, "{value}, not {right}");
        }
        (vec![], vec![])
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
