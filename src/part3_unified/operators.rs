//! `a * b`, `-a`, `1.0 - a`, `a += b`: the operators, on tensors, references
//! `a * b`, `-a`, `1.0 - a`, `a += b`: the operators, on tensors, references
//! and numbers, and the sum of many tensors, each a line. The macros are those
//! of "Few rules, many operations".

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign};
use std::ops::{Mul, MulAssign, Neg, Sub, SubAssign};

use super::{Device, Tensor};
use crate::error::or_raise;

/// An operator between two tensors, each owned or borrowed.
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

/// A number beside a tensor. It becomes the nearest one of the tensor's type.
pub trait Constant: Into<f64> {}

impl Constant for f32 {}
impl Constant for f64 {}
impl Constant for i32 {}

/// An operator between a tensor and a number, which is a constant, in both
/// orders: `1.0 - a` is not `a - 1.0`.
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

        // A literal without a type on the left would be of two types, were
        // this there for `f32` as well.
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

/// `a += b`: a new tensor in the place of the old one, whose other handles
/// keep it. It has the shape that both stretch to, and records as `a + b`.
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

/// The sum of all, one after another; the shapes broadcast. Of none it is the
/// number 0 on the processor.
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
