//! Which rows there are. Sizes follow the device: what fills a card would
//! take a processor minutes.

use crate::work::Transformer;
use crate::work::Work::{self, *};

/// What the sizes follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The processor, through no driver.
    Processor,
    /// A device with little memory, or a processor behind an OpenCL driver.
    Small,
    /// A card with memory of its own.
    Card,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) work: Work,
    /// Whether it stands in the quick run too.
    pub(crate) is_quick: bool,
}

impl Row {
    pub(crate) fn name(&self) -> String {
        self.work.to_string()
    }
}

/// Lists all rows of a device, those that tell what it can do at most first.
pub(crate) fn rows(class: Class) -> Vec<Row> {
    let mut rows = List::default();
    let is_card = class == Class::Card;
    rows.quick(Copy(if is_card { 1 << 28 } else { 1 << 24 }));
    if is_card {
        rows.quick(CopyHalves(1 << 29));
    }
    moves(&mut rows, class);
    products(&mut rows, class);
    steps(&mut rows, class);
    rows.0
}

#[derive(Default)]
struct List(Vec<Row>);

impl List {
    fn quick(&mut self, work: Work) {
        self.0.push(Row { work, is_quick: true });
    }

    fn whole(&mut self, work: Work) {
        self.0.push(Row { work, is_quick: false });
    }
}

/// Lists what only moves numbers, or does little with each.
fn moves(rows: &mut List, class: Class) {
    let is_card = class == Class::Card;
    rows.quick(Multiply(1));
    rows.whole(Multiply(1000));
    rows.quick(Multiply(1_000_000));
    match is_card {
        true => {
            rows.quick(Multiply(1 << 26));
            rows.whole(Multiply(1 << 28));
        }
        false => rows.whole(Multiply(10_000_000)),
    }
    let side = if is_card { 16384 } else { 1024 };
    rows.quick(Sum { side, axis: None });
    rows.quick(Sum { side, axis: Some(0) });
    rows.whole(Sum { side, axis: Some(1) });
    rows.whole(Max { side, axis: 0 });
    rows.quick(Max { side, axis: 1 });
    // Along the middle, and over axes that do not lie together.
    let sizes = if is_card { [512, 1024, 512] } else { [64, 128, 128] };
    for axes in [&[1][..], &[2], &[0, 2]] {
        rows.whole(SumOver { sizes, axes });
    }
    rows.quick(Turn(side));
    if !is_card {
        rows.whole(Turn(4096));
    }
    rows.quick(AddRow(side));
    rows.quick(Softmax { rows: side, columns: side });
    rows.whole(LogSoftmax { rows: side, columns: side });
    // No whole fours: a row begins anywhere.
    let (long, short) =
        if is_card { ([16385, 16383], 131_072) } else { ([64, 16383], 1000) };
    rows.whole(Softmax { rows: long[0], columns: long[1] });
    rows.whole(LogSoftmax { rows: short, columns: 1001 });
    rows.quick(match is_card {
        true => Gather { rows: 65536, columns: 1024 },
        false => Gather { rows: 16384, columns: 64 },
    });
    rows.quick(Seven(if is_card { 1 << 26 } else { 1_000_000 }));
    if !is_card {
        rows.whole(Seven(10_000_000));
    }
}

fn products(rows: &mut List, class: Class) {
    let one = |sizes, turned| Product { batch: 1, sizes, turned };
    let square = |side| one([side; 3], [false; 2]);
    let sizes: &[usize] = match class {
        Class::Processor => &[64, 128, 256, 512, 1000, 1024, 2048],
        Class::Small => &[64, 128, 256, 512, 1000, 1024],
        Class::Card => &[64, 128, 256, 512, 1000, 1024, 2048, 4096, 4097, 8192],
    };
    for &side in sizes {
        match (side, class) {
            (256, _)
            | (1024, Class::Processor)
            | (1024 | 4096, Class::Card) => rows.quick(square(side)),
            _ => rows.whole(square(side)),
        }
    }
    let side = match class {
        Class::Processor => 1024,
        Class::Small => 512,
        Class::Card => 4096,
    };
    for turned in [[true, false], [false, true], [true, true]] {
        rows.whole(one([side; 3], turned));
    }
    let few = if class == Class::Card { 256 } else { 32 };
    for sizes in [[64, 64, 64], [128, 32, 128]] {
        rows.whole(Product { batch: few, sizes, turned: [false; 2] });
    }
    for sizes in [[32, 64, 32], [128, 784, 256], [1, 4096, 4096]] {
        rows.whole(one(sizes, [false; 2]));
    }
    if class == Class::Card {
        // Small results of long sums, and large ones of short.
        rows.whole(one([256, 65536, 256], [false; 2]));
        rows.whole(one([16384, 64, 16384], [false; 2]));
    }
    for turned in [false, true] {
        rows.quick(Vector { rows: 100_000, columns: 100, turned });
    }
    if class != Class::Small {
        rows.whole(Vector { rows: 16384, columns: 4096, turned: false });
    }
    if class == Class::Card {
        rows.whole(Vector { rows: 65536, columns: 4096, turned: false });
    }
}

fn steps(rows: &mut List, class: Class) {
    let is_card = class == Class::Card;
    rows.quick(Notebook(2));
    rows.whole(Notebook(if is_card { 1 << 26 } else { 1_000_000 }));
    rows.quick(Chain(1000));
    rows.whole(Forward(1000));
    rows.quick(Mlp { batch: 32, inputs: 64, hidden: 32 });
    rows.quick(Mlp { batch: 128, inputs: 784, hidden: 256 });
    if is_card {
        rows.quick(Mlp { batch: 4096, inputs: 4096, hidden: 4096 });
    }
    rows.quick(Cnn(32));
    if is_card {
        rows.quick(Cnn(4096));
    }
    transformers(rows, class);
}

/// Lists those of `part3_names`, the small one first, and of
/// `part3_shakespeare`.
fn transformers(rows: &mut List, class: Class) {
    let names = |batch, layers, width| {
        let (context, heads, vocabulary) = (16, 4, 27);
        let sizes =
            Transformer { batch, context, width, layers, heads, vocabulary };
        Gpt(sizes)
    };
    rows.whole(names(32, 2, 32));
    rows.whole(names(64, 4, 64));
    let [batch, context, width, layers, heads] = match class {
        Class::Card => [64, 256, 384, 6, 6],
        _ => [12, 64, 128, 4, 4],
    };
    let vocabulary = 65;
    let sizes =
        Transformer { batch, context, width, layers, heads, vocabulary };
    rows.whole(Gpt(sizes));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_rows_have_one_name() {
        for class in [Class::Processor, Class::Small, Class::Card] {
            let rows = rows(class);
            let names: BTreeSet<String> = rows.iter().map(Row::name).collect();
            assert_eq!(names.len(), rows.len());
            assert!(rows[0].name().starts_with("copy "), "the limit first");
            assert!(rows.iter().filter(|row| row.is_quick).count() > 10);
        }
    }
}
