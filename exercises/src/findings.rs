//! Reads Oclgrind's log for a learner's kernel.

use crate::report::filled;

/// Returns the findings of the log, as lines.
pub(crate) fn blocks(log: &str) -> impl Iterator<Item = Vec<&str>> {
    log.split("\n\n")
        .map(|block| block.lines().filter(|it| !it.trim().is_empty()).collect())
}

pub(crate) fn kernel_of<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let named = lines.iter().find_map(|it| it.trim().strip_prefix("Kernel:"));
    named.map(str::trim)
}

/// Maximum number of findings that are printed.
const SHOWN: usize = 3;

/// Formats the findings in the kernels that `source` defines, each kind once
/// per line of code. `file` is the name of the source in the output.
pub(crate) fn faults(log: &str, source: &str, file: &str) -> String {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for lines in blocks(log) {
        let Some(kernel) = kernel_of(&lines) else { continue };
        // The check also runs kernels of the engine.
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if !source.split(|c| !is_word(c)).any(|word| word == kernel) {
            continue;
        }
        let kind = lines[0].split(" address").next().unwrap_or_default();
        let place = lines.iter().find_map(|it| line_number(it));
        if !seen.contains(&(kind, place)) {
            seen.push((kind, place));
            found.push((kind, finding(kind, &lines, file)));
        }
    }
    // Reads outside an array or before a barrier are reported as uninitialized
    // too; keep only the cause.
    let follows = |kind: &str| kind.starts_with("Uninitialized");
    if found.iter().any(|(kind, _)| !follows(kind)) {
        found.retain(|(kind, _)| !follows(kind));
    }
    found.sort_by_key(|(kind, _)| rank(kind));
    let rest = found.len().saturating_sub(SHOWN);
    found.truncate(SHOWN);
    let texts: Vec<&str> = found.iter().map(|(_, text)| &**text).collect();
    let mut text = texts.join("\n");
    if rest > 0 {
        text += &format!("\n  .. and {rest} more\n");
    }
    let Some((kind, first)) = found.first() else { return text };
    if let Some(words) = meaning(kind) {
        let more = if kind.contains("data race") && adds(first) {
            " If many items add to the same element, use an atomic function, \
             which reads, adds and writes in one step."
        } else {
            ""
        };
        text += &format!("\n{}", filled(&format!("{words}{more}")));
    }
    text
}

/// Returns whether both work-items of a race executed the same addition.
fn adds(finding: &str) -> bool {
    let codes = finding.lines().filter(|line| line.starts_with("      "));
    let codes: Vec<&str> = codes.collect();
    let adds = |code: &&str| code.contains("+=") || code.contains("++");
    codes.windows(2).all(|pair| pair[0] == pair[1]) && codes.iter().any(adds)
}

/// Sorts causes before their consequences.
fn rank(kind: &str) -> usize {
    let causes = ["Work-group divergence", "Invalid", "Index"];
    match causes.iter().position(|cause| kind.starts_with(cause)) {
        Some(at) => at,
        None if kind.contains("data race") => causes.len(),
        None => causes.len() + 1,
    }
}

/// Explains a finding and what to do about it, if its name is not enough.
fn meaning(kind: &str) -> Option<&'static str> {
    if kind.starts_with("Work-group divergence") {
        Some(
            "All items of a group must reach every barrier: none may return \
             before it, and no `if` may let only some of them through. Fix \
             this first: until then no result of the kernel can be trusted.",
        )
    } else if kind.contains("data race at local memory") {
        Some(
            "Two items access the same cell, at least one of them writes, and \
             nothing determines which comes first. Put a barrier between the \
             two accesses.",
        )
    } else if kind.contains("data race") {
        Some(
            "Two items access the same element, at least one of them writes, \
             and nothing determines which comes first. Let only one item write \
             it.",
        )
    } else if kind.starts_with("Uninitialized value") {
        Some(
            "A value was used before it was written. Give each variable and \
             each cell a value before you read it.",
        )
    } else {
        None
    }
}

/// Formats a finding: its kind, the work-item, and the line of code. Lines of
/// the compiler's intermediate language are omitted.
fn finding(kind: &str, lines: &[&str], file: &str) -> String {
    let mut text = format!("  {kind}\n");
    for (at, line) in lines.iter().enumerate() {
        // `Only 5 out of 8 work-items executed barrier`
        if let Some(rest) = line.trim().strip_prefix("Only ") {
            let counts = rest.split(" executed").next().unwrap_or(rest);
            text += &format!("    only {counts} reached it\n");
        }
        if let Some((_, rest)) = line.split_once("Global(") {
            let item = rest.split(')').next().unwrap_or_default();
            let item = item.trim_end_matches(",0");
            text += &format!("    by work-item {item}\n");
        }
        if let Some(number) = line_number(line) {
            let code = lines.get(at + 1).map_or("", |it| it.trim());
            text += &format!("    at {file}:{number}\n      {code}\n");
        }
    }
    text
}

