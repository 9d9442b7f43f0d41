//! How `part3_read_digits` prepares a drawing for the network.

#[path = "../../examples/part3_read_digits/drawing.rs"]
mod drawing;
#[path = "../../examples/part3_read_digits/form.rs"]
mod form;
#[allow(dead_code)]
#[path = "../../examples/part3_read_digits/request.rs"]
mod request;

use png::{BitDepth, ColorType, Encoder};
use rungrad::Error;
use rungrad::data::{SPLIT_SEED, digits};
use rungrad::io;
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::Module;
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;

use super::filters::training;
use drawing::Drawing;
use form::digit;
use request::Request;
use testkit::clean;
use testkit::place::root;

const SEVEN: &str = "
    .......
    ######.
    .....#.
    ....#..
    ...#...
    ...#...
";

fn read(bytes: &[u8]) -> Result<Drawing, Error> {
    Drawing::read("it", bytes)
}

/// Encodes a PNG from these bytes.
fn png(
    [width, height]: [u32; 2],
    (color, depth): (ColorType, BitDepth),
    bytes: &[u8],
) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == ColorType::Indexed {
        encoder.set_palette(vec![250, 250, 240, 20, 0, 80]);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(bytes).unwrap();
    writer.finish().unwrap();
    file
}

/// The pixels of a stroke in a 4 x 5 image that is otherwise paper.
const STROKE: [usize; 2] = [6, 10];

#[test]
fn a_png_of_any_kind_is_converted_to_ink_and_paper() {
    let _clean = clean();
    use {BitDepth::*, ColorType::*};
    let kinds: [(_, _, &[u8], &[u8]); 7] = [
        (Grayscale, Eight, &[240], &[30]),
        (Grayscale, Eight, &[0], &[200]),
        (Grayscale, Sixteen, &[240, 1], &[30, 255]),
        (Rgb, Eight, &[255, 255, 250], &[0, 0, 200]),
        (Rgba, Eight, &[0, 0, 0, 0], &[0, 0, 0, 255]),
        (GrayscaleAlpha, Eight, &[9, 255], &[200, 255]),
        (Indexed, Eight, &[0], &[1]),
    ];
    for (color, depth, paper, ink) in kinds {
        let pixel = |at| if STROKE.contains(&at) { ink } else { paper };
        let pixels: Vec<u8> = (0..20).flat_map(pixel).copied().collect();
        let drawing = read(&png([4, 5], (color, depth), &pixels)).unwrap();
        assert_eq!((drawing.width, drawing.height), (4, 5));
        let places = (0..20).filter(|&at| drawing.ink[at]);
        assert_eq!(places.collect::<Vec<_>>(), STROKE, "{color:?} {depth:?}");
    }
}

#[test]
fn invalid_drawings_are_rejected_with_one_sentence() {
    let _clean = clean();
    let whole = png([4, 5], (ColorType::Grayscale, BitDepth::Eight), &[9; 20]);
    let long = "#".repeat(5000);
    let large =
        png([5000, 1], (ColorType::Grayscale, BitDepth::Eight), &[9; 5000]);
    for (bytes, words) in [
        (&b"\xff\xfe\x00"[..], "it is neither a PNG file nor a text file"),
        (&whole[..40], "it is not a complete PNG file"),
        (&whole[..whole.len() - 20], "it is not a complete PNG file"),
        (b" ##\n Seven\n", "line 2 of it has 'S', which is neither paper"),
        (
            long.as_bytes(),
            "it is 5000 x 1, but a drawing may have at most 4096",
        ),
        (&large, "it is 5000 x 1, but a drawing may have at most 4096"),
    ] {
        let Err(Error::File(told)) = read(bytes) else {
            panic!("not refused: {words}");
        };
        assert!(told.starts_with(words), "{told}");
        assert!(told.contains("; "), "without a remedy: {told}");
    }
    // A valid image that is empty.
    for blank in [&whole[..], b"", b" ..\n", b"\n\n"] {
        assert_eq!(digit(&read(blank).unwrap()), None);
    }
}

#[test]
fn a_faint_stroke_is_ink_and_a_spot_is_not() {
    let _clean = clean();
    let gray = (ColorType::Grayscale, BitDepth::Eight);
    let mut pixels = [200; 20];
    pixels[STROKE[0]] = 150;
    let drawing = read(&png([4, 5], gray, &pixels)).unwrap();
    assert_eq!(drawing.ink.iter().filter(|ink| **ink).count(), 1);
    pixels[STROKE[1]] = 190;
    let drawing = read(&png([4, 5], gray, &pixels)).unwrap();
    assert_eq!(drawing.ink.iter().filter(|ink| **ink).count(), 1);
    pixels[STROKE[0]] = 190;
    assert_eq!(digit(&read(&png([4, 5], gray, &pixels)).unwrap()), None);
}

/// Enlarges each character to a square of `by` x `by` characters.
fn enlarged(text: &str, by: usize) -> String {
    let wide = |line: &str| {
        let chars = line.chars().flat_map(|char| vec![char; by]);
        chars.collect::<String>() + "\n"
    };
    text.lines().map(|line| wide(line).repeat(by)).collect()
}

