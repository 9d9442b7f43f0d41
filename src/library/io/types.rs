//! Conversion between elements and little-endian bytes.

use safetensors::tensor::Dtype;

use crate::error::{Result, room};
use crate::part3_unified::{DType, Device, F16, Tensor};
use crate::part3_unified::{Element, with_type};

/// An element type that can be converted to and from bytes.
trait Bytes: Element {
    /// Appends the bytes of the values.
    fn add(values: &[Self], bytes: &mut Vec<u8>);

    /// Appends the values read from the bytes.
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

/// Returns the safetensors name of a type.
pub(super) fn dtype_name(dtype: DType) -> Dtype {
    match dtype {
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
        DType::F16 => Dtype::F16,
    }
}

/// Returns the type with this safetensors name, if it is supported.
pub(super) fn dtype_named(name: Dtype) -> Option<DType> {
    let all = [DType::F32, DType::F64, DType::F16];
    all.into_iter().find(|&dtype| self::dtype_name(dtype) == name)
}

/// Returns the elements of a tensor as bytes.
pub(super) fn bytes(tensor: &Tensor) -> Result<Vec<u8>> {
    with_type!(tensor.dtype(), T => {
        let values = tensor.to_vec_of::<T>()?;
        let mut bytes = room(size_of_val(&values[..]))?;
        T::add(&values, &mut bytes);
        Ok(bytes)
    })
}

/// Creates a tensor from bytes.
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

/// The integers of a file and their shape. Booleans are 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integers {
    /// The size of each axis; empty for a single number.
    pub shape: Vec<usize>,
    /// The values in row-major order. `i128` holds every integer type of the
    /// format.
    pub values: Vec<i128>,
}

/// Returns the size of an integer type in bytes, and whether it is signed.
/// Booleans count as integers.
pub(super) fn integer(dtype: Dtype) -> Option<(usize, bool)> {
    match dtype {
        Dtype::BOOL | Dtype::U8 => Some((1, false)),
        Dtype::U16 => Some((2, false)),
        Dtype::U32 => Some((4, false)),
        Dtype::U64 => Some((8, false)),
        Dtype::I8 => Some((1, true)),
        Dtype::I16 => Some((2, true)),
        Dtype::I32 => Some((4, true)),
        Dtype::I64 => Some((8, true)),
        _ => None,
    }
}

/// Reads integers of `size` bytes each.
pub(super) fn integers(
    bytes: &[u8],
    size: usize,
    is_signed: bool,
) -> Result<Vec<i128>> {
    let mut integers = room(bytes.len() / size)?;
    for bytes in bytes.chunks_exact(size) {
        let is_negative = is_signed && bytes[size - 1] >= 0x80;
        let mut wide = [if is_negative { 0xff } else { 0 }; 16];
        wide[..size].copy_from_slice(bytes);
        integers.push(i128::from_le_bytes(wide));
    }
    Ok(integers)
}
