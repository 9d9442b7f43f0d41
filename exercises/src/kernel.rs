//! Runs a learner's kernel on a device.

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

/// Work-items per group.
pub(crate) const GROUP: usize = 256;

/// Work-items per group along each of two dimensions; the group has the same
/// total size.
pub(crate) const TILE: usize = 16;

/// A learner's kernel and its device.
#[derive(Clone, Debug)]
pub struct Kernel {
    gpu: Gpu,
    source: Source,
    name: &'static str,
    file: &'static str,
    role: Role,
}

/// The arguments of a kernel, in the order of its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// An input array: its name and values.
    In(&'a str, &'a [f32]),
    /// An output array with one element per item: its name and length.
    Out(&'a str, usize),
    /// An output array with one element per group: its name and length.
    PerGroup(&'a str, usize),
    /// An output array with one row per group: its name, rows and columns.
    PerRow(&'a str, [usize; 2]),
    /// An array of integer counters, initially 0: its name and length.
    Counts(&'a str, usize),
    /// A number of elements.
    Count(usize),
    /// A float.
    Number(f32),
    /// One integer for each of eight axes.
    Axes([i32; 8]),
    /// An input array of integers.
    Indices(&'a [u32]),
    /// An array of zeros with this length, for code that the check has
    /// inserted into the kernel, or for checks with their own comparison: its
    /// final content is returned without being checked.
    Log(usize),
}

/// The `main` function of the check of a kernel exercise: `name` is the kernel
/// in the learner's `file`.
pub fn check_kernel(
    id: &'static str,
    file: &'static str,
    name: &'static str,
    steps: &[Step<Kernel>],
) -> ExitCode {
    let open = |role| Kernel::open(id, file, name, role);
    frame(id, file.into(), Kind::Kernel, None, open, steps)
}

/// The `main` function of the check of a kernel that must also be fast.
/// `judge` receives the memory accesses of the last launch, if they can be
/// counted.
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
        // First, because a TODO is reported even without a device.
        no_hole(id, &place, &text)?;
        let gpu = opened(role)?;
        let source = Source::new(&place, &text, name);
        Ok(Kernel { gpu, source, name, file, role })
    }

    /// Returns the check's own kernel `name`, for an exercise in which the
    /// learner writes the test. The learner's code launches it, so a missing
    /// device is reported by a panic.
    pub fn of_the_check(name: &'static str, text: &str) -> Kernel {
        let gpu = Gpu::first().unwrap_or_else(|error| throw(absent(error)));
        name_device(&gpu);
        let source = Source::new("the check's kernel", text, name);
        Kernel { gpu, source, name, file: "", role: Role::Plain }
    }

    /// Returns the kernel `name` of a source text that the learner's code has
    /// generated.
    pub fn of_a_text(name: &'static str, text: &str) -> Kernel {
        let role = Role::of_this_process().unwrap_or(Role::Plain);
        let source = Source::new(TEXT, text, name);
        Kernel { source, role, ..Kernel::of_the_check(name, text) }
    }

    /// Returns a learner's file with several kernels; see [`Kernel::sibling`].
    pub fn of_a_file(file: &'static str, gpu: Gpu) -> Kernel {
        let source = Source::new(&shown(file), "", "");
        Kernel { gpu, source, name: "", file, role: Role::Plain }
    }

    /// Returns the kernel with inserted code that records what it does, or
    /// `None` under Oclgrind, which would check the inserted code.
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

    /// Returns the kernel of another name in the same file, if it exists. It
    /// is compiled without the others, so that editing one kernel does not
    /// invalidate the driver's cache of the others.
    pub fn sibling(&self, name: &str) -> Option<Kernel> {
        let text = fs::read_to_string(self.file).unwrap_or_default();
        let source = Source::new(&shown(self.file), &alone(&text, name), name);
        has_kernel(&text, name).then(|| Kernel { source, ..self.clone() })
    }

    /// From now on, launches this kernel instead of the crate's kernel `ours`
    /// on the device.
    pub fn stands_in_for(&self, ours: &opencl::Kernel) -> Outcome {
        // SAFETY: a learner's kernel is not verified. This process exists only
        // to run it, and has a time limit.
        unsafe { self.gpu.stand_in(ours, &self.source) }
            .map_err(|error| self.refused(error))
    }

    /// Returns whether the kernel runs under Oclgrind, which is slow.
    pub fn is_simulated(&self) -> bool {
        self.role == Role::Simulated
    }

    /// Returns the device that runs the kernel.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Runs the kernel for `items` work-items, rounded up to whole groups, and
    /// returns its output arrays.
    ///
    /// Every array is embedded in a larger one, so that a stray access to its
    /// neighborhood is harmless and is detected. Oclgrind checks each array by
    /// itself and receives the arrays without padding.
    pub fn run(
        &self,
        items: usize,
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Vec<f32>>, Stop> {
        self.launch([items, 1], [GROUP, 1], arguments)
    }

    /// Like [`Kernel::run`], with groups of a different size, inside a rule or
    /// a law.
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
        // SAFETY: a learner's kernel is not verified. This process exists for
        // that reason: it has a time limit, it runs only this check, and any
        // damage ends with it.
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

    /// Checks that an output was written completely and returns it without its
    /// padding.
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

    /// Returns whether the learner's code adds to elements of an array.
    fn adds_to(&self, name: &str) -> bool {
        let text = fs::read_to_string(self.file).unwrap_or_default();
        let opens = format!("{name}[");
        text.lines().any(|line| {
            let code = line.split("//").next().unwrap_or_default();
            code.contains(&opens) && code.contains("] +=")
        })
    }

    /// Like [`Kernel::run`], for use inside a rule, which cannot return a
    /// [`Stop`] through the engine and panics with it instead.
    pub fn run_in_a_rule(
        &self,
        items: usize,
        arguments: &[Argument<'_>],
    ) -> Vec<Vec<f32>> {
        self.run(items, arguments).unwrap_or_else(|stop| throw(stop))
    }

    /// Like [`Kernel::run`], for a grid of columns and rows, in groups of 16 x
    /// 16.
    pub fn run_grid(
        &self,
        grid: [usize; 2],
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Vec<f32>>, Stop> {
        self.launch(grid, [TILE, TILE], arguments)
    }

    /// Like [`Kernel::run_grid`], for use inside a rule.
    pub fn run_grid_in_a_rule(
        &self,
        grid: [usize; 2],
        arguments: &[Argument<'_>],
    ) -> Vec<Vec<f32>> {
        self.run_grid(grid, arguments).unwrap_or_else(|stop| throw(stop))
    }

    /// Quotes the source line of a build error.
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

/// Returns the source of the kernel `name` with an added parameter `log` and
/// macros that count every use of `arrays`, per item. The macros are inserted
/// before the body, or after the line that contains `after`. A kernel without
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
            "The source has no `kernel {head}..) {{ {after}` any more: restore \
             it."
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
