//! The figures that run a trained network, or look into one layer by layer.

#[path = "../../../../../examples/part3_attention/heads.rs"]
#[allow(dead_code)]
mod heads;
#[path = "../../../../../examples/part3_training/stack.rs"]
#[allow(dead_code)]
mod stack;

use std::{env, fs};

use rungrad::Error;
use rungrad::io;
use rungrad::nn::{Gpt, GptSizes};
use rungrad::part3_unified::{Device, Tensor, grad};
use rungrad::rng::Random;
use serde_json::Value;

use super::{Figure, play};
use crate::engine::{native, weights};
use stack::{Around, Start};

// `heads.rs` expects these in its parent module.
const HELD_OUT: usize = 1000;
const SPLIT_SEED: u64 = 1797;

fn tokens(name: &str) -> Result<Vec<usize>, Error> {
    let letters = name.bytes().map(|it| usize::from(it - b'a') + 1);
    Ok([0].into_iter().chain(letters).collect())
}

fn numbers(list: &Value) -> Vec<f32> {
    serde_json::from_value(list.clone()).expect("a list of numbers")
}

/// The trained network of "Names", whose weights are not rounded.
fn network() -> Gpt {
    let sizes = GptSizes {
        vocabulary: 27,
        context: 16,
        layers: 2,
        heads: 4,
        width: 32,
        dropout: 0.0,
    };
    let mut network = Gpt::new(sizes, &mut Random::new(0));
    let file = testkit::place::root().join("data/names.safetensors");
    io::load(file, &mut network).unwrap();
    network
}

#[track_caller]
fn assert_near(found: &[f32], right: &[f32], most: f32) {
    assert_eq!(found.len(), right.len());
    for (a, b) in found.iter().zip(right) {
        assert!((a - b).abs() <= most, "{a} is not near {b}");
    }
}

/// Compares a static figure with the picture with which its page opens, or
/// writes it with `UPDATE=1`. A static figure is 680 wide.
#[track_caller]
fn assert_static(figure: &mut Figure, file: &str) {
    let svg = figure.value(
        "(([svg]) => {
            const parts = [...svg.children].map((it) => new XMLSerializer().serializeToString(it));
            const inside = parts.join('').replaceAll(' xmlns=\"http://www.w3.org/2000/svg\"', '');
            return `<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"${svg.getAttribute('viewBox')}\" role=\"img\" text-anchor=\"middle\">
                <title>${svg.ariaLabel}</title>${inside}</svg>`
                .replace(/>\\s*</g, '>\\n<');
        })(all('.stage svg'))",
    );
    let svg = format!("{}\n", svg.as_str().expect("a picture"));
    let path = testkit::place::root().join("book/figures").join(file);
    if env::var_os("UPDATE").is_some() {
        fs::write(path, svg).unwrap();
        return;
    }
    let same = fs::read_to_string(path).unwrap() == svg;
    assert!(same, "{file} is not what the page shows; UPDATE=1 writes it");
}

/// Compares the network in the page, on Part 1's tensors and with weights
/// rounded to 8 bits, with Part 3's.
///
/// Promise: The network of names in a page agrees with Part 3's, within the
/// rounding of its weights.
#[test]
fn the_network_in_a_page_agrees_with_part_3() {
    native(&format!("names weights\n{}", weights()));
    let network = network();
    for name in ["socrates", "mar", "", "maximilianaaaaa"] {
        let text = tokens(name).unwrap();
        let scores = network.scores(&text, text.len());
        let last = scores.slice(&[text.len() - 1..text.len()]);
        for temperature in [0.5_f32, 1.0, 3.0] {
            let answer =
                native(&format!("names next\n{name}\n{temperature}\n0"));
            let right = (&last * (1.0 / temperature)).softmax();
            let right = right.to_vec().unwrap();
            assert_near(&numbers(&answer["probabilities"]), &right, 0.02);
        }
        let tables = heads::tables(&network, &text).unwrap().concat();
        for (head, right) in tables.iter().enumerate() {
            let root = 8_f32.sqrt();
            let question = format!("names attention\n{name}\n{head}\n{root}");
            assert_near(&numbers(&native(&question)["weights"]), right, 0.06);
        }
    }
}

