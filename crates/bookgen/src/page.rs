//! A page of the book as mdBook sees it: Markdown with its includes, code
//! blocks, headings, links and ids, each with the line that it comes from.

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::tree::{Fault, Tree, ending, fault, resolve};

/// The source of a line: the page, or a Markdown file that it includes.
type Origin = (String, usize);

pub(crate) struct Page {
    /// Relative to the root of the repository: `book/src/one-expression.md`.
    pub(crate) path: String,
    pub(crate) text: String,
    origins: Vec<Origin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Include {
    /// The word after `#`, such as `include`.
    pub(crate) kind: String,
    /// The file, relative to the root of the repository.
    pub(crate) file: String,
    pub(crate) anchor: Option<String>,
}

/// A fenced (or indented) code block.
pub(crate) struct Fence {
    pub(crate) language: Option<String>,
    pub(crate) body: String,
    /// The bytes of the page from the opening fence to the closing one.
    pub(crate) range: Range<usize>,
}

impl Page {
    /// Returns the pages of the book, without its table of contents.
    pub(crate) fn all(tree: &Tree) -> Vec<Page> {
        tree.list("book/src/", ".md")
            .filter(|(path, _)| *path != "book/src/SUMMARY.md")
            .map(|(path, text)| Page::read(tree, path, text))
            .collect()
    }

    /// The pages in the order of the table of contents.
    pub(crate) fn in_order(tree: &Tree) -> Vec<Page> {
        let contents = tree.get("book/src/SUMMARY.md").unwrap_or_default();
        let mut pages = Page::all(tree);
        let name = |page: &Page| format!("({}.md)", page.name());
        let place = |page: &Page| contents.find(&name(page));
        pages.sort_by_key(|page| place(page).unwrap_or(usize::MAX));
        pages
    }

    /// The name of the page's file without its ending.
    pub(crate) fn name(&self) -> &str {
        let path = self.path.trim_start_matches("book/src/");
        path.trim_end_matches(".md")
    }

    /// The page with its included Markdown in place.
    pub(crate) fn read(tree: &Tree, path: &str, text: &str) -> Page {
        let mut page =
            Page { path: path.into(), text: String::new(), origins: vec![] };
        for (number, line) in text.lines().enumerate() {
            let include = include(path, line);
            let markdown = include
                .filter(|i| ending(&i.file) == "md")
                .and_then(|i| Some((tree.get(&i.file)?, i.file)));
            match markdown {
                None => page.push(line, path, number + 1),
                Some((text, file)) => {
                    for (number, line) in text.lines().enumerate() {
                        page.push(line, &file, number + 1);
                    }
                }
            }
        }
        page
    }

    fn push(&mut self, line: &str, file: &str, number: usize) {
        self.text.extend([line, "\n"]);
        self.origins.push((file.into(), number));
    }

    /// Returns an error at a byte of the page.
    pub(crate) fn fault(&self, at: usize, what: impl Into<String>) -> Fault {
        let line = self.text[..at].matches('\n').count();
        let (file, number) = &self.origins[line.min(self.origins.len() - 1)];
        fault(file, *number, what)
    }

    /// Returns whether the byte is from the book itself, not from an included
    /// generated file or a document of the repository.
    pub(crate) fn is_typed(&self, at: usize) -> bool {
        self.fault(at, "").file.starts_with("book/src/")
    }

    /// Returns whether the page includes the text of a file.
    pub(crate) fn holds(&self, file: &str) -> bool {
        self.origins.iter().any(|(origin, _)| origin == file)
    }

    /// Returns the line at which an included file begins, or the line that
    /// names it.
    pub(crate) fn place(&self, file: &str) -> Option<usize> {
        let text = self.origins.iter().position(|(origin, _)| origin == file);
        let includes = self.includes();
        let included = includes.iter().find(|(_, _, it)| it.file == file);
        let line = |at: &usize| self.text[..*at].matches('\n').count();
        text.or(included.map(|(at, ..)| line(at)))
    }

