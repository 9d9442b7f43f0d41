//! Checks `lying_bytes`, the bytes that a kernel reads.
//!
//! Its device is ten lines long: memory is bytes, and a kernel interprets four
//! of them as a float, whatever the host meant.

use std::array;
use std::process::ExitCode;

use exercises::{Outcome, Stop, check, drawn, either, expect, numbers, wrong};

exercises::yours!("part2_gpu/lying_bytes.rs");

fn main() -> ExitCode {
    check(
        "lying_bytes",
        YOURS,
        &[
            ("a kernel reads the intended values", meant),
            ("a result has exactly enough memory", room),
            ("what a kernel has written is read back", read_back),
            ("the gradients of (a * b) * b arrive", gradients),
        ],
    )
}

/// Converts between the byte orders of the host and the device, which differ in
/// a variant.
fn reordered(bytes: [u8; 4]) -> [u8; 4] {
    let flip = drawn("flip").unwrap_or(0.0) as usize;
    array::from_fn(|i| bytes[i ^ flip])
}

/// Returns the bytes of a float on the device.
fn bytes(float: f32) -> [u8; 4] {
    reordered(float.to_ne_bytes())
}

/// Returns the float that a kernel reads at index `i`.
fn float(bytes: &[u8], i: usize) -> Option<f32> {
    let float = bytes.as_chunks().0.get(i)?;
    Some(f32::from_ne_bytes(reordered(*float)))
}

/// Runs a kernel with two operands on `n` work-items. The learner's function
/// sets the size of the result.
fn launch(f: fn(f32, f32) -> f32, from: [&[u8]; 2], n: usize) -> Vec<u8> {
    let mut out = vec![0; yours::room(n)];
    for i in 0..n {
        let [a, b] = from.map(|bytes| float(bytes, i).unwrap_or(f32::NAN));
        if let Some(place) = out.as_chunks_mut().0.get_mut(i) {
            *place = bytes(f(a, b));
        }
    }
    out
}

/// A wrong way to write a number as bytes.
type Lie = fn(f64) -> Vec<u8>;

/// The wrong ways, with an explanation of each.
const LIES: [(Lie, &str); 6] = [
    (
        |value| value.to_ne_bytes().into(),
        "These are the bytes of an f64, eight for each number. A float has \
         four: convert the number to f32 first.",
    ),
    (
        |value| value.to_ne_bytes()[4..].into(),
        "This is the second half of an f64. Half of an f64 is not an f32: the \
         exponent of an f32 is shorter, so convert the number to f32 first.",
    ),
    (
        |value| value.to_ne_bytes()[..4].into(),
        "This is the first half of an f64. Half of an f64 is not an f32: \
         convert the number to f32 first.",
    ),
    (
        |value| (value as i32).to_ne_bytes().into(),
        "These are the bytes of integers. As a float, the int 2 is almost 0.",
    ),
    (
        |value| (value as i64).to_ne_bytes().into(),
        "These are the bytes of integers. As a float, the long 2 is almost 0.",
    ),
    (
        |value| {
            let mut bytes = (value as f32).to_ne_bytes();
            bytes.reverse();
            bytes.into()
        },
        "These are the right bytes in the wrong order. Host and device have \
         the same byte order here, which `to_ne_bytes` uses.",
    ),
];

fn meant(_: &()) -> Outcome {
    for values in [&[1.0][..], &[2.0, 3.0], &[-1.5, 0.1, 1e-3]] {
        let found = yours::bytes_of(values);
        let right = values.iter().flat_map(|&it| bytes(it as f32));
        if found == right.collect::<Vec<u8>>() {
            continue;
        }
        let is = |lie: Lie| {
            found == values.iter().flat_map(|&it| lie(it)).collect::<Vec<u8>>()
        };
        // The last one is about the host's byte order.
        let lies = either(&LIES[..], &LIES[..LIES.len() - 1]);
        let why = lies.iter().find(|(lie, _)| is(*lie)).map_or(
            "Each number needs the four bytes of its f32, in the byte order \
             of the device.",
            |(_, why)| why,
        );
        let reads: Vec<String> = (0..values.len())
            .map(|i| float(&found, i).map_or("nothing".into(), shown))
            .collect();
        let zero = float(&found, 0) == Some(0.0);
        let seed = match values == [1.0] && zero {
            true => " With this as the seed, every gradient is 0.",
            false => "",
        };
        return Err(wrong(format!(
            "bytes_of(&{values:?}) is\n\n  {}\n\nA kernel reads four of them \
             for each float, and sees {}.{seed} {why}",
            hex(&found),
            reads.join(", "),
        )));
    }
    Ok(())
}

