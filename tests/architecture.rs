//! Checks the structural rules of ARCHITECTURE.md against the sources.

use std::fs;
use std::path::PathBuf;

const PARTS: [&str; 3] = ["part1_cpu", "part2_gpu", "part3_unified"];

/// A source file: its text, and its path from the repository root with `/` as
/// separator.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// Returns the numbered lines of code without comment lines.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        let lines = lines.map(|(i, line)| (i + 1, line.trim()));
        lines.filter(|(_, line)| !line.starts_with("//"))
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path.starts_with(place))
    }
}

/// Collects the files with one of these endings in the folders and their
/// subfolders, without the learner's own files.
fn sources(folders: &[&str], endings: &[&str]) -> Vec<Source> {
    let root = testkit::place::root();
    let mut waiting: Vec<PathBuf> =
        folders.iter().map(|folder| root.join(folder)).collect();
    let mut sources = Vec::new();
    while let Some(path) = waiting.pop() {
        let shown = path.strip_prefix(root).unwrap().to_string_lossy();
        let shown = shown.replace('\\', "/");
        if shown.starts_with("exercises/part") || shown == "exercises/cluster" {
            continue;
        }
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            waiting.extend(entries.map(|entry| entry.unwrap().path()));
        } else if endings.iter().any(|ending| shown.ends_with(ending)) {
            let text = fs::read_to_string(&path).unwrap();
            sources.push(Source { path: shown, text });
        }
    }
    assert!(!sources.is_empty(), "no sources in {folders:?}");
    sources
}

/// Fails and lists each line of code that contains a forbidden word.
fn forbid(sources: &[Source], words: &[&str], why: &str) {
    let mut found = Vec::new();
    for source in sources {
        for (number, line) in source.code() {
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{number}: {line}", source.path));
            }
        }
    }
    assert!(found.is_empty(), "{why}\n{}", found.join("\n"));
}

/// Promise: A part imports no other part.
#[test]
fn parts_do_not_import_each_other() {
    for part in PARTS {
        let others: Vec<&str> =
            PARTS.into_iter().filter(|other| *other != part).collect();
        let own = sources(&[&format!("src/{part}")], &[".rs"]);
        forbid(&own, &others, "a part stands alone; share through the root");
    }
}

/// Promise: Part 3 imports neither the engine nor the library, except in the
/// table of `device.rs`.
#[test]
fn part_3_does_not_import_what_builds_on_it() {
    let mut own = sources(&["src/part3_unified"], &[".rs"]);
    forbid(&own, &["library::"], "the library builds on Part 3");
    own.retain(|s| s.path != "src/part3_unified/device.rs");
    forbid(&own, &["engine::"], "only the table in device.rs names the engine");
}

/// Visibility within the crate would open an item to the library and the
/// engine, but to no reader who writes a function or a device.
///
/// Promise: The library and the engine use only what Part 3 makes public.
#[test]
fn part_3_shows_the_crate_only_what_it_makes_public() {
    let own = sources(&["src/part3_unified"], &[".rs"]);
    forbid(&own, &["pub(crate)"], "write `pub`, or `pub(super)`");
}

/// Promise: The shared modules import no part.
#[test]
fn shared_modules_do_not_import_parts() {
    let mut root = sources(&["src"], &[".rs"]);
    let parts = PARTS.map(|part| format!("src/{part}/"));
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let on_part3 = ["src/engine/", "src/library/"];
    root.retain(|s| !s.is_in(&parts) && !s.is_in(&on_part3));
    root.retain(|s| s.path != "src/lib.rs");
    forbid(&root, &PARTS, "the parts build on the root, never the reverse");
}

/// A file that the program has not named could change the bits of a result.
///
/// Promise: The library reads no file that the program has not named.
#[test]
fn the_library_does_not_read_the_companion_files() {
    let own = sources(&["src"], &[".rs"]);
    let words = ["\".learn", "/.learn"];
    forbid(&own, &words, "a program passes the path: `tuning::load(path)`");
}

