use super::*;
use crate::elementwise::Unary;

#[test]
fn operations_agree_with_hand_computed_values() {
    let a = Array::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let row = Array::new(&[2], &[10.0, 20.0]);
    let run = |op: Op, inputs: &[&Array]| forward(&op, inputs).unwrap();
    assert_eq!(mul(&a, &a).values, [1.0, 4.0, 9.0, 16.0]);
    assert_eq!(add(&a, &row).values, [11.0, 22.0, 13.0, 24.0]);
    assert_eq!(div(&row, &a).values, [10.0, 10.0, 10.0 / 3.0, 5.0]);
    assert_eq!(sum(&a, &[]).values, [10.0]);
    assert_eq!(sum(&a, &[1, 2]).values, [4.0, 6.0]);
    assert_eq!(sum(&a, &[2, 1]).values, [3.0, 7.0]);
    assert_eq!(sum(&Array::new(&[0], &[]), &[]).values, [0.0]);
    assert_eq!(expand(&row, &[2, 2]).values, [10.0, 20.0, 10.0, 20.0]);
    assert_eq!(exp(&Array::new(&[1], &[0.0])).values, [1.0]);
    assert_eq!(matmul(&a, &a).values, [7.0, 10.0, 15.0, 22.0]);
    assert_eq!(permute(&a, &[1, 0]).values, [1.0, 3.0, 2.0, 4.0]);
    let rows = Op::Sum(vec![1], Keep::No);
    assert_eq!(run(rows, &[&a]), Array::new(&[2], &[3.0, 7.0]));
    let most = Op::Max(vec![0], Keep::Yes);
    assert_eq!(run(most, &[&a]), Array::new(&[1, 2], &[3.0, 4.0]));
    assert_eq!(run(Op::Pick(vec![1, 0]), &[&a]).values, [2.0, 3.0]);
    assert_eq!(run(Op::Pow(2.0), &[&row]).values, [100.0, 400.0]);
    let rows = Array::new(&[2, 2], &[1.0, 3.0, 10.0, 30.0]);
    let [normal, apart] = normal_rows(&rows, 2, 0.0);
    assert_eq!(normal.values, [-1.0, 1.0, -1.0, 1.0]);
    assert_eq!(apart.values, [1.0, 1.0, 10.0, 10.0]);
    let signs = Array::new(&[5], &[-2.0, -0.5, 0.0, 0.5, 2.0]);
    let right = [-1.0, -1.0, 0.0, 1.0, 1.0];
    assert_eq!(run(Op::Unary(Unary::Sign), &[&signs]).values, right);
    let odd = Array::new(&[3], &[1.0, f32::NAN, -2.0]);
    assert!(run(Op::Relu, &[&odd]).values[1].is_nan());
    assert!(run(Op::Max(vec![0], Keep::No), &[&odd]).values[0].is_nan());
    let even = log_softmax(&Array::new(&[1, 2], &[800.0, 800.0]));
    assert_eq!(even.values, [-(2.0f64.ln()); 2]);
}
