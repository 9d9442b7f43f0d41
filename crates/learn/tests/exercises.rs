//! `cargo learn check`, `hint`, `list`, and `solution`.

mod scene;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;
use std::{fs, thread};

use scene::Said;
use scene::stage::{ONE, SOLVED, TO_DO, TWO, WRONG, last_line, stage, status};

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
fn only_the_first_task_of_all_is_meant_to_fail() {
    let scene = stage();
    let is_meant = |said: &Said| said.out.contains("meant to fail now");
    assert!(is_meant(&scene.learn(&["check"])));
    assert!(!is_meant(&scene.learn(&["check"])));
    scene.write(ONE, SOLVED);
    scene.learn(&["check"]).went_well();
    let second = scene.learn(&["check"]);
    second.tells("TODO(two)");
    assert!(!is_meant(&second));
    let scene = stage();
    scene.write(ONE, WRONG);
    assert!(!is_meant(&scene.learn(&["check"])));
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
        assert!(!said.out.contains("=solved"), "{}", said.out);
        assert_eq!(status(&scene, "one"), shown, "{text}");
        if shown == "failing" || shown == "to do" {
            let again = "Once more: cargo learn check one";
            assert_eq!(last_line(&said), again);
        }
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
    assert!(!scene.root.join("one-check").exists());
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
fn the_list_goes_part_by_part_and_numbers_chapters_as_the_book_does() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).went_well();
    scene.learn(&["hint", "two"]).went_well();
    scene.learn(&["hint", "two"]).went_well();
    let chapters = "- [Before]()\n- [A chapter](a-chapter.md)\n";
    scene.write("book/src/SUMMARY.md", chapters);
    let said = scene.learn(&["list"]);
    said.went_well()
        .tells("\n\npart1: 1 of 1 solved\nsolved")
        .tells("\n\npart2: 0 of 1 solved\nto do");
    let rows: Vec<&str> = said.out.lines().collect();
    let heads = ["exercise", "chapter", "how hard", "minutes", "hints"];
    for cells in
        [["one", "2", "*", "10", ""], ["two", "", "***", "45", "2 of 3"]]
    {
        let id = format!("  {}  ", cells[0]);
        let row = rows.iter().find(|row| row.contains(&id)).unwrap();
        for (head, cell) in heads.iter().zip(cells) {
            let at = rows[0].find(head).unwrap();
            assert_eq!(row[at..].split("  ").next(), Some(cell), "{head}");
        }
    }
}

/// Promise: A course without its exercise table does not count as solved.
#[test]
fn a_course_without_its_table_is_not_solved() {
    let scene = stage();
    fs::remove_file(scene.root.join("exercises/exercises.toml")).unwrap();
    for command in ["check", "list", "watch"] {
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

/// Promise: A broken exercise does not stop the check of a different one.
#[test]
fn a_file_that_does_not_compile_shows_what_the_compiler_says() {
    let scene = stage();
    scene.write(ONE, "syntax error");
    let said = scene.learn(&["check", "one"]);
    said.tells("failing: exercises/part1_cpu/one.rs does not compile.")
        .tells("error: expected expression\n --> exercises/part1_cpu/one.rs:1");
    assert!(!said.out.contains("could not compile"), "{}", said.out);
    scene.write(TWO, SOLVED);
    scene.learn(&["check", "two"]).went_well();
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

/// Every command that takes an exercise finds it in the same way.
#[test]
fn wrong_words_are_answered_by_a_sentence() {
    let scene = stage();
    let by_name = ["check", "hint", "solution", "reset", "diff", "watch"];
    for command in by_name {
        let said = scene.learn(&[command, "two_"]);
        said.stopped(2, &["\"two_\"", "nearest is two", "cargo learn list"]);
    }
    for command in ["solution", "reset", "diff"] {
        scene.learn(&[command]).stopped(2, &["name the exercise"]);
    }
    fs::remove_file(scene.root.join(ONE)).unwrap();
    for (command, words) in [("check", "is missing"), ("diff", "cannot read")] {
        let said = scene.learn(&[command, "one"]);
        said.stopped(1, &["one.rs", words, "cargo learn reset one"]);
    }
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
}
