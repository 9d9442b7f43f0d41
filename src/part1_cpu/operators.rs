//! Overloads of `+`, `-`, `*` and `/` for tensors, references to tensors and
//! `f32`. Each calls a method of `ops.rs`. The macros are built in "Few rules,
//! many operations".

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Tensor;

/// Implements operators between two tensors, each owned or borrowed.
macro_rules! between_tensors {
    ($($operator:ident :: $method:ident),*) => {$(
        between_tensors!(@ $operator, $method, Tensor, Tensor);
        between_tensors!(@ $operator, $method, Tensor, &Tensor);
        between_tensors!(@ $operator, $method, &Tensor, Tensor);
        between_tensors!(@ $operator, $method, &Tensor, &Tensor);
    )*};
    (@ $operator:ident, $method:ident, $left:ty, $right:ty) => {
        impl $operator<$right> for $left {
            type Output = Tensor;

            #[track_caller]
            fn $method(self, right: $right) -> Tensor {
                Tensor::$method(&self, &right)
            }
        }
    };
}

between_tensors!(Add::add, Sub::sub, Mul::mul, Div::div);

/// Implements the operators between a tensor and a constant, in both orders:
/// `1.0 - a` is not `a - 1.0`.
macro_rules! with_numbers {
    ($tensor:ty) => {
        // ANCHOR: reflected-pairs
        with_numbers!(@ $tensor, Add, add,
            |a, n| a.shift(n), |n, a| a.shift(n));
        with_numbers!(@ $tensor, Sub, sub,
            |a, n| a.shift(-n), |n, a| a.neg().shift(n));
        with_numbers!(@ $tensor, Mul, mul,
            |a, n| a.scale(n), |n, a| a.scale(n));
        with_numbers!(@ $tensor, Div, div,
            |a, n| a.div_scalar(n), |n, a| a.rdiv_scalar(n));
        // ANCHOR_END: reflected-pairs

        impl Neg for $tensor {
            type Output = Tensor;

            fn neg(self) -> Tensor {
                Tensor::neg(&self)
            }
        }
    };
    (@ $tensor:ty, $operator:ident, $method:ident,
     |$a:ident, $n:ident| $right:expr, |$m:ident, $b:ident| $left:expr) => {
        impl $operator<f32> for $tensor {
            type Output = Tensor;

            fn $method(self, $n: f32) -> Tensor {
                let $a: &Tensor = &self;
                $right
            }
        }

        impl $operator<$tensor> for f32 {
            type Output = Tensor;

            fn $method(self, tensor: $tensor) -> Tensor {
                let ($m, $b): (f32, &Tensor) = (self, &tensor);
                $left
            }
        }
    };
}

with_numbers!(Tensor);
with_numbers!(&Tensor);
