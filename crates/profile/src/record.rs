//! Reads the log that the plugin writes for each launch. A line is a keyword
//! followed by numbers.

use std::collections::BTreeMap;
use std::str::SplitAsciiWhitespace;

/// One launch of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// The name of the kernel.
    pub kernel: String,
    /// The number of items of a warp.
    pub warp: usize,
    /// The global size.
    pub global: [usize; 3],
    /// The size of a work-group.
    pub group: [usize; 3],
    /// The bytes of local memory of a work-group.
    pub local: u64,
    /// The bytes of all touched sectors of global memory, each counted once.
    pub touched: u64,
    /// The number of 4-byte elements that the busiest warp of each work-group
    /// loads from global memory, added over all work-groups.
    pub busiest: u64,
    /// The executed instructions, by line of the source.
    pub lines: BTreeMap<usize, Work>,
    /// The executed operations, except loads and stores.
    pub operations: Vec<Operation>,
    /// The number of times that work-groups reached each barrier, by line.
    pub barriers: BTreeMap<usize, u64>,
    /// The branches, by line.
    pub branches: BTreeMap<usize, Branch>,
    /// The accesses to memory.
    pub accesses: Vec<Access>,
}

/// The instructions executed on a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// The text of the line. Line 0 is empty and collects instructions that
    /// belong to no line.
    pub text: String,
    /// The number of warp instructions.
    pub warps: u64,
    /// The number of item instructions. If all items are active, it is the
    /// number of warp instructions times the size of a warp.
    pub items: u64,
}

/// How often warps executed a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Branch {
    /// The number of executions.
    pub times: u64,
    /// The number of executions in which the items of a warp diverged.
    pub split: u64,
}

/// An operation: an opcode of LLVM, or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The opcode, or the name of the function.
    pub name: String,
    /// The number of elements that it computes at once.
    pub width: u64,
    /// The number of executions by items.
    pub times: u64,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes atomically.
    Atomic,
}

/// All accesses of one kind at one position in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The line of the source.
    pub line: usize,
    /// The column, counted from 1. A load is located at its first letter, and
    /// a store at its operator.
    pub column: usize,
    /// The kind of the access.
    pub kind: Kind,
    /// Whether it accesses local instead of global memory.
    pub is_local: bool,
    /// The number of bytes that each item accesses.
    pub bytes: u64,
    /// The different access patterns of warps.
    pub moments: Vec<Moment>,
}

/// An access pattern: the addresses that the items of a warp accessed
/// together.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// How often this pattern occurred.
    pub times: u64,
    /// The address of each item, relative to a multiple of 128 bytes. It is
    /// `None` for inactive and missing items.
    pub offsets: Vec<Option<u64>>,
}

/// Parses a log and returns the completed launches.
pub fn read(log: &str) -> Result<Vec<Launch>, String> {
    let mut launches = Vec::new();
    let mut now: Option<Launch> = None;
    for (at, line) in log.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        let read = match (words.next(), &mut now) {
            (Some("launch"), now) => {
                begin(&mut words).map(|new| *now = Some(new))
            }
            (Some("end"), now) => {
                launches.extend(now.take());
                Some(())
            }
            (Some(word), Some(launch)) => note(launch, word, &mut words, line),
            _ => None,
        };
        if read.is_none() {
            let line: String = line.chars().take(60).collect();
            return Err(format!(
                "line {} of the plugin's record cannot be read: {line:?}",
                at + 1
            ));
        }
    }
    Ok(launches)
}

type Words<'a> = SplitAsciiWhitespace<'a>;

fn number<T: std::str::FromStr>(words: &mut Words<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

fn begin(words: &mut Words<'_>) -> Option<Launch> {
    let kernel = words.next()?.to_string();
    let mut launch =
        Launch { kernel, warp: number(words)?, ..Launch::default() };
    for d in 0..3 {
        launch.global[d] = number(words)?;
        launch.group[d] = number(words)?;
    }
    Some(launch)
}

fn note(
    launch: &mut Launch,
    word: &str,
    words: &mut Words<'_>,
    text: &str,
) -> Option<()> {
    match word {
        "local" => launch.local = number(words)?,
        "touched" => launch.touched = number(words)?,
        "busiest" => launch.busiest = number(words)?,
        "line" => {
            let line = number(words)?;
            let (warps, items) = (number(words)?, number(words)?);
            let text = text.splitn(5, ' ').nth(4)?.to_string();
            launch.lines.insert(line, Work { text, warps, items });
        }
        "operation" => {
            let name = words.next()?.to_string();
            let (width, times) = (number(words)?, number(words)?);
            launch.operations.push(Operation { name, width, times });
        }
        "barrier" => {
            launch.barriers.insert(number(words)?, number(words)?);
        }
        "branch" => {
            let line = number(words)?;
            let branch =
                Branch { times: number(words)?, split: number(words)? };
            launch.branches.insert(line, branch);
        }
        "access" => access(launch, words)?,
        _ => return None,
    }
    Some(())
}

/// Adds a pattern to its access.
fn access(launch: &mut Launch, words: &mut Words<'_>) -> Option<()> {
    let (line, column) = (number(words)?, number(words)?);
    let letter = words.next()?;
    let kind = match letter.to_ascii_lowercase().as_str() {
        "l" => Kind::Load,
        "s" => Kind::Store,
        "a" => Kind::Atomic,
        _ => return None,
    };
    let is_local = letter.chars().all(char::is_uppercase);
    let (bytes, times) = (number(words)?, number(words)?);
    let offset = |word: &str| match word {
        "-" => Some(None),
        offset => offset.parse().ok().map(Some),
    };
    let offsets = words.map(offset).collect::<Option<Vec<_>>>()?;
    let is_it = |it: &&mut Access| {
        (it.line, it.column, it.kind, it.is_local, it.bytes)
            == (line, column, kind, is_local, bytes)
    };
    let moment = Moment { times, offsets };
    match launch.accesses.iter_mut().find(is_it) {
        Some(known) => known.moments.push(moment),
        None => launch.accesses.push(Access {
            line,
            column,
            kind,
            is_local,
            bytes,
            moments: vec![moment],
        }),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
launch k 32 64 32 1 1 1 1
local 128
touched 256
busiest 7
line 3 10 320   out[i] = 2 * a[i];
operation 13 4 64
barrier 4 2
branch 3 2 1
access 3 16 l 4 2 0 4 - 12
access 3 16 l 4 1 0 8
access 3 8 S 16 2 0 16
end
launch cut 32 64 32
";

    #[test]
    fn a_complete_launch_is_read_and_a_truncated_one_is_rejected() {
        let whole = LOG.split("launch cut").next().unwrap();
        let launches = read(whole).unwrap();
        let [launch] = &launches[..] else { panic!("{launches:?}") };
        assert_eq!(launch.global, [64, 1, 1]);
        assert_eq!(launch.busiest, 7);
        let text = "  out[i] = 2 * a[i];".to_string();
        assert_eq!(launch.lines[&3], Work { text, warps: 10, items: 320 });
        let [load, store] = &launch.accesses[..] else { panic!("{launch:?}") };
        assert_eq!(load.moments.len(), 2);
        assert_eq!(load.moments[0].offsets[2], None);
        assert!(store.is_local && store.kind == Kind::Store);
        let sentence = read(LOG).unwrap_err();
        assert!(sentence.contains("line 13"), "{sentence}");
    }

    #[test]
    fn an_unfinished_launch_does_not_count() {
        let cut = LOG.split("end").next().unwrap();
        assert_eq!(read(cut), Ok(vec![]));
    }
}
