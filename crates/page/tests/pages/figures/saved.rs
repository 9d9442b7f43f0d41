//! A drawing is saved from the page, and `part3_read_digits` reads that file.

#[path = "../../../../../examples/part3_read_digits/drawing.rs"]
mod drawing;
#[path = "../../../../../examples/part3_read_digits/form.rs"]
mod form;
#[allow(dead_code)]
#[path = "../../../../../examples/part3_filters/training.rs"]
mod training;

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, thread};

use rungrad::metrics::predictions;
use rungrad::part3_unified::nn::Module;
use rungrad::part3_unified::{Device, Tensor, io, no_grad};
use rungrad::rng::Random;
use serde_json::json;

use super::{button, middle, native, open, says};
use crate::Browser;
use drawing::Drawing;

const SAVED: &str = "Saved as digit.png: 320 by 320 pixels, dark on light.";

/// Sends what the browser saves into an empty folder.
fn downloads(browser: &mut Browser, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.to_str().unwrap();
    let there = json!({ "behavior": "allow", "downloadPath": path });
    browser.call("Browser.setDownloadBehavior", there);
    folder
}

/// Saves the drawing by the keyboard, and takes the file away.
#[track_caller]
fn saved(browser: &mut Browser, folder: &Path) -> Drawing {
    button(browser, "digits", "Save as PNG");
    says(browser, "digits", SAVED);
    let file = folder.join("digit.png");
    for _ in 0..200 {
        // It has this name when it is whole.
        if let Ok(bytes) = fs::read(&file) {
            fs::remove_file(&file).unwrap();
            return Drawing::read("digit.png", &bytes).unwrap();
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{} has not come", file.display());
}

/// Reads a drawing as `part3_read_digits` does.
fn read(drawing: &Drawing) -> usize {
    let digit = form::digit(drawing).expect("something is drawn");
    let mut network = training::network(&mut Random::new(0));
    let weights = "examples/part3_read_digits/weights.safetensors";
    io::load(testkit::place::root().join(weights), &mut network).unwrap();
    let x = Tensor::new(&[1, 64], &digit, Device::Cpu).unwrap();
    let scores = no_grad(|| network.forward(&x)).to_vec().unwrap();
    predictions(&scores, 10)[0]
}

#[test]
fn a_drawing_is_saved_as_a_file_that_part_3_reads() {
    let Some(mut browser) = open("train-the-digits.html", "digits") else {
        return;
    };
    let it = &mut browser;
    let folder = downloads(it, "saved");
    let show = |it: &mut Browser, at: usize| {
        it.evaluate(&format!(
            "document.querySelector('.stage input[type=number]').value = {at}"
        ));
        button(it, "digits", "Show it");
        native(&format!("digits shown\n{at}"))
    };
    // Digits of the course are still what they were.
    native("digits begin");
    let mut right = 0;
    for at in 0..10 {
        let shown = show(it, at);
        says(it, "digits", &format!("This one is a {}.", shown["label"]));
        let drawing = saved(it, &folder);
        assert_eq!((drawing.width, drawing.height), (320, 320));
        right += usize::from(json!(read(&drawing)) == shown["label"]);
    }
    assert!(right >= 8, "{right} of 10");

    // So does what a hand draws, here a 7.
    button(it, "digits", "Wipe");
    let [x, y] = middle(it, ".pixels");
    let line = |[x1, y1]: [f64; 2], [x2, y2]: [f64; 2]| {
        (0..=8).map(move |step| {
            let part = f64::from(step) / 8.0;
            [x + x1 + (x2 - x1) * part, y + y1 + (y2 - y1) * part]
        })
    };
    let [left, right, foot] = [[-70.0, -110.0], [70.0, -110.0], [-20.0, 110.0]];
    it.drag(&line(left, right).chain(line(right, foot)).collect::<Vec<_>>());
    assert_eq!(read(&saved(it, &folder)), 7);

    // An empty paper is not saved.
    button(it, "digits", "Wipe");
    button(it, "digits", "Save as PNG");
    says(it, "digits", "Nothing is drawn, so nothing is saved.");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}
