//! Draws the results of a run: a bar for each row that a different engine also
//! ran, and the roofline with the achievable throughput.

use profile::svg::{FIRST as OURS, SECOND as THEIRS, Svg, escape};

use crate::report::{
    Limits, Line, Other, Report, Times, format_ratio, format_time,
};

const WIDTH: f64 = 860.0;
const ROW: f64 = 20.0;
/// The right ends of the row names and of the bars.
const NAMES: f64 = 290.0;
const BARS: f64 = 730.0;
/// The ratio of times for the longest bar, in either direction.
const MAX_RATIO: f64 = 16.0;
const TOP: f64 = 76.0;
const ROOF: f64 = 340.0;

/// Draws both pictures as one SVG.
pub(crate) fn svg(report: &Report) -> String {
    let lines = &report.lines;
    let bars: Vec<(usize, &Line)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.others.is_empty())
        .collect();
    let below = TOP + ROW * bars.len() as f64 + 30.0;
    let height = below + ROOF + 40.0;
    let machine = &report.machine;
    let title = format!(
        "Part 3 on {} beside other engines, {}",
        machine.model, machine.date
    );
    let mut page = Svg::new([WIDTH, height], "bench", &title);
    page.text(16.0, 24.0, "start", &title);
    match bars.is_empty() {
        true => page.text(16.0, 48.0, "start", "No other engine ran here."),
        false => {
            let legend = "a bar to the left: Part 3 takes less time; a tick: \
                          beside a graph, without Python's time";
            page.text(16.0, 46.0, "start", legend);
            draw_bars(&mut page, &bars);
        }
    }
    roofline(&mut page, below, lines);
    page.end()
}

/// Returns the engine that a row is compared with, which is the last one in
/// eager mode, and its time with a captured graph.
fn compared_engine(line: &Line) -> Option<(&(Other, Times), Option<&Times>)> {
    let mut others = line.others.iter();
    let last = others.rfind(|(other, _)| other.way == "eager")?;
    let graph = line.others.iter().find(|(other, _)| {
        other.engine == last.0.engine && other.way == "graph"
    });
    Some((last, graph.map(|(_, times)| times)))
}

fn line(page: &mut Svg, path: &str, opacity: f64) {
    page.put(format_args!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"currentColor\" \
         stroke-opacity=\"{opacity}\"/>"
    ));
}

/// Draws a bar for each row: our time divided by the time of the other engine,
/// on a logarithmic scale. Part 3 is faster to the left. A tick is the time of
/// the other engine with a captured graph.
fn draw_bars(page: &mut Svg, bars: &[(usize, &Line)]) {
    let place = |ratio: f64| {
        let share =
            ratio.clamp(1.0 / MAX_RATIO, MAX_RATIO).log2() / MAX_RATIO.log2();
        NAMES + (BARS - NAMES) * (share + 1.0) / 2.0
    };
    let bottom = TOP + ROW * bars.len() as f64;
    for power in -4..=4 {
        let ratio = 2f64.powi(power);
        let opacity = if power == 0 { 0.8 } else { 0.15 };
        let at = place(ratio);
        line(page, &format!("M{at:.1} {TOP}V{bottom:.1}"), opacity);
        let word = match power {
            0.. => format!("{ratio}"),
            _ => format!("1/{}", 1.0 / ratio),
        };
        page.text(at, TOP - 8.0, "middle", &word);
    }
    page.text(16.0, TOP - 8.0, "start", "time of Part 3 over that of");
    for (slot, (number, line)) in bars.iter().enumerate() {
        let Some(((other, theirs), graph)) = compared_engine(line) else {
            continue;
        };
        let y = TOP + ROW * slot as f64;
        let name = escape(&line.name());
        page.text(16.0, y + 15.0, "start", &format!("{}", number + 1));
        page.text(NAMES - 8.0, y + 15.0, "end", &line.name());
        let ratio = line.ours.median / theirs.median;
        let (from, to) = (place(ratio).min(place(1.0)), place(ratio));
        let width = (to.max(place(1.0)) - from).max(1.0);
        let color = if ratio > 1.0 { THEIRS } else { OURS };
        page.put(format_args!(
            "<g><title>{name}: {}, {} by {}</title><rect x=\"{from:.1}\" \
                 y=\"{:.1}\" width=\"{width:.1}\" height=\"{}\" \
                 fill=\"{color}\"/></g>",
            format_time(line.ours.median),
            format_time(theirs.median),
            escape(&other.engine),
            y + 4.0,
            ROW - 7.0
        ));
        if let Some(graph) = graph {
            let at = place(line.ours.median / graph.median);
            page.put(format_args!(
                "<path d=\"M{at:.1} {:.1}v{}\" stroke=\"currentColor\" \
                     stroke-width=\"2\"/>",
                y + 2.0,
                ROW - 3.0
            ));
        }
        let words = format!("{} {}", format_ratio(ratio), other.engine);
        page.text(BARS + 6.0, y + 15.0, "start", &words);
    }
}

