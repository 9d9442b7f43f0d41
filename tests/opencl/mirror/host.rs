//! The results of the kernels as loops: one function for each group of kernel
//! names.

use rungrad::opencl::Scalar;

use super::{HostArgument, Mirror, Writes, plain, transformer};
use testkit::launches::draft::PRODUCTS;

/// Computes what the kernel writes.
pub(super) fn right(name: &str, it: &Mirror) -> Writes {
    if PRODUCTS.contains(&name) {
        return product(name, it);
    }
    match name.split_once('_').unwrap_or((name, "")) {
        ("broadcast", op) => it.pairs([0, 2, 5, 6], op),
        ("strided", op) => it.pairs([0, 3, 6, 8], op),
        ("plain", name) => plain::right(name, it),
        ("copy", how) => copy(how, it),
        ("index", how) => index(how, it),
        ("softmax", how) => softmax(how, it),
        ("pick", how) => pick(how, it),
        ("reduce", how) => reduce(how, it),
        ("fold", _) => {
            let a = (it.floats(0), it.size(1), it.eight(2));
            fold(it, a, it.eight(3), it.size(5))
        }
        ("attention", how) => transformer::attention(how, it),
        ("norm", how) => transformer::norm(how, it),
        ("transpose", _) => transpose(it),
        ("matvec", how) => matvec(how, it),
        ("product", "vector" | "vector_fours") => product_vector(it),
        ("ew", "repeat") => {
            let (length, inner) = (it.size(2), it.size(3));
            it.each(it.size(4), |i| {
                it.floats(0)[i / (length * inner) * inner + i % inner]
            })
        }
        _ => panic!("say in tests/opencl/mirror.rs what {name} computes"),
    }
}

fn copy(how: &str, it: &Mirror) -> Writes {
    let (a, offset) = (it.floats(0), it.size(1));
    match how {
        "strided" => it.each(it.size(5), |i| {
            a[offset_of(i, offset, it.eight(2), it.eight(3))]
        }),
        "to_strided" => (0..it.size(6).min(it.global[0]))
            .map(|i| {
                let to = offset_of(i, it.size(3), it.eight(4), it.eight(5));
                (to, a[offset + i])
            })
            .collect(),
        "indexed" => {
            let mut all = it.each(it.size(5), |i| it.words(3)[i] as f32);
            all.retain(|(_, from)| (*from as usize) < it.size(2));
            all.iter_mut().for_each(|(i, value)| {
                *value = a[offset + it.words(3)[*i] as usize];
            });
            all
        }
        "tiled" => {
            let (shape, strides, outs) =
                (it.eight(2), it.eight(3), it.eight(5));
            let mut strides = strides;
            strides[6] = 1;
            let n: isize = shape.iter().product();
            let mut outs = outs;
            outs[7] = 1;
            (0..n as usize)
                .map(|i| {
                    let from = offset_of(i, offset, shape, strides);
                    (offset_of(i, 0, shape, outs), a[from])
                })
                .collect()
        }
        _ => {
            let steps = it.eight(2);
            let [lines, k, room] = [4, 5, 6].map(|at| it.size(at));
            let across = room.min(it.groups[0] * 32);
            let number = |line: usize, l: usize| {
                let at = line as isize * steps[2] + l as isize * steps[5];
                if l < k { a[(offset as isize + at) as usize] } else { 0.0 }
            };
            (0..lines)
                .flat_map(|y| (0..across).map(move |x| (y, x)))
                .map(|(y, x)| (y * room + x, number(y, x)))
                .collect()
        }
    }
}

fn index(how: &str, it: &Mirror) -> Writes {
    let (a, offset) = (it.floats(0), it.size(1));
    let (rows, width) = (it.size(2), it.size(3));
    let element = |row: usize, i: usize| a[offset + row * width + i % width];
    match how {
        "select" => {
            let n = it.size(6).min(4 * it.global[0]);
            let row = |i: usize| it.words(4)[i / width] as usize;
            let all = (0..n).filter(|&i| row(i) < rows);
            all.map(|i| (i, element(row(i), i))).collect()
        }
        "add" => it.each(it.size(7), |i| {
            let starts = it.words(4);
            let to = rows.min(starts[i / width + 1] as usize);
            let mut here = starts[i / width] as usize..to;
            let mut total = 0.0;
            for at in &mut here {
                let row = it.words(5)[at] as usize;
                total += if row < rows { element(row, i) } else { 0.0 };
            }
            total
        }),
        _ => it.each(it.size(6), |i| {
            let here = |&row: &usize| it.words(4)[row] as usize == i / width;
            sum((0..rows).filter(here).map(|row| element(row, i)))
        }),
    }
}

