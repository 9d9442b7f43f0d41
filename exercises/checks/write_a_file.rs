//! Checks `write_a_file`, weights in a file, byte by byte.
//!
//! Finally, the crate's own reader must accept the file.

use std::process::ExitCode;
use std::{env, fs, process};

use exercises::{Outcome, Stop, check, numbers, wrong};
use rungrad::io;
use rungrad::part3_unified::{Device, Tensor};
use yours::Weights;

exercises::yours!("part3_unified/write_a_file.rs");

fn main() -> ExitCode {
    check(
        "write_a_file",
        YOURS,
        &[
            ("the first eight bytes are the length of the header", length),
            ("the offsets of one tensor are its bytes", one),
            ("the second tensor follows the first", two),
            ("one element without axes, and no elements", odd),
            ("a name with a quotation mark", quoted),
            ("the crate reads the file exactly", bits),
        ],
    )
}

fn weights(name: &str, shape: &[usize]) -> Weights {
    let values = numbers(7, shape.iter().product());
    Weights { name: name.to_string(), shape: shape.to_vec(), values }
}

/// Returns the end of a file's header: after the brace that closes it.
fn end(file: &[u8]) -> Result<usize, Stop> {
    if file.get(8) != Some(&b'{') {
        return Err(wrong(format!(
            "The first eight bytes are followed by {:?}. The header must begin \
             there, with a brace.",
            file.get(8).map(|&byte| char::from(byte))
        )));
    }
    let mut depth = 0;
    for (at, byte) in file.iter().enumerate().skip(8) {
        depth += i32::from(*byte == b'{') - i32::from(*byte == b'}');
        if depth == 0 {
            return Ok(at + 1);
        }
    }
    Err(wrong("The header has an opening brace without a closing one."))
}

fn length(_: &()) -> Outcome {
    for tensors in [vec![weights("w", &[2])], vec![weights("w", &[4, 80])]] {
        let file = yours::file(&tensors);
        if file.len() < 10 {
            return Err(wrong(format!(
                "Your file has {} bytes. The length of the header alone is \
                 eight.",
                file.len()
            )));
        }
        let right = (end(&file)? - 8) as u64;
        let first = file[..8].try_into().expect("eight bytes");
        let (yours, turned) =
            (u64::from_le_bytes(first), u64::from_be_bytes(first));
        // Spaces after the header are allowed, and some writers add them.
        let spaces = file[8 + right as usize..].iter();
        let spaces = spaces.take_while(|byte| **byte == b' ').count() as u64;
        if (right..=right + spaces).contains(&yours) {
            continue;
        }
        let why = match () {
            _ if turned == right => {
                "as a big-endian number. The format is little-endian"
            }
            _ if yours == right + 8 => {
                "including these eight bytes. They do not count"
            }
            _ if yours == file.len() as u64 => {
                "of the whole file. It must be that of the header alone"
            }
            _ => "but the two differ",
        };
        return Err(wrong(format!(
            "Your header has {right} bytes, and the first eight bytes are \
             {first:?}. That is a length {why}."
        )));
    }
    Ok(())
}

/// Returns the offsets of each entry in the header.
fn offsets(file: &[u8]) -> Result<Vec<[usize; 2]>, Stop> {
    let header = String::from_utf8_lossy(&file[8..end(file)?]).into_owned();
    let mut all = Vec::new();
    for rest in header.split("\"data_offsets\":").skip(1) {
        let inside = rest.trim_start().strip_prefix('[');
        let inside = inside.and_then(|rest| rest.split(']').next());
        let words: Option<Vec<usize>> = inside.and_then(|inside| {
            inside.split(',').map(|word| word.trim().parse().ok()).collect()
        });
        match words.as_deref() {
            Some(&[from, to]) => all.push([from, to]),
            _ => {
                return Err(wrong(format!(
                    "The offsets must be two integers in brackets. Your header \
                     is\n{header}"
                )));
            }
        }
    }
    Ok(all)
}

