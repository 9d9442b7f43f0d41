//! The kernels that reduce many elements to one.

use super::{Bench, Both, OFFSET, written};

impl Bench<'_> {
    /// Three rows of n, in parts of 100.
    pub(super) fn reduce_rows(&self, join: fn(&[f32]) -> f32) -> Both {
        const PART: usize = 100;
        let rows = [&self.a, &self.b, &self.a];
        let parts = rows.into_iter().flat_map(|row| row.chunks(PART));
        let right: Vec<f32> = parts.map(join).collect();
        let (matrix, out) = (self.matrix(&rows), self.out(right.len()));
        let launch = self
            // One work-group of eight row groups, each with one or several
            // parts.
            .gpu
            .launch(self.kernel)
            .global([32, 8])
            .local([32, 8])
            .input(&matrix)
            .scalar(OFFSET as u32)
            .scalar(self.count)
            .scalar(self.count)
            .scalar(PART as u32)
            .output(&out)
            .scalar(right.len() as u32);
        (written(launch, &out), right)
    }

    /// The columns of three rows of n, in parts of two rows.
    pub(super) fn reduce_columns(&self, join: fn(&[f32]) -> f32) -> Both {
        let rows = [&self.a, &self.b, &self.a];
        let first = self.a.iter().zip(&self.b).map(|(a, b)| join(&[*a, *b]));
        let right = first.chain(self.a.iter().copied()).collect();
        let (matrix, out) = (self.matrix(&rows), self.out(2 * self.n));
        let launch = self
            .launch(2 * self.n)
            .input(&matrix)
            .scalar(OFFSET as u32)
            .scalar(self.count)
            .scalar(1_u32)
            .scalar(self.count)
            .scalar(0_u32)
            .scalar(self.count)
            .scalar(3_u32)
            .scalar(2_u32)
            .output(&out);
        (written(launch, &out), right)
    }

    /// The columns of three rows of n, with four items for each column, so one
    /// item has no element.
    pub(super) fn reduce_short(&self, join: fn(&[f32]) -> f32) -> Both {
        let rows = [&self.a, &self.b, &self.a];
        let pairs = self.a.iter().zip(&self.b);
        let right = pairs.map(|(a, b)| join(&[*a, *b, *a])).collect();
        let (matrix, out) = (self.matrix(&rows), self.out(self.n));
        let launch = self
            .gpu
            .launch(self.kernel)
            .global([self.n, 4])
            .local([64, 4])
            .input(&matrix)
            .scalar(OFFSET as u32)
            .scalar(self.count)
            .scalar(1_u32)
            .scalar(self.count)
            .scalar(0_u32)
            .scalar(self.count)
            .scalar(3_u32)
            .output(&out);
        (written(launch, &out), right)
    }

    /// The columns of `count` matrices with one to three rows. Neighboring
    /// matrices have different widths. Several items share a column of three
    /// rows.
    pub(super) fn reduce_sums(&self, count: usize) -> Both {
        // Each work-group has several barriers, which are slow in the
        // simulator.
        let most = self.n.min(if count > 4 { 12 } else { 300 });
        let sizes = (0..count).map(|at| (most - at % most, 1 + at % 3));
        let upload = |(width, height): (usize, usize)| {
            let rows = [&self.a, &self.b, &self.a];
            let rows = rows.iter().take(height);
            let all = rows.flat_map(|row| row[..width].iter().copied());
            let all: Vec<f32> = all.collect();
            (width, height, self.gpu.upload(&all).unwrap(), self.out(width))
        };
        let all: Vec<_> = sizes.map(upload).collect();
        let groups = all.iter().map(|(width, height, ..)| match height {
            3 => width.div_ceil(8),
            _ => width.div_ceil(256),
        });
        let mut launch = self.launch(256 * groups.sum::<usize>());
        launch = launch.scalar(2_u32);
        for (width, height, matrix, out) in &all {
            launch = launch.input(matrix).scalar(*width as u32);
            launch = launch.scalar(*height as u32).output(out);
        }
        let mut yours = written(launch, &all[0].3);
        for (.., out) in &all[1..] {
            yours.extend(out.read().unwrap());
        }
        let column = |at: usize, height: usize| {
            let [a, b] = [self.a[at], self.b[at]];
            [a, a + b, a + b + a][height - 1]
        };
        let right = all.iter().flat_map(|(width, height, ..)| {
            (0..*width).map(|at| column(at, *height))
        });
        let right = right.collect();
        (yours, right)
    }

    /// Columns of two rows of n, as rows of two elements.
    pub(super) fn reduce_few(&self, join: fn(&[f32]) -> f32) -> Both {
        let matrix = self.matrix(&[&self.a, &self.b]);
        let pairs = self.a.iter().zip(&self.b);
        let right = pairs.map(|(a, b)| join(&[*a, *b])).collect();
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&matrix)
            .scalar(OFFSET as u32)
            .scalar([1, 1, 1, self.n as i32, 1, 1, 1, 2])
            .scalar([0, 0, 0, 1, 0, 0, 0, self.n as i32])
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), right)
    }

    /// The gradient of the maximum, for the same input: the larger of two
    /// elements gets 1, and two equal elements get a half each.
    pub(super) fn reduce_few_share(&self) -> Both {
        let matrix = self.matrix(&[&self.a, &self.b]);
        let pairs = || self.a.iter().zip(&self.b);
        let most: Vec<f32> = pairs().map(|(a, b)| a.max(*b)).collect();
        let share = |x: f32, y: f32| match x.total_cmp(&y) {
            _ if x == y => 0.5,
            std::cmp::Ordering::Greater => 1.0,
            _ => 0.0,
        };
        let of_a = pairs().map(|(a, b)| share(*a, *b));
        let right = of_a.chain(pairs().map(|(a, b)| share(*b, *a))).collect();
        let most = self.gpu.upload(&most).unwrap();
        let ones = self.gpu.upload(&vec![1.0_f32; self.n]).unwrap();
        let (steps, out) =
            ([0, 0, 0, 1, 0, 0, 0, self.n as i32], self.out(2 * self.n));
        let launch = self
            .launch(self.n)
            .input(&matrix)
            .scalar(OFFSET as u32)
            .scalar([1, 1, 1, self.n as i32, 1, 1, 1, 2])
            .scalar(steps)
            .input(&most)
            .scalar(0_u32)
            .input(&ones)
            .scalar(0_u32)
            .output(&out)
            .scalar(steps)
            .scalar(self.count);
        (written(launch, &out), right)
    }
}
