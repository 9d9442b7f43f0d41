//! `cargo xtask verify`, in a checkout whose checks run the learner's file as
//! a shell script.

#[path = "../../learn/tests/scene/mod.rs"]
mod scene;

use scene::stage::{
    CARGO, ONE, SOLVED, TO_DO, WRONG, last_line, level_script, source, stage,
    stage_with_levels, stage_with_variants, wrong_answer,
};
use scene::{CommandOutput, Scene};

#[test]
fn verify_checks_stub_solution_and_wrong_answers() {
    let scene = stage();
    // The learner's own file does not matter.
    scene.write(ONE, "syntax error");
    let said = scene.xtask(&["verify"]);
    said.succeeds()
        .prints("one       yes         yes              1 of 1")
        .prints("two       yes         yes              0 of 0");
    assert_eq!(last_line(&said), "5 passed, 0 failed, 0 skipped");
    assert_eq!(scene.read(ONE), "syntax error");
}

/// Promise: `cargo xtask verify --sample` checks the stub, the solution and a
/// wrong answer of every exercise.
#[test]
fn a_sample_has_a_stub_a_solution_and_a_wrong_answer_for_each_exercise() {
    let scene = stage();
    let all = scene.xtask(&["verify"]);
    let count = |said: &CommandOutput| {
        let line = last_line(said.succeeds());
        line.split_whitespace().next().unwrap().parse::<usize>().unwrap()
    };
    // One wrong answer is in the sample, the other is not.
    let both = ["swapped", "other"].map(|name| wrong_answer(name, WRONG));
    scene.write("exercises/wrong/one.diff", &both.concat());
    let sample = scene.xtask(&["verify", "--sample"]);
    assert_eq!(count(&sample), count(&all));
    let words = format!("a sample of {} of {}", count(&all), count(&all) + 1);
    assert!(sample.out.contains(&words), "{}", sample.out);
}

#[test]
fn verify_checks_only_the_named_exercises() {
    let scene = stage();
    scene.write("exercises/wrong/one.diff", &wrong_answer("swapped", SOLVED));
    let said = scene.xtask(&["verify", "two"]);
    assert_eq!(last_line(&said), "2 passed, 0 failed, 0 skipped");
    assert!(!said.out.contains("one   "), "{}", said.out);
    let said = scene.xtask(&["verify", "tow"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("there is no exercise \"tow\""), "{}", said.err);
}

/// Asserts that verify fails and names the fault.
#[track_caller]
fn assert_fault(scene: &Scene, words: &[&str], fault: &str) -> CommandOutput {
    let said = scene.xtask(words);
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""), "{}", said.out);
    let found = said.out.lines().filter(|line| line.starts_with("FAILED "));
    let found: Vec<&str> = found.collect();
    assert_eq!(found.len(), 1, "{}", said.out);
    assert!(found[0].contains(fault), "{found:?}");
    assert!(last_line(&said).contains(", 1 failed, "), "{}", said.out);
    said
}

/// Promise: `cargo xtask verify` reports a stub that passes or fails without
/// its task, a solution that fails, and a wrong answer that passes or fails
/// without its diagnosis.
#[test]
fn verify_finds_unexpected_verdicts() {
    let other = "echo 'failing: something'\nexit 1\n";
    let two = "echo 'TODO(two)'\nexit 3\n";
    let stub = "the stub of one should fail with TODO(one)";
    let solution = "the solution of one should pass";
    let wrong = "wrong answer `swapped` of one should fail and say";
    for ([begin, end, answer], fault) in [
        ([SOLVED, SOLVED, WRONG], stub),
        ([WRONG, SOLVED, WRONG], stub),
        ([two, SOLVED, WRONG], stub),
        (["exit 3\n", SOLVED, WRONG], stub),
        ([TO_DO, WRONG, WRONG], solution),
        ([TO_DO, TO_DO, WRONG], solution),
        ([TO_DO, SOLVED, SOLVED], wrong),
        ([TO_DO, SOLVED, TO_DO], wrong),
        ([TO_DO, SOLVED, other], wrong),
    ] {
        let scene = stage();
        let path = "exercises/solutions/part1_cpu/one.rs";
        scene.write(path, &source(begin, end));
        let answer = wrong_answer("swapped", answer);
        scene.write("exercises/wrong/one.diff", &answer);
        assert_fault(&scene, &["verify"], fault);
    }
}

#[test]
fn a_verdict_in_the_book_is_what_the_check_prints() {
    let scene = stage();
    let listing = "book/listings/verdict_one_swapped.out";
    scene.write(listing, "");
    assert_fault(&scene, &["verify", "one"], listing);
    let verdict = "failing: the operands\n  are swapped";
    scene.write(listing, &format!("$ cargo learn check one\n{verdict}\n"));
    scene.xtask(&["verify", "one"]).succeeds();
}

