//! The table of the elementwise operations. A row gives an operation its name,
//! its formula in OpenCL C, from which kernels are generated, and its
//! reference in `f64`, by which every device is judged.

use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

/// The names of an operation's kernels: first for the plain device, then
/// for the engine, which has a second kernel for two operands with
/// any strides.
macro_rules! kernels {
    (Unary $name:literal) => {
        [concat!("plain_", $name), concat!("unary_", $name)]
    };
    (Binary $name:literal) => {
        [
            concat!("plain_", $name),
            concat!("binary_", $name),
            concat!("strided_", $name),
        ]
    };
}

/// Defines the operations with `$count` kernels each. A row has the form
/// `Variant "name" "formula" reference;`.
macro_rules! elementwise {
    ($(#[$about:meta])* $Enum:ident, $count:literal; $(
        $(#[$doc:meta])*
        $op:ident $(($number:ident))? $name:literal $formula:literal
            $reference:expr;
    )*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $Enum {$(
            $(#[$doc])*
            $op $(($number))?,
        )*}

        impl $Enum {
            /// Every operation. The constants are 1.
            pub const ALL: &[$Enum] = &[$($Enum::$op $((1.0 as $number))?),*];

            /// Returns the name.
            pub fn name(self) -> &'static str {
                match self { $($Enum::$op { .. } => $name,)* }
            }

            /// Returns the names of the kernels.
            pub const fn kernels(self) -> [&'static str; $count] {
                match self { $($Enum::$op { .. } => kernels!($Enum $name),)* }
            }

            /// Returns the name of the plain device's kernel.
            pub const fn plain_kernel(self) -> &'static str {
                self.kernels()[0]
            }

            /// Returns the formula in OpenCL C. It is in terms of the operands
            /// `x` and `y`, the constant `p` and the type `ACC`.
            pub fn formula(self) -> &'static str {
                match self { $($Enum::$op { .. } => $formula,)* }
            }

            /// Returns the reference in `f64`, a function of the first operand
            /// and of the second, or of the constant.
            fn function(self) -> fn(f64, f64) -> f64 {
                match self { $($Enum::$op { .. } => $reference,)* }
            }

            /// Returns the constant, if the operation has one.
            pub fn constant(self) -> Option<f64> {
                match self {
                    $($($Enum::$op(constant) => Some(constant as $number),)?)*
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }

            /// Returns the same operation with a different constant, if it has
            /// one.
            pub fn with_constant(self, constant: f64) -> $Enum {
                match self {
                    $($($Enum::$op(_) => $Enum::$op(constant as $number),)?)*
                    #[allow(unreachable_patterns)]
                    _ => {
                        let _ = constant;
                        self
                    }
                }
            }
        }
    };
}

elementwise! {
    /// An elementwise operation with one operand.
    Unary, 2;
    /// Multiplies by a constant.
    Scale(f64) "scale" "x * p" |x, p| x * p;
    /// Adds a constant.
    Shift(f64) "shift" "x + p" |x, p| x + p;
    /// Divides by a constant.
    DivScalar(f64) "div_scalar" "x / p" |x, p| x / p;
    /// Divides a constant by the element.
    RdivScalar(f64) "rdiv_scalar" "p / x" |x, p| p / x;
    /// The square root.
    Sqrt "sqrt" "sqrt(x)" |x, _| x.sqrt();
    /// The reciprocal of the square root.
    Rsqrt "rsqrt" "rsqrt(x)" |x, _| 1.0 / x.sqrt();
    /// The square, `x * x`.
    Square "square" "x * x" |x, _| x * x;
    /// The cube, `x * x * x`.
    Cube "cube" "x * x * x" |x, _| x * x * x;
    /// Raises to a constant power; see [`Unary::power`].
    Pow(f64) "pow" "pow(x, p)" f64::powf;
    /// The exponential, `e^x`.
    Exp "exp" "exp(x)" |x, _| x.exp();
    /// The power of two, `2^x`.
    Exp2 "exp2" "exp2(x)" |x, _| x.exp2();
    /// The natural logarithm.
    Log "log" "log(x)" |x, _| x.ln();
    /// The logarithm to the base 2.
    Log2 "log2" "log2(x)" |x, _| x.log2();
    /// `max(x, 0)`. The result for a NaN is NaN.
    Relu "relu" "x <= 0.0f ? 0.0f : x" |x, _| if x <= 0.0 { 0.0 } else { x };
    /// The hyperbolic tangent.
    Tanh "tanh" "flat_tanh(x)" |x, _| x.tanh();
    /// The logistic function, `1 / (1 + e^-x)`.
    Sigmoid "sigmoid" "sigmoid(x)" |x, _| 1.0 / (1.0 + (-x).exp());
    /// The sine.
    Sin "sin" "sin(x)" |x, _| x.sin();
    /// The cosine.
    Cos "cos" "cos(x)" |x, _| x.cos();
    /// The error function, `erf(x)`.
    Erf "erf" "erf(x)" |x, _| erf(x);
    /// The Gaussian error linear unit: `x` times the cumulative distribution
    /// function of the standard normal distribution at `x`.
    Gelu "gelu" "gelu(x)" |x, _| x * normal_cdf(x);
    /// The derivative of [`Unary::Gelu`].
    GeluSlope "gelu_slope" "gelu_slope(x)" |x, _| {
        normal_cdf(x)
            + x * (-0.5 * x * x).exp() * FRAC_2_SQRT_PI / (2.0 * SQRT_2)
    };
    /// `ln(1 + x)`, accurate for an `x` so small that `1 + x` would round.
    Log1p "log1p" "log1p(x)" |x, _| x.ln_1p();
    /// The largest integer that is not greater than the element.
    Floor "floor" "floor(x)" |x, _| x.floor();
    /// The nearest integer; ties go to the even one.
    Round "round" "rint(x)" |x, _| x.round_ties_even();
    /// 1 for a positive element, -1 for a negative one, 0 for zero and NaN.
    Sign "sign" "(ACC)((x > 0.0f) - (x < 0.0f))"
        |x, _| f64::from(x > 0.0) - f64::from(x < 0.0);
}

