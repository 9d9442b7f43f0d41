//! Small worked examples: sums of many products, norms, steps of Adam,
//! learning rates, clipping, and dropout.

use rungrad::Error;
use rungrad::nn::{BatchNorm, Dropout, LayerNorm, Module, Parameters};
use rungrad::optim::{Adam, AdamW, Optimizer, Schedule, clip_grad_norm};
use rungrad::part3_unified::{AdamStep, Device, Tensor};
use rungrad::rng::Random;

use super::table::{numbers, show, words};

/// Prints the spread of sums of n products for several weight distributions.
pub(crate) fn sums(device: Device) -> Result<(), Error> {
    let mut rows = vec![words(&[
        "inputs",
        "weights 1",
        "1/√n",
        "relu, 1/√n",
        "relu, √(2/n)",
    ])];
    for n in [4, 16, 64, 256] {
        let x = Tensor::randn(&[2048, n], 0, device)?;
        let weight = Tensor::randn(&[n, 64], 1, device)?;
        let even = 1.0 / (n as f32).sqrt();
        let spread = |x: &Tensor, scale: f32| {
            x.matmul(&weight).scale(scale).norm().item().map(|norm| {
                // The root mean square of all sums.
                norm / (2048.0_f32 * 64.0).sqrt()
            })
        };
        let half = x.relu();
        let found = [
            spread(&x, 1.0)?,
            spread(&x, even)?,
            spread(&half, even)?,
            spread(&half, even * 2_f32.sqrt())?,
        ];
        rows.push(numbers(&n.to_string(), &found, 2));
    }
    show(&rows);
    Ok(())
}

/// Normalizes three rows of four values, by rows and by columns.
pub(crate) fn norms(device: Device) -> Result<(), Error> {
    let x = Tensor::new(
        &[3, 4],
        &[1.0, 2.0, 3.0, 6.0, 10.0, 20.0, 30.0, 60.0, 4.0, 8.0, 0.0, 3.0],
        device,
    )?;
    let mut by_row = LayerNorm::new(4);
    by_row.to(device)?;
    let mut by_column = BatchNorm::new(4);
    by_column.to(device)?;
    for (name, y) in [
        ("the input", x.clone()),
        ("LayerNorm", by_row.forward(&x)),
        ("BatchNorm", by_column.forward(&x)),
    ] {
        println!("{name}");
        show(
            &y.to_vec()?
                .chunks(4)
                .map(|y| numbers("", y, 2))
                .collect::<Vec<_>>(),
        );
    }
    Ok(())
}

/// Applies a batch norm to one row, in training and in evaluation mode.
pub(crate) fn modes(device: Device) -> Result<(), Error> {
    let batch = Tensor::new(&[4, 1], &[2.0, 4.0, 6.0, 8.0], device)?;
    let mut norm = BatchNorm::new(1);
    norm.to(device)?;
    let mut rows = vec![words(&[
        "batches",
        "running mean",
        "variance",
        "2 in training",
        "in evaluation",
    ])];
    let mut seen = 0;
    for batches in [1, 10, 100] {
        let mut trained = 0.0;
        while seen < batches {
            trained = norm.forward(&batch).to_vec()?[0];
            seen += 1;
        }
        let kept = [&norm.running_mean, &norm.running_var];
        let [mean, variance] = kept.map(|it| it.get().item());
        norm.eval();
        let evaluated = norm.forward(&batch).to_vec()?[0];
        norm.train();
        let found = [mean?, variance?, trained, evaluated];
        rows.push(numbers(&batches.to_string(), &found, 3));
    }
    show(&rows);
    Ok(())
}

/// Prints the steps of one parameter with given gradients: with Adam, with
/// Adam and gradients a thousand times as large, with Adam without bias
/// correction, and with plain gradient descent.
pub(crate) fn adam(_: Device) -> Result<(), Error> {
    const RATE: f64 = 0.01;
    let mut rows = vec![words(&[
        "step",
        "grad",
        "mean",
        "corrected",
        "root",
        "Adam",
        "x 1000",
        "raw",
        "Sgd",
    ])];
    // Each variant has its own mean and mean square; the parameter starts at
    // 0.
    let (mut right, mut raw, mut large) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    for (at, grad) in [2.0, 2.0, 2.0, -1.0, -1.0, 0.0].into_iter().enumerate() {
        let whole = [0.9_f64, 0.999].map(|b| 1.0 - b.powi(at as i32 + 1));
        let corrected = AdamStep {
            betas: [0.9, 0.999],
            one_minus_betas: [0.1, 0.001],
            bias_correction: whole[1].sqrt(),
            epsilon: 1e-8,
            rate: -RATE / whole[0],
            decay_factor: 1.0,
        };
        let uncorrected =
            AdamStep { bias_correction: 1.0, rate: -RATE, ..corrected };
        let step = |by: AdamStep, kept: &mut [f64; 2], grad: f64| {
            let [step, mean, square] = by.apply([0.0, grad, kept[0], kept[1]]);
            *kept = [mean, square];
            step
        };
        let steps = [
            step(corrected, &mut right, grad),
            step(corrected, &mut large, 1000.0 * grad),
            step(uncorrected, &mut raw, grad),
            0.0 - RATE * grad,
        ];
        let [mean, square] = right;
        let seen = [grad, mean, mean / whole[0], (square / whole[1]).sqrt()];
        let found = [seen, steps].concat();
        rows.push(numbers(&(at + 1).to_string(), &found, 4));
    }
    show(&rows);
    Ok(())
}

