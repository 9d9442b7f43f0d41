//! The rows of the table. The sizes depend on the device, because sizes that
//! keep a graphics card busy would take minutes on a processor.

use crate::kinds::*;
use crate::work::Work;

/// The classes of devices, which determine the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The processor, without a driver.
    Processor,
    /// A device with little memory, or a processor with an OpenCL driver.
    Small,
    /// A graphics card with dedicated memory.
    Card,
}

/// Returns all rows for a device. The first ones measure its limits.
pub(crate) fn rows(class: Class) -> Vec<Work> {
    let is_card = class == Class::Card;
    let mut rows = vec![copy(if is_card { 1 << 28 } else { 1 << 24 }).quick()];
    if is_card {
        rows.push(copy_halves(1 << 29).quick());
    }
    rows.extend(moves(is_card));
    rows.extend(products(class));
    rows.extend(steps(class));
    rows
}

/// Returns the rows that are mostly limited by memory bandwidth.
fn moves(is_card: bool) -> Vec<Work> {
    let mut rows =
        vec![multiply(1).quick(), multiply(1000), multiply(1_000_000).quick()];
    match is_card {
        true => {
            rows.push(multiply(1 << 26).quick());
            rows.push(multiply(1 << 28));
        }
        false => rows.push(multiply(10_000_000)),
    }
    let side = if is_card { 16384 } else { 1024 };
    rows.extend([
        sum(side, None).quick(),
        sum(side, Some(0)).quick(),
        sum(side, Some(1)),
        max(side, 0),
        max(side, 1).quick(),
    ]);
    // Along the middle axis, and along axes that are not adjacent.
    let sizes = if is_card { [512, 1024, 512] } else { [64, 128, 128] };
    for axes in [&[1][..], &[2], &[0, 2]] {
        rows.push(sum_over(sizes, axes));
    }
    rows.push(transpose(side).quick());
    if !is_card {
        rows.push(transpose(4096));
    }
    // If the length is not a multiple of four, most rows are not aligned.
    let (long, short) =
        if is_card { ([16385, 16383], 131_072) } else { ([64, 16383], 1000) };
    let table = if is_card { [65536, 1024] } else { [16384, 64] };
    rows.extend([
        broadcast(side).quick(),
        softmax(side, side).quick(),
        log_softmax(side, side),
        softmax(long[0], long[1]),
        log_softmax(short, 1001),
        gather(table[0], table[1]).quick(),
        seven(if is_card { 1 << 26 } else { 1_000_000 }).quick(),
    ]);
    if !is_card {
        rows.push(seven(10_000_000));
    }
    rows
}

fn products(class: Class) -> Vec<Work> {
    let single = |sizes| matmul(1, sizes, [false; 2]);
    let (sizes, quick, side): (&[usize], &[usize], usize) = match class {
        Class::Processor => {
            (&[64, 128, 256, 512, 1000, 1024, 2048], &[256, 1024], 1024)
        }
        Class::Small => (&[64, 128, 256, 512, 1000, 1024], &[256], 512),
        Class::Card => (
            &[64, 128, 256, 512, 1000, 1024, 2048, 4096, 4097, 8192],
            &[256, 1024, 4096],
            4096,
        ),
    };
    let square = |side: &usize| match quick.contains(side) {
        true => single([*side; 3]).quick(),
        false => single([*side; 3]),
    };
    let mut rows: Vec<Work> = sizes.iter().map(square).collect();
    for turned in [[true, false], [false, true], [true, true]] {
        rows.push(matmul(1, [side; 3], turned));
    }
    let few = if class == Class::Card { 256 } else { 32 };
    for sizes in [[64, 64, 64], [128, 32, 128]] {
        rows.push(matmul(few, sizes, [false; 2]));
    }
    for sizes in [[32, 64, 32], [128, 784, 256], [1, 4096, 4096]] {
        rows.push(single(sizes));
    }
    if class == Class::Card {
        // Small results with long sums, and large results with short sums.
        rows.push(single([256, 65536, 256]));
        rows.push(single([16384, 64, 16384]));
    }
    for turned in [false, true] {
        rows.push(matvec(100_000, 100, turned).quick());
    }
    if class != Class::Small {
        rows.push(matvec(16384, 4096, false));
    }
    if class == Class::Card {
        rows.push(matvec(65536, 4096, false));
    }
    rows
}

fn steps(class: Class) -> Vec<Work> {
    let is_card = class == Class::Card;
    let mut rows = vec![
        notebook(2).quick(),
        notebook(if is_card { 1 << 26 } else { 1_000_000 }),
        chain(1000, true).quick(),
        chain(1000, false),
        mlp(32, 64, 32).quick(),
        mlp(128, 784, 256).quick(),
    ];
    if is_card {
        rows.push(mlp(4096, 4096, 4096).quick());
    }
    rows.push(cnn(32).quick());
    if is_card {
        rows.push(cnn(4096).quick());
    }
    // The transformers of `part3_names`, beginning with the small one, and of
    // `part3_shakespeare`.
    let names = |batch, layers, width| {
        let (context, heads, vocabulary) = (16, 4, 27);
        gpt(Transformer { batch, context, width, layers, heads, vocabulary })
    };
    let [batch, context, width, layers, heads] = match is_card {
        true => [64, 256, 384, 6, 6],
        false => [12, 64, 128, 4, 4],
    };
    let vocabulary = 65;
    let large =
        Transformer { batch, context, width, layers, heads, vocabulary };
    rows.extend([names(32, 2, 32), names(64, 4, 64), gpt(large)]);
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn row_names_are_unique() {
        for class in [Class::Processor, Class::Small, Class::Card] {
            let rows = rows(class);
            let names: BTreeSet<String> =
                rows.iter().map(Work::to_string).collect();
            assert_eq!(names.len(), rows.len());
            assert!(rows[0].to_string().starts_with("copy "), "the limit");
            assert!(rows.iter().filter(|row| row.is_quick).count() > 10);
        }
    }
}