/// Promise: The attention figure sharpens a row of weights and rejects a word
/// that is not a name.
#[test]
fn a_smaller_divisor_sharpens_the_attention() {
    play(
        "attention.html",
        "attention",
        "
        see .stage .row output | \u{221a}8, as trained; a
        js all('.stage .bar').length | 6
        says | Letter 5, a, reads most from letter 4, r: the weight p is 0.5
        keys .stage .row:nth-of-type(2) input | End
        see .stage .row output | 0.12; a
        says | the weight p is 1.000, and its derivative p(1 \u{2212} p) is 0.000.
        drag .stage svg |
        see .stage .row output | 0.12; c
        js all('.stage .bar').length | 4
        choose .stage select | 4
        js /block 2, head 1/.test(all('.stage svg')[0].ariaLabel) | true
        type .stage input[type=text] | Zo3
        see .refusal | `3` is not a letter that the network knows; it knows a to z
        js all('.stage .old').length | 2
        type .stage input[type=text] | Zoe
        see .refusal |
        js all('.stage svg g[fill] rect').length | 10
        ",
    );
}

/// Promise: The figure of names shows the next letter at a temperature, and
/// writes names.
#[test]
fn a_temperature_changes_the_next_letter() {
    let Some(mut figure) = Figure::open("names.html", "names") else { return };
    assert_static(&mut figure, "next-letter.svg");
    figure.play(
        "
        see .stage .row output | 0.5
        js all('.stage svg rect').length | 54
        says | After mar, the likeliest next letters are i
        keys .stage input[type=range] | End
        see .stage .row output | 3.0
        type .stage input[type=text] | qu
        says | After qu, the likeliest
        button | Write a name
        js /^qu/.test(texts('.way')) | true
        says | The network has written qu
        button | Draw a letter
        js all('.stage input[type=text]')[0].value.length === 3 || /ends the name qu/.test(texts('.said')) | true
        type .stage input[type=text] | a b
        has .refusal | is not a letter
        ",
    );
}

/// Promise: The figure of layers shows where values vanish, and trains.
#[test]
fn a_stack_of_layers_is_shown_and_trained() {
    let page = "what-makes-training-work.html";
    let Some(mut figure) = Figure::open(page, "layers") else { return };
    figure.play("says | After 90 steps");
    assert_static(&mut figure, "layers.svg");
    figure.play(
        "
        see .stage .row output | 0.05; 10
        js /values is 0.1 in layer 1 and 1e\u{2060}-\u{2060}6 in layer 10/.test(texts('.said')) | true
        says | After 90 steps the loss is 2.30: the network has learned nothing.
        js all('.stage polyline')[0].points.length | 90
        keys .stage input[type=range] | ArrowRight*3
        see .stage .row output | 0.177, Kaiming; 10
        says | the network learns.
        keys .stage input[type=range] | End
        says | the loss is 
        keys .stage input[type=range] | Home
        run all('.stage input[type=checkbox]').forEach((it) => it.click())
        says | the network learns.
        keys .stage .row:nth-of-type(2) input | ArrowRight
        see .stage .row output | 0.01; 11
        ",
    );
}

/// Compares each layer with the stack of the chapter's program.
///
/// Promise: The figure of layers computes what the chapter's stack computes.
#[test]
fn the_layers_agree_with_the_program() {
    let deviation = (2.0_f32 / 64.0).sqrt();
    let rows = stack::both().0.select(&(0..64).collect::<Vec<_>>());
    for (words, around) in [
        ("nothing", Around::Nothing),
        ("norm", Around::LayerNorm),
        ("residual", Around::Residual),
        ("norm residual", Around::NormAndResidual),
    ] {
        let answer = native(&format!("layers begin\n{deviation}\n10\n{words}"));
        let network = stack::stack(Start::Kaiming, around, 0);
        let mut outputs = vec![stack::inputs(&rows, Device::Cpu).unwrap()];
        for module in &network.modules {
            outputs.push(module.forward(outputs.last().unwrap()));
        }
        let loss = outputs.last().unwrap().cross_entropy(&rows.labels);
        let hidden: Vec<&Tensor> = outputs[1..=10].iter().collect();
        let back = grad(&[&loss], &hidden, false);
        let near = |found: &Value, right: f32| {
            let found = found.as_f64().unwrap() as f32;
            let apart = (found - right).abs() / right;
            assert!(apart < 1e-3, "{words}: {found}, not {right}");
        };
        near(&answer["loss"], loss.item().unwrap());
        for (layer, (output, back)) in hidden.iter().zip(&back).enumerate() {
            let found = &answer["layers"][layer];
            near(&found["spread"], output.std().item().unwrap());
            near(&found["comes_back"], back.norm().item().unwrap());
        }
    }
}