/// Trains two weights of 1 for 100 steps. Their gradients only alternate in
/// sign, so only weight decay shrinks them.
pub(crate) fn decay(device: Device) -> Result<(), Error> {
    const DECAY: f32 = 0.1;
    let swings = [10.0, 0.01];
    let swing = Tensor::new(&[2], &swings, device)?;
    let after = |adam: &mut dyn Optimizer, share: f32| {
        let mut w = Tensor::ones(&[2], device)?.requires_grad();
        for step in 0..100 {
            let sign = if step % 2 == 0 { 1.0 } else { -1.0 };
            let decay = (&w * &w).sum() * (share / 2.0);
            ((&w * &swing).sum() * sign + decay).backward();
            adam.step(vec![("w".to_string(), &mut w)]);
        }
        w.to_vec()
    };
    let none = after(&mut Adam::new(0.01), 0.0)?;
    let joined = after(&mut Adam::new(0.01), DECAY)?;
    let apart = after(&mut AdamW::new(0.01, DECAY), 0.0)?;
    let mut rows =
        vec![words(&["gradients", "no decay", "in the loss", "AdamW"])];
    for (at, swing) in swings.into_iter().enumerate() {
        let found = [none[at], joined[at], apart[at]];
        rows.push(numbers(&format!("± {swing}"), &found, 4));
    }
    show(&rows);
    Ok(())
}

/// Prints the learning rates of a run of 100 steps.
pub(crate) fn schedule(_: Device) -> Result<(), Error> {
    let rates = Schedule::cosine(0.02, 100).warm_up(9);
    let steps = [0, 1, 4, 8, 9, 10, 31, 54, 77, 99, 100];
    let mut rows = vec![words(&["step", "rate", ""])];
    for step in steps {
        let rate = rates.rate(step);
        let bar = "#".repeat((rate * 1500.0).round() as usize);
        let mut row = numbers(&step.to_string(), &[rate], 5);
        row.push(format!("{bar:<30}"));
        rows.push(row);
    }
    show(&rows);
    Ok(())
}

/// Clips the gradients of two parameters, first with a norm above 1, then
/// below.
pub(crate) fn clip(device: Device) -> Result<(), Error> {
    let mut rows = vec![words(&["", "a", "a", "b", "length"])];
    for scale in [1.0, 0.01] {
        let leaf = |numbers: &[f32]| {
            let leaf = Tensor::new(&[numbers.len()], numbers, device)?;
            Ok::<_, Error>(leaf.requires_grad())
        };
        let (a, b) = (leaf(&[3.0, 4.0])?, leaf(&[12.0])?);
        ((&a * &a).sum() + (&b * &b).sum()).scale(0.5 * scale).backward();
        let both = [("a".to_string(), &a), ("b".to_string(), &b)];
        let of = || {
            let grads = [&a, &b].map(|it| it.grad().expect("one").to_vec());
            let [a, b] = grads;
            Ok::<_, Error>([a?, b?].concat())
        };
        let row = |name: &str, grads: Vec<f32>| {
            let length = grads.iter().map(|g| g * g).sum::<f32>().sqrt();
            numbers(name, &[&grads[..], &[length]].concat(), 4)
        };
        rows.push(row("the gradient", of()?));
        let _ = clip_grad_norm(&both, 1.0);
        rows.push(row("clipped to 1", of()?));
    }
    show(&rows);
    Ok(())
}

/// Applies dropout to ones.
pub(crate) fn dropout(device: Device) -> Result<(), Error> {
    let dropout = Dropout::new(0.5, &mut Random::new(0));
    let ones = Tensor::ones(&[10], device)?;
    let mut rows = Vec::new();
    for name in ["training", "again"] {
        rows.push(numbers(name, &dropout.forward(&ones).to_vec()?, 0));
    }
    dropout.eval();
    rows.push(numbers("evaluation", &dropout.forward(&ones).to_vec()?, 0));
    show(&rows);
    dropout.train();
    let many = dropout.forward(&Tensor::ones(&[100_000], device)?);
    println!("the mean of 100,000 in training: {:.3}", many.mean().item()?);
    Ok(())
}