fn softmax(how: &str, it: &Mirror) -> Writes {
    if how == "grads" {
        let [of_y, of_grads, columns, n] = [1, 3, 4, 6].map(|at| it.size(at));
        let (y, grads) = (it.floats(0), it.floats(2));
        let element = |at: usize| {
            let row = &grads[of_grads + at / columns * columns..][..columns];
            let all: f32 = row.iter().sum();
            (at, row[at % columns] - y[of_y + at].exp() * all)
        };
        return (0..n * columns).map(element).collect();
    }
    let [offset, columns, rows, logs] = match how {
        "log" => [0, it.size(2), it.groups[0], 1],
        _ => [it.size(1), it.size(2), it.size(5), it.size(3)],
    };
    let row = |at: usize| &it.floats(0)[offset + at * columns..][..columns];
    let shares = (0..rows).flat_map(|at| {
        let most = reduce_values("max", row(at).iter().copied());
        let total: f32 = row(at).iter().map(|x| (x - most).exp()).sum();
        row(at).iter().map(move |x| match logs {
            0 => (x - most).exp() / total,
            _ => x - most - total.ln(),
        })
    });
    shares.enumerate().collect()
}

fn pick(how: &str, it: &Mirror) -> Writes {
    let (a, labels) = (it.floats(0), it.words(1));
    let (classes, n) = (it.size(3), it.size(4));
    let label = |row: usize| labels[row] as usize;
    if how == "backward" {
        return it.each(n, |i| match label(i / classes) == i % classes {
            true => a[i / classes],
            false => 0.0,
        });
    }
    let rows = (0..n.min(it.global[0])).filter(|&row| label(row) < classes);
    rows.map(|row| (row, a[row * classes + label(row)])).collect()
}

fn reduce(how: &str, it: &Mirror) -> Writes {
    let a = it.floats(0);
    match how {
        "coarse" => {
            let items = it.global[0];
            let each = |at: usize| {
                let of = |i: &usize| i % items / 256 == at;
                sum((0..it.size(2)).filter(of).map(|i| a[i]))
            };
            (0..it.groups[0]).map(|at| (at, each(at))).collect()
        }
        "sum" | "interleaved" | "packed" => {
            let groups = a[..it.size(2)].chunks(256).take(it.groups[0]);
            let sums = groups.map(|group| sum(group.iter().copied()));
            let none = std::iter::repeat(0.0);
            sums.chain(none).take(it.groups[0]).enumerate().collect()
        }
        "rows" => {
            let columns = it.size(2);
            let row = |at: usize| a[at * columns..][..columns].iter().copied();
            (0..it.groups[0]).map(|at| (at, sum(row(at)))).collect()
        }
        "axis" => {
            let (length, inner) = (it.size(2), it.size(3));
            it.each(it.size(4), |i| {
                let first = i / inner * length * inner + i % inner;
                sum((0..length).map(|step| a[first + step * inner]))
            })
        }
        "rows_sum" | "rows_max" => {
            let [offset, stride, columns, part, n] =
                [1, 2, 3, 4, 6].map(|at| it.size(at));
            let parts = columns.div_ceil(part);
            let element = |at: usize| {
                let from = at % parts * part;
                let row = &a[offset + at / parts * stride..];
                let row = &row[from..columns.min(from + part)];
                (at, reduce_values(how, row.iter().copied()))
            };
            (0..n).map(element).collect()
        }
        "columns_sum" | "columns_max" => {
            let [offset, down, across, inner, outer] =
                [1, 2, 3, 4, 5].map(|at| it.size(at));
            let [width, height, part] = [6, 7, 8].map(|at| it.size(at));
            it.each(width * height.div_ceil(part), |i| {
                let from = i / width * part;
                let rows = from..height.min(from + part);
                let i = i % width;
                let column = offset + i / inner * outer + i % inner * across;
                reduce_values(how, rows.map(|row| a[column + row * down]))
            })
        }
        "short_sum" | "short_max" => {
            let [offset, down, across, inner, outer, width, height] =
                [1, 2, 3, 4, 5, 6, 7].map(|at| it.size(at));
            it.each(width, |i| {
                let column = offset + i / inner * outer + i % inner * across;
                reduce_values(
                    how,
                    (0..height).map(|row| a[column + row * down]),
                )
            })
        }
        _ => reduce_few(how, it),
    }
}

