//! Operations on elements by index, with the examples from PyTorch's
//! documentation.

use rungrad::attempt;
use rungrad::part3_unified::{Array, Device, Span, Tensor};

use super::devices;
use testkit::clean;

/// Runs `work` on every available device.
fn everywhere(work: impl Fn(&dyn Fn(&[usize], &[f32]) -> Tensor)) {
    for device in devices() {
        work(&|shape, values| Tensor::new(shape, values, device).unwrap());
    }
}

#[track_caller]
fn shows(tensor: &Tensor, shape: &[usize], values: &[f32]) {
    assert_eq!(tensor.shape(), shape, "on {}", tensor.device());
    assert_eq!(tensor.to_vec().unwrap(), values, "on {}", tensor.device());
}

#[test]
fn gather_agrees_with_pytorch() {
    let _clean = clean();
    everywhere(|new| {
        let t = new(&[2, 2], &[1., 2., 3., 4.]);
        let indices = [0, 0, 1, 0];
        shows(&t.gather(1, &[2, 2], &indices), &[2, 2], &[1., 1., 4., 3.]);
        shows(&t.gather(0, &[2, 2], &indices), &[2, 2], &[1., 2., 3., 2.]);
    });
}

#[test]
fn scatter_add_agrees_with_pytorch() {
    let _clean = clean();
    everywhere(|new| {
        let (zeros, ones) = (new(&[3, 5], &[0.; 15]), new(&[2, 5], &[1.; 10]));
        let sums = zeros.scatter_add(0, &[0, 1, 2, 0, 0, 0, 1, 2, 2, 2], &ones);
        let right =
            [2., 0., 0., 1., 1., 0., 2., 0., 0., 0., 0., 0., 2., 1., 1.];
        shows(&sums, &[3, 5], &right);
    });
}

#[test]
fn index_add_agrees_with_pytorch() {
    let _clean = clean();
    everywhere(|new| {
        let x = new(&[5, 3], &[1.; 15]);
        let t = new(&[3, 3], &[1., 2., 3., 4., 5., 6., 7., 8., 9.]);
        let right =
            [2., 3., 4., 1., 1., 1., 8., 9., 10., 1., 1., 1., 5., 6., 7.];
        shows(&x.index_add(0, &[0, 4, 2], &t), &[5, 3], &right);
        let turned = x.transpose().index_add(1, &[0, 4, 2], &t.transpose());
        shows(&turned.transpose(), &[5, 3], &right);
    });
}

/// A device adds up the rows of a very frequent index in parts.
#[test]
fn index_add_adds_any_number_of_rows_per_index() {
    let _clean = clean();
    everywhere(|new| {
        // Of 900 rows, index 0 gets 300, index 1 gets 2, index 2 none, and
        // index 3 the others.
        let place = |row: usize| match row {
            13 | 899 => 1,
            _ if row.is_multiple_of(3) => 0,
            _ => 3,
        };
        let places: Vec<usize> = (0..900).map(place).collect();
        let t: Vec<f32> = (0..1800).map(|i| i as f32).collect();
        let mut right = vec![0.0; 8];
        for (i, x) in t.iter().enumerate() {
            right[2 * places[i / 2] + i % 2] += x;
        }
        let sums = new(&[4, 2], &[0.; 8]);
        let sums = sums.index_add(0, &places, &new(&[900, 2], &t));
        shows(&sums, &[4, 2], &right);
    });
}

#[test]
fn slice_assign_agrees_with_slice_scatter() {
    let _clean = clean();
    everywhere(|new| {
        let a = new(&[8, 8], &[0.; 64]);
        let rows = a.slice_assign(6.., &new(&[2, 8], &[1.; 16]));
        let right: Vec<f32> = (0..64).map(|i| f32::from(i >= 48)).collect();
        shows(&rows, &[8, 8], &right);
        let span = Span::from(2..6).step(2);
        let columns = a.slice_assign((.., span), &new(&[8, 2], &[1.; 16]));
        let is_one = |i: usize| [2, 4].contains(&(i % 8));
        let right: Vec<f32> = (0..64).map(|i| f32::from(is_one(i))).collect();
        shows(&columns, &[8, 8], &right);
        shows(&a, &[8, 8], &[0.; 64]);
    });
}

