//! Parses a view from a command-line argument.

use std::str::FromStr;

use rungrad::Error;
use rungrad::shape::{Span, Window};

/// An operation that creates a view.
pub(crate) enum Move {
    Permute(Vec<usize>),
    Flip(Vec<usize>),
    Slice(Vec<Span>),
    Expand(Vec<usize>),
    Reshape(Vec<usize>),
    Windows(Window),
    /// A shape, strides and an offset.
    AsStrided(Vec<usize>, Vec<isize>, usize),
    Compact,
}

impl Move {
    pub(crate) fn of(word: &str) -> Result<Move, Error> {
        let (name, rest) = word.split_once('=').unwrap_or((word, ""));
        let parts: Vec<&str> = rest.split('/').collect();
        Ok(match (name, &parts[..]) {
            ("permute", [axes]) => Move::Permute(numbers(axes, word)?),
            ("flip", [axes]) => Move::Flip(numbers(axes, word)?),
            ("slice", [spans]) => Move::Slice(part(spans, word)?),
            ("expand", [shape]) => Move::Expand(sizes(shape, word)?),
            ("reshape", [shape]) => Move::Reshape(sizes(shape, word)?),
            ("windows", [size]) => Move::Windows(window([size, "1x1"], word)?),
            ("windows", [size, stride]) => {
                Move::Windows(window([size, stride], word)?)
            }
            ("as_strided", [shape, strides, offset]) => Move::AsStrided(
                sizes(shape, word)?,
                numbers(strides, word)?,
                single_number(offset, word)?,
            ),
            ("compact", [""]) => Move::Compact,
            _ => {
                return Err(usage(
                    word,
                    "a view",
                    "permute=1,0, flip=1, slice=..,1..3, slice=..,..:2 (every \
                     second column), expand=4x2x3, reshape=3x2, windows=2x2 \
                     or windows=2x2/1x2 (size, stride), \
                     as_strided=2x2/2,1/0 (shape, strides, offset) or compact",
                ));
            }
        })
    }
}

fn window(words: [&str; 2], word: &str) -> Result<Window, Error> {
    let pair = |text: &str| {
        <[usize; 2]>::try_from(sizes(text, word)?)
            .map_err(|_| usage(word, "a window", "windows=2x2/1x1"))
    };
    let [size, stride] = words;
    Ok(Window::new(pair(size)?).stride(pair(stride)?))
}

/// Parses sizes such as `2x3`; the empty string is the shape without axes.
pub(crate) fn sizes(text: &str, word: &str) -> Result<Vec<usize>, Error> {
    if text.is_empty() {
        return Ok(vec![]);
    }
    text.split('x')
        .map(|size| size.trim().parse().ok())
        .collect::<Option<_>>()
        .ok_or_else(|| usage(word, "a shape", "2x3"))
}

/// Parses numbers separated by commas, such as `1,0`.
fn numbers<T: FromStr>(text: &str, word: &str) -> Result<Vec<T>, Error> {
    let words = text.split(',').filter(|number| !number.is_empty());
    words
        .map(|number| number.trim().parse().ok())
        .collect::<Option<_>>()
        .ok_or_else(|| usage(word, "a list of whole numbers", "1,0"))
}

fn single_number(text: &str, word: &str) -> Result<usize, Error> {
    let number = text.trim().parse();
    number.map_err(|_| usage(word, "an offset", "as_strided=2x2/2,1/0"))
}

/// Parses a range and a step for each axis, such as `..,1..3:2`.
fn part(text: &str, word: &str) -> Result<Vec<Span>, Error> {
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        number => number.parse().ok().map(Some),
    };
    let span = |text: &str| {
        let (range, step) = text.split_once(':').unwrap_or((text, "1"));
        let (start, end) = range.split_once("..")?;
        Some(Span {
            start: number(start)?.unwrap_or(0),
            end: number(end)?,
            step: number(step)??,
        })
    };
    text.split(',')
        .map(span)
        .collect::<Option<_>>()
        .ok_or_else(|| usage(word, "a part", "slice=..,1..3 or slice=..,..:2"))
}

pub(crate) fn usage(word: &str, what: &str, such_as: &str) -> Error {
    Error::Usage(format!("`{word}` is not {what}; write {such_as}"))
}
