//! The figures about number types, the roofline, filters, generated kernels,
//! and a kernel without a guard.

use std::fs;

use rungrad::ConvOptions;
use rungrad::nn::{Linear, Module};
use rungrad::part3_unified::{DType, Device, F16, Tensor};
use rungrad::rng::Random;
use serde_json::{Value, json};

use super::play;
use crate::engine::native;

/// Promise: The figure of number types shows bits, neighbors and gaps.
#[test]
fn a_number_shows_its_bits_and_neighbors() {
    play(
        "numbers-of-three-sizes.html",
        "sizes",
        "
        has .stage tbody tr:first-child | stores 2048 2048 2049
        has .stage tbody tr:last-child | gap above 2 16 0.00024414063
        keys .bits:first-child button | ArrowRight*15 Enter
        has .stage tbody tr:first-child | stores 2050 2048 2050
        js document.activeElement.ariaLabel | 1: fraction bit 10 of f16
        js all('.stage input')[0].value | 2050
        touch .bits:first-child button:first-child |
        has .stage tbody tr:first-child | stores -2050 -2048 -2050
        type .stage input | 1e-8
        has .stage tbody tr:first-child | stores 0
        has .bits:first-child small | zero: 0
        type .stage input | 6e-8
        has .bits:first-child small | (0 + 1/1,024) \u{b7} 2-14 (exponent 0, minus 15) (subnormal)
        type .stage input | many
        see .refusal | `many` is not a number; write for example 2049 or 1e-8
        js all('.old').length | 2
        button | 70000
        has .stage tbody tr:first-child | stores inf 70144 70000
        js all('.old').length | 0
        ",
    );
}

#[test]
fn the_bits_and_neighbors_agree_with_the_types() {
    let row = |bits: u16, format: usize, name: &str| {
        let question = format!("sizes bits\n{name}\n{bits:016b}");
        native(&question)["formats"][format].clone()
    };
    let read = |it: &Value| it.as_str().unwrap().parse::<f32>().unwrap();
    for bits in (0..0x7c00_u16).step_by(97).chain([0x7bff]) {
        let [half, brain] = [row(bits, 0, "f16"), row(bits, 1, "bf16")];
        assert_eq!(half["bits"], format!("{bits:016b}"));
        let value = |bits: u16| f32::from(F16::from_bits(bits));
        assert_eq!(read(&half["value"]), value(bits));
        assert_eq!(read(&half["above"]), value(bits + 1));
        let gap = value(bits + 1) - value(bits);
        assert_eq!(read(&half["gap"]), gap);
        let below = if bits == 0 { 0x8001 } else { bits - 1 };
        assert_eq!(read(&half["below"]), value(below));
        let value = |bits: u32| f32::from_bits(bits << 16);
        assert_eq!(read(&brain["value"]), value(bits.into()));
        assert_eq!(read(&brain["above"]), value(u32::from(bits) + 1));
    }
    // No neighbor of the stored value is closer to the number.
    for number in ["1.005", "0.1", "70000", "1e-5", "-3.14159", "1e-8"] {
        let answer = native(&format!("sizes number\n{number}"));
        let right: f32 = number.parse().unwrap();
        for format in answer["formats"].as_array().unwrap() {
            let error = |key: &str| (read(&format[key]) - right).abs();
            if format["kind"] == "infinite" {
                continue;
            }
            assert!(error("value") <= error("above"), "{format}");
            assert!(error("value") <= error("below"), "{format}");
        }
    }
}

/// Promise: The figure of loss scaling counts the gradients that become 0 and
/// infinite.
#[test]
fn a_scale_moves_gradients_out_of_zero() {
    play(
        "numbers-of-three-sizes.html",
        "scaling",
        "
        see .stage td | 256; 0; 0; 0; 0; 256
        js all('.picture circle').length | 256
        keys .stage input | ArrowRight*8
        see .stage td | 3; 0; 253; 0; 0; 256
        keys .stage input | ArrowRight*4
        see .stage td | 0; 0; 256; 0; 0; 256
        js all('.stage input')[0].ariaValueText | 2 to the power 12
        keys .stage input | End
        says | Scale 2 to the power 48: f16 loses 252 of 256 gradients, and bf16 loses 0.
        ",
    );
}

