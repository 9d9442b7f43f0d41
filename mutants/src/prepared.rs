//! A folder with all that a machine without cargo needs to try mutants: the
//! programs of the tests, the files that they read, and what was planted.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::mutant::{Form, Mutant};
use crate::named::Named;
use crate::suite::Suite;
use crate::tree::{self, Planted};

/// What [`write`] has written.
pub(crate) struct Prepared {
    planted: Vec<Planted>,
    pub(crate) suite: Suite,
}

/// The file that says what the folder holds.
const LIST: &str = "prepared.json";

/// Writes the folder, and says how another machine goes on.
pub(crate) fn write(
    folder: &Path,
    root: &Path,
    suite: &Suite,
    planted: &[Planted],
) -> Result<String, String> {
    let told = |error| format!("{}: {error}", folder.display());
    if folder.join(LIST).exists() {
        fs::remove_dir_all(folder).map_err(told)?;
    }
    fs::create_dir_all(folder.join("programs")).map_err(told)?;
    for (name, file) in &suite.programs {
        let to = folder.join("programs").join(name);
        let mut strip = Command::new("strip");
        let stripped = strip.arg("-o").arg(&to).arg(file).status();
        if !stripped.is_ok_and(|status| status.success()) {
            fs::copy(file, &to).map_err(told)?;
        }
    }
    for path in tree::sources(&suite.folder, "", "")? {
        copy(&suite.folder, &folder.join("tree"), &path)?;
    }
    // Where tests write, as cargo told them.
    fs::create_dir_all(folder.join("tree/target/tmp")).map_err(told)?;
    for list in ["mutants/planted.txt", "mutants/survivors.txt"] {
        if root.join(list).exists() {
            copy(root, folder, list)?;
        }
    }
    let names = suite.programs.iter().map(|(name, _)| name.as_str());
    let list = json!({
        "tree": suite.folder,
        "programs": names.collect::<Vec<_>>(),
        "planted": planted.iter().map(as_json).collect::<Vec<_>>(),
    });
    fs::write(folder.join(LIST), list.to_string()).map_err(told)?;
    Ok(format!(
        "{} is prepared. Where it is tried, the tool makes a link to it where \
         its tests look for their files: {}",
        folder.display(),
        suite.folder.display()
    ))
}

/// Makes the place where the tests look for their files, which was compiled
/// into them: a link to the tree. What else is there stays.
fn link(place: &Path, tree: &Path) -> Result<(), String> {
    let told = |error| format!("{}: {error}", place.display());
    let tree = fs::canonicalize(tree)
        .map_err(|error| format!("{}: {error}", tree.display()))?;
    if fs::canonicalize(place).is_ok_and(|it| it == tree) {
        return Ok(());
    }
    match fs::symlink_metadata(place) {
        Ok(there) if there.is_symlink() => {
            fs::remove_file(place).map_err(told)?;
        }
        Ok(_) => {
            return Err(format!(
                "The tests look for their files in {}, where there is another \
                 copy; take it away, or mount {} there.",
                place.display(),
                tree.display()
            ));
        }
        Err(_) => {
            let above = place.parent().unwrap_or(place);
            fs::create_dir_all(above).map_err(told)?;
        }
    }
    symlink(&tree, place).map_err(told)
}

fn copy(from: &Path, to: &Path, path: &str) -> Result<(), String> {
    let target = to.join(path);
    let told = |error| format!("{}: {error}", target.display());
    fs::create_dir_all(target.parent().unwrap_or(to)).map_err(told)?;
    fs::copy(from.join(path), &target).map_err(told).map(drop)
}

/// A folder that was written here or elsewhere.
pub(crate) fn open(folder: &Path) -> Result<Prepared, String> {
    let path = folder.join(LIST);
    let list = tree::read(&path)?;
    let broken = || format!("{} is not what this tool wrote.", path.display());
    let list: Value = serde_json::from_str(&list).map_err(|_| broken())?;
    let place = PathBuf::from(list["tree"].as_str().ok_or_else(broken)?);
    link(&place, &folder.join("tree"))?;
    let programs = list["programs"].as_array().ok_or_else(broken)?;
    let programs = programs
        .iter()
        .filter_map(Value::as_str)
        .map(|name| (name.to_owned(), folder.join("programs").join(name)));
    let suite = Suite::new(place, programs.collect())?;
    let planted = list["planted"].as_array().ok_or_else(broken)?;
    let planted = planted.iter().map(|it| from_json(it).ok_or_else(broken));
    Ok(Prepared { planted: planted.collect::<Result<_, _>>()?, suite })
}

impl Prepared {
    /// The first so many of them, besides those that are always planted.
    pub(crate) fn first(
        self,
        count: Option<usize>,
        always: &[Named],
    ) -> (Vec<Planted>, Suite) {
        let mut left = count.unwrap_or(usize::MAX);
        let mut planted = self.planted;
        planted.retain(|it| {
            let always = always.iter().any(|named| named.is(&it.mutant));
            let taken = always || left > 0;
            left -= usize::from(taken && !always);
            taken
        });
        (planted, self.suite)
    }
}

fn as_json(planted: &Planted) -> Value {
    let Planted { number, mutant: it } = planted;
    json!({
        "number": number,
        "file": it.file,
        "kernel": it.form == Form::Kernel,
        "statement": it.form == Form::Statement,
        "range": [it.range.start, it.range.end],
        "after": it.after,
        "at": it.at,
        "change": it.change,
        "line": it.line,
        "column": it.column,
        "code": it.code,
        "within": it.within,
    })
}

fn from_json(it: &Value) -> Option<Planted> {
    let text = |name: &str| it[name].as_str().map(str::to_owned);
    let number = |value: &Value| value.as_u64().map(|it| it as usize);
    let Range { start, end } =
        number(&it["range"][0])?..number(&it["range"][1])?;
    let form = match (it["kernel"].as_bool()?, it["statement"].as_bool()?) {
        (true, _) => Form::Kernel,
        (_, true) => Form::Statement,
        _ => Form::Expression,
    };
    let mutant = Mutant {
        file: text("file")?,
        form,
        range: start..end,
        after: text("after")?,
        at: number(&it["at"])?,
        change: text("change")?,
        line: number(&it["line"])?,
        column: number(&it["column"])?,
        code: text("code")?,
        within: it["within"]
            .as_array()?
            .iter()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect(),
    };
    Some(Planted { number: number(&it["number"])? as u32, mutant })
}