/// Compares the offsets with the expected ones.
fn judge(tensors: &[Weights]) -> Outcome {
    let file = yours::file(tensors);
    let yours = offsets(&file)?;
    if yours.len() != tensors.len() {
        return Err(wrong(format!(
            "The file has {} tensors, but your header has the offsets of {}.",
            tensors.len(),
            yours.len()
        )));
    }
    let (mut from, front) = (0, end(&file)?);
    for (tensor, yours) in tensors.iter().zip(yours) {
        let n = tensor.values.len();
        let right = [from, from + 4 * n];
        from = right[1];
        if yours == right {
            continue;
        }
        let [name, shape] =
            [tensor.name.clone(), format!("{:?}", tensor.shape)];
        let why = match yours {
            _ if yours == right.map(|it| it / 4) => {
                "These are counts of elements. Offsets are bytes, and each \
                 element has four"
            }
            _ if yours == right.map(|it| it + front) => {
                "They are counted from the start of the file. The format \
                 counts from the end of the header"
            }
            [0, to] if to == 4 * n && right[0] > 0 => {
                "It begins where the first tensor begins, but they must follow \
                 each other"
            }
            [a, b] if a == b && tensor.shape.is_empty() => {
                "A tensor without axes has one element: the product of no \
                 sizes is 1"
            }
            [a, b] if a == right[0] && b > a && n == 0 => {
                "A tensor with an axis of size 0 has no elements"
            }
            [_, b] if yours[0] == right[0] && b == 4 * n => {
                "The second of the two must be the end, not the length"
            }
            _ => "They point elsewhere",
        };
        return Err(wrong(format!(
            "{name} of shape {shape} has the offsets {yours:?}. They must be \
             {right:?}. {why}."
        )));
    }
    let data = &file[front..];
    let spaces = data.iter().take_while(|byte| **byte == b' ').count();
    if ![data.len(), data.len() - spaces].contains(&from) {
        return Err(wrong(format!(
            "The header is followed by {} bytes, but the elements have {from}.",
            data.len()
        )));
    }
    Ok(())
}

fn one(_: &()) -> Outcome {
    judge(&[weights("bias", &[10])])?;
    judge(&[weights("weight", &[3, 5])])
}

fn two(_: &()) -> Outcome {
    judge(&[weights("b", &[4]), weights("a", &[2, 3]), weights("c", &[4])])
}

fn odd(_: &()) -> Outcome {
    judge(&[weights("a", &[]), weights("b", &[2])])?;
    judge(&[weights("a", &[2]), weights("none", &[2, 0, 3])])
}

/// Reads the file with the crate.
fn read(tensors: &[Weights]) -> Result<Vec<(String, Tensor)>, Stop> {
    let name = format!("rungrad-write-a-file-{}", process::id());
    let path = env::temp_dir().join(name);
    let written = fs::write(&path, yours::file(tensors));
    written.map_err(|error| wrong(format!("{}: {error}", path.display())))?;
    let read = io::read(&path, Device::Cpu);
    // If this fails, the file is removed with its folder.
    let _ = fs::remove_file(&path);
    read.map_err(|error| {
        let said = error.to_string();
        let said = said.replace(&path.display().to_string(), "your file");
        wrong(format!("`io::read` rejects it: {said}."))
    })
}

fn quoted(_: &()) -> Outcome {
    let name = "the \"last\" layer";
    let read = read(&[weights(name, &[2])])?;
    match &read[..] {
        [(yours, _)] if yours == name => Ok(()),
        _ => Err(wrong(format!(
            "The name of a tensor is {name:?}, but it is read as {:?}.",
            read.first().map(|(name, _)| name)
        ))),
    }
}

fn bits(_: &()) -> Outcome {
    let mut edges = weights("edges", &[2, 3]);
    edges.values = vec![-0.0, 1e-45, f32::MAX, f32::NEG_INFINITY, 0.1, -1.5];
    let tensors = [weights("w", &[4, 3]), edges, weights("s", &[])];
    for (name, tensor) in read(&tensors)? {
        let right = tensors.iter().find(|right| right.name == name);
        let right = right.expect("the offsets were right");
        if tensor.shape() != right.shape {
            return Err(wrong(format!(
                "{name} is read with shape {:?}, but its shape is {:?}.",
                tensor.shape(),
                right.shape
            )));
        }
        let yours = tensor.to_vec()?;
        let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
        let mut pairs = yours.iter().zip(&right.values);
        if let Some(at) = pairs.position(|pair| !same(pair)) {
            let turned = f32::from_bits(yours[at].to_bits().swap_bytes());
            return Err(wrong(format!(
                "Element {at} of {name}, counted from 0, is read as {:?}, but \
                 it is {:?}.{}",
                yours[at],
                right.values[at],
                match same((&turned, &right.values[at])) {
                    true => " Its bytes are in the wrong order.",
                    false => "",
                }
            )));
        }
    }
    Ok(())
}