/// The value gets the gradient of the slice, and the replaced elements get
/// none; a value that was broadcast gets the sum over its copies.
#[test]
fn slice_assign_passes_gradients_to_both_operands() {
    let _clean = clean();
    everywhere(|new| {
        let a = new(&[2, 3], &[1.; 6]).requires_grad();
        let b = new(&[1], &[7.]).requires_grad();
        let out = a.slice_assign((.., Span::from(..).step(2)), &b);
        shows(&out, &[2, 3], &[7., 1., 7., 7., 1., 7.]);
        let weights = new(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
        out.mul(&weights).sum().backward();
        shows(&a.grad().unwrap(), &[2, 3], &[0., 2., 0., 0., 5., 0.]);
        shows(&b.grad().unwrap(), &[1], &[1. + 3. + 4. + 6.]);
    });
}

#[test]
fn repeat_agrees_with_pytorch() {
    let _clean = clean();
    everywhere(|new| {
        let x = new(&[3], &[1., 2., 3.]);
        let rows = [1., 2., 3., 1., 2., 3.].repeat(4);
        shows(&x.repeat(&[4, 2]), &[4, 6], &rows);
        assert_eq!(x.repeat(&[4, 2, 1]).shape(), [4, 2, 3]);
    });
}

/// `unsqueeze` makes a vector a row or a column.
#[test]
fn matmul_takes_vectors_as_rows_or_columns() {
    let _clean = clean();
    everywhere(|new| {
        let m = new(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
        let (row, column) =
            (new(&[2], &[1., 10.]), new(&[3], &[1., 10., 100.]));
        let left = row.unsqueeze(0).matmul(&m).squeeze(0);
        shows(&left, &[3], &[41., 52., 63.]);
        let right = m.matmul(&column.unsqueeze(1)).squeeze(1);
        shows(&right, &[2], &[321., 654.]);
    });
}

#[test]
fn out_of_range_indices_are_rejected() {
    let _clean = clean();
    let a = Array::new(&[2, 2], &[1., 2., 3., 4.], Device::Cpu).unwrap();
    let refused = |indices: &[usize], count| {
        a.index_add(0, indices, count).unwrap_err().to_string()
    };
    for (indices, count) in [(&[0, 2][..], 2), (&[0], 2), (&[0, 0, 0], 2)] {
        assert!(refused(indices, count).contains("index_add"));
    }
    assert!(a.index_add(0, &[0, 1], 2).is_ok());
    let refused = Array::cat(&[&a, &a], 2).unwrap_err().to_string();
    assert!(refused.contains("there is no axis 2"), "{refused}");
}

/// Enough rows to be split among threads.
#[test]
fn indexing_many_rows_with_threads_is_right() {
    let _clean = clean();
    let (rows, width) = (5000, 40);
    let values: Vec<f32> = (0..rows * width).map(|i| (i % 97) as f32).collect();
    let a = Array::new(&[rows, width], &values, Device::Cpu).unwrap();
    let places: Vec<usize> = (0..rows).map(|i| i * 7 % rows).collect();
    let taken: Vec<f32> = places
        .iter()
        .flat_map(|&at| &values[at * width..][..width])
        .copied()
        .collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let found = a.index_select(0, &places).unwrap();
            assert!(found.to_vec().unwrap() == taken);
            // Each row returns to its own index, because 7 and 5000 have no
            // common divisor.
            let back = found.index_add(0, &places, rows).unwrap();
            assert!(back.to_vec().unwrap() == values);
        });
    }
}

/// If the indices are sorted, a device finds the rows of an index by binary
/// search.
#[test]
fn the_gradient_of_sorted_indices_counts_them() {
    let _clean = clean();
    everywhere(|new| {
        let rows = new(&[5, 2], &[1.0; 10]).requires_grad();
        rows.index_select(0, &[0, 0, 2, 3, 3, 3]).sum().backward();
        let counts = [2., 2., 0., 0., 1., 1., 3., 3., 0., 0.];
        shows(&rows.grad().unwrap(), &[5, 2], &counts);
    });
}

#[test]
fn errors_of_pick_name_the_operation() {
    let _clean = clean();
    let scores = Tensor::new(&[2, 3], &[0.0; 6], Device::Cpu).unwrap();
    for (labels, sentence) in [
        (&[0, 3][..], "pick: label 3"),
        (&[0][..], "pick: 2 rows of scores and 1 labels"),
    ] {
        let refused = attempt(|| scores.pick(labels)).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.starts_with(sentence), "{refused}");
    }
}
