//! Draws when a rank computes and when it sends.

use std::fs;
use std::path::Path;

use rungrad::{Error, Result};

use super::ranks::Event;

/// The left edge of the timelines, and the width of a millisecond.
const LEFT: f64 = 112.0;
const WIDTH: f64 = 53.0;

/// The colors of computation and of messages.
const COLORS: [&str; 2] = ["var(--fig-value)", "var(--fig-grad)"];

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 HEIGHT\" \
    role=\"img\" class=\"sparse\">
<title>A step of rank 0 of four, when its gradients are added in four ways</title>
<desc>Four timelines with two rows each: the time in which the rank computes, \
and the time in which its messages travel. The naive messages begin after the \
computation. With a hook and with a bucket per layer, most messages travel \
during the backward pass. A single bucket begins after it.</desc>
";

/// Writes the timelines of several steps.
pub(crate) fn write(file: &str, lanes: &[(&str, Vec<Event>)]) -> Result<()> {
    let bottom = 84 * lanes.len() + 8;
    let height = (bottom + 36).to_string();
    let mut svg = HEAD.replace("HEIGHT", &height);
    for (index, (name, events)) in lanes.iter().enumerate() {
        let top = 84 * index;
        let name = name.trim_start_matches("four ranks, ");
        svg += &format!(
            "<text x=\"{LEFT}\" y=\"{}\" font-weight=\"600\">{name}</text>\n",
            top + 20
        );
        for (row, words) in ["computes", "messages"].into_iter().enumerate() {
            let y = top + 28 + 24 * row;
            svg += &format!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{words}</text>\n",
                LEFT - 10.0,
                y + 15
            );
            let own = events.iter().filter(|it| it.is_message == (row == 1));
            for Event { start, end, .. } in own {
                let x = LEFT + start * 1e3 * WIDTH;
                let width = (end - start) * 1e3 * WIDTH;
                let color = COLORS[row];
                svg += &format!(
                    "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" \
                     height=\"20\" fill=\"{color}\" fill-opacity=\"0.25\" \
                     stroke=\"{color}\"/>\n"
                );
            }
        }
    }
    for time in (0..=10).step_by(2) {
        let x = LEFT + f64::from(time) * WIDTH;
        svg += &format!(
            "<path d=\"M{x} 24V{bottom}\" stroke=\"currentColor\" \
             stroke-opacity=\"0.2\"/>\n<text x=\"{x}\" y=\"{}\" \
             text-anchor=\"middle\">{time} ms</text>\n",
            bottom + 20
        );
    }
    svg += "</svg>\n";
    let folder = Path::new(file).parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).and_then(|()| fs::write(file, svg)).map_err(
        |error| Error::Usage(format!("{file} cannot be written: {error}")),
    )?;
    println!("wrote {file}");
    Ok(())
}
