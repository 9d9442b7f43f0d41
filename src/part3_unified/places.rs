//! Arrays by the places of their elements: what is named, what a window
//! shows, and what is put together. "Gradients through views and devices" tells
//! of the mirrors.

use super::arithmetic::one_device;
use super::{Array, Spans, Window};
use crate::checks;
use crate::error::{Error, Result};
use crate::shape::{checked_size, size};

impl Array {
    /// What stands at these places along an axis, in that order, any of them
    /// more than once.
    pub fn index_select(&self, axis: usize, places: &[usize]) -> Result<Array> {
        checks::places("index_select", self.shape(), axis, places)?;
        let mut shape = self.shape().to_vec();
        shape[axis] = places.len();
        checked_size(&shape)?;
        let [outer, n, inner] = self.around(axis);
        let rows = self.compact()?.reshape(&[outer * n, inner])?;
        let places = repeated(places, outer, n);
        self.filled(&shape, |backend| backend.index_select(&rows, &places))
    }

    /// The mirror of [`Array::index_select`]: along an axis there are `count`
    /// places, and each gets the sum of what was taken from there.
    pub fn index_add(
        &self,
        axis: usize,
        places: &[usize],
        count: usize,
    ) -> Result<Array> {
        checks::axes("index_add", self.shape(), &[axis])?;
        let [outer, n, inner] = self.around(axis);
        if n != places.len() || places.iter().any(|&at| at >= count) {
            return Err(Error::Mistake(format!(
                "index_add: shape {:?} has {n} elements along axis {axis}, \
                 to {} places among {count}; give each a place, counted \
                 from 0",
                self.shape(),
                places.len()
            )));
        }
        let mut shape = self.shape().to_vec();
        shape[axis] = count;
        checked_size(&shape)?;
        let rows = self.compact()?.reshape(&[outer * n, inner])?;
        let places = repeated(places, outer, count);
        self.filled(&shape, |backend| {
            backend.index_add(&rows, &places, outer * count)
        })
    }

    /// How many elements stand before an axis, along it and behind it.
    fn around(&self, axis: usize) -> [usize; 3] {
        let (before, behind) = self.shape().split_at(axis);
        [size(before), behind[0], size(&behind[1..])]
    }
}

/// The same places in each of some blocks of so many.
fn repeated(places: &[usize], blocks: usize, each: usize) -> Vec<usize> {
    let block = |at: usize| places.iter().map(move |place| at * each + place);
    (0..blocks).flat_map(block).collect()
}

impl Array {
    /// Each place of a window: see [`View::windows`](super::View::windows).
    /// Without padding no element moves.
    pub fn windows(&self, window: &Window) -> Result<Array> {
        window.places(self.shape())?;
        let padded = match window.padding {
            [0, 0] => self.clone(),
            [down, right] => {
                let mut widths = vec![[0; 2]; self.shape().len() - 2];
                widths.extend([[down; 2], [right; 2]]);
                let (shape, inner) = checks::padded(self.shape(), &widths)?;
                let zeros = Array::full(&shape, 0.0, self.device)?;
                zeros.slice_assign(&inner, self)?
            }
        };
        let view = padded.view.windows(&window.padding([0, 0]))?;
        Ok(padded.with_view(view))
    }

    /// The mirror of [`Array::windows`]: each element of an image of this
    /// height and width is the sum of its copies in all windows.
    pub fn fold(&self, window: &Window, image: [usize; 2]) -> Result<Array> {
        let places = window.places(&image)?;
        let (outer, inner) = match self.shape() {
            [outer @ .., a, b, c, d] => (outer, [*a, *b, *c, *d]),
            short => (short, [0; 4]),
        };
        let wanted = [places, window.size].concat();
        if inner != wanted[..] {
            return Err(Error::Mistake(format!(
                "fold: shape {:?} does not end in {wanted:?}, the places and \
                 the size of the windows in an image of {image:?}",
                self.shape()
            )));
        }
        let (bare, padded) = (window.padding([0, 0]), window.padded(image));
        let shape = [outer, &padded].concat();
        checked_size(&shape)?;
        let folded = self.filled(&shape, |backend| {
            backend.fold(self, &bare, size(outer), padded)
        })?;
        // What was added to the padding goes with it.
        let mut inner: Vec<_> = outer.iter().map(|&n| 0..n).collect();
        let [down, right] = window.padding;
        inner.extend([down..down + image[0], right..right + image[1]]);
        folded.slice(&inner)
    }
}

impl Array {
    /// The same numbers but for some, which are replaced; see [`Array::set`].
    pub fn slice_assign(
        &self,
        spans: impl Spans,
        values: &Array,
    ) -> Result<Array> {
        let mut changed = self.clone();
        changed.set(spans, values)?;
        Ok(changed)
    }

    /// One array after another along an axis.
    pub fn cat(parts: &[&Array], axis: usize) -> Result<Array> {
        let Some(first) = parts.first() else {
            return Err(Error::Mistake(
                "cat: there is nothing to join; give at least one".into(),
            ));
        };
        checks::axes("cat", first.shape(), &[axis])?;
        let mut shape = first.shape().to_vec();
        shape[axis] = 0;
        for part in parts {
            one_device("cat", first, part)?;
            let mut other = part.shape().to_vec();
            if other.len() == shape.len() {
                other[axis] = shape[axis];
            }
            if other != shape {
                return Err(Error::Mistake(format!(
                    "cat: the shapes {:?} and {:?} differ in more than axis \
                     {axis}; the other sizes must be equal",
                    first.shape(),
                    part.shape()
                )));
            }
            shape[axis] = shape[axis].saturating_add(part.shape()[axis]);
        }
        // A sum that is cut off is refused here.
        let mut joined = Array::full(&shape, 0.0, first.device)?;
        let mut from = 0;
        for part in parts {
            let mut place: Vec<_> = shape.iter().map(|&n| 0..n).collect();
            place[axis] = from..from + part.shape()[axis];
            from = place[axis].end;
            joined.set(&place, part)?;
        }
        Ok(joined)
    }
}
