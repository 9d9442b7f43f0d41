//! Messages of something other than `f32` values, as `f32` values.

use rungrad::Result;
use rungrad::io::Value;
use rungrad::part3_unified::{Device, Tensor};

/// The number of values that represent an integer.
pub(crate) const NUMBER_LEN: usize = 4;

/// Represents an integer by four values. An `f32` represents every 16-bit
/// integer exactly.
pub(crate) fn from_number(number: u64) -> [f32; NUMBER_LEN] {
    [0, 16, 32, 48].map(|shift| f32::from((number >> shift) as u16))
}

/// Inverts [`from_number`].
pub(crate) fn to_number(values: &[f32]) -> u64 {
    let parts = values.iter().rev();
    parts.fold(0, |number, part| number << 16 | *part as u64)
}

/// Represents the state of an optimizer. Each of its values is preceded by its
/// name and by its shape; an integer has none.
pub(crate) fn from_state(state: &[(String, Value)]) -> Result<Vec<f32>> {
    let mut values = Vec::new();
    for (name, value) in state {
        push_list(&mut values, name.bytes().map(u64::from));
        match value {
            Value::Number(number) => {
                values.extend(from_number(0));
                values.extend(from_number(*number));
            }
            Value::Tensor(tensor) => {
                values.extend(from_number(1));
                push_list(
                    &mut values,
                    tensor.shape().iter().map(|it| *it as u64),
                );
                values.extend(tensor.to_vec()?);
            }
        }
    }
    Ok(values)
}

/// Inverts [`from_state`]. The tensors are on the CPU.
pub(crate) fn to_state(values: &[f32]) -> Result<Vec<(String, Value)>> {
    let (mut rest, mut state) = (values, Vec::new());
    while !rest.is_empty() {
        let name = take_list(&mut rest).into_iter().map(|it| it as u8);
        let name = String::from_utf8_lossy(&name.collect::<Vec<_>>()).into();
        let value = match take_number(&mut rest) {
            0 => Value::Number(take_number(&mut rest)),
            _ => {
                let shape = take_list(&mut rest).into_iter();
                let shape: Vec<usize> = shape.map(|it| it as usize).collect();
                let (values, after) =
                    rest.split_at(shape.iter().product::<usize>());
                rest = after;
                Value::Tensor(Tensor::new(&shape, values, Device::Cpu)?)
            }
        };
        state.push((name, value));
    }
    Ok(state)
}

fn push_list(values: &mut Vec<f32>, list: impl ExactSizeIterator<Item = u64>) {
    values.extend(from_number(list.len() as u64));
    values.extend(list.flat_map(from_number));
}

fn take_list(rest: &mut &[f32]) -> Vec<u64> {
    (0..take_number(rest)).map(|_| take_number(rest)).collect()
}

fn take_number(rest: &mut &[f32]) -> u64 {
    let (number, after) = rest.split_at(NUMBER_LEN);
    *rest = after;
    to_number(number)
}
