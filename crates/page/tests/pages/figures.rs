//! The figures of the pages, operated with the keyboard, the mouse and a
//! finger.
//!
//! A figure shows the answers of the engine in its page. `engine.rs` tests
//! separately that this engine agrees with the native one.

mod devices;
mod networks;
mod tensors;
mod training;
mod unified;

use serde_json::{Value, json};

use crate::{Browser, assert_none, browser_or_skip, sentences, site};

/// JavaScript helpers: the figure, all elements in it that match a selector,
/// their texts, and the engine of the page.
const HELPERS: &str = "
    const figure = document.querySelector(`figure[data-figure=${name}]`);
    const all = (selector) => [...figure.querySelectorAll(selector)];
    const plain = (words) => words.replace(/\\s+/g, ' ').trim();
    const texts = (selector) => all(selector)
        .map((it) => plain(it.innerText ?? it.textContent)).join('; ');
    const ask = async (...question) => (window.asked ??= live.engine())(...question);";

/// A figure in an open page.
pub(crate) struct Figure {
    pub(crate) browser: Browser,
    address: String,
    name: &'static str,
}

impl Figure {
    /// Opens a page on a narrow screen and waits until its figure has started.
    #[track_caller]
    fn open(page: &str, name: &'static str) -> Option<Figure> {
        let (mut browser, folder) = browser_or_skip()?;
        browser.screen(390, "light");
        let address = site::address(&folder.join(page));
        let mut figure = Figure { browser, address, name };
        figure.load();
        Some(figure)
    }

    /// Loads the page, possibly again.
    #[track_caller]
    fn load(&mut self) {
        self.browser.open(&self.address);
        self.value("figure.scrollIntoView({ block: 'center' })");
        self.play("js figure.classList.contains('live') | true");
    }

