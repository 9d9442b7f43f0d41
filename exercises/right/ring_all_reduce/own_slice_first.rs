// Slice k starts on rank k, so rank k - 1 completes it.

use std::ops::Range;

use super::Link;

/// Returns the range of slice `index` if `0..len` is divided into `size`
/// slices, one after the other, whose lengths differ by at most 1.
pub fn slice(len: usize, size: usize, index: usize) -> Range<usize> {
    len * index / size..len * (index + 1) / size
}

/// Returns the sum of the values of all ranks, element by element.
pub fn ring_all_reduce(link: &mut Link, mut values: Vec<f32>) -> Vec<f32> {
    let (rank, size) = (link.rank(), link.size());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    for step in 0..size - 1 {
        let sent = slice(values.len(), size, (rank + size - step) % size);
        link.send(next, values[sent].to_vec());
        let own = slice(values.len(), size, (previous + size - step) % size);
        let received = link.receive(previous);
        for (sum, value) in values[own].iter_mut().zip(received) {
            *sum += value;
        }
    }
    for step in 0..size - 1 {
        let sent = slice(values.len(), size, (next + size - step) % size);
        link.send(next, values[sent].to_vec());
        let own = slice(values.len(), size, (rank + size - step) % size);
        values[own].copy_from_slice(&link.receive(previous));
    }
    values
}