/// Reduces rows along the last four axes of a view.
fn reduce_few(how: &str, it: &Mirror) -> Writes {
    let (a, offset, shape) = (it.floats(0), it.size(1), it.eight(2));
    let size: isize = shape[4..].iter().product();
    let row = |i: usize| {
        let of_row = i * size as usize..(i + 1) * size as usize;
        of_row.map(|at| (at, a[offset_of(at, offset, shape, it.eight(3))]))
    };
    if how != "few_share" {
        return it
            .each(it.size(5), |i| reduce_values(how, row(i).map(|(_, x)| x)));
    }
    let [of_most, of_grads, n] = [5, 7, 10].map(|at| it.size(at));
    let rows = (0..n.min(it.global[0])).flat_map(|i| {
        let most = it.floats(4)[of_most + i];
        let count = row(i).filter(|(_, x)| *x == most).count();
        let share = it.floats(6)[of_grads + i] / count as f32;
        row(i).map(move |(at, x)| (at, if x == most { share } else { 0.0 }))
    });
    rows.map(|(at, share)| (offset_of(at, 0, shape, it.eight(9)), share))
        .collect()
}

/// Returns the number of windows down and across an image.
pub(super) fn windows(sizes: [isize; 8]) -> [isize; 2] {
    let [h, w, height, width, down, right, spread, apart] = sizes;
    let fits =
        |size, window, gap, step| (size - (window - 1) * gap - 1) / step + 1;
    [fits(h, height, spread, down), fits(w, width, apart, right)]
}

/// Adds up each element of an image from all windows that contain it.
pub(super) fn fold(
    it: &Mirror,
    (a, offset, strides): (&[f32], usize, [isize; 8]),
    sizes: [isize; 8],
    n: usize,
) -> Writes {
    let [h, w, height, width, down, right, spread, apart] = sizes;
    let [rows, columns] = windows(sizes);
    it.each(n, |i| {
        let i = i as isize;
        let (image, y, x) = (i / w / h, i / w % h, i % w);
        let mut total = 0.0;
        for row in 0..rows {
            for column in 0..columns {
                for v in 0..height {
                    for u in 0..width {
                        let shown = [
                            row * down + v * spread,
                            column * right + u * apart,
                        ];
                        if shown == [y, x] {
                            let index = [image, row, column, v, u];
                            let steps = index.iter().zip(strides);
                            let at: isize =
                                steps.map(|(i, step)| i * step).sum();
                            total += a[offset + at as usize];
                        }
                    }
                }
            }
        }
        total
    })
}

fn transpose(it: &Mirror) -> Writes {
    let (rows, columns) = (it.size(2), it.size(3));
    let [across, down, matrices] = it.groups;
    let mut all = Writes::new();
    for matrix in 0..matrices {
        for y in 0..rows.min(16 * down) {
            for x in 0..columns.min(16 * across) {
                let before = matrix * rows * columns;
                let value = it.floats(0)[before + y * columns + x];
                all.push((before + x * rows + y, value));
            }
        }
    }
    all
}

fn matvec(how: &str, it: &Mirror) -> Writes {
    let (m, k) = (it.size(3), it.size(4));
    let rows = if how == "teams" { 8 * it.groups[1] } else { it.global[0] };
    let row = |at: usize| it.floats(0)[at * k..][..k].iter().zip(it.floats(1));
    let element = |at| (at, sum(row(at).map(|(x, y)| x * y)));
    (0..m.min(rows)).map(element).collect()
}

