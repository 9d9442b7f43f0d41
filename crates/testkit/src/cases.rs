//! Random operands for each operation: pairs of shapes that broadcast, axes of
//! size 0 and 1, scalars, and values away from kinks and ties, because a
//! finite difference across one of those is not the derivative.

use rungrad::ops::Keep;
use rungrad::reference::Array;

use super::calls::Call;
use super::elementwise;
use super::random::Random;

/// A call and its operands, each with a shape and elements.
pub struct Case {
    pub call: Call,
    pub operands: Vec<(Vec<usize>, Vec<f32>)>,
}

impl Case {
    /// Returns the operands for the reference.
    pub fn arrays(&self) -> Vec<Array> {
        let operands = self.operands.iter();
        operands.map(|(shape, values)| Array::new(shape, values)).collect()
    }

    /// Formats the case for messages, such as `sub of [2, 3] and [3]`.
    pub fn what(&self) -> String {
        let shapes = self.operands.iter().map(|(s, _)| format!("{s:?}"));
        let shapes = shapes.collect::<Vec<_>>().join(" and ");
        let call = match &self.call {
            Call::CrossEntropy(labels) => {
                format!("cross_entropy with the labels {labels:?}")
            }
            Call::Mul
            | Call::Add
            | Call::Sub
            | Call::Div
            | Call::Matmul
            | Call::Each(_)
            | Call::Transpose
            | Call::Softmax
            | Call::LogSoftmax => self.call.name().to_string(),
            call => format!("{call:?}"),
        };
        format!("{call} of {shapes}")
    }
}

impl Random {
    /// Returns a random case of the operation with this name.
    pub fn case(&mut self, name: &str) -> Case {
        if let Some(one) = elementwise::find(name) {
            return match one.is_positive {
                true => self.positive(Call::Each(one.name)),
                false => self.single(Call::Each(one.name)),
            };
        }
        match name {
            "mul" => self.pair(Call::Mul),
            "add" => self.pair(Call::Add),
            "sub" => self.pair(Call::Sub),
            "div" => self.pair(Call::Div),
            "pow" => self.power(),
            "sum" => self.reduction(Call::Sum),
            "mean" => self.reduction(Call::Mean),
            "max" => self.largest(),
            "matmul" => self.matrices(),
            "reshape" => self.other_shape(),
            "transpose" => self.rows(2, Call::Transpose),
            "softmax" => self.rows(1, Call::Softmax),
            "log_softmax" => self.rows(1, Call::LogSoftmax),
            "cross_entropy" => self.scores(),
            _ => panic!("{name} has no cases"),
        }
    }

    /// Returns up to three axes of 0 to 5 elements. In one of three shapes all
    /// axes have the same size, so that mixing up axes changes only the
    /// values.
    fn small_shape(&mut self) -> Vec<usize> {
        let axes = self.below(4);
        match self.below(3) {
            0 => vec![self.below(6); axes],
            _ => (0..axes).map(|_| self.below(6)).collect(),
        }
    }

    fn operand(&mut self, shape: Vec<usize>) -> (Vec<usize>, Vec<f32>) {
        let values = self.values(shape.iter().product());
        (shape, values)
    }

    fn unary(&mut self, call: Call, shape: Vec<usize>) -> Case {
        Case { call, operands: vec![self.operand(shape)] }
    }

    fn single(&mut self, call: Call) -> Case {
        let shape = self.small_shape();
        self.unary(call, shape)
    }

    fn positive(&mut self, call: Call) -> Case {
        let mut case = self.single(call);
        case.operands[0].1.iter_mut().for_each(|x| *x = x.abs());
        case
    }

    /// Negative elements need an integer exponent.
    fn power(&mut self) -> Case {
        let whole = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
        let broken = [-0.5, 0.5, 1.5, 2.25];
        if self.below(2) == 0 {
            let exponent = whole[self.below(whole.len())];
            self.single(Call::Pow(exponent))
        } else {
            let exponent = broken[self.below(broken.len())];
            self.positive(Call::Pow(exponent))
        }
    }

    /// Draws two shapes that broadcast to a third. Each may lack leading axes
    /// and may have size 1 where the other is larger.
    fn pair(&mut self, call: Call) -> Case {
        let whole = self.small_shape();
        let operands = [(); 2].map(|()| {
            let from = match self.below(3) {
                0 => self.below(whole.len() + 1),
                _ => 0,
            };
            let mut shape = whole[from..].to_vec();
            for size in &mut shape {
                if self.below(4) == 0 {
                    *size = 1;
                }
            }
            self.operand(shape)
        });
        Case { call, operands: operands.into() }
    }

    /// Draws some of the axes in any order, and whether they are kept.
    fn axes(&mut self, rank: usize) -> (Vec<usize>, Keep) {
        let mut axes: Vec<usize> = (0..rank).collect();
        self.shuffle(&mut axes);
        axes.truncate(self.below(rank + 1));
        // Half of the cases reduce all axes, as a loss does.
        if self.below(2) == 0 {
            axes = (0..rank).collect();
        }
        (axes, if self.below(2) == 0 { Keep::Yes } else { Keep::No })
    }

    fn reduction(&mut self, call: fn(Vec<usize>, Keep) -> Call) -> Case {
        let shape = self.small_shape();
        let (axes, keep) = self.axes(shape.len());
        self.unary(call(axes, keep), shape)
    }

    /// No two elements tie, and only axes that remain may be empty.
    fn largest(&mut self) -> Case {
        let mut shape = self.small_shape();
        let (axes, keep) = self.axes(shape.len());
        for &axis in &axes {
            shape[axis] = shape[axis].max(1);
        }
        let n: usize = shape.iter().product();
        let mut order: Vec<usize> = (0..n).collect();
        self.shuffle(&mut order);
        let values = order.iter().map(|&i| i as f32 * 0.125 - 4.0).collect();
        Case { call: Call::Max(axes, keep), operands: vec![(shape, values)] }
    }

    /// (m, k) x (k, n), each of 0 to 7. One of three pairs is square.
    fn matrices(&mut self) -> Case {
        let [m, k, n] = match self.below(3) {
            0 => [self.below(8); 3],
            _ => [(); 3].map(|()| self.below(8)),
        };
        let operands = [vec![m, k], vec![k, n]];
        let operands = operands.map(|shape| self.operand(shape));
        Case { call: Call::Matmul, operands: operands.into() }
    }

    /// Draws a permutation of the axes with an extra axis of size 1, or one
    /// flat axis.
    fn other_shape(&mut self) -> Case {
        let shape = self.small_shape();
        let mut other = shape.clone();
        self.shuffle(&mut other);
        other.insert(self.below(shape.len() + 1), 1);
        if self.below(3) == 0 {
            other = vec![shape.iter().product()];
        }
        self.unary(Call::Reshape(other), shape)
    }

    /// A case with at least `least` axes.
    fn rows(&mut self, least: usize, call: Call) -> Case {
        let mut shape = self.small_shape();
        while shape.len() < least {
            shape.push(self.below(6));
        }
        self.unary(call, shape)
    }

    /// Scores of up to 5 rows, and a label for each row.
    fn scores(&mut self) -> Case {
        let (rows, classes) = (self.below(6), 1 + self.below(5));
        let labels = (0..rows).map(|_| self.below(classes)).collect();
        self.unary(Call::CrossEntropy(labels), vec![rows, classes])
    }
}
