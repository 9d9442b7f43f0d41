//! Three scores and their softmax, for "Matmul and softmax", shown until the
//! live figure starts.

use rungrad::part1_cpu::Tensor;

use super::{CODE, Svg};

const SCORES: [f32; 3] = [1.0, 2.0, 3.0];

pub(crate) fn svg() -> String {
    let shares = Tensor::new(&[1, 3], &SCORES).softmax().to_vec();
    let mut svg = Svg::new(HEAD);
    for (place, (score, share)) in SCORES.iter().zip(&shares).enumerate() {
        let y = 56 + 40 * place;
        let width = 400.0 * share;
        let end = " class=\"code\" text-anchor=\"end\"";
        svg.text(100, y + 16, end, score);
        svg.put(format!(
            "<rect x=\"140\" y=\"{y}\" width=\"{width:.1}\" height=\"22\" \
             fill=\"var(--fig-value)\"/>"
        ));
        let x = format!("{:.1}", 152.0 + width);
        svg.text(x, y + 16, CODE, format!("{share:.4}"));
    }
    svg.end()
}

const HEAD: &str = "\
<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 180\" role=\"img\">
<title>The scores 1, 2 and 3, and the shares that softmax makes of them</title>
<text x=\"100\" y=\"30\" text-anchor=\"end\" font-weight=\"600\">score</text>
<text x=\"140\" y=\"30\" font-weight=\"600\">share</text>
";
