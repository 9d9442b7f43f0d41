//! The same specification on devices that put off what they compute.

use rungrad::ops::Keep;

use super::*;

mod on_a_lazy_device {
    use super::*;

    fn open() -> Option<Part3> {
        gpu_or_skip().map(|gpu| Part3(Device::Fused(gpu.info().index)))
    }

    specification!(open);
    operations!(open);
    edges!(open);
    refusals!(open);
    operators!(open, f64::from);
}

mod on_the_processor {
    use super::*;

    fn open() -> Option<Part3> {
        Some(Part3(Device::FusedCpu))
    }

    specification!(open);
    operations!(open);
    edges!(open);
    refusals!(open);
    operators!(open, f64::from);
}

/// What is kept of a row is written by the loop that computes it, and by none
/// of those behind it, which hold the end of a row by then.
#[test]
fn what_is_kept_between_two_sums_along_long_rows_stays() {
    let _clean = clean();
    let of = |device| {
        let x = Tensor::rand(&[3, 600], 1, device).unwrap();
        x.realize().unwrap();
        let kept = x.exp();
        let gap = x.sub(&kept.mean_over(&[1], Keep::Yes));
        let squares = gap.mul(&gap).sum_over(&[1], Keep::No);
        [squares, kept].map(|it| it.to_vec().unwrap())
    };
    let [yours, right] = [Device::FusedCpu, Device::Cpu].map(of);
    for (yours, right) in yours.iter().flatten().zip(right.iter().flatten()) {
        assert!((yours - right).abs() <= 1e-5 * right, "{yours}, not {right}");
    }
}
