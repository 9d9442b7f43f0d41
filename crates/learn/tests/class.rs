//! `cargo learn class`, `check --report json` and `tutor`: for teachers and
//! assistants.

mod scene;

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use scene::Scene;
use scene::stage::{
    ONE, SOLVED, WRONG, stage, stage_with_levels, stage_with_variants,
};

fn json(scene: &Scene, file: &str) -> Value {
    serde_json::from_str(&scene.read(file)).unwrap()
}

/// Promise: The answers of a class are checked again: a right one, a wrong one
/// and a missing one get their points in the table, in JUnit and in Gradescope
/// results.
#[test]
fn a_class_of_three_is_graded() {
    let scene = stage();
    scene.write("in/anna/exercises/part1_cpu/one.rs", SOLVED);
    scene.write("in/anna/exercises/solutions/part1_cpu/one.rs", WRONG);
    scene.write("in/ben/part1_cpu/one.rs", WRONG);
    // A second copy of an answer does not change a grade.
    scene.write("in/ben/a/b/part1_cpu/one.rs", SOLVED);
    scene.write("in/chris/exercises/solutions/part1_cpu/one.rs", SOLVED);
    let words = ["class", "grade", "in/anna", "in/ben", "in/chris"];
    let said = scene.learn(&words);
    said.succeeds().prints("student  one      points\n");
    said.prints("anna     solved   1 of 1\n");
    said.prints("ben      failing  0 of 1\n");
    said.prints("chris    missing  0 of 1\n");
    let anna = json(&scene, ".learn/class/anna.json");
    assert_eq!(anna["tests"][0]["name"], "one");
    assert_eq!(anna["tests"][0]["score"], 1.0);
    let ben = json(&scene, ".learn/class/ben.json");
    assert_eq!(ben["tests"][0]["score"], 0.0);
    assert_eq!(ben["tests"][0]["max_score"], 1.0);
    let output = ben["tests"][0]["output"].as_str().unwrap();
    assert!(output.contains("the operands\n  are swapped"), "{output}");
    let xml = scene.read(".learn/class/results.xml");
    for (name, failures) in [("anna", 0), ("ben", 1), ("chris", 1)] {
        let one = format!(
            "<testsuite name=\"{name}\" tests=\"1\" failures=\"{failures}\" \
             skipped=\"0\">"
        );
        assert!(xml.contains(&one), "no {one} in {xml}");
    }
    assert!(xml.contains("<failure message=\"missing\">"), "{xml}");
    assert_eq!(xml.matches("<testcase ").count(), 3, "{xml}");
    // The teacher's own file and progress are untouched.
    assert!(scene.read(ONE).contains("TODO(one)"));
    assert!(!scene.read(".learn/progress").contains("solved"));
}

/// Promise: In a class, each level of an exercise is worth a point.
#[test]
fn every_level_is_a_point() {
    let scene = stage_with_levels();
    scene.write("in/a/part1_cpu/my_engine.sh", "exit 7\n");
    // Solved in part, and solved with three of four operations.
    scene.write("in/a/part1_cpu/one.rs", "exit 5\n");
    scene.write("in/b/part1_cpu/one.rs", "exit 6\n");
    let said = scene.learn(&["class", "grade", "in/a", "in/b"]);
    said.succeeds().prints("a        solved  failing    2 of 3\n");
    said.prints("b        solved  missing    1 of 3\n");
    let a = json(&scene, ".learn/class/a.json");
    assert_eq!(a["tests"][1]["score"], 1.0);
    assert_eq!(a["tests"][1]["max_score"], 2.0);
}

