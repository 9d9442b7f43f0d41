//! An accessibility audit of the pages with axe-core, from the npm registry.

use std::{env, fs};

use crate::{
    Browser, assert_each_is_found, assert_none, browser_or_skip, open_written,
    sentences, site,
};

/// Returns the script of the audit, which `cargo xtask page --audit`
/// downloads.
fn axe() -> Option<String> {
    let Some(file) = env::var_os("RUNGRAD_PAGE_AUDIT") else {
        let what = "axe-core here; `cargo xtask page --audit` fetches it";
        testkit::device::skip_by_name(what);
        return None;
    };
    Some(fs::read_to_string(file).expect("the script that was fetched"))
}

/// Returns the violations in the open page: rule, message, and element.
fn violations(browser: &mut Browser, axe: &str) -> Vec<String> {
    browser.evaluate(&format!("{axe};0"));
    sentences(
        browser,
        "axe.run(document, { preload: false, resultTypes: ['violations'] })
            .then(({ violations }) => violations.map(({ id, help, nodes }) =>
                `${id}: ${help}: ${nodes[0].html.slice(0, 120)}`))",
    )
}

/// Scrolls to every interactive figure and waits until it has started.
const BEGIN: &str = "(async () => {
    for (const figure of document.querySelectorAll('figure[data-figure]')) {
        figure.scrollIntoView();
        for (let i = 0; i < 1000 && !figure.classList.contains('live'); i += 1) {
            await new Promise((next) => setTimeout(next, 20));
        }
    }
})()";

/// Promise: An accessibility audit with axe-core finds nothing on any page.
#[test]
fn the_accessibility_audit_finds_nothing() {
    let Some(axe) = axe() else { return };
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    let mut found = Vec::new();
    browser.screen(390, "light");
    for page in site::pages(folder) {
        browser.open(&site::address(&folder.join(&page)));
        browser.evaluate(BEGIN);
        for violation in violations(&mut browser, &axe) {
            found.push(format!("{page}: {violation}"));
        }
    }
    assert_none(&found);
}

/// HTML with violations, and the rules that they violate.
const FAULTS: &[(&str, &str)] = &[
    ("<img src=\"data:,\">", "image-alt: "),
    ("<button></button>", "button-name: "),
    ("<h4>skipped</h4>", "heading-order: "),
    ("<div role=\"slider\" tabindex=\"0\">x</div>", "aria-required-attr: "),
    ("<table><tr><th></th><td>1</td></tr></table>", "empty-table-header: "),
    ("<input type=\"range\">", "label: "),
];

/// Promise: The accessibility audit finds each planted error.
#[test]
fn the_accessibility_audit_finds_planted_errors() {
    let Some(axe) = axe() else { return };
    let Some((mut browser, _)) = browser_or_skip() else { return };
    assert_each_is_found(FAULTS, |html| {
        open_written(&mut browser, "accessible", html);
        violations(&mut browser, &axe)
    });
}

/// mdBook's own control is a label, which cannot be reached with the keyboard.
///
/// Promise: The table of contents can be folded with the keyboard.
#[test]
fn the_table_of_contents_folds_with_the_keyboard() {
    let opened = browser_or_skip();
    let Some((mut browser, folder)) = opened else { return };
    browser.screen(1280, "light");
    browser.open(&site::address(&folder.join("strides.html")));
    let state = "(() => { const button = document.getElementById(\
                 'mdbook-sidebar-toggle'); button.focus(); return [document\
                 .documentElement.classList.contains('sidebar-visible'), \
                 button.ariaExpanded === 'true', \
                 document.activeElement === button].join(); })()";
    assert_eq!(browser.evaluate(state), "true,true,true");
    browser.press("Enter");
    assert_eq!(browser.evaluate(state), "false,false,true");
    browser.press(" ");
    assert_eq!(browser.evaluate(state), "true,true,true");
}
