//! Derived operations that move elements, and operations on windows.

use rungrad::ConvOptions;
use rungrad::part3_unified::{Tensor, Window};
use rungrad::reference::{self, Array};
use rungrad::shape;

use super::{Derived, element, fill, indices, linear_index, sizes, with};
use testkit::random::Random;

pub(super) fn pad(random: &mut Random) -> Derived {
    let shape = sizes(random, 3);
    let widths: Vec<[usize; 2]> =
        shape.iter().map(|_| [random.below(3), random.below(3)]).collect();
    let given = widths.clone();
    Derived::new(
        format!("pad {widths:?}"),
        &[&shape],
        move |of| of[0].pad_with(&given, 3.0),
        move |of| {
            let axes = of[0].shape.iter().zip(&widths);
            let shape: Vec<usize> =
                axes.map(|(n, [before, behind])| n + before + behind).collect();
            fill(&shape, |at| {
                let axes = at.iter().zip(&widths).zip(&of[0].shape);
                let inner = axes.map(|((i, [before, _]), n)| {
                    i.checked_sub(*before).filter(|i| i < n)
                });
                let inner: Option<Vec<usize>> = inner.collect();
                inner.map_or(3.0, |at| element(&of[0], &at))
            })
        },
    )
}

/// One operand gets an axis of size 1, which is removed by `squeeze`.
pub(super) fn stack(random: &mut Random) -> Derived {
    let shape = sizes(random, 3);
    let axis = random.below(shape.len() + 1);
    Derived::new(
        format!("stack {axis}"),
        &[&shape, &shape],
        move |of| {
            let again = of[1].unsqueeze(axis).squeeze(axis);
            Tensor::stack(&[&of[0], &again], axis)
        },
        move |of| {
            let mut shape = of[0].shape.clone();
            shape.insert(axis, 2);
            fill(&shape, |at| {
                let mut at = at.to_vec();
                let part = at.remove(axis);
                element(&of[part], &at)
            })
        },
    )
}

pub(super) fn repeat(random: &mut Random) -> Derived {
    let shape = sizes(random, 3);
    let new = random.below(2);
    let counts: Vec<usize> =
        (0..shape.len() + new).map(|_| random.below(4)).collect();
    let given = counts.clone();
    Derived::new(
        format!("repeat {counts:?}"),
        &[&shape],
        move |of| of[0].repeat(&given),
        move |of| {
            let own = [&[1; 1][..new], &of[0].shape].concat();
            let axes = own.iter().zip(&counts);
            let shape: Vec<usize> = axes.map(|(n, count)| n * count).collect();
            fill(&shape, |at| {
                let at = at.iter().zip(&own).map(|(i, n)| i % n);
                element(&of[0], &at.skip(new).collect::<Vec<_>>())
            })
        },
    )
}

/// Keeps an element depending on its row, its column and the requested
/// diagonal.
pub(super) fn triangle(
    random: &mut Random,
    name: &str,
    call: fn(&Tensor, isize) -> Tensor,
    is_kept: fn(isize, isize) -> bool,
) -> Derived {
    let shape = [random.below(3), random.below(4), random.below(4)];
    let diagonal = random.below(7) as isize - 3;
    let judge = move |of: &[Array]| {
        fill(&of[0].shape, |at| {
            let over = at[2] as isize - at[1] as isize;
            if is_kept(over, diagonal) { element(&of[0], at) } else { 0.0 }
        })
    };
    let what = format!("{name} {diagonal}");
    Derived::new(what, &[&shape], move |of| call(&of[0], diagonal), judge)
}

/// Draws a shape, an axis, a shape of indices along the axis, and the indices.
fn indexed(random: &mut Random) -> (Vec<usize>, usize, Vec<usize>, Vec<usize>) {
    let shape: Vec<usize> =
        sizes(random, 3).iter().map(|n| n.max(&1)).copied().collect();
    let axis = random.below(shape.len());
    let mut to: Vec<usize> =
        shape.iter().map(|n| random.below(n + 1)).collect();
    to[axis] = random.below(5);
    let count = to.iter().product();
    let indices = (0..count).map(|_| random.below(shape[axis])).collect();
    (shape, axis, to, indices)
}

pub(super) fn gather(random: &mut Random) -> Derived {
    let (shape, axis, to, list) = indexed(random);
    let (given, wanted) = (list.clone(), to.clone());
    Derived::new(
        format!("gather {axis} {to:?} {list:?}"),
        &[&shape],
        move |of| of[0].gather(axis, &wanted, &given),
        move |of| {
            fill(&to, |at| {
                let place = list[linear_index(&to, at)];
                element(&of[0], &with(at, axis, place))
            })
        },
    )
}

pub(super) fn scatter_add(random: &mut Random) -> Derived {
    let (shape, axis, from, list) = indexed(random);
    let given = list.clone();
    let what = format!("scatter_add {axis} {list:?}");
    let call = move |of: &[Tensor]| of[0].scatter_add(axis, &given, &of[1]);
    let judge = move |of: &[Array]| {
        let mut all = of[0].clone();
        for (at, (value, &place)) in
            indices(&of[1].shape).zip(of[1].values.iter().zip(&list))
        {
            let at = linear_index(&all.shape, &with(&at, axis, place));
            all.values[at] += value;
        }
        all
    };
    Derived::new(what, &[&shape, &from], call, judge)
}

