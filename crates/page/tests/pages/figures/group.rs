//! A work-group, whose steps a reader orders.

use serde_json::{Value, json};

use super::{focus, middle, native, open, text, until};
use crate::Browser;

#[path = "../../../../../examples/part2_race.rs"]
#[allow(dead_code, unreachable_pub)]
mod program;

/// The steps that the table shows, beside those of the engine outside.
#[track_caller]
fn shows(browser: &mut Browser, barriers: &str, order: &str, made: usize) {
    let answer = native(&format!("group\n{barriers}\n{order}\n{made}"));
    let steps = answer["steps"].as_array().unwrap().iter().take(made);
    let words = |it: &Value| {
        let word = |key: &str| it[key].as_str().unwrap().to_string();
        format!("{} {} {}", it["item"], word("words"), word("local"))
    };
    let wanted: Vec<String> = steps.map(words).collect();
    let wanted = json!(wanted.join("\n"));
    let found =
        "[...document.querySelectorAll('.schedule tbody tr:not(.barrier)')]
        .map((row) => [...row.cells].map((it) => it.innerText))
        .filter((cells) => cells[5])
        .map((cells) => {
            const item = cells.slice(1, 5).findIndex((it) => it);
            return `${item} ${cells[item + 1]} ${cells[5]}`;
        }).join('\\n')";
    until(browser, &format!("{found} === {wanted}"));
}

fn press_button(browser: &mut Browser, words: &str) {
    let words = json!(words);
    browser.evaluate(&format!(
        "[...document.querySelectorAll('.stage button')]\
         .find((it) => it.innerText === {words}).focus()"
    ));
    browser.press("Enter");
}

fn choose(browser: &mut Browser, value: &str) {
    let value = json!(value);
    browser.evaluate(&format!(
        "(() => {{ const choice = document.querySelector('.stage select'); \
         choice.value = {value}; \
         choice.dispatchEvent(new Event('change')); }})()"
    ));
}

/// Promise: The work-group figure runs step by step, and its search finds a
/// breaking schedule.
#[test]
fn a_group_is_ordered_step_by_step_and_a_search_breaks_it() {
    let page = "how-a-gpu-computes.html";
    let Some(mut browser) = open(page, "group") else { return };
    let it = &mut browser;
    // It begins with the schedule of the still figure.
    let smoothest = "0 1 2 3 0 0 0 0 0 0 1 1 1";
    shows(it, "load", smoothest, 13);
    let said = "document.querySelector('.said').innerText";
    until(it, &format!("/A race on \\[1\\]: item 0 reads/.test({said})"));
    press_button(it, "Back to the start");
    until(
        it,
        "document.querySelector('.stage output').innerText === '0 of 13'",
    );
    // By mouse: items 2 and 0 load, and item 2 waits from then on.
    for item in [2, 0] {
        let button = format!(".schedule th:nth-child({}) button", item + 2);
        let place = middle(it, &button);
        it.drag(&[place]);
        until(it, "document.activeElement.matches('.schedule button')");
    }
    shows(it, "load", "2 0", 2);
    until(
        it,
        "/waits/.test(document.querySelector('.schedule th:nth-child(4)').innerText)",
    );
    // By keys: the rest of the load, then item 1 goes first.
    for item in [1, 3, 1] {
        focus(it, &format!(".schedule th:nth-child({}) button", item + 2));
        let made = text(it, ".stage output");
        it.press("Enter");
        until(
            it,
            &format!(
                "document.querySelector('.stage output').innerText !== {}",
                json!(made)
            ),
        );
    }
    shows(it, "load", "2 0 1 3 1", 5);

    // A race is one when both of its steps are made.
    let race = |made: usize| {
        let of = format!("group\nload\n{smoothest}\n{made}");
        native(&of)["race"].is_string()
    };
    assert_eq!([race(12), race(13)], [false, true]);

    // With its barrier no order breaks it; inside of the if nobody ends.
    choose(it, "behind");
    press_button(it, "Find one that breaks it");
    until(
        it,
        &format!(
            "/No order breaks it. 480 schedules. 480 end with .*[^.].$/.test({said})"
        ),
    );
    choose(it, "inside");
    press_button(it, "Lockstep");
    until(
        it,
        &format!(
            "/A divergent barrier: items 0 and 1 wait, items 2 and 3 have left/.test({said})"
        ),
    );
    // A sentence ends once, and stands in no other.
    press_button(it, "Try all");
    until(
        it,
        &format!(
            "/schedules. [^:]* end otherwise. A divergent barrier/.test({said})"
        ),
    );
    let said = it.evaluate(said).to_string();
    assert!(!said.contains(".."), "{said}");
    let end = native("group\nload inside\nlockstep\n99")["end"].clone();
    assert!(!end.as_str().unwrap().contains("line"), "{end}");
}

/// What the figure says of all schedules is what the program of the chapter
/// prints.
///
/// Promise: The work-group figure counts the schedules that the chapter's
/// program counts.
#[test]
fn the_schedules_of_a_page_are_those_of_the_program() {
    let answer = native("group\nload\nall");
    let search = program::search();
    assert_eq!(answer["schedules"], search.schedules() as f64);
    let endings = answer["endings"].as_array().unwrap();
    assert_eq!(endings.len(), search.endings.len());
    for (ours, program) in endings.iter().zip(&search.endings) {
        assert_eq!(ours["schedules"], program.schedules as f64);
        assert_eq!(ours["end"], program.trace.end.to_string());
    }
    let broken = program::broken(&search);
    assert_eq!(endings[0]["end"], broken.end.to_string());
    let race =
        native("group\nload\n0 1 2 3 0 0 0 0 0 0 1 1 1\n13")["race"].clone();
    assert_eq!(race, broken.race().unwrap().to_string());
}
