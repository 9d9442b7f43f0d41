//! The check of `coalesced_matvec`, a group for each row.
//!
//! Right numbers do not tell who read what. So the last step puts an ear into
//! the learner's text: each `a[..]` goes through a function that writes down
//! which item read which element, in which of its steps. Then it counts the
//! pieces of memory that 32 neighbors ask for, as the chapter does.

use std::collections::BTreeMap;
use std::process::ExitCode;

use exercises::Argument::{Count, In, Log, PerGroup};
use exercises::{Kernel, Outcome, Stop, check_kernel, expect, numbers, wrong};

const YOURS: &str = exercises::path!("part2_gpu/coalesced_matvec.cl");
const GROUP: usize = 256;
/// Items that make a step together, and numbers in a piece of memory.
const NEIGHBORS: usize = 32;
const PIECE: usize = 32;

fn main() -> ExitCode {
    check_kernel(
        "coalesced_matvec",
        YOURS,
        "coalesced_matvec",
        &[
            ("3 rows of 256: a column for each item", |kernel| {
                product(kernel, [3, 256], 3)
            }),
            ("2 rows of 1000: the last round is ragged", |kernel| {
                product(kernel, [2, 1000], 2)
            }),
            ("2 rows of 70: most items have no column", |kernel| {
                product(kernel, [2, 70], 2)
            }),
            ("5 groups for 3 rows", |kernel| product(kernel, [3, 300], 5)),
            ("neighbors read neighbors", coalesced),
        ],
    )
}

/// The product for `m` rows of `k`, in so many groups.
fn product(kernel: &Kernel, [m, k]: [usize; 2], groups: usize) -> Outcome {
    let (a, v) = (numbers(1, m * k), numbers(2, k));
    let arguments =
        [In("a", &a), In("v", &v), PerGroup("out", m), Count(m), Count(k)];
    let out = kernel.run(GROUP * groups, &arguments)?.remove(0);
    if let Some(row) = out.iter().position(|y| y.abs() > 1e20) {
        return Err(wrong(format!(
            "out[{row}] is {:e}: a guard value is in it, which stands behind \
             the {k} numbers of v. Some item read v[i] for an i of {k} or \
             more: it has no column there, and brings 0.",
            out[row]
        )));
    }
    let sums = |element: &dyn Fn(usize, usize) -> f32| -> Vec<f32> {
        let sum = |row| (0..k).map(|i| element(row, i) * v[i]).sum();
        (0..m).map(sum).collect()
    };
    let right = sums(&|row, i| a[row * k + i]);
    let is = |other: Vec<f32>| out != right && out == other;
    if is(sums(&|row, i| a[i * m + row])) {
        return Err(wrong(
            "These are the sums of a matrix whose columns lie one behind the \
             other. Here its rows do: before row y there are y whole rows of \
             k numbers.",
        ));
    }
    if is(sums(&|row, i| if i % GROUP == 0 { a[row * k + i] } else { 0.0 })) {
        return Err(wrong(
            "out holds what item 0 has added up, and the sums of the other \
             items of its group are missing.",
        ));
    }
    expect("out", &out, &right)
}

/// An element that an item read: among all items, its number.
struct Read {
    item: usize,
    step: usize,
    at: usize,
}

fn coalesced(kernel: &Kernel) -> Outcome {
    let [m, k] = [40, 1300];
    let Some(kernel) = kernel.altered(|text| listening(text, m * k))? else {
        return Ok(());
    };
    let (a, v) = (numbers(1, m * k), numbers(2, k));
    let arguments = [
        In("a", &a),
        In("v", &v),
        PerGroup("out", m),
        Count(m),
        Count(k),
        Log(2 * m * k + GROUP * m),
    ];
    let log = kernel.run(GROUP * m, &arguments)?.remove(1);
    let (elements, steps) = log.split_at(2 * m * k);
    let all: f32 = steps.iter().sum();
    if all as usize != m * k {
        return Err(wrong(format!(
            "Each of the {} numbers of a is needed once, and your items read \
             {all} of them.",
            m * k
        )));
    }
    let reads = elements.chunks(2).enumerate().map(|(at, note)| Read {
        item: (note[0] as usize).saturating_sub(1),
        step: note[1] as usize,
        at,
    });
    let mut together: BTreeMap<(usize, usize), Vec<Read>> = BTreeMap::new();
    for read in reads {
        let neighbors = read.item / NEIGHBORS;
        together.entry((neighbors, read.step)).or_default().push(read);
    }
    let asked: usize = together.values().map(|reads| pieces(reads)).sum();
    // A row may begin inside a piece, so 32 numbers in a row are in two.
    let enough = 2 * m * k.div_ceil(NEIGHBORS);
    if asked <= enough {
        return Ok(());
    }
    let far_apart = together.values().find(|reads| pieces(reads) > 2);
    let shown = far_apart.or(together.values().next());
    Err(scattered(shown.expect("there are reads"), asked, enough))
}

