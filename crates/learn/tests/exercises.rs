//! `cargo learn check`, `hint`, `list`, and `solution`.

mod scene;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;
use std::{fs, thread};

use scene::CommandOutput;
use scene::stage::{
    ONE, SOLVED, TO_DO, TWO, WRONG, last_line, stage, stage_with_levels, status,
};

#[test]
fn without_a_name_the_next_exercise_is_checked() {
    let scene = stage();
    let said = scene.learn(&["check"]);
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
    said.prints("one: The first\n").prints("TODO(one)");
    scene.write(ONE, SOLVED);
    scene.learn(&["check"]).succeeds().prints("check two");
    assert_eq!(
        scene.learn(&["check"]).out.lines().next(),
        Some("two: The second")
    );
}

#[test]
fn only_the_first_task_announces_that_it_must_fail() {
    let scene = stage();
    let is_meant =
        |said: &CommandOutput| said.out.contains("meant to fail now");
    assert!(is_meant(&scene.learn(&["check"])));
    assert!(!is_meant(&scene.learn(&["check"])));
    scene.write(ONE, SOLVED);
    scene.learn(&["check"]).succeeds();
    let second = scene.learn(&["check"]);
    second.prints("TODO(two)");
    assert!(!is_meant(&second));
    let scene = stage();
    scene.write(ONE, WRONG);
    assert!(!is_meant(&scene.learn(&["check"])));
}

#[test]
fn every_outcome_of_a_check_has_a_status() {
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
            let again = "Check again: cargo learn check one";
            assert_eq!(last_line(&said), again);
        }
    }
}

/// Promise: An exit code alone is never the verdict of a check.
#[test]
fn no_exit_code_alone_is_a_verdict() {
    let scene = stage();
    scene.write(ONE, WRONG);
    scene.learn(&["check", "one"]);
    // Success without the check's last word, a crash, and a missing program.
    for text in ["echo solved: one\nexit 9\n", "kill -SEGV $$\n", "exit 127\n"]
    {
        scene.write(ONE, text);
        let said = scene.learn(&["check", "one"]);
        said.fails_with(1, &["without a verdict", "cargo learn check one"]);
        assert_eq!(status(&scene, "one"), "failing", "{text}");
    }
}

/// Cargo keeps a program if an older file replaces the learner's file.
///
/// Promise: A check that was compiled from an earlier version of the file is
/// built again.
#[test]
fn a_stale_program_is_rebuilt() {
    let scene = stage();
    let once = "[ -e $SCENE/again ] || { : > $SCENE/again; exit 10; }\n";
    scene.write(ONE, &format!("{once}{SOLVED}"));
    let said = scene.learn(&["check", "one"]);
    said.succeeds().prints("solved");
    assert!(!said.out.contains("stale"), "{}", said.out);
    assert_eq!(scene.read("calls").lines().count(), 2);
    // Cargo rebuilds a missing program.
    scene.write(ONE, "exit 10\n");
    let said = scene.learn(&["check", "one"]);
    said.fails_with(1, &["part1_cpu/one.rs has changed each of the 3 times"]);
    assert!(!scene.root.join("one-check").exists());
    assert_eq!(status(&scene, "one"), "stale", "it has no new verdict");
}

