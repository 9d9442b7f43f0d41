//! What comes out of training.

pub(crate) const TRAINED: &[&str] = &[
    "book/listings/part1_digits.out",
    "book/listings/part1_digits_seeds.out",
    "book/listings/part1_digits_splits.out",
    "book/listings/part1_digits_hands.out",
    "book/listings/part3_digits.out",
    "book/listings/part3_digits_gpu.out",
    "book/listings/part3_checkpoint.out",
    "book/listings/part3_mixed.out",
    "book/listings/part3_filters.out",
    "book/listings/part3_read_digits.out",
    "book/listings/part3_spiral.out",
    "book/listings/part3_move.out",
    "book/listings/part3_two_devices.out",
    "book/listings/part1_neuron.out",
    "book/listings/part1_moons.out",
    "book/listings/part2_digits.out",
    "book/figures/moons.svg",
    "book/figures/digits-loss.svg",
    "book/figures/filters.svg",
    "book/figures/read-digits.svg",
];
