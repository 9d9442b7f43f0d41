// train_digits: a network that learns with your rules.
//
// WHAT   `Ops` holds the operations of a network that reads handwritten
//        digits. Replace at least one of our operations by your own: a
//        function on tensors that calls `Tensor::from_op`.
// WHY    You have written each of these rules separately. Here they are put to
//        use: with one wrong sign, the network learns nothing.
// READ   Train the digits
// CHECK  cargo learn check train_digits

use ndarray::{ArrayD, Axis, Ix2};
use rungrad::part1_cpu::Tensor;

use super::Ops;

/// Returns the operations of the network.
pub fn ops() -> Ops {
    // HOLE
    //| // Operations that you leave out are ours: `relu: my_relu` is one of
    //| // yours, and `matmul`, `add` and `log_softmax` are the others. Use
    //| // these names in `Tensor::from_op("relu", &[a], y, move |grad_out|
    //| // ..)`, whose rule returns a `vec!` with one array per operand.
    //| Ops { relu: todo!("TODO(train_digits): yours"), ..Ops::reference() }
    Ops { matmul, relu, log_softmax, ..Ops::reference() }
    // END HOLE
}
// HOLE
//|
//| // Below this line: your operations. What you wrote for `matmul_rule`,
//| // `ties` and `log_softmax` is most of three of them. `a.data()` is the
//| // array of a tensor. `x.mapv(|x| ..)` maps each element of an array, and
//| // `x.zip_mut_with(&y, |x, y| ..)` combines two arrays. For `dot`, convert
//| // an array to a matrix with `x.into_dimensionality::<Ix2>()` and back with
//| // `.into_dyn()`. `x.fold_axis(Axis(1), first, |x, y| ..)` reduces rows,
//| // and `sum_axis` and `insert_axis` are those of `sum_to`.

/// Multiplies (m, k) x (k, n) -> (m, n).
fn matmul(a: &Tensor, b: &Tensor) -> Tensor {
    let product = |a: &ArrayD<f32>, b: &ArrayD<f32>| {
        let matrix = |it: &ArrayD<f32>| {
            it.clone().into_dimensionality::<Ix2>().expect("a matrix")
        };
        matrix(a).dot(&matrix(b)).into_dyn()
    };
    let (x, y) = (a.data(), b.data());
    let out = product(&x, &y);
    Tensor::from_op("matmul", &[a, b], out, move |grad_out| {
        let transposed = |it: &ArrayD<f32>| it.t().to_owned();
        vec![
            product(grad_out, &transposed(&y)),
            product(&transposed(&x), grad_out),
        ]
    })
}

/// Computes ReLU.
fn relu(a: &Tensor) -> Tensor {
    let x = a.data();
    let y = x.mapv(|x| if x <= 0.0 { 0.0 } else { x });
    Tensor::from_op("relu", &[a], y, move |grad_out| {
        let mut grad = grad_out.clone();
        grad.zip_mut_with(&x, |g, x| *g = if *x <= 0.0 { 0.0 } else { *g });
        vec![grad]
    })
}

/// Computes the logarithm of each row's softmax.
fn log_softmax(a: &Tensor) -> Tensor {
    let row = Axis(1);
    let x = a.data();
    let most = x.fold_axis(row, f32::NEG_INFINITY, |x, y| x.max(*y));
    let below = &*x - most.insert_axis(row);
    let total = below.mapv(f32::exp).sum_axis(row).insert_axis(row);
    let y = below - total.mapv(f32::ln);
    let shares = y.mapv(f32::exp);
    Tensor::from_op("log_softmax", &[a], y, move |grad_out| {
        let total = grad_out.sum_axis(row).insert_axis(row);
        vec![grad_out - &shares * total]
    })
}
// END HOLE
