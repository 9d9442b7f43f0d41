//! `cargo learn check`, `hint`, `list`, `solution` and `verify`.

mod scene;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use scene::stage::{
    CARGO, ONE, SOLVED, TO_DO, TWO, WRONG, last_line, source, stage, status,
};
use scene::{Said, Scene};

#[test]
fn without_a_name_the_next_exercise_is_checked() {
    let scene = stage();
    let said = scene.learn(&["check"]);
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
    said.tells("one: The first\n").tells("TODO(one)");
    scene.write(ONE, SOLVED);
    scene.learn(&["check"]).went_well().tells("check two");
    assert_eq!(
        scene.learn(&["check"]).out.lines().next(),
        Some("two: The second")
    );
}

#[test]
fn the_first_failure_of_all_says_that_it_is_meant_to_fail() {
    let scene = stage();
    scene.learn(&["check"]).tells("meant to fail now");
    let again = scene.learn(&["check"]);
    assert!(!again.out.contains("meant to fail now"), "{}", again.out);
    scene.write(ONE, SOLVED);
    scene.learn(&["check"]).went_well();
    let second = scene.learn(&["check"]);
    second.tells("TODO(two)");
    assert!(!second.out.contains("meant to fail now"), "{}", second.out);
}

#[test]
fn a_first_answer_that_is_wrong_is_not_meant_to_fail() {
    let scene = stage();
    scene.write(ONE, WRONG);
    let said = scene.learn(&["check"]);
    assert_eq!(said.code, Some(1), "{}", said.out);
    assert!(!said.out.contains("meant to fail now"), "{}", said.out);
}

#[test]
fn each_way_in_which_a_check_ends_has_its_status() {
    let scene = stage();
    let ways = [
        (SOLVED, Some(0), "solved"),
        (WRONG, Some(1), "failing"),
        (TO_DO, Some(1), "to do"),
        ("echo 'skipped: no device'\nexit 4\n", Some(1), "skipped"),
        ("echo solved in part\nexit 5\n", Some(0), "in part"),
        ("syntax error\n", Some(1), "failing"),
    ];
    for (text, code, shown) in ways {
        scene.write(ONE, text);
        let said = scene.learn(&["check", "one"]);
        assert_eq!((said.code, said.err.as_str()), (code, ""), "{}", said.out);
        assert_eq!(status(&scene, "one"), shown, "{text}");
    }
}

/// Promise: No exit code of a check is a verdict by itself.
#[test]
fn no_exit_code_alone_is_a_verdict() {
    let scene = stage();
    scene.write(ONE, WRONG);
    scene.learn(&["check", "one"]);
    // Code 0 without the check's last word, a crash, and a missing program.
    for text in ["echo solved: one\nexit 9\n", "kill -SEGV $$\n", "exit 127\n"]
    {
        scene.write(ONE, text);
        let said = scene.learn(&["check", "one"]);
        said.stopped(1, &["without a verdict", "cargo learn check one"]);
        assert_eq!(status(&scene, "one"), "failing", "{text}");
    }
}

/// Cargo keeps a program if the learner's file is replaced by an older one.
///
/// Promise: A check that was compiled from an earlier text is built again.
#[test]
fn a_program_of_an_earlier_text_is_built_again() {
    let scene = stage();
    let once = "[ -e $SCENE/again ] || { : > $SCENE/again; exit 10; }\n";
    scene.write(ONE, &format!("{once}{SOLVED}"));
    let said = scene.learn(&["check", "one"]);
    said.went_well().tells("solved");
    assert!(!said.out.contains("stale"), "{}", said.out);
    assert_eq!(scene.read("calls").lines().count(), 2);
    // Cargo builds it again because it is gone.
    scene.write(ONE, "exit 10\n");
    let said = scene.learn(&["check", "one"]);
    said.stopped(1, &["part1_cpu/one.rs has changed each of the 3 times"]);
    assert!(!scene.root.join("check-one").exists());
    assert_eq!(status(&scene, "one"), "stale", "it has no new verdict");
}

