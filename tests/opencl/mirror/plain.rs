//! The kernels of the plain device, as loops on the host.

use super::host::{fold, offset_of, reduce_values, sum, windows};
use super::{Mirror, Writes};

/// The kernels, without the prefix `plain_`, that do more than apply an
/// operation to the elements at one index.
pub(super) const MIRRORED: [&str; 7] =
    ["copy", "sum", "max", "matmul", "index_select", "index_add", "fold"];

/// Computes the result of a kernel.
pub(super) fn right(name: &str, it: &Mirror) -> Writes {
    match name {
        "copy" => copy(it),
        "sum" | "max" => {
            let (a, columns) = (it.floats(0), it.size(1));
            it.each(it.size(3), |row| {
                let row = &a[row * columns..][..columns];
                reduce_values(name, row.iter().copied())
            })
        }
        "matmul" => matmul(it),
        "index_select" => {
            let (a, rows) = (it.floats(0), it.size(1));
            let width = it.size(2);
            let index = |i: usize| it.words(3)[i] as usize;
            let mut all = elements(it, width, it.size(4));
            all.retain(|&[i, _]| index(i) < rows);
            let select = |[i, column]: [usize; 2]| {
                (i * width + column, a[index(i) * width + column])
            };
            all.into_iter().map(select).collect()
        }
        "index_add" => {
            let (a, count, width) = (it.floats(0), it.size(1), it.size(2));
            let add = |[row, column]: [usize; 2]| {
                let is_of = |&i: &usize| it.words(3)[i] as usize == row;
                let values = (0..count).filter(is_of);
                let total = sum(values.map(|i| a[i * width + column]));
                (row * width + column, total)
            };
            elements(it, width, it.size(4)).into_iter().map(add).collect()
        }
        "fold" => {
            let sizes = it.eight(1);
            let [_, _, height, width, ..] = sizes;
            let [rows, columns] = windows(sizes);
            let window = height * width;
            let strides =
                [rows * columns * window, columns * window, window, width, 1];
            let mut eight = [0; 8];
            eight[..5].copy_from_slice(&strides);
            fold(it, (it.floats(0), 0, eight), sizes, it.size(3))
        }
        _ => panic!("say in tests/opencl/mirror/plain.rs what {name} computes"),
    }
}

/// Row and column of each element of a matrix that has a work-item.
fn elements(it: &Mirror, columns: usize, rows: usize) -> Vec<[usize; 2]> {
    let columns = columns.min(it.global[0]);
    let row = |row| (0..columns).map(move |column| [row, column]);
    (0..rows.min(it.global[1])).flat_map(row).collect()
}

fn copy(it: &Mirror) -> Writes {
    let (shape, a) = (it.eight(0), it.floats(2));
    let element = |i| {
        let from = offset_of(i, it.size(3), shape, it.eight(4));
        (offset_of(i, it.size(6), shape, it.eight(7)), a[from])
    };
    (0..it.size(1).min(it.global[0])).map(element).collect()
}

fn matmul(it: &Mirror) -> Writes {
    let (a, b) = (it.floats(0), it.floats(1));
    let [batches, m, k, n] = [3, 4, 5, 6].map(|at| it.size(at));
    let mut all = Writes::new();
    for batch in 0..batches.min(it.global[2]) {
        for [row, column] in elements(it, n, m) {
            let products = (0..k).map(|i| {
                a[(batch * m + row) * k + i] * b[(batch * k + i) * n + column]
            });
            all.push(((batch * m + row) * n + column, sum(products)));
        }
    }
    all
}
