//! Plots of curves and points over two axes, in the colors of the tapes.

use std::fmt::Write;

use super::plain_head;
use super::svg::{CPU, GPU, GRAD, VALUE, escape};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 360.0;
/// Margins for the labels of the axes.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
/// The middle of the first line of the legend, and the distance of its lines.
const LEGEND: f64 = 21.0;
const BOTTOM: f64 = 54.0;

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line through all points.
    Line,
    /// A line from the first point to the second, from the third to the
    /// fourth, and so on.
    Pieces,
    /// A filled dot at each point.
    Dots,
    /// A ring at each point, which differs from a dot even without color.
    Rings,
}

/// The color of a series, taken from the page, so that it follows the theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// The text color.
    Text,
    /// The color of values.
    Value,
    /// The color of gradients.
    Grad,
    /// The color of the CPU.
    Cpu,
    /// The color of a GPU.
    Gpu,
}

impl Color {
    fn color(self) -> &'static str {
        match self {
            Color::Text => "currentColor",
            Color::Value => VALUE,
            Color::Grad => GRAD,
            Color::Cpu => CPU,
            Color::Gpu => GPU,
        }
    }
}

/// A series of points with a common name, mark and color.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// How the points are drawn.
    pub mark: Mark,
    /// The color.
    pub color: Color,
    /// The points, `(x, y)`.
    pub points: Vec<(f32, f32)>,
}

/// Draws series over two linear axes as SVG. `name` is the prefix of the
/// title's id; screen readers read the title. `axes` are the labels of the x
/// and y axes.
pub fn plot(
    name: &str,
    title: &str,
    axes: [&str; 2],
    series: &[Series],
) -> String {
    drawing(name, title, axes, series, Scale::new)
}

/// Like [`plot`], with logarithmic axes. Points must be positive.
pub fn plot_loglog(
    name: &str,
    title: &str,
    axes: [&str; 2],
    series: &[Series],
) -> String {
    drawing(name, title, axes, series, Scale::powers)
}

fn drawing(
    name: &str,
    title: &str,
    axes: [&str; 2],
    series: &[Series],
    scale: fn(&mut dyn Iterator<Item = f32>, f64, f64) -> Scale,
) -> String {
    let points = || series.iter().flat_map(|s| &s.points);
    let x = scale(&mut points().map(|p| p.0), LEFT, WIDTH - RIGHT);
    let legend = legend(axes[1], series);
    let top = legend.last().map_or(LEGEND, |entry| entry.1) + 23.0;
    let y = scale(&mut points().map(|p| p.1), HEIGHT - BOTTOM, top);
    let mut svg = plain_head(name, title, [WIDTH, HEIGHT]);
    let mut put = |line: std::fmt::Arguments<'_>| {
        writeln!(svg, "{line}").expect("a String takes every line");
    };
    let [along, up] = axes.map(escape);
    for tick in &x.ticks {
        let at = x.along(*tick);
        put(format_args!(
            "<path d=\"M{at:.1} {top} V{}\" stroke=\"currentColor\" \
             stroke-opacity=\"0.15\"/>",
            HEIGHT - BOTTOM
        ));
        put(format_args!(
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM + 19.0,
            x.word(*tick)
        ));
    }
    for tick in &y.ticks {
        let at = y.along(*tick);
        put(format_args!(
            "<path d=\"M{LEFT} {at:.1} H{}\" stroke=\"currentColor\" \
             stroke-opacity=\"0.15\"/>",
            WIDTH - RIGHT
        ));
        put(format_args!(
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 5.0,
            y.word(*tick)
        ));
    }
    put(format_args!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{along}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0
    ));
    put(format_args!("<text x=\"{LEFT}\" y=\"26\">{up}</text>"));
    for (Series { name, mark, color, points }, (left, middle)) in
        series.iter().zip(legend)
    {
        let color = color.color();
        let places: Vec<(f64, f64)> = points
            .iter()
            .map(|p| (x.place(p.0.into()), y.place(p.1.into())))
            .filter(|place| (place.0 + place.1).is_finite())
            .collect();
        put(format_args!("{}", drawn(*mark, color, &places)));
        let sample = match mark {
            Mark::Line | Mark::Pieces => {
                [(left, middle), (left + 22.0, middle)]
            }
            Mark::Dots | Mark::Rings => [(left + 11.0, middle); 2],
        };
        put(format_args!("{}", drawn(*mark, color, &sample)));
        put(format_args!(
            "<text x=\"{:.1}\" y=\"{}\" fill=\"{color}\">{}</text>",
            left + 30.0,
            middle + 5.0,
            escape(name)
        ));
    }
    svg + "</svg>\n"
}