/// Promise: `unsafe` appears only in the places that the test lists:
/// `src/opencl/`, the kernel lists, the raw examples, the exercise harness, the
/// allocation counter and the entry point of the pages' engine.
#[test]
fn unsafe_appears_only_in_listed_places() {
    let ours = ["src", "examples", "tests"];
    let others = ["exercises", "crates", "my_engine"];
    let folders = [&ours[..], &others].concat();
    let mut code = sources(&folders, &[".rs"]);
    // The tests of `src/opencl` need `unsafe` too.
    let fence = ["src/opencl/", "tests/opencl/"];
    // A list of kernels promises how far each of them reaches.
    let lists = [
        "src/part2_gpu/kernels",
        "src/part3_unified/plain_opencl/kernels",
        "src/engine/kernels",
    ];
    let homes = [
        // A generated kernel promises its reach, too.
        "src/engine/lazy/compiler/writer.rs",
        "examples/part2_raw_",
        "examples/part3_fused/by_hand.rs",
        "exercises/src/",
        "my_engine/src/memory.rs",
        "crates/page/src/door.rs",
        // Counts the memory of a learner's ejected engine.
        "crates/learn/eject/laws.rs",
    ];
    code.retain(|s| !s.is_in(&fence) && !s.is_in(&lists));
    code.retain(|s| !s.is_in(&homes) && s.path != "tests/architecture.rs");
    let words = ["unsafe ", "unsafe{", "allow(unsafe_code)"];
    forbid(&code, &words, "`unsafe` is allowed only where this test lists it");
}

/// The unit tests of a file follow its first `#[cfg(test)]`.
///
/// Promise: The library catches no panic and installs no panic hook, except in
/// `program.rs`, which a program calls explicitly.
#[test]
fn the_library_leaves_panics_to_the_program() {
    let mut own = sources(&["src"], &[".rs"]);
    own.retain(|s| s.path != "src/program.rs");
    own.retain(|s| !s.path.ends_with("/tests.rs"));
    for source in &mut own {
        if let Some(tests) = source.text.find("#[cfg(test)]") {
            source.text.truncate(tests);
        }
    }
    let words = ["catch_unwind", "set_hook", "take_hook", "attempt("];
    forbid(&own, &words, "only `src/program.rs` catches a panic");
}

/// Promise: The `ocl` package is used only in `src/opencl/` and in its tests.
#[test]
fn only_src_opencl_uses_ocl() {
    let ours = ["src", "examples", "tests"];
    let folders = [&ours[..], &["exercises", "crates", "my_engine"]].concat();
    let mut code = sources(&folders, &[".rs"]);
    let homes = ["src/opencl/", "examples/part2_raw_"];
    code.retain(|s| !s.is_in(&homes) && s.path != "tests/architecture.rs");
    forbid(&code, &[" ocl::", "(ocl::"], "`ocl` stays in src/opencl");
}

/// Promise: Part 2 computes with kernels and never with `ndarray`.
#[test]
fn part_2_does_not_compute_with_ndarray() {
    let part2 = sources(&["src/part2_gpu"], &[".rs"]);
    forbid(&part2, &["ndarray"], "Part 2 computes with its own kernels");
}

/// Collects the programs of `examples/` and `crates/tools/`, each with the
/// text of all its files. The programs that use nothing from the crate on
/// purpose are left out.
fn programs() -> Vec<Source> {
    let mut programs: Vec<Source> = Vec::new();
    for Source { path, text } in
        sources(&["examples", "crates/tools/src/bin"], &[".rs"])
    {
        let words = path.trim_start_matches("crates/tools/src/bin/");
        let words = words.trim_start_matches("examples/").split(['/', '.']);
        let name = words.take(1).collect();
        match programs.iter_mut().find(|known| known.path == name) {
            Some(known) => known.text += &text,
            None => programs.push(Source { path: name, text }),
        }
    }
    programs.retain(|p| !p.is_in(&["part1_step", "part2_raw_"]));
    programs
}

/// Promise: Every example that uses a device accepts `--trace` and
/// `--timeline`.
#[test]
fn programs_that_use_a_device_accept_trace() {
    for program in programs() {
        let devices = ["opencl::", "part2_gpu::", "part3_unified::"];
        let runs = devices.iter().any(|it| program.text.contains(it));
        let framed = program.text.contains("rungrad::run");
        let name = program.path;
        assert!(framed || !runs, "{name}: hand `main` to `rungrad::run`");
    }
}

#[test]
fn examples_read_arguments_with_rungrad_args() {
    // The bench records its command line as it was typed.
    let quotes = |program: &Source| program.path == "bench";
    forbid(
        &programs().into_iter().filter(|it| !quotes(it)).collect::<Vec<_>>(),
        &["env::args"],
        "`rungrad::args()` leaves out --trace and --timeline",
    );
}

