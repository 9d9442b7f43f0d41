//! Regions of the sources: those from inside a function, and the ways from one
//! to another.

use super::{Diff, Inner};

pub(crate) const INNERS: &[Inner] = &[
    Inner {
        out: "book/listings/checkpoint-parts.rs",
        of: "examples/part3_checkpoint/run.rs:parts",
    },
    Inner {
        out: "book/listings/checkpoint-train.rs",
        of: "examples/part3_checkpoint/run.rs:train",
    },
    Inner {
        out: "book/listings/norm-of-batch.rs",
        of: "src/part3_unified/nn/norm.rs:of-batch",
    },
    Inner {
        out: "book/listings/schedule-rate.rs",
        of: "src/part3_unified/optim/schedule.rs:rate",
    },
    Inner {
        out: "book/listings/training-scheduled.rs",
        of: "examples/part3_training/curves.rs:scheduled",
    },
    Inner {
        out: "book/listings/fused-binary.rs",
        of: "src/part3_unified/backend/fused.rs:binary",
    },
    Inner {
        out: "book/listings/index-through.rs",
        of: "src/opencl/index.rs:through",
    },
    Inner {
        out: "book/listings/fused-step.rs",
        of: "examples/part3_fused/works.rs:step",
    },
    Inner {
        out: "book/listings/gpu-binary.rs",
        of: "src/part3_unified/backend/gpu.rs:binary",
    },
    Inner {
        out: "book/listings/fused-held.rs",
        of: "src/part3_unified/backend/fused/found.rs:held",
    },
    Inner {
        out: "book/listings/fused-product.rs",
        of: "src/part3_unified/backend/fused/together.rs:product",
    },
    Inner {
        out: "book/listings/tensor-from-buffer.rs",
        of: "src/part2_gpu/tensor.rs:from-buffer",
    },
    Inner {
        out: "book/listings/rung-loads.rs",
        of: "src/part2_gpu/matmul.rs:loads",
    },
    Inner {
        out: "book/listings/rung-counted.rs",
        of: "tests/opencl/loads.rs:counted",
    },
    Inner {
        out: "book/listings/reduce-interleaved.cl",
        of: "kernels/part2/reduce_interleaved.cl:rounds",
    },
    Inner {
        out: "book/listings/reduce-packed.cl",
        of: "kernels/part2/reduce_packed.cl:rounds",
    },
    Inner {
        out: "book/listings/reduce-last.cl",
        of: "kernels/part2/reduce_last.cl:last",
    },
    Inner {
        out: "book/listings/matvec-side.cl",
        of: "kernels/part2/matvec_teams.cl:side",
    },
    Inner {
        out: "book/listings/matmul4-column.cl",
        of: "kernels/part2/matmul4_column.cl:column",
    },
    Inner {
        out: "book/listings/matmul5-block.cl",
        of: "kernels/part2/matmul5_block.cl:block",
    },
    Inner {
        out: "book/listings/matmul6-products.cl",
        of: "kernels/part2/matmul6_vector.cl:products",
    },
    Inner {
        out: "book/listings/matmul6-steps.cl",
        of: "kernels/part2/matmul6_vector.cl:steps",
    },
    Inner {
        out: "book/listings/matmul6-results.cl",
        of: "kernels/part2/matmul6_vector.cl:results",
    },
    Inner {
        out: "book/listings/matmul-kept.cl",
        of: "kernels/part2/matmul_tiled_kahan.cl:kept",
    },
    Inner {
        out: "book/listings/conv2d-forward.rs",
        of: "src/part3_unified/functions/convolution.rs:forward",
    },
    Inner {
        out: "book/listings/conv2d-filters.rs",
        of: "src/part3_unified/functions/convolution.rs:grad-filters",
    },
    Inner {
        out: "book/listings/conv2d-turned.rs",
        of: "src/part3_unified/functions/convolution.rs:turned",
    },
    Inner {
        out: "book/listings/tape-folded.rs",
        of: "src/inspect/tape/folded.rs:folded",
    },
    Inner {
        out: "book/listings/read-digits-seen.rs",
        of: "examples/part3_read_digits/main.rs:seen",
    },
    Inner {
        out: "book/listings/read-digits-ink.rs",
        of: "examples/part3_read_digits/drawing.rs:of-grays",
    },
    Inner {
        out: "book/listings/products-kinds.rs",
        of: "src/part3_unified/backend/gpu/products.rs:kinds",
    },
    Inner {
        out: "book/listings/products-by-rule.rs",
        of: "src/part3_unified/backend/gpu/products.rs:by-rule",
    },
    Inner {
        out: "book/listings/pool-give-back.rs",
        of: "src/part3_unified/backend/pool.rs:give-back",
    },
    Inner {
        out: "book/listings/pooled.rs",
        of: "src/part3_unified/functions/image.rs:pooled",
    },
];

pub(crate) const DIFFS: &[Diff] = &[
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
        old: "examples/part2_step1_notebook.rs:step1-new",
        new: "examples/part2_step2_shape.rs:step2-new",
    },
    Diff {
        out: "book/listings/part2-step1-step2-launch.diff",
        old: "examples/part2_step1_notebook.rs:step1-launch",
        new: "examples/part2_step2_shape.rs:step2-launch",
    },
    Diff {
        out: "book/listings/part2-step1-step2-seed.diff",
        old: "examples/part2_step1_notebook.rs:step1-seed",
        new: "examples/part2_step2_shape.rs:step2-seed",
    },
    Diff {
        out: "book/listings/part2-step2-step3.diff",
        old: "examples/part2_step2_shape.rs:step2-new",
        new: "examples/part2_step3_flag.rs:step3-new",
    },
    Diff {
        out: "book/listings/part2-step2-step3-launch.diff",
        old: "examples/part2_step2_shape.rs:step2-launch",
        new: "examples/part2_step3_flag.rs:step3-launch",
    },
    Diff {
        out: "book/listings/part2-step2-step3-rule.diff",
        old: "examples/part2_step2_shape.rs:step2-rule",
        new: "examples/part2_step3_flag.rs:step3-rule",
    },
    Diff {
        out: "book/listings/part2-step2-step3-gather.diff",
        old: "examples/part2_step2_shape.rs:step2-gather",
        new: "examples/part2_step3_flag.rs:step3-gather",
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
        out: "book/listings/matmul1-matmul2.diff",
        old: "kernels/part2/matmul1_naive.cl:naive",
        new: "kernels/part2/matmul2_coalesced.cl:coalesced",
    },
    Diff {
        out: "book/listings/matmul6-matmul7.diff",
        old: "kernels/part2/matmul6_vector.cl:steps",
        new: "kernels/part2/matmul7_ahead.cl:steps",
    },
    Diff {
        out: "book/listings/matmul7-matmul8.diff",
        old: "kernels/part2/matmul7_ahead.cl:shape",
        new: "kernels/part2/matmul8_tall.cl:shape",
    },
    Diff {
        out: "book/listings/part1-part2-backward.diff",
        old: "src/part1_cpu/backward.rs:backward",
        new: "src/part2_gpu/backward.rs:backward",
    },
];
