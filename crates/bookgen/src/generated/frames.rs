//! Compares the backtraces in listings. An optimizer may replace a call by a
//! jump, which leaves no frame. Which frames are missing differs between
//! builds, so the book shows the complete backtrace, which `--config
//! 'profile.dev.package.rungrad.opt-level=0'` produces.

/// The listings that contain a backtrace.
pub(crate) const STACKS: &[&str] = &["listings/part3_trace.out"];

/// Returns whether `now` equals the listing in the book, except for missing
/// callers. Each backtrace ends with the same function and contains at least
/// half of the functions, and no others.
pub(crate) fn alike(book: &str, now: &str) -> bool {
    let [book, now] = [book, now].map(stacks);
    let same = |(book, now): (&Part, &Part)| match (book, now) {
        (Part::Line(book), Part::Line(now)) => book == now,
        (Part::Stack(book), Part::Stack(now)) => {
            let mut all = book.iter();
            let in_order = now.iter().all(|frame| all.any(|it| it == frame));
            in_order && 2 * now.len() >= book.len() && now.last() == book.last()
        }
        _ => false,
    };
    book.len() == now.len() && book.iter().zip(&now).all(same)
}

/// A line that is not a frame, or consecutive frames.
enum Part<'a> {
    Line(&'a str),
    Stack(Vec<[&'a str; 2]>),
}

fn stacks(text: &str) -> Vec<Part<'_>> {
    let mut parts = vec![];
    for line in text.lines() {
        match (frame(line), parts.last_mut()) {
            (Some(frame), Some(Part::Stack(all))) => all.push(frame),
            (Some(frame), _) => parts.push(Part::Stack(vec![frame])),
            (None, _) => parts.push(Part::Line(line)),
        }
    }
    parts
}

/// Returns the function of a frame and its file, without type parameters,
/// which some builds omit.
fn frame(line: &str) -> Option<[&str; 2]> {
    let mut words = line.strip_prefix("  ")?.split_whitespace();
    let (name, file) = (words.next()?, words.next()?);
    let name = name.trim_start_matches('<').split('<').next()?;
    (file.ends_with(".rs") && words.next().is_none()).then_some([name, file])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &str = "y.read()\n  read        a.rs\n    apply<Mul>  b.rs\n      \
                        mul       b.rs\n  the queue: mul 1 x 256\n";

    /// Promise: A backtrace in a listing may lack a caller and may not have a
    /// new one.
    #[test]
    fn a_caller_may_be_missing_but_not_added() {
        let says = |of: &[&str]| alike(BOOK, &of.join("\n"));
        let (first, queue) = ("y.read()", "  the queue: mul 1 x 256");
        assert!(alike(BOOK, BOOK));
        assert!(says(&[first, "  <apply b.rs", "    mul b.rs", queue]));
        assert!(!says(&[first, "  mul b.rs", queue]), "one of three");
        let two = "  read a.rs\n    mul b.rs\n";
        assert!(alike(two, "  mul b.rs\n"), "half");
        assert!(!says(&[first, "  read a.rs", "  apply b.rs", queue]), "last");
        assert!(!says(&[
            first,
            "  apply b.rs",
            "  new b.rs",
            "  mul b.rs",
            queue
        ]));
        assert!(!says(&[first, "  apply c.rs", "  mul b.rs", queue]), "file");
        assert!(!says(&[
            first,
            "  apply b.rs",
            "  mul b.rs",
            "  the queue: 2"
        ]));
        assert!(!says(&[first, "  apply b.rs", "  mul b.rs"]), "no queue");
    }
}
