//! A learner's kernel on a device.

use std::fs;
use std::process::ExitCode;
use std::sync::Once;

use rungrad::Error;
use rungrad::opencl::{Gpu, Source};

use crate::device::{absent, name_device, no_hole};
use crate::frame::{Kind, Role, Step, frame};
use crate::page::shown;
use crate::panics::throw;
use crate::verdict::{Outcome, Stop, wrong};

/// The work-items of a group.
const GROUP: usize = 256;

/// The items of a group along each of two dimensions, as many in all.
const TILE: usize = 16;

/// What stands where nothing has been written yet, and behind the end.
const CANARY: f32 = -8.765_432e30;

/// The same behind an array that is read: whoever reads it there and adds
/// something has it still.
const BEHIND: f32 = -5.432_109e30;

/// A learner's kernel, and the device that runs it.
#[derive(Clone, Debug)]
pub struct Kernel {
    gpu: Gpu,
    source: Source,
    name: &'static str,
    file: &'static str,
    role: Role,
}

/// What the kernel gets, in the order of its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// An array to read, and its name.
    In(&'a str, &'a [f32]),
    /// An array to write, an element for each item: its name and its length.
    Out(&'a str, usize),
    /// An array to write, an element for each group: its name and its length.
    PerGroup(&'a str, usize),
    /// A number of elements.
    Count(usize),
    /// An array of so many zeros, for lines that the check has put into the
    /// text: what they leave there comes back unjudged.
    Log(usize),
}

/// The `main` of the check of a kernel exercise: `name` is the kernel in the
/// learner's `file`.
pub fn check_kernel(
    id: &'static str,
    file: &'static str,
    name: &'static str,
    steps: &[Step<Kernel>],
) -> ExitCode {
    let open = |role| Kernel::open(id, file, name, role);
    frame(id, file, Kind::Kernel, open, steps)
}

impl Kernel {
    fn open(
        id: &str,
        file: &'static str,
        name: &'static str,
        role: Role,
    ) -> Result<Kernel, Stop> {
        let place = shown(file);
        let text = fs::read_to_string(file).map_err(|error| {
            wrong(format!("{place} cannot be read: {error}"))
        })?;
        // Before the device: a hole is a hole, also where there is none.
        no_hole(id, &place, &text)?;
        let gpu = Gpu::first().map_err(absent)?;
        let device = gpu.info();
        // Were the simulator lost on the way here, its log would be as empty
        // as that of a clean run.
        if role == Role::Simulated && device.platform != "Oclgrind" {
            let why = format!("{} ran in its place", device.name);
            return Err(Stop::Skipped(why));
        }
        name_device(&gpu);
        let source = Source::new(&place, &text, name);
        Ok(Kernel { gpu, source, name, file, role })
    }

    /// The kernel `name` of a check's own, for an exercise in which the
    /// learner is the judge. It is the learner's code that launches it, so
    /// want of a device is thrown.
    pub fn of_the_check(name: &'static str, text: &str) -> Kernel {
        static NAMED: Once = Once::new();
        let gpu = Gpu::first().unwrap_or_else(|error| throw(absent(error)));
        NAMED.call_once(|| name_device(&gpu));
        let source = Source::new("the check's kernel", text, name);
        Kernel { gpu, source, name, file: "", role: Role::Plain }
    }

    /// The kernel with lines of the check's in its text, by which it tells
    /// what it does; `None` under Oclgrind, which would judge those lines.
    pub fn altered(
        &self,
        alter: impl FnOnce(&str) -> Result<String, Stop>,
    ) -> Result<Option<Kernel>, Stop> {
        if self.role == Role::Simulated {
            return Ok(None);
        }
        let text = fs::read_to_string(self.file).unwrap_or_default();
        let source = Source::new(&shown(self.file), &alter(&text)?, self.name);
        Ok(Some(Kernel { source, ..self.clone() }))
    }

    /// The kernel of another name in the same file, if there is one.
    pub fn sibling(&self, name: &str) -> Option<Kernel> {
        let text = fs::read_to_string(self.file).unwrap_or_default();
        let source = Source::new(&shown(self.file), &text, name);
        has_kernel(&text, name).then(|| Kernel { source, ..self.clone() })
    }

    /// Whether Oclgrind watches, which takes its time for every access.
    pub fn is_simulated(&self) -> bool {
        self.role == Role::Simulated
    }

    /// The device that runs the kernel.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Runs the kernel for `items` work-items, rounded up to whole groups,
    /// and returns the arrays that it wrote.
    ///
    /// Every array lies in a larger one, so a stray access of a near
    /// neighbor does no harm and is seen. Oclgrind sees each by itself, and
    /// gets the arrays as they are.
    pub fn run(
        &self,
        items: usize,
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Vec<f32>>, Stop> {
        self.launch([items, 1], [GROUP, 1], arguments)
    }

    fn launch(
        &self,
        grid: [usize; 2],
        group: [usize; 2],
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Vec<f32>>, Stop> {
        let whole = [0, 1].map(|d| grid[d].next_multiple_of(group[d]));
        let items = whole[0] * whole[1];
        let writer = match group {
            [_, 1] => Writer::Item(items),
            _ => Writer::Cell(whole),
        };
        let mut buffers = Vec::new();
        for argument in arguments {
            let (len, values, guard) = match argument {
                Argument::In(_, values) => (values.len(), *values, BEHIND),
                Argument::Out(_, len) | Argument::PerGroup(_, len) => {
                    (*len, &[][..], CANARY)
                }
                Argument::Count(_) => continue,
                Argument::Log(len) => {
                    buffers.push(self.gpu.upload(&vec![0.0; *len])?);
                    continue;
                }
            };
            let room = match self.role {
                Role::Plain => len.max(items).next_multiple_of(GROUP) + GROUP,
                Role::Simulated => len,
            };
            let mut padded = values.to_vec();
            padded.resize(room, guard);
            buffers.push(self.gpu.upload(&padded)?);
        }
        // SAFETY: nothing vouches for a learner's kernel. That is why this
        // process exists: it has a time limit, it holds nothing but this
        // check, and what the kernel does to it ends with it.
        let mut launch = unsafe { self.gpu.launch_source(&self.source) };
        let mut next = buffers.iter();
        for argument in arguments {
            let mut buffer = || next.next().expect("each array has a buffer");
            launch = match argument {
                Argument::In(_, values) => launch.input(buffer(), values.len()),
                Argument::Out(_, len)
                | Argument::PerGroup(_, len)
                | Argument::Log(len) => launch.output(buffer(), *len),
                Argument::Count(n) => launch.scalar(*n as u32),
            };
        }
        launch
            .global(grid)
            .local(group)
            .run()
            .map_err(|error| self.refused(error))?;
        let mut written = Vec::new();
        let mut next = buffers.iter();
        for argument in arguments {
            let mut read = || {
                let buffer = next.next().expect("each array has a buffer");
                buffer.read()
            };
            match argument {
                Argument::In(name, values) => intact(name, values, &read()?)?,
                Argument::Out(name, len) => {
                    let mut values = read()?;
                    inside(name, &values, *len, writer)?;
                    values.truncate(*len);
                    written.push(values);
                }
                Argument::PerGroup(name, len) => {
                    let mut values = read()?;
                    inside(name, &values, *len, Writer::Group)?;
                    values.truncate(*len);
                    written.push(values);
                }
                Argument::Count(_) => {}
                Argument::Log(_) => written.push(read()?),
            }
        }
        Ok(written)
    }

    /// [`Kernel::run`] inside a rule, which cannot return a [`Stop`] through
    /// the engine and throws it.
    pub fn run_in_a_rule(
        &self,
        items: usize,
        arguments: &[Argument<'_>],
    ) -> Vec<Vec<f32>> {
        self.run(items, arguments).unwrap_or_else(|stop| throw(stop))
    }

    /// The same for a grid of columns and rows, in groups of 16 x 16.
    pub fn run_grid_in_a_rule(
        &self,
        grid: [usize; 2],
        arguments: &[Argument<'_>],
    ) -> Vec<Vec<f32>> {
        self.launch(grid, [TILE, TILE], arguments)
            .unwrap_or_else(|stop| throw(stop))
    }

    /// A build error quotes the line that it names.
    fn refused(&self, error: Error) -> Stop {
        let Error::Build { sentence, .. } = &error else { return error.into() };
        let text = fs::read_to_string(self.file).unwrap_or_default();
        let number = sentence
            .split(':')
            .filter_map(|part| part.trim().parse::<usize>().ok())
            .next();
        let line = number.and_then(|it| text.lines().nth(it.checked_sub(1)?));
        wrong(match line {
            Some(line) => format!(
                "The kernel does not compile.\n\n{sentence}\n\n  {}",
                line.trim_end()
            ),
            None => format!("The kernel does not compile.\n\n{sentence}"),
        })
    }
}

/// Whether a text has a kernel of this name, other than in a comment.
fn has_kernel(text: &str, name: &str) -> bool {
    let code = text.lines().map(|line| line.split("//").next());
    let code = code.flatten().collect::<Vec<_>>().join(" ");
    let mut names = code.split("void ").skip(1);
    let is_it = |known: &str| known.trim() == name;
    names.any(|rest| rest.split('(').next().is_some_and(is_it))
}

/// Whether an input is what it was, and nothing was written behind it.
fn intact(name: &str, before: &[f32], after: &[f32]) -> Outcome {
    let (own, spare) = after.split_at(before.len());
    let differs = |(b, a): (&f32, &f32)| b.to_bits() != a.to_bits();
    if let Some(at) = before.iter().zip(own).position(differs) {
        return Err(wrong(format!(
            "{name} is an input, and the kernel wrote its element {at}."
        )));
    }
    past_the_end(name, before.len(), spare, BEHIND, None)
}

/// Who writes an element of an output.
#[derive(Clone, Copy)]
enum Writer {
    /// One of so many work-items.
    Item(usize),
    /// One of so many columns of so many rows.
    Cell([usize; 2]),
    Group,
}

/// Whether an output was written from its first element to its last, and not
/// beyond.
fn inside(name: &str, values: &[f32], len: usize, writer: Writer) -> Outcome {
    let (own, spare) = values.split_at(len);
    // Beside the guard value a number is nothing, and adding it changes none.
    let untouched = |value: &f32| value.to_bits() == CANARY.to_bits();
    past_the_end(name, len, spare, CANARY, Some(writer))?;
    let stray = |value: &f32| value.to_bits() == BEHIND.to_bits();
    if let Some(at) = own.iter().position(stray) {
        return Err(wrong(format!(
            "{name}[{at}] comes from behind the end of an array that is read. \
             Look at the index of each read, for this element."
        )));
    }
    let Some(at) = own.iter().position(untouched) else { return Ok(()) };
    let why = match writer {
        Writer::Item(_) => format!(
            "The array has {len} elements, and each needs its work-item.{}",
            guess(at)
        ),
        Writer::Cell(_) => format!(
            "The array has {len} elements, and each needs the item of its \
             column and its row."
        ),
        Writer::Group => "Each group writes the element of its own number, \
             get_group_id(0), and writes it with `=`: nobody has put a 0 there \
             to which `+=` could add."
            .to_string(),
    };
    Err(wrong(format!("{name}[{at}] was never written. {why}")))
}

/// What the first element that nobody wrote tells of the number that the
/// items went by.
fn guess(at: usize) -> &'static str {
    match at {
        0 => " The first item is number 0, and so is the first element.",
        1 => {
            " The one before it was: it seems that every item took itself for \
             number 0."
        }
        GROUP => {
            " It is the first of the second group: in its group every item \
             counts from 0 again (get_local_id), among all it does not \
             (get_global_id)."
        }
        _ => "",
    }
}

fn past_the_end(
    name: &str,
    len: usize,
    spare: &[f32],
    guard: f32,
    writer: Option<Writer>,
) -> Outcome {
    let written = |value: &f32| value.to_bits() != guard.to_bits();
    let Some(at) = spare.iter().position(written) else { return Ok(()) };
    let at = len + at;
    let why = match writer {
        None => String::new(),
        Some(Writer::Item(items)) => {
            let all = items.next_multiple_of(GROUP);
            match spare.iter().filter(|value| written(value)).count() {
                // One of several spare items: there is a guard.
                1 if at == len && all > len + 1 => {
                    " It wrote no other: does the comparison let item n \
                     through? The last element is number n - 1."
                        .to_string()
                }
                _ => format!(
                    " The device runs whole groups of {GROUP}, so {all} \
                     work-items ran for {len} elements. The spare ones must \
                     do nothing: compare the number of the item with n first."
                ),
            }
        }
        Some(Writer::Cell([columns, rows])) => format!(
            " The device runs whole groups of {TILE} x {TILE}, so {columns} x \
             {rows} work-items ran. The spare ones must do nothing: compare \
             the column and the row with their numbers first."
        ),
        Some(Writer::Group) => " There is an element for each group, so one \
             item of the group writes, at the number of the group."
            .to_string(),
    };
    Err(wrong(format!(
        "{name} was written past its end: it has {len} elements, and the \
         kernel wrote {name}[{at}].{why}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(outcome: Outcome) -> String {
        match outcome {
            Err(Stop::Wrong { words, .. }) => words,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_write_behind_the_end_is_seen() {
        let wrote = |values: &[f32]| {
            let said = words(inside("out", values, 2, Writer::Item(2)));
            assert!(said.contains("out was written past its end"), "{said}");
            assert!(said.contains("out[2]"), "{said}");
            said
        };
        let said = wrote(&[1.0, 2.0, 3.0, 4.0, CANARY]);
        assert!(said.contains("whole groups of 256"), "{said}");
        let said = wrote(&[1.0, 2.0, 3.0, CANARY]);
        assert!(said.contains("let item n through"), "{said}");
    }

    #[test]
    fn an_element_that_nobody_wrote_is_seen() {
        let said =
            words(inside("out", &[1.0, CANARY, CANARY], 2, Writer::Item(2)));
        assert!(said.contains("out[1] was never written"), "{said}");
    }

    #[test]
    fn an_element_that_its_group_only_added_to_is_seen() {
        let added = CANARY + 12.5;
        let said = words(inside("out", &[1.0, added], 2, Writer::Group));
        assert!(said.contains("out[1] was never written"), "{said}");
        assert!(said.contains("`+=`"), "{said}");
    }

    #[test]
    fn an_input_that_was_written_is_seen() {
        let said = words(intact("a", &[1.0, 2.0], &[1.0, 2.5, BEHIND]));
        assert!(said.contains("wrote its element 1"), "{said}");
        assert!(intact("a", &[1.0], &[1.0, BEHIND]).is_ok());
    }

    #[test]
    fn what_was_read_behind_an_array_is_seen() {
        let read = BEHIND + 3.5;
        let said = words(inside("out", &[1.0, read], 2, Writer::Cell([2, 1])));
        assert!(said.contains("out[1] comes from behind the end"), "{said}");
    }

    #[test]
    fn a_kernel_is_found_by_its_name_and_not_in_a_comment() {
        let text = "// kernel void relu(global float *a)\n\
                    kernel void\n  add_row(uint n) { relu(n); }";
        assert!(has_kernel(text, "add_row"));
        assert!(!has_kernel(text, "relu") && !has_kernel(text, "add"));
    }
}
