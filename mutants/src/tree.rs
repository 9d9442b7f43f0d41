//! A copy of the project with every mutant in it.
//!
//! The copy keeps `src/` as it is, because tests read it, and compiles
//! `mutated/`, which is `src/` with a choice at each place:
//! `(if crate::mutant::on(17) { a - b } else { a + b })`.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::mutant::{Form, Mutant};

/// A mutant of the sample and its number, from 1.
pub(crate) struct Planted {
    pub(crate) number: u32,
    pub(crate) mutant: Mutant,
}

/// The copy.
pub(crate) struct Tree {
    root: PathBuf,
    pub(crate) folder: PathBuf,
}

/// Which bytes of a written file belong to which mutant.
type Places = Vec<(Range<usize>, u32)>;

/// Where a text goes on its way to the driver. The copy takes a turning here.
const LOADER: (&str, &str, &str) = (
    "src/opencl/program.rs",
    "let text = CString::new(text).map_err(",
    "let text = CString::new(crate::mutant::kernel(text)).map_err(",
);

/// What is not copied, wherever it stands.
const LEFT_OUT: [&str; 5] = ["target", ".git", ".learn", ".tools", "mutants"];

/// The files of a folder below `root`, by their path from there.
fn files(
    root: &Path,
    folder: &Path,
    all: &mut Vec<PathBuf>,
) -> Result<(), String> {
    let told = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(root.join(folder)).map_err(told)? {
        let entry = entry.map_err(told)?;
        let name = entry.file_name();
        if LEFT_OUT.iter().any(|it| name == *it) {
            continue;
        }
        let path = folder.join(&name);
        if entry.file_type().map_err(told)?.is_dir() {
            files(root, &path, all)?;
        } else {
            all.push(path);
        }
    }
    Ok(())
}

/// The files of a folder with an ending, with `/` and in order.
pub(crate) fn sources(
    root: &Path,
    folder: &str,
    ending: &str,
) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    if root.join(folder).is_dir() {
        files(root, Path::new(folder), &mut all)?;
    }
    let all = all.into_iter().map(|path| path.to_string_lossy().into_owned());
    let mut all: Vec<String> =
        all.filter(|path| path.ends_with(ending)).collect();
    all.sort();
    Ok(all)
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path)
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes what is not there already, so that cargo builds no more than it
/// must.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let told = |error| format!("{}: {error}", path.display());
    fs::create_dir_all(path.parent().expect("a folder")).map_err(told)?;
    fs::write(path, bytes).map_err(told)
}

impl Tree {
    /// Copies the project, and removes what it has no more.
    pub(crate) fn copy(root: &Path) -> Result<Tree, String> {
        let folder = root.join("target/mutants/tree");
        let mut here = Vec::new();
        files(root, Path::new(""), &mut here)?;
        for path in &here {
            let bytes = fs::read(root.join(path))
                .map_err(|error| format!("{}: {error}", path.display()))?;
            if path != Path::new("Cargo.toml") {
                write(&folder.join(path), &bytes)?;
                continue;
            }
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            if text.contains("\n[lib]") {
                return Err("Cargo.toml has a [lib], and the copy needs one \
                            of its own."
                    .into());
            }
            text += "\n[lib]\npath = \"mutated/lib.rs\"\n";
            write(&folder.join(path), text.as_bytes())?;
        }
        let mut there = Vec::new();
        files(&folder, Path::new(""), &mut there)?;
        let here: BTreeSet<PathBuf> = here.into_iter().collect();
        for path in there {
            if !here.contains(&path) && !path.starts_with("mutated") {
                let _ = fs::remove_file(folder.join(path));
            }
        }
        Ok(Tree { root: root.to_path_buf(), folder })
    }

    /// Writes `mutated/` with these mutants.
    pub(crate) fn plant(
        &self,
        planted: &[Planted],
    ) -> Result<Vec<(String, Places)>, String> {
        let mut map = Vec::new();
        let all = sources(&self.root, "src", "")?;
        for file in &all {
            let mut text = read(&self.root.join(file))?;
            let here = planted.iter().filter(|it| it.mutant.file == *file);
            let mut here: Vec<&Planted> = here.collect();
            here.sort_by_key(|it| {
                let Range { start, end } = it.mutant.range;
                (start, usize::MAX - end, it.mutant.form == Form::Expression)
            });
            let mut places = Places::new();
            let (mut out, whole) = (String::new(), 0..text.len());
            weave(&text, whole, &here, &mut out, &mut places);
            text = out;
            if file == LOADER.0 {
                if !text.contains(LOADER.1) {
                    return Err(format!(
                        "{} has no `{}`, where kernels are mutated; tell \
                         mutants/src/tree.rs the new place.",
                        LOADER.0, LOADER.1
                    ));
                }
                text = text.replace(LOADER.1, LOADER.2);
            }
            if file == "src/lib.rs" {
                text += "\nmod mutant;\n";
            }
            let mutated = file.replacen("src", "mutated", 1);
            write(&self.folder.join(&mutated), text.as_bytes())?;
            map.push((mutated, places));
        }
        let mut switch = include_str!("../switch.rs").to_owned();
        switch += "\nconst KERNELS: &[(u32, &str, usize, usize, &str)] = &[\n";
        for Planted { number, mutant } in planted {
            if mutant.form == Form::Kernel {
                let Mutant { file, range, after, .. } = mutant;
                let Range { start, end } = range;
                switch += &format!(
                    "    ({number}, include_str!(\"../{file}\"), {start}, \
                     {end}, {after:?}),\n"
                );
            }
        }
        switch += "];\n";
        let path = self.folder.join("mutated/mutant.rs");
        write(&path, switch.as_bytes())?;
        Ok(map)
    }