/// Parses the 7 in `At line 7 (column 15) of input.cl:`.
fn line_number(line: &str) -> Option<usize> {
    let rest = line.trim().strip_prefix("At line ")?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: &str = "
Invalid write of size 4 at global memory address 0xd000000000014
\tKernel: mine
\tEntity: Global(5,0,0) Local(5,0,0) Group(0,0,0)
\t  store float %mul, float addrspace(1)* %arrayidx4, align 4, !dbg !40
\tAt line 7 (column 15) of input.cl:
\t  out[i] = a[i];
\t
";

    #[test]
    fn a_finding_names_item_and_line_and_quotes_the_code() {
        let expected = "  Invalid write of size 4 at global memory
    by work-item 5
    at my.cl:7
      out[i] = a[i];
";
        assert_eq!(faults(WRITE, "kernel void mine()", "my.cl"), expected);
    }

    #[test]
    fn the_same_finding_is_told_once() {
        let other = WRITE.replace("5,0,0", "6,0,0");
        let log = format!("{WRITE}\n{other}");
        let source = "kernel void mine()";
        assert_eq!(faults(&log, source, "f"), faults(WRITE, source, "f"));
    }

    #[test]
    fn the_engine_s_own_kernels_are_not_the_learner_s() {
        assert_eq!(faults(WRITE, "kernel void yours()", "my.cl"), "");
        assert_eq!(faults("", "kernel void yours()", "my.cl"), "");
        // The name of a kernel may be part of the name of another.
        assert_eq!(faults(WRITE, "kernel void mine_relu()", "my.cl"), "");
    }

    #[test]
    fn a_barrier_that_some_miss_names_how_many_came() {
        let log = "
Work-group divergence detected (barrier)
\tKernel:     mine
\tWork-group: (0,0,0)
\tOnly 5 out of 8 work-items executed barrier
\t  tail call spir_func void @_Z7barrierj(i32 noundef 1) #5, !dbg !46
\tAt line 10 (column 9) of input.cl:
\t  barrier(CLK_LOCAL_MEM_FENCE);
\t
";
        let expected = "  Work-group divergence detected (barrier)
    only 5 out of 8 work-items reached it
    at my.cl:10
      barrier(CLK_LOCAL_MEM_FENCE);

All items of a group must reach every barrier";
        let said = faults(log, "kernel void mine()", "my.cl");
        assert!(said.starts_with(expected), "{said}");
    }

    #[test]
    fn what_follows_from_another_fault_is_not_told() {
        let read = WRITE.replace("write", "read");
        let kind = "Uninitialized value written to global memory";
        let follows =
            WRITE.replace("Invalid write of size 4 at global memory", kind);
        let source = "kernel void mine()";
        let log = format!("{follows}\n{read}");
        assert_eq!(faults(&log, source, "f"), faults(&read, source, "f"));
        let said = faults(&follows, source, "f");
        assert!(
            said.contains(kind) && said.contains("before it was"),
            "{said}"
        );
    }

    #[test]
    fn a_race_names_both_items() {
        let log = "
Read-write data race at global memory address 0x1
\tKernel: mine
\tFirst entity:  Global(0,0,0) Local(0,0,0) Group(0,0,0)
\t  %0 = load float
\tAt line 3 (column 1) of input.cl:
\t  x[0] += 1;
\tSecond entity: Global(1,2,0) Local(1,0,0) Group(0,0,0)
\t  store float
\tAt line 4 (column 1) of input.cl:
\t  y = x[0];
";
        let said = faults(log, "mine", "my.cl");
        assert!(said.contains("by work-item 0\n    at my.cl:3"), "{said}");
        assert!(said.contains("by work-item 1,2\n    at my.cl:4"), "{said}");
        assert!(said.contains("Let only one item write it."), "{said}");
        assert!(!said.contains("atomic"), "{said}");
        let both = log.replace("y = x[0];", "x[0] += 1;");
        let said = faults(&both, "mine", "my.cl");
        assert!(said.contains("If many items add"), "{said}");
    }
}
