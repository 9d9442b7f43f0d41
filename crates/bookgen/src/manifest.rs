//! The list of what the book shows and nobody types.

mod kind;
mod part1;
mod pictures;
mod regions;
mod trained;
mod training;
mod transformers;

use crate::figures;
use crate::generated::growth::SIN;
use crate::generated::measured::MEASURED;

pub use kind::Needs;
pub(crate) use kind::*;
use part1::OUTPUTS;
use pictures::PICTURES;
use regions::{DIFFS, INNERS};
use trained::TRAINED;
use training::TRAINING;
use transformers::TRANSFORMERS;

/// Everything generated, formulas apart: each `book/math/x.tex` becomes
/// `book/listings/x.mml`.
pub(crate) const MANIFEST: Manifest = Manifest {
    part1: OUTPUTS,
    training: TRAINING,
    transformers: TRANSFORMERS,
    outputs: &[
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
            "cargo run --example part3_strides -- 3x3 slice=..,..:2 \
             windows=2x2 then reshape=4x4 slice=..,1..2 then flip=0 then \
             reshape=3 svg=target/windows.svg",
        ),
        here(
            "book/listings/part3_digits.out",
            "cargo run --example part3_digits -- --epochs 3",
        ),
        here(
            "book/listings/part3_spiral.out",
            "RUNGRAD_DEVICE=counting cargo run --example part3_spiral",
        ),
        here(
            "book/listings/part3_windows.out",
            "cargo run --example part3_windows",
        ),
        here(
            "book/listings/part3_turned.out",
            "cargo run --example part3_turned",
        ),
        here(
            "book/listings/part3_filters.out",
            "cargo run --example part3_filters",
        ),
        here(
            "book/listings/part3_read_digits.out",
            "cargo run --example part3_read_digits -- --svg \
             target/read-digits.svg",
        ),
        on_a_device(
            "book/listings/part3_window_bytes.out",
            "cargo run --example part3_window_bytes",
        ),
        on_pocl(
            "book/listings/part3_fused_bias.out",
            "cargo run --example part3_fused -- bias --show",
        ),
        on_pocl(
            "book/listings/part3_fused_softmax.out",
            "cargo run --example part3_fused -- softmax --show",
        ),
        on_pocl(
            "book/listings/part3_fused_training.out",
            "cargo run --example part3_fused -- training --holds",
        ),
        here("book/listings/scratch.out", "cargo run --example scratch"),
        here(
            "book/listings/part2_pieces.out",
            "cargo run --example part2_pieces",
        ),
        on_a_device(
            "book/listings/part2_limits.out",
            "cargo run --example part2_limits",
        ),
        on_a_device(
            "book/listings/part2_raw_1_mul.out",
            "cargo run --example part2_raw_1_mul",
        ),
        behind_a_gate(
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
            "book/listings/part2_product_error.out",
            "cargo run --example part2_product_error",
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
        counted(
            "book/listings/profile_ew_add.out",
            "cargo learn profile ew_add --size 1000 --out target/warp_add.svg",
        ),
        counted(
            "book/listings/profile_reductions.out",
            "cargo learn profile reduce_interleaved reduce_packed reduce_sum \
             reduce_coarse reduce_atomic reduce_last --counters",
        ),
        counted(
            "book/listings/profile_matvec_rows.out",
            "cargo learn profile matvec_rows --out target/warp_rows.svg",
        ),
        counted(
            "book/listings/profile_matvec_teams.out",
            "cargo learn profile matvec_teams --out target/warp_teams.svg",
        ),
        counted(
            "book/listings/profile_naive.out",
            "cargo learn profile matmul1_naive --line 16 --out \
             target/warp_naive.svg",
        ),
        counted(
            "book/listings/profile_coalesced.out",
            "cargo learn profile matmul2_coalesced --out target/warp_coalesced.svg",
        ),
        counted(
            "book/listings/profile_tiled.out",
            "cargo learn profile matmul3_tiled --out target/warp_tiled.svg",
        ),
        counted(
            "book/listings/profile_column.out",
            "cargo learn profile matmul4_column --registers 64 --out \
             target/warp_column.svg",
        ),
        counted(
            "book/listings/profile_block.out",
            "cargo learn profile matmul5_block --registers 92 --out \
             target/warp_block.svg",
        ),
        counted(
            "book/listings/profile_vector.out",
            "cargo learn profile matmul6_vector --registers 116 --out \
             target/warp_vector.svg",
        ),
        counted(
            "book/listings/profile_tall.out",
            "cargo learn profile matmul8_tall --registers 231 --out \
             target/warp_tall.svg",
        ),
        under_oclgrind(
            "book/listings/past_the_end_of_8.out",
            "oclgrind cargo run --example part2_raw_faults -- past_the_end 8",
        ),
        on_a_device(
            "book/listings/part3_cube.out",
            "cargo run --example part3_cube",
        ),
        here(
            "book/listings/part3_recompute.out",
            "cargo run --example part3_recompute",
        ),
        here(
            "book/listings/part3_higher.out",
            "cargo run --example part3_higher",
        ),
        here(
            "book/listings/part3_sizes.out",
            "cargo run --example part3_sizes",
        ),
        here(
            "book/listings/part3_mixed.out",
            "cargo run --example part3_mixed",
        ),
        on_a_device(
            "book/listings/part3_mirrors.out",
            "cargo run --example part3_mirrors",
        ),
        on_a_device(
            "book/listings/part3_inside.out",
            "cargo run --example part3_inside -- --device gpu --svg \
             target/inside.svg",
        ),
        on_a_device(
            "book/listings/part3_trace.out",
            "cargo run --example part3_trace",
        ),
        on_a_device(
            "book/listings/part3_warm.out",
            "cargo run --example part3_warm",
        ),
        on_a_device(
            "book/listings/part3_wait.out",
            "cargo run --example part3_wait",
        ),
        on_a_device(
            "book/listings/part3_devices.out",
            "cargo run --example part3_devices -- cpu gpu",
        ),
        on_a_device(
            "book/listings/part3_moves.out",
            "cargo run --example part3_moves",
        ),
        on_a_device(
            "book/listings/part3_backprop_gpu.out",
            "RUNGRAD_DEVICE=gpu cargo run --example part3_backprop",
        ),
        on_a_device(
            "book/listings/part3_move.out",
            "cargo run --example part3_move",
        ),
        on_a_device(
            "book/listings/part3_digits_gpu.out",
            "cargo run --example part3_digits -- --epochs 3 --device gpu",
        ),
        on_pocl(
            "book/listings/part3_two_devices.out",
            "POCL_DEVICES=\"pthread basic\" cargo run --example part3_two_devices",
        ),
    ],
    measured: MEASURED,
    inners: INNERS,
    diffs: DIFFS,
    growths: SIN,
    figures: &[
        Figure { out: "book/figures/tape.svg", draw: figures::tape },
        Figure { out: "book/figures/own.svg", draw: figures::own },
        Figure { out: "book/figures/first.svg", draw: figures::first },
        Figure { out: "book/figures/descent.svg", draw: figures::descent },
        Figure { out: "book/figures/nudge.svg", draw: figures::nudge },
        Figure { out: "book/figures/order.svg", draw: figures::order },
        Figure { out: "book/figures/groups.svg", draw: figures::groups },
        Figure {
            out: "book/figures/interleaving.svg",
            draw: figures::interleaving,
        },
        Figure {
            out: "book/figures/crossover-add.svg",
            draw: || figures::crossover("add"),
        },
        Figure {
            out: "book/figures/crossover-matmul.svg",
            draw: || figures::crossover("matmul"),
        },
        Figure {
            out: "book/figures/puzzle-map.svg",
            draw: figures::puzzles::map,
        },
        Figure {
            out: "book/figures/puzzle-zip.svg",
            draw: figures::puzzles::zip,
        },
        Figure {
            out: "book/figures/puzzle-guard.svg",
            draw: figures::puzzles::guard,
        },
        Figure {
            out: "book/figures/puzzle-stretch.svg",
            draw: figures::puzzles::stretch,
        },
        Figure {
            out: "book/figures/puzzle-axes.svg",
            draw: figures::puzzles::axes,
        },
        Figure { out: "book/figures/halo.svg", draw: figures::puzzles::halo },
        Figure { out: "book/figures/reduction.svg", draw: figures::reduction },
        Figure { out: "book/figures/softmax.svg", draw: figures::softmax },
        Figure { out: "book/figures/fold.svg", draw: figures::fold },
        Figure { out: "book/figures/reuse.svg", draw: figures::reuse },
        Figure { out: "book/figures/tiles.svg", draw: figures::tiles },
        Figure { out: "book/figures/along.svg", draw: figures::along },
        Figure { out: "book/figures/roof.svg", draw: figures::roof },
        Figure { out: "book/figures/ladder.svg", draw: figures::ladder },
        Figure {
            out: "book/figures/roofline.svg",
            draw: || figures::roofline("part3_how_fast"),
        },
        Figure {
            out: "book/figures/roofline_h200.svg",
            draw: || figures::roofline("part3_how_fast_h200"),
        },
    ],
    pictures: PICTURES,
    trained: TRAINED,
};
