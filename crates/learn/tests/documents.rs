//! Checks that the documents are short and current, and that every file, link
//! and command that they name exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
        .to_path_buf()
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// Lists the documents: six files at the root and every page of `docs/`.
fn documents() -> Vec<String> {
    let names = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "GLOSSARY.md",
        "CHANGELOG.md",
        "AGENTS.md",
    ];
    let mut documents = names.map(String::from).to_vec();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(root()).unwrap();
                documents.push(path.to_str().unwrap().to_string());
            }
        }
    }
    documents
}

/// Returns the anchors that GitHub gives the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let words = words.replace(' ', "-");
        let is_kept = |it: &char| it.is_alphanumeric() || "-_".contains(*it);
        words.chars().filter(is_kept).collect()
    };
    headings.map(anchor).collect()
}

/// Returns the targets of the links in a page that stay on this site.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1);
    let targets = targets.filter_map(|it| Some(it.split_once(')')?.0));
    targets.filter(|target| !target.starts_with("http")).collect()
}

/// Returns the text between backticks on one line.
fn code_spans(text: &str) -> Vec<String> {
    let outside_of_blocks = text.split("```").step_by(2);
    outside_of_blocks
        .flat_map(str::lines)
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .map(str::to_string)
        .collect()
}

/// The headings of `docs/promises.md`, each with a path prefix. A file belongs
/// to the first heading whose prefix matches.
const AREAS: &[(&str, &str)] = &[
    ("tests/architecture", "Structure of the sources"),
    ("crates/testkit", "Every engine"),
    ("tests/part1", "Part 1"),
    ("tests/part2", "Part 2"),
    ("tests/part3", "Part 3"),
    ("tests/opencl", "OpenCL devices and kernels"),
    ("tests", "Other tests of the crate"),
    ("src", "Unit tests of the crate"),
    ("crates/profile", "The profiler"),
    ("crates/tools", "The expression checker and the benchmarks"),
    ("crates/learn", "The companion"),
    ("crates/xtask", "The commands for authors"),
    ("exercises", "The exercises"),
    ("my_engine", "The reader's engine"),
    ("crates/bookgen", "The book"),
    ("crates/page", "The pages in a browser"),
    ("crates/kernel-mutants", "The kernel mutation tool"),
    ("crates/cluster", "Training on several machines"),
];

const PROMISE: &str = "/// Promise: ";
const COMMAND: &str = "UPDATE=1 cargo test -p learn --test documents";

/// Returns the promises in a source file, each with the name of its test.
fn promises(text: &str) -> Vec<(String, String)> {
    let mut lines = text.lines().map(str::trim).peekable();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix(PROMISE) else { continue };
        let mut sentence = first.to_string();
        while let Some(line) = lines.next_if(|line| line.starts_with("///")) {
            sentence += &line[3..];
        }
        let is_sentence = sentence.ends_with('.');
        assert!(is_sentence, "this promise has no period: {sentence}");
        let test = lines.by_ref().find_map(|line| {
            line.split_once("fn ")?.1.split(['(', '<']).next()
        });
        let test = test.unwrap_or_else(|| {
            panic!("no test follows this promise: {sentence}")
        });
        found.push((sentence, test.to_string()));
    }
    found
}

/// Returns the text of `docs/promises.md` and the number of promises.
fn page_of_promises() -> (String, usize) {
    let folders = [
        "src",
        "tests",
        "exercises/answer_module",
        "exercises/src",
        "crates",
        "my_engine",
    ];
    let folders = folders.map(|folder| root().join(folder));
    let mut files = rust(&folders);
    files.sort();
    let mut rows = vec![String::new(); AREAS.len()];
    let mut count = 0;
    for file in files {
        let name = file.strip_prefix(root()).unwrap().to_str().unwrap();
        let area = AREAS.iter().position(|(path, _)| name.starts_with(path));
        for (sentence, test) in promises(&fs::read_to_string(&file).unwrap()) {
            let rows = &mut rows[area.expect("an area of each file")];
            *rows += &format!("| {sentence} | `{test}` | `{name}` |\n");
            count += 1;
        }
    }
    let mut page = format!(
        "# Promises\n\n\
         The promises that tests keep, generated from comments `{}`\n\
         above the tests. To change this page, edit a comment and run\n\
         `{COMMAND}`.\n",
        PROMISE.trim()
    );
    for ((_, title), rows) in AREAS.iter().zip(rows) {
        if !rows.is_empty() {
            let head = "| promise | test | file |\n|---|---|---|";
            page += &format!("\n## {title}\n\n{head}\n{rows}");
        }
    }
    (page, count)
}

