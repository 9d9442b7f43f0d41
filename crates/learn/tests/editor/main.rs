//! Tests the help that an editor gives in a learner's files. They start the
//! language servers that VS Code and Neovim start, and send the same requests.

mod server;

use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use learn::exercises::stub::SolutionFile;
use serde_json::{Value, json};
use server::{Server, put, root, settings, uri};

/// Returns the server of this name if it runs. Otherwise the test is skipped, or
/// fails with `RUNGRAD_REQUIRE_EDITOR=1`. The server is started because rustup
/// installs a program of this name even without the server.
fn server_or_skip(test: &str, name: &str) -> Option<PathBuf> {
    let mut command = Command::new(name);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    if command.status().is_ok_and(|status| status.success()) {
        return Some(name.into());
    }
    let why = format!("no {name} runs here");
    let strict = env::var("RUNGRAD_REQUIRE_EDITOR").is_ok_and(|it| it == "1");
    assert!(!strict, "RUNGRAD_REQUIRE_EDITOR=1, but {why}");
    skipped(test, &why);
    None
}

fn skipped(test: &str, why: &str) {
    // Written directly, because the harness captures `eprintln!`.
    let _ = writeln!(stderr(), "SKIPPED {test}: {why}");
}

/// The text that a learner types into a hole.
struct Edit {
    file: &'static str,
    /// The text up to the position at which the completion list opens.
    begun: &'static str,
    /// Names that the list must contain.
    offers: &'static [&'static str],
    /// The text before the hovered word, and part of its description.
    over: [&'static str; 2],
    /// A call with too many or too few arguments.
    wrong: &'static str,
}

const RUST: [Edit; 5] = [
    Edit {
        file: "part1_cpu/mul_rule.rs",
        begun: "a.",
        offers: &["data", "matmul", "backward_with"],
        over: ["Tensor::from_", "pub fn from_op("],
        wrong: "a.relu(7)",
    },
    Edit {
        file: "part1_cpu/train_digits.rs",
        begun: "Tensor::",
        offers: &["relu", "matmul", "from_op"],
        // It is defined in the check.
        over: ["..Ops::refer", "fn reference("],
        wrong: "Tensor::relu(1, 2, 3)",
    },
    Edit {
        file: "part2_gpu/mul_end_to_end.rs",
        begun: "gpu.",
        offers: &["allocate", "launch", "upload"],
        over: ["a.gp", "pub fn gpu("],
        wrong: "gpu.allocate()",
    },
    Edit {
        file: "part3_unified/mul_function.rs",
        begun: "ctx.",
        offers: &["needs", "input", "output"],
        over: ["inputs[0].bin", "fn binary("],
        wrong: "ctx.needs()",
    },
    Edit {
        file: "part3_unified/new_operator.rs",
        begun: "Unary::",
        offers: &["Exp", "Log", "Relu"],
        over: ["    appl", "pub fn apply"],
        wrong: "Unary::Exp.apply()",
    },
];

/// Returns a learner's file and its stub. The file itself may already be
/// solved.
fn stub(file: &str) -> (PathBuf, String) {
    let folder = root().join("exercises");
    let solution = folder.join("solutions").join(file);
    let text = fs::read_to_string(solution).unwrap();
    let file = folder.join(file);
    match text.contains("// HOLE") {
        true => (file, SolutionFile::parse(&text).unwrap().stub),
        false => (file, text),
    }
}

/// Replaces the first hole with some text.
fn fill_hole(text: &str, what: &str) -> String {
    let start = text.find("todo!(\"").expect("a stub has a hole");
    let end = start + text[start..].find("\")").unwrap() + 2;
    format!("{}{what}{}", &text[..start], &text[end..])
}

/// Returns whether the source of the standard library is installed, which
/// rustup does for editors.
fn has_source() -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or("rustc".into());
    let output = Command::new(rustc).args(["--print", "sysroot"]).output();
    let sysroot = String::from_utf8(output.unwrap().stdout).unwrap();
    let source = "lib/rustlib/src/rust/library/std";
    Path::new(sysroot.trim()).join(source).is_dir()
}

/// Returns this checkout's settings without those that compile, because other
/// tests run at the same time and the answers need only the sources.
fn rust_settings() -> Value {
    let mut settings = settings("rust-analyzer");
    put(&mut settings, "/checkOnSave", json!(false));
    put(&mut settings, "/cachePriming/enable", json!(false));
    put(&mut settings, "/cargo/buildScripts/enable", json!(false));
    put(&mut settings, "/procMacro/enable", json!(false));
    settings
}

/// Returns the error messages of a server for an open file.
fn errors(server: &mut Server, file: &Path) -> Vec<String> {
    let document = json!({ "textDocument": { "uri": uri(file) } });
    let answer = server.request("textDocument/diagnostic", document);
    sentences(&answer["items"])
}

fn sentences(found: &Value) -> Vec<String> {
    let found = found.as_array().cloned().unwrap_or_default();
    let errors = found.iter().filter(|it| it["severity"] == json!(1));
    errors.map(|it| it["message"].as_str().unwrap().to_string()).collect()
}

/// Returns all files that a learner edits, each with its initial text.
fn learners_files() -> Vec<(PathBuf, String)> {
    let scratch = root().join("examples/scratch.rs");
    let text = fs::read_to_string(&scratch).unwrap();
    let mut files = vec![(scratch, text)];
    for part in ["part1_cpu", "part2_gpu", "part3_unified", "cluster"] {
        let folder = root().join("exercises/solutions").join(part);
        for entry in fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            files.push(stub(&format!("{part}/{name}")));
        }
    }
    files
}

