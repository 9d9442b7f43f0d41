//! Where an operation stands, and by which files it gets to a device.

use super::sources;

/// The places of an operation with one operand in Part 3, those that the
/// compiler asks for and those that it does not. `{V}` is its variant and
/// `{v}` its name.
const PLACES: [(&str, &[&str]); 8] = [
    ("src/base/ops.rs", &["Op::{V}"]),
    ("src/judge/reference.rs", &["(Op::{V}"]),
    ("src/part3_unified/backend.rs", &["Unary::{V}"]),
    ("kernels/part3/elementwise.cl", &["UNARY(unary_{v}, "]),
    ("src/part3_unified/kernels.rs", &["\"unary_{v}\""]),
    ("src/part3_unified/functions/", &["Function for {V} ", "flat!({V}, "]),
    ("src/part3_unified/functions/", &["pub fn {v}(&self"]),
    // In every part's cases or in Part 3's own.
    (
        "tests/",
        &["{v} anywhere [", "{v} above_0 [", "Op::{V}(", "Op::{V} => a."],
    ),
];

/// Primitives without an operation of the same name: a square root, a square
/// and a cube are powers, and the derivative of gelu belongs to gelu.
const ON_A_DEVICE: [&str; 4] = ["Sqrt", "Square", "Cube", "GeluSlope"];

/// `DivScalar` as a function is called: `div_scalar`.
fn snake_case(variant: &str) -> String {
    let begins = |at: usize, c: char| at > 0 && c.is_uppercase();
    let letters = variant.char_indices().flat_map(|(at, c)| {
        let before = begins(at, c).then_some('_');
        before.into_iter().chain([c.to_ascii_lowercase()])
    });
    letters.collect()
}

/// "Add an operator" goes through these places with `sin`; whoever adds the
/// next one is told what is missing.
///
/// Promise: A unary operation of Part 3 is defined in each of its required
/// files.
#[test]
fn an_operation_of_one_operand_stands_at_each_of_its_places() {
    let all = sources(&["src", "kernels", "tests"], &[".rs", ".cl"]);
    let backend = all.iter().find(|s| s.path.ends_with("d/backend.rs"));
    let (_, list) = backend.unwrap().text.split_once("enum Unary {").unwrap();
    let (list, _) = list.split_once('}').unwrap();
    let variants = list.lines().map(str::trim).filter(|l| l.ends_with(','));
    let variants: Vec<&str> =
        variants.map(|l| l.split(['(', ',']).next().unwrap()).collect();
    assert!(variants.contains(&"Sin"), "{variants:?}");
    let operations = variants.iter().filter(|v| !ON_A_DEVICE.contains(v));
    for &variant in operations {
        let name = snake_case(variant);
        for (place, signs) in PLACES {
            let signs: Vec<String> = signs
                .iter()
                .map(|sign| sign.replace("{V}", variant).replace("{v}", &name))
                .collect();
            let stands = signs.iter().any(|sign| {
                let mut files = all.iter().filter(|s| s.is_in(&[place]));
                files.any(|s| s.text.contains(sign))
            });
            assert!(
                stands,
                "{place}: Unary::{variant} is missing; write {}",
                signs.join(" or ")
            );
        }
    }
}

/// The places of `gelu` in all three parts, in the order in which a reader
/// meets them: the list of operations and the judge, the rule of Part 1, the
/// kernels and the rule of Part 2, the line of Part 3, and the row of the tests.
const PLACES_OF_GELU: [(&str, &str); 8] = [
    ("src/base/ops.rs", "Gelu"),
    ("src/judge/reference.rs", "Op::Gelu"),
    ("src/part1_cpu/ops.rs", "pub fn gelu"),
    ("kernels/part2/ew_gelu.cl", "kernel void ew_gelu"),
    ("src/part2_gpu/kernels.rs", "ew_gelu"),
    ("src/part2_gpu/ops.rs", "pub fn gelu"),
    ("src/part3_unified/functions/elementwise.rs", "pub fn gelu"),
    ("tests/common/elementwise.rs", "gelu"),
];

/// This file, which is no place of any operation.
const HERE: &str = "tests/architecture/places.rs";

