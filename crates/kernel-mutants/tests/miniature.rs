//! The whole tool on a crate with one kernel, whose tests check its text. The
//! tool needs `timeout` of GNU coreutils, which other systems lack.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

const FILES: [(&str, &str); 7] = [
    (
        "Cargo.toml",
        "[workspace]\n[package]\nname = \"miniature\"\nedition = \"2024\"",
    ),
    (
        "kernels/engine/half.cl",
        "kernel void half(global float *a, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        a[i] = a[i] / 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
}
",
    ),
    (
        "src/lib.rs",
        r#"const HALF: &str = include_str!("../kernels/engine/half.cl");
        pub fn has(text: &str) -> bool { HALF.contains(text) }"#,
    ),
    ("tests/opencl/families.rs", r#"halves: 1, ["engine/half"];"#),
    (
        "tests/opencl/main.rs",
        r#"mod families { mod halves {
            use miniature::has;
            #[test]
            fn compiles() { assert!(!has("error")); }
            #[test]
            fn divides() { assert!(has("a[i] / 2.0f")); }
            #[test]
            fn ends() { while !has("barrier") { std::thread::yield_now(); } }
            #[test]
            #[ignore]
            fn is_guarded() { assert!(has("if (i < n)")); }
        } }"#,
    ),
    (
        "tests/part3_unified.rs",
        r#"#[test]
        fn is_everywhere() { assert!(miniature::has("get_global_id(0)")); }"#,
    ),
    (
        "crates/kernel-mutants/known.txt",
        "# Known.\n\nsurvives: kernels/engine/half.cl\n if (i < n)\n if (i <= n)\n Wrong.",
    ),
];

/// Promise: The kernel mutation tool reports a surviving mutant with its file
/// and line, and ends a mutant that hangs.
#[test]
fn each_mutant_of_a_kernel_is_caught_or_reported() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a miniature");
    for (file, text) in FILES {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), text).unwrap();
    }
    let check = |words: &[&str], expected_code, expected: &[&str]| {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_kernel-mutants"));
        tool.args(words).current_dir(&root);
        let output = tool.env("CARGO_TARGET_DIR", "target").output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        for expected in expected {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
        assert_eq!(output.status.code(), Some(expected_code), "{text}");
    };
    let caught = [
        ":3: uint i = get_local_id(0);\n    caught by is_everywhere",
        ":4: if (1 || i < n)\n    caught by families::halves::is_guarded",
        ":5: a[i] = a[i] / 3.0f;\n    caught by families::halves::divides",
        ":6: (void)0;\n    caught by a timeout",
        "6 mutants, 0 unexpected results",
    ];
    check(&["kernels/engine/half.cl"], 0, &caught);
    let wrong = "1 unexpected results\nkernels/engine/half.cl:4: if (i <= n)";
    check(&["--known", "kernels/engine/half.cl"], 1, &[wrong]);

    let engine = "#[test]\nfn notices_nothing() {}";
    fs::write(root.join("tests/part3_unified.rs"), engine).unwrap();
    let survivor = "half.cl:3: uint i = get_global_id(1);\n    SURVIVED";
    check(&["kernels/engine/half.cl:3"], 1, &[survivor]);
    check(&["--counts"], 2, &["No option `--counts`: see --help."]);
}
