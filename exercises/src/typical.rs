//! Wrong gradients that are typical of an operation: when the judge sees no
//! general pattern, one of these may fit exactly.

use rungrad::gradcheck::{Diagnosis, Mismatch, compare};
use rungrad::reference::{Array, mul};

/// A mistake, and the gradient that it gives operand `k`.
struct Typical {
    op: &'static str,
    says: &'static str,
    gives: fn(inputs: &[Array], grad_out: &Array, k: usize) -> Array,
}

const TYPICAL: &[Typical] = &[
    Typical {
        op: "mul",
        says: "the operands are swapped: grad_out times the operand itself",
        gives: |inputs, grad_out, k| mul(grad_out, &inputs[k]),
    },
    Typical {
        op: "mul",
        says: "grad_out is missing: this is the other operand alone",
        gives: |inputs, _, k| inputs[1 - k].clone(),
    },
    Typical {
        op: "mul",
        says: "this is grad_out alone, which is the rule of a sum",
        gives: |_, grad_out, _| grad_out.clone(),
    },
];

/// Puts a typical mistake of `op` in the place of a diagnosis that found
/// nothing, if one fits.
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
    let fits = |typical: &&Typical| {
        let wrong = (typical.gives)(inputs, grad_out, k);
        typical.op == op && compare(&mismatch.yours, &wrong, &[]).is_none()
    };
    if let Some(typical) = TYPICAL.iter().find(fits) {
        mismatch.diagnosis = Diagnosis::Typical(typical.says);
    }
}
