//! One memory and views of it: the arithmetic of "Strides", from the file
//! that Part 3 compiles.

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
use view::View;

/// As many elements as a page has room for.
const MOST: usize = 24;

/// Answers a shape and the words for the views of it, each of the one before:
/// the walk of each, and the memory that it looks at.
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
        // What strides cannot say is copied, and the copy is dense.
        view = match moved {
            Some(view) => view,
            None => {
                memory = view.offsets().map(|slot| memory[slot]).collect();
                let copy = View::dense(view.shape());
                moved_in_order(copy, &step)
            }
        };
        count(word, view.shape())?;
        seen.push(shown(word, &view, &memory));
    }
    Ok(json!(seen))
}

/// Moves a view; `None` where it takes a copy.
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

/// Reshapes what is dense, which takes no copy.
fn moved_in_order(copy: View, step: &Move) -> View {
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
        n if n <= MOST => Ok(n),
        n => Err(Error::Usage(format!(
            "`{word}` has {n} elements; the page has room for {MOST}, so take \
             smaller sizes"
        ))),
    }
}
