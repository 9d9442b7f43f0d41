//! Generates the description of each level of `my_device`: the signatures
//! that it asks for, the laws that it checks, and a wrong first answer with its
//! verdict. The laws and the wrong answers are those that `cargo learn check`
//! and the authors' checks use.

use std::fmt::Write;

use crate::generated::Wanted;
use crate::generated::exercise::markdown;
use crate::manifest::Manifest;
use crate::tree::Tree;

const LEVELS: &str = "my_engine/src/device.rs";
const SIGNATURES: &str = "my_engine/src/device/left.rs";
const WRONG: &str = "exercises/wrong/my_device.diff";
/// The files that define the laws of a level.
const LAWS: [&str; 2] =
    ["my_engine/src/device/laws.rs", "my_engine/src/device/laws/many.rs"];

/// Returns a block for each wrong answer that `[first_tries]` in
/// `manifest.toml` names. The answers are in the order of the levels.
pub(crate) fn blocks(tree: &Tree, manifest: &Manifest) -> Vec<Wanted> {
    let answers = manifest.first_tries.iter().zip(1..);
    let block = |(answer, level): (&String, usize)| {
        let out = format!("book/listings/first_try_my_device_{level}.md");
        (out, block(tree, level, answer))
    };
    answers.map(block).collect()
}

fn block(tree: &Tree, level: usize, answer: &str) -> Result<String, String> {
    let levels = text(tree, LEVELS)?.split("    Level {\n");
    let own = levels.clone().nth(level);
    let own = own.ok_or(format!("`{LEVELS}` has no level {level}."))?;
    let mut block = format!(
        "The level asks for:\n\n```rust,ignore\n{}```\n\n\
         These properties are checked:\n\n",
        signatures(tree, own)?
    );
    for law in laws(own) {
        writeln!(block, "- {}", law.replace('_', " ")).expect("a string");
    }
    let Answer { comment, verdict, diff } = wrong_answer(tree, answer)?;
    write!(
        block,
        "\nHere is a wrong first answer. {comment}\n\n```diff\n{diff}```\n\n\
         The verdict contains these words:\n\n\
         ```console\n{verdict}\n```\n"
    )
    .expect("a string");
    // The verdict quotes the law whose name it contains.
    let named = |law: &&str| verdict.contains(&law.replace('_', " "));
    if let Some(law) = laws(own).find(named) {
        let law = source(tree, law)?;
        block += &format!(
            "\nIt quotes the test that failed:\n\n```rust,ignore\n{law}```\n"
        );
    }
    Ok(block)
}

fn text<'a>(tree: &'a Tree, file: &str) -> Result<&'a str, String> {
    tree.get(file).ok_or(format!("`{file}` does not exist."))
}

/// Returns the signatures of the functions that a level needs.
fn signatures(tree: &Tree, level: &str) -> Result<String, String> {
    let all = text(tree, SIGNATURES)?;
    let needs = between(level, "needs: &[", "]").unwrap_or_default();
    let names = needs.split(", ").map(|name| name.trim_start_matches("left::"));
    names
        .map(|name| {
            let signature = between(all, &format!("    {name} \""), "\";");
            let signature = signature
                .ok_or(format!("`{SIGNATURES}` has no signature `{name}`."))?;
            Ok(format!("{signature};\n"))
        })
        .collect()
}

/// Returns the names of the laws of a level, without the laws of Part 3 that
/// it shares with our own devices.
fn laws(level: &str) -> impl Iterator<Item = &str> {
    let groups = level.split("laws:").skip(2);
    groups.flat_map(|group| {
        let names = group.split(';').next().unwrap_or_default();
        names.split(',').map(str::trim)
    })
}

/// Returns the definition of a law.
fn source(tree: &Tree, law: &str) -> Result<String, String> {
    let start = format!("fn {law}(");
    for file in LAWS {
        let mut lines = text(tree, file)?.lines();
        let Some(first) = lines.find(|line| line.contains(&start)) else {
            continue;
        };
        let first = first.split_once("fn ").map_or(first, |(_, it)| it);
        let body = lines.take_while(|line| *line != "}");
        let body: String = body.map(|line| format!("{line}\n")).collect();
        return Ok(format!("fn {first}\n{body}}}\n"));
    }
    Err(format!("no file of laws defines `{law}`."))
}

struct Answer {
    comment: String,
    verdict: String,
    diff: String,
}

fn wrong_answer(tree: &Tree, name: &str) -> Result<Answer, String> {
    let answers = text(tree, WRONG)?.split("=== ");
    let answer = answers
        .filter_map(|answer| answer.strip_prefix(name))
        .find_map(|answer| answer.strip_prefix('\n'))
        .ok_or(format!("`{WRONG}` has no answer `{name}`."))?;
    let (head, diff) = answer.split_once("\n@@\n").unwrap_or((answer, ""));
    let words = |start: &str| {
        head.lines().find_map(|line| line.strip_prefix(start)).unwrap_or("")
    };
    Ok(Answer {
        comment: markdown(words("// ")),
        verdict: words("says: ").replace(" Your code", "\nYour code"),
        diff: format!("{}\n", diff.trim_end()),
    })
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    Some(text.split_once(start)?.1.split_once(end)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_has_signatures_laws_and_a_wrong_answer() {
        let level = "const LEVELS = [\n    Level {\n        name: \"zip\",\n\
                     \x20       needs: &[left::ZIP],\n        laws: laws! { \
                     Part3;\n            laws: a_zip_keeps_its_order,\n    \
                     a_zip_is_long;\n            edges: other;\n";
        let tree = Tree::default()
            .with(LEVELS, level)
            .with(SIGNATURES, "    ZIP \"fn zip(&self)\";\n")
            .with(LAWS[0], "pub(super) fn a_zip_keeps_its_order() {\n}\n")
            .with(
                WRONG,
                "=== turned\n// Last first.\nsays: level 1, zip: a \
                 zip keeps its order\n@@\n-a\n+b\n\n=== other\n",
            );
        let block = block(&tree, 1, "turned").unwrap();
        for part in [
            "```rust,ignore\nfn zip(&self);\n```",
            "- a zip keeps its order\n- a zip is long\n\n",
            "Last first.\n\n```diff\n-a\n+b\n```",
            "level 1, zip: a zip keeps its order\n```",
            "fn a_zip_keeps_its_order() {\n}\n```\n",
        ] {
            assert!(block.contains(part), "{part} in {block}");
        }
        assert!(!block.contains("other"), "{block}");
    }
}