/// The solution is a script, and the wrong answer prints itself.
///
/// Promise: A known wrong answer is a patch of the solution, and a patch that
/// does not fit exactly once is reported with its file and its name.
#[test]
fn a_wrong_answer_is_a_patch_that_applies_exactly_once() {
    let file = "exercises/wrong/one.diff";
    let patch = "=== swapped\n// Swapped.\n\
                 says: // Swapped. f() { cat $0; exit 1 } f f\n\
                 @@\n-echo solved\n+cat $0; exit 1\n }\n\n\
                 @@\n-true\n f\n";
    let scene = stage();
    let plain = "// One.\n\nf() {\necho solved\n}\nf\ntrue\nf\n";
    let solution = source(TO_DO, plain);
    scene.write("exercises/solutions/part1_cpu/one.rs", &solution);
    scene.write(file, patch);
    scene.xtask(&["verify", "one"]).succeeds().prints("1 of 1");

    let whole = "+f() {\n+cat $0; exit 1\n+}\n+f f\n";
    let hunks = patch.find("-echo").unwrap();
    scene.write(file, &format!("{}{whole}", &patch[..hunks]));
    scene.xtask(&["verify", "one"]).succeeds().prints("1 of 1");

    let twice = format!("{patch}=== swapped");
    let refused = [
        ("-true\n f", "-f", "`swapped` replaces \"f\", which must be in"),
        ("-true\n f", "-f", "exactly once and is there 2 times"),
        ("-true", "-false", "replaces \"false\\nf\", which must be in"),
        ("-true", "true", "`swapped` has the line \"true\" in a hunk"),
        ("says: ", "say: ", "`swapped` has the line \"say: // Swapped."),
        ("says: ", "seconds: ", "which has no whole number"),
        ("says: ", "// ", "`swapped` has no line `says: `"),
        ("@@\n-echo", "=== b\n@@\n-echo", "`swapped` changes nothing"),
        ("=== ", "", "the first line must be `=== `"),
        ("=== swapped", &twice, "two answers are named `swapped`"),
    ];
    for (old, new, why) in refused {
        scene.write(file, &patch.replace(old, new));
        scene.xtask(&["verify", "one"]).fails_with(1, &[file, why]);
    }
}

/// Promise: `cargo xtask verify` reports a check that this machine cannot run
/// as skipped and never skips the stub.
#[test]
fn verify_reports_skips_without_a_device_but_checks_stubs() {
    let scene = stage();
    let skipped = "echo 'skipped: no OpenCL driver'\nexit 4\n";
    let path = "exercises/solutions/part2_gpu/two.cl";
    scene.write(path, &source("echo 'TODO(two)'\nexit 3\n", skipped));
    let said = scene.xtask(&["verify"]);
    said.succeeds().prints("SKIPPED verify two: no OpenCL driver");
    assert_eq!(last_line(&said), "4 passed, 0 failed, 1 skipped");
    scene.write(path, &source(skipped, SOLVED));
    assert_fault(
        &scene,
        &["verify"],
        "the stub of two should fail with TODO(two)",
    );
}

/// Promise: `cargo xtask verify` names a file that does not compile and still
/// runs the others.
#[test]
fn verify_names_compile_errors_and_invalid_holes() {
    let scene = stage();
    let wrong = wrong_answer("swapped", "syntax error");
    scene.write("exercises/wrong/one.diff", &wrong);
    let fault = "wrong answer `swapped` of one: it does not compile";
    let said = assert_fault(&scene, &["verify"], fault);
    said.prints("error: expected expression");
    // The other exercises still get their verdicts.
    said.prints("two       yes         yes              0 of 0");
    assert_eq!(last_line(&said), "4 passed, 1 failed, 0 skipped");
    let scene = stage();
    scene.write("exercises/solutions/part2_gpu/two.cl", "// HOLE\n");
    let said = scene.xtask(&["verify"]);
    said.fails_with(1, &["solutions/part2_gpu/two.cl", "line 1"]);
}

#[test]
fn an_endless_answer_has_the_time_limit_of_its_patch() {
    let scene = stage();
    let script = "echo the operands are swapped\n\
                  [ \"$RUNGRAD_CHECK_LIMIT\" = 3 ] || exit 0\nexit 1\n";
    let plain = wrong_answer("swapped", script);
    let timed = plain.replace("\n@@\n", "\nseconds: 3\n@@\n");
    scene.write("exercises/wrong/one.diff", &timed);
    scene.xtask(&["verify", "one"]).succeeds();
    scene.write("exercises/wrong/one.diff", &plain);
    assert_fault(&scene, &["verify", "one"], "should fail and say");
}

