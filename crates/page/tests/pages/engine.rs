//! Compares the engine in the page with the native one, question by question.

use std::path::PathBuf;
use std::{env, fs};

use serde_json::{Value, json};

use crate::{Browser, browser_or_skip, scratch, site};

/// Questions with the same result everywhere: sums of a few products,
/// quotients and comparisons.
const SAME: &[&str] = &[
    "try own\n(a*b)*b\na=2,3\nb=3,4",
    "try first\n(a*b)*b\na=2\nb=3",
    "try own\nmax(a*b - c) / sum(relu(b))\na=1,-2,3\nb=4,0.5,6\nc=1,1,1",
    "try own\nsqrt(abs(a))\na=4,-9,2",
    "try own\n(a*b)*c\na=2\nb=3",
    "try own\n(a*b\na=2\nb=3",
    "try own\na + b\na=1,2\nb=1,2,3",
    "try own\na / b\na=1\nb=0",
    "exercise first_forward\n80\n(a*b)*b",
    "exercise first_forward\n40\n(a*b)*(a + a/a)",
    "exercise first_forward\n80\na*2",
    "exercise find_the_values\n40\n3\n5",
    "exercise find_the_values\n80\n-3\n5",
    "exercise mul_rule\n80\ngrad_out*a\ngrad_out*b",
    "exercise mul_rule\n40\ngrad_out*b\ngrad_out*a",
    "nudge cube\n1e-1",
    "nudge cube\n1e-3",
    "nudge cube\n1e-8",
    "nudge quotient\n1e-5",
    "nudge cosine\n1",
    "nudge cube\nshort",
    "diamond\nedcba\nmap",
    "diamond\necdba\nmap",
    "diamond\nedcba+edcba\ntensors",
    "diamond\nec\nbox",
    "diamond\nx\nmap",
    "diamond\nda\nmap",
    "diamond\nedd\nmap",
    "diamond\ned+d\nmap",
    "diamond\ne",
    "softmax\n1,x\n0",
    "task gradient\n12,24\nb\n(a*b)*b\na=2,3\nb=3,4",
    "task gradient\n6,12\nb\n(a*b)*b\na=2,3\nb=3,4",
    "task gradient\n6\nb\n(a*b)*b\na=2,3\nb=3,4",
    "task gradient\n6\nc\n(a*b)*b\na=2,3\nb=3,4",
    "task gradient\nsix\nb\n(a*b)*b\na=2,3\nb=3,4",
    "task gradient\n6",
    "task gradient",
    "task color\nred",
    "task order\na b c d e",
    "task order\nb,a,c,d,e",
    "task order\nacbde",
    "task order\nabbcde",
    "task order\nabcd",
    "task order\nabx",
    "task owners\n2\na\n+b\ntold",
    "task owners\n1\na\n+a\ntold",
    "task place\n2.16\nbowl\n3,0\n0.1\n0.9\n2",
    "task place\n2.43\nbowl\n3,0\n0.1\n0.9\n2",
    "broadcast\n2,1\n1,3",
    "broadcast\n2,3\n",
    "broadcast\n2,2,3\n2,1",
    "broadcast\n0,3\n1",
    "broadcast\n2,3\n2",
    "broadcast\n2,x\n2",
    "broadcast\n1,1,1,1\n2",
    "broadcast\n36,1\n2",
    "descent bowl\n-4.5,2\n0.5\n0\n10",
    "descent valley\n-4.5,2\n0.095\n0.5\n20",
    "descent valley\n-4.5,2\n2.1\n0.9\n200",
    "descent hill\n1,1\n1\n0\n1",
    "descent bowl\n1\n1\n0\n1",
    "descent bowl\n1,1\nfast\n0\n1",
    "descent bowl\n1,1\n1\n0\n201",
    "descent bowl\n1,1",
    "moons epoch",
    "moons walk",
    "owners\n\ntold",
    "owners\n\ncaptures",
    "owners\n+a-c-b\ntold",
    "owners\n-a-b-c**\ncaptures",
    "owners\n-a-a\ncaptures",
    "owners\n-c-c\ntold",
    "owners\n+x\ntold",
    "owners\n\nkept",
    "owners",
    "strides\n2x3\npermute=1,0\nflip=1\nslice=..,1..",
    "strides\n2x3\npermute=1,0\nreshape=6",
    "strides\n3x4\nslice=..,..:2\ncompact",
    "strides\n2x3\nexpand=2x2x3",
    "strides\n3x3\nwindows=2x2",
    "strides\n4\nas_strided=2x2/2,1/0",
    "strides\n4\nas_strided=2x2/2,1/1",
    "strides\n2x3\npermute=0",
    "strides\n2x3\nreshape=5",
    "strides\n2x3\nslice=..,4..",
    "strides\n5x5",
    "strides\n2x3\nexpand=5x2x3",
    "strides\ntwo",
    "strides\n2x3\nturn",
    "strides",
    "softmax\n1,2\n2",
    "softmax\n1,2\n-1",
    "digits epoch",
    "digits begin",
    "digits shown 3\n",
    "digits shown\n3",
    "digits shown\n4000",
    "digits scores\n0,1",
    "digits play",
    "group\nload\n0 1 2 3 0 0 0\n5",
    "group\nload\nlockstep\n13",
    "group\nload behind\nrandom 7\n99",
    "group\nload inside\nreversed\n99",
    "group\nload\nall",
    "group\n\nall",
    "group\nload behind\nall",
    "group\nload\n0 0\n2",
    "group\nload\nbackwards\n2",
    "group\noutside\nall",
    "group\nload\nin-turn\nfew",
    "group",
    "warp\n1\n0",
    "warp\n100\n3",
    "warp\n0\n7",
    "warp\n-1\n0",
    "tiles\n4\n4\n0",
    "tiles\n3\n0\n0",
    "tiles\n4\n0\n8",
    "tree\n13",
    "tree\n17",
    "layers steps\n1",
    "layers begin\n0.05\n31\nnothing",
    "layers begin\nsmall\n3\nnothing",
    "names next\nmar\n1\n0",
    "names weights\nabc",
    "sizes number\n2049",
    "sizes number\n1e-8",
    "sizes number\n-70000",
    "sizes number\nmany",
    "sizes bits\nf16\n0000000000000001",
    "sizes bits\nbf16\n0111111110000000",
    "sizes bits\nf16\n01",
    "sizes",
    "scaling\n49",
    "roofline\n4096\n1",
    "roofline\n4096\n4096",
    "roofline\n64\n17",
    "roofline\n64\n0",
    "filter digit\n0",
    "filter digit\n4000",
    FILTER,
    "filter\n1,2\n1",
    "fused\nrelu(X + b)",
    "fused\nsoftmax(X * Y) - mean(X)",
    "fused\nsum(sum(X))",
    "fused\nX +",
    "fused",
    "guard\n\n10\n0 8 9",
    "guard\nguard\n10\n9 0 1",
    "guard\n\n8\n0 0",
    "guard\n\n11\n",
    "nonsense",
];