/// Promise: A grade does not depend on the student's report, and a report that
/// claims more than the check confirms is named.
#[test]
fn a_report_is_checked_again() {
    let scene = stage_with_levels();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one", "--report", "json"]).succeeds();
    let report = scene.read(".learn/report.json");
    let forged = report.replace("passed\": 0", "passed\": 2");
    for (name, report, answer) in [
        ("a", &*report, SOLVED),
        ("b", &*forged, WRONG),
        ("c", "{\"exercises\": 1}", SOLVED),
        ("e", "{", SOLVED),
        // This report is further down than the one above, and is ignored.
        ("a/old", &forged, WRONG),
    ] {
        scene.write(&format!("in/{name}/.learn/report.json"), report);
        scene.write(&format!("in/{name}/part1_cpu/one.rs"), answer);
    }
    scene.write("in/b/part1_cpu/my_engine.sh", "exit 7\n");
    scene.write("in/d/part1_cpu/one.rs", SOLVED);
    scene.write("in/f/report.json", &report);
    let words = ["in/a", "in/b", "in/c", "in/d", "in/e", "in/f"];
    let words = [&["class", "grade"][..], &words].concat();
    let said = scene.learn(&words);
    said.succeeds().prints("points  report\n").prints("1 of 3  confirmed\n");
    said.prints("1 of 3  refuted\n").prints("1 of 3  unreadable\n");
    said.prints("1 of 3  missing\n").prints("0 of 3  refuted\n");
    said.prints("gives 0; its file was not submitted\n");
    assert_eq!(said.out.matches("unreadable\n").count(), 2, "{}", said.out);
    let objection = "the report claims 1 of 1 for one, and this check gives 0; \
                     its file has changed since the report";
    said.prints(&format!("b: {objection}\n"));
    said.prints("b: the report claims 2 of 2 for my_engine, and this check");
    let b = json(&scene, ".learn/class/b.json");
    assert!(b["tests"][0]["output"].as_str().unwrap().ends_with(objection));
    // The words of the report are changed, and its file is submitted.
    scene.write(ONE, WRONG);
    scene.learn(&["check", "one", "--report", "json"]);
    let forged = scene.read(".learn/report.json").replace("failing", "solved");
    scene.write("in/a/.learn/report.json", &forged);
    scene.write("in/a/part1_cpu/one.rs", WRONG);
    let said = scene.learn(&["class", "grade", "in/a"]);
    said.succeeds().prints("; its file has not changed since the report\n");
}

#[test]
fn names_and_verdicts_are_escaped() {
    let scene = stage();
    let said = "printf 'failing: 1 < 2 & \"3\"\\033[1m\\n'\n\
                echo 'The same as a picture: /a.svg'; exit 1\n";
    scene.write("in/a <&\"> b/part1_cpu/one.rs", said);
    scene.learn(&["class", "grade", "in/a <&\"> b"]).succeeds();
    let xml = scene.read(".learn/class/results.xml");
    let name = "name=\"a &lt;&amp;&quot;&gt; b\"";
    assert!(xml.contains(&format!("<testsuite {name}")), "{xml}");
    assert!(xml.contains(&format!("class{name} name=\"one\">")), "{xml}");
    assert!(xml.contains("1 &lt; 2 &amp; &quot;3&quot;[1m"), "{xml}");
    assert!(!xml.contains("/a.svg"), "{xml}");
}

/// Promise: A class is graded only if the submissions have different names,
/// because the results are written to a file with that name.
#[test]
fn submissions_have_different_names() {
    let scene = stage();
    for name in ["in/anna", "late/Anna"] {
        scene.write(&format!("{name}/part1_cpu/one.rs"), SOLVED);
    }
    let said = scene.learn(&["class", "grade", "in/anna", "late/Anna"]);
    said.fails_with(1, &["two submissions are named Anna; rename one"]);
    let said = scene.learn(&["class", "grade", "in/.."]);
    said.fails_with(1, &["in/.. has no name"]);
}

#[test]
fn a_link_in_a_submission_is_not_followed() {
    let scene = stage();
    scene.write("secret/part1_cpu/one.rs", SOLVED);
    scene.write("in/anna/part2_gpu/two.cl", SOLVED);
    let root = &scene.root;
    symlink(root.join("secret"), root.join("in/anna/more")).unwrap();
    fs::create_dir(root.join("in/anna/part1_cpu")).unwrap();
    let file = "part1_cpu/one.rs";
    symlink(root.join("secret").join(file), root.join("in/anna").join(file))
        .unwrap();
    scene.write("class.toml", "exercises = [\"one\"]\n");
    let said = scene.learn(&["class", "grade", "in/anna"]);
    said.succeeds().prints("anna     missing  0 of 1");
}

#[test]
fn the_rules_of_a_class_name_what_is_graded() {
    let scene = stage();
    scene.write("in/anna/part1_cpu/one.rs", SOLVED);
    scene.write("class.toml", "exercises = [\"two\", \"one\"]\n");
    let said = scene.learn(&["class", "grade", "in/anna", "--out", "grades"]);
    said.succeeds().prints("anna     missing  solved  1 of 2");
    said.prints("JUnit and Gradescope results: grades\n");
    assert!(scene.read("grades/anna.json").contains("\"max_score\""));
    scene.write("class.toml", "exercise = [\"two\"]\n");
    let said = scene.learn(&["class", "grade", "in/anna"]);
    said.fails_with(1, &["class.toml is not valid", "help class"]);
    fs::write(scene.root.join("class.toml"), [0xff, 0xfe]).unwrap();
    let said = scene.learn(&["solution", "one"]);
    said.fails_with(1, &["class.toml is not valid", "UTF-8"]);
    let scene = stage();
    scene.write("in/anna/notes.txt", "");
    let said = scene.learn(&["class", "grade", "in/anna"]);
    said.fails_with(1, &["no submission has the file of an exercise"]);
    let said = scene.learn(&["class", "grade", "in/nobody"]);
    said.fails_with(1, &["neither a folder nor a zip file"]);
}

