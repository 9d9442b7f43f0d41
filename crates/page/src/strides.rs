//! The strides figure: views of one buffer, with the code of "Strides" and the
//! source file of Part 3's views.

#[path = "../../../examples/part3_strides/moves.rs"]
mod moves;
#[path = "../../../src/part3_unified/view.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "Part 3 needs all of a view, and others see it"
)]
mod view;

use rungrad::Error;
use rungrad::checks;
use rungrad::shape::checked_size;
use serde_json::{Value, json};

use moves::{Move, sizes, usage};
pub(crate) use view::View;

/// The maximum number of elements that fit on a page.
const MAX_ELEMENTS: usize = 24;

/// Answers a shape and a chain of operations on views: the strides of each
/// view, and the buffer that it reads.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let Some((name, words)) = words.split_first() else {
        return Err(usage("", "a shape", "2x3"));
    };
    let shape = sizes(name, name)?;
    let mut memory: Vec<usize> = (0..count(name, &shape)?).collect();
    let mut view = View::dense(&shape);
    let mut seen = vec![shown(name, &view, &memory)];
    for word in words {
        let step = Move::of(word)?;
        let moved = moved(&view, &step, memory.len())?;
        // If strides cannot express the result, it is copied to a contiguous
        // buffer.
        view = match moved {
            Some(view) => view,
            None => {
                memory = view.offsets().map(|slot| memory[slot]).collect();
                let copy = View::dense(view.shape());
                reshape_contiguous(copy, &step)
            }
        };
        count(word, view.shape())?;
        seen.push(shown(word, &view, &memory));
    }
    Ok(json!(seen))
}

/// Applies an operation to a view, or returns `None` if it requires a copy.
fn moved(
    view: &View,
    step: &Move,
    memory: usize,
) -> Result<Option<View>, Error> {
    Ok(Some(match step {
        Move::Permute(axes) => view.permute(axes)?,
        Move::Flip(axes) => view.flip(axes)?,
        Move::Slice(spans) => view.slice(spans)?,
        Move::Expand(shape) => view.expand(shape)?,
        Move::Windows(window) => view.windows(window)?,
        Move::AsStrided(shape, strides, offset) => {
            View::new(shape, strides, *offset, memory)?
        }
        Move::Reshape(shape) => {
            checks::reshape(view.shape(), shape)?;
            return Ok(view.reshape(shape));
        }
        Move::Compact => return Ok(view.is_dense().then(|| view.clone())),
    }))
}

/// Reshapes a contiguous view, which needs no copy.
fn reshape_contiguous(copy: View, step: &Move) -> View {
    match step {
        Move::Reshape(shape) => View::dense(shape),
        _ => copy,
    }
}

fn shown(word: &str, view: &View, memory: &[usize]) -> Value {
    json!({
        "word": word,
        "shape": view.shape(),
        "strides": view.strides(),
        "offset": view.offset(),
        "slots": view.offsets().collect::<Vec<_>>(),
        "memory": memory,
    })
}

fn count(word: &str, shape: &[usize]) -> Result<usize, Error> {
    match checked_size(shape)? {
        n if n <= MAX_ELEMENTS => Ok(n),
        n => Err(Error::Usage(format!(
            "`{word}` has {n} elements; the page has room for {MAX_ELEMENTS}, so take \
             smaller sizes"
        ))),
    }
}
