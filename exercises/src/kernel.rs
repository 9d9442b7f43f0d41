//! A learner's kernel on a device.

use std::fs;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::opencl::{self, Gpu, Source};

use crate::device::{absent, name_device, opened};
use crate::frame::{Kind, Role, Step, frame};
use crate::hole::no_hole;
use crate::oclgrind::TEXT;
use crate::outputs::{BEHIND, CANARY, Writer, counted, inside, intact};
use crate::panics::throw;
use crate::report::shown;
use crate::source::{alone, has_kernel};
use crate::speed::{Judge, Speed};
use crate::verdict::{Outcome, Stop, wrong};

/// The work-items of a group.
pub(crate) const GROUP: usize = 256;

/// The items of a group along each of two dimensions, as many in all.
pub(crate) const TILE: usize = 16;

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
    /// An array to write, a row for each group: its name, its rows and its
    /// columns.
    PerRow(&'a str, [usize; 2]),
    /// An array of whole numbers that the kernel counts in, 0 at first: its
    /// name and its length.
    Counts(&'a str, usize),
    /// A number of elements.
    Count(usize),
    /// A number.
    Number(f32),
    /// A number for each of eight axes.
    Axes([i32; 8]),
    /// An array of whole numbers to read.
    Indices(&'a [u32]),
    /// An array of so many zeros, for lines that the check has put into the
    /// text, or for a check that judges by itself: what is left there comes
    /// back unjudged.
    Log(usize),
}

/// Runs the `main` of the check of a kernel exercise: `name` is the kernel in
/// the learner's `file`.
pub fn check_kernel(
    id: &'static str,
    file: &'static str,
    name: &'static str,
    steps: &[Step<Kernel>],
) -> ExitCode {
    let open = |role| Kernel::open(id, file, name, role);
    frame(id, file.into(), Kind::Kernel, None, open, steps)
}

/// Runs the `main` of the check of a kernel that has to be fast as well: of the
/// last launch `judge` is told what a GPU would do, where somebody can count
/// it.
pub fn check_fast_kernel(
    id: &'static str,
    file: &'static str,
    name: &'static str,
    steps: &[Step<Kernel>],
    judge: Judge,
) -> ExitCode {
    let open = |role| Kernel::open(id, file, name, role);
    let speed = Speed { kernel: name, judge };
    frame(id, file.into(), Kind::Kernel, Some(speed), open, steps)
}

impl Kernel {
    pub(crate) fn open(
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
        let gpu = opened(role)?;
        let source = Source::new(&place, &text, name);
        Ok(Kernel { gpu, source, name, file, role })
    }

    /// Returns the kernel `name` of a check's own, for an exercise in which
    /// the learner is the judge. It is the learner's code that launches it, so
    /// want of a device is thrown.
    pub fn of_the_check(name: &'static str, text: &str) -> Kernel {
        let gpu = Gpu::first().unwrap_or_else(|error| throw(absent(error)));
        name_device(&gpu);
        let source = Source::new("the check's kernel", text, name);
        Kernel { gpu, source, name, file: "", role: Role::Plain }
    }

    /// Returns the kernel `name` of a text that the learner's code has written.
    pub fn of_a_text(name: &'static str, text: &str) -> Kernel {
        let role = Role::of_this_process().unwrap_or(Role::Plain);
        let source = Source::new(TEXT, text, name);
        Kernel { source, role, ..Kernel::of_the_check(name, text) }
    }

    /// Returns a learner's file of kernels, whose siblings have names.
    pub fn of_a_file(file: &'static str, gpu: Gpu) -> Kernel {
        let source = Source::new(&shown(file), "", "");
        Kernel { gpu, source, name: "", file, role: Role::Plain }
    }

    /// Makes the kernel with lines of the check's in its text, by which it
    /// tells what it does; `None` under Oclgrind, which would judge those
    /// lines.
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

    /// Finds the kernel of another name in the same file, if there is one. It
    /// is compiled without its siblings, so that an edit of one leaves what
    /// the driver has kept of the others.
    pub fn sibling(&self, name: &str) -> Option<Kernel> {
        let text = fs::read_to_string(self.file).unwrap_or_default();
        let source = Source::new(&shown(self.file), &alone(&text, name), name);
        has_kernel(&text, name).then(|| Kernel { source, ..self.clone() })
    }

    /// Runs wherever this one of the crate's is launched on the device from now
    /// on.
    pub fn stands_in_for(&self, ours: &opencl::Kernel) -> Outcome {
        // SAFETY: nothing vouches for a learner's kernel. This process is there
        // for it, and has a time limit.
        unsafe { self.gpu.stand_in(ours, &self.source) }
            .map_err(|error| self.refused(error))
    }

    /// Tells whether Oclgrind watches, which takes its time for every access.
    pub fn is_simulated(&self) -> bool {
        self.role == Role::Simulated
    }

    /// Returns the device that runs the kernel.
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

    /// Does the same in groups of another size, inside of a rule or a law.
    pub fn run_in_groups(
        &self,
        items: usize,
        group: usize,
        arguments: &[Argument<'_>],
    ) -> Vec<Vec<f32>> {
        self.launch([items, 1], [group, 1], arguments)
            .unwrap_or_else(|stop| throw(stop))
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
        let (mut buffers, mut counts) = (Vec::new(), Vec::new());
        for argument in arguments {
            let room = |len: usize| match self.role {
                Role::Plain | Role::Probe => {
                    len.max(items).next_multiple_of(GROUP) + GROUP
                }
                Role::Simulated => len,
            };
            let (len, values, guard) = match argument {
                Argument::In(_, values) => (values.len(), *values, BEHIND),
                Argument::Out(_, len) | Argument::PerGroup(_, len) => {
                    (*len, &[][..], CANARY)
                }
                Argument::PerRow(_, [rows, columns]) => {
                    (rows * columns, &[][..], CANARY)
                }
                Argument::Count(_)
                | Argument::Number(_)
                | Argument::Axes(_) => continue,
                Argument::Indices(values) => {
                    counts.push(self.gpu.upload(values)?);
                    continue;
                }
                Argument::Counts(_, len) => {
                    counts.push(self.gpu.upload(&vec![0_u32; room(*len)])?);
                    continue;
                }
                Argument::Log(len) => {
                    buffers.push(self.gpu.upload(&vec![0.0; *len])?);
                    continue;
                }
            };
            let mut padded = values.to_vec();
            padded.resize(room(len), guard);
            buffers.push(self.gpu.upload(&padded)?);
        }
        let mut launch = self.gpu.launch_source(&self.source);
        let (mut next, mut next_counts) = (buffers.iter(), counts.iter());
        for argument in arguments {
            let mut buffer = || next.next().expect("each array has a buffer");
            launch = match argument {
                Argument::In(_, values) => launch.input(buffer(), values.len()),
                Argument::Out(_, len)
                | Argument::PerGroup(_, len)
                | Argument::Log(len) => launch.output(buffer(), *len),
                Argument::PerRow(_, [rows, columns]) => {
                    launch.output(buffer(), rows * columns)
                }
                Argument::Counts(_, len) => {
                    let buffer = next_counts.next().expect("it has one too");
                    launch.output(buffer, *len)
                }
                Argument::Indices(values) => {
                    let buffer = next_counts.next().expect("it has one too");
                    launch.input(buffer, values.len())
                }
                Argument::Count(n) => launch.scalar(*n as u32),
                Argument::Number(number) => launch.scalar(*number),
                Argument::Axes(axes) => launch.scalar(*axes),
            };
        }
        launch = launch.global(grid).local(group);
        // SAFETY: nothing vouches for a learner's kernel. That is why this
        // process exists: it has a time limit, it holds nothing but this
        // check, and what the kernel does to it ends with it.
        unsafe { launch.run() }.map_err(|error| self.refused(error))?;
        let mut written = Vec::new();
        let (mut next, mut next_counts) = (buffers.iter(), counts.iter());
        for argument in arguments {
            let mut read = || {
                let buffer = next.next().expect("each array has a buffer");
                buffer.read()
            };
            match argument {
                Argument::In(name, values) => intact(name, values, &read()?)?,
                Argument::Out(name, len) => {
                    let values = read()?;
                    written.push(self.inside(name, values, *len, writer)?);
                }
                Argument::PerGroup(name, len) => {
                    let groups = items / (group[0] * group[1]);
                    let (values, writer) = (read()?, Writer::Group(groups));
                    written.push(self.inside(name, values, *len, writer)?);
                }
                Argument::PerRow(name, [rows, columns]) => {
                    let (len, writer) = (rows * columns, Writer::Row(*columns));
                    written.push(self.inside(name, read()?, len, writer)?);
                }
                Argument::Counts(name, len) => {
                    let buffer = next_counts.next().expect("it has one too");
                    written.push(counted(name, &buffer.read()?, *len)?);
                }
                Argument::Indices(_) => drop(next_counts.next()),
                Argument::Count(_)
                | Argument::Number(_)
                | Argument::Axes(_) => {}
                Argument::Log(_) => written.push(read()?),
            }
        }
        Ok(written)
    }

    /// Returns an output that was written as it should, without what lies
    /// behind it.
    fn inside(
        &self,
        name: &str,
        mut values: Vec<f32>,
        len: usize,
        writer: Writer,
    ) -> Result<Vec<f32>, Stop> {
        inside(name, &values, len, writer, self.adds_to(name))?;
        values.truncate(len);
        Ok(values)
    }

    /// Tells whether the learner's text has a line that adds to an array's
    /// element.
    fn adds_to(&self, name: &str) -> bool {
        let text = fs::read_to_string(self.file).unwrap_or_default();
        let opens = format!("{name}[");
        text.lines().any(|line| {
            let code = line.split("//").next().unwrap_or_default();
            code.contains(&opens) && code.contains("] +=")
        })
    }

    /// Does what [`Kernel::run`] does inside a rule, which cannot return a
    /// [`Stop`] through the engine and throws it.
    pub fn run_in_a_rule(
        &self,
        items: usize,
        arguments: &[Argument<'_>],
    ) -> Vec<Vec<f32>> {
        self.run(items, arguments).unwrap_or_else(|stop| throw(stop))
    }

    /// Does what [`Kernel::run`] does for a grid of columns and rows, in
    /// groups of 16 x 16.
    pub fn run_grid(
        &self,
        grid: [usize; 2],
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Vec<f32>>, Stop> {
        self.launch(grid, [TILE, TILE], arguments)
    }

    /// Does the same in a rule.
    pub fn run_grid_in_a_rule(
        &self,
        grid: [usize; 2],
        arguments: &[Argument<'_>],
    ) -> Vec<Vec<f32>> {
        self.run_grid(grid, arguments).unwrap_or_else(|stop| throw(stop))
    }

    /// Quotes the line that a build error names.
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

/// Writes the text of the kernel `name` with one more parameter, a log, and a
/// line before its body, or behind the line that holds `after`, that makes
/// every mention of `arrays` count, each item for itself. A kernel without
/// that line is an error of the check.
pub fn counting(
    text: &str,
    name: &str,
    arrays: &[&str],
    after: &str,
) -> Result<String, Stop> {
    let behind = |from: usize, words: &str| {
        Some(from + text[from..].find(words)? + words.len())
    };
    let head = format!("void {name}(");
    let open = behind(0, &head);
    let close = open.and_then(|at| Some(behind(at, ")")? - 1));
    let body = close.and_then(|at| behind(behind(at, "{")?, after));
    let (Some(close), Some(body)) = (close, body) else {
        return Err(wrong(format!(
            "The text has no `kernel {head}..) {{ {after}` any more: put it \
             back as it was."
        )));
    };
    let count = "(log[get_global_id(1) * get_global_size(0) \
                 + get_global_id(0)] += 1.0f, ";
    let lines: String = arrays
        .iter()
        .map(|array| format!("\n#define {array} {count}{array})"))
        .collect();
    Ok(format!(
        "{}, global float *log{}{lines}\n{}",
        &text[..close],
        &text[close..body],
        &text[body..]
    ))
}
