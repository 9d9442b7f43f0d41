//! The record of a run: its steps, how it ended, and whether two of its steps
//! race.

use std::collections::BTreeMap;
use std::fmt;

/// The record of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    pub(super) cells: usize,
    /// Every access to local memory, in order.
    pub events: Vec<Event>,
    /// The number of barriers that the group has passed.
    pub barriers: usize,
    /// How the run ended.
    pub end: End,
}

/// An access to local memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The item that made the access.
    pub item: usize,
    /// Whether it read or wrote.
    pub access: Access,
    /// The cell of local memory.
    pub cell: usize,
    /// The value that was read or written.
    pub value: f32,
    /// The number of barriers that the group had passed.
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
    /// Every item returned from the kernel. The field is local memory.
    Done(Vec<f32>),
    /// Some items wait at a barrier that others never reach. The field lists
    /// each item with the line of the barrier where it waits, or `None` if it
    /// has returned.
    Divergent(Vec<(usize, Option<u32>)>),
    /// An access to a cell that does not exist.
    Outside {
        /// The access.
        event: Event,
        /// The number of cells.
        cells: usize,
    },
    /// The run was stopped after this many steps and barriers.
    Endless(usize),
}

impl End {
    /// Returns local memory if every item returned from the kernel.
    pub fn local(&self) -> Option<&[f32]> {
        match self {
            End::Done(local) => Some(local),
            _ => None,
        }
    }
}

impl Trace {
    /// Returns the first data race, if there is one: two steps of different
    /// items on the same cell without a barrier between them, at least one of
    /// which is a write.
    ///
    /// Only a barrier orders the steps of different items. The two steps can
    /// therefore happen in either order, whatever their order in this run.
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

/// A data race: two conflicting steps whose order is undefined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Race {
    /// The indices of the steps, counted from 0. Output counts from 1.
    pub steps: [usize; 2],
    /// The accesses.
    pub events: [Event; 2],
}

/// Formats a value: `?` if it was never written.
fn format_value(value: f32) -> String {
    if value.is_nan() { "?".to_string() } else { value.to_string() }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = format_value(self.value);
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

/// Formats a list of items: `item 0`, `items 0 and 1`, `items 0, 1 and 2`.
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
                    local.iter().copied().map(format_value).collect();
                f.write_str(&local.join(" "))
            }
            End::Divergent(places) => {
                // Items that wait come before items that have returned.
                let mut groups = BTreeMap::<_, Vec<usize>>::new();
                for (item, line) in places {
                    let key = (line.is_none(), *line);
                    groups.entry(key).or_default().push(*item);
                }
                let part = |((_, line), ids): ((bool, Option<u32>), Vec<_>)| {
                    let words = match (line, ids.len()) {
                        (Some(line), 1) => format!("waits in line {line}"),
                        (Some(line), _) => format!("wait in line {line}"),
                        (None, 1) => "has left".to_string(),
                        (None, _) => "have left".to_string(),
                    };
                    format!("{} {words}", items(&ids))
                };
                let parts: Vec<String> = groups.into_iter().map(part).collect();
                write!(
                    f,
                    "A divergent barrier: {}.\nEvery item of a group has to \
                     reach the same one, or the others wait forever.",
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
        let accesses: Vec<String> =
            self.events.iter().map(Event::to_string).collect();
        let width = accesses.iter().map(String::len).max().unwrap_or(4);
        let racing = self.race().map_or([usize::MAX; 2], |race| race.steps);
        let mut local = vec![f32::NAN; self.cells];
        let mut phase = 0;
        writeln!(f, "step  item  {:<width$}  local memory", "does")?;
        for (i, (event, access)) in self.events.iter().zip(accesses).enumerate()
        {
            if event.phase > phase {
                writeln!(f, "--- barrier ---")?;
                phase = event.phase;
            }
            match local.get_mut(event.cell) {
                Some(cell) if event.access == Access::Write => {
                    *cell = event.value
                }
                _ => {}
            }
            let (step, item) = (i + 1, event.item);
            let after = End::Done(local.clone());
            write!(f, "{step:>4}  {item:>4}  {access:<width$}  {after}")?;
            let mark = if racing.contains(&i) { "  <- race" } else { "" };
            writeln!(f, "{mark}")?;
        }
        match &self.end {
            End::Done(_) => Ok(()),
            end => writeln!(f, "{end}"),
        }
    }
}
