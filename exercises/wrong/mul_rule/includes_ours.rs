// Our solution, included.

include!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/solutions/part1_cpu/mul_rule.rs"
));
