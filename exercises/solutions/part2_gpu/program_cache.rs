// program_cache: a compiler that runs once.
//
// WHAT   `program` hands out the compiled program that is wanted, and calls
//        `build` only if nothing in the cache will do. What tells one
//        program from another you say too: it is the key of the map.
// WHY    A build costs a thousand products, so too large a key is slow. Too
//        small a key is worse: it hands out a wrong program, and fast.
// READ   Bytes and a promise
// CHECK  cargo learn check program_cache

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
// HOLE
//| pub type Key = ();
pub type Key = (usize, String, String);
// END HOLE

/// The programs that were built. It begins empty.
pub type Cache<P> = HashMap<Key, P>;

/// Finds the program that is wanted. `P` is a handle, so a clone costs
/// nothing.
pub fn program<P: Clone>(
    cache: &mut Cache<P>,
    wanted: &Wanted,
    build: impl FnOnce(&Wanted) -> Result<P, String>,
) -> Result<P, String> {
    // HOLE
    //| todo!("TODO(program_cache): choose the key, look it up, build once")
    let Wanted { device, text, options, .. } = wanted;
    let key = (*device, text.clone(), options.clone());
    if let Some(known) = cache.get(&key) {
        return Ok(known.clone());
    }
    let program = build(wanted)?;
    cache.insert(key, program.clone());
    Ok(program)
    // END HOLE
}