fn shown(float: f32) -> String {
    format!("{float:?}")
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> =
        bytes.iter().map(|it| format!("{it:02x}")).collect();
    bytes.join(" ")
}

fn room(_: &()) -> Outcome {
    for n in [1, 2, 5, 1000] {
        let (found, right) = (yours::room(n), n * size_of::<f32>());
        if found == right {
            continue;
        }
        let why = match found {
            4 => "That is the size of one float, whatever n is.".into(),
            it if it == n => {
                "n counts floats, but the size is in bytes.".into()
            }
            it if it < right => {
                let item = it / size_of::<f32>();
                format!(
                    "Work-item {item} writes past its end, and nothing stops \
                     it."
                )
            }
            it if it == 2 * right => "That would be right for f64.".into(),
            _ => "The rest is allocated but never used.".into(),
        };
        return Err(wrong(format!(
            "room({n}) is {found}, but {n} floats need {right} bytes. {why}"
        )));
    }
    Ok(())
}

fn read_back(_: &()) -> Outcome {
    for values in [&[6.0_f32][..], &[6.0, 12.0], &[0.1, -7.25, 3e8]] {
        let written: Vec<u8> =
            values.iter().flat_map(|it| bytes(*it)).collect();
        let found = yours::values_of(&written);
        let right: Vec<f64> = values.iter().map(|&it| it.into()).collect();
        if found == right {
            continue;
        }
        let why = match found.len() {
            it if it == values.len() / 2 => {
                "Eight bytes at a time are an f64; the kernel wrote floats of \
                 four bytes."
            }
            it if it == written.len() => "A float is four bytes, not one.",
            _ => "Take four bytes at a time, as an f32.",
        };
        return Err(wrong(format!(
            "A kernel has written {values:?}, but values_of reads {found:?}. \
             {why}"
        )));
    }
    Ok(())
}

/// The notebook's graph, computed entirely on the learner's bytes.
fn gradients(_: &()) -> Outcome {
    for n in [1, 2, 5] {
        let (a, b) = (numbers(1, n), numbers(2, n));
        let bytes = |values: &[f32]| {
            let values: Vec<f64> = values.iter().map(|&it| it.into()).collect();
            yours::bytes_of(&values)
        };
        let (x, y, seed) = (bytes(&a), bytes(&b), bytes(&vec![1.0; n]));
        let mul = |p: &[u8], q: &[u8]| launch(|p, q| p * q, [p, q], n);
        let c = mul(&x, &y);
        let grad_c = mul(&y, &seed);
        let grad_a = mul(&y, &grad_c);
        let parts = [mul(&c, &seed), mul(&x, &grad_c)];
        let grad_b = launch(|p, q| p + q, [&parts[0], &parts[1]], n);
        let right_a: Vec<f32> = b.iter().map(|b| b * b).collect();
        let right_b: Vec<f32> =
            a.iter().zip(&b).map(|(a, b)| 2.0 * a * b).collect();
        arrives("the gradient of a", &grad_a, &right_a)?;
        arrives("the gradient of b", &grad_b, &right_b)?;
    }
    Ok(())
}

fn arrives(what: &str, bytes: &[u8], right: &[f32]) -> Result<(), Stop> {
    let found = yours::values_of(bytes);
    let found: Vec<f32> = found.iter().map(|&it| it as f32).collect();
    expect(what, &found, right)
}