pub(super) fn index_add(random: &mut Random) -> Derived {
    let shape = sizes(random, 3);
    let axis = random.below(shape.len());
    let count = if shape[axis] == 0 { 0 } else { random.below(5) };
    let list: Vec<usize> =
        (0..count).map(|_| random.below(shape[axis])).collect();
    let from = with(&shape, axis, count);
    let given = list.clone();
    let what = format!("index_add {axis} {list:?}");
    let call = move |of: &[Tensor]| of[0].index_add(axis, &given, &of[1]);
    let judge = move |of: &[Array]| {
        let mut all = of[0].clone();
        for (at, value) in indices(&of[1].shape).zip(&of[1].values) {
            let place = with(&at, axis, list[at[axis]]);
            let at = linear_index(&all.shape, &place);
            all.values[at] += value;
        }
        all
    };
    Derived::new(what, &[&shape, &from], call, judge)
}

/// Draws a window and the size of an image that it fits.
fn window(random: &mut Random) -> (Window, [usize; 2]) {
    let mut pair = |n: usize| [random.below(n), random.below(n)];
    let window = Window::new(pair(2).map(|n| n + 1))
        .stride(pair(3).map(|n| n + 1))
        .dilation(pair(3).map(|n| n + 1));
    let (extent, more) = (window.extent(), pair(3));
    // A pool allows a padding of at most half of the window.
    let padding = [0, 1].map(|i| extent[i] / 2).map(|n| random.below(n + 1));
    let image = [0, 1].map(|i| extent[i] + more[i]);
    (window.padding(padding), image)
}

/// Returns the pixel of the image that a position in a window shows, if it is
/// not padding.
fn pixel(
    window: &Window,
    image: [usize; 2],
    [place, inner]: [[usize; 2]; 2],
) -> Option<[usize; 2]> {
    let along = |i: usize| {
        let at = place[i] * window.stride[i] + inner[i] * window.dilation[i];
        at.checked_sub(window.padding[i]).filter(|&at| at < image[i])
    };
    along(0).zip(along(1)).map(|(y, x)| [y, x])
}

pub(super) fn conv2d(random: &mut Random) -> Derived {
    let (window, [h, w]) = window(random);
    let Window { size: [height, width], stride, padding, dilation } = window;
    let [n, groups] = [1, 2].map(|n| 1 + random.below(n));
    let [channels, each] = [(); 2].map(|()| 1 + random.below(2));
    let out = groups * each;
    let with_bias = random.below(2) == 0;
    let options = ConvOptions { stride, padding, dilation, groups };
    let images = [n, groups * channels, h, w];
    let filters = [out, channels, height, width];
    let call = move |of: &[Tensor]| {
        of[0].conv2d(&of[1], with_bias.then(|| &of[2]), &options)
    };
    let judge = move |of: &[Array]| {
        let [rows, columns] = window.positions(&[h, w]).unwrap();
        fill(&[n, out, rows, columns], |at| {
            let &[image, filter, row, column] = at else { unreachable!() };
            let products = indices(&[channels, height, width]).map(|of_one| {
                let [channel, y, x] = of_one[..] else { unreachable!() };
                let seen = [[row, column], [y, x]];
                let from = filter / each * channels + channel;
                pixel(&window, [h, w], seen).map_or(0.0, |[v, u]| {
                    element(&of[0], &[image, from, v, u])
                        * element(&of[1], &[filter, channel, y, x])
                })
            });
            let bias = if with_bias { of[2].values[filter] } else { 0.0 };
            products.sum::<f64>() + bias
        })
    };
    let what = format!("conv2d {options:?} {with_bias}");
    let shapes: [&[usize]; 3] = [&images, &filters, &[out]];
    let shapes = &shapes[..2 + usize::from(with_bias)];
    Derived::new(what, shapes, call, judge)
}

/// Applies `judge` to the pixels of each window and to the window's size.
pub(super) fn pool(
    random: &mut Random,
    name: &str,
    call: fn(&Tensor, &Window) -> Tensor,
    judge: fn(&[f64], usize) -> f64,
) -> Derived {
    let (window, image) = window(random);
    let shape = [1, 1 + random.below(2), image[0], image[1]];
    let judge = move |of: &[Array]| {
        let [rows, columns] = window.positions(&image).unwrap();
        fill(&[1, shape[1], rows, columns], |at| {
            let shown = indices(&window.size).filter_map(|inner| {
                let seen = [[at[2], at[3]], [inner[0], inner[1]]];
                let [v, u] = pixel(&window, image, seen)?;
                Some(element(&of[0], &[0, at[1], v, u]))
            });
            judge(&shown.collect::<Vec<_>>(), window.size.iter().product())
        })
    };
    let what = format!("{name} {window}");
    Derived::new(what, &[&shape], move |of| call(&of[0], &window), judge)
}

/// A matmul whose batch axes broadcast.
pub(super) fn matmul(random: &mut Random) -> Derived {
    let [m, k, n] = [(); 3].map(|()| random.below(4));
    let outer = [random.below(3), 1 + random.below(2)];
    let (a, b) = match random.below(3) {
        0 => (vec![outer[1], m, k], vec![1, k, n]),
        1 => (vec![m, k], vec![outer[0], outer[1], k, n]),
        _ => (vec![outer[0], 1, m, k], vec![outer[1], k, n]),
    };
    let call = |of: &[Tensor]| of[0].matmul(&of[1]);
    let judge = |of: &[Array]| {
        let [a, b] = [0, 1].map(|i| &of[i].shape);
        let (x, y) = (&a[..a.len() - 2], &b[..b.len() - 2]);
        let outer = shape::broadcast(x, y).unwrap();
        let whole = |a: &Array| {
            let inner = &a.shape[a.shape.len() - 2..];
            reference::expand(a, &[&outer, inner].concat())
        };
        reference::matmul(&whole(&of[0]), &whole(&of[1]))
    };
    Derived::new("matmul".into(), &[&a, &b], call, judge)
}
