//! Element indices as symbolic arithmetic on a kernel's loop variables; built
//! in "Kernels that write themselves".
//!
//! An index is a constant plus a sum of parts, each times a stride. A part is
//! a loop variable, or the quotient or remainder of another index; views
//! produce these. The range of each part is known, so the range of each index
//! is too, and that is why a generated kernel is safe.

mod runs;

use std::collections::HashMap;
use std::fmt::Write;

use smallvec::SmallVec;

use super::expression::{Plan, Space};

/// A part of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Part(usize);

/// A constant plus parts times their strides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    start: i64,
    /// Sorted by part; no part occurs twice or with stride 0.
    terms: SmallVec<[(Part, i64); 4]>,
}

/// The definition of a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Definition {
    /// A loop variable of the kernel, by name.
    Count(&'static str),
    Quotient(Index, i64),
    Remainder(Index, i64),
    /// An integer read from a buffer, clamped to the part's maximum.
    Loaded(usize, Index),
}

/// All parts of the indices of a kernel.
#[derive(Default)]
pub(crate) struct Parts {
    /// Each definition with the part's maximum; the minimum is 0.
    definitions: Vec<(Definition, i64)>,
    known: HashMap<Definition, Part>,
}

impl Index {
    fn constant(start: i64) -> Index {
        Index { start, terms: SmallVec::new() }
    }

    /// Adds another index, multiplied by `times`.
    fn add(&mut self, other: &Index, times: i64) {
        self.start += other.start * times;
        for &(part, stride) in &other.terms {
            match self.terms.binary_search_by_key(&part, |term| term.0) {
                Ok(place) => self.terms[place].1 += stride * times,
                Err(place) => self.terms.insert(place, (part, stride * times)),
            }
        }
        self.terms.retain(|term| term.1 != 0);
    }

    pub(super) fn plus(&self, other: &Index, times: i64) -> Index {
        let mut sum = self.clone();
        sum.add(other, times);
        sum
    }

    pub(super) fn times(&self, times: i64) -> Index {
        Index::default().plus(self, times)
    }

    /// Returns whether the index is constant.
    pub(crate) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns by how much the index changes per step of a loop variable.
    /// Occurrences inside a quotient or remainder are ignored.
    pub(crate) fn stride(&self, count: &Index) -> i64 {
        let [(part, 1)] = count.terms[..] else { return 0 };
        let term = self.terms.iter().find(|term| term.0 == part);
        term.map_or(0, |term| term.1)
    }

    /// Returns whether the index is the row number.
    pub(crate) fn is_row<Op>(&self, plan: &Plan<Op>) -> bool {
        matches!(plan.space(), Space::Rows { .. }) && *self == plan.counts[0]
    }

    /// Returns whether the index is a multiple of four wherever `count` is.
    pub(super) fn begins_fours(&self, count: &Index) -> bool {
        self.terms == count.terms && self.start % 4 == 0
    }
}

impl Parts {
    /// Adds a loop variable from 0 to `size - 1`.
    pub(super) fn count(&mut self, name: &'static str, size: usize) -> Index {
        self.part(Definition::Count(name), size as i64 - 1)
    }

    /// Adds an integer that is read from a buffer and clamped to `size - 1`.
    pub(super) fn place(
        &mut self,
        buffer: usize,
        at: Index,
        size: usize,
    ) -> Index {
        self.part(Definition::Loaded(buffer, at), size as i64 - 1)
    }

    /// Returns a part as an index. A part that can only be 0 is omitted.
    fn part(&mut self, definition: Definition, most: i64) -> Index {
        if most == 0 {
            return Index::default();
        }
        let part =
            *self.known.entry(definition).or_insert_with_key(|definition| {
                self.definitions.push((definition.clone(), most));
                Part(self.definitions.len() - 1)
            });
        Index { start: 0, terms: SmallVec::from_slice(&[(part, 1)]) }
    }

