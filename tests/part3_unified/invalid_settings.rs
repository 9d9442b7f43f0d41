//! Learning rates, schedules and other settings with invalid values are
//! rejected where they are set.

use rungrad::attempt;
use rungrad::optim::{Adam, AdamW, Optimizer, Schedule, Sgd};

use super::leaf;
use testkit::clean;

#[test]
fn invalid_schedules_are_rejected() {
    let _clean = clean();
    let refused =
        |make: &dyn Fn() -> Schedule| attempt(make).unwrap_err().to_string();
    for steps in [3, 9] {
        assert_eq!(
            refused(&|| Schedule::linear(1.0, steps).warm_up(9)),
            format!(
                "warm_up: a schedule of {steps} steps has no peak after a \
                 warm-up of 9; give fewer than {steps}"
            )
        );
    }
    let endless = refused(&|| Schedule::constant(1.0).warm_up(usize::MAX));
    assert!(endless.starts_with("warm_up: a schedule of 18446"), "{endless}");
    let remedy = "give a finite number that is at least 0";
    for bad in [f32::NAN, f32::INFINITY, -0.5] {
        let right = format!("Schedule: the peak is {bad}; {remedy}");
        assert_eq!(refused(&|| Schedule::constant(bad)), right);
        assert_eq!(refused(&|| Schedule::linear(bad, 5)), right);
        assert_eq!(refused(&|| Schedule::cosine(bad, 5)), right);
        let right = format!("Schedule: the floor is {bad}; {remedy}");
        assert_eq!(refused(&|| Schedule::linear(1.0, 5).floor(bad)), right);
    }
}

/// Both in `new`, and in a field or a setter before the next step.
#[test]
fn invalid_optimizer_settings_are_rejected() {
    let _clean = clean();
    let remedy = "give a finite number that is at least 0";
    let refused = |make: &dyn Fn()| attempt(make).unwrap_err().to_string();
    let step = |optimizer: &mut dyn Optimizer| {
        let mut x = leaf(&[2.0]);
        (&x * 3.0).backward();
        let before = x.clone();
        let step = attempt(|| optimizer.step(vec![("x".into(), &mut x)]));
        assert_eq!(x.id(), before.id(), "the parameter has changed");
        step.unwrap_err().to_string()
    };
    for bad in [f32::NAN, f32::INFINITY, -0.1] {
        let rate = format!("the learning rate is {bad}; {remedy}");
        assert_eq!(
            refused(&|| drop(Sgd::new(bad, 0.0))),
            format!("Sgd: {rate}")
        );
        assert_eq!(refused(&|| drop(Adam::new(bad))), format!("Adam: {rate}"));
        assert_eq!(
            refused(&|| drop(AdamW::new(bad, 0.0))),
            format!("Adam: {rate}")
        );
        let set = format!("set_learning_rate: {rate}");
        assert_eq!(refused(&|| Sgd::new(1., 0.).set_learning_rate(bad)), set);
        assert_eq!(refused(&|| Adam::new(1.).set_learning_rate(bad)), set);
        assert_eq!(refused(&|| AdamW::new(1., 0.).set_learning_rate(bad)), set);
        let mut sgd = Sgd::new(1.0, 0.0);
        sgd.learning_rate = bad;
        assert_eq!(step(&mut sgd), format!("step: {rate}"));
        let mut adam = Adam::new(1.0);
        adam.learning_rate = bad;
        assert_eq!(step(&mut adam), format!("step: {rate}"));
        let mut adam = Adam::new(1.0);
        adam.epsilon = bad;
        let right = format!("step: the epsilon is {bad}; {remedy}");
        assert_eq!(step(&mut adam), right);
        let decay = format!("is {bad}; {remedy}");
        let right = format!("AdamW: the weight decay {decay}");
        assert_eq!(refused(&|| drop(AdamW::new(1.0, bad))), right);
        let right = format!("step: the weight decay of x {decay}");
        let mut adam = AdamW::new(1.0, 0.0);
        adam.weight_decay = bad;
        assert_eq!(step(&mut adam), right);
        let mut adam = AdamW::new(1.0, 0.0).decay_by(move |_, _| bad);
        assert_eq!(step(&mut adam), right);
    }
    for bad in [f32::NAN, -0.1, 1.0] {
        let right =
            format!("the momentum is {bad}; give a number from 0 to below 1");
        assert_eq!(
            refused(&|| drop(Sgd::new(1.0, bad))),
            format!("Sgd: {right}")
        );
        let mut sgd = Sgd::new(1.0, 0.0);
        sgd.momentum = bad;
        assert_eq!(step(&mut sgd), format!("step: {right}"));
    }
    // A rate of 0 changes nothing, and epsilon may be 0, as in PyTorch.
    drop((Sgd::new(0.0, 0.0), Adam::new(0.0), AdamW::new(0.0, 0.0)));
}
