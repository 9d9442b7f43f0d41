//! What the book shows and nobody types: outputs of programs, differences
//! between listings, formulas, drawn figures. `UPDATE=1 cargo test --test
//! book` writes these files; without it the tests compare.

use std::fs;

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};
use similar::{ChangeTag, TextDiff};

use crate::anchor::region;
use crate::exercise;
use crate::figures;
use crate::near::near;
use crate::tree::{Fault, Tree, fault};

/// What a command prints, below the command itself.
#[derive(Clone, Copy)]
pub struct Output {
    pub out: &'static str,
    /// What the reader types: `cargo run --example ..` or `cargo learn try
    /// ..`, variables before it.
    pub command: &'static str,
    /// The code that it ends with.
    pub code: i32,
    /// Whether it needs an OpenCL device.
    pub device: bool,
}

/// The way from one region to another: `src/part1_cpu/ops.rs:mul`.
#[derive(Clone, Copy)]
pub struct Diff {
    pub out: &'static str,
    pub old: &'static str,
    pub new: &'static str,
}

/// A figure that `rungrad::draw` makes.
#[derive(Clone, Copy)]
pub struct Figure {
    pub out: &'static str,
    pub draw: fn() -> String,
}

/// A figure that an example has drawn: one of the outputs, which wrote it.
#[derive(Clone, Copy)]
pub struct Picture {
    pub out: &'static str,
    pub written: &'static str,
}

#[derive(Clone, Copy)]
pub struct Manifest {
    pub outputs: &'static [Output],
    pub diffs: &'static [Diff],
    pub figures: &'static [Figure],
    pub pictures: &'static [Picture],
    /// What comes out of training: a processor that rounds elsewhere ends
    /// near these numbers, not at them.
    pub trained: &'static [&'static str],
}

