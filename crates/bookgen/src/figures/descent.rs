//! Twenty steps in a narrow valley, without and with momentum, computed by the
//! optimizer of "Downhill".

use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::optim::Sgd;

use super::{BOLD, Svg};

/// The steepness along the valley and across it.
const STEEPNESS: [f32; 2] = [1.0, 20.0];
const START: [f32; 2] = [-4.5, 2.0];
const RATE: f32 = 0.095;
const STEPS: usize = 20;

/// The length of one unit in the picture.
const UNIT: f32 = 31.0;
/// The y coordinate of the minimum.
const MIDDLE: f32 = 132.0;

pub(crate) fn svg() -> String {
    let mut svg = Svg::new(HEAD);
    panel(&mut svg, 170.0, 0.0);
    svg.fold(|svg| panel(svg, 510.0, 0.5));
    svg.end()
}

fn panel(svg: &mut Svg, left: f32, momentum: f32) {
    svg.put(
        "<g fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.35\">",
    );
    for loss in [0.25, 1.0, 2.5, 5.0, 10.0] {
        let [rx, ry] = STEEPNESS.map(|it| UNIT * (2.0 * loss / it).sqrt());
        svg.put(format!(
            "<ellipse cx=\"{left}\" cy=\"{MIDDLE}\" rx=\"{rx:.1}\" \
             ry=\"{ry:.1}\"/>"
        ));
    }
    svg.put("</g>");
    let trail = trail(momentum);
    let place = |[x, y]: [f32; 2]| {
        format!("{:.1},{:.1}", left + UNIT * x, MIDDLE - UNIT * y)
    };
    let points: Vec<String> = trail.iter().map(|(p, _)| place(*p)).collect();
    svg.put(format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"var(--fig-grad)\" \
         stroke-width=\"1.5\"/>",
        points.join(" ")
    ));
    svg.put("<g fill=\"var(--fig-grad)\">");
    for point in &points {
        let (x, y) = point.split_once(',').expect("a pair");
        svg.put(format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"2.5\"/>"));
    }
    svg.put("</g>");
    let loss = trail.last().expect("a trail has its start").1;
    let words = match momentum {
        0.0 => "without momentum".to_string(),
        kept => format!("momentum {kept}"),
    };
    svg.text(left, 24, BOLD, words);
    let told = format!("the loss after {STEPS} steps: {loss:.4}");
    svg.text(left, 252, "", told);
}

/// Returns every position and its loss.
fn trail(momentum: f32) -> Vec<([f32; 2], f32)> {
    let steepness = Tensor::new(&[2], &STEEPNESS);
    let mut p = Tensor::new(&[2], &START);
    let mut sgd = Sgd::new(RATE, momentum);
    let mut trail = Vec::new();
    for _ in 0..=STEPS {
        let loss = (&p * &p * &steepness * 0.5).sum();
        let place = p.to_vec().try_into().expect("two numbers");
        trail.push((place, loss.to_vec()[0]));
        loss.backward();
        sgd.step(vec![("p".to_string(), &mut p)]);
    }
    trail
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 264\" role=\"img\" text-anchor=\"middle\" class=\"folds\" style=\"--fold-cut: 340; --fold-down: 262; --fold-height: 264; --fold-total: 526\">
<title>Twenty steps in a narrow valley, without momentum and with it</title>
<desc>Two valleys from above, drawn by their lines of equal loss. Both walks begin high on the left side with a learning rate of 0.095. Without momentum the steps jump from one side of the valley to the other, and come slowly nearer to its lowest point. With a momentum of 0.5 the jumps fade after a few steps, and the walk ends at the lowest point.</desc>
";