fn product_vector(it: &Mirror) -> Writes {
    let (strides, m, k) = (it.eight(4), it.size(6), it.size(7));
    let [batches, length] = [strides[5], strides[6]].map(|it| it as usize);
    let parts = if k == 0 { 1 } else { (k - 1) / length + 1 };
    let element = |at: usize| {
        let (row, batch, part) = (at % m, at / m % batches, at / m / batches);
        let [row, batch] = [row, batch].map(|it| it as isize);
        let a = batch * strides[0] + row * strides[1];
        let b = batch * strides[3];
        let all = part * length..k.min((part + 1) * length);
        sum(all.map(|l| {
            let a = a + l as isize * strides[2] + it.size(1) as isize;
            let b = b + l as isize * strides[4] + it.size(3) as isize;
            it.floats(0)[a as usize] * it.floats(2)[b as usize]
        }))
    };
    (0..parts * batches * m).map(|at| (at, element(at))).collect()
}

/// Rows, columns and sums each have up to three axes. For long sums, a group
/// computes an 8 x 8 square.
fn product(name: &str, it: &Mirror) -> Writes {
    let (a_to, b_to, sizes) = (it.eight(2), it.eight(5), it.eight(6));
    let [m, k, n] = [8, 9, 10].map(|at| it.size(at));
    let [batches, length] = [sizes[6], sizes[7]].map(|it| it as usize);
    let parts = if k == 0 { 1 } else { (k - 1) / length + 1 };
    let way = |i: usize, sizes: &[isize], steps: &[isize]| {
        let (i, inner) = (i as isize, sizes[1]);
        i % inner * steps[2]
            + i / inner % sizes[0] * steps[1]
            + i / inner / sizes[0] * steps[0]
    };
    let number =
        |operand: usize, batch: usize, line: isize, to: &[isize; 8], l| {
            let along = way(l, &sizes[4..6], &to[3..6]);
            let at = it.size(operand + 1) as isize + batch as isize * to[6];
            it.floats(operand)[(at + line + along) as usize]
        };
    let most = match name {
        "product_long_sums" => [8 * it.groups[1], 8 * it.groups[0]],
        _ => [m, n],
    };
    let mut all = Writes::new();
    for at in 0..parts * batches * m * n {
        let (which, row, column) = (at / n / m, at / n % m, at % n);
        if row >= most[0] || column >= most[1] {
            continue;
        }
        let (part, batch) = (which / batches, which % batches);
        let lines = [
            way(row, &sizes[0..2], &a_to[0..3]),
            way(column, &sizes[2..4], &b_to[0..3]),
        ];
        let along = part * length..k.min((part + 1) * length);
        let products = along.map(|l| {
            number(0, batch, lines[0], &a_to, l)
                * number(3, batch, lines[1], &b_to, l)
        });
        all.push((at, sum(products)));
    }
    all
}

impl Mirror {
    /// Applies `f` to the corresponding elements of two views with the same
    /// shape.
    fn pairs(&self, [a, b, shape, n]: [usize; 4], op: &str) -> Writes {
        let offset = |at| match self.given[at + 1] {
            HostArgument::Number(Scalar::U32(offset)) => {
                (offset as usize, at + 2)
            }
            _ => (0, at + 1),
        };
        let shape = self.eight(shape);
        let element = |at: usize, i| {
            let (offset, strides) = offset(at);
            self.floats(at)[offset_of(i, offset, shape, self.eight(strides))]
        };
        let values = |i| {
            let (x, y) = (element(a, i), element(b, i));
            match op {
                "add" => x + y,
                "mul" => x * y,
                "div" => x / y,
                "lt" => f32::from(x < y),
                "le" => f32::from(x <= y),
                "eq" => f32::from(x == y),
                _ => x.powf(y),
            }
        };
        // In Part 3, each item computes four elements.
        let of_one = if self.given.len() > 7 { 4 } else { 1 };
        let n = self.size(n).min(of_one * self.global[0]);
        (0..n).map(|i| (i, values(i))).collect()
    }
}

/// Returns the memory offset of element `i` of a view.
pub(super) fn offset_of(
    mut i: usize,
    offset: usize,
    shape: [isize; 8],
    strides: [isize; 8],
) -> usize {
    let mut at = offset as isize;
    for (size, stride) in shape.into_iter().zip(strides).rev() {
        at += (i as isize % size) * stride;
        i /= size as usize;
    }
    at as usize
}

pub(super) fn sum(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(0.0, |sum, x| sum + x)
}

pub(super) fn reduce_values(
    name: &str,
    values: impl Iterator<Item = f32>,
) -> f32 {
    match name.ends_with("max") {
        true => values.fold(f32::NEG_INFINITY, f32::max),
        false => sum(values),
    }
}
