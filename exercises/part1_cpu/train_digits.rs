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
    // Operations that you leave out are ours: `relu: my_relu` is one of
    // yours, and `matmul`, `add` and `log_softmax` are the others. Use
    // these names in `Tensor::from_op("relu", &[a], y, move |grad_out|
    // ..)`, whose rule returns a `vec!` with one array per operand.
    Ops { relu: todo!("TODO(train_digits): yours"), ..Ops::reference() }
}

// Below this line: your operations. What you wrote for `matmul_rule`,
// `ties` and `log_softmax` is most of three of them. `a.data()` is the
// array of a tensor. `x.mapv(|x| ..)` maps each element of an array, and
// `x.zip_mut_with(&y, |x, y| ..)` combines two arrays. For `dot`, convert
// an array to a matrix with `x.into_dimensionality::<Ix2>()` and back with
// `.into_dyn()`. `x.fold_axis(Axis(1), first, |x, y| ..)` reduces rows,
// and `sum_axis` and `insert_axis` are those of `sum_to`.
