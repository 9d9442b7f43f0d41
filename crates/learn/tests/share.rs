//! `cargo learn share`: a text and a card without traces of the machine.

mod scene;

use scene::stage::{ONE, SOLVED, WRONG, stage_with_levels};

const OUTPUT: &str = "31033 names to learn, on cpu: /home/me/cores\n\
                      700/14000  loss 2.350  held out 2.233\n\
                      14000/14000  loss 1.956  held out 2.011\n\
                      0:42 s\n/home/me/names\neslina\nbroon\n\
                      a\nbb\ncc\ndd\nee\nff\ngg\nhh\nii\njj\n";

/// Promise: The shared text and card have the learner's counts, and neither a
/// time nor a path.
#[test]
fn a_card_has_the_learner_s_counts_and_no_traces_of_the_machine() {
    let scene = stage_with_levels();
    scene.write(ONE, SOLVED);
    scene.learn(&["check", "one"]).succeeds();
    scene.learn(&["reset", "my_engine", "--from", "2", "--yes"]).succeeds();
    scene.learn(&["check", "my_engine"]);
    scene.write("names.txt", OUTPUT);
    let share = || scene.learn(&["share", "--names", "names.txt"]);
    let said = share();
    said.succeeds().prints("part 1       1 of 1 exercises");
    said.prints("my engine    1 of 2 levels");
    said.prints("invented, loss 2.011:\n  eslina, broon, bb, cc, dd\n");
    said.prints("\n  ee, ff, gg, hh, ii\n");
    let card = scene.read(".learn/card.svg");
    assert!(card.starts_with("<svg") && card.ends_with("</svg>\n"), "{card}");
    for words in [
        ">1 of 2 levels<",
        "<rect x=\"140\" y=\"106\" width=\"120\"",
        "eslina, broon",
        "loss 2.233 to 2.011",
        // The second loss is smaller, so its point is lower.
        "points=\"24.0,142.0 380.0,202.0\"",
    ] {
        assert!(card.contains(words), "no {words} in {card}");
    }
    let root = scene.root.display().to_string();
    for text in [&card, &said.out] {
        // There are ten names, and `jj` would be the eleventh.
        for trace in [&root, "/home", "0:42", "cores", "jj"] {
            assert!(!text.contains(trace), "{trace} is in {text}");
        }
    }
    assert_eq!(share().out, said.out);
    assert_eq!(scene.read(".learn/card.svg"), card);
}

#[test]
fn a_file_without_names_is_rejected() {
    let scene = stage_with_levels();
    scene.write("names.txt", "Nothing here.\n");
    let share = |file| scene.learn(&["share", "--names", file]);
    share("names.txt").fails_with(1, &["names.txt has no names"]);
    share("none.txt").fails_with(1, &["cannot read none.txt"]);
}

#[test]
fn a_failing_exercise_does_not_count_and_a_milestone_counts_what_is_yours() {
    let scene = stage_with_levels();
    scene.write(ONE, WRONG);
    scene.learn(&["check", "one"]);
    let said = scene.learn(&["share"]);
    said.succeeds().prints("part 1       0 of 1 exercises");
    // Solved, with three of four operations.
    scene.write(ONE, "exit 6\n");
    scene.learn(&["check", "one"]).succeeds();
    let said = scene.learn(&["share"]);
    said.succeeds().prints("part 1        1 of 1 exercises");
    said.prints("operations    3 of 4 my own");
}
