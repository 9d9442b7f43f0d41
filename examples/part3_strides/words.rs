//! Parses the command line: a shape and its views.

use std::path::PathBuf;

use rungrad::Error;
use rungrad::part3_unified::Array;
use rungrad::shape::checked_size;

use super::moves::{Move, sizes, usage};

/// Maximum number of elements that fit in the picture.
const MOST: usize = 64;

/// The arguments that are used if there are none.
const DEFAULT: [&str; 4] = ["2x3", "permute=1,0", "slice=..,1..3", "flip=1"];

/// The parsed command line.
pub(crate) struct Request {
    /// The argument that describes the array.
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) len: usize,
    /// Each view, and whether it is a view of the previous one.
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
                "write `then` between two views, such as flip=0 then \
                 permute=1,0"
                    .to_string(),
            ));
        }
        Ok(Request { name: rest[0].to_string(), shape, len, views, svg })
    }
}

/// Returns the view of `array` that an argument describes.
pub(crate) fn view(array: &Array, word: &str) -> Result<Array, Error> {
    match Move::of(word)? {
        Move::Permute(axes) => array.permute(&axes),
        Move::Flip(axes) => array.flip(&axes),
        Move::Slice(spans) => array.slice(&spans),
        Move::Expand(shape) => array.expand(&shape),
        Move::Reshape(shape) => array.reshape(&shape),
        Move::Windows(window) => array.windows(&window),
        Move::AsStrided(shape, strides, offset) => {
            array.as_strided(&shape, &strides, offset)
        }
        Move::Compact => array.compact(),
    }
}

pub(crate) fn check_size(word: &str, n: usize) -> Result<(), Error> {
    match n <= MOST {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "`{word}` has {n} elements, but the picture has room for {MOST}: \
             use smaller sizes"
        ))),
    }
}