/// Draws operations per second over operations per byte. Only work that fits
/// into a cache can exceed the roof.
fn roofline(page: &mut Svg, top: f64, lines: &[Line]) {
    let limits = Limits::measured(lines);
    let Limits { bytes: Some(bytes), operations: Some(operations) } = limits
    else {
        let words = "No roofline: it needs a row `copy` and one `matmul`.";
        page.text(16.0, top + 20.0, "start", words);
        return;
    };
    let place = |intensity: f64, rate: f64| {
        let across = (intensity.log10() + 2.0) / 6.0;
        // Six powers of ten below the roof.
        let up = (rate / operations).log10() / 6.0 + 1.0;
        let x = 70.0 + (WIDTH - 110.0) * across.clamp(0.0, 1.0);
        (x, top + 40.0 + (ROOF - 90.0) * (1.0 - up.clamp(0.0, 1.0)))
    };
    for power in -2..=4 {
        let (at, _) = place(10f64.powi(power), operations);
        let (from, to) = (top + 30.0, top + ROOF - 50.0);
        line(page, &format!("M{at:.1} {from:.1}V{to:.1}"), 0.15);
        page.text(at, to + 20.0, "middle", &format!("1e{power}"));
    }
    let (from, _) = place(1e-2, operations);
    for power in (0..6).map(|below| operations.log10().floor() - below as f64) {
        let (to, y) = place(1e4, 10f64.powf(power));
        line(page, &format!("M{from:.1} {y:.1}H{to:.1}"), 0.15);
        page.text(from - 6.0, y + 4.0, "end", &format!("1e{power}"));
    }
    let ridge = operations / bytes;
    let (left, _) = place(1e-2, operations);
    let (right, _) = place(1e4, operations);
    let (start, low) = place(1e-2, 1e-2 * bytes);
    let (knee, high) = place(ridge, operations);
    let roof = format!("M{start:.1} {low:.1}L{knee:.1} {high:.1}H{right:.1}");
    line(page, &roof, 0.9);
    let words = format!(
        "operations in a second; the roof: {:.0} GB/s copied, {:.2} \
             TFLOP/s in products",
        bytes * 1e-9,
        operations * 1e-12
    );
    page.text(left, top + 20.0, "start", &words);
    let below = "operations for a byte; a number is the row of that \
                     number, a ring the other engine";
    page.text(left, top + ROOF - 8.0, "start", below);
    for (at, line) in lines.iter().enumerate() {
        let (Some(bytes), Some(operations)) =
            (line.work.bytes, line.work.operations)
        else {
            continue;
        };
        let spot = |time: f64| place(operations / bytes, operations / time);
        if let Some(((_, theirs), _)) = compared_engine(line) {
            let (x, y) = spot(theirs.median);
            page.put(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" \
                     fill=\"none\" stroke=\"{THEIRS}\"/>"
            ));
        }
        let (x, y) = spot(line.ours.median);
        page.put(format_args!(
            "<g><title>{}</title><circle cx=\"{x:.1}\" cy=\"{y:.1}\" \
                 r=\"3\" fill=\"{OURS}\"/></g>",
            escape(&line.name())
        ));
        let number = (at + 1).to_string();
        page.put(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"9\">{number}</text>",
            x + 5.0,
            y + 3.0
        ));
    }
}