/// A kernel with the name of a builtin compiles, but cannot be found in the
/// program afterwards.
///
/// Promise: No kernel has the name of an OpenCL C built-in function.
#[test]
fn kernel_names_do_not_shadow_builtins() {
    let prefixes = [
        "ew_",
        "reduce_",
        "pick_",
        "matmul",
        "unary_",
        "binary_",
        "copy_",
        "softmax_",
        "transpose_",
        "matvec_",
        "chain_",
        "broadcast_",
        "strided_",
        "product",
        "where_",
        "index_",
        "fold_",
        "fill_",
        "adam_",
        "attention_",
        "norm_",
        "plain_",
    ];
    let mut seen = 0;
    for source in sources(&["kernels"], &[".cl"]) {
        for (number, line) in source.code() {
            let named = line.split("kernel void ").nth(1);
            let Some(name) = named.and_then(|rest| rest.split('(').next())
            else {
                continue;
            };
            seen += 1;
            assert!(
                name == "NAME"
                    || name.ends_with("_backward")
                    || prefixes.iter().any(|p| name.starts_with(p)),
                "{}:{number}: name the kernel {name} with one of {prefixes:?}",
                source.path
            );
        }
    }
    assert!(seen > 0, "no kernel was found");
}

/// Promise: The step examples of Parts 1 and 3 import nothing from the crate and
/// have at most 100 lines.
#[test]
fn steps_are_short_and_import_nothing() {
    let mut steps = sources(&["examples"], &[".rs"]);
    let names = ["examples/part1_step", "examples/part3_step"];
    steps.retain(|source| source.is_in(&names));
    assert_eq!(steps.len(), 8, "four steps of each part");
    forbid(&steps, &["rungrad"], "a step imports nothing from the crate");
    for Source { path, text } in steps {
        assert!(text.lines().count() <= 100, "{path} has over 100 lines");
    }
}

/// Promise: The step examples of Part 2 use kernels and buffers and import no
/// part.
#[test]
fn part_2_steps_import_no_part() {
    let mut steps = sources(&["examples"], &[".rs"]);
    steps.retain(|source| source.path.contains("part2_step"));
    assert!(!steps.is_empty(), "no step was found");
    for step in &mut steps {
        step.text = step.text.replace("part2_gpu::kernels", "kernels");
    }
    forbid(&steps, &PARTS, "a step defines its own tensor");
}

/// Promise: A raw OpenCL example uses nothing from the crate except the link to
/// the OpenCL loader.
#[test]
fn raw_programs_use_only_the_link_of_rungrad() {
    let mut programs = sources(&["examples"], &[".rs"]);
    programs.retain(|source| {
        let rest = source.path.strip_prefix("examples/part2_raw_");
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_numeric()))
    });
    assert!(!programs.is_empty(), "no program was found");
    for program in programs {
        let ours: Vec<&str> = program
            .code()
            .map(|(_, line)| line)
            .filter(|line| line.contains("rungrad"))
            .collect();
        assert_eq!(ours, ["use rungrad as _;"], "{}", program.path);
    }
}

/// The guard fails a test that leaves a node or a buffer alive.
///
/// Promise: Every test of an engine with devices fails if it leaks a node or a
/// buffer.
#[test]
fn device_tests_begin_with_the_leak_guard() {
    let files =
        ["crates/testkit/src", "tests/part3_unified", "tests/part2_gpu.rs"];
    // The ledger counts per thread, and the threads of these tests pass nodes
    // and storages to each other.
    let apart = [
        "fn threads_can_share_a_leaf_and_a_graph() {",
        "fn a_started_read_has_the_elements_of_its_moment() {",
    ];
    let mut seen = 0;
    for source in sources(&files, &[".rs"]) {
        let lines = source.code().map(|(_, line)| line);
        let lines = lines.filter(|line| !line.starts_with("#[ignore"));
        let lines: Vec<&str> = lines.collect();
        for test in lines.windows(3).filter(|lines| lines[0] == "#[test]") {
            seen += 1;
            assert!(
                apart.contains(&test[1])
                    || test[2].starts_with("let _clean = "),
                "{}: `{}` begins without `let _clean = clean();`",
                source.path,
                test[1]
            );
        }
    }
    assert!(seen > 50, "no tests were found");
}
