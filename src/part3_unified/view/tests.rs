//! Tests of views, by the positions of their elements.

use super::*;
use crate::shape::Span;

fn offsets(view: &View) -> Vec<usize> {
    view.offsets().collect()
}

#[test]
fn views_agree_with_the_lecture() {
    let y = View::new(&[2, 2], &[2, 1], 0, 4).unwrap();
    assert_eq!(offsets(&y), [0, 1, 2, 3]);
    let z = View::new(&[2, 1], &[2, 1], 1, 4).unwrap();
    assert_eq!(offsets(&z), [1, 3]);
    let column = y.slice(&[0..2, 1..2]).unwrap();
    assert_eq!((column.shape(), offsets(&column)), (z.shape(), offsets(&z)));
}

/// Promise: No view reaches outside its storage.
#[test]
fn views_outside_the_storage_are_invalid() {
    let refused = |shape: &[usize], strides: &[isize], offset| {
        View::new(shape, strides, offset, 4).is_err()
    };
    assert!(refused(&[2, 2], &[2, 1], 1));
    assert!(refused(&[2], &[-1], 0));
    assert!(refused(&[5], &[1], 0));
    assert!(refused(&[2], &[1, 1], 0));
    assert!(!refused(&[2], &[-3], 3));
    // An empty view accesses nothing, so any strides are valid.
    assert!(!refused(&[0, 2], &[9, 9], 7));
}

#[test]
fn a_reshape_needs_even_spacing() {
    let whole = View::dense(&[2, 3, 4]);
    let joined = whole.reshape(&[6, 4]).unwrap();
    assert_eq!(joined, View::dense(&[6, 4]));
    let turned = whole.permute(&[1, 0, 2]).unwrap();
    assert_eq!(turned.reshape(&[6, 4]), None);
    // Splitting an axis is always possible.
    let split = turned.reshape(&[3, 2, 2, 2]).unwrap();
    assert_eq!(split.strides(), [4, 12, 2, 1]);
    assert_eq!(offsets(&split), offsets(&turned));
    // A column is evenly spaced, so it can be reshaped.
    let column = View::dense(&[4, 3]).slice(&[0..4, 1..2]).unwrap();
    let square = column.reshape(&[2, 2]).unwrap();
    assert_eq!(offsets(&square), [1, 4, 7, 10]);
    // Repeated elements can be regrouped: all strides stay 0.
    let one = View::dense(&[1]).expand(&[6]).unwrap();
    assert_eq!(one.reshape(&[2, 3]).unwrap().strides(), [0, 0]);
    assert_eq!(whole.flip(&[2]).unwrap().reshape(&[24]), None);
    let back = whole.flip(&[0, 1, 2]).unwrap();
    assert_eq!(back.reshape(&[24]).unwrap().strides(), [-1]);
}

#[test]
fn slices_and_flips_follow_the_indices() {
    let view = View::dense(&[3, 4]);
    let part = view.slice(&[1..3, 0..4]).unwrap().flip(&[1]).unwrap();
    assert_eq!(part.shape(), [2, 4]);
    assert_eq!(offsets(&part), [7, 6, 5, 4, 11, 10, 9, 8]);
    let again = part.slice(&[0..1, 1..3]).unwrap();
    assert_eq!(offsets(&again), [6, 5]);
    assert!(offsets(&view.slice(&[3..3, 0..4]).unwrap()).is_empty());
    let every_second = part.slice((.., Span::from(1..).step(2))).unwrap();
    assert_eq!(every_second.strides(), [4, -2]);
    assert_eq!(offsets(&every_second), [6, 4, 10, 8]);
    let one = view.slice((2.., Span::from(3..).step(usize::MAX))).unwrap();
    assert_eq!((one.shape(), offsets(&one)), (&[1, 1][..], vec![11]));
    // A single element keeps its axis's stride if the step is 1.
    let one = view.slice(&[0..1, 2..3]).unwrap();
    assert_eq!(one.strides(), [4, 1]);
    let empty = View::dense(&[0, 2]).flip(&[0, 1]).unwrap();
    assert!(offsets(&empty).is_empty());
}

#[test]
fn windows_overlap_in_one_storage() {
    let image = View::dense(&[3, 4]);
    let window = Window::new([2, 2]).stride([1, 2]);
    let windows = image.windows(&window).unwrap();
    assert_eq!(windows.shape(), [2, 2, 2, 2]);
    let right = [0, 1, 4, 5, 2, 3, 6, 7, 4, 5, 8, 9, 6, 7, 10, 11];
    assert_eq!(offsets(&windows), right);
    let large = Window::new([4, 1]);
    assert!(image.windows(&large).is_err());
    let wide = Window::new([2, 2]).dilation([2, 3]);
    assert_eq!(offsets(&image.windows(&wide).unwrap()), [0, 3, 8, 11]);
    assert!(image.windows(&wide.padding([1, 0])).is_err());
}

#[test]
fn unused_strides_do_not_matter() {
    let row = View::new(&[1, 3], &[7, 1], 0, 3).unwrap();
    assert!(row.is_dense());
    assert!(View::dense(&[1]).expand(&[1, 1]).unwrap().is_dense());
    assert!(!View::dense(&[1]).expand(&[2]).unwrap().is_dense());
    assert!(View::dense(&[2, 0]).permute(&[1, 0]).unwrap().is_dense());
}
