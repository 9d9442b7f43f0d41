//! The documentation of every tensor method shows the method in a code block
//! that is compiled and, in Parts 1 and 3, run.

use std::fs;
use std::path::Path;

/// A public method of `Tensor`, with what documents it.
struct Method {
    /// For example `src/part1_cpu/ops.rs: mul`.
    place: String,
    name: String,
    /// The doc comment above the method.
    comment: String,
    /// The doc comment above the `impl` block, for methods that share an
    /// example, so that pages can quote the methods without it.
    together: String,
    returns_result: bool,
}

/// The public methods of a part's `Tensor`, file by file.
fn methods(part: &str) -> Vec<Method> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new("src").join(part)];
    if part == "part3_unified" {
        // The library adds methods to the same `Tensor`.
        folders.push(Path::new("src/library").to_path_buf());
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                of_file(&path.display().to_string(), &text, &mut found);
            }
        }
    }
    found
}

fn of_file(path: &str, text: &str, found: &mut Vec<Method>) {
    let (mut comment, mut together) = (String::new(), String::new());
    let mut is_tensors = false;
    for (at, line) in text.lines().enumerate() {
        let words = line.trim_start();
        if let Some(words) = words.strip_prefix("///") {
            comment += words;
            comment.push('\n');
            continue;
        }
        if words.starts_with("//") || words.starts_with("#[") {
            continue;
        }
        if line.starts_with("impl") {
            is_tensors = line == "impl Tensor {";
            together.clone_from(&comment);
        }
        let name = line.strip_prefix("    pub fn ").filter(|_| is_tensors);
        if let Some(name) = name {
            let name = name.split(['(', '<']).next().unwrap();
            let rest = text.lines().skip(at);
            let head = rest.take_while(|line| !line.starts_with("    }"));
            let head = head.collect::<Vec<_>>().join(" ");
            let head = head.split(" {").next().unwrap();
            found.push(Method {
                place: format!("{path}: {name}"),
                name: name.to_string(),
                comment: comment.clone(),
                together: together.clone(),
                returns_result: head.contains("-> Result<"),
            });
        }
        comment.clear();
    }
}

/// Returns the code of the blocks in a comment that have this info string.
fn code(comment: &str, fence: &str) -> String {
    let blocks = comment.split("\n ```").skip(1).step_by(2);
    let blocks = blocks.filter_map(|block| block.split_once('\n'));
    let ours = blocks.filter(|(words, _)| *words == fence);
    ours.map(|(_, code)| code).collect()
}

/// Promise: Every public method of a Part 3 tensor has an example in its
/// documentation.
#[test]
fn every_method_of_a_tensor_has_an_example() {
    for (part, least, fence) in [
        ("part1_cpu", 40, ""),
        // Doc tests of Part 2 would also run on machines without a device.
        ("part2_gpu", 40, "no_run"),
        ("part3_unified", 130, ""),
    ] {
        let methods = methods(part);
        assert!(methods.len() >= least, "{part}: {}", methods.len());
        for Method { place, name, comment, together, .. } in methods {
            let [own, shared] = [comment, together]
                .map(|comment| code(&format!("\n{comment}"), fence));
            let calls = [".{}(", "::{}(", ".{}::<"]
                .map(|call| call.replace("{}", &name));
            assert!(
                calls.iter().any(|c| own.contains(c) || shared.contains(c)),
                "{place}: show it in the comment above, in lines between ``` \
                 that begin with ```{fence}"
            );
        }
    }
}

#[test]
fn every_fallible_method_documents_its_errors() {
    for part in ["part2_gpu", "part3_unified"] {
        let methods = methods(part).into_iter();
        let fallible: Vec<_> = methods.filter(|m| m.returns_result).collect();
        assert!(fallible.len() >= 2, "{part}: {}", fallible.len());
        for Method { place, comment, .. } in fallible {
            assert!(comment.contains("# Errors"), "{place}: write # Errors");
        }
    }
}
