//! What the plugin writes of each launch, read back: a word that says what a
//! line is, and numbers.

use std::collections::BTreeMap;
use std::str::SplitAsciiWhitespace;

/// One launch of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// The name of the kernel.
    pub kernel: String,
    /// The items of a warp.
    pub warp: usize,
    /// All items, along three dimensions.
    pub global: [usize; 3],
    /// The items of a group.
    pub group: [usize; 3],
    /// The bytes of local memory that a group has.
    pub local: u64,
    /// The bytes of all sectors of global memory that anybody touched, each
    /// counted once.
    pub touched: u64,
    /// The numbers of 4 bytes that a warp loads from global memory: in each
    /// group that of its warps which loads most, and those of all groups.
    pub busiest: u64,
    /// For each line of the source, what was executed.
    pub lines: BTreeMap<usize, Work>,
    /// What was executed, other than loads and stores.
    pub operations: Vec<Operation>,
    /// For each line with a barrier, how often a group came there.
    pub barriers: BTreeMap<usize, u64>,
    /// For each line that branches, how often a warp did.
    pub branches: BTreeMap<usize, Branch>,
    /// Who touched memory.
    pub accesses: Vec<Access>,
}

/// How much was executed on a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// The line as it stands; line 0 is empty, and is what no line asked for.
    pub text: String,
    /// Instructions of warps.
    pub warps: u64,
    /// Instructions of items: with all of them at work, as many for each
    /// instruction of a warp as a warp has items.
    pub items: u64,
}

/// How often warps went through a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Branch {
    /// All times.
    pub times: u64,
    /// Those at which some items went one way and some the other.
    pub split: u64,
}

/// An operation: a number of LLVM's, or the name of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Which one.
    pub name: String,
    /// How many numbers it computes at once.
    pub width: u64,
    /// How often an item did it.
    pub times: u64,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes, and nobody comes between.
    Atomic,
}

/// All accesses of one kind at one place of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The line of the source.
    pub line: usize,
    /// Where in the line it stands, counted from 1: a load at its first letter,
    /// a store at its sign.
    pub column: usize,
    /// What it does.
    pub kind: Kind,
    /// Whether it is in local memory, and not in global.
    pub is_local: bool,
    /// The bytes of an item.
    pub bytes: u64,
    /// What warps did, each kind of moment once.
    pub moments: Vec<Moment>,
}

/// What the items of a warp touched together.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// How often it came like that.
    pub times: u64,
    /// For each item its address, from a whole 128 bytes on; `None` for one
    /// that was switched off, or that its group does not have.
    pub offsets: Vec<Option<u64>>,
}

/// Reads a log: every launch that came to its end.
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

/// Puts a moment to the others of its access.
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
    fn a_launch_is_read_whole_and_one_that_was_cut_off_is_refused() {
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
    fn a_launch_without_an_end_does_not_count() {
        let cut = LOG.split("end").next().unwrap();
        assert_eq!(read(cut), Ok(vec![]));
    }
}
