//! Tests the pages of the book in a real browser, from a folder, without a
//! network: layout and behavior in every theme, on a wide and a narrow screen,
//! and the figures against the native engine.

mod accessible;
mod devtools;
mod engine;
mod exercises;
mod figures;
mod planted;
mod site;

use std::fs;
use std::path::{Path, PathBuf};

use devtools::Browser;

/// The script that checks the layout of a page.
const AUDIT: &str = include_str!("audit.js");
const SCHEMES: [&str; 2] = ["light", "dark"];
const WIDTHS: [u32; 2] = [1280, 390];

/// Returns a browser and the folder of the book, or prints a skip.
#[track_caller]
fn browser_or_skip() -> Option<(Browser, &'static Path)> {
    let Some(program) = devtools::chromium() else {
        let how = "`cargo learn setup --authors` installs Chromium";
        testkit::device::skip("no Chromium", how);
        return None;
    };
    match site::folder() {
        Ok(folder) => Some((Browser::start(&program), folder)),
        Err(why) => {
            let how = "`cargo learn book --build` compiles it";
            testkit::device::skip(&why, how);
            None
        }
    }
}

/// Evaluates a script that returns a list of sentences.
fn sentences(browser: &mut Browser, script: &str) -> Vec<String> {
    serde_json::from_value(browser.evaluate(script)).expect("sentences")
}

/// Returns the browser's complaints, and everything that the page loaded from
/// other places.
fn complaints(browser: &mut Browser, folder: &Path) -> Vec<String> {
    let home = site::address(folder);
    let mut faults = Vec::new();
    for event in browser.take_events() {
        let params = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => {
                let what = &params["exceptionDetails"]["exception"];
                faults.push(format!("a script failed: {what}"));
            }
            "Runtime.consoleAPICalled" if params["type"] == "error" => {
                faults.push(format!("a script complains: {}", params["args"]));
            }
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                let entry = &params["entry"];
                faults.push(format!("{} {}", entry["text"], entry["url"]));
            }
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                let inside = [&home, "data:", "blob:", "about:"];
                if !inside.iter().any(|it| url.starts_with(*it)) {
                    faults.push(format!("it loads {url}, outside of the book"));
                }
            }
            _ => {}
        }
    }
    faults
}

#[track_caller]
fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Promise: Every page works in every theme at 1280 and at 390 pixels: figures
/// run, nothing overflows, contrast is at least 4.5, and the keyboard reaches
/// every control.
#[test]
fn every_page_works_in_every_theme_and_width() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    let mut found = Vec::new();
    for (i, page) in site::pages(folder).iter().enumerate() {
        // The audit switches through the themes itself.
        let scheme = SCHEMES[i % 2];
        browser.screen(WIDTHS[0], scheme);
        browser.open(&site::address(&folder.join(page)));
        for width in WIDTHS {
            browser.screen(width, scheme);
            let mut faults = sentences(&mut browser, AUDIT);
            faults.extend(complaints(&mut browser, folder));
            let faults = faults.iter();
            found.extend(faults.map(|it| format!("{page}, {width} px: {it}")));
        }
    }
    assert_none(&found);
}

/// Without a choice of the reader, the page uses the system's theme.
///
/// Promise: A page follows the system's theme until the reader picks one.
#[test]
fn a_page_follows_the_theme_of_the_system() {
    let opened = browser_or_skip();
    let Some((mut browser, folder)) = opened else { return };
    let address = site::address(&folder.join("index.html"));
    let worn = "['light', 'ayu', 'coal'].find((it) => \
                document.documentElement.classList.contains(it))";
    for (scheme, theme) in [("light", "light"), ("dark", "ayu")] {
        browser.screen(WIDTHS[0], scheme);
        browser.open(&address);
        assert_eq!(browser.evaluate(worn), theme);
    }
    browser.evaluate("document.getElementById('mdbook-theme-coal').click()");
    browser.open(&address);
    assert_eq!(browser.evaluate(worn), "coal");
}

/// Without scripts, the static figures are shown.
///
/// Promise: Every page shows its static figures without scripts.
#[test]
fn every_page_is_complete_without_scripts() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    let off = serde_json::json!({ "value": true });
    browser.call("Emulation.setScriptExecutionDisabled", off);
    let mut found = Vec::new();
    for page in site::pages(folder) {
        browser.screen(WIDTHS[0], SCHEMES[0]);
        browser.open(&site::address(&folder.join(&page)));
        for fault in still(&mut browser) {
            found.push(format!("{page}: {fault}"));
        }
    }
    assert_none(&found);
}

/// Returns the errors in a page whose scripts do not run.
fn still(browser: &mut Browser) -> Vec<String> {
    let script = "(() => {
        const faults = [];
        if (document.querySelector('.steps, .stage')) faults.push('its scripts run');
        if (document.querySelector('main').innerText.trim().length < 200) {
            faults.push('it shows no text');
        }
        for (const figure of document.querySelectorAll('main figure')) {
            const picture = figure.querySelector('svg, pre, table, details');
            const name = figure.dataset.figure ?? figure.className;
            if (!(picture?.getBoundingClientRect().height > 20)) {
                faults.push(`the figure ${name} shows nothing`);
            }
        }
        return faults;
    })()";
    sentences(browser, script)
}

/// Creates a folder for pages that a test writes, outside of the book.
fn scratch(name: &str) -> PathBuf {
    let folder = testkit::place::scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be written");
    folder
}

/// Opens a page that a test has written, and returns its folder.
fn open_written(browser: &mut Browser, name: &str, html: &str) -> PathBuf {
    let folder = scratch(name);
    let page = folder.join("index.html");
    fs::write(&page, html).expect("the page can be written");
    browser.open(&site::address(&page));
    folder
}

/// Plants each error in a page, and asserts that a message about the page
/// contains the expected words. A page without errors has no messages.
#[track_caller]
fn assert_each_is_found(
    errors: &[(&str, &str)],
    mut look: impl FnMut(&str) -> Vec<String>,
) {
    let page = |planted: &str| {
        format!(
            "<!doctype html><html lang=\"en\"><title>A page</title>\
             <body style=\"background: #fff\"><main><h1>A page</h1>\
             <p>It has a word.</p>{planted}</main></body></html>"
        )
    };
    assert_eq!(look(&page("")), [""; 0]);
    for (planted, words) in errors {
        let found = look(&page(planted));
        let is_told = found.iter().any(|it| it.contains(words));
        assert!(is_told, "{planted}: nothing says `{words}`: {found:#?}");
    }
}