/// Promise: `docs/promises.md` lists exactly the promises in the sources.
#[test]
fn the_promises_page_is_current() {
    let (page, count) = page_of_promises();
    let file = root().join("docs/promises.md");
    if env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&file, &page).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == page, "docs/promises.md is not current; run `{COMMAND}`");
    // Deleting a test must not silently delete its promise.
    assert!(count >= 420, "only {count} promises are left");
}

/// Returns the Rust files below some folders.
fn rust(folders: &[PathBuf]) -> Vec<PathBuf> {
    let (mut open, mut files) = (folders.to_vec(), Vec::new());
    while let Some(path) = open.pop() {
        if path.extension().is_some_and(|it| it == "rs") {
            files.push(path);
            continue;
        }
        let inside = fs::read_dir(path).into_iter().flatten().flatten();
        open.extend(inside.map(|entry| entry.path()));
    }
    files
}

/// Returns the names of our environment variables in a text.
fn variables(text: &str) -> BTreeSet<String> {
    let prefix = "RUNGRAD_";
    let names = text.split(prefix).skip(1).map(|rest| {
        let is_end = |it: char| !it.is_ascii_uppercase() && it != '_';
        format!("{prefix}{}", &rest[..rest.find(is_end).unwrap_or(rest.len())])
    });
    names.filter(|name| name != prefix).collect()
}

/// Promise: `docs/environment.md` lists exactly the environment variables that
/// the sources name.
#[test]
fn every_environment_variable_is_in_the_table() {
    let mut open = vec![root()];
    let mut used = BTreeSet::new();
    let skipped = ["target", ".git", "docs", "book", "CHANGELOG.md"];
    let skipped = skipped.map(|name| root().join(name));
    while let Some(path) = open.pop() {
        if skipped.contains(&path) {
            continue;
        }
        match fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|it| it.path())),
            Err(_) => {
                let text = fs::read(path).unwrap_or_default();
                used.extend(variables(&String::from_utf8_lossy(&text)));
            }
        }
    }
    assert_eq!(variables(&read("docs/environment.md")), used);
}

/// Promise: Every file and folder that a document names exists.
#[test]
fn every_file_that_a_document_names_exists() {
    for document in documents() {
        for name in code_spans(&read(&document)) {
            let plain =
                |it: char| it.is_ascii_alphanumeric() || "._/-".contains(it);
            let is_path = name.contains('/') && name.chars().all(plain);
            let exists = !is_path || root().join(&name).exists();
            assert!(exists, "{document}: no {name}");
        }
    }
}

/// Promise: Every link of a document leads to an existing file and heading.
#[test]
fn every_link_of_a_document_resolves() {
    let mut count = 0;
    for document in documents() {
        let path = root().join(&document);
        for link in links(&read(&document)) {
            // GitHub resolves this one to a page of the repository.
            if link == "../../codespaces/new" {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{document}: no file {link}");
            if !anchor.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                let exists = anchors(&text).contains(anchor);
                assert!(exists, "{document}: no heading {link}");
            }
            count += 1;
        }
    }
    assert!(count > 15, "only {count} links");
}

