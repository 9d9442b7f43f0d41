//! Shapes as plain `&[usize]`, built in chapter 8.
//!
//! Reading order: [`size`], [`strides`], [`offsets`], [`list`].

/// The number of elements: the product of all sizes, 1 for a scalar.
pub fn size(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The row-major strides: how far apart, in elements, two neighbors along
/// each axis lie when the last axis is dense.
pub fn strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    strides
}

/// Where each element of a strided view lies, in row-major order.
pub fn offsets(
    shape: &[usize],
    strides: &[isize],
    start: usize,
) -> impl Iterator<Item = usize> {
    let mut index = vec![0; shape.len()];
    let mut at = start as isize;
    (0..size(shape)).map(move |_| {
        let here = at as usize;
        // Counts like an odometer: the last axis turns fastest.
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis] as isize;
            index[axis] = 0;
        }
        here
    })
}

/// Values as the notebook prints them: `[2, 3]`, at most eight of them.
pub fn list(values: &[f32]) -> String {
    let mut words: Vec<String> =
        values.iter().take(8).map(|v| format!("{v}")).collect();
    if values.len() > 8 {
        words.push(format!("... {} in all", values.len()));
    }
    format!("[{}]", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_is_dense() {
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(strides(&[]), Vec::<isize>::new());
    }

    #[test]
    fn offsets_follow_any_strides() {
        let of = |shape: &[usize], strides: &[isize], start| {
            offsets(shape, strides, start).collect::<Vec<_>>()
        };
        assert_eq!(of(&[2, 3], &[3, 1], 0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(of(&[3, 2], &[1, 3], 0), [0, 3, 1, 4, 2, 5]);
        assert_eq!(of(&[2, 2], &[0, 1], 1), [1, 2, 1, 2]);
        assert_eq!(of(&[3], &[-1], 2), [2, 1, 0]);
        assert_eq!(of(&[], &[], 5), [5]);
        assert!(of(&[0, 2], &[2, 1], 0).is_empty());
    }
}
