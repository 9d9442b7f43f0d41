//! `cargo xtask prose`: rejects the phrases of `prose.toml` in comments and
//! documents. A file becomes one line of words, in which a period ends each
//! sentence, so that a search also finds a phrase that is broken in two lines.

use std::fs;

use learn::checkout::Checkout;
use learn::command::{Args, Command, Stop};
use learn::terminal::say;
use toml_span::Value;

pub(crate) const COMMAND: Command = Command {
    name: "prose",
    usage: "[PATH..]",
    summary: "find phrases that the project avoids",
    page: "\
Finds the phrases of crates/xtask/prose.toml in .md files and in the comments of
.rs and .cl files. Without a path it checks the folders that are listed there.",
    run,
};

fn run(checkout: &Checkout, words: Args) -> Result<(), Stop> {
    let config = toml_span::parse(include_str!("../prose.toml")).unwrap();
    let (paths, _) = words.rest(usize::MAX)?;
    let checked =
        if paths.is_empty() { strings(&config, "checked") } else { paths };
    let mut count = 0;
    for path in checked {
        count += check(checkout, &config, &path)?;
    }
    match count {
        0 => Ok(()),
        _ => Err(Stop::Failed(format!("{count} phrases should be rewritten"))),
    }
}

fn strings(table: &Value, key: &str) -> Vec<String> {
    let list = table.as_table().and_then(|table| table.get(key)?.as_array());
    let list = list.into_iter().flatten().filter_map(Value::as_str);
    list.map(str::to_string).collect()
}

/// Prints the phrases in a file or folder, and returns their number.
fn check(
    checkout: &Checkout,
    config: &Value,
    path: &str,
) -> Result<usize, Stop> {
    let (mut open, mut count) = (vec![checkout.root.join(path)], 0);
    while let Some(path) = open.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            open.extend(entries.flatten().map(|entry| entry.path()));
            open.sort_by(|a, b| b.cmp(a));
            continue;
        }
        let shown = checkout.shown(&path);
        let text = fs::read(&path).map_err(|error| {
            Stop::Usage(format!("cannot read {shown}: {error}"))
        })?;
        let is_document = match path.extension().and_then(|it| it.to_str()) {
            Some("md") => true,
            Some("rs" | "cl") => false,
            _ => continue,
        };
        let prose = Prose::new(&String::from_utf8_lossy(&text), is_document);
        let rules = config.pointer("/rule").and_then(Value::as_array);
        for rule in rules.into_iter().flatten() {
            let get = |key| rule.pointer(key).and_then(Value::as_str).unwrap();
            let advice = format!("{}; write {}", get("/why"), get("/instead"));
            for (line, phrase) in prose.find(rule) {
                say!("{shown}:{line}: \"{phrase}\": {advice}");
                count += 1;
            }
        }
    }
    Ok(count)
}

struct Prose {
    /// The words, each between two spaces. A sentence ends with ` . `, a
    /// question with ` ? . `, and a code span is the word `x`.
    words: String,
    /// Where in `words` each line of the file begins.
    lines: Vec<usize>,
}

impl Prose {
    fn new(text: &str, is_document: bool) -> Prose {
        let mut prose = Prose { words: " . ".to_string(), lines: vec![] };
        let mut is_code = false;
        for line in text.lines().map(str::trim) {
            prose.lines.push(prose.words.len());
            let is_comment = is_document || line.starts_with("//");
            let line = line.trim_start_matches(['/', '!', ' ']);
            let is_fence = line.starts_with("```");
            is_code = is_comment && is_code != is_fence;
            let is_prose = is_comment && !is_code && !is_fence;
            let is_item = line.starts_with(['-', '*', '#', '|']);
            if !is_prose || line.is_empty() || is_item {
                prose.words += ". ";
            }
            if is_prose && !line.starts_with(['<', '{']) {
                prose.add(line);
            }
        }
        prose
    }

    fn add(&mut self, line: &str) {
        let outside_of_code: Vec<&str> = line.split('`').step_by(2).collect();
        for part in outside_of_code.join("x").split_whitespace() {
            let word = part.split("](").next().unwrap_or_default();
            let word = word.trim_matches(|it: char| !it.is_alphanumeric());
            self.words += word;
            let last = part.rfind(char::is_alphanumeric).unwrap_or(0);
            self.words += match &part[last..] {
                end if end.contains('?') => " ? . ",
                end if end.contains(['.', ':', ';', '!', '|']) => " . ",
                end if end.contains([',', ')']) => " , ",
                _ => " ",
            };
        }
    }

    /// Finds the phrases of a rule, each with its line.
    fn find(&self, rule: &Value) -> Vec<(usize, String)> {
        let mut words = self.words.to_ascii_lowercase();
        for allowed in strings(rule, "allowed") {
            let hidden = format!(" {} ", "_".repeat(allowed.len()));
            words = words.replace(&format!(" {allowed} "), &hidden);
        }
        let mut found = vec![];
        for phrase in strings(rule, "phrases") {
            let wanted = format!(" {} ", phrase.replace('^', "."));
            for (at, _) in words.match_indices(&wanted) {
                let end = at + wanted.len() - 2;
                let sentence =
                    self.words[at + 3..].split(" . ").next().unwrap();
                let is_statement = sentence.starts_with(char::is_uppercase)
                    && !sentence.ends_with('?');
                if is_statement || !phrase.starts_with('^') {
                    let line = self.lines.partition_point(|&it| it <= end);
                    found.push((line, phrase.replace("^ ", "")));
                }
            }
        }
        found
    }
}
