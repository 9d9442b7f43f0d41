//! Numbers of each type as bytes, the lowest first.

use safetensors::tensor::Dtype;

use super::super::number::{Element, with_type};
use super::super::{DType, Device, F16, Tensor};
use crate::error::{Result, room};

/// A number as the bytes of a file.
trait Bytes: Element {
    /// Adds the bytes of numbers to others.
    fn add(values: &[Self], bytes: &mut Vec<u8>);

    /// Reads numbers.
    fn read(bytes: &[u8], values: &mut Vec<Self>);
}

macro_rules! bytes {
    ($($number:ty, $bytes:literal, $to:expr, $from:expr;)*) => {$(
        impl Bytes for $number {
            fn add(values: &[$number], bytes: &mut Vec<u8>) {
                let to: fn(&$number) -> [u8; $bytes] = $to;
                bytes.extend(values.iter().flat_map(to));
            }

            fn read(bytes: &[u8], values: &mut Vec<$number>) {
                let from: fn([u8; $bytes]) -> $number = $from;
                let (numbers, _) = bytes.as_chunks::<$bytes>();
                values.extend(numbers.iter().map(|bytes| from(*bytes)));
            }
        }
    )*};
}

bytes! {
    f32, 4, |x| x.to_le_bytes(), f32::from_le_bytes;
    f64, 8, |x| x.to_le_bytes(), f64::from_le_bytes;
    F16, 2, |x| x.to_bits().to_le_bytes(),
        |bytes| F16::from_bits(u16::from_le_bytes(bytes));
}

/// Returns what a file calls a type.
pub(super) fn name(dtype: DType) -> Dtype {
    match dtype {
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
        DType::F16 => Dtype::F16,
    }
}

/// Finds the type that a file calls so, if there is one.
pub(super) fn of(name: Dtype) -> Option<DType> {
    let all = [DType::F32, DType::F64, DType::F16];
    all.into_iter().find(|&dtype| self::name(dtype) == name)
}

/// Writes the numbers of a tensor.
pub(super) fn bytes(tensor: &Tensor) -> Result<Vec<u8>> {
    with_type!(tensor.dtype(), T => {
        let values = tensor.to_vec_of::<T>()?;
        let mut bytes = room(size_of_val(&values[..]))?;
        T::add(&values, &mut bytes);
        Ok(bytes)
    })
}

/// Makes a tensor of such bytes.
pub(super) fn tensor(
    shape: &[usize],
    dtype: DType,
    bytes: &[u8],
    device: Device,
) -> Result<Tensor> {
    with_type!(dtype, T => {
        let mut values: Vec<T> = room(bytes.len() / size_of::<T>())?;
        T::read(bytes, &mut values);
        Tensor::of(shape, &values, device)
    })
}
