// The device and the text.

use std::collections::HashMap;

/// What a launch asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The number of the device that will run it.
    pub device: usize,
    /// Where the text comes from; errors name it.
    pub file: String,
    /// The text in OpenCL C. A program has all kernels of its text.
    pub text: String,
    /// What the compiler is told besides: `-D TILE=16`.
    pub options: String,
    /// The kernel of the text that is launched.
    pub kernel: String,
}

/// What tells one program from another.
pub type Key = (usize, String);

/// The programs that were built. It begins empty.
pub type Cache<P> = HashMap<Key, P>;

/// Finds the program that is wanted. `P` is a handle, so a clone costs
/// nothing.
pub fn program<P: Clone>(
    cache: &mut Cache<P>,
    wanted: &Wanted,
    build: impl FnOnce(&Wanted) -> Result<P, String>,
) -> Result<P, String> {
    let key = (wanted.device, wanted.text.clone());
    if let Some(known) = cache.get(&key) {
        return Ok(known.clone());
    }
    let program = build(wanted)?;
    cache.insert(key, program.clone());
    Ok(program)
}