/// Promise: Every `cargo learn` or `cargo xtask` command that a document names
/// exists.
#[test]
fn every_command_that_a_document_names_exists() {
    let help =
        Command::new(env!("CARGO_BIN_EXE_learn")).arg("help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let is_learn = |name: &str| {
        name.is_empty() || help.contains(&format!("  cargo learn {name} "))
    };
    // Each command for authors is a module with its name.
    let is_xtask = |name: &str| {
        root().join("crates/xtask/src").join(name).with_extension("rs").exists()
    };
    let check = |alias: &str, exists: &dyn Fn(&str) -> bool| {
        // The changelog may name a command that has been removed.
        let is_current = |it: &String| it != "CHANGELOG.md";
        for document in documents().into_iter().filter(is_current) {
            for part in read(&document).split(alias).skip(1) {
                let end = part.find(|it: char| !it.is_ascii_lowercase());
                let name = &part[..end.unwrap_or(part.len())];
                assert!(exists(name), "{document}: there is no {alias}{name}");
            }
        }
    };
    check("cargo learn ", &is_learn);
    check("cargo xtask ", &is_xtask);
}

/// Promise: Every example that the notebook runs exists.
#[test]
fn the_notebook_runs_existing_examples() {
    let notebook: serde_json::Value =
        serde_json::from_str(&read("docs/rungrad.ipynb")).unwrap();
    let cells = notebook["cells"].as_array().unwrap();
    let sources = cells.iter().filter(|it| it["cell_type"] == "code");
    let sources = sources.map(|it| it["source"].as_str().unwrap());
    let words = sources.flat_map(str::split_whitespace);
    let mut count = 0;
    for name in words.filter(|word| word.starts_with("part")) {
        let example = root().join("examples").join(name);
        let exists = example.is_dir() || example.with_extension("rs").exists();
        assert!(exists, "there is no example {name}");
        count += 1;
    }
    assert!(count > 2, "only {count} examples");
}

/// Arguments before `--` belong to `cargo learn run`, which knows few.
#[test]
fn pages_pass_example_arguments_after_two_dashes() {
    let pages = fs::read_dir(root().join("book/src")).unwrap();
    let pages = pages.map(|page| page.unwrap().path());
    let pages =
        pages.filter(|page| page.extension().is_some_and(|it| it == "md"));
    let mut runs = 0;
    for page in pages.chain([root().join("README.md")]) {
        let text = fs::read_to_string(&page).unwrap();
        for part in text.split("cargo learn run ").skip(1) {
            let end = part.find(['`', '\n']).unwrap_or(part.len());
            let line = &part[..end];
            let words = line.split(' ').skip(1);
            let mut words = words.take_while(|&word| word != "--");
            while let Some(word) = words.next() {
                match word {
                    "--timeline" | "--show" => {}
                    "--device" | "--trace" => drop(words.next()),
                    _ => panic!("{page:?}: `cargo learn run {line}`"),
                }
            }
            runs += 1;
        }
    }
    assert!(runs > 5, "{runs}");
}

#[test]
fn the_documents_are_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 100, "README.md has {lines} lines");
    for document in documents() {
        let most = match document.as_str() {
            "ARCHITECTURE.md" => 1200,
            "CONTRIBUTING.md" => 700,
            _ => continue,
        };
        let words = read(&document).split_whitespace().count();
        assert!(words <= most, "{document} has {words} words");
    }
}

/// A tag can be moved to different code; a commit cannot.
///
/// Promise: Every GitHub action is pinned to a commit.
#[test]
fn every_action_is_pinned_to_a_commit() {
    let mut count = 0;
    let folder = root().join(".github/workflows");
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let (_, pin) = line.split_once('@').expect("an action");
            let (hash, version) = pin.split_once(" # v").expect("its version");
            let is_hex = hash.chars().all(|it| it.is_ascii_hexdigit());
            assert!(hash.len() == 40 && is_hex, "{line}");
            assert!(!version.is_empty(), "{line}");
            count += 1;
        }
    }
    assert!(count > 0, "no workflow uses an action");
}
