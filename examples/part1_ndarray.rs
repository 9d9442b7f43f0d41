//! The calls of ndarray that the exercises of Part 1 use, each with the shape
//! and the elements of its result.

use ndarray::{ArrayD, Axis, Ix2, IxDyn};

macro_rules! show {
    ($call:expr) => {{
        let result = &$call;
        let elements: Vec<_> = result.iter().map(f32::to_string).collect();
        let (call, elements) = (stringify!($call), elements.join(" "));
        println!("{call:<43} {:?} {elements}", result.shape());
    }};
}

// ANCHOR: ndarray
fn main() {
    let elements: Vec<f32> = vec![1.0, 5.0, 3.0, 4.0, 2.0, 6.0];
    let a = ArrayD::from_shape_vec(IxDyn(&[2, 3]), elements).unwrap();
    show!(a);

    // Elementwise. Without `&`, an operator consumes its operand.
    show!(&a * &a);
    show!(&a + 1.0);
    show!(a.mapv(|x| x.max(3.0)));

    // Reductions.
    show!(a.sum_axis(Axis(1)));
    show!(a.fold_axis(Axis(1), 0.0, |m, x| x.max(*m)));
    show!(ArrayD::from_elem(IxDyn(&[]), a.sum()));

    // Shapes.
    show!(a.t());
    show!(a.to_shape(IxDyn(&[3, 2])).unwrap());
    show!(a.sum_axis(Axis(1)).insert_axis(Axis(1)));
    show!(a.broadcast(IxDyn(&[2, 2, 3])).unwrap());
    show!(ArrayD::<f32>::ones(a.raw_dim()));

    // Matrices have exactly two axes, in their type.
    let m = a.view().into_dimensionality::<Ix2>().unwrap();
    show!(m.dot(&m.t()));
}
// ANCHOR_END: ndarray
