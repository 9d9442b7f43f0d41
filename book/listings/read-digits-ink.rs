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