/// Returns the positions of the entries of the legend. They follow the label
/// of the y axis, and an entry that does not fit begins a new line.
fn legend(up: &str, series: &[Series]) -> Vec<(f64, f64)> {
    let mut end = (LEFT + 20.0 + width(up), LEGEND);
    let entries = series.iter().map(|it| {
        let wide = 30.0 + width(&it.name);
        if end.0 + 20.0 + wide > WIDTH {
            end = (LEFT - 20.0, end.1 + LEGEND);
        }
        let start = (end.0 + 20.0, end.1);
        end.0 = start.0 + wide;
        start
    });
    entries.collect()
}

/// Estimates the width of a text in font size 15.
fn width(words: &str) -> f64 {
    7.8 * words.chars().count() as f64
}

/// Returns one path element for all points of a series.
fn drawn(mark: Mark, color: &str, places: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in places.iter().enumerate() {
        path += &match mark {
            Mark::Line if at > 0 => format!("L{x:.1} {y:.1}"),
            Mark::Pieces if at % 2 == 1 => format!("L{x:.1} {y:.1}"),
            Mark::Line | Mark::Pieces => format!("M{x:.1} {y:.1}"),
            // A line of length 0 with round caps is a dot.
            Mark::Dots => format!("M{x:.1} {y:.1}h0"),
            Mark::Rings => {
                format!("M{:.1} {y:.1}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", x - 3.0)
            }
        };
    }
    let width = match mark {
        Mark::Line | Mark::Pieces => "2",
        Mark::Dots => "6.5",
        Mark::Rings => "1.5",
    };
    format!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" \
         stroke-width=\"{width}\" stroke-linecap=\"round\" \
         stroke-linejoin=\"round\"/>"
    )
}

/// The scale of an axis.
struct Scale {
    from: f64,
    to: f64,
    /// The positions of `from` and `to` on the page.
    places: (f64, f64),
    ticks: Vec<f64>,
    decimals: usize,
    /// Whether `from`, `to` and `ticks` are exponents of ten.
    is_powers: bool,
}

