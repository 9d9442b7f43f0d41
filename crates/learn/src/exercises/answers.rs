//! Answers derived from a solution: the solution without its hole markers, and
//! the known wrong answers, which are patches of it.
//!
//! `exercises/wrong/ID.diff` has a section for each wrong answer. The `@@`
//! lines begin the hunks; blank lines at the end of a hunk do not count.
//!
//! ```text
//! === swapped
//! // Each operand gets its own values: the first guess of many.
//! says: the operands are swapped
//! @@
//! -        vec![grad_out * &*y, grad_out * &*x]
//! +        vec![grad_out * &*x, grad_out * &*y]
//! ```
//!
//! This module uses no other module, so tests and benchmarks can include it.

/// A known wrong answer.
pub struct WrongAnswer {
    pub name: String,
    /// Words that its verdict must contain.
    pub says: String,
    /// Programs that only this verdict requires: `oclgrind`, or `profile` for
    /// the plugin of Oclgrind.
    pub needs: Vec<String>,
    /// The limit of CPU time, for an answer that never ends.
    pub seconds: Option<u64>,
    /// The whole file, as a learner would have it.
    pub text: String,
}

/// Removes the hole markers and the lines of the stub from a solution.
pub fn plain(solution: &str) -> String {
    let is_marker = |line: &str| {
        let line = line.trim();
        line == "// HOLE" || line == "// END HOLE" || line.starts_with("//|")
    };
    joined(solution.lines().filter(|line| !is_marker(line)))
}

/// Applies all patches of a file to a solution without hole markers. The error
/// is a sentence that names the wrong answer.
pub fn wrong_answers(
    patches: &str,
    solution: &str,
) -> Result<Vec<WrongAnswer>, String> {
    let patches = format!("\n{patches}");
    let mut sections = patches.split("\n=== ");
    if sections.next().is_some_and(|before| !before.trim().is_empty()) {
        return Err("the first line must be `=== ` and the name of a wrong \
                    answer"
            .to_string());
    }
    let mut answers: Vec<WrongAnswer> = Vec::new();
    for section in sections {
        let (name, patch) = section.split_once('\n').unwrap_or((section, ""));
        if answers.iter().any(|answer| answer.name == name) {
            return Err(format!("two answers are named `{name}`; rename one"));
        }
        let answer = wrong_answer(name, patch, solution);
        answers.push(answer.map_err(|why| format!("`{name}` {why}"))?);
    }
    Ok(answers)
}

fn wrong_answer(
    name: &str,
    patch: &str,
    solution: &str,
) -> Result<WrongAnswer, String> {
    let patch = format!("\n{patch}\n");
    let mut hunks = patch.split("\n@@\n");
    let mut comment = Vec::new();
    let (mut says, mut needs, mut seconds) = (None, Vec::new(), None);
    for line in hunks.next().into_iter().flat_map(str::lines) {
        match line.split_once(": ") {
            _ if line.is_empty() => {}
            _ if line.starts_with("//") => comment.push(line),
            Some(("says", words)) => says = Some(words.to_string()),
            Some(("needs", programs)) => {
                needs = programs.split(", ").map(String::from).collect();
            }
            Some(("seconds", number)) => {
                let number = number.parse();
                seconds = Some(number.map_err(|_| {
                    format!("has the line {line:?}, which has no whole number")
                })?);
            }
            _ => {
                return Err(format!(
                    "has the line {line:?}, and before the first `@@` there \
                     are only comments and the lines `says: WORDS`, \
                     `needs: PROGRAM` and `seconds: NUMBER`"
                ));
            }
        }
    }
    let says = says.ok_or(
        "has no line `says: ` with words that its verdict must contain",
    )?;
    let mut hunks = hunks.peekable();
    if hunks.peek().is_none() {
        return Err("changes nothing: it has no line `@@`".to_string());
    }
    let mut lines: Vec<&str> = solution.lines().collect();
    // The comment at the top, and the blank line after it.
    let mut head = lines.iter().take_while(|it| it.starts_with("//")).count();
    head += usize::from(lines.get(head).is_some_and(|it| it.is_empty()));
    if !comment.is_empty() {
        comment.push("");
        lines.splice(..head, comment.iter().copied());
        head = comment.len();
    }
    for hunk in hunks {
        apply(&mut lines, head, hunk)?;
    }
    let text = joined(lines.into_iter());
    Ok(WrongAnswer { name: name.to_string(), says, needs, seconds, text })
}

/// Replaces the lines with `-` or a space by the lines with `+` or a space. If a
/// hunk has only lines with `+`, they are the whole answer after the first
/// `head` lines, which are the comment at the top.
fn apply<'a>(
    lines: &mut Vec<&'a str>,
    head: usize,
    hunk: &'a str,
) -> Result<(), String> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for line in hunk.trim_end_matches('\n').lines() {
        match line.split_at_checked(1) {
            Some(("-", line)) => old.push(line),
            Some(("+", line)) => new.push(line),
            Some((" ", _)) | None => {
                let line = line.get(1..).unwrap_or_default();
                old.push(line);
                new.push(line);
            }
            _ => {
                return Err(format!(
                    "has the line {line:?} in a hunk, which begins with \
                     neither `-` nor `+` nor a space"
                ));
            }
        }
    }
    if old.is_empty() {
        lines.truncate(head);
        lines.extend(new);
        return Ok(());
    }
    let found = lines.windows(old.len()).enumerate();
    let found: Vec<usize> =
        found.filter(|(_, it)| *it == old).map(|(at, _)| at).collect();
    let [at] = found[..] else {
        return Err(format!(
            "replaces {:?}, which must be in the solution exactly once and is \
             there {} times",
            old.join("\n"),
            found.len()
        ));
    };
    lines.splice(at..at + old.len(), new);
    Ok(())
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}
