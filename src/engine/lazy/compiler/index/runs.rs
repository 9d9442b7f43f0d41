//! Evaluates indices along a block of elements as runs with a constant step,
//! so that a loop on the CPU needs only additions where the generated kernel
//! divides.

use smallvec::SmallVec;

use super::{Count, Definition, Index, Part, Parts};

/// A run of indices: the first one, the step, and the length.
pub(crate) type Run = (i64, i64, usize);

/// A digit of a number `j` in a mixed-radix system: `j / by % size`.
struct Digit {
    by: i64,
    /// `None` for the most significant digit.
    size: Option<i64>,
}

/// An odometer that produces indices; its axes are sorted from fastest to
/// slowest.
struct Counter {
    at: i64,
    axes: SmallVec<[Axis; 4]>,
}

struct Axis {
    size: i64,
    step: i64,
    digit: i64,
}

impl Parts {
    /// Splits the values of an index into runs, for `steps` steps of the loop
    /// variables.
    pub(crate) fn runs(
        &self,
        index: &Index,
        counts: &[Count],
        places: &[&[usize]],
        steps: usize,
    ) -> impl Iterator<Item = Run> {
        let mut counter = self.counter(index, counts, places);
        let mut k = 0;
        std::iter::from_fn(move || {
            let left = steps - k;
            if left == 0 {
                return None;
            }
            let run = match &mut counter {
                Some(counter) => counter.run(left),
                None => self.run(index, counts, places, k),
            };
            let length = run.2.min(left);
            k += length;
            Some((run.0, run.1, length))
        })
    }

    /// Returns the value of an index at each of `steps` steps of the loop
    /// variables.
    pub(crate) fn all(
        &self,
        index: &Index,
        counts: &[Count],
        places: &[&[usize]],
        steps: usize,
    ) -> Vec<i64> {
        // Integers that are read from a buffer do not form runs; each would be
        // a run by itself.
        if let ([(part, 1)], 0) = (&index.terms[..], index.start)
            && let (Definition::Loaded(buffer, inner), most) =
                &self.definitions[part.0]
            && let Some((at, step)) = self.even(inner, counts)
        {
            let place = |k| places[*buffer][at.wrapping_add_signed(k * step)];
            let places = (0..steps as isize).map(place);
            return places.map(|place| (*most).min(place as i64)).collect();
        }
        let runs = self.runs(index, counts, places, steps);
        runs.flat_map(|(at, step, length)| {
            (0..length as i64).map(move |k| at + k * step)
        })
        .collect()
    }

    /// Returns the run of an index that begins after `k` steps.
    fn run(
        &self,
        index: &Index,
        counts: &[Count],
        places: &[&[usize]],
        k: usize,
    ) -> Run {
        let (mut at, mut step, mut length) = (index.start, 0, usize::MAX);
        for (part, stride) in &index.terms {
            let run = self.part_run(*part, counts, places, k);
            at += stride * run.0;
            step += stride * run.1;
            length = length.min(run.2);
        }
        (at, step, length)
    }

    fn part_run(
        &self,
        part: Part,
        counts: &[Count],
        places: &[&[usize]],
        k: usize,
    ) -> Run {
        let (definition, most) = &self.definitions[part.0];
        /// Returns the number of steps until the next multiple of `size`.
        fn within((at, step, length): Run, size: i64) -> usize {
            let rest = at % size;
            let steps = match step {
                0 => return length,
                1.. => (size - rest + step - 1) / step,
                _ => rest / -step + 1,
            };
            length.min(steps as usize)
        }
        match definition {
            Definition::Count(name) => {
                let (_, first, step) = counted(counts, name);
                ((first + k * step) as i64, step as i64, usize::MAX)
            }
            Definition::Quotient(inner, size) => {
                let run = self.run(inner, counts, places, k);
                (run.0 / size, 0, within(run, *size))
            }
            Definition::Remainder(inner, size) => {
                let run = self.run(inner, counts, places, k);
                (run.0 % size, run.1, within(run, *size))
            }
            Definition::Loaded(buffer, inner) => {
                let (at, step, length) = self.run(inner, counts, places, k);
                let place = places[*buffer][at as usize] as i64;
                (place.min(*most), 0, if step == 0 { length } else { 1 })
            }
        }
    }