#[test]
fn a_file_that_is_not_utf_8_has_a_line_and_a_remedy() {
    for (id, file) in [("one", ONE), ("two", TWO)] {
        let scene = stage();
        let path = scene.root.join(file);
        fs::write(path, b"echo solved\n# caf\xe9\n").unwrap();
        let said = scene.learn(&["check", id]);
        assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
        let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let place = format!("failing: {file}:2 has the byte 0xE9");
        assert!(words.contains(&place), "{words}");
        assert!(words.contains("Save the file with the encoding UTF-8"));
        assert_eq!(status(&scene, id), "failing");
        assert_eq!(scene.read("calls"), "", "nothing is compiled");
    }
}

#[test]
fn the_word_behind_a_verdict_is_not_shown() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    let said = scene.learn(&["check", "one"]);
    assert!(!said.went_well().out.contains("=solved"), "{}", said.out);
}

/// Promise: The list shows how many operations of a milestone are the
/// learner's.
#[test]
fn of_a_milestone_the_list_says_how_much_is_the_learner_s() {
    let scene = stage();
    scene.write(ONE, "exit 6\n");
    let said = scene.learn(&["check", "one"]);
    said.went_well().tells("3 of 4 are yours: solved, and 1 to go");
    let list = scene.learn(&["list"]);
    list.went_well().tells("The first (3 of 4 are yours)");
}

/// Promise: The list marks exercises that were only partly checked.
#[test]
fn what_nobody_looked_for_is_marked_in_the_list() {
    let scene = stage();
    scene.write(ONE, "exit 5\n");
    scene.learn(&["check", "one"]).went_well().tells("check two");
    let list = scene.learn(&["list"]);
    list.went_well().tells("in part: solved").tells("1 of 2 solved");
    assert_eq!(last_line(&list), "Next: cargo learn check two");
    scene.write(ONE, "exit 5 \n");
    assert_eq!(status(&scene, "one"), "stale");
}

#[test]
fn a_verdict_that_is_no_yes_ends_with_the_command_that_repeats_it() {
    for text in [WRONG, TO_DO, "syntax error\n"] {
        let scene = stage();
        scene.write(ONE, text);
        let said = scene.learn(&["check"]);
        assert_eq!(last_line(&said), "Once more: cargo learn check one");
    }
}

/// Promise: Two checks of the same exercise wait for each other.
#[test]
fn two_checks_of_one_exercise_wait_for_each_other() {
    let scene = stage();
    let busy = "mkdir $SCENE/busy || exit 1\nsleep 0.2\nrmdir $SCENE/busy\n";
    scene.write(ONE, busy);
    let mut both = [0, 1].map(|_| {
        scene.command(&["check", "one"]).stdout(Stdio::null()).spawn().unwrap()
    });
    for check in &mut both {
        assert_eq!(check.wait().unwrap().code(), Some(0));
    }
    assert_eq!(status(&scene, "one"), "solved");
}

#[test]
fn what_was_found_is_kept_though_the_reader_has_gone() {
    let scene = stage();
    scene.write(ONE, "sleep 0.3\necho '  ok  it holds'\n");
    let mut check = scene.command(&["check", "one"]);
    let mut check = check.stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    let mut said = BufReader::new(check.stdout.take().unwrap());
    said.read_line(&mut first).unwrap();
    drop(said);
    assert_eq!(first, "one: The first\n");
    assert_eq!(check.wait().unwrap().code(), Some(1));
    assert_eq!(status(&scene, "one"), "solved");
}