/// Everything generated, formulas apart: each `book/math/x.tex` becomes
/// `book/listings/x.mml`.
pub const MANIFEST: Manifest = Manifest {
    outputs: &[
        here(
            "book/listings/try_part1.out",
            "cargo learn try \"(a*b)*b\" a=2,3 b=3,4",
        ),
        here(
            "book/listings/try_part3.out",
            "cargo learn try \"(a*b)*b\" a=2,3 b=3,4 --engine part3",
        ),
        here(
            "book/listings/part1_nudge.out",
            "cargo run --example part1_nudge",
        ),
        here(
            "book/listings/part1_judge.out",
            "cargo run --example part1_judge",
        ),
        here(
            "book/listings/part1_step2_graph.out",
            "cargo run --example part1_step2_graph",
        ),
        here("book/listings/part1_set.out", "cargo run --example part1_set"),
        here(
            "book/listings/part1_changed.out",
            "cargo run --example part1_changed",
        ),
        here(
            "book/listings/part1_graph.out",
            "cargo run --example part1_graph",
        ),
        here(
            "book/listings/part1_step3_local.out",
            "cargo run --example part1_step3_local",
        ),
        here(
            "book/listings/part1_step4_backward.out",
            "cargo run --example part1_step4_backward",
        ),
        here(
            "book/listings/part1_order.out",
            "cargo run --example part1_order",
        ),
        here(
            "book/listings/part1_twice.out",
            "cargo run --example part1_twice",
        ),
        here(
            "book/listings/part1_cycle.out",
            "cargo run --example part1_cycle",
        ),
        here(
            "book/listings/part1_overflow.out",
            "cargo run --example part1_overflow",
        ),
        here(
            "book/listings/part1_backprop.out",
            "cargo run --example part1_backprop",
        ),
        here(
            "book/listings/part1_reflected.out",
            "cargo run --example part1_reflected",
        ),
        here(
            "book/listings/part1_sigmoid.out",
            "cargo run --example part1_sigmoid",
        ),
        refused(
            "book/listings/try_relu.out",
            "cargo learn try \"relu(a)\" a=-1,0,1",
        ),
        here("book/listings/try_max.out", "cargo learn try \"max(a)\" a=3,3,1"),
        here("book/listings/try_abs.out", "cargo learn try \"abs(a)\" a=-2,3"),
        Output {
            out: "book/listings/part1_unsummed.out",
            command: "cargo run --example part1_unsummed",
            code: 101,
            device: false,
        },
        here(
            "book/listings/part1_stretch.out",
            "cargo run --example part1_stretch",
        ),
        here(
            "book/listings/part1_shapes.out",
            "cargo run --example part1_shapes -- 4 4,1",
        ),
        here(
            "book/listings/part1_refusals.out",
            "cargo run --example part1_refusals",
        ),
        here(
            "book/listings/part1_transposed.out",
            "cargo run --example part1_transposed",
        ),
        here(
            "book/listings/part1_softmax.out",
            "cargo run --example part1_softmax",
        ),
        here("book/listings/part1_loss.out", "cargo run --example part1_loss"),
        here(
            "book/listings/part1_neuron.out",
            "cargo run --example part1_neuron",
        ),
        here(
            "book/listings/part1_moons.out",
            "cargo run --example part1_moons",
        ),
        here(
            "book/listings/part1_digits.out",
            "cargo run --example part1_digits",
        ),
        here(
            "book/listings/part1_digits_seeds.out",
            "cargo run --example part1_digits -- --seeds 5",
        ),
        here(
            "book/listings/part1_digits_hands.out",
            "cargo run --example part1_digits -- --seeds 5 --last-fifth",
        ),
        here(
            "book/listings/part1_ledger.out",
            "cargo run --example part1_ledger",
        ),
        here(
            "book/listings/part3_backprop.out",
            "cargo run --example part3_backprop",
        ),
        on_a_device(
            "book/listings/part2_mul.out",
            "cargo run --example part2_mul",
        ),
        on_a_device(
            "book/listings/part2_backprop.out",
            "cargo run --example part2_backprop",
        ),
        on_a_device(
            "book/listings/part3_backprop_gpu.out",
            "RUNGRAD_DEVICE=gpu cargo run --example part3_backprop",
        ),
    ],
    diffs: &[
        Diff {
            out: "book/listings/step1-step2.diff",
            old: "examples/part1_step1_data.rs:step1",
            new: "examples/part1_step2_graph.rs:step2",
        },
        Diff {
            out: "book/listings/step2-step3.diff",
            old: "examples/part1_step2_graph.rs:step2-tensor",
            new: "examples/part1_step3_local.rs:step3-tensor",
        },
        Diff {
            out: "book/listings/step3-step4.diff",
            old: "examples/part1_step3_local.rs:step3-tensor",
            new: "examples/part1_step4_backward.rs:step4-tensor",
        },
        Diff {
            out: "book/listings/part1-part2-mul.diff",
            old: "src/part1_cpu/ops.rs:mul",
            new: "src/part2_gpu/ops.rs:mul",
        },
        Diff {
            out: "book/listings/part1-part2-backward.diff",
            old: "src/part1_cpu/backward.rs:backward",
            new: "src/part2_gpu/backward.rs:backward",
        },
    ],
    figures: &[
        Figure { out: "book/figures/tape.svg", draw: figures::tape },
        Figure { out: "book/figures/nudge.svg", draw: figures::nudge },
        Figure { out: "book/figures/order.svg", draw: figures::order },
    ],
    pictures: &[
        Picture { out: "book/figures/moons.svg", written: "target/moons.svg" },
        Picture {
            out: "book/figures/digits-loss.svg",
            written: "target/digits-loss.svg",
        },
    ],
    trained: &[
        "book/listings/part1_digits.out",
        "book/listings/part1_digits_seeds.out",
        "book/listings/part1_digits_hands.out",
        "book/listings/part1_neuron.out",
        "book/listings/part1_moons.out",
        "book/figures/moons.svg",
        "book/figures/digits-loss.svg",
    ],
};

/// A command that succeeds on every machine.
const fn here(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, device: false }
}

/// A command that ends with a sentence about what was given, on every machine.
const fn refused(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 2, device: false }
}

/// A command that succeeds where there is an OpenCL device.
const fn on_a_device(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, device: true }
}

/// When the longer side keeps less than this share of the shorter one, a diff
/// is harder to read than two panes.
const LEAST_IN_COMMON: f32 = 0.5;

impl Manifest {
    /// Whether a diff compares this region.
    pub fn uses(&self, file: &str, anchor: &str) -> bool {
        let place = format!("{file}:{anchor}");
        self.diffs.iter().any(|d| d.old == place || d.new == place)
    }

    /// Files in `book/listings` that nothing makes any more.
    pub fn orphans(&self, tree: &Tree) -> Vec<Fault> {
        let formulas =
            tree.list("book/math/", ".tex").map(|(tex, _)| mml_of(tex));
        let outputs = self.outputs.iter().map(|o| o.out.to_string());
        let diffs = self.diffs.iter().map(|d| d.out.to_string());
        let boxes = exercise::boxes(tree).into_iter().map(|(file, _)| file);
        let known: Vec<_> =
            formulas.chain(outputs).chain(diffs).chain(boxes).collect();
        tree.list("book/listings/", "")
            .filter(|(file, _)| !known.iter().any(|known| known == file))
            .map(|(file, _)| {
                fault(
                    file,
                    1,
                    "nothing generates this listing. Add it to MANIFEST in \
                     tests/book/generated.rs or remove it.",
                )
            })
            .collect()
    }