    /// Returns the counter whose digits make up an index, as is the case for a
    /// view. Returns `None` for other indices.
    fn counter(
        &self,
        index: &Index,
        counts: &[Count],
        places: &[&[usize]],
    ) -> Option<Counter> {
        let (mut first, mut slope, mut from) = (index.start, 0, None);
        let mut digits: SmallVec<[(Digit, i64); 8]> = SmallVec::new();
        for &(part, stride) in &index.terms {
            if !self.goes(part, counts) {
                let run = self.part_run(part, counts, places, 0);
                first += stride * run.0;
                continue;
            }
            if let Definition::Count(name) = self.definitions[part.0].0 {
                let (_, start, step) = counted(counts, name);
                first += stride * start as i64;
                slope += stride * step as i64;
                continue;
            }
            let (inner, digit) = self.digit(part)?;
            let (start, 1) = self.even(inner, counts)? else { return None };
            if *from.get_or_insert(start) != start {
                return None;
            }
            digits.push((digit, stride));
        }
        let from = from.unwrap_or_default() as i64;
        let mut cuts: SmallVec<[i64; 8]> = SmallVec::from_slice(&[1]);
        for (Digit { by, size }, _) in &digits {
            cuts.extend(
                [Some(*by), size.map(|it| by * it)].into_iter().flatten(),
            );
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut counter = Counter { at: first, axes: SmallVec::new() };
        for (axis, &cut) in cuts.iter().enumerate() {
            let next = cuts.get(axis + 1).copied();
            if next.is_some_and(|next| next % cut != 0) {
                return None;
            }
            let size = next.map_or(i64::MAX, |next| next / cut);
            let mut step = 0;
            for (digit, stride) in &digits {
                let ends = digit.size.map_or(i64::MAX, |it| digit.by * it);
                if digit.by <= cut && next.unwrap_or(i64::MAX) <= ends {
                    step += stride * (cut / digit.by);
                }
            }
            let digit = from / cut % size;
            counter.at += digit * step;
            counter.put(Axis { size, step: step + slope * cut, digit });
        }
        Some(counter)
    }

    /// Returns whether a part changes while the loop variables advance.
    fn goes(&self, part: Part, counts: &[Count]) -> bool {
        match &self.definitions[part.0].0 {
            Definition::Count(name) => counted(counts, name).2 != 0,
            Definition::Quotient(inner, _)
            | Definition::Remainder(inner, _)
            | Definition::Loaded(_, inner) => {
                inner.terms.iter().any(|term| self.goes(term.0, counts))
            }
        }
    }

    /// Returns the index of which a part is a digit, and the digit.
    fn digit(&self, part: Part) -> Option<(&Index, Digit)> {
        let (inner, size, is_rest) = match &self.definitions[part.0].0 {
            Definition::Quotient(inner, size) => (inner, *size, false),
            Definition::Remainder(inner, size) => (inner, *size, true),
            _ => return None,
        };
        let made_of = match (&inner.terms[..], inner.start) {
            ([(part, 1)], 0) => self.digit(*part),
            _ => None,
        };
        let all = Digit { by: 1, size: None };
        let (inner, Digit { by, size: outer }) =
            made_of.unwrap_or((inner, all));
        if outer.is_some_and(|outer| outer % size != 0) {
            return None;
        }
        let digit = match is_rest {
            true => Digit { by, size: Some(size) },
            false => Digit { by: by * size, size: outer.map(|it| it / size) },
        };
        Some((inner, digit))
    }
}

impl Counter {
    /// Appends a slower axis, or merges it into the last one if they are
    /// contiguous.
    fn put(&mut self, axis: Axis) {
        match self.axes.last_mut() {
            Some(last) if axis.step == last.step.wrapping_mul(last.size) => {
                last.digit += axis.digit * last.size;
                last.size = last.size.saturating_mul(axis.size);
            }
            _ => self.axes.push(axis),
        }
    }

    /// Returns the next run, of at most `most` steps, and advances past it.
    #[inline(always)]
    fn run(&mut self, most: usize) -> Run {
        let at = self.at;
        let [fast, slow @ ..] = &mut self.axes[..] else {
            return (at, 0, most);
        };
        let length = most.min((fast.size - fast.digit) as usize);
        let run = (at, fast.step, length);
        fast.digit += length as i64;
        self.at += length as i64 * fast.step;
        if fast.digit == fast.size {
            fast.digit = 0;
            self.at -= fast.size * fast.step;
            for axis in slow {
                self.at += axis.step;
                axis.digit += 1;
                if axis.digit < axis.size {
                    break;
                }
                self.at -= axis.size * axis.step;
                axis.digit = 0;
            }
        }
        run
    }
}

fn counted(counts: &[Count], name: &str) -> Count {
    let count = counts.iter().find(|count| count.0 == name);
    *count.expect("it is counted")
}
