// The solution, with comments and a string that quote the TODO of the stub.

/// Copies the elements of a view of `memory`.
pub fn compact(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Vec<f32> {
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
}
// I had todo!("TODO(compact): this") here before
fn helper() -> &'static str {
    "todo!() TODO(compact)"
}
