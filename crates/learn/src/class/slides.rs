//! `cargo learn class slides`: a deck of slides for each page of the book, made
//! from the sources of the page.

use std::fs;
use std::path::Path;

use crate::anchor::region;
use crate::checkout::{Checkout, replace};
use crate::command::Stop;
use crate::course::{Contents, Exercise};
use crate::exercises::stub::SolutionFile;
use crate::tables::{Choice, Misconception, Question, escaped, html, rows};
use crate::terminal::say;
use crate::tutor::Hidden;

/// The page around the slides. A name between `@` is replaced.
const TEMPLATE: &str = include_str!("slides.html");

/// Longer listings do not fit on a slide.
const MAX_LINES: usize = 25;

/// Higher figures have their caption on the right instead of below.
const MAX_HEIGHT: u32 = 340;

const MISCONCEPTIONS_PER_SLIDE: usize = 5;

pub(super) fn run(
    checkout: &Checkout,
    exercises: &[Exercise],
    folder: &str,
) -> Result<(), Stop> {
    let book = Book::read(checkout, exercises)?;
    let contents = Contents::read(checkout);
    let mut count = 0;
    for page in contents.pages() {
        let Some(deck) = book.deck(page)? else { continue };
        let name = page.trim_end_matches(".md");
        let name = match contents.number(page) {
            Some(number) => format!("{number:02}-{name}.html"),
            None => format!("{name}.html"),
        };
        replace(&Path::new(folder).join(name), deck.as_bytes())?;
        count += 1;
    }
    say!("{count} decks of slides: {folder}");
    say!(
        "Open one in a browser. The arrow keys change the slide, and printing"
    );
    say!("makes a PDF.");
    Ok(())
}

/// The sources of the slides, in addition to the pages.
struct Book<'a> {
    checkout: &'a Checkout,
    exercises: &'a [Exercise],
    questions: Vec<Question>,
    misconceptions: Vec<Misconception>,
    colors: String,
}

