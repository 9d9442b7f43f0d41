//! The kernels whose items look at one place of more than two arrays.

use rungrad::part3_unified::AdamStep;

use super::{Bench, Both, LATE, written};

impl Bench<'_> {
    pub(super) fn where_cond(&self) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.y)
            .scalar(0_u32)
            .input(&self.x)
            .scalar(LATE as u32)
            .input(&self.y)
            .scalar(0_u32)
            .output(&out)
            .scalar(self.count);
        let right = self.pairs(|a, b| if b != 0.0 { a } else { b });
        (written(launch, &out), right)
    }

    /// The next of some parameters, their means and mean squares, one after
    /// another: no two neighbors are of one size.
    pub(super) fn adam(&self, count: usize) -> Both {
        let step = AdamStep {
            keep: [0.75, 0.5],
            take: [0.25, 0.5],
            whole: 0.5,
            epsilon: 0.125,
            rate: -0.25,
            stay: 0.875,
        };
        let pairs = [step.keep[0], step.take[0], step.keep[1], step.take[1]];
        let others = [step.whole, step.epsilon, step.rate, step.stay];
        let sizes: Vec<usize> =
            (0..count).map(|at| self.n - at % self.n).collect();
        let of = |&size: &usize| {
            let given = [&self.a, &self.b];
            let given = given.map(|it| self.gpu.upload(&it[..size]).unwrap());
            (given, [(); 3].map(|()| self.out(size)))
        };
        let all: Vec<_> = sizes.iter().map(of).collect();
        let mut launch = self.launch(sizes.iter().sum());
        for number in pairs.into_iter().chain(others) {
            launch = launch.scalar(number as f32);
        }
        for ([a, b], outs) in &all {
            launch = launch.input(a).input(b).input(b).input(a);
            launch = outs.iter().fold(launch, |launch, out| launch.output(out));
        }
        for &size in &sizes {
            launch = launch.scalar(size as u32);
        }
        let mut yours = written(launch, &all[0].1[0]);
        for out in all.iter().flat_map(|(_, outs)| outs).skip(1) {
            yours.extend(out.read().unwrap());
        }
        let pairs = self.a.iter().zip(&self.b);
        let next: Vec<[f32; 3]> =
            pairs.map(|(a, b)| step.apply([*a, *b, *b, *a])).collect();
        let part = |size: usize| {
            let next = &next;
            (0..3).flat_map(move |i| next[..size].iter().map(move |all| all[i]))
        };
        (yours, sizes.into_iter().flat_map(part).collect())
    }
}
