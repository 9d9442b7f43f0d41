//! What happened in a run: its steps, how it ended, and whether another
//! order of the same steps could have ended otherwise.

use std::collections::BTreeMap;
use std::fmt;

/// The steps of a run in their order.
#[derive(Clone, Debug)]
pub struct Trace {
    pub(super) cells: usize,
    /// Every access to local memory.
    pub events: Vec<Event>,
    /// How many barriers the group has passed.
    pub barriers: usize,
    /// How it ended.
    pub end: End,
}

/// An access to local memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The item that made it.
    pub item: usize,
    /// Whether it read or wrote.
    pub access: Access,
    /// The cell of local memory.
    pub cell: usize,
    /// The value that was read or written.
    pub value: f32,
    /// How many barriers the group had behind it.
    pub phase: usize,
}

/// How an item accesses a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads the value.
    Read,
    /// It writes a value.
    Write,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every item came to the end of the kernel; this is in local memory.
    Done(Vec<f32>),
    /// Some items wait at a barrier to which others never come: each item,
    /// and the line of the source where it waits. None has left the kernel.
    Divergent(Vec<(usize, Option<u32>)>),
    /// An access to a cell that does not exist.
    Outside {
        /// The access.
        event: Event,
        /// How many cells there are.
        cells: usize,
    },
    /// So many steps, and no end.
    Endless(usize),
}

impl End {
    /// Returns local memory at the end, if the run came to one.
    pub fn local(&self) -> Option<&[f32]> {
        match self {
            End::Done(local) => Some(local),
            _ => None,
        }
    }
}

impl Trace {
    /// Finds two steps of different items on one cell, at least one of which
    /// writes, with no barrier between them. The first such pair.
    ///
    /// Nothing but a barrier keeps the steps of two items in order, so the
    /// two may as well come the other way around, whatever this run shows.
    pub fn race(&self) -> Option<Race> {
        let races = |a: &Event, b: &Event| {
            a.cell == b.cell
                && a.phase == b.phase
                && a.item != b.item
                && (a.access == Access::Write || b.access == Access::Write)
        };
        self.events.iter().enumerate().find_map(|(first, a)| {
            let later = &self.events[first + 1..];
            let gap = later.iter().position(|b| races(a, b))?;
            let second = first + 1 + gap;
            Some(Race { steps: [first, second], events: [*a, later[gap]] })
        })
    }
}

/// Two steps that nothing keeps in order. Steps are counted from 0 here, and
/// from 1 where people read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Race {
    /// Where both stand in the run.
    pub steps: [usize; 2],
    /// What both did.
    pub events: [Event; 2],
}

/// Writes a value as it is shown: `?` for one that nobody has written.
fn shown(value: f32) -> String {
    if value.is_nan() { "?".to_string() } else { value.to_string() }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = shown(self.value);
        let cell = self.cell;
        match self.access {
            Access::Read => write!(f, "reads  {value} from [{cell}]"),
            Access::Write => write!(f, "writes {value} to   [{cell}]"),
        }
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.steps.map(|step| step + 1);
        let [a, b] = self.events;
        let access = |event: Event| match event.access {
            Access::Read => "reads",
            Access::Write => "writes",
        };
        write!(
            f,
            "A race on [{}]: item {} {} in step {first}, item {} {} in step \
             {second}.",
            a.cell,
            a.item,
            access(a),
            b.item,
            access(b),
        )
    }
}

/// Lists items: `item 0`, `items 0 and 1`, `items 0, 1 and 2`.
fn items(numbers: &[usize]) -> String {
    let names: Vec<String> = numbers.iter().map(usize::to_string).collect();
    match &names[..] {
        [] => "no item".to_string(),
        [one] => format!("item {one}"),
        [most @ .., last] => format!("items {} and {last}", most.join(", ")),
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Done(local) => {
                let local: Vec<String> =
                    local.iter().copied().map(shown).collect();
                f.write_str(&local.join(" "))
            }
            End::Divergent(places) => {
                // Items that wait come before those that have left.
                let mut lines = BTreeMap::<_, Vec<usize>>::new();
                for (item, line) in places {
                    let place = (line.is_none(), *line);
                    lines.entry(place).or_default().push(*item);
                }
                let part = |((_, line), who): ((bool, Option<u32>), Vec<_>)| {
                    let words = match (line, who.len()) {
                        (Some(line), 1) => format!("waits in line {line}"),
                        (Some(line), _) => format!("wait in line {line}"),
                        (None, 1) => "has left".to_string(),
                        (None, _) => "have left".to_string(),
                    };
                    format!("{} {words}", items(&who))
                };
                let parts: Vec<String> = lines.into_iter().map(part).collect();
                write!(
                    f,
                    "A divergent barrier: {}.\nEvery item of a group has to \
                     come to the same one, or who waits waits for ever.",
                    parts.join(", ")
                )
            }
            End::Outside { event, cells } => {
                let Event { item, cell, .. } = event;
                let verb = match event.access {
                    Access::Read => "read from",
                    Access::Write => "wrote to",
                };
                write!(
                    f,
                    "Item {item} {verb} [{cell}], but local memory has \
                     {cells} cells, counted from 0."
                )
            }
            End::Endless(steps) => write!(
                f,
                "No end after {steps} steps: look for a loop that has none."
            ),
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deeds: Vec<String> =
            self.events.iter().map(Event::to_string).collect();
        let width = deeds.iter().map(String::len).max().unwrap_or(4);
        let racing = self.race().map_or([usize::MAX; 2], |race| race.steps);
        let mut local = vec![f32::NAN; self.cells];
        let mut phase = 0;
        writeln!(f, "step  item  {:<width$}  local memory", "does")?;
        for (at, (event, access)) in self.events.iter().zip(deeds).enumerate() {
            if event.phase > phase {
                writeln!(f, "--- barrier ---")?;
                phase = event.phase;
            }
            match local.get_mut(event.cell) {
                Some(place) if event.access == Access::Write => {
                    *place = event.value
                }
                _ => {}
            }
            let (step, item) = (at + 1, event.item);
            let after = End::Done(local.clone());
            write!(f, "{step:>4}  {item:>4}  {access:<width$}  {after}")?;
            let mark = if racing.contains(&at) { "  <- race" } else { "" };
            writeln!(f, "{mark}")?;
        }
        match &self.end {
            End::Done(_) => Ok(()),
            end => writeln!(f, "{end}"),
        }
    }
}
