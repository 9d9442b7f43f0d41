//! Draws the attention tables of a name.

use std::fmt::Write;
use std::path::Path;

use rungrad::Error;
use rungrad::data::{Names, names};
use rungrad::draw::save;
use rungrad::nn::Gpt;

use super::heads::{Tables, tables};
use super::{HELD_OUT, SPLIT_SEED, tokens};

/// Draws the attention weights of each head for a name into
/// `target/attention-map.svg`.
pub(crate) fn draw(gpt: &Gpt, name: &str) -> Result<(), Error> {
    let text = tokens(name)?;
    if text.len() > gpt.places.shape()[0] || text.len() < 2 {
        return Err(Error::Usage(format!(
            "`{name}` has {} letters; the network reads 1 to 15",
            text.len() - 1
        )));
    }
    let (known, held_out) = names().split(HELD_OUT, SPLIT_SEED);
    let is_in = |list: &Names| list.names.iter().any(|it| it == name);
    let fate = match (is_in(&known), is_in(&held_out)) {
        (true, _) => "in the training set",
        (_, true) => "in the test set",
        _ => "not in the list of names",
    };
    println!("{name} is {fate}");
    let svg = svg(name, &tables(gpt, &text)?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("target/attention-map.svg");
    save(&path, svg.as_bytes())?;
    println!("the tables are in {}", path.display());
    Ok(())
}

/// Lays out one table per head, two in a row. A fuller square is a larger
/// weight.
fn svg(name: &str, all: &Tables) -> String {
    let letters: Vec<char> = ".".chars().chain(name.chars()).collect();
    let places = letters.len();
    let count = all.concat().len();
    let column = 228;
    let side = (column - 28) / places;
    let height = side * places + 50;
    let title = format!(
        "Where each of {count} heads looks while the network reads {name}: each \
         table has a row for each letter and a column for each letter that \
         it may look at, and is empty above the diagonal"
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 {}\" \
         role=\"img\" aria-labelledby=\"attention-map-title\" font-size=\"13\" \
         text-anchor=\"middle\" fill=\"currentColor\">\n\
         <title id=\"attention-map-title\">{title}</title>\n",
        height * count.div_ceil(2) + 6
    );
    let mut put = |line: std::fmt::Arguments<'_>| {
        writeln!(svg, "{line}").expect("a String takes every line");
    };
    for (block, heads) in all.iter().enumerate() {
        for (head, table) in heads.iter().enumerate() {
            let at = block * heads.len() + head;
            let (left, top) = (at % 2 * column + 22, at / 2 * height + 40);
            let [one, two] = [block + 1, head + 1];
            put(format_args!(
                "<text x=\"{}\" y=\"{}\">block {one}, head {two}</text>",
                left + side * places / 2,
                top - 22
            ));
            for (at, letter) in letters.iter().enumerate() {
                let middle = at * side + side / 2;
                put(format_args!(
                    "<text x=\"{}\" y=\"{}\">{letter}</text><text x=\"{}\" \
                     y=\"{}\">{letter}</text>",
                    left + middle,
                    top - 6,
                    left - 8,
                    top + middle + 4
                ));
            }
            put(format_args!("<g fill=\"var(--fig-value, #1a5fb4)\">"));
            for (at, share) in table.iter().enumerate() {
                let (row, column) = (at / places, at % places);
                if column > row {
                    continue;
                }
                put(format_args!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{side}\" \
                     height=\"{side}\" fill-opacity=\"{share:.2}\"/>",
                    left + column * side,
                    top + row * side
                ));
            }
            let whole = side * places;
            put(format_args!(
                "</g>\n<rect x=\"{left}\" y=\"{top}\" width=\"{whole}\" \
                 height=\"{whole}\" fill=\"none\" stroke=\"currentColor\" \
                 stroke-opacity=\"0.4\"/>"
            ));
        }
    }
    svg + "</svg>\n"
}
