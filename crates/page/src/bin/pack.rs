//! Packs the WebAssembly of the pages into a script, because a page that is
//! opened from a folder can load scripts, but no other files. `cargo xtask
//! page` runs this program.

use std::path::Path;
use std::process::ExitCode;

use rungrad::Error;
use zopfli::{Format, Options};

/// The maximum size of the script in bytes.
const MAX_BYTES: usize = 400_000;

fn main() -> ExitCode {
    rungrad::run(|| {
        let words: Vec<String> = rungrad::args();
        let [from, to] = &words[..] else {
            return Err(Error::Usage(
                "usage: pack FROM.wasm TO.js".to_string(),
            ));
        };
        let refused = |file: &str, error: std::io::Error| {
            Error::File(format!("{file}: {error}; run `cargo xtask page`"))
        };
        let wasm = std::fs::read(from).map_err(|e| refused(from, e))?;
        let script = script(&wasm);
        if script.len() > MAX_BYTES {
            return Err(Error::File(format!(
                "{to} would have {} bytes, and a page takes {MAX_BYTES}; leave out what \
                 no figure asks for",
                script.len()
            )));
        }
        if let Some(folder) = Path::new(to).parent() {
            std::fs::create_dir_all(folder).map_err(|e| refused(to, e))?;
        }
        std::fs::write(to, &script).map_err(|e| refused(to, e))?;
        println!("{} bytes, packed {} in {to}", wasm.len(), script.len());
        Ok(())
    })
}

fn script(wasm: &[u8]) -> String {
    let mut packed = Vec::new();
    zopfli::compress(Options::default(), Format::Gzip, wasm, &mut packed)
        .expect("a vector takes every byte");
    format!(
        "// Part 1 as WebAssembly, packed. Made by `cargo xtask page`.\n\
         window.rungradEngine = {{ length: {}, digits: \"{}\" }};\n",
        packed.len(),
        base85(&packed)
    )
}

/// Encodes four bytes as five digits, most significant first; base64 would
/// take 5.3. The digits are from Z85, whose characters are safe in a
/// JavaScript string.
fn base85(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 85] = b"0123456789abcdefghijklmnopqrstuvwxyz\
        ABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
    let mut text = String::new();
    for four in bytes.chunks(4) {
        let byte = |i: usize| u32::from(four.get(i).copied().unwrap_or(0));
        let number = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
        for place in (0..5).rev() {
            let digit = number / 85_u32.pow(place) % 85;
            text.push(char::from(DIGITS[digit as usize]));
        }
    }
    text
}
