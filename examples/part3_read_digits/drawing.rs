//! A drawing of a digit: the pixels of a PNG or the characters of a text, each
//! of which is ink or paper.

use std::fmt;
use std::io::Cursor;

use png::{ColorType, Decoder, Limits, Transformations};
use rungrad::Error;

/// Maximum side length; a larger image is not a drawing of one digit.
const LONGEST: usize = 4096;
const INK: &str = "#@%*+=oxXO";

/// Whether each pixel is ink, row by row.
#[derive(Debug, PartialEq)]
pub(crate) struct Drawing {
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) ink: Vec<bool>,
    what: &'static str,
}

impl Drawing {
    /// Parses a PNG or a text. The name appears in error messages.
    pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Drawing, Error> {
        if bytes.starts_with(b"\x89PNG") {
            return pixels(name, bytes);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => characters(name, text),
            Err(_) => Err(Error::File(format!(
                "{name} is neither a PNG file nor a text file; save the \
                 drawing as a PNG"
            ))),
        }
    }

    // ANCHOR: of-grays
    /// Converts grays from 0 (black) to 1 (white). The paper color is the
    /// median along the edge. A pixel is ink if its gray is closer to the most
    /// contrasting gray than to the paper.
    fn of_grays([height, width]: [usize; 2], grays: &[f32]) -> Drawing {
        let is_edge = |at: usize| {
            let (row, column) = (at / width, at % width);
            row == 0 || column == 0 || row == height - 1 || column == width - 1
        };
        let edge = (0..grays.len()).filter(|&at| is_edge(at));
        let mut edge: Vec<f32> = edge.map(|at| grays[at]).collect();
        edge.sort_by(f32::total_cmp);
        let paper = edge[edge.len() / 2];
        let contrast = |gray: &f32| (gray - paper).abs();
        let most = grays.iter().map(contrast).fold(0.0, f32::max);
        // Smaller differences are noise, not strokes.
        let least = (most / 2.0).max(0.1);
        let ink = grays.iter().map(|gray| contrast(gray) > least).collect();
        Drawing { height, width, ink, what: "pixels" }
    }
    // ANCHOR_END: of-grays
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} {}", self.width, self.height, self.what)
    }
}

/// Decodes a PNG of any color type.
fn pixels(name: &str, bytes: &[u8]) -> Result<Drawing, Error> {
    let refused = |error: png::DecodingError| {
        Error::File(format!(
            "{name} is not a complete PNG file ({error}); save the drawing \
             again"
        ))
    };
    let mut decoder = Decoder::new_with_limits(
        Cursor::new(bytes),
        Limits { bytes: LONGEST * LONGEST * 4 },
    );
    // Expand palettes to colors and all channels to 8 bits.
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(refused)?;
    let (height, width) = (reader.info().height, reader.info().width);
    let size = [height as usize, width as usize];
    if size.iter().any(|&side| side > LONGEST) {
        return Err(too_large(name, size));
    }
    let room = reader.output_buffer_size().unwrap_or_default();
    let mut bytes = vec![0; room];
    let frame = reader.next_frame(&mut bytes).map_err(refused)?;
    let gray = |pixel: &[u8]| {
        let part = |at: usize| f32::from(pixel[at]) / 255.0;
        let (gray, alpha) = match frame.color_type {
            ColorType::Grayscale => (part(0), 1.0),
            ColorType::GrayscaleAlpha => (part(0), part(1)),
            _ => {
                let alpha = if pixel.len() == 4 { part(3) } else { 1.0 };
                (0.299 * part(0) + 0.587 * part(1) + 0.114 * part(2), alpha)
            }
        };
        // Transparent pixels show white.
        1.0 - alpha * (1.0 - gray)
    };
    let samples = frame.color_type.samples();
    let pixels = bytes[..frame.buffer_size()].chunks(samples);
    Ok(Drawing::of_grays(size, &pixels.map(gray).collect::<Vec<_>>()))
}

/// Parses lines of characters. Short lines are filled up with paper.
fn characters(name: &str, text: &str) -> Result<Drawing, Error> {
    let lines: Vec<Vec<char>> =
        text.lines().map(|line| line.trim_end().chars().collect()).collect();
    let width = lines.iter().map(Vec::len).max().unwrap_or(0);
    if lines.len().max(width) > LONGEST {
        return Err(too_large(name, [lines.len(), width]));
    }
    let mut ink = Vec::new();
    for (line, number) in lines.iter().zip(1..) {
        for at in 0..width {
            let char = line.get(at).copied().unwrap_or(' ');
            if !" .".contains(char) && !INK.contains(char) {
                return Err(Error::File(format!(
                    "line {number} of {name} has {char:?}, which is neither \
                     paper (a space or a dot) nor ink (one of {INK}); draw the \
                     digit with these characters, or use a PNG"
                )));
            }
            ink.push(INK.contains(char));
        }
    }
    Ok(Drawing { height: lines.len(), width, ink, what: "characters" })
}

fn too_large(name: &str, [height, width]: [usize; 2]) -> Error {
    Error::File(format!(
        "{name} is {width} x {height}, but a drawing may have at most \
         {LONGEST} pixels per side; make it smaller"
    ))
}
