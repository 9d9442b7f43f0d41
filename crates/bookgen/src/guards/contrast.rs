//! Checks that every color of the stylesheet is readable on every background:
//! the contrast ratio of WCAG 2 must be at least 4.5.

use std::collections::HashMap;

use crate::tree::{Fault, Tree, fault};

const STYLESHEET: &str = "book/theme/book.css";
const MIN_RATIO: f64 = 4.5;

/// The backgrounds of mdBook 0.5's themes: page, code and sidebar.
const THEMES: [(&str, [&str; 3]); 5] = [
    ("light", ["#ffffff", "#f6f7f6", "#fafafa"]),
    ("rust", ["#e1e1db", "#f6f7f6", "#3b2e2a"]),
    ("coal", ["#131516", "#1d1f21", "#292c2f"]),
    ("navy", ["#161923", "#1d1f21", "#282d3f"]),
    ("ayu", ["#0f1419", "#191f26", "#14191f"]),
];

/// The variables that color text, by background.
const ON_PAGE: [&str; 7] = [
    "--links",
    "--muted",
    "--inline-code-color",
    "--fig-value",
    "--fig-grad",
    "--fig-cpu",
    "--fig-gpu",
];
const ON_CODE: [&str; 2] = ["--code-comment", "--code-name"];
const ON_SIDEBAR: &str = "--sidebar-non-existant";
const ON_OTHER_COLORS: [(&str, &str); 2] = [
    ("--code-added", "--code-added-back"),
    ("--code-removed", "--code-removed-back"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let css = tree.get(STYLESHEET).unwrap_or_default();
    let mut faults = Vec::new();
    for (theme, [page, code, sidebar]) in THEMES {
        let colors = variables(css, theme);
        let on_page = ON_PAGE.map(|name| (name, page));
        let on_code = ON_CODE.map(|name| (name, code));
        let on_another = ON_OTHER_COLORS
            .map(|(name, back)| (name, colors.get(back).map_or("", |c| c.1)));
        let pairs = on_page.into_iter().chain(on_code).chain(on_another);
        let pairs = pairs.chain([(ON_SIDEBAR, sidebar)]);
        for (name, background) in pairs {
            let Some((line, color)) = colors.get(name) else {
                faults.push(fault(
                    STYLESHEET,
                    1,
                    format!("the theme {theme} has no {name}. Give it one."),
                ));
                continue;
            };
            let ratio = ratio(color, background);
            if ratio < MIN_RATIO {
                faults.push(fault(
                    STYLESHEET,
                    *line,
                    format!(
                        "{name}: {color} on {background} ({theme}) has the \
                         contrast {ratio:.2}. Readers need {MIN_RATIO}."
                    ),
                ));
            }
        }
    }
    faults
}

/// Returns the values of the variables in a theme, each with its line.
fn variables<'a>(
    css: &'a str,
    theme: &str,
) -> HashMap<&'a str, (usize, &'a str)> {
    let class = format!(".{theme}");
    let mut inside = false;
    let mut variables = HashMap::new();
    for (number, line) in css.lines().enumerate() {
        if let Some(selectors) = line.trim_end().strip_suffix('{') {
            inside = selectors.split(',').any(|s| s.trim() == class);
        }
        for declaration in line.split([';', '{']).filter(|_| inside) {
            if let Some((name, value)) = declaration.split_once(':')
                && name.trim().starts_with("--")
            {
                variables.insert(name.trim(), (number + 1, value.trim()));
            }
        }
        inside &= !line.contains('}');
    }
    variables
}

fn ratio(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(hex: &str) -> f64 {
    let part = |i: usize| {
        let digits = hex.get(i..i + 2).unwrap_or("");
        let value = u8::from_str_radix(digits, 16)
            .unwrap_or_else(|_| panic!("`{hex}` is not a color like #1a2b3c"));
        let value = f64::from(value) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}
