//! Checks that every link resolves, and that nothing is loaded from the
//! network.

use std::collections::{HashMap, HashSet};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use toml_span::Value;

use super::live;
use crate::page::{Page, attributes, mdbook_options};
use crate::tree::{Fault, Tree, ending, fault, resolve};

const SETTINGS: &str = "book/book.toml";
const SUMMARY: &str = "book/src/SUMMARY.md";

/// A line of the table of contents. A draft has no file yet.
struct Entry {
    line: usize,
    title: String,
    file: Option<String>,
    /// Whether it is below the title of a part but not in its list. mdBook
    /// drops such a page silently.
    is_dropped: bool,
}

fn summary(tree: &Tree) -> Vec<Entry> {
    let text = tree.get(SUMMARY).unwrap_or_default();
    let mut entries: Vec<Entry> = Vec::new();
    let (mut in_link, mut titles) = (false, 0);
    for (event, range) in
        Parser::new_ext(text, mdbook_options()).into_offset_iter()
    {
        match event {
            // The first heading is the title of the whole file.
            Event::Start(Tag::Heading { .. }) => titles += 1,
            Event::Start(Tag::List(_)) => titles = 1,
            Event::Start(Tag::Link { dest_url, .. }) => {
                in_link = true;
                entries.push(Entry {
                    line: text[..range.start].matches('\n').count() + 1,
                    title: String::new(),
                    file: (!dest_url.is_empty())
                        .then(|| resolve(SUMMARY, &dest_url)),
                    is_dropped: titles > 1,
                });
            }
            Event::Text(words) | Event::Code(words) if in_link => {
                entries.last_mut().expect("an entry").title += &words;
            }
            Event::End(TagEnd::Link) => in_link = false,
            _ => {}
        }
    }
    entries
}

/// Checks that the table of contents and the folder of pages agree, in files
/// and titles.
pub(crate) fn contents(tree: &Tree, pages: &[Page]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let entries = summary(tree);
    for entry in &entries {
        let mut say = |what| faults.push(fault(SUMMARY, entry.line, what));
        if entry.is_dropped {
            say("mdBook drops a page below a title that has no list. Put a \
                 line `---` there instead of the title."
                .into());
        }
        let Some(file) = &entry.file else { continue };
        let Some(page) = pages.iter().find(|page| page.path == *file) else {
            say(format!("`{file}` does not exist. Write it, or leave `()`."));
            continue;
        };
        let title =
            page.headings().into_iter().find(|(_, level, _)| *level == 1);
        let title = title.map(|(_, _, title)| title).unwrap_or_default();
        if title != entry.title {
            say(format!(
                "`{file}` calls itself \"{title}\". Use one title in both."
            ));
        }
    }
    let listed: HashSet<&str> =
        entries.iter().filter_map(|e| e.file.as_deref()).collect();
    for (file, _) in tree.list("book/src/", "") {
        let what = if file == SUMMARY || file.starts_with(live::FOLDER) {
            continue;
        } else if ending(file) != "md" {
            "mdBook copies this file to the site. Move it out of book/src."
        } else if file.ends_with("README.md") {
            "links to README.md break in mdBook. Choose another name."
        } else if !listed.contains(file) {
            "SUMMARY.md does not list this page. Add it there."
        } else {
            continue;
        };
        faults.push(fault(file, 1, what));
    }
    faults
}

/// Checks that every relative link and fragment of every page resolves.
pub(crate) fn check(tree: &Tree, pages: &[Page]) -> Vec<Fault> {
    let ids: HashMap<&str, HashSet<String>> =
        pages.iter().map(|p| (p.path.as_str(), p.ids())).collect();
    let mut faults = Vec::new();
    for page in pages {
        for (at, link, loads) in links(page) {
            let external = link.contains("://") || link.starts_with("//");
            if external && loads {
                faults.push(page.fault(
                    at,
                    format!(
                        "`{link}` is loaded from the network. Keep the file \
                         in the book."
                    ),
                ));
            }
            if external || link.starts_with("mailto:") {
                continue;
            }
            let (path, fragment) = match link.split_once('#') {
                Some((path, fragment)) => (path, Some(fragment)),
                None => (link.as_str(), None),
            };
            let target = match path {
                "" => page.path.clone(),
                path => resolve(&page.path, path),
            };
            let is_page = ids.contains_key(target.as_str());
            let in_src = target.starts_with("book/src/");
            if !(is_page || in_src && tree.get(&target).is_some()) {
                faults.push(page.fault(
                    at,
                    format!(
                        "the link `{link}` leads nowhere: the book has no \
                         `{target}`. Link a page of book/src."
                    ),
                ));
            } else if let Some(fragment) = fragment
                && !ids
                    .get(target.as_str())
                    .is_some_and(|i| i.contains(fragment))
            {
                faults.push(page.fault(
                    at,
                    format!(
                        "`{target}` has no heading or id `{fragment}`. \
                         Correct the fragment."
                    ),
                ));
            }
        }
    }
    faults
}