/// Compares with the network and the type of Part 3.
#[test]
fn the_scaled_gradients_agree_with_part_3() {
    const POINTS: usize = 256;
    let mut random = Random::new(0);
    let hidden = Linear::new(1, 16, &mut random);
    let out = Linear::new(16, 1, &mut random);
    let x = Tensor::linspace(-1.0, 1.0, POINTS, Device::Cpu).unwrap();
    let x = x.reshape(&[POINTS, 1]);
    let y = (&x * 3.0 + 1.0).sin() * 1e-3;
    let product = out.forward(&hidden.forward(&x).tanh());
    let product = product.detach().requires_grad();
    (&product * 1e-3).mse(&y).backward();
    let grads = product.grad().unwrap();
    for power in [0, 6, 8, 12, 43, 48] {
        let answer = native(&format!("scaling\n{power}"));
        let scaled = &grads * 2_f64.powi(power);
        let halves = scaled.to_dtype(DType::F16).unwrap();
        let halves = halves.to_dtype(DType::F32).unwrap().to_vec().unwrap();
        let count =
            |is: fn(&f32) -> bool| halves.iter().filter(|it| is(it)).count();
        let counts = &answer["formats"][0];
        assert_eq!(counts["zero"], count(|x| *x == 0.0), "2^{power}");
        assert_eq!(counts["infinite"], count(|x| x.is_infinite()));
        assert_eq!(answer["formats"][1]["zero"], 0);
    }
}

/// Promise: The roofline figure shows the predicted parts of a matmul's time.
#[test]
fn rows_walk_along_the_roofline() {
    play(
        "how-fast-and-why.html",
        "roofline",
        "
        js all('.picture circle').length | 14
        has .bar.wins | memory
        has .bars strong | memory-bound
        keys .stage input | Home
        has .bars p | 1 \u{d7} 4096 by 4096 \u{d7} 4096: memory-bound, 20.9 µs predicted
        keys .stage input | End
        has .bar.wins | arithmetic
        has .bars strong | compute-bound
        js all('.stage input')[0].ariaValueText | 4096 rows
        choose .stage select | 64
        has .bar.wins | launch
        has .bars strong | overhead-bound
        ",
    );
}

/// The prices are in the first lines of the table in the book. The chapter
/// quotes two predictions.
#[test]
fn the_predictions_are_those_of_the_model() {
    let point =
        |side: usize, rows: usize| native(&format!("roofline\n{side}\n{rows}"));
    let [launch, byte, multiply_add] =
        [4.5e-6, 1.0 / 4202.4e9, 1.0 / 35914.7e9];
    for (side, rows) in [(4096, 1), (1024, 100), (64, 4096), (8192, 4096)] {
        let [m, n] = [rows as f64, side as f64];
        let parts: Vec<f64> =
            serde_json::from_value(point(side, rows)["parts"].clone()).unwrap();
        let right = [
            launch,
            4.0 * (2.0 * m * n + n * n) * byte,
            m * n * n * multiply_add,
        ];
        for (part, right) in parts.iter().zip(right) {
            assert!((part / right - 1.0).abs() < 1e-9, "{side}, {rows}");
        }
    }
    for (rows, told) in [(1, "20.9"), (16, "28.1")] {
        let seconds = point(4096, rows)["seconds"].as_f64().unwrap();
        assert_eq!(format!("{:.1}", 1e6 * seconds), told);
    }
}

/// Promise: The filter figure moves a window over a digit that the reader may
/// draw.
#[test]
fn a_filter_moves_over_a_digit() {
    play(
        "windows-and-a-product.html",
        "filter",
        "
        has .window-sum | \u{2192} 2.5
        says | row 7 of the matrix
        keys .digit | ArrowRight*2
        says | The window in row 2, column 3 is row 9 of the matrix
        drag .map | [[-50, -60], [50, 50]]
        says | Moved. The window in row 6, column 6 is row 36 of the matrix
        button | Empty the map
        js all('.map rect').length | 3
        keys .digit | ArrowUp
        js all('.map rect').length | 4
        button | Slide over all
        js all('.map rect').length | 38
        button | Blur
        see .nine[aria-label=filter] button | 1; 1; 1; 1; 1; 1; 1; 1; 1
        touch .nine[aria-label=filter] button:first-child |
        see .nine[aria-label=filter] button | \u{2212}1; 1; 1; 1; 1; 1; 1; 1; 1
        button | Wipe
        has .window-sum | \u{2192} 0
        run all('.stage input[type=checkbox]')[0].click()
        drag .digit | [[0, 0]]
        js all('.digit rect[fill=currentColor]').length > 0 | true
        button | Wipe
        keys .digit | ArrowRight Space
        js all('.digit rect[fill=currentColor]').length | 1
        ",
    );
}

