//! Plants an error for each check of a page.

use crate::{
    AUDIT, assert_each_is_found, browser_or_skip, complaints, open_written,
    sentences, still,
};

/// The HTML of an error, and the words of its message.
const FAULTS: &[(&str, &str)] = &[
    ("<div style=\"width: 3000px\">wide</div>", "px too wide"),
    (
        "<div style=\"overflow-x: auto\"><p style=\"width: 3000px\">in</p></div>",
        "does not say that it scrolls",
    ),
    (
        "<div style=\"overflow: hidden\"><p style=\"width: 3000px\">in</p></div>",
        "does not say that it scrolls",
    ),
    (
        "<div class=\"table-wrapper\" style=\"overflow-x: auto\" tabindex=\"0\" \
         data-scrolls=\"sideways\" aria-label=\"Scrolls sideways\">\
         <p style=\"width: 3000px\">in</p></div>",
        "does not say that it scrolls to who sees it",
    ),
    (
        "<figure data-scrolls=\"sideways\"><figcaption>It says.</figcaption></figure>",
        "a shade lies over",
    ),
    (
        "<figure><figcaption>As `it` says.</figcaption></figure>",
        "shows the marks of Markdown",
    ),
    (
        "<figure><figcaption>As *it* says.</figcaption></figure>",
        "shows the marks of Markdown",
    ),
    (
        "<table style=\"width: 1px\"><tr><td>2088.5 µs</td></tr></table>",
        "a line ends within <td> \"2088.5 µs\"",
    ),
    ("<p style=\"color: #999\">pale</p>", "has a contrast of 2.8"),
    ("<p style=\"opacity: 0.4\">pale</p>", "has a contrast of 2."),
    (
        "<svg viewBox=\"0 0 90 30\"><text y=\"20\" fill=\"#9f9\">x</text></svg>",
        "has a contrast of 1.",
    ),
    (
        "<style>.rust p { color: #999; }</style><ul id=\"mdbook-theme-list\">\
         <button class=\"theme\" onclick=\"document.documentElement.className \
         = ''\">Auto</button><button class=\"theme\" onclick=\"document\
         .documentElement.className = 'rust'\">Rust</button></ul>",
        "in Rust, <p> \"It has a word.\" has a contrast of 2.8",
    ),
    (
        "<table><tr><th></th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        "a column has no name",
    ),
    ("<button tabindex=\"-1\">go</button>", "the keyboard does not reach"),
    ("<span role=\"button\">go</span>", "the keyboard does not reach"),
    (
        "<span role=\"slider\" aria-label=\"far\">go</span>",
        "the keyboard does not reach",
    ),
    (
        "<div class=\"cells\"><span role=\"button\" tabindex=\"-1\">go</span></div>",
        "the keyboard does not reach",
    ),
    ("<input type=\"range\">", "has no name"),
    ("<figure data-figure=\"none\"></figure>", "has not begun"),
    ("<script>nothing.there()</script>", "a script failed"),
    ("<script>console.error('no')</script>", "a script complains"),
    ("<img src=\"http://127.0.0.1:9/x.png\" alt=\"\">", "outside of the book"),
    ("<script src=\"not-there.js\"></script>", "ERR_FILE_NOT_FOUND"),
];

/// Promise: Each browser check of a page finds a planted error.
#[test]
fn each_check_of_a_page_finds_its_planted_error() {
    let Some((mut browser, _)) = browser_or_skip() else { return };
    browser.screen(390, "light");
    assert_each_is_found(FAULTS, |html| {
        let folder = open_written(&mut browser, "planted", html);
        let mut faults = sentences(&mut browser, AUDIT);
        faults.extend(complaints(&mut browser, &folder));
        faults
    });
}

/// Promise: A page that is empty without scripts is detected.
#[test]
fn a_page_that_is_empty_without_scripts_is_detected() {
    let Some((mut browser, _)) = browser_or_skip() else { return };
    let words = "word ".repeat(50);
    let html =
        format!("<main>{words}<figure data-figure=\"x\"></figure></main>");
    open_written(&mut browser, "still", &html);
    assert_eq!(still(&mut browser), ["the figure x shows nothing"]);
    let html = "<main><div class=\"stage\"></div></main>";
    open_written(&mut browser, "still", html);
    assert_eq!(still(&mut browser), ["its scripts run", "it shows no text"]);
}
