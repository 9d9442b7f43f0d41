// program_cache: compile each program once.
//
// WHAT   `program` returns the requested compiled program, and calls `build`
//        only if the cache does not contain it. You also choose what
//        distinguishes programs: the key of the map.
// WHY    A build takes as long as a thousand multiplications, so a key with
//        too much in it is slow. A key with too little is worse: it returns
//        the wrong program.
// READ   Bytes and a promise
// CHECK  cargo learn check program_cache

use std::collections::HashMap;

/// What a launch needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The index of the device.
    pub device: usize,
    /// The file of the source, which errors mention.
    pub file: String,
    /// The source in OpenCL C. A program contains all kernels of its source.
    pub text: String,
    /// The compiler's options, for example `-D TILE=16`.
    pub options: String,
    /// The kernel of the program that is launched.
    pub kernel: String,
}

/// What distinguishes one program from another.
// HOLE
//| pub type Key = ();
pub type Key = (usize, String, String);
// END HOLE

/// The compiled programs, initially none.
pub type Cache<P> = HashMap<Key, P>;

/// Returns the requested program. `P` is a handle, so cloning it is cheap.
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