/// A hint and a solution that was asked for, while another companion saves.
///
/// Promise: Two `cargo learn` processes keep the progress of both.
#[test]
fn what_two_companions_keep_is_kept_of_both() {
    for command in ["hint", "solution"] {
        let scene = stage();
        scene.write("target/learn-logs/progress.lock", "");
        let lock = scene.root.join("target/learn-logs/progress.lock");
        let lock = fs::File::create(lock).unwrap();
        lock.lock().unwrap();
        let mut waits = scene.command(&[command, "one"]);
        let mut waits = waits.stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(300));
        scene.write(".learn/progress", "exercise two solved\n");
        drop(lock);
        assert_eq!(waits.wait().unwrap().code(), Some(0));
        let kept = scene.read(".learn/progress");
        assert!(kept.contains("exercise two solved"), "{kept}");
        assert!(kept.contains(&format!("{command} one ")), "{kept}");
    }
}

#[test]
fn the_list_numbers_chapters_as_the_book_does() {
    let scene = stage();
    let row = |id: &str| {
        let list = scene.learn(&["list"]).went_well().out.clone();
        let row = list.lines().find(|line| line.contains(id)).unwrap();
        row.split_whitespace().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(row(" two ")[2], "two");
    let chapters = "- [Before]()\n- [A chapter](a-chapter.md)\n";
    scene.write("book/src/SUMMARY.md", chapters);
    assert_eq!(row(" one ")[2..4], ["one", "2"]);
    // A chapter more, and nothing else has to change.
    let more = format!("- [First](first.md)\n{chapters}");
    scene.write("book/src/SUMMARY.md", &more);
    assert_eq!(row(" one ")[2..4], ["one", "3"]);
}

#[test]
fn the_list_goes_part_by_part_and_counts_the_hints() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well();
    scene.learn(&["hint", "two"]).went_well();
    scene.learn(&["hint", "two"]).went_well();
    let said = scene.learn(&["list"]);
    said.went_well()
        .tells("\n\npart1: 1 of 1 solved\nsolved")
        .tells("\n\npart2: 0 of 1 solved\nto do");
    let rows: Vec<&str> = said.out.lines().collect();
    let row = |id: &str| rows.iter().find(|row| row.contains(id)).unwrap();
    let word = |row: &str, name: &str| {
        let at = rows[0].find(name).unwrap();
        row[at..].split("  ").next().unwrap().to_string()
    };
    assert_eq!(word(row("  two  "), "hints"), "2 of 3");
    assert_eq!(word(row("  one  "), "hints"), "");
    for (id, stars, minutes) in
        [("  one  ", "*", "10"), ("  two  ", "***", "45")]
    {
        assert_eq!(word(row(id), "how hard"), stars);
        assert_eq!(word(row(id), "minutes"), minutes);
    }
}

/// Promise: A course without its exercise table does not count as solved.
#[test]
fn a_course_without_its_table_is_not_solved() {
    let scene = stage();
    fs::remove_file(scene.root.join("exercises/exercises.toml")).unwrap();
    for command in ["check", "list", "watch", "verify"] {
        let said = scene.learn(&[command]);
        said.stopped(1, &["exercises.toml", "git checkout"]);
    }
}

/// Promise: A solved exercise is stale after its file changes.
#[test]
fn a_solved_file_that_changes_is_stale_until_it_is_checked_again() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well();
    scene.write(ONE, &format!("{SOLVED}\n"));
    assert_eq!(status(&scene, "one"), "stale");
    assert_eq!(
        scene.learn(&["list"]).went_well().out.lines().last(),
        Some("Next: cargo learn check one")
    );
    scene.learn(&["list"]).tells("stale: it was solved");
    scene.learn(&["check", "one"]).went_well();
    assert_eq!(status(&scene, "one"), "solved");
}

