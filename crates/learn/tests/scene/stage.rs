//! A checkout with two exercises. Their checks run the learner's file as a
//! shell script, so a test decides how a check ends by what it writes there.

use super::{CommandOutput, Scene};

const TABLE: &str = "
[[exercise]]
id = 'one'
title = 'The first'
chapter = 'a-chapter.md'
file = 'part1_cpu/one.rs'
needs = []
task = 'Do the first.'
size = 'one line'
difficulty = 1
minutes = 10
hints = ['a nudge', 'a push', 'nearly all']

[[exercise]]
id = 'two'
title = 'The second'
chapter = 'another.md'
file = 'part2_gpu/two.cl'
needs = ['opencl']
task = 'Do the second.'
size = 'two lines'
difficulty = 3
minutes = 45
hints = ['a', 'b', 'c']
";

/// A fake cargo. For each `--test ID` of a build, it makes a program that runs
/// the learner's file as a script and turns its exit code into a verdict: 5 is
/// solved in part, 6 is a milestone with 3 of 4 operations, 9 is success
/// without a verdict, and 10 is a stale program. A file that contains `syntax
/// error` fails to build.
pub(crate) const CARGO: &str = r#"
echo "$*" >> $SCENE/calls
[ "$1" = clippy ] && exit 0
folder=$RUNGRAD_EXERCISES
for word in "$@"; do
  [ "$before" = --test ] && {
    file=$(echo "$folder"/part*/"$word".*)
    grep -q 'syntax error' "$file" && {
      echo "error: expected expression" >&2
      echo " --> $file:1:1" >&2
      echo "error: could not compile" >&2
      exit 101
    }
    program=$SCENE/$word-check
    printf '#!/bin/sh\nexport SCENE="%s" PATH=/usr/bin:/bin\n/bin/sh "%s"\n%s\n' \
      "$SCENE" "$file" 'code=$?
case $code in
  0) word=solved ;; 1) word=failing ;; 3) word=to_do ;;
  4) word=skipped ;; 5) word=in_part ;; 6) word="solved 3/4" ;;
  10) word=stale end=5 ;; 9) exit 0 ;; *) exit $code ;;
esac
echo "$RUNGRAD_CHECK_PROOF=$word"; exit ${end:-0}' > "$program"
    chmod 755 "$program"
    echo "  Executable checks/$word.rs ($program)"
  }
  before=$word
done
exit 0
"#;

pub(crate) const SOLVED: &str = "echo solved\n";
pub(crate) const TO_DO: &str = "echo 'to do: TODO(one): it'\nexit 3\n";
pub(crate) const WRONG: &str =
    "echo 'failing: the operands\n  are swapped'\nexit 1\n";

/// Returns the file of a solution with its stub.
pub(crate) fn source(stub: &str, plain: &str) -> String {
    let stub: String =
        stub.lines().map(|line| format!("//| {line}\n")).collect();
    format!("// HOLE\n{stub}{plain}// END HOLE\n")
}

/// Returns a known wrong answer that has nothing in common with the solution.
pub(crate) fn wrong_answer(name: &str, text: &str) -> String {
    let text: String = text.lines().map(|line| format!("+{line}\n")).collect();
    format!("=== {name}\nsays: the operands are swapped\n@@\n{text}\n")
}

pub(crate) fn stage() -> Scene {
    let scene = Scene::new();
    scene.program("cargo", CARGO);
    scene.program("rustfmt", "exit 0");
    scene.write("exercises/exercises.toml", TABLE);
    let two = "echo 'TODO(two)'\nexit 3\n";
    for (file, stub) in [("part1_cpu/one.rs", TO_DO), ("part2_gpu/two.cl", two)]
    {
        scene.write(&format!("exercises/{file}"), stub);
        let source = source(stub, SOLVED);
        scene.write(&format!("exercises/solutions/{file}"), &source);
    }
    scene.write("exercises/checks/one.rs", "");
    scene.write("exercises/checks/two.rs", "");
    scene.write("exercises/wrong/one.diff", &wrong_answer("swapped", WRONG));
    scene
}

pub(crate) const ONE: &str = "exercises/part1_cpu/one.rs";
pub(crate) const TWO: &str = "exercises/part2_gpu/two.cl";

pub(crate) fn status(scene: &Scene, id: &str) -> String {
    let list = scene.learn(&["list"]).succeeds().out.clone();
    let row = list.lines().find(|line| line.contains(&format!("  {id}  ")));
    row.expect("a row for each exercise").split("  ").next().unwrap().into()
}

pub(crate) fn last_line(said: &CommandOutput) -> &str {
    said.out.lines().last().unwrap_or_default()
}

/// An exercise with two levels.
pub(crate) const LEVELS_TABLE: &str = "
[[exercise]]
id = 'my_engine'
title = 'Your own'
chapter = 'my-engine.md'
file = 'part1_cpu/my_engine.sh'
needs = []
task = 'All of it.'
size = 'much'
difficulty = 4
minutes = 100
made = 'an engine'
hints = ['at the end', 'b', 'c']

[[exercise.level]]
name = 'the first'
chapter = 'a-chapter.md'
task = 'Do the first of it.'
size = 'a line'
hints = ['of the first', 'e', 'f']

[[exercise.level]]
name = 'the second'
chapter = 'another.md'
task = 'Do the second of it.'
size = 'two lines'
hints = ['of the second', 'h', 'i']
";

pub(crate) const LEVELS_FILE: &str = "exercises/part1_cpu/my_engine.sh";

/// Returns a script for each level, which prints the level that it reaches and
/// exits.
pub(crate) fn level_script() -> String {
    "echo begun\n// LEVELS -0\necho 'to do: level 1, the first'; exit 8\n\
     // LEVELS 1-1\necho 'failing: level 2, the second'; exit 7\n\
     // LEVELS 2-\necho solved\n// END LEVELS\n"
        .to_string()
}

pub(crate) fn stage_with_levels() -> Scene {
    let scene = stage();
    let ends = "7) word=failing\\ 1/2 ;; 8) word=to_do\\ 0/2 ;; 9) exit 0";
    scene.program("cargo", &CARGO.replace("9) exit 0", ends));
    let table = scene.read("exercises/exercises.toml");
    scene.write("exercises/exercises.toml", &format!("{table}{LEVELS_TABLE}"));
    scene.write("exercises/solutions/part1_cpu/my_engine.sh", &level_script());
    scene.write("exercises/checks/my_engine.rs", "");
    let wrong = "=== backwards\nsays: level 1, the first: backwards\n\
                 @@\n-echo solved\n\
                 +echo 'failing: level 1, the first: backwards'; exit 1\n";
    scene.write("exercises/wrong/my_engine.diff", wrong);
    scene.write(
        LEVELS_FILE,
        "echo begun\necho 'to do: level 1, the first'; exit 8\n",
    );
    scene
}

/// Returns a checkout with an exercise whose variants differ by a factor. A
/// variant is solved by a file that names the factor given to its check.
pub(crate) fn stage_with_variants() -> Scene {
    let scene = stage();
    let table = scene.read("exercises/exercises.toml").replace(
        "\n[[exercise]]\nid = 'two'",
        "\n[exercise.again]\ntask = 'Multiply by @factor@.'\n\
         change = [['TODO(one): it', 'TODO(one): by @factor@'], \
         ['echo solved', '[ \"$RUNGRAD_AGAIN\" = factor=@factor@ ]']]\n\
         draw = [{ name = 'factor', from = ['7', '9'] }]\n\
         \n[[exercise]]\nid = 'two'",
    );
    scene.write("exercises/exercises.toml", &table);
    scene
}