/// Who calls it is no place of it, nor is its approximation.
const CALLS_OF_GELU: [&str; 2] = [".gelu()", "gelu_tanh"];

/// In Part 3 it is one kernel, and so is its gradient, of which a step of a
/// transformer has a dozen. It was right by the eight places alone, as an
/// operation that is made of others; these make it quick.
const QUICK_GELU: [&str; 11] = [
    "kernels/part3/elementwise.cl",
    "src/part3_unified/arithmetic.rs",
    "src/part3_unified/backend.rs",
    "src/part3_unified/backend/cpu/",
    "src/part3_unified/backend/derived.rs",
    "src/part3_unified/backend/gpu.rs",
    "src/part3_unified/backend/gpu/transformer.rs",
    "src/part3_unified/functions/activations.rs",
    "src/part3_unified/kernels.rs",
    "tests/opencl/part3.rs",
    "tests/opencl/types.rs",
];

/// One more place would be one more that somebody forgets.
///
/// Promise: An elementwise operation of all parts is defined in eight files,
/// its tests included.
#[test]
fn gelu_stands_at_eight_places_in_all_parts() {
    let all = sources(&["src", "kernels", "tests"], &[".rs", ".cl"]);
    for (place, sign) in PLACES_OF_GELU {
        let mut files = all.iter().filter(|s| s.is_in(&[place]));
        let stands = files.any(|s| s.text.contains(sign));
        assert!(stands, "{place}: gelu is missing; write {sign}");
    }
    let known = PLACES_OF_GELU.map(|(place, _)| place);
    let known = [&known[..], &QUICK_GELU, &[HERE]].concat();
    let others = all.iter().filter(|s| !s.is_in(&known));
    for source in others {
        let named = |line: &str| {
            let calls = CALLS_OF_GELU.iter();
            let line = calls.fold(line.to_string(), |l, it| l.replace(it, ""));
            line.to_lowercase().contains("gelu")
        };
        let more = source.code().find(|(_, line)| named(line));
        assert!(more.is_none(), "{}: one more place: {more:?}", source.path);
    }
}

/// The way of a product to a kernel: each file that hands it on, by what it is
/// entered and by what it is left; the last is the kernel's text. What a file
/// on the way asks for, a check, a buffer, a compiled program, comes back to
/// it and is no part of the way.
const WAY: [(&str, [&str; 2]); 8] = [
    (
        "src/part3_unified/functions/elementwise.rs",
        ["pub fn mul(&self, other: &Tensor)", "apply(Mul, &[&a, &b])"],
    ),
    // From here it comes back to the first file: `Mul::forward`.
    ("src/part3_unified/function.rs", ["pub fn apply(", "function.forward("]),
    (
        "src/part3_unified/arithmetic.rs",
        ["pub fn binary(&self", "backend.binary(op, self, other)"],
    ),
    (
        "src/part3_unified/backend/gpu.rs",
        ["fn binary(&self, op: Binary", "self.gpu.launch("],
    ),
    (
        "src/part3_unified/kernels.rs",
        ["fn binary(op: Binary)", "Mul \"binary_mul\" \"strided_mul\""],
    ),
    (
        "src/opencl/launch.rs",
        ["pub fn launch<'a>(&self", "CheckedLaunch::new(known"],
    ),
    (
        "src/opencl/submission.rs",
        ["known: Arc<Known>,", "core::enqueue_kernel("],
    ),
    (
        "kernels/part3/elementwise.cl",
        ["BINARY(binary_mul, x * y)", "STRIDED(strided_mul, x * y)"],
    ),
];

/// A file more would be one more to open for whoever follows a call down.
///
/// Promise: A multiplication in Part 3 passes through eight files before it
/// reaches the kernel source.
#[test]
fn a_product_passes_through_eight_files_to_its_kernel() {
    let all = sources(&["src", "kernels"], &[".rs", ".cl"]);
    for (place, signs) in WAY {
        let file = all.iter().find(|source| source.path == place);
        let file = file.unwrap_or_else(|| panic!("{place} is not there"));
        for sign in signs {
            let stands = file.code().any(|(_, line)| line.contains(sign));
            assert!(stands, "{place}: the way leads elsewhere; no {sign}");
        }
    }
}