    /// Evaluates an expression of JavaScript that may use the helpers.
    fn value(&mut self, expression: &str) -> Value {
        let name = json!(self.name);
        self.browser.evaluate(&format!(
            "(async () => {{ const name = {name}; {HELPERS}
             return ({expression}); }})()"
        ))
    }

    /// Waits up to twenty seconds until an expression has a value, or contains
    /// it. Otherwise returns the actual value.
    fn wait(&mut self, expression: &str, compare: &str) -> Option<String> {
        let found = self.value(&format!(
            "await (async () => {{
                const end = performance.now() + 20000;
                let found;
                do {{
                    try {{ found = String(await ({expression})); }}
                    catch (error) {{ found = String(error); }}
                    if (found.{compare}) return null;
                    await new Promise((next) => setTimeout(next, 20));
                }} while (performance.now() < end);
                return found;
            }})()"
        ));
        found.as_str().map(str::to_string)
    }

    /// Performs the steps of a script, one on each line: a verb, a selector
    /// within the figure, and an argument after ` | `. Fails with all texts
    /// that did not appear.
    ///
    /// | step | what it does |
    /// |---|---|
    /// | `see SELECTOR \| TEXTS` | waits for exactly these texts, separated by `; ` |
    /// | `has SELECTOR \| TEXT` | waits until the texts contain this one |
    /// | `says \| SENTENCE` | waits until the status contains a sentence |
    /// | `js EXPRESSION \| VALUE` | waits until an expression has this value |
    /// | `run STATEMENT` | executes JavaScript |
    /// | `keys SELECTOR \| KEYS` | focuses the element and presses keys; without a selector presses them |
    /// | `type SELECTOR \| WORDS` | replaces the text of an input |
    /// | `choose SELECTOR \| VALUE` | chooses an option of a list |
    /// | `button \| WORDS` | presses the button with these words |
    /// | `drag SELECTOR \| OFFSETS` | drags with the mouse through offsets from the middle, an expression; clicks without them |
    /// | `touch SELECTOR \| OFFSETS` | the same with a finger |
    #[track_caller]
    fn play(&mut self, script: &str) {
        let mut missing = Vec::new();
        let steps = script.lines().map(str::trim).filter(|it| !it.is_empty());
        for step in steps {
            let (head, argument) = step.rsplit_once(" |").unwrap_or((step, ""));
            let (verb, of) = head.split_once(' ').unwrap_or((head, ""));
            let (of, argument) = (of.trim(), argument.trim());
            let [selector, words] = [of, argument].map(|it| json!(it));
            let found = match verb {
                "see" => self.wait(
                    &format!("texts({selector})"),
                    &format!("trim() === {words}"),
                ),
                "has" => self.wait(
                    &format!("texts({selector})"),
                    &format!("includes({words})"),
                ),
                "says" => {
                    self.wait("texts('.said')", &format!("includes({words})"))
                }
                "js" => self.wait(of, &format!("trim() === {words}")),
                _ => {
                    self.act(verb, of, argument);
                    None
                }
            };
            if let Some(found) = found {
                missing.push(format!("{step}\n    instead: {found}"));
            }
        }
        assert!(missing.is_empty(), "{}:\n{}", self.name, missing.join("\n"));
    }

    fn act(&mut self, verb: &str, of: &str, argument: &str) {
        let [selector, words] = [of, argument].map(|it| json!(it));
        match verb {
            "run" => drop(self.value(of)),
            "keys" => {
                if !of.is_empty() {
                    self.value(&format!("all({selector})[0].focus()"));
                }
                self.press(argument);
            }
            "type" => {
                self.value(&format!(
                    "[all({selector})[0]].map((it) => (it.select(), it.focus()))"
                ));
                let words = json!({ "text": argument });
                self.browser.call("Input.insertText", words);
            }
            "choose" => drop(self.value(&format!(
                "[all({selector})[0]].map((it) => (it.value = {words}, \
                 it.dispatchEvent(new Event('change'))))"
            ))),
            "button" => {
                self.value(&format!(
                    "all('button').find((it) => plain(it.innerText) === \
                     {words}).focus()"
                ));
                self.press("Enter");
            }
            "drag" | "touch" => {
                let offsets =
                    if argument.is_empty() { "[[0, 0]]" } else { argument };
                let points = self.value(&format!(
                    "[all({selector})[0]].map((it) => {{
                        it.scrollIntoView({{ block: 'center' }});
                        const box = it.getBoundingClientRect();
                        return ({offsets}).map(([x, y]) => [
                            (box.left + box.right) / 2 + x,
                            (box.top + box.bottom) / 2 + y,
                        ]);
                    }})[0]"
                ));
                let points: Vec<[f64; 2]> =
                    serde_json::from_value(points).expect("points");
                match verb {
                    "drag" => self.browser.drag(&points),
                    _ => self.browser.touch(&points),
                }
            }
            other => panic!("`{other}` is not a step of a script"),
        }
    }

    fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            let (key, times) = key.split_once('*').unwrap_or((key, "1"));
            let key = if key == "Space" { " " } else { key };
            let times: usize = times.parse().expect("a number of presses");
            (0..times).for_each(|_| self.browser.press(key));
        }
    }
}

/// Opens a figure and plays a script. Skips without a browser.
#[track_caller]
fn play(page: &str, name: &'static str, script: &str) {
    if let Some(mut figure) = Figure::open(page, name) {
        figure.play(script);
    }
}

/// Promise: A page whose engine cannot run keeps its static figures.
#[test]
fn a_page_without_an_engine_keeps_its_static_figures() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    let source = json!({ "source": "delete window.WebAssembly" });
    browser.call("Page.addScriptToEvaluateOnNewDocument", source);
    for page in ["introduction.html", "one-backward-pass.html"] {
        browser.open(&site::address(&folder.join(page)));
        let kept = browser.evaluate(
            "(async () => {
                for (const figure of document.querySelectorAll('[data-figure]')) {
                    figure.scrollIntoView();
                    const end = performance.now() + 10000;
                    while (!figure.matches('.failed, .live') && performance.now() < end) {
                        await new Promise((next) => setTimeout(next, 20));
                    }
                    const picture = figure.querySelector('svg, details');
                    const ok = figure.matches('.failed') && picture.checkVisibility()
                        && !figure.querySelector('.stage');
                    if (!ok) return figure.dataset.figure;
                }
                return 'all';
            })()",
        );
        assert_eq!(kept, "all", "{page}");
    }
}

