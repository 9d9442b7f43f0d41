//! What the examples of "Attention" and "Names" print.

use super::{Output, here, on_a_device};

pub(crate) const TRANSFORMERS: &[Output] = &[
    here(
        "book/listings/part3_attention_steps.out",
        "cargo run --example part3_attention -- steps",
    ),
    here(
        "book/listings/part3_attention_widths.out",
        "cargo run --example part3_attention -- widths",
    ),
    here(
        "book/listings/part3_attention_block.out",
        "cargo run --example part3_attention -- block",
    ),
    here(
        "book/listings/part3_attention_kept.out",
        "cargo run --example part3_attention -- kept",
    ),
    here(
        "book/listings/part3_attention_heads.out",
        "cargo run --example part3_attention -- heads",
    ),
    here(
        "book/listings/part3_attention_map.out",
        "cargo run --example part3_attention -- map socrates",
    ),
    on_a_device(
        "book/listings/part3_attention_launches.out",
        "cargo run --example part3_attention -- launches",
    ),
    here(
        "book/listings/part3_names_look.out",
        "cargo run --example part3_names -- --small --look",
    ),
    here(
        "book/listings/part3_names_invented.out",
        "cargo run --example part3_names -- --small --weights \
         data/names.safetensors",
    ),
    here(
        "book/listings/part3_names_cold.out",
        "cargo run --example part3_names -- --small --weights \
         data/names.safetensors --temperature 0.5",
    ),
    here(
        "book/listings/part3_names_hot.out",
        "cargo run --example part3_names -- --small --weights \
         data/names.safetensors --temperature 2",
    ),
];
