//! The list of what the book shows and nobody types.

use crate::figures;

/// What a command prints, below the command itself.
#[derive(Clone, Copy)]
pub struct Output {
    pub out: &'static str,
    /// What the reader types: `cargo run --example ..` or `cargo learn try
    /// ..`, variables before it, or a tool that runs it.
    pub command: &'static str,
    /// The code that it ends with.
    pub code: i32,
    pub needs: Needs,
}

/// What a machine must have to print what the book shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// An OpenCL device.
    Device,
    /// PoCL: what a kernel with a fault does, no two drivers agree on.
    Pocl,
    /// Oclgrind in the version of the book, since others word it otherwise.
    Oclgrind,
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
            needs: Needs::Nothing,
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
            "book/listings/part1_digits_splits.out",
            "cargo run --example part1_digits -- --splits 10",
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
            "book/listings/part2_groups.out",
            "cargo run --example part2_groups",
        ),
        here(
            "book/listings/part2_queue.out",
            "cargo run --example part2_groups -- 100000 256 16",
        ),
        here(
            "book/listings/part2_twice.out",
            "cargo run --example part2_twice",
        ),
        here("book/listings/part2_race.out", "cargo run --example part2_race"),
        here(
            "book/listings/part2_barrier.out",
            "cargo run --example part2_barrier",
        ),
        here(
            "book/listings/part2_divergent.out",
            "cargo run --example part2_divergent",
        ),
        here(
            "book/listings/part2_one_cell.out",
            "cargo run --example part2_one_cell",
        ),
        here(
            "book/listings/part3_backprop.out",
            "cargo run --example part3_backprop",
        ),
        here(
            "book/listings/part3_views.out",
            "cargo run --example part3_views",
        ),
        here(
            "book/listings/part3_strides.out",
            "cargo run --example part3_strides -- 2x3 permute=1,0 \
             slice=..,1..3 flip=1",
        ),
        here(
            "book/listings/part3_strides_windows.out",
            "cargo run --example part3_strides -- 3x3 windows=2x2 then \
             reshape=4x4 slice=..,1..2 then flip=0 then reshape=3 \
             svg=target/windows.svg",
        ),
        on_a_device(
            "book/listings/part2_limits.out",
            "cargo run --example part2_limits",
        ),
        on_a_device(
            "book/listings/part2_raw_1_mul.out",
            "cargo run --example part2_raw_1_mul",
        ),
        on_a_device(
            "book/listings/part2_raw_2_queue.out",
            "cargo run --example part2_raw_2_queue",
        ),
        on_a_device(
            "book/listings/part2_raw_3_bytes.out",
            "cargo run --example part2_raw_3_bytes",
        ),
        on_a_device(
            "book/listings/part2_raw_4_room.out",
            "cargo run --example part2_raw_4_room",
        ),
        under_oclgrind(
            "book/listings/part2_raw_4_stray.out",
            "oclgrind cargo run --example part2_raw_4_room -- 2",
        ),
        on_pocl(
            "book/listings/part2_raw_5_flags.out",
            "cargo run --example part2_raw_5_flags",
        ),
        under_oclgrind(
            "book/listings/part2_raw_5_broken.out",
            "oclgrind cargo run --example part2_raw_5_flags",
        ),
        on_a_device(
            "book/listings/part2_raw_6_compile.out",
            "cargo run --example part2_raw_6_compile",
        ),
        on_a_device(
            "book/listings/part2_mended.out",
            "cargo run --example part2_mended",
        ),
        on_a_device(
            "book/listings/part2_launch.out",
            "cargo run --example part2_launch",
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
            "book/listings/part2_sum.out",
            "cargo run --example part2_sum",
        ),
        on_a_device(
            "book/listings/part2_sum_error.out",
            "cargo run --example part2_sum_error",
        ),
        on_a_device(
            "book/listings/part2_axes.out",
            "cargo run --example part2_axes",
        ),
        on_a_device(
            "book/listings/part2_digits.out",
            "cargo run --example part2_digits",
        ),
        on_a_device(
            "book/listings/part2_ledger.out",
            "cargo run --example part2_ledger",
        ),
        on_a_device(
            "book/listings/part2_step1_notebook.out",
            "cargo run --example part2_step1_notebook",
        ),
        on_a_device(
            "book/listings/part2_step2_shape.out",
            "cargo run --example part2_step2_shape",
        ),
        on_a_device(
            "book/listings/part2_step3_flag.out",
            "cargo run --example part2_step3_flag",
        ),
        on_a_device(
            "book/listings/part2_step4_detach.out",
            "cargo run --example part2_step4_detach",
        ),
        on_a_device(
            "book/listings/part2_flags.out",
            "cargo run --example part2_flags",
        ),
        on_a_device(
            "book/listings/part2_host_checks.out",
            "cargo run --example part2_host_checks",
        ),
        on_pocl(
            "book/listings/part2_raw_faults.out",
            "cargo run --example part2_raw_faults",
        ),
        under_oclgrind(
            "book/listings/past_the_end.out",
            "oclgrind --max-errors 2 cargo run --example part2_raw_faults -- past_the_end",
        ),
        under_oclgrind(
            "book/listings/race.out",
            "oclgrind --data-races --max-errors 1 cargo run --example part2_raw_faults -- race",
        ),
        under_oclgrind(
            "book/listings/unwritten.out",
            "oclgrind --uninitialized --max-errors 1 cargo run --example part2_raw_faults -- unwritten",
        ),
        under_oclgrind(
            "book/listings/divergent.out",
            "oclgrind --max-errors 1 cargo run --example part2_raw_faults -- divergent",
        ),
        under_oclgrind(
            "book/listings/part2_mul_oclgrind.out",
            "oclgrind --data-races --uninitialized cargo run --example \
             part2_mul",
        ),
        under_oclgrind(
            "book/listings/past_the_end_of_8.out",
            "oclgrind cargo run --example part2_raw_faults -- past_the_end 8",
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
            out: "book/listings/race-barrier.diff",
            old: "examples/part2_race.rs:tree",
            new: "examples/part2_barrier.rs:tree",
        },
        Diff {
            out: "book/listings/part2-step1-step2.diff",
            old: "examples/part2_step1_notebook.rs:step1-tensor",
            new: "examples/part2_step2_shape.rs:step2-tensor",
        },
        Diff {
            out: "book/listings/part2-step2-step3.diff",
            old: "examples/part2_step2_shape.rs:step2-tensor",
            new: "examples/part2_step3_flag.rs:step3-tensor",
        },
        Diff {
            out: "book/listings/part2-step3-step4.diff",
            old: "examples/part2_step3_flag.rs:step3-new",
            new: "examples/part2_step4_detach.rs:step4-new",
        },
        Diff {
            out: "book/listings/part2-step3-step4-rule.diff",
            old: "examples/part2_step3_flag.rs:step3-rule",
            new: "examples/part2_step4_detach.rs:step4-rule",
        },
        Diff {
            out: "book/listings/part1-part2-record.diff",
            old: "src/part1_cpu/tensor.rs:record",
            new: "src/part2_gpu/tensor.rs:record",
        },
        Diff {
            out: "book/listings/part1-part2-mul.diff",
            old: "src/part1_cpu/ops.rs:mul",
            new: "src/part2_gpu/ops.rs:mul",
        },
        Diff {
            out: "book/listings/part1-part2-sum.diff",
            old: "src/part1_cpu/reduce.rs:sum",
            new: "src/part2_gpu/reduce.rs:sum",
        },
        Diff {
            out: "book/listings/part1-part2-matmul.diff",
            old: "src/part1_cpu/matrix.rs:matmul",
            new: "src/part2_gpu/matrix.rs:matmul",
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
        Figure { out: "book/figures/groups.svg", draw: figures::groups },
        Figure {
            out: "book/figures/interleaving.svg",
            draw: figures::interleaving,
        },
        Figure { out: "book/figures/reduction.svg", draw: figures::reduction },
    ],
    pictures: &[
        Picture { out: "book/figures/moons.svg", written: "target/moons.svg" },
        Picture {
            out: "book/figures/digits-loss.svg",
            written: "target/digits-loss.svg",
        },
        Picture {
            out: "book/figures/strides.svg",
            written: "target/strides.svg",
        },
    ],
    trained: &[
        "book/listings/part1_digits.out",
        "book/listings/part1_digits_seeds.out",
        "book/listings/part1_digits_splits.out",
        "book/listings/part1_digits_hands.out",
        "book/listings/part1_neuron.out",
        "book/listings/part1_moons.out",
        "book/listings/part2_digits.out",
        "book/figures/moons.svg",
        "book/figures/digits-loss.svg",
    ],
};

/// A command that succeeds on every machine.
const fn here(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, needs: Needs::Nothing }
}

/// A command that ends with a sentence about what was given, on every machine.
const fn refused(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 2, needs: Needs::Nothing }
}

/// A command that succeeds where there is an OpenCL device.
const fn on_a_device(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, needs: Needs::Device }
}

/// A kernel with a fault, where PoCL runs it.
const fn on_pocl(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, needs: Needs::Pocl }
}

/// A command that begins with Oclgrind, which succeeds whatever it finds.
const fn under_oclgrind(out: &'static str, command: &'static str) -> Output {
    Output { out, command, code: 0, needs: Needs::Oclgrind }
}
