//! Packs the WebAssembly of the pages, or the weights of the network of
//! "Names", into a script, because a page that is opened from a folder can load
//! scripts, but no other files. `cargo xtask page` runs this program.

use std::path::Path;
use std::process::ExitCode;

use page::gpt::encode;
use page::z85;
use rungrad::Error;
use zopfli::{Format, Options};

/// The maximum size of the script in bytes.
const MAX_BYTES: usize = 480_000;

fn main() -> ExitCode {
    rungrad::run(|| {
        let words: Vec<String> = rungrad::args();
        let [from, to] = &words[..] else {
            return Err(Error::Usage(
                "usage: pack FROM.wasm TO.js, or pack FROM.safetensors TO.js"
                    .to_string(),
            ));
        };
        let refused = |file: &str, error: std::io::Error| {
            Error::File(format!("{file}: {error}; run `cargo xtask page`"))
        };
        let bytes = std::fs::read(from).map_err(|e| refused(from, e))?;
        let script = match from.ends_with(".safetensors") {
            true => weights(&bytes),
            false => engine(&bytes),
        };
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
        println!("{} bytes, packed {} in {to}", bytes.len(), script.len());
        Ok(())
    })
}

/// The weights follow a header whose length is in the first eight bytes.
fn weights(file: &[u8]) -> String {
    let (length, rest) = file.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    let weights = rest[length as usize..].chunks_exact(4);
    let weight = |it: &[u8]| f32::from_le_bytes([it[0], it[1], it[2], it[3]]);
    let weights: Vec<f32> = weights.map(weight).collect();
    format!(
        "// data/names.safetensors, rounded to 8 bits by `cargo xtask page`.\n\
         window.rungradWeights = \"{}\";\n",
        encode(&weights)
    )
}

fn engine(wasm: &[u8]) -> String {
    let mut packed = Vec::new();
    zopfli::compress(Options::default(), Format::Gzip, wasm, &mut packed)
        .expect("a vector takes every byte");
    format!(
        "// Part 1 as WebAssembly, packed. Made by `cargo xtask page`.\n\
         window.rungradEngine = {{ length: {}, digits: \"{}\" }};\n",
        packed.len(),
        z85::encode(&packed)
    )
}
