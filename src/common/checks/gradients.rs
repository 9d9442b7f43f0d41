//! Checks of the gradient that starts a backward pass and of the gradients
//! that a rule returns.

use std::fmt::Display;

use super::mistake;
use crate::error::Result;

/// Checks that a tensor has one element, so that a backward pass can start
/// from it without a given gradient.
pub fn one_element(op: impl Display, shape: &[usize]) -> Result<()> {
    match shape.iter().all(|&size| size == 1) {
        true => Ok(()),
        false => mistake(format!(
            "{op}: this tensor has shape {shape:?}, not one element; sum it \
             first, or hand backward_with a gradient of that shape"
        )),
    }
}

/// Checks that a tensor has one element, so that it can be read as a number.
pub fn only_element(op: impl Display, shape: &[usize]) -> Result<()> {
    match shape.iter().all(|&size| size == 1) {
        true => Ok(()),
        false => mistake(format!(
            "{op}: shape {shape:?} holds not one element; reduce it first, or \
             read all of them with .to_vec()"
        )),
    }
}

/// Checks that the gradient that starts a backward pass has the shape and the
/// device of the tensor where it starts.
pub fn seed<D: PartialEq + Display>(
    op: impl Display,
    (given, there): (&[usize], D),
    (shape, here): (&[usize], D),
) -> Result<()> {
    match given == shape && there == here {
        true => Ok(()),
        false => mistake(format!(
            "{op}: the gradient has shape {given:?} on {there}, but this \
             tensor has {shape:?} on {here}; give both the same"
        )),
    }
}

/// Checks that a rule returned one gradient for each operand.
pub fn gradients(
    op: impl Display,
    given: usize,
    operands: usize,
) -> Result<()> {
    match given == operands {
        true => Ok(()),
        false => {
            let s = |count: usize| if count == 1 { "" } else { "s" };
            mistake(format!(
                "{op}: the rule gave {given} gradient{} for {operands} \
                 operand{}; give one for each, in operand order",
                s(given),
                s(operands)
            ))
        }
    }
}

/// Checks that an operand that requires a gradient got one with its shape and
/// on its device.
pub fn gradient<D: PartialEq + Display>(
    op: impl Display,
    place: usize,
    given: Option<(&[usize], D)>,
    (shape, device): (&[usize], D),
) -> Result<()> {
    let Some((given, there)) = given else {
        return mistake(format!(
            "{op}: the rule gave no gradient for operand {place}, which \
             requires one; give one for each, in operand order"
        ));
    };
    if given != shape {
        return mistake(format!(
            "{op}: the gradient of operand {place} has shape {given:?}, but \
             the operand has {shape:?}; a gradient has the shape of what it \
             belongs to"
        ));
    }
    match there == device {
        true => Ok(()),
        false => mistake(format!(
            "{op}: the gradient of operand {place} is on {there}, but the \
             operand is on {device}; move the gradient to {device}"
        )),
    }
}