/// Promise: An exercise that this machine cannot check does not block the next
/// one.
#[test]
fn what_was_skipped_stops_nobody_and_says_what_to_do() {
    let scene = stage();
    scene.write(ONE, "echo 'skipped: no device'\nexit 4\n");
    let said = scene.learn(&["check", "one"]);
    assert_eq!(said.code, Some(1));
    said.tells("Next: cargo learn check two (The second)");
    let list = scene.learn(&["list"]);
    list.went_well().tells("cargo learn doctor").tells("cargo learn setup");
    assert_eq!(last_line(&list), "Next: cargo learn check two");
    scene.learn(&["check"]).tells("two: The second");
    // It comes back when nothing else is left.
    scene.write(TWO, SOLVED);
    scene.learn(&["check", "two"]).went_well().tells("cargo learn check one");
    assert_eq!(
        last_line(&scene.learn(&["list"])),
        "Next: cargo learn check one"
    );
    scene.write(ONE, SOLVED);
    scene.learn(&["check"]).went_well().tells("That was the last one");
    let list = scene.learn(&["list"]);
    assert!(!list.went_well().out.contains("doctor"), "{}", list.out);
}

/// Promise: A damaged entry in the progress file resets only its own exercise.
#[test]
fn a_damaged_state_is_a_fresh_start_for_that_exercise_alone() {
    let scene = stage();
    let damage = "exercise one \u{fffd}\nexercise one\nexercise one \n\
                  exercise one perhaps\nfile one 12\nhint one many\n\
                  exercise two solved\nfile two damaged\nsolution one x\n";
    scene.write(".learn/progress", damage);
    assert_eq!(status(&scene, "one"), "to do");
    assert_eq!(status(&scene, "two"), "stale");
    scene.learn(&["hint", "one"]).went_well().tells("Hint 1 of 3");
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well();
    assert_eq!(status(&scene, "one"), "solved");
    fs::remove_file(scene.root.join(".learn/progress")).unwrap();
    assert_eq!(status(&scene, "one"), "to do");
    scene.write(".learn/progress", &"\0".repeat(4096));
    assert_eq!(status(&scene, "two"), "to do");
    scene.learn(&["check", "one"]).went_well();
    assert_eq!(status(&scene, "one"), "solved");
}

#[test]
fn a_file_that_does_not_compile_shows_what_the_compiler_says() {
    let scene = stage();
    scene.write(ONE, "syntax error");
    let said = scene.learn(&["check", "one"]);
    said.tells("failing: exercises/part1_cpu/one.rs does not compile.")
        .tells("error: expected expression\n --> exercises/part1_cpu/one.rs:1");
    assert!(!said.out.contains("could not compile"), "{}", said.out);
}

#[test]
fn a_build_that_fails_without_a_fault_of_the_learner_s_is_no_verdict() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well();
    scene.program("cargo", "echo 'error: no network' >&2; exit 101");
    let said = scene.learn(&["check", "one"]);
    said.tells("error: no network");
    said.stopped(1, &["for no reason in exercises/part1_cpu/one.rs", ".log"]);
    assert_eq!(status(&scene, "one"), "solved");
}

/// Promise: A broken exercise does not stop the check of a different one.
#[test]
fn a_broken_neighbor_does_not_matter() {
    let scene = stage();
    scene.write(ONE, "syntax error");
    scene.write(TWO, SOLVED);
    scene.learn(&["check", "two"]).went_well();
}

#[test]
fn an_unknown_exercise_names_the_nearest() {
    for command in ["check", "hint"] {
        let said = stage().learn(&[command, "two_"]);
        said.stopped(2, &["\"two_\"", "nearest is two", "cargo learn list"]);
    }
}

#[test]
fn a_missing_file_says_how_to_get_it_back() {
    let scene = stage();
    fs::remove_file(scene.root.join(ONE)).unwrap();
    let said = scene.learn(&["check", "one"]);
    said.stopped(1, &["one.rs is missing", "cargo learn reset one"]);
}

#[test]
fn a_verdict_counts_where_it_cannot_be_kept() {
    let scene = stage();
    scene.write(".learn", "a file where a folder should be");
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well().tells("is not kept");
    scene.learn(&["hint", "one"]).went_well().tells("a nudge");
}