    /// What can be computed without running a program.
    pub fn computed(&self, tree: &Tree) -> Vec<Wanted> {
        let diffs = self
            .diffs
            .iter()
            .map(|d| (d.out.to_string(), diff(tree, d.old, d.new)));
        let formulas = tree
            .list("book/math/", ".tex")
            .map(|(file, tex)| (mml_of(file), formula(tex)));
        let figures =
            self.figures.iter().map(|f| (f.out.to_string(), Ok((f.draw)())));
        diffs
            .chain(formulas)
            .chain(figures)
            .chain(exercise::boxes(tree))
            .collect()
    }
}

/// A generated file beside what it must be.
pub type Wanted = (String, Result<String, String>);

/// Writes what could be computed; the tests report the rest.
pub fn write(wanted: Vec<Wanted>) {
    for (file, text) in wanted {
        let path = Tree::root().join(file);
        let folder = path.parent().expect("a folder of the book");
        if let Ok(text) = text {
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, text))
                .expect("a file of the book can be written");
        }
    }
}

impl Manifest {
    /// What was printed or drawn, except for the results of training that
    /// are near enough to those of the book.
    pub fn settled(&self, tree: &Tree, wanted: Vec<Wanted>) -> Vec<Wanted> {
        let is_near = |(file, text): &Wanted| {
            self.trained.contains(&file.as_str())
                && tree.get(file).is_some_and(|found| {
                    text.as_ref().is_ok_and(|text| near(found, text))
                })
        };
        wanted.into_iter().filter(|wanted| !is_near(wanted)).collect()
    }
}

/// The files that are not what they must be.
pub fn compare(tree: &Tree, wanted: Vec<Wanted>) -> Vec<Fault> {
    let differs = |(file, wanted): Wanted| match wanted {
        Ok(text) => stale(tree, &file, &text),
        Err(what) => Some(fault(&file, 1, what)),
    };
    wanted.into_iter().filter_map(differs).collect()
}

pub fn stale(tree: &Tree, file: &str, wanted: &str) -> Option<Fault> {
    let found = tree.get(file).unwrap_or_default();
    let line = found.lines().zip(wanted.lines()).take_while(|(a, b)| a == b);
    let line = line.count();
    (found != wanted).then(|| {
        fault(
            file,
            line + 1,
            format!(
                "this is not what is computed now: `{}`. Run UPDATE=1 cargo \
                 test --test book and read the change.",
                wanted.lines().nth(line).unwrap_or("the end of the file")
            ),
        )
    })
}

/// Both regions in one listing, unchanged lines with a space before them.
fn diff(tree: &Tree, old: &str, new: &str) -> Result<String, String> {
    let read = |place: &str| {
        let (file, anchor) = place.split_once(':').unwrap_or((place, ""));
        let text = tree.get(file).ok_or(format!("`{file}` does not exist."))?;
        region(text, anchor)
            .ok_or(format!("`{file}` has no anchor `{anchor}`."))
    };
    let (old_text, new_text) = (read(old)?, read(new)?);
    let diff = TextDiff::from_lines(&old_text, &new_text);
    let same = diff.iter_all_changes().filter(|c| c.tag() == ChangeTag::Equal);
    let shorter = old_text.lines().count().min(new_text.lines().count());
    let kept = same.count() as f32 / shorter as f32;
    if kept < LEAST_IN_COMMON {
        return Err(format!(
            "{old} and {new} share only {:.0} % of their lines. Show them in \
             two panes, <div class=\"panes\">.",
            100.0 * kept
        ));
    }
    Ok(diff
        .iter_all_changes()
        .map(|change| {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            format!("{sign}{}\n", change.value().trim_end_matches('\n'))
        })
        .collect())
}

fn mml_of(tex: &str) -> String {
    tex.replace("book/math/", "book/listings/").replace(".tex", ".mml")
}

/// A formula as MathML. The `<div>` makes it a block of HTML for mdBook,
/// which would read emphasis into bare MathML.
fn formula(tex: &str) -> Result<String, String> {
    let storage = Storage::new();
    let parser = Parser::new(tex.trim(), &storage);
    let config = RenderConfig {
        display_mode: DisplayMode::Block,
        annotation: None,
        ..Default::default()
    };
    let mut mathml = String::new();
    push_mathml(&mut mathml, parser, config)
        .map_err(|error| format!("not a formula: {error}"))?;
    if mathml.contains("<merror") {
        return Err("this formula does not parse. Correct it.".into());
    }
    Ok(format!("<div class=\"math\">\n{mathml}\n</div>\n"))
}
