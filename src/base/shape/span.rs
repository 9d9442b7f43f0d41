//! Parts of axes, as Rust's ranges name them. "Strides" cuts with them.

use std::fmt;
use std::iter::StepBy;
use std::ops::{
    Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

/// A part of an axis: from `start` on and before `end`, where there is one,
/// every `step`-th element. Each of Rust's ranges is such a part.
///
/// ```
/// use rungrad::shape::Span;
/// let odd = Span::from(1..).step(2);
/// assert_eq!(odd.indices(6).collect::<Vec<_>>(), [1, 3, 5]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first element.
    pub start: usize,
    /// Where it ends, before this one; without it, where the axis ends.
    pub end: Option<usize>,
    /// How far apart two neighbors are taken.
    pub step: usize,
}

impl Span {
    /// Keeps of these elements the first and every `step`-th after it.
    pub fn step(self, step: usize) -> Span {
        Span { step, ..self }
    }

    /// Completes the part with the end of an axis of `size` elements, where it
    /// has none of its own.
    pub fn of(self, size: usize) -> Span {
        Span { end: Some(self.end.unwrap_or(size)), ..self }
    }

    /// Says whether it lies in an axis of `size` elements.
    pub fn fits(self, size: usize) -> bool {
        let end = self.end.unwrap_or(size);
        self.step > 0 && self.start <= end && end <= size
    }

    /// Lists which elements of an axis of `size` elements it names. It must
    /// fit there.
    pub fn indices(self, size: usize) -> StepBy<Range<usize>> {
        (self.start..self.end.unwrap_or(size)).step_by(self.step)
    }
}

/// Written as Rust writes the range, and `by` its step.
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

// No axis is as long as the largest number, so what saturates is refused.
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

/// What names a part of each axis, from the first on: a list of ranges of one
/// kind, or of [`Span`]s; a tuple of any; or one of them, for the first axis.
/// Axes that are not named at the end stay whole.
pub trait Spans {
    /// Lists the part of each axis that is named.
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
    fn every_range_is_a_span() {
        let of = |span: Span| span.indices(5).collect::<Vec<_>>();
        assert_eq!(of((1..3).into()), [1, 2]);
        assert_eq!(of((1..=3).into()), [1, 2, 3]);
        assert_eq!(of((3..).into()), [3, 4]);
        assert_eq!(of((..2).into()), [0, 1]);
        assert_eq!(of((..=2).into()), [0, 1, 2]);
        assert_eq!(of((..).into()), [0, 1, 2, 3, 4]);
        assert_eq!(of(Span::from(..).step(3)), [0, 3]);
        assert!(!Span::from(0..=usize::MAX).fits(5));
        assert!(!Span::from(6..).fits(5) && Span::from(5..).fits(5));
        assert!(!Span::from(..).step(0).fits(5));
    }

    #[test]
    fn lists_tuples_and_single_ranges_name_parts() {
        let all = [Span::from(0..2), Span::from(1..)];
        assert_eq!(all.spans(), all);
        assert_eq!((&all.to_vec()).spans(), all);
        assert_eq!((0..2, 1..).spans(), all);
        assert_eq!((1..).spans(), all[1..]);
        assert_eq!([0..2, 1..3].spans(), [all[0], Span::from(1..3)]);
    }

    #[test]
    fn a_span_is_written_as_its_range() {
        let parts = (1..3, 2.., Span::from(..9).step(2)).spans();
        assert_eq!(format!("{parts:?}"), "[1..3, 2.., 0..9 by 2]");
    }
}
