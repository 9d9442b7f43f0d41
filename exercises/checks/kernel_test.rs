//! Checks `kernel_test`, a test that must reject every wrong kernel.
//!
//! The roles are reversed: the learner writes the test, and our kernel may be
//! wrong. A bug that would be a race by its nature is planted so that it
//! always has an effect; otherwise a correct test could miss it.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{Kernel, Outcome, check_test, wrong};

exercises::yours!("part2_gpu/kernel_test.rs");

fn main() -> ExitCode {
    check_test("kernel_test", YOURS, "kernel", accepted, &FAULTS, is_accepted)
}

/// The bug in each kernel, by its number, counted from 1.
const FAULTS: [&str; 7] = [
    "it begins with 0, which is not one of the values",
    "its tree begins at a quarter and misses half of each group",
    "its local array holds integers",
    "every group reads the first 256 values",
    "it leaves out a partly filled last group",
    "all groups write to the same element, and the last one wins",
    "it stops after two stages, however many values are left",
];

const RIGHT: usize = 0;
const TWO_STAGES: usize = 7;

const GROUP: usize = 256;

/// One stage: each group computes the maximum of its 256 values. Bugs 1 to 6
/// are in this kernel, the last one is in the host code.
const TEXT: &str = "
kernel void largest(global const float *a, global float *partials, uint n,
                    uint fault)
{
    local float tree[256];
    uint item = get_local_id(0);
    uint group = get_group_id(0);
    uint last = get_num_groups(0) - 1;

    uint i = fault == 4 ? item : get_global_id(0);
    uint end = fault == 5 ? n - n % 256 : n;
    float value = i < end ? a[i] : -INFINITY;
    if (fault == 1)
        value = fmax(value, 0.0f);
    if (fault == 3 && i < end)
        value = (int)value;
    tree[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = fault == 2 ? 64 : 128; width > 0; width /= 2) {
        if (item < width)
            tree[item] = fmax(tree[item], tree[item + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partials[group] = fault == 6 && group < last ? -INFINITY : tree[0];
}
";

/// Computes the maximum of the values, with the given bug.
fn largest(fault: usize, values: &[f32]) -> f32 {
    assert!(!values.is_empty(), "no value is the largest of none");
    let kernel = Kernel::of_the_check("largest", TEXT);
    let mut left = values.to_vec();
    let mut stages = 0;
    while left.len() > 1 || stages == 0 {
        let n = left.len();
        // The bug is in the first stage only.
        let planted = if stages == 0 { fault } else { RIGHT };
        left = kernel
            .run_in_a_rule(
                n,
                &[
                    In("a", &left),
                    Out("partials", n.div_ceil(GROUP)),
                    Count(n),
                    Count(planted),
                ],
            )
            .remove(0);
        stages += 1;
        if stages == 2 && fault == TWO_STAGES {
            break;
        }
    }
    left[0]
}

fn accepted() -> Outcome {
    match yours::accepts(&|values| largest(RIGHT, values)) {
        true => Ok(()),
        false => Err(wrong(
            "Your test rejects a right kernel, which returns the largest of \
             its values, bit for bit.",
        )),
    }
}

/// Returns whether the learner's test accepts the kernel with this bug.
fn is_accepted(fault: usize) -> bool {
    yours::accepts(&|values| largest(fault, values))
}
