// compact: a view, copied to memory of its own.
//
// WHAT   The elements that a view shows, one after another: the last axis
//        runs fastest.
// WHY    It is the one copy that all other operations can fall back on. An
//        operation that wants its numbers in a row asks for this first, and
//        works on every view that there is: turned, backwards, repeated, cut
//        out, without axes, without elements.
// READ   Strides
// CHECK  cargo learn check compact

/// Copies the elements of a view of `memory`. Element [i, j] lies at
/// `memory[offset + i * strides[0] + j * strides[1]]`, and every element that
/// the view shows lies inside.
pub fn compact(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Vec<f32> {
    // HOLE
    let count: usize = shape.iter().product();
    let element = |n: usize| {
        let (mut rest, mut at) = (n, offset as isize);
        for (&size, &stride) in shape.iter().zip(strides).rev() {
            at += (rest % size) as isize * stride;
            rest /= size;
        }
        memory[at as usize]
    };
    (0..count).map(element).collect()
    // END HOLE
}
// I had todo!("TODO(compact): this") here before
fn helper() -> &'static str {
    "todo!() TODO(compact)"
}