/// A drawing, and the filter of the chapter.
const FILTER: &str = "filter\n\
    0,0,0.3125,0.8125,0.5625,0.0625,0,0,0,0,0.8125,0.9375,0.625,0.9375,0.3125,0,\
    0,0.1875,0.9375,0.125,0,0.6875,0.5,0,0,0.25,0.75,0,0,0.5,0.5,0,\
    0,0.3125,0.5,0,0,0.5625,0.5,0,0,0.25,0.6875,0,0.0625,0.75,0.4375,0,\
    0,0.125,0.875,0.3125,0.625,0.75,0,0,0,0,0.375,0.8125,0.625,0,0,0\n\
    -1,0,1,-1,0,1,-1,0,1";

/// Questions with exponentials, whose last digit depends on the system.
const NEAR: &[&str] = &[
    "try own\nexp(a) * tanh(b)\na=1,2\nb=0.5,-0.5",
    "try own\nsoftmax(a) * b\na=1,2,3\nb=1,0,0",
    "try own\nlog(sigmoid(a))\na=1,-2,30",
    "softmax\n1,2,3\n2",
    "softmax\n101,102,103\n0",
    "moons begin",
    "moons epoch",
    "nudge exp\n1e-2",
    "nudge log\n1e-2",
    "nudge tanh\n1e-2",
    "scaling\n0",
    "scaling\n12",
    "scaling\n44",
];

/// Questions about training, where differences in the last digits accumulate.
const TRAINED: &[&str] = &[
    "moons begin",
    "moons border",
    "moons epoch",
    "moons border",
    "digits begin",
    DRAWING,
    "digits epoch",
    DRAWING,
];

/// Questions with histograms: a value near the edge of a bin may be in a
/// different one.
const COUNTED: &[&str] = &[
    "layers begin\n0.05\n10\nnothing",
    "layers begin\n0.177\n6\nnorm residual",
    "layers steps\n3",
];

/// Questions about the network of names, once it has its weights.
const NAMED: &[&str] = &[
    "names next\nmar\n0.5\n7",
    "names next\n\n1\n8",
    "names attention\nsocrates\n0\n2.828",
    "names attention\nsocrates\n7\n0.12",
    "names attention\nsocrates\n8\n1",
    "names attention\nsocrates\n0\n0",
    "names next\nabcdefghijklmnop\n1\n0",
    "names next\nmar\nwarm\n0",
    "names play",
];

const DRAWING: &str = "digits scores\n\
    0,0,0.3125,0.8125,0.5625,0.0625,0,0,0,0,0.8125,0.9375,0.625,0.9375,0.3125,0,\
    0,0.1875,0.9375,0.125,0,0.6875,0.5,0,0,0.25,0.75,0,0,0.5,0.5,0,\
    0,0.3125,0.5,0,0,0.5625,0.5,0,0,0.25,0.6875,0,0.0625,0.75,0.4375,0,\
    0,0.125,0.875,0.3125,0.625,0.75,0,0,0,0,0.375,0.8125,0.625,0,0,0";

