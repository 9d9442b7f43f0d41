//! Generates the tables of the page "Reference": the signature of each public
//! method of a type or a trait, with the first sentence of its documentation.

use crate::generated::Wanted;
use crate::manifest::Manifest;
use crate::tree::Tree;

/// The methods in the files of a folder, inside blocks that begin with a line
/// such as `impl Tensor {`.
pub(crate) struct Methods {
    pub(crate) out: String,
    pub(crate) folder: String,
    pub(crate) opening: String,
}

pub(crate) fn tables(tree: &Tree, manifest: &Manifest) -> Vec<Wanted> {
    let table = |methods: &Methods| {
        let files = tree.list(&methods.folder, ".rs");
        let rows: String = files
            .flat_map(|(_, text)| self::rows(text, &methods.opening))
            .collect();
        let Methods { folder, opening, .. } = methods;
        let table = match rows.is_empty() {
            true => Err(format!("`{folder}` has no methods in `{opening}`")),
            false => Ok(format!("| call | what it does |\n|---|---|\n{rows}")),
        };
        (methods.out.clone(), table)
    };
    manifest.methods.iter().map(table).collect()
}

fn rows(text: &str, opening: &str) -> Vec<String> {
    let mut rows = Vec::new();
    let (mut is_inside, mut comment) = (false, Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        is_inside = line.starts_with(opening) || is_inside && line != "}";
        let code = line.trim_start();
        let visibility = if opening.contains("trait") { "" } else { "pub " };
        let is_method = line.starts_with(&format!("    {visibility}fn "));
        if let Some(words) = code.strip_prefix("///") {
            comment.push(words.trim());
        } else if is_inside && is_method {
            let mut signature = code.to_string();
            while !signature.ends_with(['{', ';']) {
                let rest = lines.next().unwrap_or("{");
                signature = format!("{signature} {}", rest.trim());
            }
            rows.push(row(&signature, &comment));
        } else if !code.starts_with(['#', '/']) {
            comment.clear();
        }
    }
    rows
}

fn row(signature: &str, comment: &[&str]) -> String {
    let (_, signature) = signature.split_once("fn ").expect("a method");
    let signature = signature.trim_end_matches([' ', '{', ';']);
    let signature = signature.replace("( ", "(").replace(", )", ")");
    let paragraph = comment.split(|line| line.is_empty()).next();
    let paragraph = paragraph.unwrap_or_default().join(" ");
    let sentence = paragraph.split(". ").next().unwrap_or_default();
    // Links to items of Rust lead nowhere in the book.
    let parts = sentence.split("`]").map(|part| {
        let link = part.strip_prefix('(').and_then(|it| it.split_once(')'));
        link.map_or(part, |(_, rest)| rest)
    });
    let sentence = parts.collect::<Vec<_>>().join("`").replace("[`", "`");
    let sentence = format!("{}.", sentence.trim_end_matches('.'));
    let cell = |text: &str| text.replace('|', "\\|");
    format!("| `{}` | {} |\n", cell(&signature), cell(&sentence))
}

#[test]
fn a_table_has_the_signature_and_the_first_sentence_of_a_method() {
    let text = "\
impl Tensor {
    /// Adds `a|b`, as [`Tensor::add`]
    /// and [`Op`](crate::Op) do. More.
    ///
    /// # Panics
    #[track_caller]
    pub fn sum(
        &self,
        keep: Keep,
    ) -> Tensor {
        inner();
    }

    fn hidden(&self) {}
}

impl Array {
    /// Not in the table.
    pub fn sum(&self) {}
}
";
    let wanted = "| `sum(&self, keep: Keep) -> Tensor` | Adds `a\\|b`, as \
                  `Tensor::add` and `Op` do. |\n";
    assert_eq!(rows(text, "impl Tensor {"), [wanted]);
}