impl Scale {
    /// Creates a linear axis from the round number below all values to the
    /// round number above them.
    fn new(
        values: &mut dyn Iterator<Item = f32>,
        start: f64,
        end: f64,
    ) -> Scale {
        let finite = values.filter(|v| v.is_finite()).map(f64::from);
        let (least, most) = finite
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), v| {
                (least.min(v), most.max(v))
            });
        let (least, most) = match most - least {
            span if span > 0.0 => (least, most),
            0.0 => (least - 0.5, most + 0.5),
            _ => (0.0, 1.0),
        };
        // The step is 1, 2 or 5 times a power of ten, and gives four to nine
        // ticks.
        let rough = (most - least) / 8.0;
        let power = rough.log10().floor();
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|factor| factor * 10f64.powf(power))
            .into_iter()
            .find(|step| *step >= rough * 0.999)
            .expect("10 is more than any first digit");
        let (first, last) =
            ((least / step).floor() as i64, (most / step).ceil() as i64);
        let ticks: Vec<f64> = (first..=last).map(|n| n as f64 * step).collect();
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let (from, to) = (first as f64 * step, last as f64 * step);
        let places = (start, end);
        Scale { from, to, places, ticks, decimals, is_powers: false }
    }

    /// Creates a logarithmic axis from the power of ten below all values to
    /// the power of ten above them.
    fn powers(
        values: &mut dyn Iterator<Item = f32>,
        start: f64,
        end: f64,
    ) -> Scale {
        let powers = values.filter(|v| *v > 0.0 && v.is_finite());
        // Round to `f32`, so that log10(0.01) is exactly -2 instead of a
        // little less.
        let powers = powers.map(|v| f64::from(f64::from(v).log10() as f32));
        let (least, most) = powers
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), v| {
                (least.min(v), most.max(v))
            });
        let (from, to) = match most - least {
            span if span >= 0.0 => {
                (least.floor(), most.ceil().max(least.floor() + 1.0))
            }
            _ => (0.0, 1.0),
        };
        let ticks = (from as i64..=to as i64).map(|n| n as f64).collect();
        let places = (start, end);
        Scale { from, to, places, ticks, decimals: 0, is_powers: true }
    }

    /// Returns the position of a value.
    fn place(&self, value: f64) -> f64 {
        match self.is_powers {
            true => self.along(value.log10()),
            false => self.along(value),
        }
    }

    fn along(&self, value: f64) -> f64 {
        let share = (value - self.from) / (self.to - self.from);
        self.places.0 + share * (self.places.1 - self.places.0)
    }

    fn word(&self, tick: f64) -> String {
        if !self.is_powers {
            return format!("{tick:.*}", self.decimals);
        }
        let raised = |digit: char| match digit {
            '-' => '\u{207b}',
            '1' => '\u{b9}',
            '2' => '\u{b2}',
            '3' => '\u{b3}',
            other => char::from_u32(0x2070 + other as u32 - 0x30)
                .expect("a raised digit"),
        };
        format!(
            "10{}",
            tick.to_string().chars().map(raised).collect::<String>()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f32, f32)]) -> String {
        let series = Series {
            name: "a < b".to_string(),
            mark: Mark::Line,
            color: Color::Value,
            points: points.to_vec(),
        };
        plot("test", "A test", ["epoch", "loss"], &[series])
    }

    /// Returns the path of the first series, identified by its round caps.
    fn path(svg: &str) -> &str {
        let line = svg.lines().find(|l| l.contains("linecap")).unwrap();
        line.split('"').nth(1).unwrap()
    }

    #[test]
    fn values_fill_the_frame_from_axis_to_title() {
        let svg = line(&[(0.0, 2.0), (10.0, 0.0)]);
        // From the top left to the bottom right corner of the frame.
        assert_eq!(path(&svg), "M64.0 44.0L440.0 306.0");
    }

    #[test]
    fn ticks_are_round_and_enclose_all_values() {
        let scale = |values: &[f32]| {
            let scale = Scale::new(&mut values.iter().copied(), 0.0, 1.0);
            let words = scale.ticks.iter().map(|&tick| scale.word(tick));
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(scale(&[1.0, 20.0]), "0 5 10 15 20");
        assert_eq!(scale(&[0.03, 0.55]), "0.0 0.1 0.2 0.3 0.4 0.5 0.6");
        assert_eq!(
            scale(&[-1.2, 2.1]),
            "-1.5 -1.0 -0.5 0.0 0.5 1.0 1.5 2.0 2.5"
        );
        assert_eq!(scale(&[0.0, 8.0]), "0 1 2 3 4 5 6 7 8");
        assert_eq!(scale(&[3.0]), "2.4 2.6 2.8 3.0 3.2 3.4 3.6");
        assert_eq!(scale(&[]), "0.0 0.2 0.4 0.6 0.8 1.0");
    }

    #[test]
    fn powers_of_ten_are_equally_spaced() {
        let values = [0.04, 3.0, 7000.0];
        let scale = Scale::powers(&mut values.iter().copied(), 0.0, 60.0);
        let words = scale.ticks.iter().map(|&tick| scale.word(tick));
        let words: Vec<String> = words.collect();
        assert_eq!(words.join(" "), "10⁻² 10⁻¹ 10⁰ 10¹ 10² 10³ 10⁴");
        let places = [0.01, 1.0, 100.0].map(|value| scale.place(value));
        assert_eq!(places, [0.0, 20.0, 40.0]);
        // If a bound is a power of ten, the axis ends there.
        let edge = Scale::powers(&mut [0.01, 1.0].into_iter(), 0.0, 1.0);
        assert_eq!(edge.ticks, [-2.0, -1.0, 0.0]);
        // Infinite and NaN values are ignored.
        let endless = [0.01, f32::INFINITY, 1.0, f32::NAN];
        let endless = Scale::powers(&mut endless.into_iter(), 0.0, 1.0);
        assert_eq!(endless.ticks, edge.ticks);
        // A single value gets an axis of two powers.
        let one = Scale::powers(&mut [100.0].into_iter(), 0.0, 1.0);
        assert_eq!(one.ticks, [2.0, 3.0]);
        let none = Scale::powers(&mut [0.0, -1.0].into_iter(), 0.0, 1.0);
        assert_eq!(none.ticks, [0.0, 1.0]);
    }

    #[test]
    fn nan_values_are_omitted() {
        let svg = line(&[(0.0, 1.0), (1.0, f32::NAN), (2.0, 0.0)]);
        assert!(!svg.contains("NaN"));
        assert_eq!(path(&svg).matches('L').count(), 1);
        assert!(!line(&[(f32::NAN, f32::INFINITY)]).contains("NaN"));
    }

    #[test]
    fn text_is_escaped() {
        assert!(line(&[]).contains("a &lt; b</text>"));
    }

    /// Compares two plots line by line with pictures that a person has
    /// checked.
    #[test]
    fn plots_match_the_checked_pictures() {
        let series = |name: &str, mark, color, points: &[(f32, f32)]| Series {
            name: name.to_string(),
            mark,
            color,
            points: points.to_vec(),
        };
        let line = [(0.0, 2.0), (5.0, 0.5), (10.0, 1.25)];
        let points = [(2.0, 1.0), (7.5, 0.25)];
        let all = [
            series("a < b", Mark::Line, Color::Value, &line),
            series("pieces", Mark::Pieces, Color::Cpu, &line),
            series("dots", Mark::Dots, Color::Grad, &points),
            series("rings", Mark::Rings, Color::Text, &points),
        ];
        let axes = ["epoch", "loss"];
        let plain = plot("plain", "A plot", axes, &all);
        let powers = plot_loglog("powers", "Powers", axes, &all);
        let drawn = plain + &powers;
        let right = include_str!("plot/whole.svg");
        for (drawn, right) in drawn.lines().zip(right.lines()) {
            assert_eq!(drawn, right);
        }
        assert_eq!(drawn.lines().count(), right.lines().count());
    }
}
