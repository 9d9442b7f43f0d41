//! The elementwise kernels with more than two inputs.

use rungrad::part3_unified::AdamStep;

use super::{Bench, Both, OFFSET, written};

impl Bench<'_> {
    pub(super) fn where_cond(&self) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.y)
            .scalar(0_u32)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .input(&self.y)
            .scalar(0_u32)
            .output(&out)
            .scalar(self.count);
        let right = self.pairs(|a, b| if b != 0.0 { a } else { b });
        (written(launch, &out), right)
    }

    /// Returns the next parameters, then their first moments, and then their
    /// second moments. Neighboring parameters have different sizes.
    pub(super) fn adam(&self, count: usize) -> Both {
        let step = AdamStep {
            betas: [0.75, 0.5],
            one_minus_betas: [0.25, 0.5],
            bias_correction: 0.5,
            epsilon: 0.125,
            rate: -0.25,
            decay_factor: 0.875,
        };
        let pairs = [
            step.betas[0],
            step.one_minus_betas[0],
            step.betas[1],
            step.one_minus_betas[1],
        ];
        let others =
            [step.bias_correction, step.epsilon, step.rate, step.decay_factor];
        let sizes: Vec<usize> =
            (0..count).map(|at| self.n - at % self.n).collect();
        let upload = |&size: &usize| {
            let arrays = [&self.a, &self.b];
            let arrays = arrays.map(|it| self.gpu.upload(&it[..size]).unwrap());
            (arrays, self.out(size))
        };
        let all: Vec<_> = sizes.iter().map(upload).collect();
        let items = sizes.iter().sum();
        let in_a_row = |from: &[f32]| {
            let parts = sizes.iter().flat_map(|&size| &from[..size]);
            let late = [99.0; OFFSET];
            let all: Vec<f32> = late.iter().chain(parts).copied().collect();
            self.gpu.upload(&all).unwrap()
        };
        let [mean, square] = [&self.b, &self.a].map(|it| in_a_row(it));
        let moments = [(); 2].map(|()| self.out(items));
        let mut launch = self.launch(items);
        for number in pairs.into_iter().chain(others) {
            launch = launch.scalar(number as f32);
        }
        for moment in [&mean, &square] {
            launch = launch.input(moment).scalar(OFFSET as u32);
        }
        launch = launch.output(&moments[0]).output(&moments[1]).scalar(0_u32);
        for ([a, b], out) in &all {
            launch = launch.input(a).input(b).output(out);
        }
        for &size in &sizes {
            launch = launch.scalar(size as u32);
        }
        let mut yours = written(launch, &all[0].1);
        let others = all.iter().skip(1).map(|(_, out)| out);
        for out in others.chain(&moments) {
            yours.extend(out.read().unwrap());
        }
        let pairs = self.a.iter().zip(&self.b);
        let next: Vec<[f32; 3]> =
            pairs.map(|(a, b)| step.apply([*a, *b, *b, *a])).collect();
        let all = |i: usize| {
            let parts = sizes.iter().flat_map(|&size| &next[..size]);
            parts.map(move |values| values[i])
        };
        (yours, (0..3).flat_map(all).collect())
    }
}
