//! Regions between anchors, parsed exactly as mdBook does.

#[derive(Debug, PartialEq, Eq)]
pub enum Mark<'a> {
    Start(&'a str),
    End(&'a str),
}

/// Returns the mark of a line that begins or ends a region.
pub fn mark(line: &str) -> Option<Mark<'_>> {
    let name = |rest: &'static str| {
        let (_, after) = line.split_once(rest)?;
        let after = after.trim_start();
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
        (end > 0).then_some(&after[..end])
    };
    name("ANCHOR_END:").map(Mark::End).or(name("ANCHOR:").map(Mark::Start))
}

/// Returns the lines between `ANCHOR: name` and `ANCHOR_END: name`, without the
/// anchor lines of other regions.
pub fn region(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines();
    lines.find(|line| mark(line) == Some(Mark::Start(name)))?;
    let mut region = String::new();
    for line in lines {
        match mark(line) {
            Some(Mark::End(end)) if end == name => break,
            Some(_) => {}
            None => region.extend([line, "\n"]),
        }
    }
    Some(region)
}
