//! What the programs of "What makes training work" and "Weights that travel"
//! print, topic by topic.

use super::{Output, here};

pub(crate) const TRAINING: &[Output] = &[
    here(
        "book/listings/part3_training.out",
        "cargo run --example part3_training",
    ),
    here(
        "book/listings/part3_training_sums.out",
        "cargo run --example part3_training -- sums",
    ),
    here(
        "book/listings/part3_training_starts.out",
        "cargo run --example part3_training -- starts",
    ),
    here(
        "book/listings/part3_training_norms.out",
        "cargo run --example part3_training -- norms",
    ),
    here(
        "book/listings/part3_training_modes.out",
        "cargo run --example part3_training -- modes",
    ),
    here(
        "book/listings/part3_training_around.out",
        "cargo run --example part3_training -- around",
    ),
    here(
        "book/listings/part3_training_adam.out",
        "cargo run --example part3_training -- adam",
    ),
    here(
        "book/listings/part3_training_decay.out",
        "cargo run --example part3_training -- decay",
    ),
    here(
        "book/listings/part3_training_rates.out",
        "cargo run --example part3_training -- rates",
    ),
    here(
        "book/listings/part3_training_schedule.out",
        "cargo run --example part3_training -- schedule",
    ),
    here(
        "book/listings/part3_training_warm_up.out",
        "cargo run --example part3_training -- warm_up",
    ),
    here(
        "book/listings/part3_training_clip.out",
        "cargo run --example part3_training -- clip",
    ),
    here(
        "book/listings/part3_training_odd_batch.out",
        "cargo run --example part3_training -- odd_batch",
    ),
    here(
        "book/listings/part3_training_dropout.out",
        "cargo run --example part3_training -- dropout",
    ),
    here(
        "book/listings/part3_training_by_heart.out",
        "cargo run --example part3_training -- by_heart",
    ),
    here(
        "book/listings/part3_training_faults.out",
        "cargo run --example part3_training -- faults",
    ),
    here(
        "book/listings/part3_checkpoint_show.out",
        "cargo run --example part3_checkpoint -- show",
    ),
    here(
        "book/listings/part3_checkpoint.out",
        "cargo run --example part3_checkpoint",
    ),
    here(
        "book/listings/part3_checkpoint_kills.out",
        "cargo run --example part3_checkpoint -- kills",
    ),
    here(
        "book/listings/part3_checkpoint_forget.out",
        "cargo run --example part3_checkpoint -- forget",
    ),
];