#[test]
fn invalid_utf_8_is_reported_with_its_line_and_a_remedy() {
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
fn the_list_shows_the_progress_of_a_milestone() {
    let scene = stage();
    scene.write(ONE, "exit 6\n");
    let said = scene.learn(&["check", "one"]);
    said.succeeds().prints("3 of 4 are yours. That is enough; 1 more");
    let list = scene.learn(&["list"]);
    list.succeeds().prints("The first (3 of 4 are yours)");
}

/// Promise: The list marks exercises that were only partly checked.
#[test]
fn partly_checked_exercises_are_marked_in_the_list() {
    let scene = stage();
    scene.write(ONE, "exit 5\n");
    scene.learn(&["check", "one"]).succeeds().prints("check two");
    let list = scene.learn(&["list"]);
    list.succeeds()
        .prints("in part: the results are right")
        .prints("1 of 2 solved");
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
fn a_verdict_is_saved_even_if_the_output_is_closed() {
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

/// One command records a hint or a requested solution while another one saves.
///
/// Promise: Two `cargo learn` processes keep the progress of both.
#[test]
fn two_processes_lose_no_progress() {
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
fn the_list_is_ordered_by_part_and_has_chapter_numbers() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    scene.learn(&["hint", "two"]).succeeds();
    scene.learn(&["hint", "two"]).succeeds();
    let chapters = "- [Before]()\n- [A chapter](a-chapter.md)\n";
    scene.write("book/src/SUMMARY.md", chapters);
    let said = scene.learn(&["list"]);
    said.succeeds()
        .prints("\n\npart1: 1 of 1 solved\nsolved")
        .prints("\n\npart2: 0 of 1 solved\nto do")
        .prints("\n+ needs an OpenCL device\n")
        .prints("[############............] 1 of 2 solved");
    let rows: Vec<&str> = said.out.lines().collect();
    let heads = ["exercise", "title", "ch", "stars", "min", "hints"];
    for cells in [
        ["one", "The first", "2", "*", "10", ""],
        ["two", "The second", "", "***", "45", "2 of 3"],
    ] {
        let id = format!("  {}  ", cells[0]);
        let row = rows.iter().find(|row| row.contains(&id)).unwrap();
        assert_eq!(row.contains(" + "), cells[0] == "two", "{row}");
        for (head, cell) in heads.iter().zip(cells) {
            let at = rows[0].find(&format!(" {head}")).unwrap() + 1;
            let shown = row.get(at..).unwrap_or_default();
            assert_eq!(shown.split("  ").next(), Some(cell), "{head}");
        }
    }
}

/// The rows of the table are in no order.
///
/// Promise: The list has each part once, in the order of the chapters, and
/// exercises with levels are the last of their part.
#[test]
fn the_list_follows_the_chapters() {
    let scene = stage_with_levels();
    let table = scene.read("exercises/exercises.toml");
    let late = "[[exercise]]\nid = 'early'\ntitle = 'Early'\n\
         chapter = 'early.md'\n\
         file = 'part1_cpu/early.rs'\nneeds = []\ntask = 'It.'\nsize = 'a \
         line'\ndifficulty = 1\nminutes = 5\nhints = ['a', 'b', 'c']\n";
    scene.write("exercises/exercises.toml", &format!("{table}\n{late}"));
    let chapters = "- [Early](early.md)\n- [A chapter](a-chapter.md)\n";
    scene.write("book/src/SUMMARY.md", chapters);
    let said = scene.learn(&["list"]);
    let rows = said.succeeds().out.lines();
    let first = |line: &str| match line.strip_prefix("to do   ") {
        Some(row) => row.split(' ').next().map(str::to_string),
        None => line.split_once(": 0 of").map(|(part, _)| part.to_string()),
    };
    let order: Vec<String> = rows.filter_map(first).collect();
    let all = ["part1", "early", "one", "my_engine", "part2", "two"];
    assert_eq!(order[..6], all, "{}", said.out);
    assert_eq!(last_line(&said), "Next: cargo learn check early");
}

/// Promise: `cargo learn list --track` shows the exercises of a track in their
/// order.
#[test]
fn a_track_has_a_list() {
    let scene = stage();
    let table = scene.read("exercises/exercises.toml");
    let track = "[[track]]\nid = 'short'\ntitle = 'A short one'\nexercises = \
                 ['two']\n";
    scene.write("exercises/exercises.toml", &format!("{track}{table}"));
    let said = scene.learn(&["list"]);
    said.succeeds().prints("A short one: cargo learn list --track short");
    let said = scene.learn(&["list", "--track", "short"]);
    said.succeeds().prints("Track short: A short one, about 1 hours");
    said.prints("0 of 1 solved").prints("The second");
    assert!(!said.out.contains("The first"), "{}", said.out);
    assert_eq!(last_line(&said), "Next: cargo learn check two");
    let said = scene.learn(&["list", "--track", "shrt"]);
    said.fails_with(2, &["no track \"shrt\" (did you mean short?)"]);
}

/// Promise: The next exercise is the one after the one that was checked last,
/// and unsolved ones before it are named.
#[test]
fn the_next_exercise_follows_the_one_just_solved() {
    let scene = stage();
    let table = scene.read("exercises/exercises.toml");
    let third = table.split("[[exercise]]").nth(2).unwrap();
    let third = third.replace("'two'", "'three'").replace("two.cl", "three.cl");
    let table = format!("{table}\n[[exercise]]{third}");
    scene.write("exercises/exercises.toml", &table);
    scene.write("exercises/part2_gpu/three.cl", TO_DO);
    scene.write(TWO, SOLVED);
    let said = scene.learn(&["check", "two"]);
    said.succeeds().prints("\nLeft open: one\n");
    assert_eq!(last_line(&said), "Next: cargo learn check three (The second)");
    // Without a name, the exercise that was checked last comes again.
    scene.write(ONE, WRONG);
    scene.learn(&["check", "three"]);
    scene.learn(&["check"]).prints("three: The second");
    scene.learn(&["hint"]).succeeds().prints("Hint 1 of 3 for three");
    // After the last one, those that were left open follow.
    scene.write("exercises/part2_gpu/three.cl", SOLVED);
    let said = scene.learn(&["check"]);
    assert_eq!(last_line(&said), "Next: cargo learn check one (The first)");
    assert!(!said.out.contains("Left open"), "{}", said.out);
}

/// Promise: `check` accepts the path and the name of a file.
#[test]
fn a_file_names_its_exercise() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    for word in [ONE, "one.rs", "./one.rs", "part1_cpu/one.rs"] {
        scene.learn(&["check", word]).succeeds().prints("one: The first\n");
    }
    scene.learn(&["hint", TWO]).succeeds().prints("for two");
}

/// Promise: A verdict names the page to read, with its address while the book
/// is being served.
#[test]
fn a_verdict_names_its_page() {
    let scene = stage();
    let check = || scene.learn(&["check", "one"]);
    check().prints("\nRead: book/src/a-chapter.md\n");
    scene.write("book/src/SUMMARY.md", "- [A chapter](a-chapter.md)\n");
    check().prints("\nRead: A chapter, chapter 1 of cargo learn book\n");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    scene.write("target/learn-logs/book.address", &address);
    scene.write(ONE, WRONG);
    let page = format!("A chapter, {address}/a-chapter.html");
    check().prints(&format!("\nRead: {page}\n"));
    scene.write(ONE, SOLVED);
    check().prints(&format!("\nRead on: {page}\n"));
    drop(listener);
    check().prints("\nRead on: A chapter, chapter 1 of cargo learn book\n");
}

/// Promise: A course without its exercise table does not count as solved.
#[test]
fn a_course_without_its_table_does_not_count_as_solved() {
    let scene = stage();
    fs::remove_file(scene.root.join("exercises/exercises.toml")).unwrap();
    for command in ["check", "list", "watch"] {
        let said = scene.learn(&[command]);
        said.fails_with(1, &["exercises.toml", "git checkout"]);
    }
}

/// Promise: A solved exercise is stale after its file changes.
#[test]
fn a_changed_solution_is_stale_until_checked_again() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    scene.write(ONE, &format!("{SOLVED}\n"));
    assert_eq!(status(&scene, "one"), "stale");
    assert_eq!(
        scene.learn(&["list"]).succeeds().out.lines().last(),
        Some("Next: cargo learn check one")
    );
    scene.learn(&["list"]).prints("stale: it was solved");
    scene.learn(&["check", "one"]).succeeds();
    assert_eq!(status(&scene, "one"), "solved");
}

/// Promise: An exercise that this machine cannot check does not block the next
/// one.
#[test]
fn a_skipped_exercise_blocks_nothing_and_says_what_to_do() {
    let scene = stage();
    scene.write(ONE, "echo 'skipped: no device'\nexit 4\n");
    let said = scene.learn(&["check", "one"]);
    assert_eq!(said.code, Some(1));
    said.prints("Next: cargo learn check two (The second)");
    let list = scene.learn(&["list"]);
    list.succeeds().prints("cargo learn doctor").prints("cargo learn setup");
    assert_eq!(last_line(&list), "Next: cargo learn check two");
    scene.learn(&["check"]).prints("two: The second");
    // It is suggested again when nothing else is left.
    scene.write(TWO, SOLVED);
    scene.learn(&["check", "two"]).succeeds().prints("cargo learn check one");
    assert_eq!(
        last_line(&scene.learn(&["list"])),
        "Next: cargo learn check one"
    );
    scene.write(ONE, SOLVED);
    scene.learn(&["check"]).succeeds().prints("That was the last one");
    let list = scene.learn(&["list"]);
    assert!(!list.succeeds().out.contains("doctor"), "{}", list.out);
}

/// Promise: A damaged entry in the progress file resets only its own exercise.
#[test]
fn a_damaged_entry_resets_only_its_exercise() {
    let scene = stage();
    let damage = "exercise one \u{fffd}\nexercise one\nexercise one \n\
                  exercise one perhaps\nfile one 12\nhint one many\n\
                  exercise two solved\nfile two damaged\nsolution one x\n";
    scene.write(".learn/progress", damage);
    assert_eq!(status(&scene, "one"), "to do");
    assert_eq!(status(&scene, "two"), "stale");
    scene.learn(&["hint", "one"]).succeeds().prints("Hint 1 of 3");
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    assert_eq!(status(&scene, "one"), "solved");
    fs::remove_file(scene.root.join(".learn/progress")).unwrap();
    assert_eq!(status(&scene, "one"), "to do");
    scene.write(".learn/progress", &"\0".repeat(4096));
    assert_eq!(status(&scene, "two"), "to do");
    scene.learn(&["check", "one"]).succeeds();
    assert_eq!(status(&scene, "one"), "solved");
}

/// Promise: A broken exercise does not stop the check of a different one.
#[test]
fn compiler_errors_are_shown() {
    let scene = stage();
    scene.write(ONE, "syntax error");
    let said = scene.learn(&["check", "one"]);
    said.prints("failing: exercises/part1_cpu/one.rs does not compile.")
        .prints(
            "error: expected expression\n --> exercises/part1_cpu/one.rs:1",
        );
    assert!(!said.out.contains("could not compile"), "{}", said.out);
    scene.write(TWO, SOLVED);
    scene.learn(&["check", "two"]).succeeds();
}

#[test]
fn a_build_failure_outside_the_exercise_is_not_a_verdict() {
    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    scene.program("cargo", "echo 'error: no network' >&2; exit 101");
    let said = scene.learn(&["check", "one"]);
    said.prints("error: no network");
    said.fails_with(
        1,
        &["the reason is not in exercises/part1_cpu/one.rs", ".log"],
    );
    assert_eq!(status(&scene, "one"), "solved");
}

/// Every command with an exercise argument finds it in the same way.
#[test]
fn wrong_arguments_are_answered_by_a_sentence() {
    let scene = stage();
    let by_name = ["check", "hint", "solution", "reset", "diff", "watch"];
    for command in by_name {
        let said = scene.learn(&[command, "two_"]);
        said.fails_with(
            2,
            &["\"two_\"", "did you mean two?", "cargo learn list"],
        );
    }
    for command in ["solution", "reset", "diff"] {
        scene.learn(&[command]).fails_with(2, &["name the exercise"]);
    }
    // A missing file would be written again.
    fs::remove_file(scene.root.join(ONE)).unwrap();
    fs::create_dir(scene.root.join(ONE)).unwrap();
    for (command, words) in [("check", "is missing"), ("diff", "cannot read")] {
        let said = scene.learn(&[command, "one"]);
        said.fails_with(1, &["one.rs", words, "cargo learn reset one"]);
    }
}

#[test]
fn a_verdict_counts_even_if_it_cannot_be_saved() {
    let scene = stage();
    scene.write(".learn", "a file where a folder should be");
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds().prints("was not saved");
    scene.learn(&["hint", "one"]).succeeds().prints("a nudge");
}

#[test]
fn each_call_shows_the_next_hint_up_to_the_last() {
    let scene = stage();
    for hint in ["a nudge", "a push", "nearly all", "nearly all"] {
        scene.learn(&["hint", "one"]).succeeds().prints(hint);
    }
    let first = scene.learn(&["hint", "one", "--number", "1"]);
    first.succeeds().prints("Hint 1 of 3").prints("a nudge");
    scene.learn(&["hint", "one"]).succeeds().prints("Hint 3 of 3");
    for number in ["0", "4", "x"] {
        let said = scene.learn(&["hint", "one", "--number", number]);
        said.fails_with(2, &["--number", "hints 1 to 3"]);
    }
}

#[test]
fn the_solution_needs_a_solved_exercise_or_a_second_request() {
    let scene = stage();
    let first = scene.learn(&["solution", "one"]);
    first.succeeds().prints("cargo learn hint one");
    assert!(!first.out.contains("echo solved"), "{}", first.out);
    let second = scene.learn(&["solution", "one"]);
    assert_eq!(second.succeeds().out, SOLVED);

    let scene = stage();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    let said = scene.learn(&["solution", "one"]);
    assert_eq!(said.succeeds().out, SOLVED);
}
