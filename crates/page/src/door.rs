//! The interface to the browser: text is passed through the memory of the
//! WebAssembly, without generated bindings.
//!
//! A page calls [`room`] with a number of bytes, writes its question there,
//! calls [`ask`], and reads the returned number of bytes from [`told`]. If the
//! engine panics, the call traps. Then [`told`] and [`told_len`] return the
//! panic message, and the page starts a new engine.

// The names of the exports must be unique for the linker. No other line here
// is `unsafe`: the page writes only within a vector.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static TOLD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Reserves `len` bytes for a question and returns their address.
// SAFETY: no other function of the program has this name.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn room(len: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(len, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question and returns the length of the answer.
// SAFETY: no other function of the program has this name.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn ask() -> usize {
    store_panic_message();
    let question = QUESTION.take();
    let answer = crate::answer(&String::from_utf8_lossy(&question));
    tell(answer)
}

/// Returns the address of the answer, or of the panic message.
// SAFETY: no other function of the program has this name.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub extern "C" fn told() -> *const u8 {
    TOLD.with_borrow(|told| told.as_ptr())
}

/// Returns the length of the answer or the panic message.
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

/// Stores the panic message for the page, because a trap contains no message.
fn store_panic_message() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let words = info.payload_as_str().unwrap_or("the engine stopped");
            tell(words.to_string());
        }));
    });
}
