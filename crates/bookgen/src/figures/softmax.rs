//! Three scores and their softmax, for "Right on paper", shown until the
//! live figure starts.

use rungrad::part1_cpu::Tensor;

use super::{CODE, Svg};

const SCORES: [f32; 3] = [1.0, 2.0, 3.0];

pub(crate) fn svg() -> String {
    let probabilities = Tensor::new(&[1, 3], &SCORES).softmax().to_vec();
    let mut svg = Svg::new(HEAD);
    let rows = SCORES.iter().zip(&probabilities).enumerate();
    for (row, (score, probability)) in rows {
        let y = 56 + 40 * row;
        let width = 400.0 * probability;
        let end = " class=\"code\" text-anchor=\"end\"";
        svg.text(100, y + 16, end, score);
        svg.put(format!(
            "<rect x=\"140\" y=\"{y}\" width=\"{width:.1}\" height=\"22\" \
             fill=\"var(--fig-value)\"/>"
        ));
        let x = format!("{:.1}", 152.0 + width);
        svg.text(x, y + 16, CODE, format!("{probability:.4}"));
    }
    svg.end()
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 180\" role=\"img\" class=\"sparse\">
<title>The scores 1, 2 and 3, and their softmax</title>
<text x=\"100\" y=\"30\" text-anchor=\"end\" font-weight=\"600\">score</text>
<text x=\"140\" y=\"30\" font-weight=\"600\">probability</text>
";
