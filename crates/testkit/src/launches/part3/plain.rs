//! Launches of the kernels of the plain device, which take dense arrays that
//! begin at offset 0.

use rungrad::opencl::Launch;
use rungrad::part3_unified::Unary;
use rungrad::rng;

use super::{Bench, Both, binary_operation, max, operation, sum, written};

impl<'a> Bench<'a> {
    pub(super) fn plain(&self, name: &str) -> Both {
        match name {
            "copy" => self.plain_copy(),
            "where_cond" => self.plain_where_cond(),
            "sum" => self.plain_reduce(sum),
            "max" => self.plain_reduce(max),
            "matmul" => self.plain_matmul(),
            "index_select" => self.plain_index_select(),
            "index_add" => self.plain_index_add(),
            "fold" => self.plain_fold(),
            "uniform" => self.plain_uniform(),
            _ => match operation(self.kernel, 3.0) {
                Some(op) => self.plain_unary(op),
                None => self.plain_binary(binary_operation(name)),
            },
        }
    }

    /// Launches the kernel with one item per element of a matrix.
    fn launch_matrix(&self, columns: usize, rows: usize) -> Launch<'a> {
        self.gpu.launch(self.kernel).global([columns, rows]).local([16, 4])
    }

    fn plain_unary(&self, op: Unary) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.y)
            .scalar(3.0_f32)
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), self.b.iter().map(|b| op.apply(*b)).collect())
    }

    fn plain_binary(&self, f: impl Fn(f32, f32) -> f32) -> Both {
        let (a, out) = (self.gpu.upload(&self.a).unwrap(), self.out(self.n));
        let launch = self
            .launch(self.n)
            .input(&a)
            .input(&self.y)
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), self.pairs(f))
    }

    fn plain_where_cond(&self) -> Both {
        let (a, out) = (self.gpu.upload(&self.a).unwrap(), self.out(self.n));
        let b = self.gpu.upload(&vec![7.0_f32; self.n]).unwrap();
        let launch = self
            .launch(self.n)
            .input(&self.y)
            .input(&a)
            .input(&b)
            .output(&out)
            .scalar(self.count);
        let right = self.pairs(|a, mask| if mask != 0.0 { a } else { 7.0 });
        (written(launch, &out), right)
    }

    /// Reverses the elements: a view with stride -1 to a dense view.
    fn plain_copy(&self) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .scalar(self.row())
            .scalar(self.count)
            .input(&self.y)
            .scalar(self.count - 1)
            .scalar([-1; 8])
            .output(&out)
            .scalar(0_u32)
            .scalar([1; 8]);
        (written(launch, &out), self.b.iter().rev().copied().collect())
    }

    /// Three rows of n.
    fn plain_reduce(&self, reduce: fn(&[f32]) -> f32) -> Both {
        let rows = [&self.a, &self.b, &self.a];
        let a = self.gpu.upload(&rows.map(Vec::as_slice).concat()).unwrap();
        let out = self.out(3);
        let launch = self
            .launch(3)
            .input(&a)
            .scalar(self.count)
            .output(&out)
            .scalar(3_u32);
        (written(launch, &out), rows.map(|row| reduce(row)).to_vec())
    }

    /// Two products of a column (n, 1) and a row (1, 3).
    fn plain_matmul(&self) -> Both {
        let columns = [&self.a[..], &self.b].concat();
        let rows = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
        let [a, b] = [&columns[..], &rows].map(|it| self.gpu.upload(it));
        let (a, b, out) = (a.unwrap(), b.unwrap(), self.out(6 * self.n));
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&a)
            .input(&b)
            .output(&out)
            .scalar(2_u32)
            .scalar(self.count)
            .scalar(1_u32)
            .scalar(3_u32)
            .global([3, self.n, 2])
            .local([8, 4, 2]);
        let product = |(i, &x): (usize, &f32)| {
            let row = &rows[i / self.n * 3..][..3];
            row.iter().map(move |y| x * y)
        };
        let right = columns.iter().enumerate().flat_map(product);
        (written(launch, &out), right.collect())
    }

    /// All rows of one element, in reverse order.
    fn plain_index_select(&self) -> Both {
        let indices: Vec<u32> = (0..self.count).rev().collect();
        let indices = self.gpu.upload(&indices).unwrap();
        let out = self.out(self.n);
        let launch = self
            .launch_matrix(1, self.n)
            .input(&self.y)
            .scalar(self.count)
            .scalar(1_u32)
            .input(&indices)
            .scalar(self.count)
            .output(&out);
        (written(launch, &out), self.b.iter().rev().copied().collect())
    }

    /// Rows of one element: the first half is added to row 0, and the rest to
    /// row 2 of 4.
    fn plain_index_add(&self) -> Both {
        let half = self.n / 2;
        let index = |row| if row < half { 0 } else { 2_u32 };
        let indices: Vec<u32> = (0..self.n).map(index).collect();
        let indices = self.gpu.upload(&indices).unwrap();
        let out = self.out(4);
        let launch = self
            .launch_matrix(1, 4)
            .input(&self.y)
            .scalar(self.count)
            .scalar(1_u32)
            .input(&indices)
            .scalar(4_u32)
            .output(&out);
        let [first, others] = [&self.b[..half], &self.b[half..]].map(sum);
        (written(launch, &out), vec![first, 0.0, others, 0.0])
    }

    /// Windows of 1 x 2, one apart, over a row of n + 1 pixels: the ends are in
    /// one window, the others in two.
    fn plain_fold(&self) -> Both {
        let ones = self.gpu.upload(&vec![1.0_f32; 2 * self.n]).unwrap();
        let out = self.out(self.n + 1);
        let launch = self
            .launch(self.n + 1)
            .input(&ones)
            .scalar([1, self.n as i32 + 1, 1, 2, 1, 1, 1, 1])
            .output(&out)
            .scalar(self.count + 1);
        let mut right = vec![2.0; self.n + 1];
        (right[0], right[self.n]) = (1.0, 1.0);
        (written(launch, &out), right)
    }

    /// A seed with bits in both halves.
    fn plain_uniform(&self) -> Both {
        let seed = 1 << 40 | 7;
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .output(&out)
            .scalar(seed as u32)
            .scalar((seed >> 32) as u32)
            .scalar(self.count);
        let value = |k| rng::unit(rng::bits(seed, k));
        (written(launch, &out), (0..self.n as u64).map(value).collect())
    }
}
