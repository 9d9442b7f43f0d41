//! The figures of the chapters about tensors and gradients.

use serde_json::{Value, json};

use super::{Figure, play};
use crate::engine::native;

/// Promise: The expression figure can be typed into, and its leaves can be
/// dragged.
#[test]
fn an_expression_can_be_typed_and_its_leaves_dragged() {
    play(
        "one-expression.html",
        "expression",
        "
        see .verdict tbody tr | a [9, 16] [9, 16] agree; b [12, 24] [12, 24] agree
        keys .leaves input[type=range] | ArrowRight
        see .verdict tbody tr | a [9, 16] [9, 16] agree; b [13.5, 24] [13.5, 24] agree
        js location.pathname.includes('one-expression') | true
        drag .leaves input[type=range] | [[40, 0], [0, 0]]
        see .verdict tbody tr | a [9, 16] [9, 16] agree; b [0, 24] [0, 24] agree
        type .leaves input[type=number] | 0.1
        see .verdict tbody tr | a [9, 16] [9, 16] agree; b [0.6, 24] [0.6, 24] agree
        type .typed input | (a*b
        see .refusal | in `(a*b`, at character 5, it ends where `)` was expected
        js all('.stage .old').length | 2
        says | still show (a*b)*b.
        type .typed input | 2*a
        see .refusal | a figure takes names instead of numbers: write k instead of 2, and a slider for k appears
        type .typed input | a^2
        see .refusal | write a power as a product, such as a*a
        type .typed input | softmax(a) * k
        see .verdict tbody tr | a [-0.04943355, 0.04943371] [-0.0494336, 0.0494336] agree; k [0.052153554, 0.9478464] [0.0521536, 0.947846] agree
        js all('.stage .old').length | 0
        js /the gradients of that sum: a .*agree/.test(texts('.said')) | true
        ",
    );
}

/// The explanation is shown and announced.
#[test]
fn a_question_mark_is_explained() {
    play(
        "one-expression.html",
        "expression",
        "
        type .typed input | a/b
        js all('.verdict tbody tr').length | 2
        type .leaves fieldset:nth-of-type(2) .leaf:nth-of-type(1) input[type=number] | 0
        type .leaves fieldset:nth-of-type(2) .leaf:nth-of-type(2) input[type=number] | 0
        has .verdict .reason | a: a value in line %2 is NaN or infinite in f32; b: a value in line %2 is NaN or infinite in f32
        says | a value in line %2 is NaN or infinite in f32
        ",
    );
}

/// The backward pass shows each term of a sum when it arrives.
///
/// Promise: The tape figure plays forward and backward one partial gradient at
/// a time.
#[test]
fn a_tape_plays_one_partial_gradient_at_a_time() {
    let name = "expression";
    let Some(mut figure) = Figure::open("one-expression.html", name) else {
        return;
    };
    figure.value(
        "window.shown = (...words) => words.map((it) => \
         all('.stage svg text').some((text) => text.checkVisibility() \
         && text.textContent === it)).join()",
    );
    figure.play(
        "
        js shown('\u{2207} [12, 24]', '\u{2207} [6, 12] +') | true,false
        keys .stage .steps button:nth-of-type(2) | Enter*6
        has .stage .steps output | 6 of 7. Backward: mul gives
        js shown('\u{2207} [6, 12] +') | true
        keys | ArrowRight
        js shown('\u{2207} [12, 24]', '\u{2207} [6, 12] +') | true,false
        keys .leaves input[type=range] | ArrowRight
        see .verdict tbody tr | a [9, 16] [9, 16] agree; b [13.5, 24] [13.5, 24] agree
        has .stage .steps output | 7 of 7.
        type .typed input | a*b
        see .verdict tbody tr | a [3, 4] [3, 4] agree; b [2.25, 3] [2.25, 3] agree
        see .stage .steps output |
        js shown('\u{2207} [3, 4]') | true
        ",
    );
}

/// Promise: The diamond figure shows a right and a wrong order of the backward
/// pass.
#[test]
fn a_diamond_has_right_and_wrong_orders() {
    play(
        "one-backward-pass.html",
        "diamond",
        "
        drag [data-node=e] |
        drag [data-node=d] |
        drag [data-node=c] |
        drag [data-node=b] |
        drag [data-node=a] |
        see .ends tbody td | a; 12; 12; right; b; 14; 14; right
        says | All five have been visited, and a and b are right.
        has [data-node=c] | passed on
        has [data-node=c] | visit 3
        keys .stage .row:nth-of-type(3) button | Enter
        see .ends tbody td:nth-child(2) | ;
        keys [data-node=e] | Enter
        js /visited as/.test(all('[data-node=e]')[0].ariaLabel) | true
        keys [data-node=c] | Enter
        js /visited as/.test(all('[data-node=c]')[0].ariaLabel) | true
        keys [data-node=d] | Enter
        see .ends tbody td:nth-child(2) | 3; 8
        says | Still to pass on: 3 at c
        says | d gives 3 to c and 6 to b, and keeps nothing.
        drag [data-node=b] |
        drag [data-node=a] |
        see .ends tbody td:nth-child(2) | 3; 8
        says | a is wrong: it has 3, and 12 would be right; b is wrong
        run all('.stage button')[0].click()
        see .ends tbody td:nth-child(2) | ;
        drag [data-node=c] |
        see .refusal | c has no gradient yet; visit first what was made of it
        ",
    );
}

#[test]
fn a_finger_can_visit_a_node() {
    play(
        "one-backward-pass.html",
        "diamond",
        "
        touch [data-node=e] |
        says | e gives
        touch [data-node=d] |
        says | d gives 3 to c and 6 to b
        ",
    );
}

#[test]
fn a_reference_cycle_leaks_three_tensors() {
    play(
        "who-owns-the-graph.html",
        "owners",
        "
        js all('.stage svg')[0].ariaLabel | a 3 owners, b 3 owners, c 2 owners
        js all('.stage path[stroke-width=\"3\"]').length | 2
        choose .stage select | told
        js all('.stage svg')[0].ariaLabel | a 2 owners, b 2 owners, c 1 owner
        button | clone a
        js all('.stage svg')[0].ariaLabel | a 3 owners, b 2 owners, c 1 owner
        see .stage p.way | tensors alive: 3
        button | Let go of all
        js all('.stage svg')[0].ariaLabel | a freed, b freed, c freed
        see .stage p.way | tensors alive: 0
        says | nothing is left
        js all('.stage [aria-disabled=true]').length | 6
        has .stage .picture | rule of c
        js texts('.stage .picture').includes('owns two arrays') | false
        run window.was = figure.offsetHeight
        button | drop b
        see .refusal | your program has no handle on b any more; it is freed
        js figure.offsetHeight === was | true
        see .said |
        choose .stage select | captures
        js all('.stage svg')[0].ariaLabel | a 3 owners, b 3 owners, c 2 owners
        js all('.stage path[stroke-width=\"3\"]').length | 2
        button | Let go of all
        js all('.stage svg')[0].ariaLabel | a 2 owners, b 2 owners, c 1 owner
        says | 3 tensors stay: c owns its rule, and its rule owns c
        button | Another product, dropped at once
        see .stage p.way | tensors alive: 6
        ",
    );
}

#[test]
fn an_element_highlights_its_copies_and_their_sum() {
    play(
        "shapes-that-stretch.html",
        "broadcast",
        "
        see .cells .grad | ∇ 140; ∇ 320; ∇ 9; ∇ 12; ∇ 15; ∇ 1; ∇ 2; ∇ 3; ∇ 4; ∇ 5; ∇ 6
        keys .cells [tabindex='0'] | ArrowDown
        says | 4 \u{d7} 10 + 5 \u{d7} 20 + 6 \u{d7} 30 = 40 + 100 + 180 = 320
        js all('.array:last-of-type .cell').flatMap((it, i) => it.matches('.lit') ? [i] : []) | 3,4,5
        drag .array:last-of-type .cell:nth-child(2) |
        says | c[0, 1] = 1 \u{d7} 20 = 20
        js all('.cell').flatMap((it, i) => it.matches('.lit') ? [i] : []) | 0,3
        choose .stage select | 2,3
        see .cells .grad | ∇ 10; ∇ 20; ∇ 30; ∇ 40; ∇ 50; ∇ 60; ∇ 91; ∇ 1; ∇ 2; ∇ 3; ∇ 4; ∇ 5; ∇ 6
        keys .cells[aria-label^='b'] .cell |
        says | is used 6 times in c
        type .stage input[aria-label='shape of b'] | 2
        see .refusal | mul: the shapes [2, 3] and [2] do not broadcast; aligned at the right, sizes must be equal or 1
        js all('.picture.old .cell').length > 0 | true
        js all('.stage select')[0].value | 2,3 2
        type .stage input[aria-label='shape of b'] | 2,1
        js all('.stage select')[0].value === '' | true
        type .stage input[aria-label='shape of b'] | 0,1,1
        type .stage input[aria-label='shape of a'] | 3
        says | no elements
        ",
    );
}

/// Promise: The nudge figure shows the error of each step size.
#[test]
fn the_slider_follows_the_error_of_each_nudge() {
    let Some(mut figure) = Figure::open("nudge-it.html", "nudge") else {
        return;
    };
    figure.value(
        "window.drawn = (letters) => all('.stage path:is(.f32, .f64)')\
         .map((it) => it.getAttribute('d').match(letters).length).join()",
    );
    figure.value(
        "window.last = (kind) => [all(`.stage .${kind} ~ circle`).at(-1)]\
         .map((it) => [it.getAttribute('cx'), it.getAttribute('fill')])[0]",
    );
    figure.play(
        "
        see .numbers tbody tr | f(2 + nudge) 8.1206007 8.120600999999997; f(2 − nudge) 7.8805990 7.880599000000000; slope 12.0000839 12.000099999999847; its relative error 7.0e-6 8.3e-6
        js drawn(/[ML]/g) | 27,27
        keys .stage input[type=range] | ArrowLeft
        see .numbers tbody tr | f(2 + nudge) 8.0601511 8.060150124999998; f(2 − nudge) 7.9401498 7.940149875000001; slope 12.0001316 12.000024999999681; its relative error 1.1e-5 2.1e-6
        keys | ArrowLeft
        see .numbers tbody tr | f(2 + nudge) 8.0240250 8.024024007999996; f(2 − nudge) 7.9760246 7.976023992000000; slope 12.0000830 12.000003999999009; its relative error 6.9e-6 3.3e-7
        see .stage .row output | 2e-3
        js all('.stage circle[r=\"5\"]').length | 1
        keys .stage input[type=range] | Home
        see .numbers tbody tr | f(2 + nudge) 8.0000000 8.000000012000001; f(2 − nudge) 8.0000000 7.999999987999999; slope 0.0000000 12.000000992884452; its relative error 1.0e+0 8.3e-8
        keys | PageUp*4
        js all('.stage circle').length | 54
        js last('f32')[0] === last('f64')[0] | true
        js (last('f32')[1] === 'none') + ' ' + (last('f64')[1] === 'none') | true false
        choose .stage select | quotient
        js all('.stage circle').length | 54
        says | right is -0.25
        js drawn(/[ML]/g) | 27,27
        ",
    );
}

/// Promise: The softmax figure overflows only in the naive formula.
#[test]
fn only_the_naive_softmax_overflows() {
    play(
        "right-on-paper.html",
        "softmax",
        "
        see .bar span | 9.0 %; 24.5 %; 66.5 %
        see .numbers tr:not(:first-child) td | 0.4076; [0.0900, 0.2447, -0.3348]
        keys .stage input[type=range] | ArrowRight
        see .numbers tr:not(:first-child) td | 0.4644; [0.1402, 0.2312, -0.3715]
        type .score:nth-of-type(2) input[type=number] | -4
        see .numbers tr:not(:first-child) td | 0.2022; [0.1823, 0.0007, -0.1830]
        run all('.stage input[type=radio]')[0].click()
        see .numbers tr:not(:first-child) td | 1.7022; [-0.8177, 0.0007, 0.8170]
        keys .stage button | Enter
        see .numbers tr:not(:first-child) td | 1.7022; [-0.8177, 0.0007, 0.8170]
        see .numbers tr:first-child td | [NaN, NaN, NaN]
        js all('.stage input[type=range]').map((it) => it.value) | 101.5,96,103
        keys .stage input[type=range] | ArrowRight
        see .numbers tr:not(:first-child) td | 1.3139; [-0.7312, 0.0007, 0.7306]
        keys | ArrowLeft
        see .numbers tr:not(:first-child) td | 1.7022; [-0.8177, 0.0007, 0.8170]
        type .score input[type=number] | 1e39
        see .bar span | NaN %; NaN %; NaN %
        see .numbers td | [NaN, NaN, NaN]; NaN; [NaN, NaN, NaN]
        ",
    );
}

/// A value beyond the range of a slider extends the range.
#[test]
fn a_large_score_extends_its_slider() {
    play(
        "right-on-paper.html",
        "softmax",
        "
        type .score input[type=number] | -75
        see .bar span | 0.0 %; 26.9 %; 73.1 %
        see .numbers tr:not(:first-child) td | 0.3133; [0.0000, 0.2689, -0.2689]
        js all('.stage input[type=range]')[0].value | -75
        js all('.stage input[type=radio]').map((it) => plain(it.labels[0].innerText)) | 0,1,2
        ",
    );
}

/// Promise: A wrong answer on a page gets a reason, the third attempt gets the
/// verdict of the terminal, and only this browser stores a right answer.
#[test]
fn a_wrong_answer_gets_a_reason_and_a_right_one_is_saved() {
    let Some(mut figure) = Figure::open("one-backward-pass.html", "task")
    else {
        return;
    };
    figure.play(
        "
        js all('.hint')[0].open | false
        type input | x
        run all('input')[0].value = ' '
        keys input | Enter
        says | Write an answer first
        type input | 4
        keys | Enter
        says | Not yet. It is more than 4.
        js all('.hint')[0].open | true
        see .words |
        type input | 18
        keys | Enter
        says | Not yet. It is less than 18.
        see .words |
        type input | 4
        keys | Enter
        says | Not yet. The verdict above shows why.
        has .words | index yours by nudging ratio [0] 4.0000 12.0000 0.3333 diagnosis: no known pattern
        type input | twelve
        keys | Enter
        has .refusal | `twelve` is no number; write for example 2 or -1/4, or 2,3.5 where there are two
        see .words |
        type input | 24/2
        keys | Enter
        says | Right
        ",
    );
    figure.load();
    figure.play("says | You have already answered");
}

/// Promise: An exercise is checked in the page: a wrong answer and a right one
/// get the verdict of the check, and a right one the command for the editor.
#[test]
fn an_exercise_is_checked_in_the_page() {
    let Some(mut figure) = Figure::open("one-expression.html", "exercise")
    else {
        return;
    };
    figure.play(
        "
        see .printed |
        keys input | Enter
        has .printed | ok a = [2, 3] and b = [3, 4] give [18, 48] ok the gradients agree
        has .printed | solved: first_forward
        says | The same exercise in your editor: cargo learn check first_forward
        type input | (a+b)*b
        keys | Enter
        see .printed .failed | failing: a = [2, 3] and b = [3, 4] give [18, 48]
        has .printed | (a * b) * b is wrong at element 0, counted from 0. yours 15 right 18
        see .said |
        type input | a*c
        keys | Enter
        see .refusal | there is no `c` here, only a, b
        see .printed |
        type input | b*(b*a)
        keys | Enter
        has .printed | solved: first_forward
        see .refusal |
        ",
    );
    let second = "exercise][data-exercise=find_the_values";
    let Some(mut figure) = Figure::open("one-expression.html", second) else {
        return;
    };
    figure.play(
        "
        keys input | Enter
        has .printed | failing: (a * b) * b has the required derivatives
        has .printed | yours right d/da 9 25 d/db 12 -30
        type label:nth-of-type(1) input | -3
        type label:nth-of-type(2) input | 5
        keys | Enter
        has .printed | solved: find_the_values
        says | cargo learn check find_the_values
        ",
    );
    let opened = Figure::open("backward-by-hand.html", "exercise");
    let Some(mut figure) = opened else { return };
    figure.play(
        "
        keys input | Enter
        has .printed | this is grad_out alone, which is the rule of an addition
        type label:nth-of-type(1) input | grad_out*b
        type label:nth-of-type(2) input | grad_out*a
        keys | Enter
        has .printed | solved: mul_rule
        ",
    );
}

/// Asks every question of the book. A wrong answer gets the engine's messages,
/// and the hidden answer below the question is right.
///
/// Promise: Every question on a page accepts its own answer.
#[test]
fn every_question_accepts_its_answer() {
    let questions = [
        ("one-expression", "9", "10", "gradient\n{}\na\n(a+b)*a\na=3\nb=4"),
        ("nudge-it", "0.5", "-1/4", "gradient\n{}\nb\na/b\na=1\nb=2"),
        ("ninety-lines", "abdce", "a b c d e", "order\n{}"),
        (
            "backward-by-hand",
            "36",
            "54",
            "gradient\n{}\nb\n(a*b)*(b*b)\na=2\nb=3",
        ),
        ("who-owns-the-graph", "2", "4", "owners\n{}\na\n+a-c\ncaptures"),
        (
            "few-rules-many-operations",
            "2",
            "-1",
            "gradient\n{}\na\na*(b-a)\na=3\nb=5",
        ),
        (
            "corners",
            "-1,1,2",
            "-1,2,2",
            "gradient\n{}\nx\nrelu(x)+abs(x)\nx=-1,0.5,2",
        ),
        ("shapes-that-stretch", "2", "6", "gradient\n{}\na\na*b\na=2\nb=1,2,3"),
        (
            "right-on-paper",
            "1,2,1",
            "0,0,0",
            "gradient\n{}\na\nsum(softmax(a))\na=1,2,3",
        ),
        ("downhill", "2.43", "2.16", "place\n{}\nbowl\n3,0\n0.1\n0.9\n2"),
    ];
    for (page, wrong, right, question) in questions {
        let page = format!("{page}.html");
        let Some(mut figure) = Figure::open(&page, "task") else { return };
        let asked = |answer: &str| {
            native(&format!("task {}", question.replace("{}", answer)))
        };
        let word = |key: &str| {
            asked(wrong)[key].as_str().unwrap_or_default().to_string()
        };
        let (reason, words) = (word("reason"), word("words"));
        assert!(!reason.contains(right), "{page}: {reason}");
        assert_eq!(asked(right)["right"], json!(true), "{page}");
        // For an order, the reason is the whole verdict.
        let third = match words == reason {
            true => &reason,
            false => "The verdict above",
        };
        for said in [&reason, &reason, third] {
            figure.play(&format!(
                "type input | {wrong}\nkeys | Enter\nsays | Not yet. {said}"
            ));
        }
        if words != reason {
            let plain = words.split_whitespace().collect::<Vec<_>>().join(" ");
            figure.play(&format!("see .words | {plain}"));
        }
        // All columns of the table fit on a narrow screen.
        figure.play(&format!(
            "js all('.words').every((it) => it.scrollWidth - it.clientWidth <= 1) | true
             type input | {right}\nkeys | Enter\nsays | Right"
        ));
        let folded = figure.value("all('details:not(.hint) p')[0].textContent");
        let folded = folded.as_str().unwrap_or_default().replace(' ', "");
        let first = right.split(',').next().unwrap_or_default();
        let first = first.replace(' ', "").replace("-1/4", "-0.25");
        assert!(folded.contains(&first), "{page}: {folded}");
    }
}

/// Promise: The reason for a wrong answer does not reveal the right one.
#[test]
fn a_reason_does_not_reveal_the_answer() {
    let one = "gradient\n{}\nb\na/b\na=1\nb=2";
    let list = "gradient\n{}\nx\nrelu(x)+abs(x)\nx=-1,0.5,2";
    let owners = "owners\n{}\na\n+a-c\ncaptures";
    for (question, answer, said) in [
        (one, "0.25", "The sign is wrong."),
        (one, "0", "0 is the slope of what does not move at all."),
        (one, "-0.3", "It is more than -0.3."),
        (one, "[-0.25]", "right"),
        (one, "\u{2212}1 / 4", "right"),
        (one, "-1/0", "`-1/0` is no number"),
        (one, "nan", "`nan` is no number"),
        (one, "0,25", "It has one number, and yours has 2 numbers: a comma"),
        (list, "1,2", "It has 3 numbers, and yours has 2 numbers: a gradient"),
        (list, "1,2,1", "Not right are elements 0, 2, counted from 0."),
        (list, "0,1,1", "No element is right."),
        (list, "-1,2,1", "Not right is element 2, counted from 0."),
        (list, "-2,4,4", "Every element is off by the same factor."),
        (owners, "3", "It is more than 3."),
        (owners, "5", "It is less than 5."),
        (owners, "1,2", "`1,2` are several numbers"),
        ("order\n{}", "A B C D E", "right"),
    ] {
        let verdict =
            native(&format!("task {}", question.replace("{}", answer)));
        let word = |key: &str| verdict[key].as_str().map(str::to_string);
        let found = word("reason").or(word("refusal"));
        let found = found.unwrap_or("right".to_string());
        assert!(found.starts_with(said), "{question} {answer}: {found}");
    }
}

/// Answers of the engine that no other test implies: the question, the path in
/// the answer, and the value there.
const ANSWERS: &[(&str, &str, &str)] = &[
    (
        "diamond\nedd\nmap",
        "/refusal",
        "\"d has passed on what it had, and keeps nothing\"",
    ),
    (
        "diamond\nedcba+edd\nmap",
        "/refusal",
        "\"d has passed on what it had, and keeps nothing\"",
    ),
    // A second backward pass begins without gradients.
    (
        "diamond\ned+d\nmap",
        "/refusal",
        "\"d has no gradient yet; visit first what was made of it\"",
    ),
    // A tensor that receives another gradient passes it on.
    ("diamond\necdc\nmap", "/refusal", "null"),
    ("diamond\nedcba+edcba\nmap", "/visits/11/grads/a", "24.0"),
    ("diamond\nedcba+edcba\nmap", "/right/a", "24.0"),
    // The map of a wrong order is dropped after its backward pass.
    (
        "diamond\necdab+edcab\nmap",
        "/visits/11/grads",
        "{\"a\":15.0,\"b\":22.0}",
    ),
    // Gradients that stay at their tensors are added again.
    ("diamond\nedcba+edcba\ntensors", "/visits/11/grads/a", "45.0"),
    ("owners\n\ntold", "/counts", "[2,2,1]"),
    ("owners\n\ncaptures", "/counts", "[3,3,2]"),
    ("owners\n-a-b\ntold", "/counts", "[1,1,1]"),
    ("owners\n-c\ntold", "/counts", "[1,1,0]"),
    ("owners\n-c\ntold", "/alive", "2"),
    ("owners\n-a-b-c*\ncaptures", "/counts", "[2,2,1]"),
    ("owners\n-a-b-c*\ncaptures", "/alive", "6"),
    ("broadcast\n2,1\n1,3", "/a/grad", "[140.0,320.0]"),
    ("softmax\n101.5,96,103\n0", "/defined", "\"[NaN, NaN, NaN]\""),
    // One step with a rate of 1 reaches the minimum of a bowl.
    ("descent bowl\n-4.5,2\n1\n0\n1", "/places/1", "[0.0,0.0]"),
    ("descent bowl\n-4.5,2\n1\n0\n1", "/losses", "[12.125,0.0]"),
    ("descent valley\n-4.5,2\n2.1\n0\n60", "/losses/60", "\"NaN\""),
    // The active warps in a group of 256: four and eight, as in the chapter.
    ("tree\n16", "/halves/large/1", "[32,32,32,32,0,0,0,0]"),
    ("tree\n16", "/neighbors/large/1", "[16,16,16,16,16,16,16,16]"),
    // A race counts when both of its steps are done.
    ("group\nload\n0 1 2 3 0 0 0 0 0 0 1 1 1\n12", "/race", "null"),
    (
        "group\nload inside\nlockstep\n99",
        "/end",
        "\"A divergent barrier: items 0 and 1 wait, items 2 and 3 have left.\\nEvery item of a group has to reach the same one, or the others wait forever.\"",
    ),
];

#[test]
fn the_engine_answers_as_in_the_chapters() {
    let mut wrong = vec![];
    for (question, path, right) in ANSWERS {
        let answer = native(question);
        let found = answer.pointer(path).unwrap_or(&Value::Null).to_string();
        if found != *right {
            wrong.push(format!("{question:?} {path}: {found}, not {right}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The program, the static figure and the engine agree about the cube.
#[test]
fn the_largest_error_agrees_with_the_program() {
    for nudge in [1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-8, 1e-9] {
        let answer = native(&format!("nudge cube\n{nudge:e}"));
        for (kind, right) in [
            ("f32", program::worst_in_f32(nudge)),
            ("f64", program::worst_in_f64(nudge)),
        ] {
            let worst = answer[kind]["worst"].as_f64().unwrap();
            // Parsing a number from JSON may round its last digit.
            assert!((worst / right - 1.0).abs() < 1e-15, "{nudge} {kind}");
        }
    }
}

#[path = "../../../../../examples/part1_nudge.rs"]
#[allow(dead_code)]
mod program;