/// Compares with `conv2d` of Part 3.
#[test]
fn the_map_is_a_convolution() {
    let digit = native("filter digit\n3");
    let pixels: Vec<f32> =
        serde_json::from_value(digit["pixels"].clone()).unwrap();
    let filter = [-1.0, 0.0, 1.0, 0.5, 2.0, 0.0, -1.0, 0.0, 1.0];
    let list = |values: &[f32]| {
        let words: Vec<String> = values.iter().map(f32::to_string).collect();
        words.join(",")
    };
    let question = format!("filter\n{}\n{}", list(&pixels), list(&filter));
    let answer = native(&question);
    let tensor = |shape: &[usize], values: &[f32]| {
        Tensor::new(shape, values, Device::Cpu).unwrap()
    };
    let image = tensor(&[1, 1, 8, 8], &pixels);
    let filter = tensor(&[1, 1, 3, 3], &filter);
    let map = image.conv2d(&filter, None, &ConvOptions::new());
    let map = map.to_vec().unwrap();
    let ours: Vec<f32> = serde_json::from_value(answer["map"].clone()).unwrap();
    assert_eq!(ours.len(), 36);
    for (ours, right) in ours.iter().zip(&map) {
        assert!((ours - right).abs() < 1e-5);
    }
    assert_eq!(answer["strides"], json!([8, 1, 8, 1]));
}

/// Promise: The figure of generated kernels shows the kernel of a typed
/// expression.
#[test]
fn an_expression_shows_its_kernel() {
    play(
        "kernels-that-write-themselves.html",
        "fused",
        "
        has .kernel | kernel void fused_add_relu(
        see .bar span | one by one 2 kernels 2,098 KB; fused 1 kernel 1,050 KB
        button | softmax(X)
        has .kernel | kernel void fused_max_scale_add_exp_sum_div(
        type .stage input | tanh(A * B + c) / D
        has .kernel | flat_tanh
        has .bars | fused 1 kernel
        type .stage input | X +
        has .refusal | in `X +`, at character 4, it ends where a name
        js all('.old').length | 2
        type .stage input | X
        see .refusal | `X` has no operation; write for example relu(X + b)
        type .stage input | sum(b)
        has .refusal | sum reduces the rows of a matrix
        type .stage input | conv(X)
        has .refusal | `conv` with 1 operand is not an operation of this figure
        ",
    );
}

/// Compares with the output of the chapter's program.
#[test]
fn the_kernels_agree_with_the_listings() {
    for (expression, name) in
        [("relu(X + b)", "bias"), ("softmax(X)", "softmax")]
    {
        let file = format!("book/listings/part3_fused_{name}.out");
        let file = testkit::place::root().join(file);
        let listing = fs::read_to_string(file).unwrap();
        let answer = native(&format!("fused\n{expression}"));
        let text = answer["kernels"][0]["text"].as_str().unwrap();
        assert!(listing.contains(text.trim()), "{text}");
        let bytes = answer["fused"]["bytes"].as_f64().unwrap();
        let told = format!("1       1  {:>10.1}", bytes / 1000.0);
        assert!(listing.contains(&told), "{told}");
    }
    let eager = native("fused\nrelu(X + b)")["separate"].clone();
    assert_eq!(eager, json!({ "launches": 2, "bytes": 2_098_176 }));
}

/// Promise: The figure of a missing guard shows which items write outside.
#[test]
fn items_without_a_guard_write_outside() {
    play(
        "a-borrow-checker-for-kernels.html",
        "guard",
        "
        see .picture text.code | 1; 2; 3; 4; 5; 6; 7; 8; 2; 4; 6; 8; 10; 12; 14; 16; 4; 60
        see .stage td | item 8 reads a[8], which is out[0]; writes out[8], which is in another array; out[8] = 4; nothing
        keys .items button:last-child | Enter
        see .picture text.code | 1; 2; 3; 4; 5; 6; 7; 8; 2; 4; 6; 8; 10; 12; 14; 16; 4; 8
        has .stage tr:nth-child(2) | out[8] = 4, out[9] = 8
        js all('.items .races').length | 2
        js document.activeElement.ariaLabel | item 9, has run
        run all('.stage input')[0].click()
        button | Run all
        see .stage td | item 9 does nothing, because the guard is false; nothing; nothing
        run all('.stage input')[0].click()
        choose .stage select | 8
        button | Run all
        has .stage tr:nth-child(2) | nothing
        button | Start again
        see .picture text.code | 1; 2; 3; 4; 5; 6; 7; 8; ?; ?; ?; ?; ?; ?; ?; ?; 50; 60
        touch .items button:nth-child(3) |
        has .stage td | item 2 reads a[2]; writes out[2]
        ",
    );
}