// ANCHOR: binary-enum
elementwise! {
    /// An elementwise operation with two operands.
    #[derive(Eq, Hash)]
    Binary, 3;
    /// The sum.
    Add "add" "x + y" |x, y| x + y;
    /// The product.
    Mul "mul" "x * y" |x, y| x * y;
    /// The quotient.
    Div "div" "x / y" |x, y| x / y;
    /// 1 where the first is less than the second, else 0.
    Lt "lt" "x < y ? 1.0f : 0.0f" |x, y| f64::from(x < y);
    /// 1 where the first is less than or equal to the second, else 0. A
    /// comparison with NaN is 0.
    Le "le" "x <= y ? 1.0f : 0.0f" |x, y| f64::from(x <= y);
    /// 1 where both are equal, else 0. A comparison with NaN is 0.
    Eq "eq" "x == y ? 1.0f : 0.0f" |x, y| f64::from(x == y);
    /// The first, raised to the power of the second.
    Pow "pow_tensor" "pow(x, y)" f64::powf;
}
// ANCHOR_END: binary-enum

impl Unary {
    /// Computes the operation on one element in `f64`.
    pub fn reference(self, x: f64) -> f64 {
        self.function()(x, self.constant().unwrap_or_default())
    }
}

impl Binary {
    /// Computes the operation on one pair of elements in `f64`.
    pub fn reference(self, x: f64, y: f64) -> f64 {
        self.function()(x, y)
    }
}

/// Computes the error function by a series without cancellation: all terms
/// have the sign of `x`, and each is the previous one times
/// `2 x^2 / (2 n + 1)`. For `|x| >= 6` the result is 1 or -1 in `f64`.
fn erf(x: f64) -> f64 {
    if x.is_nan() || x.abs() >= 6.0 {
        return if x.is_nan() { x } else { x.signum() };
    }
    let mut term = x;
    let mut sum = 0.0;
    for n in 1..200 {
        sum += term;
        term *= 2.0 * x * x / f64::from(2 * n + 1);
    }
    FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

/// The cumulative distribution function of the standard normal distribution.
fn normal_cdf(x: f64) -> f64 {
    0.5 * (1.0 + erf(x / SQRT_2))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{env, fs};

    use super::*;

    /// The kernels are generated: `UPDATE=1` writes them.
    #[test]
    fn the_kernels_have_the_formulas_of_the_table() {
        let unary = |i: usize| -> String {
            let line = |op: &Unary| {
                format!("UNARY({}, {})\n", op.kernels()[i], op.formula())
            };
            Unary::ALL.iter().map(line).collect()
        };
        let binary = |i: usize, name: &str| -> String {
            let line = |op: &Binary| {
                format!("{name}({}, {})\n", op.kernels()[i], op.formula())
            };
            Binary::ALL.iter().map(line).collect()
        };
        check("part3/unary.cl", "UNARY(plain_", unary(0));
        let end = format!("// ANCHOR{}\n", "_END: binary");
        let plain = binary(0, "BINARY") + &end;
        check("part3/binary.cl", "BINARY(plain_", plain);
        let fast = [unary(1), binary(1, "BINARY"), binary(2, "STRIDED")];
        let fast = fast.join("\n");
        check("engine/elementwise.cl", "UNARY(unary_", fast);
    }

    /// Compares the end of a file, which begins with `start`.
    fn check(file: &str, start: &str, lines: String) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let start = text.find(start).expect("the first kernel");
        let expected = text[..start].to_owned() + &lines;
        if env::var_os("UPDATE").is_some() {
            fs::write(folder.join(file), expected).unwrap();
        } else {
            let hint = "UPDATE=1 cargo test -p rungrad --lib elementwise";
            assert!(text == expected, "{file} is outdated: {hint}");
        }
    }
}
