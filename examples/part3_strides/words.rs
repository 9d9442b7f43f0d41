//! The words of the command line: a shape, and the views of it.

use std::path::PathBuf;

use rungrad::Error;
use rungrad::part3_unified::{Array, Span, Window};
use rungrad::shape::checked_size;

/// As many elements as a picture has room for.
const MOST: usize = 64;

/// What is drawn when nothing is asked for.
const DEFAULT: [&str; 4] = ["2x3", "permute=1,0", "slice=..,1..3", "flip=1"];

/// What was asked for.
pub(crate) struct Request {
    /// The word for the array.
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) len: usize,
    /// Each view, and whether it is one of the view before.
    pub(crate) views: Vec<(String, bool)>,
    pub(crate) svg: Option<PathBuf>,
}

impl Request {
    pub(crate) fn of(words: &[String]) -> Result<Request, Error> {
        let mut svg = None;
        let mut rest = Vec::new();
        for word in words {
            match word.strip_prefix("svg=") {
                Some("") => {
                    return Err(usage(word, "a file", "svg=mine.svg"));
                }
                Some(file) => svg = Some(PathBuf::from(file)),
                None => rest.push(word.as_str()),
            }
        }
        if rest.is_empty() {
            rest = DEFAULT.to_vec();
        }
        let shape = sizes(rest[0], rest[0])?;
        let len = checked_size(&shape)?;
        check_size(rest[0], len)?;
        let (mut views, mut after) = (Vec::new(), false);
        for word in &rest[1..] {
            if *word == "then" && !after && !views.is_empty() {
                after = true;
                continue;
            }
            views.push((word.to_string(), after));
            after = false;
        }
        if after {
            return Err(Error::Usage(
                "`then` stands between two views, such as flip=0 then \
                 permute=1,0"
                    .to_string(),
            ));
        }
        Ok(Request { name: rest[0].to_string(), shape, len, views, svg })
    }
}

/// The view that a word makes of an array.
pub(crate) fn view(array: &Array, word: &str) -> Result<Array, Error> {
    let (name, rest) = word.split_once('=').unwrap_or((word, ""));
    let parts: Vec<&str> = rest.split('/').collect();
    match (name, &parts[..]) {
        ("permute", [axes]) => array.permute(&numbers(axes, word)?),
        ("flip", [axes]) => array.flip(&numbers(axes, word)?),
        ("slice", [spans]) => array.slice(&part(spans, word)?),
        ("expand", [shape]) => array.expand(&sizes(shape, word)?),
        ("reshape", [shape]) => array.reshape(&sizes(shape, word)?),
        ("windows", [size]) => windows(array, [size, "1x1"], word),
        ("windows", [size, stride]) => windows(array, [size, stride], word),
        ("as_strided", [shape, strides, offset]) => {
            let offset = one(offset, word)?;
            array.as_strided(
                &sizes(shape, word)?,
                &numbers(strides, word)?,
                offset,
            )
        }
        ("compact", [""]) => array.compact(),
        _ => Err(usage(
            word,
            "a view",
            "permute=1,0, flip=1, slice=..,1..3, slice=..,..:2 (every second \
             column), expand=4x2x3, reshape=3x2, windows=2x2 or windows=2x2/1x2 (size, stride), as_strided=2x2/2,1/0 \
             (shape, strides, offset) or compact",
        )),
    }
}

pub(crate) fn check_size(word: &str, n: usize) -> Result<(), Error> {
    match n <= MOST {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "`{word}` has {n} elements; the picture has room for {MOST}, so \
             take smaller sizes"
        ))),
    }
}

fn windows(
    array: &Array,
    words: [&str; 2],
    word: &str,
) -> Result<Array, Error> {
    let pair = |text: &str| {
        <[usize; 2]>::try_from(sizes(text, word)?)
            .map_err(|_| usage(word, "a window", "windows=2x2/1x1"))
    };
    let [size, stride] = words;
    array.windows(&Window::new(pair(size)?).stride(pair(stride)?))
}

/// `2x3`: sizes; nothing at all is the shape without axes.
fn sizes(text: &str, word: &str) -> Result<Vec<usize>, Error> {
    if text.is_empty() {
        return Ok(vec![]);
    }
    text.split('x')
        .map(|size| size.trim().parse().ok())
        .collect::<Option<_>>()
        .ok_or_else(|| usage(word, "a shape", "2x3"))
}

/// `1,0`: numbers with commas between them.
fn numbers<T: std::str::FromStr>(
    text: &str,
    word: &str,
) -> Result<Vec<T>, Error> {
    let words = text.split(',').filter(|number| !number.is_empty());
    words
        .map(|number| number.trim().parse().ok())
        .collect::<Option<_>>()
        .ok_or_else(|| usage(word, "a list of whole numbers", "1,0"))
}

fn one(text: &str, word: &str) -> Result<usize, Error> {
    let number = text.trim().parse();
    number.map_err(|_| usage(word, "an offset", "as_strided=2x2/2,1/0"))
}

/// `..,1..3:2`: a range for each axis, and how far apart its elements are.
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

fn usage(word: &str, what: &str, such_as: &str) -> Error {
    Error::Usage(format!("`{word}` is not {what}; write {such_as}"))
}