/// Promise: `cargo xtask verify` fails for a check without a verdict and still
/// runs the others.
#[test]
fn verify_continues_after_a_check_without_a_verdict() {
    let scene = stage();
    scene.write(
        "exercises/solutions/part1_cpu/one.rs",
        &source(TO_DO, "exit 9\n"),
    );
    let fault = "the solution of one: checking one ended with code 0, without \
                 a verdict";
    let said = assert_fault(&scene, &["verify"], fault);
    said.prints("one       yes         NO               1 of 1");
    said.prints("two       yes         yes              0 of 0");
    assert_eq!(last_line(&said), "4 passed, 1 failed, 0 skipped");
}

#[test]
fn committed_finds_files_without_an_exercise() {
    stage().xtask(&["verify", "--committed"]).succeeds();
    for file in ["checks/three.rs", "wrong/three.diff"] {
        let scene = stage();
        scene.write(&format!("exercises/{file}"), "");
        assert_fault(&scene, &["verify", "--committed"], file);
    }
}

#[test]
fn committed_finds_warnings_and_unformatted_files() {
    let scene = stage();
    scene.program("rustfmt", "echo /format/one-1.rs; exit 1");
    let fault = "the solution of one is not formatted";
    assert_fault(&scene, &["verify", "--committed"], fault);
    let scene = stage();
    let lints = "[ \"$1\" = clippy ] && grep -q TODO \
                 $RUNGRAD_EXERCISES/part1_cpu/one.rs && exit 101\n";
    scene.program("cargo", &format!("{lints}{CARGO}"));
    assert_fault(&scene, &["verify", "--committed"], "with the stubs");
}

/// Promise: The solution of each level passes that level and no further one,
/// and each known wrong engine fails with its diagnosis.
#[test]
fn verify_checks_every_level_and_change() {
    let scene = stage_with_levels();
    let said = scene.xtask(&["verify", "my_engine"]);
    said.succeeds().prints("4 passed, 0 failed, 0 skipped");
    let assert_rejected = |old: &str, new: &str, fault: &str| {
        let scene = stage_with_levels();
        let file = "exercises/solutions/part1_cpu/my_engine.sh";
        scene.write(file, &level_script().replace(old, new));
        let said = scene.xtask(&["verify", "my_engine"]);
        assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
        let said = format!("{}{}", said.out, said.err);
        assert!(said.contains(fault), "no {fault:?} in {said}");
    };
    assert_rejected(
        "to do: level 1",
        "to do: level 2",
        "come to level 1, the first",
    );
    assert_rejected("exit 7", "exit 0", "come to level 2, the second");
    assert_rejected("echo solved", "echo solved it", "is there 0 times");
}

/// Promise: A variant rejects the answers to the original exercise and to its
/// other variants.
#[test]
fn verify_accepts_a_variant_and_rejects_other_answers() {
    let scene = stage_with_variants();
    let passed = scene.xtask(&["verify", "one"]);
    assert_eq!(passed.code, Some(1), "{}", passed.out);
    // The answer to the exercise also solves the variant, because it does not
    // use the factor.
    passed.prints("the old answer to one, again with seed 0 (factor=7)");
    passed.prints("should be refused");
    let once = "[ -z \"$RUNGRAD_AGAIN\" ] && echo solved";
    let solution = source(TO_DO, &format!("{once}\n"));
    scene.write("exercises/solutions/part1_cpu/one.rs", &solution);
    let file = "exercises/exercises.toml";
    let table = scene.read(file).replace("'echo solved'", &format!("'{once}'"));
    scene.write(file, &table);
    let passed = scene.xtask(&["verify", "one"]);
    passed.succeeds().prints("11 passed, 0 failed");
    // The solution of a variant must use its values.
    scene.write(file, &table.replace("factor=@factor@", "factor=7"));
    let failed = scene.xtask(&["verify", "one"]);
    failed.prints("the solution of one, again with seed 1 (factor=9)");
    let any = "-n \"$RUNGRAD_AGAIN\"";
    let equal = "\"$RUNGRAD_AGAIN\" = factor=@factor@";
    assert!(table.contains(equal));
    scene.write(file, &table.replace(equal, any));
    let failed = scene.xtask(&["verify", "one"]);
    let copied = "the solution with seed 0 as one, again with seed 1 (factor=9) \
                  should be refused";
    failed.prints(copied).prints("9 passed, 2 failed");
}

#[test]
fn a_missing_wasm_compiler_is_reported_with_its_remedy() {
    let scene = Scene::new();
    scene.program("rustc", "echo $SCENE/none");
    let remedy = ["no compiler for WebAssembly", "cargo learn setup --pages"];
    scene.xtask(&["page"]).fails_with(1, &remedy);
}
