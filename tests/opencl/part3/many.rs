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

    /// The next parameters, means and mean squares, one after another.
    pub(super) fn adam(&self) -> Both {
        let step = AdamStep {
            keep: [0.75, 0.5],
            take: [0.25, 0.5],
            whole: 0.5,
            epsilon: 0.125,
            rate: -0.25,
            stay: 0.875,
        };
        let outs = [(); 3].map(|()| self.out(self.n));
        let mut launch = self
            .launch(self.n)
            .input(&self.x)
            .scalar(LATE as u32)
            .input(&self.y)
            .scalar(0_u32)
            .input(&self.y)
            .scalar(0_u32)
            .input(&self.x)
            .scalar(LATE as u32)
            .scalar(step.keep[0] as f32)
            .scalar(step.take[0] as f32)
            .scalar(step.keep[1] as f32)
            .scalar(step.take[1] as f32)
            .scalar(step.whole as f32)
            .scalar(step.epsilon as f32)
            .scalar(step.rate as f32)
            .scalar(step.stay as f32);
        for out in &outs {
            launch = launch.output(out);
        }
        let [next, others @ ..] = &outs;
        let mut yours = written(launch.scalar(self.count), next);
        for out in others {
            yours.extend(out.read().unwrap());
        }
        let pairs = self.a.iter().zip(&self.b);
        let right: Vec<[f32; 3]> =
            pairs.map(|(a, b)| step.apply([*a, *b, *b, *a])).collect();
        let part = |i: usize| right.iter().map(move |all| all[i]);
        (yours, (0..3).flat_map(part).collect())
    }
}
