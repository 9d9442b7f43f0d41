//! Generates kernels as text while a program runs; built in "Kernels that
//! write themselves".
//!
//! The input is a [`Plan`] and never text, so a generated kernel stays within
//! its buffers, as the kernels of this crate do: each of its items either
//! returns or counts below the sizes that are in the text, each index is a sum
//! of such counts whose bounds are known, and a launch with a buffer that is
//! shorter than the largest index is rejected.

mod formula;
mod functions;
mod names;
mod rows;
#[cfg(not(feature = "opencl"))]
mod text_only;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub use self::formula::Formula;
use self::formula::{has_word, replaced};
use self::functions::{PUT, TAKE};
#[cfg(not(feature = "opencl"))]
use self::text_only::GeneratedKernel;
use super::expression::{Plan, Space, Value};
#[cfg(feature = "opencl")]
use crate::opencl::GeneratedKernel;

/// How the items of a work-group share rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Team {
    /// Work-items that cooperate on one row.
    pub items: usize,
    /// Rows handled by one work-group.
    pub rows: usize,
    /// `true`: adjacent items take adjacent rows; `false`: adjacent columns.
    pub across: bool,
    /// Work-items needed to saturate the device.
    pub full: usize,
}

/// A scalar of an expression: a constant in the text, or an argument.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// A constant in the text.
    Written(f32),
    /// An argument of each launch.
    Given,
}

/// A generated kernel, and how it is launched.
#[derive(Clone, Debug)]
pub struct Written {
    /// The kernel.
    pub kernel: GeneratedKernel,
    /// The global size: the number of work-items.
    pub global: usize,
    /// The local size: the number of work-items in a group. A kernel without
    /// reductions works with any local size.
    pub local: usize,
}

/// The environment variable that prints each kernel when it is generated.
const SHOW: &str = "RUNGRAD_SHOW";

/// Work-group sizes of kernels without reductions: the general one, and the
/// one of kernels whose items have two `float4`s each. The two are half an
/// array apart, which is faster than two adjacent ones; see
/// docs/benchmarks.md.
const GROUP: usize = 256;
const GROUP_OF_EIGHTS: usize = 128;

/// Maximum number of arrays that are read and written by a kernel whose items
/// have two `float4`s.
const MAX_ARRAYS_FOR_EIGHTS: usize = 4;

impl<Op: Copy> Plan<Op> {
    /// Returns whether adjacent items should take adjacent rows, because most
    /// inputs are then read at adjacent addresses.
    pub fn lies_across(&self) -> bool {
        let [r, c] = &self.counts;
        let mut votes = 0;
        for line in &self.lines {
            if let (Value::Load(_, at), true) = (&line.value, line.in_columns) {
                let [down, along] = [at.stride(r), at.stride(c)];
                votes += i32::from(along.abs() == 1)
                    - i32::from(along.abs() != 1 && down.abs() == 1);
            }
        }
        votes < 0
    }

    /// Generates the kernel. Its arguments are the buffers of integers, the
    /// other input buffers, the output buffers, and the scalars that are
    /// arguments.
    pub fn write(
        &self,
        formula: impl Fn(Op) -> Formula,
        numbers: &[Number],
        team: Team,
        shape: impl Fn(usize) -> String,
    ) -> Written {
        let formula: &dyn Fn(Op) -> Formula = &formula;
        let mut writer = Writer {
            plan: self,
            formula,
            numbers,
            team,
            shape: &shape,
            text: String::new(),
            functions: BTreeSet::new(),
            kept: BTreeMap::new(),
        };
        let body = match self.space {
            Space::Each(n) => writer.each(n),
            Space::Rows { .. } => writer.rows(),
        };
        let name = writer.name();
        let holds = writer.holds();
        let head = writer.head(&name);
        let functions: Vec<String> = writer.functions.into_iter().collect();
        let text = format!(
            "#pragma OPENCL FP_CONTRACT OFF\n\n{}{head}{body}",
            functions.concat()
        );
        let reaches = self.places.iter().chain(&self.reaches).map(|it| it.1);
        let stores =
            self.stores.iter().map(|store| match store.at.is_row(self) {
                true => (store.len * self.parts()) as u64,
                false => store.len as u64,
            });
        let reach: Vec<u64> = reaches.chain(stores).collect();
        // SAFETY: its items count below the sizes in its text, so each index
        // is within its bounds, which `reach` contains. Its loops go over
        // columns and halves of teams, and all items of a group reach each
        // barrier. No two items write to the same address: each has its own
        // element, or row, or columns of a row.
        #[allow(unsafe_code)]
        #[cfg_attr(not(feature = "opencl"), allow(unused_unsafe))]
        let kernel = unsafe { GeneratedKernel::new(name, text, holds, reach) };
        let (global, local) = match self.space {
            Space::Each(n) => match self.each(team) {
                8 => (n / 8, GROUP_OF_EIGHTS),
                each => (n.div_ceil(each), GROUP),
            },
            Space::Rows { rows, .. } => {
                let groups = (rows * self.parts()).div_ceil(team.rows);
                let local = team.rows * team.items;
                (groups * local, local)
            }
        };
        if std::env::var_os(SHOW).is_some_and(|it| !it.is_empty()) {
            eprintln!("{}", kernel.text());
        }
        Written { kernel, global, local }
    }

