// The operands as a set, as the notebook keeps them: x - x has one.

use std::collections::BTreeMap;

use rungrad::part1_cpu::Tensor;

/// Subtracts two equal shapes element by element.
pub fn sub(a: &Tensor, b: &Tensor) -> Tensor {
    let set = BTreeMap::from([(a.id(), a), (b.id(), b)]);
    let operands: Vec<&Tensor> = set.into_values().collect();
    let difference = &*a.data() - &*b.data();
    Tensor::from_op("sub", &operands, difference, |grad_out| {
        vec![grad_out.clone(), -grad_out]
    })
}
