//! Softmax of rows of every length: rows that fit in the registers of a row
//! group, and rows that are read more than once.

use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

use testkit::clean;
use testkit::device::gpu_or_skip;

/// Rows that begin at an offset and contain one score that is much larger than
/// the others.
#[test]
fn softmax_of_any_row_length_agrees_with_the_reference() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let mut random = Random::new(19);
    for columns in [3, 20, 132, 134, 2048, 4100, 16_384, 16_388] {
        for offset in [0, 4, 1] {
            let n = 5 * columns;
            let mut values: Vec<f32> = (0..offset + n)
                .map(|_| 20.0 * (random.uniform() - 0.5))
                .collect();
            values[offset + columns - 1] = 90.0;
            values[offset + 2 * columns - 1] = f32::NEG_INFINITY;
            let all =
                Tensor::new(&[values.len()], &values, Device::Gpu(0)).unwrap();
            let rows = all.slice(&[offset..offset + n]).reshape(&[5, columns]);
            let (shares, logs) = (rows.softmax(), rows.log_softmax());
            let [shares, logs] = [shares, logs].map(|it| it.to_vec().unwrap());
            for (row, scores) in values[offset..].chunks(columns).enumerate() {
                let most = scores.iter().fold(f32::MIN, |m, &x| m.max(x));
                let less = |x: f32| f64::from(x) - f64::from(most);
                let sum: f64 = scores.iter().map(|&x| less(x).exp()).sum();
                for (i, &score) in scores.iter().enumerate() {
                    let right = less(score) - sum.ln();
                    let what = format!("{i} of {columns} from {offset} on");
                    let [share, log] =
                        [&shares, &logs].map(|it| it[row * columns + i]);
                    let (share, log) = (f64::from(share), f64::from(log));
                    let off = (share - right.exp()).abs();
                    assert!(
                        off <= 4e-6 * right.exp() + 1e-37,
                        "{what}: {share}, not {}",
                        right.exp()
                    );
                    let off = (log - right).abs();
                    assert!(
                        log == right || off <= 1e-6 * (1.0 + right.abs()),
                        "{what}: {log}, not {right}"
                    );
                }
            }
        }
    }
}
