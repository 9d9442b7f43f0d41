// train_digits: a network that learns by your rules.
//
// WHAT   `Ops` holds the operations of a network that reads handwritten
//        digits. Put yours in the place of ours, as many as you like and at
//        least one: functions on tensors, made with `Tensor::from_op`.
// WHY    You have written each of these rules on its own. Here they work for
//        a living: one wrong sign, and nothing is learned.
// READ   Train the digits
// CHECK  cargo learn check train_digits

use ndarray::{ArrayD, Axis, Ix2};
use rungrad::part1_cpu::Tensor;

use super::Ops;

/// Lists the operations that the network is made of.
pub fn ops() -> Ops {
    // Those that you leave out are ours: `relu: my_relu` is one of yours,
    // and `matmul`, `add` and `log_softmax` are the others. They keep
    // these names in `Tensor::from_op("relu", &[a], y, move |grad_out| ..)`,
    // whose rule gives a `vec!` with an array for each operand.
    Ops { relu: todo!("TODO(train_digits): yours"), ..Ops::reference() }
}

// Below this line: your operations. What you wrote for `matmul_rule`,
// `ties` and `log_softmax` is most of three of them. `a.data()` is the
// array of a tensor; `x.mapv(|x| ..)` changes each element of one, and
// `x.zip_mut_with(&y, |x, y| ..)` with its partner. For `dot` an array
// becomes a matrix by `x.into_dimensionality::<Ix2>()`, and an array again
// by `.into_dyn()`. `x.fold_axis(Axis(1), first, |x, y| ..)` joins rows,
// `sum_axis` and `insert_axis` are those of `sum_to`.