    /// `cargo` in the copy.
    pub(crate) fn cargo(&self, words: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
        let mut command = Command::new(cargo);
        command.args(words).current_dir(&self.folder);
        for name in ["CARGO_TARGET_DIR", "RUSTFLAGS"] {
            command.env_remove(name);
        }
        command
    }

    /// The numbers of those mutants that do not compile.
    pub(crate) fn refused(
        &self,
        map: &[(String, Places)],
    ) -> Result<BTreeSet<u32>, String> {
        let mut refused = BTreeSet::new();
        let words = ["check", "--lib", "--message-format=json", "--quiet"];
        let output = self
            .cargo(&words)
            .output()
            .map_err(|error| format!("cargo does not start: {error}"))?;
        if output.status.success() {
            return Ok(refused);
        }
        let mut last = String::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let message = &line["message"];
            if message["level"] != "error" {
                continue;
            }
            last = message["rendered"].as_str().unwrap_or_default().to_owned();
            refused.extend(blamed(message, map));
        }
        match refused.is_empty() {
            true => Err(format!(
                "The copy does not compile, and no mutant is to blame:\n\
                 {last}{}",
                String::from_utf8_lossy(&output.stderr)
            )),
            false => Ok(refused),
        }
    }
}

/// The innermost mutants around the places of an error; else the nearest in
/// the file, because a type that cannot be inferred is missed elsewhere.
fn blamed(message: &Value, map: &[(String, Places)]) -> Vec<u32> {
    let mut blamed = Vec::new();
    let mut nearest: Option<(usize, u32)> = None;
    let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
    for span in spans {
        let (from, to) =
            (span["byte_start"].as_u64(), span["byte_end"].as_u64());
        let (Some(from), Some(to)) = (from, to) else { continue };
        let (from, to) = (from as usize, to as usize);
        let file = span["file_name"].as_str().unwrap_or_default();
        let Some((_, places)) = map.iter().find(|(it, _)| it == file) else {
            continue;
        };
        let around = places
            .iter()
            .filter(|(place, _)| place.start <= from && to <= place.end);
        let size = |place: &Range<usize>| place.end - place.start;
        if let Some(least) = around.clone().map(|(it, _)| size(it)).min() {
            let least = around.filter(|(it, _)| size(it) == least);
            blamed.extend(least.map(|(_, number)| *number));
        }
        for (place, number) in places {
            let distance = place.start.abs_diff(from);
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, *number));
            }
        }
    }
    if blamed.is_empty() {
        blamed.extend(nearest.map(|(_, number)| number));
    }
    blamed
}

/// Writes `text[whole]` with a choice at each mutant, the outer ones first.
fn weave(
    text: &str,
    whole: Range<usize>,
    planted: &[&Planted],
    out: &mut String,
    places: &mut Places,
) {
    let (mut at, mut rest) = (whole.start, planted);
    while let Some(head) = rest.first() {
        let (range, form) = (head.mutant.range.clone(), head.mutant.form);
        let alike = rest.iter().take_while(|it| {
            it.mutant.range == range && it.mutant.form == form
        });
        let (same, others) = rest.split_at(alike.count());
        let inner =
            others.iter().take_while(|it| it.mutant.range.start < range.end);
        let (inner, others) = others.split_at(inner.count());
        rest = others;

        out.push_str(&text[at..range.start]);
        let start = out.len();
        for Planted { number, mutant } in same {
            *out += &match form {
                Form::Statement => format!("if !crate::mutant::on({number}) "),
                _ => format!(
                    "{}if crate::mutant::on({number}) {{ {} }} else ",
                    if out.len() == start { "(" } else { "" },
                    on_one_line(&mutant.after)
                ),
            };
        }
        out.push_str("{ ");
        weave(text, range.clone(), inner, out, places);
        out.push_str(if form == Form::Statement { " }" } else { " })" });
        let numbers = same.iter().map(|it| (start..out.len(), it.number));
        places.extend(numbers);
        at = range.end;
    }
    out.push_str(&text[at..whole.end]);
}

/// So that what comes after keeps its line; where a comment or a text would
/// be hurt, it does not.
fn on_one_line(code: &str) -> String {
    match code.contains("//") || code.contains('"') {
        true => code.to_owned(),
        false => code.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust;

    #[test]
    fn a_choice_within_a_choice_keeps_both_and_the_lines() {
        let text = "fn f() {\n    push(a\n        + 0);\n}\n";
        let found = rust::mutants("a.rs", text).unwrap();
        let planted: Vec<Planted> = (1..)
            .zip(found)
            .map(|(number, mutant)| Planted { number, mutant })
            .collect();
        let mut order: Vec<&Planted> = planted.iter().collect();
        order.sort_by_key(|it| it.mutant.range.start);
        let (mut out, mut places) = (String::new(), Places::new());
        weave(text, 0..text.len(), &order, &mut out, &mut places);
        assert_eq!(
            out,
            "fn f() {\n    if !crate::mutant::on(1) { push((if \
             crate::mutant::on(2) { a - 0 } else { a\n        + (if \
             crate::mutant::on(3) { 1 } else { 0 }) })); }\n}\n"
        );
        let (innermost, _) = &places[0];
        assert_eq!(
            &out[innermost.clone()],
            "(if crate::mutant::on(3) { 1 } else { 0 })"
        );
    }
}