impl Book<'_> {
    fn read<'a>(
        checkout: &'a Checkout,
        exercises: &'a [Exercise],
    ) -> Result<Book<'a>, Stop> {
        let questions = read(checkout, "book/questions.toml")?;
        let known = read(checkout, "exercises/misconceptions.toml")?;
        // The first rule of the stylesheet has the colors of the light theme.
        let css = read(checkout, "book/theme/book.css")?;
        let colors = css.split_once('{').and_then(|it| it.1.split_once('}'));
        Ok(Book {
            checkout,
            exercises,
            questions: rows(&questions, "question").map_err(Stop::Failed)?,
            misconceptions: rows(&known, "misconception")
                .map_err(Stop::Failed)?,
            colors: colors.unwrap_or_default().0.to_string(),
        })
    }

    /// Returns the slides of a page, or `None` if only its title would be
    /// shown.
    fn deck(&self, page: &str) -> Result<Option<String>, Stop> {
        let text = read(self.checkout, &format!("book/src/{page}"))?;
        let mut lines = text.lines();
        let title = lines.find_map(|line| line.strip_prefix("# "));
        let title = prose(title.unwrap_or(page));
        // The goal is the first paragraph, in bold type.
        let goal = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let goal = goal.strip_prefix("**").and_then(|it| it.strip_suffix("**"));
        let goal = prose(goal.unwrap_or_default());
        let mut slides = vec![slide(
            "title",
            "",
            &format!("<h1>{title}</h1>\n<p>{goal}</p>"),
        )];
        let mut hidden = Vec::new();
        for exercise in self.exercises.iter().filter(|it| it.chapter == page) {
            hidden.push(Hidden::of(&SolutionFile::read(
                self.checkout,
                exercise,
            )?));
        }
        slides.extend(self.of_text(&text, &title, &hidden)?);
        let questions = self.questions.iter().filter(|it| it.chapter == page);
        slides.extend(questions.flat_map(of_question));
        for exercise in self.exercises {
            slides.extend(of_exercise(exercise, page));
        }
        slides.extend(self.of_misconceptions(page));
        let deck = TEMPLATE
            .replace("@title@", &title)
            .replace("@colors@", &self.colors)
            .replace("@slides@", &slides.concat());
        Ok((slides.len() > 1).then_some(deck))
    }

    /// Returns the figures, tasks and short listings of a page. Listings of
    /// examples are only used on a page without other listings. A listing with
    /// a line of a solution is left out.
    fn of_text(
        &self,
        text: &str,
        title: &str,
        hidden: &[Hidden],
    ) -> Result<Vec<String>, Stop> {
        let mut slides = Vec::new();
        let (mut heading, mut svg) = (title.to_string(), String::new());
        let mut paragraphs = Vec::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                heading = prose(title);
            } else if let Some((file, anchor)) = include(line) {
                let order = match file.split('/').next() {
                    Some("figures") => {
                        svg = read(self.checkout, &format!("book/{file}"))?;
                        continue;
                    }
                    Some("src" | "kernels" | "crates") => 1,
                    Some("examples") => 2,
                    _ => continue,
                };
                let text = read(self.checkout, file)?;
                let code = region(&text, anchor).unwrap_or(text);
                let count = code.lines().count();
                let is_solution = hidden.iter().any(|it| it.is_in(&code));
                if count <= MAX_LINES && !is_solution {
                    let code: String = code.lines().map(line_of_code).collect();
                    let heading = format!("{heading} <span>{file}</span>");
                    let style = format!("style=\"--lines: {count}\"");
                    let code = format!("<pre {style}>{code}</pre>");
                    slides.push((order, slide("code", &heading, &code)));
                }
            } else if line.starts_with("<figcaption>") {
                let is_tall = height(&svg) > Some(MAX_HEIGHT);
                let class = if is_tall { "tall" } else { "wide" };
                let figure = format!("<figure>\n{svg}{line}\n</figure>");
                slides.push((0, slide(class, &heading, &figure)));
            } else if line.starts_with("<p>") {
                paragraphs.push(line);
            } else if let ("</figure>", [ask, .., answer]) =
                (line, &paragraphs[..])
            {
                let task = format!("<div class=\"body ask\">{ask}</div>");
                slides.push((0, slide("task", &heading, &task)));
                let answer = format!("<div class=\"body\">{answer}</div>");
                slides.push((0, slide("answer", "The answer", &answer)));
                paragraphs.clear();
            }
        }
        let used = slides.iter().map(|it| it.0).filter(|it| *it > 0).min();
        slides.retain(|(order, _)| *order == 0 || Some(*order) == used);
        Ok(slides.into_iter().map(|it| it.1).collect())
    }

    /// Returns what goes wrong in the exercises of a page.
    fn of_misconceptions(&self, page: &str) -> Vec<String> {
        let is_here = |answer: &String| {
            let id = answer.split('/').next();
            let mut exercises = self.exercises.iter();
            exercises.any(|it| it.chapter == page && Some(&*it.id) == id)
        };
        let known = self.misconceptions.iter();
        let known: Vec<&Misconception> =
            known.filter(|it| it.answers.iter().any(is_here)).collect();
        let slides = known.len().div_ceil(MISCONCEPTIONS_PER_SLIDE).max(1);
        let per_slide = known.len().div_ceil(slides).max(1);
        known
            .chunks(per_slide)
            .map(|some| {
                let rows = some.iter().map(|it| {
                    let (belief, fact) = (html(&it.belief), html(&it.fact));
                    format!("<tr><td>{belief}</td><td>{fact}</td></tr>\n")
                });
                let rows: String = rows.collect();
                let table = format!(
                    "<table class=\"body\">\n<tr><th>You may believe</th>\
                     <th>In fact</th></tr>\n{rows}</table>"
                );
                slide("wrong", "What goes wrong", &table)
            })
            .collect()
    }
}

fn read(checkout: &Checkout, file: &str) -> Result<String, Stop> {
    fs::read_to_string(checkout.root.join(file)).map_err(|error| {
        Stop::Failed(format!(
            "cannot read {file}: {error}; `git checkout {file}` restores it"
        ))
    })
}

fn slide(class: &str, heading: &str, inside: &str) -> String {
    format!(
        "<section class=\"{class}\">\n<h2>{heading}</h2>\n{inside}\n\
         </section>\n"
    )
}

/// Returns a question, and its answer on the next slide.
fn of_question(question: &Question) -> [String; 2] {
    let Question { question, choices, .. } = question;
    let list = |item: fn(&Choice) -> String| -> String {
        choices.iter().map(item).collect()
    };
    let asked = list(|it| format!("<li>{}</li>\n", html(&it.text)));
    let answered = list(|Choice { text, is_right, reason }| {
        let class = if *is_right { " class=\"right\"" } else { "" };
        let (text, reason) = (html(text), html(reason));
        format!("<li{class}>{text} <small>{reason}</small></li>\n")
    });
    let question = format!(
        "<div class=\"body\">\n<p class=\"ask\">{}</p>\n<ol>\n{asked}</ol>\n\
         </div>",
        html(question)
    );
    let answer = format!("<ol class=\"body\">\n{answered}</ol>");
    [
        slide("question", "Check yourself", &question),
        slide("answer", "The answer", &answer),
    ]
}