    /// Returns the number of elements per item: four if they can be read at
    /// once, and eight if that still saturates the device.
    fn each(&self, team: Team) -> usize {
        let Space::Each(n) = self.space else { return 1 };
        let [i, _] = &self.counts;
        let fours = self.lines.iter().filter(|line| {
            matches!(&line.value, Value::Load(_, at) if at.begins_fours(i))
        });
        match (fours.count(), self.stores.len()) {
            (0, _) => 1,
            _ if n < 4 => 1,
            (read, written) if read + written <= MAX_ARRAYS_FOR_EIGHTS => {
                let fill = n.is_multiple_of(8) && n / 8 >= team.full;
                if fill { 8 } else { 4 }
            }
            _ => 4,
        }
    }
}

struct Writer<'a, Op> {
    plan: &'a Plan<Op>,
    formula: &'a dyn Fn(Op) -> Formula,
    numbers: &'a [Number],
    team: Team,
    shape: &'a dyn Fn(usize) -> String,
    text: String,
    functions: BTreeSet<String>,
    /// The inputs that the items of a team keep in registers, and whether each
    /// has been read.
    kept: BTreeMap<usize, bool>,
}

/// Returns the index of a `float4` in the first half, or of the one in the
/// second half.
fn place(at: &str, four: usize, half: usize) -> String {
    if four == 0 { at.to_owned() } else { format!("{at} + {half}") }
}

/// Maximum number of values that an item keeps in registers.
const MAX_KEPT_VALUES: usize = 64;