#[test]
fn a_wrong_command_line_is_one_sentence() {
    let scene = stage();
    let said = scene.learn(&["class", "start", ""]);
    said.fails_with(2, &["`cargo learn class start` takes one name"]);
    scene.write("class.toml/file", "");
    let said = scene.learn(&["solution", "one"]);
    said.fails_with(1, &["class.toml is not valid"]);
    for (words, sentence) in [
        ("start", "`cargo learn class start` takes one name"),
        ("start Ada Lovelace", "quote a name that has a space"),
        ("assign", "`cargo learn class assign` takes one file"),
        ("grade", "takes the folders or zip files of the students"),
        ("grades in", "does not exist; start, assign, grade and slides do"),
    ] {
        let words = format!("class {words}");
        let words: Vec<&str> = words.split(' ').collect();
        scene.learn(&words).fails_with(2, &[sentence]);
    }
}

#[test]
fn a_zip_file_is_unpacked() {
    let scene = stage();
    scene.write("in/anna.zip", "");
    let said = scene.learn(&["class", "grade", "in/anna.zip"]);
    said.fails_with(1, &["in/anna.zip needs the program `unzip`"]);
    // The arguments are -q -o ZIP -d FOLDER.
    scene.program(
        "unzip",
        "mkdir -p $5/exercises/part1_cpu; echo 'echo solved' \
         > $5/exercises/part1_cpu/one.rs",
    );
    let said = scene.learn(&["class", "grade", "in/anna.zip"]);
    said.succeeds().prints("anna     solved  1 of 1");
    // Nothing is left of the previous files.
    scene.program("unzip", "exit 0");
    let said = scene.learn(&["class", "grade", "in/anna.zip"]);
    said.fails_with(1, &["no submission has the file of an exercise"]);
    scene.program("unzip", "echo 'not a zip file' >&2; exit 9");
    let said = scene.learn(&["class", "grade", "in/anna.zip"]);
    said.fails_with(1, &["cannot unpack in/anna.zip: not a zip file"]);
}

