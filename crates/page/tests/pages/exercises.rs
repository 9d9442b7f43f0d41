//! Compares the verdicts in a page with the output of `cargo learn check`.

use std::process::Command;
use std::{env, fs};

use serde_json::Value;
use testkit::child::{finish, succeed};

use crate::engine::native;
use crate::{scratch, site};

/// The function that writes the learner's file around the arms of a `match`,
/// and the answers, as a reader types them and as Rust.
struct Exercise {
    id: &'static str,
    file: fn(arms: &str) -> String,
    answers: &'static [(&'static str, &'static str)],
}

const EXERCISES: &[Exercise] = &[
    Exercise {
        id: "first_forward",
        file: |arms| format!("{BINARY} forward{OPERANDS}{{ {arms} }}"),
        answers: &[
            ("(a*b)*b", "a.mul(b).mul(b)"),
            ("(a+b)*b", "a.add(b).mul(b)"),
            ("sum(a*b)", "a.mul(b).sum()"),
            // The right values at the first step, and a different function.
            ("(a*b)*(a + a/a)", "a.mul(b).mul(&a.add(&a.div(a)))"),
        ],
    },
    Exercise {
        id: "find_the_values",
        file: |arms| format!("pub fn values() -> (f32, f32) {{ {arms} }}"),
        answers: &[
            ("-3\n5", "(-3.0, 5.0)"),
            ("3\n5", "(3.0, 5.0)"),
            ("-30\n25", "(-30.0, 25.0)"),
            ("1/2\n-0.25", "(0.5, -0.25)"),
        ],
    },
    Exercise {
        id: "mul_rule",
        file: |arms| {
            format!(
                "{BINARY} mul{OPERANDS}{{ let (x, y) = (a.data(), b.data());
                 Tensor::from_op(\"mul\", &[a, b], &*x * &*y, move |grad_out| \
                 {{ {arms} }}) }}"
            )
        },
        answers: &[
            ("grad_out*b\ngrad_out*a", "vec![grad_out * &*y, grad_out * &*x]"),
            ("grad_out*a\ngrad_out*b", "vec![grad_out * &*x, grad_out * &*y]"),
            ("b\na", "vec![(*y).clone(), (*x).clone()]"),
            ("grad_out*b\n-a", "vec![grad_out * &*y, -(*x).clone()]"),
        ],
    },
];

const BINARY: &str = "use rungrad::part1_cpu::Tensor; pub fn";
const OPERANDS: &str = "(a: &Tensor, b: &Tensor) -> Tensor ";

/// Selects the answer in a learner's file, so that each check is compiled only
/// once.
const ANSWER: &str = "ANSWER";

impl Exercise {
    fn text(&self) -> String {
        let arms = self.answers.iter().enumerate();
        let arms = arms.map(|(i, (_, code))| format!("\"{i}\" => {code},"));
        let arms: String = arms.collect();
        (self.file)(&format!(
            "match &*std::env::var(\"{ANSWER}\").unwrap() {{ {arms} \
             _ => unreachable!() }}"
        ))
    }
}

/// Promise: An exercise that a page checks gets the verdict of `cargo learn
/// check`, word for word.
#[test]
fn a_page_gives_the_verdicts_of_the_check() {
    let folder = scratch("exercises");
    let part = folder.join("part1_cpu");
    fs::create_dir(&part).expect("a folder");
    let mut build = Command::new(env::var("CARGO").unwrap_or("cargo".into()));
    build.args(["test", "--no-run", "--message-format=json", "--offline"]);
    build.args(["--package", "exercises", "--no-default-features"]);
    build.arg("--target-dir").arg(site::target());
    build.env("RUNGRAD_EXERCISES", &folder);
    build.current_dir(testkit::place::root());
    for exercise in EXERCISES {
        let file = part.join(exercise.id).with_extension("rs");
        fs::write(file, exercise.text()).expect("an answer");
        build.args(["--test", exercise.id]);
    }
    let built = succeed(&mut build);
    let programs: Vec<Value> =
        built.lines().filter_map(|it| serde_json::from_str(it).ok()).collect();
    for Exercise { id, answers, .. } in EXERCISES {
        let is_ours = |it: &&Value| it["target"]["name"] == *id;
        let program = programs.iter().find(is_ours).expect("a program");
        let program = program["executable"].as_str().expect("a path");
        for (i, (typed, _)) in answers.iter().enumerate() {
            let mut check = Command::new(program);
            check.env("COLUMNS", "80").env(ANSWER, i.to_string());
            let outcome = finish(&mut check);
            let page = native(&format!("exercise {id}\n80\n{typed}"));
            let verdict = page["verdict"].as_str().unwrap_or_default();
            assert_eq!(verdict.trim(), in_page(&outcome.text).trim());
            // The first answer is the right one.
            assert_eq!(page["solved"], i == 0, "{verdict}");
            assert_eq!(outcome.status.success(), i == 0, "{}", outcome.text);
        }
    }
}

/// Returns the output of a check without what only the terminal has: the path
/// of a picture, and the steps on the text of a file.
fn in_page(output: &str) -> String {
    let terminal = [
        "The same as a picture: ",
        "  ok  the rule holds arrays instead of tensors",
        "  ok  you wrote the multiplication yourself",
    ];
    let is_shown =
        |line: &&str| !terminal.iter().any(|it| line.starts_with(it));
    output.lines().filter(is_shown).map(|line| format!("{line}\n")).collect()
}

/// Promise: An answer to an exercise that cannot be read gets one sentence.
#[test]
fn an_answer_that_cannot_be_read_gets_one_sentence() {
    let cases = [
        ("first_forward\n80\n(a*b", "at character 5, it ends where `)` was"),
        ("first_forward\n80\na*c", "there is no `c` here, only a, b"),
        ("first_forward\n80\na*2", "write no number such as 2 here, only a, b"),
        ("first_forward\n80\nmul(a)", "mul takes 2 operands, and 1 were given"),
        ("first_forward\n80\n", "the expression is empty"),
        ("find_the_values\n80\n5\nsix", "`six` is no number"),
        ("mul_rule\n80\nb\nexp(a)", "no operation `exp`; it has mul, add, sub"),
        ("find_the_values\n80\n5", "`` is no number"),
        ("nonsense\n80\n1", "`nonsense` is no exercise of a page"),
    ];
    for (question, words) in cases {
        let answer = native(&format!("exercise {question}"));
        let refusal = answer["refusal"].as_str().unwrap_or_default();
        assert!(refusal.contains(words), "{question}: {answer}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}
