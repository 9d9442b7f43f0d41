//! What the examples of Part 1 print, those that serve every part, and those of
//! Part 2 that count groups without a device.

use super::{Output, here};

pub(crate) const OUTPUTS: &[Output] = &[
    here("book/listings/part2_groups.out", "cargo run --example part2_groups"),
    here(
        "book/listings/part2_queue.out",
        "cargo run --example part2_groups -- 100000 256 16",
    ),
    here("book/listings/part2_twice.out", "cargo run --example part2_twice"),
    here(
        "book/listings/try_part1.out",
        "cargo learn try \"(a*b)*b\" a=2,3 b=3,4",
    ),
    here(
        "book/listings/try_part3.out",
        "cargo learn try \"(a*b)*b\" a=2,3 b=3,4 --engine part3",
    ),
    here("book/listings/part1_nudge.out", "cargo run --example part1_nudge"),
    here("book/listings/part1_judge.out", "cargo run --example part1_judge"),
    here(
        "book/listings/part1_step2_graph.out",
        "cargo run --example part1_step2_graph",
    ),
    here("book/listings/part1_set.out", "cargo run --example part1_set"),
    here(
        "book/listings/part1_changed.out",
        "cargo run --example part1_changed",
    ),
    here("book/listings/part1_graph.out", "cargo run --example part1_graph"),
    here(
        "book/listings/part1_step3_local.out",
        "cargo run --example part1_step3_local",
    ),
    here(
        "book/listings/part1_step4_backward.out",
        "cargo run --example part1_step4_backward",
    ),
    here("book/listings/part1_order.out", "cargo run --example part1_order"),
    here("book/listings/part1_twice.out", "cargo run --example part1_twice"),
    here("book/listings/part1_cycle.out", "cargo run --example part1_cycle"),
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
        "book/listings/part1_quotient.out",
        "cargo run --example part1_quotient",
    ),
    here(
        "book/listings/part1_sigmoid.out",
        "cargo run --example part1_sigmoid",
    ),
    here("book/listings/try_relu.out", "cargo learn try \"relu(a)\" a=-1,0,1"),
    here("book/listings/try_max.out", "cargo learn try \"max(a)\" a=3,3,1"),
    here("book/listings/try_abs.out", "cargo learn try \"abs(a)\" a=-2,3"),
    here(
        "book/listings/part1_unsummed.out",
        "cargo run --example part1_unsummed",
    ),
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
    here("book/listings/part1_neuron.out", "cargo run --example part1_neuron"),
    here("book/listings/part1_moons.out", "cargo run --example part1_moons"),
    here("book/listings/part1_digits.out", "cargo run --example part1_digits"),
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
    here("book/listings/part1_ledger.out", "cargo run --example part1_ledger"),
];