/// How many pieces of memory hold what was read.
fn pieces(reads: &[Read]) -> usize {
    let mut pieces: Vec<usize> = reads.iter().map(|r| r.at / PIECE).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces.len()
}

fn scattered(reads: &[Read], asked: usize, enough: usize) -> Stop {
    let mut reads: Vec<&Read> = reads.iter().collect();
    reads.sort_by_key(|read| read.item);
    let some: Vec<String> = reads
        .iter()
        .take(3)
        .map(|r| format!("item {} reads a[{}]", r.item % GROUP, r.at))
        .collect();
    let step = reads[0].step;
    let rest = match reads.len() {
        1 => "and its neighbors read nothing",
        _ => "and so on",
    };
    wrong(format!(
        "The numbers are right, and neighbors do not read neighbors: in step \
         {step} of its loop {}, {rest}. All steps together ask memory for \
         {asked} pieces of {PIECE} numbers, where {enough} are enough.",
        some.join(", ")
    ))
}

// --- The ear --------------------------------------------------------------

/// The text with a function around what stands in the brackets of each `a`,
/// and with an array for its notes behind the last parameter.
fn listening(text: &str, elements: usize) -> Result<String, Stop> {
    let text = without_comments(text);
    let name = "void coalesced_matvec(";
    let parameters = text.find(name).map(|at| at + name.len());
    let end = parameters.and_then(|at| Some(at + text[at..].find(')')?));
    let Some(end) = end else {
        return Err(wrong(format!("The text has no `kernel {name}..)`.")));
    };
    let (head, body) = text.split_at(end);
    let ear = format!(
        "uint ear(uint at, global float *log) {{
            uint item = get_global_id(0);
            global float *steps = log + 2 * {elements}u + item;
            if (at < {elements}u) {{
                log[2 * at] = item + 1;
                log[2 * at + 1] = *steps;
            }}
            *steps += 1.0f;
            return at;
        }}"
    );
    // In one line, so that the others keep their numbers.
    let ear = ear.replace('\n', " ");
    let body = around_each_index(body)?;
    Ok(format!("{ear}{head}, global float *log{body}"))
}

/// Line breaks stay, so that a line keeps its number.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(start) =
        rest.find("//").into_iter().chain(rest.find("/*")).min()
    {
        let (before, comment) = rest.split_at(start);
        let end = match comment.starts_with("//") {
            true => comment.find('\n'),
            false => comment.find("*/").map(|at| at + 2),
        };
        let (comment, after) = comment.split_at(end.unwrap_or(comment.len()));
        code.push_str(before);
        code.extend(comment.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    code + rest
}

/// `a[i]` becomes `a[ear(i, log)]`, and an `a` without brackets is refused.
fn around_each_index(body: &str) -> Result<String, Stop> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = body;
    while let Some(at) = rest.find('a') {
        let before = out.chars().chain(rest[..at].chars()).last();
        let (head, tail) = (&rest[..at + 1], &rest[at + 1..]);
        out.push_str(head);
        rest = tail;
        if before.is_some_and(is_name) || tail.starts_with(is_name) {
            continue;
        }
        let inside = tail.trim_start().strip_prefix('[').and_then(bracket);
        let Some((index, after)) = inside else {
            return Err(wrong(
                "The check follows a[..] alone, and here `a` stands without \
                 its brackets. Write a[row * k + i] where you read it.",
            ));
        };
        out += &format!("[ear({}, log)]", around_each_index(index)?);
        rest = after;
    }
    Ok(out + rest)
}

/// What stands before the bracket that closes, and what after it.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        if depth == 0 {
            return Some((&text[..at], &text[at + 1..]));
        }
    }
    None
}