/// Promise: An interactive figure is printed as its static figure.
#[test]
fn an_interactive_figure_is_printed_as_its_static_figure() {
    let Some(mut figure) = Figure::open("nudge-it.html", "nudge") else {
        return;
    };
    figure.play("js all('.still')[0].checkVisibility() | false");
    let paper = json!({ "media": "print" });
    figure.browser.call("Emulation.setEmulatedMedia", paper);
    figure.play(
        "
        js all('.still')[0].checkVisibility() | true
        js all('.stage')[0].checkVisibility() | false
        js all('figcaption [data-when=live]')[0].checkVisibility() | false
        ",
    );
}

/// The climb reserves its height. The static figure is in the middle of it, and
/// the interactive one fills it.
#[test]
fn the_climb_has_no_gap_and_does_not_scroll() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    browser.screen(390, "light");
    browser.open(&site::address(&folder.join("introduction.html")));
    let found = browser.evaluate(
        "(async () => {
            const figure = document.querySelector('[data-figure=climb]');
            const box = (part) => figure.querySelector(part).getBoundingClientRect();
            const below = (picture) => box('figcaption').top - box(picture).bottom;
            const above = box('svg').top - figure.getBoundingClientRect().top;
            const centered = Math.abs(above - below('svg')) < 20;
            figure.scrollIntoView();
            while (!figure.matches('.live')) await new Promise((next) => setTimeout(next, 20));
            await new Promise((next) => setTimeout(next, 200));
            return [centered, below('.stage') < 40, figure.dataset.scrolls ?? 'fits'].join();
        })()",
    );
    assert_eq!(found, "true,true,fits");
}

/// Promise: On a phone, the right part of a wide figure is below its left part.
#[test]
fn a_wide_figure_folds_on_a_phone() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    let script = "(() => {
        const svg = document.querySelector('figure svg.folds');
        const parts = [...svg.children].map((it) => it.getBoundingClientRect())
            .filter((it) => it.width > 0);
        const right = parts.pop();
        const figure = svg.closest('figure');
        return [parts.every((it) => it.bottom <= right.top), right.right <= innerWidth,
            figure.scrollWidth <= figure.clientWidth,
            figure.querySelector('figcaption').getBoundingClientRect().top >= right.bottom].join();
    })()";
    for (width, folds) in
        [(390, "true,true,true,true"), (1280, "false,true,true,true")]
    {
        browser.screen(width, "light");
        browser.open(&site::address(&folder.join("corners.html")));
        assert_eq!(browser.evaluate(script), folds, "{width} px");
    }
}

/// The titles of the static figures that may scroll sideways on a phone.
const SCROLLING: [&str; 0] = [];

/// Promise: On a phone, no static figure scrolls sideways, and its text is at
/// least 11 pixels high.
#[test]
fn every_static_figure_fits_a_phone() {
    let Some((mut browser, folder)) = browser_or_skip() else { return };
    let off = json!({ "value": true });
    browser.call("Emulation.setScriptExecutionDisabled", off);
    browser.screen(390, "light");
    let scrolling = json!(SCROLLING);
    let script = format!(
        "[...document.querySelectorAll('main figure svg')].flatMap((svg) => {{
            const title = svg.querySelector('title').textContent;
            const figure = svg.closest('figure');
            const scrolls = figure.scrollWidth > figure.clientWidth;
            if (scrolls !== {scrolling}.includes(title)) return [`${{title}}: scrolls: ${{scrolls}}`];
            const height = (text) => {{
                const {{ a, b }} = text.getScreenCTM();
                return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
            }};
            return [...svg.querySelectorAll('text')]
                .filter((text) => text.checkVisibility() && height(text) < 11)
                .map((text) => `${{title}}: ${{text.textContent}} is ${{height(text)}} px high`);
        }})"
    );
    let mut found = Vec::new();
    for page in site::pages(folder) {
        browser.open(&site::address(&folder.join(page)));
        found.extend(sentences(&mut browser, &script));
    }
    assert_none(&found);
}
