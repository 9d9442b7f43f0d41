//! Renders the plane as a bitmap: the background is colored by the network,
//! the points are drawn on top.

use std::io::Write;
use std::iter;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use rungrad::data::Dataset;

use super::border::{Border, X, Y};

const WIDTH: usize = 960;
const HEIGHT: usize = 600;
/// Radius of a point, in pixels.
const DOT: f32 = 6.0;

type Color = [f32; 3];

const FIRST: Color = [26.0, 95.0, 180.0];
const SECOND: Color = [179.0, 38.0, 30.0];
const PAPER: Color = [255.0; 3];
const LINE: Color = [40.0; 3];

/// Pixels, row by row from the top.
pub(crate) struct Picture {
    pixels: Vec<Color>,
}

impl Picture {
    pub(crate) fn new(points: &Dataset, border: &Border) -> Picture {
        let places = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
        let pixels = places.map(|(x, y)| ground(border, x as f32, y as f32));
        let mut picture = Picture { pixels: pixels.collect() };
        for row in 0..points.rows() {
            let color = [FIRST, SECOND][points.labels[row]];
            picture.dot(points.row(row), color, points.labels[row] == 1);
        }
        picture
    }

    /// Draws a dot with a paper-colored rim. A ring is hollow, so that the
    /// moons can be distinguished without color.
    fn dot(&mut self, point: &[f32], color: Color, is_ring: bool) {
        let [x, y] = pixel(point);
        let around = |at: f32, size: usize| {
            let from = (at - DOT - 2.0).max(0.0) as usize;
            from..((at + DOT + 3.0).max(0.0) as usize).min(size)
        };
        for row in around(y, HEIGHT) {
            for column in around(x, WIDTH) {
                let far = (column as f32 - x).hypot(row as f32 - y);
                let pixel = &mut self.pixels[row * WIDTH + column];
                *pixel = mix(*pixel, PAPER, inside(far, DOT + 1.5));
                *pixel = mix(*pixel, color, inside(far, DOT));
                if is_ring {
                    *pixel = mix(*pixel, PAPER, inside(far, DOT - 2.5));
                }
            }
        }
    }

    /// Encodes the picture as a PNG file.
    pub(crate) fn png(&self) -> Vec<u8> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        for row in self.pixels.chunks(WIDTH) {
            // Each row begins with its filter type; 0 means none.
            let bytes = row.iter().flatten().map(|part| part.round() as u8);
            let row: Vec<u8> = iter::once(0).chain(bytes).collect();
            packed.write_all(&row).expect("a Vec takes every byte");
        }
        let packed = packed.finish().expect("a Vec takes every byte");
        let sizes = [WIDTH as u32, HEIGHT as u32].map(u32::to_be_bytes);
        // Bit depth 8, color type RGB, no interlacing.
        let head = [&sizes.concat()[..], &[8, 2, 0, 0, 0]].concat();
        let chunks = [(b"IHDR", &head), (b"IDAT", &packed), (b"IEND", &vec![])];
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        file.extend(chunks.iter().flat_map(|(name, data)| chunk(name, data)));
        file
    }
}

/// Encodes a PNG chunk: its length, its type, its data, and a checksum.
fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut sum = Crc::new();
    sum.update(name);
    sum.update(data);
    let length = (data.len() as u32).to_be_bytes();
    [&length, &name[..], data, &sum.sum().to_be_bytes()].concat()
}

/// Returns the background color: the more certain the network is, the stronger
/// the color. The boundary is drawn where it is undecided.
fn ground(border: &Border, x: f32, y: f32) -> Color {
    let share = |x, y| border.share(plane(x, y));
    let here = share(x, y);
    let [right, down] = [share(x + 1.0, y) - here, share(x, y + 1.0) - here];
    let color = if here < 0.5 { FIRST } else { SECOND };
    let sure = (here - 0.5).abs() * 2.0;
    let ground = mix(PAPER, color, 0.08 + 0.27 * sure);
    // Distance to the boundary, in pixels.
    let far = (here - 0.5).abs() / right.hypot(down).max(1e-9);
    mix(ground, LINE, inside(far, 1.5))
}

/// Maps a pixel to the point of the plane at its center.
fn plane(x: f32, y: f32) -> [f32; 2] {
    let at = |[from, to]: [f32; 2], share: f32| from + (to - from) * share;
    [at(X, x / WIDTH as f32), at(Y, 1.0 - y / HEIGHT as f32)]
}

/// Maps a point of the plane to its pixel.
fn pixel(point: &[f32]) -> [f32; 2] {
    let at = |value: f32, [from, to]: [f32; 2]| (value - from) / (to - from);
    let (x, y) = (at(point[0], X), at(point[1], Y));
    [x * WIDTH as f32, (1.0 - y) * HEIGHT as f32]
}

/// Returns 1 inside the radius and 0 outside, with a soft edge one pixel wide.
fn inside(distance: f32, radius: f32) -> f32 {
    (radius - distance + 0.5).clamp(0.0, 1.0)
}

fn mix(a: Color, b: Color, share: f32) -> Color {
    [0, 1, 2].map(|part| a[part] + (b[part] - a[part]) * share)
}
