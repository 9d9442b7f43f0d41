//! The door of a browser: text goes in and out through the memory of the
//! WebAssembly, and nothing is generated for it.
//!
//! A page asks [`room`] for so many bytes, writes its question there, calls
//! [`ask`], and reads as many bytes as that returns from [`told`]. Where the
//! engine panics, the call ends in a trap; [`told`] then has the sentence, as
//! long as [`told_len`] says, and the page begins with a fresh engine.

// The names of the exports are a promise to the linker. No other line here is
// `unsafe`: the page writes where a vector lies, within its length.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static TOLD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a question of `len` bytes, and says where.
// SAFETY: no other function of the program has this name.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn room(len: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(len, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question that stands in the room; returns the length of the
/// answer.
// SAFETY: no other function of the program has this name.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn ask() -> usize {
    keep_what_a_panic_says();
    let question = QUESTION.take();
    let answer = crate::answer(&String::from_utf8_lossy(&question));
    tell(answer)
}

/// Says where the answer stands, or the last words of a panic.
// SAFETY: no other function of the program has this name.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn told() -> *const u8 {
    TOLD.with_borrow(|told| told.as_ptr())
}

/// Says how long that is.
// SAFETY: no other function of the program has this name.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn told_len() -> usize {
    TOLD.with_borrow(Vec::len)
}

fn tell(words: String) -> usize {
    TOLD.with_borrow_mut(|told| {
        *told = words.into_bytes();
        told.len()
    })
}

/// Keeps the sentence of a panic where the page finds it: here a panic ends in
/// a trap that says nothing.
fn keep_what_a_panic_says() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let words = info.payload_as_str().unwrap_or("the engine stopped");
            tell(words.to_string());
        }));
    });
}