    /// Returns the minimum and maximum of an index.
    pub(super) fn bounds(&self, index: &Index) -> (i64, i64) {
        let start = (index.start, index.start);
        index.terms.iter().fold(start, |(least, most), (part, stride)| {
            let span = self.definitions[part.0].1 * stride;
            (least + span.min(0), most + span.max(0))
        })
    }

    /// Returns whether an index depends on a loop variable.
    pub(super) fn moves(&self, index: &Index, count: &Index) -> bool {
        index.terms.iter().any(|(part, _)| {
            count.terms.iter().any(|term| term.0 == *part)
                || match &self.definitions[part.0].0 {
                    Definition::Count(_) => false,
                    Definition::Quotient(inner, _)
                    | Definition::Remainder(inner, _)
                    | Definition::Loaded(_, inner) => self.moves(inner, count),
                }
        })
    }

    /// Computes how many elements an index accesses in the buffers of integers
    /// that it reads.
    pub(super) fn reach(&self, index: &Index, reaches: &mut Vec<(usize, u64)>) {
        for (part, _) in &index.terms {
            let inner = match &self.definitions[part.0].0 {
                Definition::Count(_) => continue,
                Definition::Quotient(inner, _)
                | Definition::Remainder(inner, _) => inner,
                Definition::Loaded(buffer, inner) => {
                    let most = self.bounds(inner).1 as u64 + 1;
                    match reaches.iter_mut().find(|it| it.0 == *buffer) {
                        Some((_, reach)) => *reach = most.max(*reach),
                        None => reaches.push((*buffer, most)),
                    }
                    inner
                }
            };
            self.reach(inner, reaches);
        }
    }

    /// Splits a non-negative index into `whole * size + left`, where `left` is
    /// not negative and `whole` needs no division.
    fn split(&self, index: &Index, size: i64) -> (Index, Index) {
        let mut whole = Index::constant(index.start.div_euclid(size));
        let mut left = Index::constant(index.start.rem_euclid(size));
        for &(part, stride) in &index.terms {
            match stride % size {
                0 => whole.terms.push((part, stride / size)),
                _ => left.terms.push((part, stride)),
            }
        }
        match self.bounds(&left).0 {
            0.. => (whole, left),
            _ => (Index::default(), index.clone()),
        }
    }

    /// Divides a non-negative index.
    pub(super) fn quotient(&mut self, index: &Index, size: usize) -> Index {
        let size = size as i64;
        let (whole, left) = self.split(index, size);
        let most = self.bounds(&left).1 / size;
        let mut definition = Definition::Quotient(left.clone(), size);
        // A quotient of a quotient is a quotient by the product.
        if let ([(part, 1)], 0) = (&left.terms[..], left.start)
            && let Definition::Quotient(inner, first) =
                &self.definitions[part.0].0
        {
            definition = Definition::Quotient(inner.clone(), first * size);
        }
        let left = self.part(definition, most);
        whole.plus(&left, 1)
    }

    /// Returns the remainder of a division.
    pub(super) fn rest(&mut self, index: &Index, size: usize) -> Index {
        let size = size as i64;
        let (_, left) = self.split(index, size);
        match self.bounds(&left).1 {
            most if most < size => left,
            _ => self.part(Definition::Remainder(left, size), size - 1),
        }
    }

    // ANCHOR: through
    /// Applies a view: turns an index into the view's elements, in row-major
    /// order, into an index into the memory that it views.
    pub(super) fn through(
        &mut self,
        index: &Index,
        (shape, strides, offset): (&[usize], &[isize], usize),
    ) -> Index {
        let mut behind = Index::constant(offset as i64);
        let mut outer = index.clone();
        for (axis, (&size, &stride)) in
            shape.iter().zip(strides).enumerate().rev()
        {
            // The first axis needs no remainder, because the index is
            // within the view.
            let at = match axis {
                0 => outer.clone(),
                _ => self.rest(&outer, size),
            };
            outer = self.quotient(&outer, size);
            behind.add(&at, stride as i64);
        }
        self.joined(behind)
    }
    // ANCHOR_END: through

