//! Wrong gradients that are typical of an operation. If the reference finds no
//! general pattern, one of these may match exactly.

use rungrad::gradcheck::{Diagnosis, Mismatch, compare};
use rungrad::reference::{Array, add, exp, log_softmax, matmul, mul, permute};

/// A mistake, and the wrong gradient that it gives operand `k`.
struct KnownMistake {
    op: &'static str,
    says: &'static str,
    /// Returns `None` if the mistake is impossible for these shapes.
    gives: fn(inputs: &[Array], grad_out: &Array, k: usize) -> Option<Array>,
}

const KNOWN: &[KnownMistake] = &[
    KnownMistake {
        op: "mul",
        says: "the operands are swapped: grad_out times the operand itself",
        gives: |inputs, grad_out, k| Some(mul(grad_out, &inputs[k])),
    },
    KnownMistake {
        op: "mul",
        says: "grad_out is missing: this is the other operand alone",
        gives: |inputs, _, k| Some(inputs[1 - k].clone()),
    },
    KnownMistake {
        op: "mul",
        says: "this is grad_out alone, which is the rule of an addition",
        gives: |_, grad_out, _| Some(grad_out.clone()),
    },
    KnownMistake {
        op: "mul",
        says: "grad_out is added to the other operand; it must be multiplied \
               by it",
        gives: |inputs, grad_out, k| Some(add(grad_out, &inputs[1 - k])),
    },
    KnownMistake {
        op: "exp",
        says: "grad_out is multiplied by the operand; the derivative of exp is \
               its result",
        gives: |inputs, grad_out, _| Some(mul(grad_out, &inputs[0])),
    },
    KnownMistake {
        op: "matmul",
        says: "the other operand must be transposed before the multiplication",
        gives: |inputs, grad_out, k| match k {
            0 => product(grad_out, &inputs[1]),
            _ => product(&inputs[0], grad_out),
        },
    },
    KnownMistake {
        op: "matmul",
        says: "the operands are swapped: this is the gradient of the other \
               operand",
        gives: |inputs, grad_out, k| match k {
            0 => product(&transposed(&inputs[0]), grad_out),
            _ => product(grad_out, &transposed(&inputs[1])),
        },
    },
    KnownMistake {
        op: "matmul",
        says: "the two factors are in the wrong order: a x b is not b x a",
        gives: |inputs, grad_out, k| match k {
            0 => product(&transposed(&inputs[1]), grad_out),
            _ => product(grad_out, &transposed(&inputs[0])),
        },
    },
    KnownMistake {
        op: "log_softmax",
        says: "the probabilities must be multiplied by the sum of grad_out",
        gives: |inputs, grad_out, _| {
            let mut grad = grad_out.clone();
            let shares = exp(&log_softmax(&inputs[0]));
            let pairs = grad.values.iter_mut().zip(&shares.values);
            pairs.for_each(|(grad, share)| *grad -= share);
            Some(grad)
        },
    },
    KnownMistake {
        op: "log_softmax",
        says: "each probability is multiplied by its own grad_out, and should \
               be multiplied by the sum of grad_out over its row",
        gives: |inputs, grad_out, _| {
            let shares = exp(&log_softmax(&inputs[0]));
            let mut grad = grad_out.clone();
            let pairs = grad.values.iter_mut().zip(&shares.values);
            pairs.for_each(|(grad, share)| *grad -= share * *grad);
            Some(grad)
        },
    },
    KnownMistake {
        op: "log_softmax",
        says: "this is grad_out alone, but each score affects every \
               probability of its row",
        gives: |_, grad_out, _| Some(grad_out.clone()),
    },
];

/// Returns the matrix product, if the shapes allow it.
fn product(a: &Array, b: &Array) -> Option<Array> {
    (a.shape[1] == b.shape[0]).then(|| matmul(a, b))
}

fn transposed(a: &Array) -> Array {
    permute(a, &[1, 0])
}

/// Adds a typical mistake of `op` to a mismatch without a diagnosis, if one
/// matches.
pub(crate) fn explain(
    mismatch: &mut Mismatch,
    op: &str,
    inputs: &[Array],
    grad_out: &Array,
    k: usize,
) {
    if mismatch.diagnosis != Diagnosis::Unknown {
        return;
    }
    let fits = |typical: &&KnownMistake| {
        typical.op == op
            && (typical.gives)(inputs, grad_out, k).is_some_and(|wrong| {
                compare(&mismatch.yours, &wrong, &[]).is_none()
            })
    };
    if let Some(typical) = KNOWN.iter().find(fits) {
        mismatch.diagnosis = Diagnosis::Typical(typical.says);
    }
}