#[test]
fn each_hint_goes_further_and_the_last_one_stays() {
    let scene = stage();
    for hint in ["a nudge", "a push", "nearly all", "nearly all"] {
        scene.learn(&["hint", "one"]).went_well().tells(hint);
    }
    let first = scene.learn(&["hint", "one", "--level", "1"]);
    first.went_well().tells("Hint 1 of 3").tells("a nudge");
    scene.learn(&["hint", "one"]).went_well().tells("Hint 3 of 3");
    for level in ["0", "4", "x"] {
        let said = scene.learn(&["hint", "one", "--level", level]);
        said.stopped(2, &["--level", "hints 1 to 3"]);
    }
}

#[test]
fn the_solution_comes_when_it_is_solved_or_asked_for_twice() {
    let scene = stage();
    let first = scene.learn(&["solution", "one"]);
    first.went_well().tells("cargo learn hint one");
    assert!(!first.out.contains("echo solved"), "{}", first.out);
    let second = scene.learn(&["solution", "one"]);
    assert_eq!(second.went_well().out, SOLVED);

    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well();
    let said = scene.learn(&["solution", "one"]);
    assert_eq!(said.went_well().out, SOLVED);
    scene.learn(&["solution", "onee"]).stopped(2, &["nearest is one"]);
    scene.learn(&["solution"]).stopped(2, &["name the exercise"]);
}

#[test]
fn verify_proves_all_three_directions_and_ends_with_counts() {
    let scene = stage();
    // What the learner has is no concern of it.
    scene.write(ONE, "syntax error");
    let said = scene.learn(&["verify"]);
    said.went_well()
        .tells("one       yes         yes              1 of 1")
        .tells("two       yes         yes              0 of 0");
    assert_eq!(last_line(&said), "5 passed, 0 failed, 0 skipped");
    assert_eq!(scene.read(ONE), "syntax error");
}

/// Promise: `cargo learn verify --sample` proves of every exercise the stub, the
/// solution and a wrong answer.
#[test]
fn a_sample_has_the_stub_the_solution_and_a_wrong_answer_of_each_exercise() {
    let scene = stage();
    let all = scene.learn(&["verify"]);
    let count = |said: &Said| {
        let line = last_line(said.went_well());
        line.split_whitespace().next().unwrap().parse::<usize>().unwrap()
    };
    // A wrong answer that the sample has, and one that it has not.
    scene.write("exercises/wrong/one/other.rs", WRONG);
    let table = scene.read("exercises/exercises.toml");
    let row = "[[exercise.wrong]]\nfile = 'other.rs'\nsays = 'swapped'\n";
    let second = table.rfind("[[exercise]]").unwrap();
    let table = format!("{}{row}{}", &table[..second], &table[second..]);
    scene.write("exercises/exercises.toml", &table);
    let sample = scene.learn(&["verify", "--sample"]);
    assert_eq!(count(&sample), count(&all));
    let words = format!("a sample of {} of {}", count(&all), count(&all) + 1);
    assert!(sample.out.contains(&words), "{}", sample.out);
}

#[test]
fn verify_takes_the_exercises_that_are_named() {
    let scene = stage();
    scene.write("exercises/wrong/one/swapped.rs", SOLVED);
    let said = scene.learn(&["verify", "two"]);
    assert_eq!(last_line(&said), "2 passed, 0 failed, 0 skipped");
    assert!(!said.out.contains("one   "), "{}", said.out);
    let said = scene.learn(&["verify", "tow"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("there is no exercise \"tow\""), "{}", said.err);
}

/// Asserts that verify fails and names the fault.
#[track_caller]
fn finds(scene: &Scene, words: &[&str], fault: &str) -> Said {
    let said = scene.learn(words);
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""), "{}", said.out);
    let found = said.out.lines().filter(|line| line.starts_with("FAILED "));
    let found: Vec<&str> = found.collect();
    assert_eq!(found.len(), 1, "{}", said.out);
    assert!(found[0].contains(fault), "{found:?}");
    assert!(last_line(&said).contains(", 1 failed, "), "{}", said.out);
    said
}