/// Promise: A student's variants depend only on the student's name, and the
/// grader expects the same ones.
#[test]
fn a_student_is_graded_on_the_variant_of_the_name() {
    let scene = stage_with_variants();
    scene.learn(&["class", "start", "Anna"]).succeeds().prints("1 exercises");
    let file = "exercises/again/part1_cpu/one.rs";
    let stub = scene.read(file);
    let factor = if stub.contains("by 7") { "7" } else { "9" };
    let answer = |factor: &str| {
        format!("[ \"$RUNGRAD_AGAIN\" = factor={factor} ] || exit 1\n")
    };
    scene.write(file, &answer(factor));
    scene.learn(&["again", "one"]).succeeds();
    // Every student hands in the answer to Anna's values.
    let names = ["anna", "b", "c", "d", "e", "f", "g", "h"];
    let mut words = vec!["class".to_string(), "grade".to_string()];
    for name in names {
        let file = format!("in/{name}/again/part1_cpu/one.rs");
        scene.write(&file, &answer(factor));
        // A report says nothing about variants.
        let report = "{\"exercises\": [{\"id\": \"one\", \
                      \"status\": \"solved\"}]}";
        scene.write(&format!("in/{name}/report.json"), report);
        words.push(format!("in/{name}"));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = scene.learn(&words);
    said.succeeds().prints("anna     solved   1 of 1  no claims");
    said.prints("failing  0 of 1  no claims");
    scene.write("names.txt", &names.join("\n\n"));
    let said = scene.learn(&["class", "assign", "names.txt"]);
    let seed = usize::from(factor == "9");
    said.succeeds().prints(&format!("anna  one:{seed}\n"));
    said.prints("8 students, 1 exercises with 2 variants");
    scene.write("class.toml", "variants = true\n");
    scene.write("in/z/part1_cpu/one.rs", SOLVED);
    let said = scene.learn(&["class", "grade", "in/z"]);
    said.succeeds().prints("z        missing  0 of 1");
}

#[test]
fn a_class_can_lock_the_solutions() {
    let scene = stage();
    let solution = || scene.learn(&["solution", "one"]);
    scene.write("class.toml", "solutions_after = \"9999-12-31\"\n");
    let locked = "solutions are locked until 9999-12-31 by class.toml";
    solution().fails_with(1, &[locked, "cargo learn hint"]);
    scene.learn(&["diff", "one"]).fails_with(1, &[locked]);
    let levels = stage_with_levels();
    levels.write("class.toml", &scene.read("class.toml"));
    let reset = ["reset", "my_engine", "--from", "2", "--yes"];
    levels.learn(&reset).fails_with(1, &[locked]);
    scene.write("class.toml", "solutions_after = \"1970-01-02\"\n");
    solution().succeeds().prints("Ask again to see");
    scene.write("class.toml", "solutions_after = \"1.2.2027\"\n");
    solution().fails_with(1, &["\"1.2.2027\"", "2027-02-01"]);
}

#[test]
fn a_chapter_becomes_slides() {
    let scene = stage();
    let page = "# A `chapter`\n\n**You see [it](b.md).**\n\n## Here\n\n\
                {{#include ../../src/a.rs:part}}\n\
                {{#include ../../src/a.rs:long}}\n\
                {{#include ../../examples/b.rs:part}}\n";
    scene.write("book/src/SUMMARY.md", "- [A](a-chapter.md)\n- [B](b.md)\n");
    scene.write("book/src/a-chapter.md", page);
    scene.write("book/src/b.md", "# B\n");
    let part = "// ANCHOR: part\nif a < b {}\n// ANCHOR_END: part\n";
    let long = "line();\n".repeat(26);
    scene.write("src/a.rs", &format!("{part}// ANCHOR: long\n{long}"));
    scene.write("examples/b.rs", &part.replace("if a", "if example"));
    scene.write("book/theme/book.css", ".light { --muted: gray; }\n");
    scene.write("book/questions.toml", "question = []\n");
    let known = "[[misconception]]\nid = 'a'\narea = 'b'\n\
                 belief = 'It is `a`.'\nfact = 'It is b.'\n\
                 answers = ['one/swapped']\n";
    scene.write("exercises/misconceptions.toml", known);
    let said = scene.learn(&["class", "slides", "out/decks"]);
    said.succeeds().prints("1 decks of slides: out/decks");
    assert!(!scene.root.join("out/decks/02-b.html").exists());
    let deck = scene.read("out/decks/01-a-chapter.html");
    for words in [
        "<h1>A <code>chapter</code></h1>\n<p>You see it.</p>",
        "<h2>Here <span>src/a.rs</span></h2>",
        "if a &lt; b {}\n</pre>",
        "<h2>Exercise: The first</h2>",
        "one line; difficulty 1 of 4, about 10 minutes.",
        "<td>It is <code>a</code>.</td><td>It is b.</td>",
        ":root { --muted: gray; }",
    ] {
        assert!(deck.contains(words), "no {words} in {deck}");
    }
    for words in ["line();", "example"] {
        assert!(!deck.contains(words), "{words} is in {deck}");
    }
    fs::remove_file(scene.root.join("src/a.rs")).unwrap();
    let said = scene.learn(&["class", "slides", "out"]);
    said.fails_with(1, &["cannot read src/a.rs", "git checkout src/a.rs"]);
}

#[test]
fn a_report_has_the_state_of_every_exercise() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["hint", "two"]).succeeds();
    let said = scene.learn(&["check", "one", "--report", "json"]);
    said.succeeds().prints("Report: .learn/report.json");
    let report = json(&scene, ".learn/report.json");
    assert_eq!(report["checked"], "one");
    assert_eq!(report["exercises"][0]["status"], "solved");
    assert_eq!(report["exercises"][1]["status"], "to do");
    assert_eq!(report["exercises"][1]["hints"], 1.0);
    let said = scene.learn(&["check", "one", "--report", "xml"]);
    said.fails_with(2, &["--report is \"xml\"", "`json`"]);
}

#[test]
fn an_assistant_gets_the_verdict_and_the_next_hint() {
    let scene = stage();
    scene.write(ONE, &format!("echo '  ok   rule a'\n{WRONG}"));
    scene.learn(&["hint", "one"]).succeeds();
    let said = scene.learn(&["tutor", "one", "--json"]);
    let told: Value = serde_json::from_str(&said.succeeds().out).unwrap();
    assert_eq!(told["status"], "failing");
    assert_eq!(told["checked"][0], "ok   rule a");
    let failure = "failing: the operands\n  are swapped";
    assert_eq!(told["first_failure"], failure);
    assert_eq!(told["next_hint"]["text"], "a push");
    assert_eq!(told["next_hint"]["number"], 2.0);
    assert!(!said.out.contains("echo solved"), "{}", said.out);
    // It reveals nothing to the learner.
    scene.learn(&["hint", "one"]).succeeds().prints("a push");
    scene.write(ONE, SOLVED);
    let said = scene.learn(&["tutor", "one"]);
    let told: Value = serde_json::from_str(&said.succeeds().out).unwrap();
    assert!(told["next_hint"].is_null(), "{told}");
}