    /// Returns the lines, each with the byte at which it begins.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.split_inclusive('\n').scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line.trim_end_matches('\n')))
        })
    }

    pub(crate) fn events(
        &self,
    ) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        Parser::new_ext(&self.text, mdbook_options()).into_offset_iter()
    }

    pub(crate) fn fences(&self) -> Vec<Fence> {
        let mut fences: Vec<Fence> = Vec::new();
        let mut inside = false;
        for (event, range) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    inside = true;
                    let language = match kind {
                        CodeBlockKind::Fenced(info) => Some(info.to_string()),
                        CodeBlockKind::Indented => None,
                    };
                    let body = String::new();
                    fences.push(Fence { language, body, range });
                }
                Event::Text(text) if inside => {
                    fences.last_mut().expect("a fence").body += &text;
                }
                Event::End(TagEnd::CodeBlock) => inside = false,
                _ => {}
            }
        }
        fences
    }

    /// Returns the include directives of the page, inside and outside of
    /// fences.
    pub(crate) fn includes(&self) -> Vec<(usize, &str, Include)> {
        self.lines()
            .filter_map(|(at, line)| {
                Some((at, line, include(&self.path, line)?))
            })
            .collect()
    }

    /// Returns the headings with their level and text.
    pub(crate) fn headings(&self) -> Vec<(usize, u8, String)> {
        let mut headings = Vec::new();
        let mut inside = false;
        for (event, range) in self.events() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    inside = true;
                    headings.push((range.start, level as u8, String::new()));
                }
                Event::Text(text) | Event::Code(text) if inside => {
                    headings.last_mut().expect("a heading").2 += &text;
                }
                Event::End(TagEnd::Heading(_)) => inside = false,
                _ => {}
            }
        }
        headings
    }

    /// Returns every id that a link may point to: the ids of headings and
    /// definitions as mdBook 0.5 computes them, of footnotes, and of raw HTML.
    pub(crate) fn ids(&self) -> HashSet<String> {
        let mut ids = HashSet::new();
        let mut computed = HashSet::new();
        let mut given = None;
        let mut words = String::new();
        for (event, _) in self.events() {
            match event {
                Event::Start(Tag::Heading { id, .. }) => {
                    given = id.map(|id| id.to_string());
                    words.clear();
                }
                Event::Start(Tag::DefinitionListTitle) => {
                    given = None;
                    words.clear();
                }
                Event::Text(text) | Event::Code(text) => words += &text,
                Event::End(
                    TagEnd::Heading(_) | TagEnd::DefinitionListTitle,
                ) => {
                    ids.insert(given.take().unwrap_or_else(|| {
                        unique(&id_of(&words), &mut computed)
                    }));
                }
                Event::Start(Tag::FootnoteDefinition(name)) => {
                    ids.insert(format!("footnote-{name}"));
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    let given = attributes(&html, "id");
                    ids.extend(given.map(|(_, id)| id.to_string()));
                }
                _ => {}
            }
        }
        ids
    }
}

/// The options that mdBook 0.5 passes to the same parser.
pub(crate) fn mdbook_options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_SMART_PUNCTUATION
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
}

/// Returns the first mdBook directive of a line.
fn include(page: &str, line: &str) -> Option<Include> {
    let (_, rest) = line.split_once("{{#")?;
    let (inside, _) = rest.split_once("}}")?;
    let (kind, target) = inside.split_once(char::is_whitespace)?;
    let (file, anchor) = match target.trim().split_once(':') {
        Some((file, anchor)) => (file, Some(anchor.to_string())),
        None => (target.trim(), None),
    };
    let file = resolve(page, file);
    Some(Include { kind: kind.into(), file, anchor })
}

/// Returns the values of an attribute in raw HTML, each with its position.
pub(crate) fn attributes<'a>(
    html: &'a str,
    name: &'a str,
) -> impl Iterator<Item = (usize, &'a str)> {
    html.match_indices(name).filter_map(move |(at, _)| {
        let before = html[..at].chars().next_back()?;
        let rest = html[at + name.len()..].strip_prefix("=\"")?;
        let value = &rest[..rest.find('"')?];
        before.is_whitespace().then_some((at, value))
    })
}

pub(crate) fn id_of(words: &str) -> String {
    words
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            '_' | '-' => Some(c),
            c if c.is_alphanumeric() => Some(c),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        })
        .collect()
}

fn unique(id: &str, used: &mut HashSet<String>) -> String {
    let mut candidate = id.to_string();
    let mut count = 0;
    while !used.insert(candidate.clone()) {
        count += 1;
        candidate = format!("{id}-{count}");
    }
    candidate
}