/// Promise: `cargo learn verify` reports a stub that passes or fails without
/// its task.
#[test]
fn verify_finds_a_stub_that_is_solved_or_fails_otherwise() {
    for stub in [SOLVED, WRONG, "echo 'TODO(two)'\nexit 3\n", "exit 3\n"] {
        let scene = stage();
        let path = "exercises/solutions/part1_cpu/one.rs";
        scene.write(path, &source(stub, SOLVED));
        finds(
            &scene,
            &["verify"],
            "the stub of one should fail with TODO(one)",
        );
    }
}

/// Promise: `cargo learn verify` reports a solution that fails.
#[test]
fn verify_finds_a_solution_that_does_not_pass() {
    for plain in [WRONG, TO_DO] {
        let scene = stage();
        let path = "exercises/solutions/part1_cpu/one.rs";
        scene.write(path, &source(TO_DO, plain));
        finds(&scene, &["verify"], "the solution of one should pass");
    }
}

/// Promise: `cargo learn verify` reports a wrong answer that passes or fails
/// without its diagnosis.
#[test]
fn verify_finds_a_wrong_answer_that_passes_or_fails_without_its_words() {
    for text in [SOLVED, TO_DO, "echo 'failing: something'\nexit 1\n"] {
        let scene = stage();
        scene.write("exercises/wrong/one/swapped.rs", text);
        let fault = "wrong/one/swapped.rs should fail and say";
        finds(&scene, &["verify"], fault);
    }
}

/// Promise: `cargo learn verify` reports a check that this machine cannot run
/// as skipped and never skips the stub.
#[test]
fn verify_skips_loudly_without_a_device_but_never_the_stub() {
    let scene = stage();
    let skipped = "echo 'skipped: no OpenCL driver'\nexit 4\n";
    let path = "exercises/solutions/part2_gpu/two.cl";
    scene.write(path, &source("echo 'TODO(two)'\nexit 3\n", skipped));
    let said = scene.learn(&["verify"]);
    said.went_well().tells("SKIPPED verify two: no OpenCL driver");
    assert_eq!(last_line(&said), "4 passed, 0 failed, 1 skipped");
    scene.write(path, &source(skipped, SOLVED));
    finds(&scene, &["verify"], "the stub of two should fail with TODO(two)");
}

/// Promise: `cargo learn verify` names a file that does not compile and still
/// runs the others.
#[test]
fn verify_names_what_does_not_compile_and_a_hole_that_is_none() {
    let scene = stage();
    scene.write("exercises/wrong/one/swapped.rs", "syntax error");
    let fault = "wrong/one/swapped.rs: it does not compile";
    let said = finds(&scene, &["verify"], fault);
    said.tells("error: expected expression");
    // The others have their verdict all the same.
    said.tells("two       yes         yes              0 of 0");
    assert_eq!(last_line(&said), "4 passed, 1 failed, 0 skipped");
    let scene = stage();
    scene.write("exercises/solutions/part2_gpu/two.cl", "// HOLE\n");
    let said = scene.learn(&["verify"]);
    said.stopped(1, &["solutions/part2_gpu/two.cl", "line 1"]);
}

#[test]
fn an_answer_that_takes_all_its_time_gets_the_seconds_of_its_row() {
    let scene = stage();
    let table = scene.read("exercises/exercises.toml");
    let says = "says = 'the operands are swapped'";
    let row = table.replace(says, &format!("{says}\nseconds = 3"));
    scene.write("exercises/exercises.toml", &row);
    let script = "echo the operands are swapped\n\
                  [ \"$RUNGRAD_CHECK_LIMIT\" = 3 ] || exit 0\nexit 1\n";
    scene.write("exercises/wrong/one/swapped.rs", script);
    scene.learn(&["verify", "one"]).went_well();
    scene.write("exercises/exercises.toml", &table);
    finds(&scene, &["verify", "one"], "should fail and say");
}