/// Returns the targets of links and images with their positions. The flag is
/// true for targets that a browser loads automatically.
fn links(page: &Page) -> Vec<(usize, String, bool)> {
    let mut links = Vec::new();
    for (event, range) in page.events() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push((range.start, dest_url.to_string(), false));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                links.push((range.start, dest_url.to_string(), true));
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                for (at, target) in attributes(&html, "src") {
                    links.push((range.start + at, target.to_string(), true));
                }
                for (at, target) in attributes(&html, "href") {
                    let tag = html[..at].rfind('<').map(|open| &html[open..at]);
                    let loads = tag.is_some_and(|tag| !tag.starts_with("<a "));
                    links.push((range.start + at, target.to_string(), loads));
                }
            }
            _ => {}
        }
    }
    links
}

/// Checks that the theme and the settings name no other host.
pub(crate) fn offline(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let files = tree
        .list("book/theme/", "")
        .chain(tree.list("book/src/live/", ".js"))
        // A packed file is one long word that may contain any characters.
        .filter(|(file, _)| !live::PACKED.contains(file))
        .chain(tree.list(SETTINGS, ""))
        .filter(|(file, _)| {
            matches!(ending(file), "css" | "js" | "hbs" | "html" | "toml")
        });
    for (file, text) in files {
        for (line, number) in text.lines().zip(1..) {
            let mut say = |what: &str| faults.push(fault(file, number, what));
            if line.replace("http://www.w3.org/", "").contains("//")
                && line.contains("http")
            {
                say("this names another host, and the book is read without \
                     a network. Keep the file in the book.");
            }
            for rest in line.split("{{ resource \"").skip(1) {
                let name = rest.split('"').next().unwrap_or_default();
                if tree.get(&format!("book/theme/{name}")).is_none() {
                    say(&format!(
                        "the theme has no `{name}`. Put it there or remove \
                         the reference."
                    ));
                }
            }
            let setting = line.trim_start();
            if setting.starts_with("mathjax-support") {
                say("MathJax comes from another host. Use book/math.");
            }
            if setting.starts_with("[preprocessor")
                || setting.starts_with("[output.")
                    && !setting.starts_with("[output.html")
            {
                say("the book is built by mdBook alone. Remove the plugin.");
            }
        }
    }
    faults
}

/// Checks that every old address leads to a page.
pub(crate) fn redirected(tree: &Tree) -> Vec<Fault> {
    let leads_nowhere = |(old, new): (String, String)| {
        let page = format!("book/src/{}.md", new.strip_suffix(".html")?);
        let what = format!(
            "the old address `{old}` leads to `{new}`, and there is no \
             {page}. Lead it to an existing page."
        );
        tree.get(&page).is_none().then(|| fault(SETTINGS, 1, what))
    };
    redirects(tree).into_iter().filter_map(leads_nowhere).collect()
}

/// Returns the old addresses, each with its new one.
pub(crate) fn redirects(tree: &Tree) -> Vec<(String, String)> {
    let text = tree.get(SETTINGS).unwrap_or_default();
    let settings = toml_span::parse(text).expect("book.toml is TOML");
    let table = settings.pointer("/output/html/redirect");
    let rows = table.and_then(Value::as_table).into_iter().flatten();
    rows.map(|(old, new)| {
        (old.name.to_string(), new.as_str().unwrap_or_default().to_string())
    })
    .collect()
}