/// Returns the exercise, or its levels, if they belong to the page.
fn of_exercise(exercise: &Exercise, page: &str) -> Vec<String> {
    let Exercise { id, title, file, task, size, .. } = exercise;
    let body = |title: &str, task: &str, size: &str, effort: &str| {
        let inside = format!(
            "<div class=\"body\">\n<p>{}</p>\n<p class=\"small\">You edit \
             <code>exercises/{file}</code>: {size}{effort}.</p>\n\
             <pre>cargo learn check {id}</pre>\n</div>",
            html(task)
        );
        slide("exercise", &format!("Exercise: {}", html(title)), &inside)
    };
    let effort = format!("; {}", exercise.effort());
    let whole =
        (exercise.chapter == page).then(|| body(title, task, size, &effort));
    let levels = exercise.levels.iter().zip(1..);
    let levels = levels.filter(|(level, _)| level.chapter == page);
    let levels = levels.map(|(level, number)| {
        let title = format!("{title}, level {number}: {}", level.name);
        body(&title, &level.task, &level.size, "")
    });
    whole.into_iter().chain(levels).collect()
}

/// Returns the file and the anchor of a line that includes a file.
fn include(line: &str) -> Option<(&str, &str)> {
    let place = line.strip_prefix("{{#include ")?.strip_suffix("}}")?;
    let place = place.trim_start_matches("../");
    Some(place.split_once(':').unwrap_or((place, "")))
}

/// Returns a sentence of a page as HTML, without links and emphasis.
fn prose(markdown: &str) -> String {
    let mut parts = markdown.split("](");
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts
        .map(|it| it.split_once(')').map_or(it, |(_, after)| after))
        .collect();
    let first =
        if rest.is_empty() { first.into() } else { first.replace('[', "") };
    html(&(first + &rest.concat())).replace('*', "")
}

/// Returns the height of a figure, from its `viewBox`.
fn height(svg: &str) -> Option<u32> {
    let view = svg.split('"').find(|it| it.starts_with("0 0 "))?;
    view.rsplit(' ').next()?.parse().ok()
}

fn line_of_code(line: &str) -> String {
    match (escaped(line), line.trim_start().starts_with("//")) {
        (line, true) => format!("<i>{line}</i>\n"),
        (line, false) => format!("{line}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::exercises;

    /// Returns the text of a page of HTML.
    fn text(html: &str) -> String {
        let parts = html.split('<').filter_map(|it| it.split_once('>'));
        let text: String = parts.map(|(_, text)| text).collect();
        let text = text.replace("&lt;", "<").replace("&gt;", ">");
        text.replace("&amp;", "&")
    }

    /// Promise: The slides of a page have each of its figures and questions
    /// once, and no line of the solution of an exercise on that page.
    #[test]
    fn slides_have_every_figure_and_question_and_no_solution() {
        let checkout = Checkout::of_this_repository();
        let exercises = exercises(&checkout).unwrap();
        let book = Book::read(&checkout, &exercises).unwrap();
        let (mut figures, mut questions) = (0, 0);
        for page in Contents::read(&checkout).pages() {
            let deck = book.deck(page).unwrap().unwrap_or_default();
            let once = |part: &str| {
                assert_eq!(deck.matches(part).count(), 1, "{page}: {part}");
            };
            let source = read(&checkout, &format!("book/src/{page}")).unwrap();
            let names: Vec<&str> = source
                .lines()
                .filter_map(|it| {
                    it.split_once("../figures/")?.1.split_once("}}")
                })
                .map(|(name, _)| name)
                .collect();
            for name in &names {
                let figure = format!("book/figures/{name}");
                once(&read(&checkout, &figure).unwrap());
            }
            assert_eq!(deck.matches("<svg ").count(), names.len(), "{page}");
            figures += names.len();
            for row in book.questions.iter().filter(|it| it.chapter == page) {
                once(&format!(">{}</p>", html(&row.question)));
                for choice in &row.choices {
                    once(&format!("<small>{}</small>", html(&choice.reason)));
                }
                questions += 1;
            }
            let text = text(&deck);
            for exercise in exercises.iter().filter(|it| it.chapter == page) {
                let solution = SolutionFile::read(&checkout, exercise);
                let hidden = Hidden::of(&solution.unwrap());
                assert!(!hidden.is_in(&text), "{page}: {}", exercise.id);
            }
        }
        assert_eq!(questions, book.questions.len());
        assert!(figures > 80, "only {figures} figures");
    }
}
