//! The operators `a * b`, `-a`, `1.0 - a` and `a += b` for tensors, references
//! and plain numbers, and `Sum` for iterators of tensors. The macros are
//! explained in "Few rules, many operations".

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign};
use std::ops::{Mul, MulAssign, Neg, Sub, SubAssign};

use super::{Device, Tensor};
use crate::error::or_raise;

/// Implements a binary operator for two tensors, each owned or borrowed.
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

/// A plain number in an expression with tensors. It is rounded to the tensor's
/// element type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with a tensor",
    label = "not a tensor, `f32`, `f64` or `i32`",
    note = "convert a number of another type, for example with `n as f32`"
)]
pub trait Constant: Into<f64> {}

impl Constant for f32 {}
impl Constant for f64 {}
impl Constant for i32 {}

/// Implements an operator between a tensor and a constant, in both orders,
/// because `1.0 - a` differs from `a - 1.0`.
macro_rules! with_numbers {
    ($tensor:ty) => {
        with_numbers!(@ $tensor, Add, add,
            |a, n| a.shift(n), |n, a| a.shift(n));
        with_numbers!(@ $tensor, Sub, sub,
            |a, n| a.shift(-n), |n, a| a.neg().shift(n));
        with_numbers!(@ $tensor, Mul, mul,
            |a, n| a.scale(n), |n, a| a.scale(n));
        with_numbers!(@ $tensor, Div, div,
            |a, n| a.div_scalar(n), |n, a| a.rdiv_scalar(n));

        impl Neg for $tensor {
            type Output = Tensor;

            #[track_caller]
            fn neg(self) -> Tensor {
                Tensor::neg(&self)
            }
        }
    };
    (@ $tensor:ty, $operator:ident, $method:ident,
     |$a:ident, $n:ident| $right:expr, |$m:ident, $b:ident| $left:expr) => {
        impl<N: Constant> $operator<N> for $tensor {
            type Output = Tensor;

            #[track_caller]
            fn $method(self, $n: N) -> Tensor {
                let ($a, $n): (&Tensor, f64) = (&self, $n.into());
                $right
            }
        }

        // Not implemented for `f32`: the type of the literal in
        // `(2.0 * &x).exp()` would then be ambiguous.
        impl $operator<$tensor> for f64 {
            type Output = Tensor;

            #[track_caller]
            fn $method(self, tensor: $tensor) -> Tensor {
                let ($m, $b): (f64, &Tensor) = (self, &tensor);
                $left
            }
        }

        impl $operator<$tensor> for i32 {
            type Output = Tensor;

            #[track_caller]
            fn $method(self, tensor: $tensor) -> Tensor {
                $operator::$method(f64::from(self), tensor)
            }
        }
    };
}

with_numbers!(Tensor);
with_numbers!(&Tensor);

/// Implements `a += b`: it binds `a` to a new tensor and leaves other handles
/// to the old tensor unchanged. The result has the broadcast shape, and the
/// operation is recorded as `a + b`.
macro_rules! in_place {
    ($($operator:ident :: $method:ident by $plain:ident :: $name:ident),*) => {
        $(in_place!(@ $operator, $method, $plain, $name;
            Tensor, &Tensor, f32, f64, i32);)*
    };
    (@ $operator:ident, $method:ident, $plain:ident, $name:ident;
     $($right:ty),*) => {$(
        impl $operator<$right> for Tensor {
            #[track_caller]
            fn $method(&mut self, right: $right) {
                *self = $plain::$name(&*self, right);
            }
        }
    )*};
}

in_place!(
    AddAssign::add_assign by Add::add,
    SubAssign::sub_assign by Sub::sub,
    MulAssign::mul_assign by Mul::mul,
    DivAssign::div_assign by Div::div
);

/// Adds the tensors in order, broadcasting their shapes. The sum of an empty
/// iterator is a scalar 0 on the CPU.
impl Sum for Tensor {
    fn sum<I: Iterator<Item = Tensor>>(tensors: I) -> Tensor {
        let sum = tensors.reduce(|a, b| a + b);
        sum.unwrap_or_else(|| or_raise(Tensor::zeros(&[], Device::Cpu)))
    }
}

impl<'a> Sum<&'a Tensor> for Tensor {
    fn sum<I: Iterator<Item = &'a Tensor>>(tensors: I) -> Tensor {
        tensors.cloned().sum()
    }
}