/// Promise: `cargo learn verify` fails for a check without a verdict and still
/// runs the others.
#[test]
fn verify_goes_on_where_a_check_comes_to_no_verdict() {
    let scene = stage();
    scene.write(
        "exercises/solutions/part1_cpu/one.rs",
        &source(TO_DO, "exit 9\n"),
    );
    let fault = "the solution of one: checking one ended with code 0, without \
                 a verdict";
    let said = finds(&scene, &["verify"], fault);
    said.tells("one       yes         NO               1 of 1");
    said.tells("two       yes         yes              0 of 0");
    assert_eq!(last_line(&said), "4 passed, 1 failed, 0 skipped");
}

/// On a terminal, where each is a line that is written over and over.
#[cfg(target_os = "linux")]
#[test]
fn checks_that_run_at_a_time_have_one_sign_of_life() {
    let scene = stage();
    for (file, stub) in [("part1_cpu/one.rs", TO_DO), ("part2_gpu/two.cl", "")]
    {
        let plain = "sleep 1\necho solved\n";
        let file = format!("exercises/solutions/{file}");
        scene.write(&file, &source(stub, plain));
    }
    let plain = scene.command(&["verify"]);
    let mut terminal = Command::new("/usr/bin/script");
    if !Path::new(terminal.get_program()).is_file() {
        let words = "SKIPPED checks_that_run_at_a_time_have_one_sign_of_life: \
                     no /usr/bin/script, which makes a terminal\n";
        std::io::stderr().write_all(words.as_bytes()).unwrap();
        return;
    }
    let line = format!("'{}' verify", env!("CARGO_BIN_EXE_learn"));
    terminal.args(["--quiet", "--command", &line, "/dev/null"]);
    terminal.env_clear().current_dir(&scene.root).stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        terminal.env(name, value.unwrap());
    }
    terminal.env("SHELL", "/bin/sh").env("TERM", "xterm");
    let said = Said::by(&mut terminal);
    said.tells("running 2 checks: 0 s (");
    for id in ["one", "two"] {
        assert!(!said.out.contains(&format!("checking {id}")), "{}", said.out);
    }
}

/// Promise: Every stub is its solution without the text between hole markers.
#[test]
fn committed_compares_the_stubs_and_can_write_them() {
    let scene = stage();
    let committed = ["verify", "--committed"];
    scene.learn(&committed).went_well();
    scene.write(ONE, SOLVED);
    finds(&scene, &committed, "part1_cpu/one.rs: this is not the stub");
    let mut command = scene.command(&committed);
    Said::by(command.env("UPDATE", "1")).went_well();
    assert_eq!(scene.read(ONE), TO_DO);
    scene.learn(&committed).went_well();
}

#[test]
fn committed_finds_a_file_that_no_exercise_knows() {
    for file in ["checks/three.rs", "wrong/one/other.rs", "part1_cpu/x.rs"] {
        let scene = stage();
        scene.write(&format!("exercises/{file}"), "");
        finds(&scene, &["verify", "--committed"], file);
    }
}

#[test]
fn committed_finds_a_warning_and_a_file_that_is_not_formatted() {
    let scene = stage();
    scene.program("rustfmt", "echo $SCENE/exercises/part1_cpu/one.rs; exit 1");
    finds(&scene, &["verify", "--committed"], "one.rs: not formatted");
    let scene = stage();
    let lints = "[ \"$1\" = clippy ] && grep -q TODO \
                 $RUNGRAD_EXERCISES/part1_cpu/one.rs && exit 101\n";
    scene.program("cargo", &format!("{lints}{CARGO}"));
    finds(&scene, &["verify", "--committed"], "with the stubs");
}
