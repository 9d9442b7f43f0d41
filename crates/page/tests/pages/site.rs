//! Builds the book with the pinned mdBook into a separate folder, to be opened
//! from there without a server. CI names the folder that it deploys instead.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

/// Returns the folder of the book, or why it cannot be built.
pub(crate) fn folder() -> Result<&'static Path, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let folder = FOLDER.get_or_init(build);
    folder.as_deref().map_err(String::clone)
}

/// Returns the names of the pages of the book.
pub(crate) fn pages(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the book was built");
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    // The page for printing has every figure twice, and toc.html is a frame.
    let mut pages: Vec<String> = names
        .filter(|name| name.ends_with(".html"))
        .filter(|name| {
            !["print.html", "toc.html", "404.html"].contains(&name.as_str())
        })
        .collect();
    pages.retain(|name| {
        let text = fs::read_to_string(folder.join(name)).expect("a page");
        !text.contains("http-equiv=\"refresh\"")
    });
    pages.sort();
    assert!(pages.len() > 30, "{pages:?}");
    pages
}

/// Returns the URL of a file.
pub(crate) fn address(file: &Path) -> String {
    let path = file.canonicalize().expect("a file that is there");
    format!("file://{}", path.display().to_string().replace(' ', "%20"))
}

fn build() -> Result<PathBuf, String> {
    if let Some(folder) = env::var_os("RUNGRAD_BOOK") {
        let folder = testkit::place::root().join(folder);
        assert!(
            folder.join("index.html").is_file(),
            "RUNGRAD_BOOK is {folder:?}, which has no book; `cargo learn book \
             --build` builds one"
        );
        return Ok(folder);
    }
    let mdbook = mdbook().ok_or("mdBook is not here")?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let _ = fs::remove_dir_all(&folder);
    let built = Command::new(mdbook)
        .arg("build")
        .arg(testkit::place::root().join("book"))
        .arg("--dest-dir")
        .arg(&folder)
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    Ok(folder)
}

/// Returns the target folder, which contains the tools of the course.
pub(crate) fn target() -> PathBuf {
    let test = env::current_exe().expect("the path of this test");
    test.ancestors().nth(3).expect("a target folder").to_path_buf()
}

/// Returns the mdBook of the course in the target folder, or the system's.
fn mdbook() -> Option<PathBuf> {
    let ours = target().join("tools/bin/mdbook");
    let path = env::var_os("PATH")?;
    let others = env::split_paths(&path).map(|it| it.join("mdbook"));
    [ours].into_iter().chain(others).find(|file| file.is_file())
}