/// Git ignores these files, so a fresh clone does not have them.
fn create_learners_files() {
    let mut learn = Command::new(env!("CARGO_BIN_EXE_learn"));
    learn.arg("list").env_remove("RUNGRAD_EXERCISES");
    assert!(learn.stdout(Stdio::null()).status().unwrap().success());
}

/// Starts the server and waits until it has indexed the workspace.
fn rust_analyzer(program: &Path) -> Server {
    let mut server = Server::new(program, rust_settings());
    let is_ready = |it: &Value| it["quiescent"] == json!(true);
    server.wait_for_notification("experimental/serverStatus", is_ready);
    server
}

/// Promise: rust-analyzer completes, explains and corrects code in exercises.
#[test]
fn rust_analyzer_works_in_exercises() {
    let name = "rust_analyzer_works_in_exercises";
    let Some(program) = server_or_skip(name, "rust-analyzer") else { return };
    create_learners_files();
    let mut server = rust_analyzer(&program);
    for Edit { file, begun, offers, over: [over, says], wrong } in RUST {
        let print = |what: &str| {
            // Written directly, because the harness captures `eprintln!`.
            let _ = writeln!(stderr(), "EDITOR {file}: {what}");
        };
        let (path, stub) = stub(file);
        let half = fill_hole(&stub, begun);
        server.open(&path, "rust", &half);
        let (above, _) = stub.split_once("todo!(\"").unwrap();
        let before = format!("{above}{begun}");
        let offered = server.completions(&path, &half, &before);
        print(&format!("completion of {begun:?}: {}", offered.join(", ")));
        for offer in offers {
            let is_there = offered.iter().any(|it| it == offer);
            assert!(is_there, "{file}: no {offer} among {offered:?}");
        }
        let said = server.hover(&path, &half, over);
        print(&format!("hover after {over:?}: {said}"));
        assert!(said.contains(says), "{file}: {over}: {said}");
        server.close(&path);

        server.open(&path, "rust", &fill_hole(&stub, wrong));
        let found = errors(&mut server, &path);
        print(&format!("diagnostics of {wrong:?}: {found:?}"));
        let is_told = found.iter().any(|it| it.contains(" argument"));
        assert!(is_told, "{file}: {found:?}");
        server.close(&path);

        if has_source() {
            server.open(&path, "rust", &stub);
            let found = errors(&mut server, &path);
            assert!(found.is_empty(), "{file}: {found:?}");
            server.close(&path);
        }
    }
    if !has_source() {
        let why = "the errors of the stubs: `rustup component add rust-src`";
        skipped(name, why);
    }
    // Adds to each file a function and a wrong call of it.
    let [head, call] = ["fn probe_it(n: u32)", "probe_it(1, 2)"];
    for (file, text) in learners_files() {
        if file.extension().is_none_or(|it| it != "rs") {
            continue;
        }
        let text = format!("{text}\n{head} {{\n    {call}\n}}\n");
        let place = file.display();
        server.open(&file, "rust", &text);
        let offered = server.completions(&file, &text, "{\n    probe_");
        assert!(offered.contains(&"probe_it".into()), "{place}: {offered:?}");
        let said = server.hover(&file, &text, "{\n    probe_");
        assert!(said.contains(head), "{place}: {said}");
        let found = errors(&mut server, &file);
        let is_told = found.iter().any(|it| it.contains("1 argument"));
        assert!(is_told, "{place}: {found:?}");
        server.close(&file);
    }
}

/// VS Code's settings hand kernels to clangd, and `.clangd` declares them as
/// OpenCL C.
///
/// Promise: clangd treats a kernel file as OpenCL C.
#[test]
fn clangd_treats_a_kernel_as_opencl_c() {
    let name = "clangd_treats_a_kernel_as_opencl_c";
    let language = &settings("files")["associations"]["*.cl"];
    assert_eq!(*language, json!("c"), "clangd starts for a file of C");
    let Some(program) = server_or_skip(name, "clangd") else { return };
    create_learners_files();
    let mut server = Server::new(&program, json!({}));
    let mut look = |file: &Path, text: &str| {
        server.open(file, "c", text);
        let is_of = |it: &Value| it["uri"] == json!(uri(file));
        let said = server
            .wait_for_notification("textDocument/publishDiagnostics", is_of);
        sentences(&said["diagnostics"])
    };
    let mut count = 0;
    let of_the_engines = ["kernels/part2", "kernels/engine"];
    let kernels = of_the_engines.iter().flat_map(|folder| {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        entries.map(|entry| {
            let file = entry.unwrap().path();
            let text = fs::read_to_string(&file).unwrap_or_default();
            (file, text)
        })
    });
    for (file, text) in kernels.chain(learners_files()) {
        let is_kernel = file.extension().is_some_and(|it| it == "cl");
        // A solution with levels defines some kernels several times.
        if is_kernel && !text.contains("// LEVELS") {
            let found = look(&file, &text);
            assert!(found.is_empty(), "{}: {found:?}", file.display());
            count += 1;
        }
    }
    assert!(count > 40, "{count} kernels");
    let file = root().join("exercises/part2_gpu/typed.cl");
    let text = "kernel void f(global float *out, uint n)\n{\n    \
                uint i = get_global_id(0);\n    if (i < n)\n        \
                out[i] = nothing;\n}\n";
    let found = look(&file, text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("'nothing'"), "{found:?}");
    let said = server.hover(&file, text, "get_global_");
    assert!(said.contains("get_global_id"), "{said}");
    let half = text.replace("out[i] = nothing;", "ou");
    server.close(&file);
    server.open(&file, "c", &half);
    let offered = server.completions(&file, &half, "        ou");
    assert!(offered.contains(&"out".to_string()), "{offered:?}");
}