#[test]
fn position_and_size_of_a_drawing_do_not_matter() {
    let _clean = clean();
    let seven = digit(&read(SEVEN.as_bytes()).unwrap()).unwrap();
    assert_eq!(seven.len(), 64);
    let ink: f32 = seven.iter().sum();
    // 312 of 1024 pixels, and those that are as dark as the last of them.
    assert!((19.5..24.0).contains(&ink), "{ink}");
    for text in [
        SEVEN.trim_start_matches('\n').replace("    ", "  "),
        format!("\n\n\n{}", SEVEN.replace("    ", "             ")),
        enlarged(SEVEN, 4),
        SEVEN.replace('#', "O"),
    ] {
        assert_eq!(digit(&read(text.as_bytes()).unwrap()).unwrap(), seven);
    }
    // The bar is in the top row, and the foot in the bottom row.
    assert!(seven[1..7].iter().all(|share| *share > 0.4), "{seven:?}");
    assert!(seven[56..].iter().any(|share| *share > 0.4), "{seven:?}");
}

#[test]
fn lines_of_any_thickness_are_normalized() {
    let _clean = clean();
    for (line, columns) in [("#", 3), ("#########", 3)] {
        let text = format!("{line}\n").repeat(40);
        let one = digit(&read(text.as_bytes()).unwrap()).unwrap();
        let ink: f32 = one.iter().sum();
        assert!((19.5..24.0).contains(&ink), "{line}: {ink}");
        let full = |column: usize| one[column] > 0.5;
        let full = (0..8).filter(|&column| full(column)).count();
        assert!(full.abs_diff(columns) <= 1, "{line}: {one:?}");
    }
}

/// A digit of the data set as an 80 x 80 drawing, whose pixels are
/// interpolated from the digit's.
fn as_drawing(row: &[f32]) -> Drawing {
    let gray = |at: usize| {
        let place = |at: usize| (at as f32 + 0.5) / 10.0 - 0.5;
        let [y, x] = [at / 80, at % 80].map(place);
        let near = |a: f32, b: f32| (1.0 - (a - b).abs()).max(0.0);
        let parts = (0..64).map(|pixel| {
            row[pixel]
                * near(y, (pixel / 8) as f32)
                * near(x, (pixel % 8) as f32)
        });
        parts.sum::<f32>()
    };
    let ink = |at| if gray(at) > 0.5 { 20 } else { 250 };
    let pixels: Vec<u8> = (0..6400).map(ink).collect();
    let gray = (ColorType::Grayscale, BitDepth::Eight);
    read(&png([80, 80], gray, &pixels)).unwrap()
}

/// Returns the predictions of the network with our weights for rows of 64
/// pixels.
fn read_by_ours(rows: &[f32]) -> Vec<usize> {
    let mut network = training::network(&mut Random::new(0));
    let weights = root().join("examples/part3_read_digits/weights.safetensors");
    io::load(&weights, &mut network).unwrap();
    let x = Tensor::new(&[rows.len() / 64, 64], rows, Device::Cpu).unwrap();
    let scores = no_grad(|| network.forward(&x)).to_vec().unwrap();
    predictions(&scores, 10)
}

#[test]
fn our_weights_read_98_5_percent_of_test_digits() {
    let _clean = clean();
    let held_out = digits().split(SPLIT_SEED).1;
    let right = accuracy(&held_out.labels, &read_by_ours(&held_out.inputs));
    assert!(right >= 0.985, "{right}");
}

/// A drawing in black and white loses most of the 64 gray values; of the
/// digits themselves, nearly all are classified correctly.
#[test]
fn redrawn_digits_are_still_recognized() {
    let _clean = clean();
    let rows: Vec<usize> = (0..60).collect();
    let held_out = digits().split(SPLIT_SEED).1.select(&rows);
    let again = |&row: &usize| digit(&as_drawing(held_out.row(row))).unwrap();
    let again: Vec<f32> = rows.iter().flat_map(again).collect();
    let right = accuracy(&held_out.labels, &read_by_ours(&again));
    assert!(right >= 0.8, "{right}");
}

#[test]
fn the_example_drawing_is_read_as_a_3() {
    let _clean = clean();
    let bytes = include_bytes!("../../examples/part3_read_digits/three.png");
    let three = digit(&read(bytes).unwrap()).unwrap();
    assert_eq!(read_by_ours(&three), [3]);
}

fn ask(line: &str) -> Result<Request, Error> {
    let words: Vec<String> = line.split(' ').map(str::to_string).collect();
    Request::of(&words)
}

#[test]
fn arguments_of_the_read_digits_example_are_parsed() {
    let _clean = clean();
    let asked = ask("my.png --device cpu --weights w --svg s.svg").unwrap();
    let expected = Request {
        drawing: Some("my.png".into()),
        weights: Some("w".into()),
        train: false,
        svg: Some("s.svg".into()),
        device: Device::Cpu,
    };
    assert_eq!(asked, expected);
    let typed = ask("- --device cpu --train").unwrap();
    assert_eq!(typed.drawing.as_deref(), Some("-"));
    assert!(typed.train);
    for (line, word) in [
        ("--svg", "--svg takes the name of a file"),
        ("--weights --train", "--weights takes the name of a file"),
        ("a.png b.png", "`b.png` is a second one"),
        ("--hand", "does not know `--hand`"),
        ("--weights w --train", "one of the two"),
    ] {
        let error = ask(line).unwrap_err();
        assert!(matches!(error, Error::Usage(_)), "{line}: {error:?}");
        assert!(error.to_string().contains(word), "{line}: {error}");
    }
}
