//! Where an element lies, as arithmetic on what a kernel counts; built in
//! "Kernels that write themselves".
//!
//! An index is a constant and a sum of parts, each times a stride. A part is a
//! count of the kernel, or the quotient or the rest of another index: that is
//! what a view makes of them. How large each part can be is known, so it is
//! known how far an index reaches, and that is why a written kernel is safe.

mod runs;

use std::collections::HashMap;
use std::fmt::Write;

use smallvec::SmallVec;

use super::expression::{Plan, Space};

/// One of the parts of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Part(usize);

/// A constant, and parts times their strides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    start: i64,
    /// In the order of the parts, none twice and none times 0.
    terms: SmallVec<[(Part, i64); 4]>,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Made {
    /// What the kernel counts, under its name.
    Count(&'static str),
    Quotient(Index, i64),
    Rest(Index, i64),
    /// An integer of a buffer, or the largest that may stand there.
    Place(usize, Index),
}

/// All parts of the indices of a kernel.
#[derive(Default)]
pub(crate) struct Parts {
    /// Each with the most that it can be; the least is 0.
    made: Vec<(Made, i64)>,
    known: HashMap<Made, Part>,
}

impl Index {
    fn constant(start: i64) -> Index {
        Index { start, terms: SmallVec::new() }
    }

    /// Adds another index, so many times.
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

    /// Says whether it is the same everywhere.
    pub(crate) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns what one step of a count changes, where it is no part of a
    /// quotient.
    pub(crate) fn stride(&self, count: &Index) -> i64 {
        let [(part, 1)] = count.terms[..] else { return 0 };
        let term = self.terms.iter().find(|term| term.0 == part);
        term.map_or(0, |term| term.1)
    }

    /// Says whether it is the number of the row.
    pub(crate) fn is_row<Op>(&self, plan: &Plan<Op>) -> bool {
        matches!(plan.space(), Space::Rows { .. }) && *self == plan.counts[0]
    }

    /// Says whether it is a multiple of four wherever `count` is.
    pub(super) fn begins_fours(&self, count: &Index) -> bool {
        self.terms == count.terms && self.start % 4 == 0
    }
}

impl Parts {
    /// Adds a count from 0 to below `size`.
    pub(super) fn count(&mut self, name: &'static str, size: usize) -> Index {
        self.part(Made::Count(name), size as i64 - 1)
    }

    /// Reads an integer of a buffer, which is below `size` or is taken for the
    /// largest.
    pub(super) fn place(
        &mut self,
        buffer: usize,
        at: Index,
        size: usize,
    ) -> Index {
        self.part(Made::Place(buffer, at), size as i64 - 1)
    }

    /// Makes an index of a part; what can only be 0 is none.
    fn part(&mut self, made: Made, most: i64) -> Index {
        if most == 0 {
            return Index::default();
        }
        let part = *self.known.entry(made).or_insert_with_key(|made| {
            self.made.push((made.clone(), most));
            Part(self.made.len() - 1)
        });
        Index { start: 0, terms: SmallVec::from_slice(&[(part, 1)]) }
    }

    /// Finds the least and the most that an index can be.
    pub(super) fn bounds(&self, index: &Index) -> (i64, i64) {
        let start = (index.start, index.start);
        index.terms.iter().fold(start, |(least, most), (part, stride)| {
            let way = self.made[part.0].1 * stride;
            (least + way.min(0), most + way.max(0))
        })
    }

    /// Says whether an index changes with a count.
    pub(super) fn moves(&self, index: &Index, count: &Index) -> bool {
        index.terms.iter().any(|(part, _)| {
            count.terms.iter().any(|term| term.0 == *part)
                || match &self.made[part.0].0 {
                    Made::Count(_) => false,
                    Made::Quotient(inner, _)
                    | Made::Rest(inner, _)
                    | Made::Place(_, inner) => self.moves(inner, count),
                }
        })
    }

    /// Finds how far an index reaches into the buffers of integers that it
    /// reads.
    pub(super) fn reach(&self, index: &Index, reaches: &mut Vec<(usize, u64)>) {
        for (part, _) in &index.terms {
            let inner = match &self.made[part.0].0 {
                Made::Count(_) => continue,
                Made::Quotient(inner, _) | Made::Rest(inner, _) => inner,
                Made::Place(buffer, inner) => {
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

    /// Splits an index that is not negative in whole multiples of a size and
    /// what is left.
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

    /// Divides an index that is not negative.
    pub(super) fn quotient(&mut self, index: &Index, size: usize) -> Index {
        let size = size as i64;
        let (whole, left) = self.split(index, size);
        let most = self.bounds(&left).1 / size;
        let mut made = Made::Quotient(left.clone(), size);
        // A quotient of a quotient is one of both.
        if let ([(part, 1)], 0) = (&left.terms[..], left.start)
            && let Made::Quotient(inner, first) = &self.made[part.0].0
        {
            made = Made::Quotient(inner.clone(), first * size);
        }
        let left = self.part(made, most);
        whole.plus(&left, 1)
    }

    /// Returns what a division leaves.
    pub(super) fn rest(&mut self, index: &Index, size: usize) -> Index {
        let size = size as i64;
        let (_, left) = self.split(index, size);
        match self.bounds(&left).1 {
            most if most < size => left,
            _ => self.part(Made::Rest(left, size), size - 1),
        }
    }

    // ANCHOR: through
    /// Follows a view: an index into what it shows, in row-major order, becomes
    /// one into what lies behind.
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
            // Nothing is outside of the first axis.
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

    /// Puts a quotient and its rest together again.
    fn joined(&mut self, mut index: Index) -> Index {
        let pair = |parts: &mut Parts, index: &Index| {
            index.terms.iter().find_map(|&(part, stride)| {
                let Made::Rest(inner, size) = parts.made[part.0].0.clone()
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

    /// Says whether an index meets each of so many places once, where the
    /// counts go through all their values.
    pub(super) fn meets_each(&self, index: &Index, n: usize) -> bool {
        let mut terms = index.terms.clone();
        terms.sort_by_key(|term| term.1);
        let mut step = 1;
        let dense = terms.iter().all(|&(part, stride)| {
            let (made, most) = &self.made[part.0];
            let fits = matches!(made, Made::Count(_)) && stride == step;
            step *= most + 1;
            fits
        });
        dense && index.start == 0 && step == n as i64
    }

    /// Writes an index as C. A `uint` that falls below 0 on the way comes back
    /// with the next part.
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
        let (made, most) = &self.made[part.0];
        match made {
            Made::Count(name) => (*name).to_owned(),
            Made::Quotient(inner, size) => {
                format!("({} / {size})", group(inner))
            }
            Made::Rest(inner, size) => {
                format!("({} % {size})", group(inner))
            }
            Made::Place(buffer, at) => {
                format!("min(places{buffer}[{}], {most}u)", self.text(at))
            }
        }
    }

    /// Says where an index begins and how far each step takes it, if it goes
    /// evenly while `counts` go on; each has its name, its start and its step.
    pub(crate) fn even(
        &self,
        index: &Index,
        counts: &[Count],
    ) -> Option<(usize, isize)> {
        let (mut first, mut step) = (index.start, 0);
        for (part, stride) in &index.terms {
            let Made::Count(name) = self.made[part.0].0 else { return None };
            let count = counts.iter().find(|count| count.0 == name)?;
            first += stride * count.1 as i64;
            step += stride * count.2 as i64;
        }
        Some((first as usize, step as isize))
    }
}

/// What is counted: its name, where it begins, and its step.
pub(crate) type Count = (&'static str, usize, usize);

#[cfg(test)]
mod tests;
