//! Shows views of an array as text and as a picture: shape, strides, offset,
//! and the memory slot of each element.
//!
//! ```sh
//! cargo run --example part3_strides -- 2x3 permute=1,0 slice=..,1..3 flip=1
//! cargo run --example part3_strides -- 4x4 windows=2x2/2x2 then reshape=4x4
//! cargo run --example part3_strides -- 4x4 slice=1..,..:2
//! ```
//!
//! The first argument is the shape of the array. Each further argument is a
//! view of it or, after `then`, of the previous view. `svg=FILE` sets where
//! the picture is written.

mod moves;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::draw::{DrawnView, save, slots, table};
use rungrad::part3_unified::{Array, Device};

use words::Request;

fn main() -> ExitCode {
    rungrad::run(|| {
        let request = Request::of(&rungrad::args())?;
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let default = || root.join("target/strides.svg");
        let svg = request.svg.clone().unwrap_or_else(default);

        let device = Device::from_env()?;
        // The value of each element is its memory slot.
        let values: Vec<f32> = (0..request.len).map(|i| i as f32).collect();
        let array = Array::new(&request.shape, &values, device)?;
        let mut seen = vec![(request.name.clone(), array.clone())];
        for (word, after) in &request.views {
            let (_, before) = &seen[if *after { seen.len() - 1 } else { 0 }];
            let then = if *after { "then " } else { "" };
            let view = words::view(before, word)?;
            words::check_size(word, view.len())?;
            seen.push((format!("{then}{word}"), view));
        }

        print!("{}", lines_of(&seen));
        let name = svg.file_stem().map(|name| name.to_string_lossy());
        let name = name.unwrap_or("strides".into());
        let picture = slots(&name, &title(&seen), &values, &walks(&seen)?);
        save(&svg, picture.as_bytes())?;
        println!("the picture is in {}", svg.display());
        Ok(())
    })
}

/// Formats one line per view, with its elements below.
fn lines_of(seen: &[(String, Array)]) -> String {
    let memory = format!("memory on {}", seen[0].1.device());
    let head = ["view", "shape", "strides", "offset", &memory];
    let mut rows = vec![head.map(str::to_string)];
    rows.extend(seen.iter().map(|(word, view)| {
        let shares = view.shares_storage(&seen[0].1);
        [
            word.clone(),
            format!("{:?}", view.shape()),
            format!("{:?}", view.strides()),
            view.offset().to_string(),
            if shares { "the same" } else { "a copy" }.to_string(),
        ]
    }));
    let table = table(&rows);
    let mut lines = table.lines();
    let mut text = format!("{}\n", lines.next().unwrap_or_default());
    for (line, (_, view)) in lines.zip(seen) {
        let shown = view.to_string();
        let (elements, _) = shown.rsplit_once(" on ").unwrap_or((&shown, ""));
        text += &format!("{line}\n  {elements}\n");
    }
    text
}

fn walks(seen: &[(String, Array)]) -> Result<Vec<DrawnView>, Error> {
    let walk = |(word, view): &(String, Array)| {
        let shares = view.shares_storage(&seen[0].1);
        let mut words = vec![
            word.clone(),
            format!("shape {:?}", view.shape()),
            format!("strides {:?}", view.strides()),
            format!("offset {}", view.offset()),
        ];
        if !shares {
            words.push("a copy".to_string());
        }
        let mut slots: Vec<usize> = view.view().offsets().collect();
        slots.truncate(if shares { slots.len() } else { 0 });
        let (shape, values) = (view.shape().to_vec(), view.to_vec()?);
        Ok(DrawnView { words, shape, values, slots })
    };
    seen.iter().map(walk).collect()
}

/// Returns the text for screen readers.
fn title(seen: &[(String, Array)]) -> String {
    let view = |(word, view): &(String, Array)| {
        let shows = match view.shares_storage(&seen[0].1) {
            true => "shows the slots",
            false => "is a copy, with the slots",
        };
        let slots: Vec<String> =
            view.view().offsets().map(|slot| slot.to_string()).collect();
        format!("{word} {shows} {}.", slots.join(", "))
    };
    let views: Vec<String> = seen.iter().map(view).collect();
    format!(
        "A memory of {} slots, and views of it. {}",
        seen[0].1.len(),
        views.join(" ")
    )
}
