//! `cargo xtask prose`, on files of a small checkout.

#[path = "../../learn/tests/scene/mod.rs"]
mod scene;

use scene::Scene;

/// Promise: `cargo xtask prose` finds a phrase in a comment or a document, even
/// across two lines, and names its line and a better wording.
#[test]
fn a_phrase_is_found_in_comments_and_documents() {
    let scene = Scene::new();
    scene.write(
        "notes/a.rs",
        "//! Nobody reads this.\n\n/// Tells the size.\nfn size() {}\n// The \
         element lies\n// behind the first.\n// What runs is timed.\n",
    );
    scene.write("notes/b.md", "# Title\n\n- A tile is\n  no square.\n");
    let said = scene.xtask(&["prose", "notes"]);
    assert_eq!(said.code, Some(1));
    let lines: Vec<&str> = said.out.lines().collect();
    let places = [
        "notes/a.rs:7: \"what\"",
        "notes/a.rs:1: \"nobody\"",
        "notes/a.rs:5: \"lies\"",
        "notes/a.rs:6: \"behind the\"",
        "notes/a.rs:3: \"tells\"",
        "notes/b.md:4: \"is no\"",
    ];
    assert_eq!(lines.len(), places.len(), "{lines:?}");
    for (line, place) in lines.iter().zip(places) {
        assert!(line.starts_with(place), "{line}");
    }
    said.prints("write `be` or `be stored`");
}

#[test]
fn code_questions_and_allowed_phrases_are_accepted() {
    let scene = Scene::new();
    scene.write(
        "notes/a.rs",
        "// There is no device. What is it? The call `lies` is code.\n\
         let nobody = \"nobody\";\n\
         /// ```\n/// // Nobody runs this.\n/// ```\n\
         // The word stands for two. A buffer is no\n// longer used.\n",
    );
    scene.write("notes/b.txt", "Nobody reads this.\n");
    scene.xtask(&["prose", "notes"]).succeeds();
    scene.xtask(&["prose", "nothing"]).fails_with(2, &["cannot read nothing"]);
}