    /// Merges a quotient and the matching remainder back into the index that
    /// they came from.
    fn joined(&mut self, mut index: Index) -> Index {
        let pair = |parts: &mut Parts, index: &Index| {
            index.terms.iter().find_map(|&(part, stride)| {
                let Definition::Remainder(inner, size) =
                    parts.definitions[part.0].0.clone()
                else {
                    return None;
                };
                let over = parts.quotient(&inner, size as usize);
                let is_there = over.terms.len() == 1
                    && over.start == 0
                    && index.stride(&over) == stride * size;
                is_there.then(|| {
                    let part = [(part, 1)];
                    let rest = Index { start: 0, terms: part[..].into() };
                    index
                        .plus(&over, -stride * size)
                        .plus(&rest, -stride)
                        .plus(&inner, stride)
                })
            })
        };
        while let Some(shorter) = pair(self, &index) {
            index = shorter;
        }
        index
    }

    /// Returns whether an index takes each value below `n` exactly once as the
    /// loop variables take all their values.
    pub(super) fn meets_each(&self, index: &Index, n: usize) -> bool {
        let mut terms = index.terms.clone();
        terms.sort_by_key(|term| term.1);
        let mut step = 1;
        let dense = terms.iter().all(|&(part, stride)| {
            let (definition, most) = &self.definitions[part.0];
            let fits =
                matches!(definition, Definition::Count(_)) && stride == step;
            step *= most + 1;
            fits
        });
        dense && index.start == 0 && step == n as i64
    }

    /// Writes an index in C. The result is correct even if a `uint` wraps
    /// below 0 in between, because the next part wraps it back.
    pub(super) fn text(&self, index: &Index) -> String {
        let mut text = String::new();
        let mut put = |sign: &str, term: String| {
            match (text.is_empty(), sign) {
                (true, "+") => {}
                (true, _) => text.push('-'),
                (false, sign) => write!(text, " {sign} ").expect("a string"),
            }
            text.push_str(&term);
        };
        if index.start != 0 || index.terms.is_empty() {
            put("+", index.start.to_string());
        }
        for (part, stride) in &index.terms {
            let sign = if *stride < 0 { "-" } else { "+" };
            let part = self.part_text(*part);
            put(
                sign,
                match stride.abs() {
                    1 => part,
                    times => format!("{part} * {times}"),
                },
            );
        }
        text
    }

    fn part_text(&self, part: Part) -> String {
        let group = |index: &Index| match index.terms.len() {
            1 if index.start == 0 => self.text(index),
            _ => format!("({})", self.text(index)),
        };
        let (definition, most) = &self.definitions[part.0];
        match definition {
            Definition::Count(name) => (*name).to_owned(),
            Definition::Quotient(inner, size) => {
                format!("({} / {size})", group(inner))
            }
            Definition::Remainder(inner, size) => {
                format!("({} % {size})", group(inner))
            }
            Definition::Loaded(buffer, at) => {
                format!("min(places{buffer}[{}], {most}u)", self.text(at))
            }
        }
    }

    /// Returns the start and the step of an index if it changes by a constant
    /// per step while `counts` advance.
    pub(crate) fn even(
        &self,
        index: &Index,
        counts: &[Count],
    ) -> Option<(usize, isize)> {
        let (mut first, mut step) = (index.start, 0);
        for (part, stride) in &index.terms {
            let Definition::Count(name) = self.definitions[part.0].0 else {
                return None;
            };
            let count = counts.iter().find(|count| count.0 == name)?;
            first += stride * count.1 as i64;
            step += stride * count.2 as i64;
        }
        Some((first as usize, step as isize))
    }
}

/// The state of a loop variable: its name, its current value, and its step.
pub(crate) type Count = (&'static str, usize, usize);

#[cfg(test)]
mod tests;
