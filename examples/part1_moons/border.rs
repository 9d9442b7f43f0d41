//! Finds the decision boundary: the curve on which both classes have
//! probability one half.

/// The region of the plane that is drawn.
pub(crate) const X: [f32; 2] = [-1.5, 2.5];
pub(crate) const Y: [f32; 2] = [-1.0, 1.5];

const COLUMNS: usize = 160;
const ROWS: usize = 100;

/// The probability of the second class at the corners of a fine grid.
pub(crate) struct Border {
    shares: Vec<f32>,
}

impl Border {
    /// Evaluates `shares` at all corners in one call, as x, y, x, y, ...
    pub(crate) fn new(shares: impl Fn(&[f32]) -> Vec<f32>) -> Border {
        let corners = (0..=ROWS)
            .flat_map(|row| (0..=COLUMNS).map(move |column| (column, row)));
        let points: Vec<f32> = corners
            .flat_map(|(column, row)| place(column as f32, row as f32))
            .collect();
        Border { shares: shares(&points) }
    }

    fn corner(&self, column: usize, row: usize) -> f32 {
        self.shares[row * (COLUMNS + 1) + column]
    }

    /// Returns the probability at any point, by bilinear interpolation between
    /// the four corners around it.
    pub(crate) fn share(&self, [x, y]: [f32; 2]) -> f32 {
        let along = |value: f32, [from, to]: [f32; 2], cells: usize| {
            let at = (value - from) / (to - from) * cells as f32;
            let cell = (at.max(0.0) as usize).min(cells - 1);
            (cell, at - cell as f32)
        };
        let (column, right) = along(x, X, COLUMNS);
        let (row, up) = along(y, Y, ROWS);
        let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
        let across = |row| {
            mix(self.corner(column, row), self.corner(column + 1, row), right)
        };
        mix(across(row), across(row + 1), up)
    }

    /// Returns the boundary as line segments, two points each. In a grid cell
    /// a segment connects two sides on which the probability crosses one half.
    pub(crate) fn pieces(&self) -> Vec<(f32, f32)> {
        let mut pieces = Vec::new();
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                // Walk around the cell, so that the ends of a segment follow
                // each other. With four crossings, either pairing is
                // acceptable.
                let around = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)];
                let corners = around.map(|(x, y)| (column + x, row + y));
                let crossings =
                    corners.windows(2).filter_map(|c| self.crossing(c));
                pieces.extend(crossings);
            }
        }
        pieces
    }

    /// Returns the point between two corners at which the probability is one
    /// half, if there is one.
    fn crossing(&self, side: &[(usize, usize)]) -> Option<(f32, f32)> {
        let [a, b] = [side[0], side[1]];
        let [from, to] = [a, b].map(|(x, y)| self.corner(x, y) - 0.5);
        if (from < 0.0) == (to < 0.0) {
            return None;
        }
        let share = from / (from - to);
        let between =
            |a: usize, b: usize| a as f32 + (b as f32 - a as f32) * share;
        let [x, y] = place(between(a.0, b.0), between(a.1, b.1));
        Some((x, y))
    }
}

/// Maps a grid position to a point of the plane.
fn place(column: f32, row: f32) -> [f32; 2] {
    let at = |[from, to]: [f32; 2], share: f32| from + (to - from) * share;
    [at(X, column / COLUMNS as f32), at(Y, row / ROWS as f32)]
}