/// Returns the digits of the rounded weights.
pub(crate) fn weights() -> String {
    let file = testkit::place::root().join("book/src/live/weights.js");
    let text = fs::read_to_string(file).expect("the weights of a page");
    text.split('"').nth(1).expect("digits").to_string()
}

/// Returns an answer of the engine in the open page.
fn ask(browser: &mut Browser, question: &str) -> Value {
    let question = json!(question);
    browser.evaluate(&format!(
        "(window.asked ??= live.engine())(...{question}.split('\\n'))"
    ))
}

/// Returns an answer of the native engine. A refusal may be a panic, as in the
/// page.
pub(crate) fn native(question: &str) -> Value {
    let answer = rungrad::attempt(|| page::answer(question));
    match answer {
        Ok(answer) => serde_json::from_str(&answer).expect("JSON"),
        Err(error) => json!({ "refusal": error.to_string() }),
    }
}

/// Returns both answers if they differ, or if two of their numbers differ by
/// more than `share`.
fn apart(one: &Value, other: &Value, share: f64) -> Option<String> {
    let [(a, mine), (b, right)] =
        [one, other].map(|it| numbers(it.to_string()));
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= share * (1.0 + b.abs());
    let same = a == b
        && mine.len() == right.len()
        && mine.iter().zip(&right).all(near);
    (!same).then(|| format!("{one} in the page, {other} outside"))
}

/// Replaces each number of a text by a `#`, and returns the numbers.
fn numbers(text: String) -> (String, Vec<f64>) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.e".contains(byte);
    let (mut words, mut found) = (String::new(), Vec::new());
    for chunk in text.as_bytes().chunk_by(|a, b| is_part(a) == is_part(b)) {
        let chunk = str::from_utf8(chunk).expect("whole characters");
        match chunk.parse() {
            Ok(number) => {
                words.push('#');
                found.push(number);
            }
            Err(_) => words += chunk,
        }
    }
    (words, found)
}

#[test]
fn different_answers_are_detected() {
    let right = json!({ "loss": 0.5, "words": "a is [2.7182817, -1e-7]." });
    let last =
        json!({ "loss": 0.5000001, "words": "a is [2.718282, -1.1e-7]." });
    assert_eq!(apart(&right, &right, 0.0), None);
    assert_eq!(apart(&last, &right, 1e-6), None);
    assert!(apart(&last, &right, 0.0).is_some());
    for (key, value) in [
        ("more", json!(1)),
        ("loss", json!(0.50001)),
        ("loss", Value::Null),
        ("words", json!("b is [2.7182817, -1e-7].")),
        ("words", json!("a is [2.7182817].")),
    ] {
        let mut other = right.clone();
        other[key] = value;
        assert!(apart(&other, &right, 1e-6).is_some(), "{other}");
    }
}

/// Promise: The WebAssembly engine gives the bits of the native one, except for
/// the last digit of exponentials.
#[test]
fn the_engine_in_the_page_agrees_with_the_native_one() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    // A page that contains only the engine under test and its loader.
    let page = scratch("engine");
    fs::create_dir(page.join("live")).expect("a folder");
    let committed = folder.join("live/engine.js");
    let engine = env::var_os("RUNGRAD_PAGE_ENGINE").map(PathBuf::from);
    let engine = engine.unwrap_or(committed);
    fs::copy(&engine, page.join("live/engine.js")).expect("an engine");
    let loader = testkit::place::root().join("book/theme/live.js");
    fs::copy(loader, page.join("live.js")).expect("a loader");
    let html = "<!doctype html><main></main><script src=\"live.js\"></script>";
    fs::write(page.join("index.html"), html).expect("a page");
    browser.open(&site::address(&page.join("index.html")));
    let questions = SAME.iter().map(|question| (question, 0.0));
    let near = NEAR.iter().map(|question| (question, 1e-6));
    let trained = TRAINED.iter().map(|question| (question, 1e-4));
    let counted = COUNTED.iter().map(|question| (question, 2e-3));
    let loaded = format!("names weights\n{}", weights());
    let loaded = [(&loaded[..], 0.0)].into_iter();
    let named = NAMED.iter().map(|question| (question, 1e-4));
    let all = questions.chain(near).chain(trained).chain(counted);
    let all = all.map(|(question, share)| (*question, share));
    let named = named.map(|(question, share)| (*question, share));
    for (question, share) in all.chain(loaded).chain(named) {
        let (yours, right) = (ask(&mut browser, question), native(question));
        let apart = apart(&yours, &right, share);
        assert_eq!(
            apart, None,
            "{question:.200}\nwas the engine compiled before the sources changed? \
             `cargo xtask page` compiles it anew"
        );
    }
}
