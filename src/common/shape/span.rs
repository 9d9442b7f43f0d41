//! Ranges of axes with a step, created from Rust's ranges. Used in "Strides".

use std::fmt;
use std::iter::StepBy;
use std::ops::{
    Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

/// A range of an axis: every `step`-th element from `start` up to, but not
/// including, `end`. Every type of Rust range converts to a `Span`.
///
/// ```
/// use rungrad::shape::Span;
/// let odd = Span::from(1..).step(2);
/// assert_eq!(odd.indices(6).collect::<Vec<_>>(), [1, 3, 5]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The index of the first element.
    pub start: usize,
    /// The index after the last element, or `None` for the end of the axis.
    pub end: Option<usize>,
    /// The distance between two selected elements.
    pub step: usize,
}

impl Span {
    /// Returns the span with a different step: the first element and every
    /// `step`-th element after it.
    pub fn step(self, step: usize) -> Span {
        Span { step, ..self }
    }

    /// Returns the span with an explicit end: `size`, the size of the axis, if
    /// it has no end yet.
    pub fn of(self, size: usize) -> Span {
        Span { end: Some(self.end.unwrap_or(size)), ..self }
    }

    /// Returns whether the span is valid for an axis of `size` elements.
    pub fn fits(self, size: usize) -> bool {
        let end = self.end.unwrap_or(size);
        self.step > 0 && self.start <= end && end <= size
    }

    /// Lists the selected indices of an axis of `size` elements, for which the
    /// span must be valid.
    pub fn indices(self, size: usize) -> StepBy<Range<usize>> {
        (self.start..self.end.unwrap_or(size)).step_by(self.step)
    }
}

/// Formats the range as in Rust, followed by `by` and the step if it is not 1.
impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.end {
            Some(end) => write!(f, "{}..{end}", self.start)?,
            None => write!(f, "{}..", self.start)?,
        }
        match self.step {
            1 => Ok(()),
            step => write!(f, " by {step}"),
        }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span { start: range.start, end: Some(range.end), step: 1 }
    }
}

impl From<RangeFrom<usize>> for Span {
    fn from(range: RangeFrom<usize>) -> Span {
        Span { start: range.start, end: None, step: 1 }
    }
}

impl From<RangeTo<usize>> for Span {
    fn from(range: RangeTo<usize>) -> Span {
        Span::from(0..range.end)
    }
}

impl From<RangeFull> for Span {
    fn from(_: RangeFull) -> Span {
        Span::from(0..)
    }
}

// `usize::MAX` saturates. That is harmless, because no axis is that long and
// the span will be rejected.
impl From<RangeInclusive<usize>> for Span {
    fn from(range: RangeInclusive<usize>) -> Span {
        Span::from(*range.start()..range.end().saturating_add(1))
    }
}

impl From<RangeToInclusive<usize>> for Span {
    fn from(range: RangeToInclusive<usize>) -> Span {
        Span::from(0..=range.end)
    }
}

/// Ranges for the axes of a tensor, from the first axis on: an array, slice or
/// vector of ranges of one type, a tuple of ranges of any types, or a single
/// range for the first axis. Axes without a range are taken whole.
pub trait Spans {
    /// Lists one span per axis that has a range.
    fn spans(self) -> Vec<Span>;
}

impl<R: Into<Span> + Clone> Spans for &[R] {
    fn spans(self) -> Vec<Span> {
        self.iter().cloned().map(R::into).collect()
    }
}

impl<R: Into<Span> + Clone, const N: usize> Spans for &[R; N] {
    fn spans(self) -> Vec<Span> {
        self[..].spans()
    }
}

impl<R: Into<Span> + Clone> Spans for &Vec<R> {
    fn spans(self) -> Vec<Span> {
        self[..].spans()
    }
}

macro_rules! tuples {
    ($($($axis:ident)+;)*) => {$(
        impl<$($axis: Into<Span>),+> Spans for ($($axis,)+) {
            #[allow(non_snake_case)]
            fn spans(self) -> Vec<Span> {
                let ($($axis,)+) = self;
                vec![$($axis.into()),+]
            }
        }
    )*};
}

tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }

macro_rules! alone {
    ($($range:ty),*) => {$(
        impl Spans for $range {
            fn spans(self) -> Vec<Span> {
                vec![self.into()]
            }
        }
    )*};
}

alone! {
    Span, Range<usize>, RangeFrom<usize>, RangeFull, RangeInclusive<usize>,
    RangeTo<usize>, RangeToInclusive<usize>
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_made_from_every_range_type() {
        let indices = |span: Span| span.indices(5).collect::<Vec<_>>();
        assert_eq!(indices((1..3).into()), [1, 2]);
        assert_eq!(indices((1..=3).into()), [1, 2, 3]);
        assert_eq!(indices((3..).into()), [3, 4]);
        assert_eq!(indices((..2).into()), [0, 1]);
        assert_eq!(indices((..=2).into()), [0, 1, 2]);
        assert_eq!(indices((..).into()), [0, 1, 2, 3, 4]);
        assert_eq!(indices(Span::from(..).step(3)), [0, 3]);
        assert!(!Span::from(0..=usize::MAX).fits(5));
        assert!(!Span::from(6..).fits(5) && Span::from(5..).fits(5));
        assert!(!Span::from(..).step(0).fits(5));
    }

    #[test]
    fn lists_tuples_and_single_ranges_are_spans() {
        let all = [Span::from(0..2), Span::from(1..)];
        assert_eq!(all.spans(), all);
        assert_eq!((&all.to_vec()).spans(), all);
        assert_eq!((0..2, 1..).spans(), all);
        assert_eq!((1..).spans(), all[1..]);
        assert_eq!([0..2, 1..3].spans(), [all[0], Span::from(1..3)]);
    }

    #[test]
    fn spans_print_as_ranges() {
        let parts = (1..3, 2.., Span::from(..9).step(2)).spans();
        assert_eq!(format!("{parts:?}"), "[1..3, 2.., 0..9 by 2]");
    }
}