impl<Op: Copy> Writer<'_, Op> {
    fn head(&self, name: &str) -> String {
        let plan = self.plan;
        let mut parameters = vec![];
        for (buffer, reach) in &plan.places {
            let it = format!("global const uint *places{buffer}");
            parameters.push((it, format!("{reach} integers")));
        }
        for (buffer, reach) in &plan.reaches {
            let it = format!("global const float *in{buffer}");
            parameters.push((it, format!("{reach} numbers")));
        }
        for (at, store) in plan.stores.iter().enumerate() {
            let it = format!("global float *out{at}");
            parameters.push((it, (self.shape)(store.step)));
        }
        for (slot, number) in self.numbers.iter().enumerate() {
            if let Number::Given = number {
                parameters.push((format!("float p{slot}"), "given".into()));
            }
        }
        let mut head = format!("kernel void {name}(\n");
        let last = parameters.len() - 1;
        for (at, (parameter, comment)) in parameters.iter().enumerate() {
            let sign = if at == last { ")" } else { "," };
            let _ = writeln!(head, "    {parameter}{sign}  // {comment}");
        }
        match plan.space {
            Space::Each(_) => head,
            Space::Rows { .. } => {
                let local = self.team.items * self.team.rows;
                format!(
                    "__attribute__((reqd_work_group_size({local}, 1, \
                     1)))\n{head}"
                )
            }
        }
    }

    fn put(&mut self, deep: usize, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 4 * deep);
    }

    fn at(&self, index: &super::index::Index) -> String {
        self.plan.parts.text(index)
    }

    /// Writes the body of a kernel over elements.
    fn each(&mut self, n: usize) -> String {
        let each = self.plan.each(self.team);
        self.put(0, "{");
        if each == 1 {
            self.put(1, "uint i = get_global_id(0);");
            self.put(1, &format!("if (i >= {n})"));
            self.put(2, "return;");
            self.lines(1, |_| true, &[]);
            self.stores(1, |_| true);
        } else {
            self.vectorized(n, each);
        }
        self.put(0, "}");
        std::mem::take(&mut self.text)
    }

    /// Writes the body for one or two `float4`s per item. Contiguous inputs
    /// are read as `float4`.
    fn vectorized(&mut self, n: usize, each: usize) {
        let plan = self.plan;
        let part = n / (each / 4);
        self.put(1, "uint at = 4 * get_global_id(0);");
        self.put(1, &format!("if (at >= {part})"));
        self.put(2, "return;");
        let whole = n.is_multiple_of(4);
        if !whole {
            self.functions.insert(TAKE.to_owned());
            self.functions.insert(PUT.to_owned());
        }
        let mut read = vec![];
        for (number, line) in plan.lines.iter().enumerate() {
            let Value::Load(buffer, index) = &line.value else { continue };
            if !index.begins_fours(&plan.counts[0]) {
                continue;
            }
            let from = self.at(index);
            let from =
                replaced(&from, |it| (it == "i").then(|| "at".to_owned()));
            self.put(1, &format!("float x{number}[{each}];"));
            for four in 0..each / 4 {
                let from = place(&from, four, part);
                let read = match whole {
                    true => {
                        format!("*(global const float4 *)(in{buffer} + {from})")
                    }
                    false => format!("take(in{buffer} + {from}, {n} - at)"),
                };
                self.put(1, &format!("vstore4({read}, {four}, x{number});"));
            }
            read.push(number);
        }
        for out in 0..plan.stores.len() {
            self.put(1, &format!("float y{out}[{each}];"));
        }
        self.put(1, "#pragma unroll");
        self.put(1, &format!("for (uint k = 0; k < {each}; k++) {{"));
        let i = match whole {
            true if each == 8 => {
                format!("uint i = at + k / 4 * {} + k % 4;", n / 2)
            }
            true => "uint i = at + k;".to_owned(),
            false => format!("uint i = min(at + k, {}u);", n - 1),
        };
        let mut body = std::mem::take(&mut self.text);
        self.lines(2, |_| true, &read);
        for (out, store) in plan.stores.iter().enumerate() {
            self.put(2, &format!("y{out}[k] = v{};", store.line));
        }
        let inner = std::mem::take(&mut self.text);
        // Emit the index computation only if the body uses it.
        if has_word(&inner, "i") {
            let _ = writeln!(body, "        {i}");
        }
        self.text = body + &inner;
        self.put(1, "}");
        for out in 0..plan.stores.len() {
            for four in 0..each / 4 {
                let at = place("at", four, part);
                let four = format!("vload4({four}, y{out})");
                let line = match whole {
                    true => {
                        format!("*(global float4 *)(out{out} + {at}) = {four};")
                    }
                    false => format!("put({four}, out{out} + at, {n} - at);"),
                };
                self.put(1, &line);
            }
        }
    }

    /// Writes the lines that are `wanted`. The lines in `read` have been
    /// loaded as `float4`.
    fn lines(
        &mut self,
        deep: usize,
        wanted: impl Fn(usize) -> bool,
        read: &[usize],
    ) {
        let plan = self.plan;
        for (number, line) in plan.lines.iter().enumerate() {
            if !wanted(number) {
                continue;
            }
            let (value, comment) = match &line.value {
                Value::Load(..) if read.contains(&number) => {
                    (format!("x{number}[k]"), String::new())
                }
                Value::Load(buffer, at) => {
                    let at = self.at(at);
                    let value = match self.kept.get_mut(&number) {
                        Some(true) => format!("kept{number}[k]"),
                        Some(read) => {
                            *read = true;
                            format!("kept{number}[k] = in{buffer}[{at}]")
                        }
                        None => format!("in{buffer}[{at}]"),
                    };
                    (value, String::new())
                }
                Value::Number(slot) => (self.number(*slot), String::new()),
                Value::Apply(op, args, slot) => {
                    let formula = (self.formula)(*op);
                    self.functions.extend(formula.functions());
                    let args: Vec<String> =
                        args.iter().map(|line| format!("v{line}")).collect();
                    let number = slot.map(|slot| self.number(slot));
                    let value = formula.with(&args, number.as_deref());
                    let shape = (self.shape)(line.step);
                    (value, format!("  // {} {shape}", formula.name))
                }
                Value::Joined(join) => {
                    let shape = (self.shape)(line.step);
                    (format!("j{join}"), format!("  // {shape}"))
                }
                Value::Where(place, at, line) => {
                    let [place, at] = [self.at(place), self.at(at)];
                    let value = format!("{place} == {at} ? v{line} : 0.0f");
                    (value, "  // spread".to_owned())
                }
            };
            self.put(deep, &format!("float v{number} = {value};{comment}"));
        }
    }

    /// Writes the stores that are `wanted`.
    fn stores(&mut self, deep: usize, wanted: impl Fn(usize) -> bool) {
        for (out, store) in self.plan.stores.iter().enumerate() {
            if wanted(out) {
                let at = self.at(&store.at);
                self.put(deep, &format!("out{out}[{at}] = v{};", store.line));
            }
        }
    }

    fn number(&self, slot: usize) -> String {
        match self.numbers[slot] {
            Number::Given => format!("p{slot}"),
            Number::Written(number) if !number.is_finite() => {
                format!("as_float(0x{:08x}u)", number.to_bits())
            }
            Number::Written(number) if number.is_sign_negative() => {
                format!("({number:?}f)")
            }
            Number::Written(number) => format!("{number:?}f"),
        }
    }
}
