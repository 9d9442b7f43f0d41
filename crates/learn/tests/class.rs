//! `cargo learn class`, `check --report json` and `tutor`: for teachers and
//! assistants.

mod scene;

use serde_json::Value;

use scene::Scene;
use scene::stage::{ONE, SOLVED, WRONG, stage, stage_with_variants};

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
    scene.write("in/chris/notes.txt", "I was ill.");
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
    let one =
        "<testsuite name=\"ben\" tests=\"1\" failures=\"1\" skipped=\"0\">";
    assert!(xml.contains(one), "{xml}");
    assert!(xml.contains("<failure message=\"missing\">"), "{xml}");
    assert_eq!(xml.matches("<testcase ").count(), 3, "{xml}");
    // The teacher's own file and progress are untouched.
    assert!(scene.read(ONE).contains("TODO(one)"));
    assert!(!scene.read(".learn/progress").contains("solved"));
}

#[test]
fn the_rules_of_a_class_name_what_is_graded() {
    let scene = stage();
    scene.write("in/anna/part1_cpu/one.rs", SOLVED);
    scene.write("class.toml", "exercises = [\"two\", \"one\"]\n");
    let said = scene.learn(&["class", "grade", "in/anna", "--out", "grades"]);
    said.succeeds().prints("anna     missing  solved  1 of 2");
    assert!(scene.read("grades/anna.json").contains("\"max_score\""));
    scene.write("class.toml", "exercise = [\"two\"]\n");
    let said = scene.learn(&["class", "grade", "in/anna"]);
    said.fails_with(1, &["class.toml is not valid", "help class"]);
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
        ("grades in", "does not exist; start, assign and grade do"),
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
    let factor = scene.read(file).lines().next().unwrap().to_string();
    let factor = factor.strip_prefix("# by ").unwrap();
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
        words.push(format!("in/{name}"));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = scene.learn(&words);
    said.succeeds().prints("anna     solved   1 of 1");
    said.prints("failing  0 of 1");
    scene.write("names.txt", &names.join("\n"));
    let said = scene.learn(&["class", "assign", "names.txt"]);
    said.succeeds().prints("anna  one:").prints("8 students, 1 exercises");
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
    scene.write("class.toml", "solutions_after = \"1970-01-02\"\n");
    solution().succeeds().prints("Ask again to see");
    scene.write("class.toml", "solutions_after = \"1.2.2027\"\n");
    solution().fails_with(1, &["\"1.2.2027\"", "2027-02-01"]);
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
