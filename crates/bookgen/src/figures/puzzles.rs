//! The pictures of small exercises: what lies in memory, and which item reads
//! and writes what. "Hello OpenCL", "A tensor on the GPU" and "The matmul
//! ladder".

use std::fmt::Write;

/// How high a cell is, and the radius of an item.
const HIGH: usize = 44;
const ROUND: usize = 22;
/// Where the arrays of a row of items begin.
const LEFT: usize = 104;

/// What a cell looks like.
#[derive(Clone, Copy)]
enum Look {
    Read,
    Written,
    /// Of the one item that a picture follows.
    Followed,
    /// Memory of somebody else's, or an item that has no element.
    Foreign,
}

impl Look {
    fn attributes(self) -> &'static str {
        match self {
            Look::Read => "stroke=\"var(--fig-value)\" fill=\"none\"",
            Look::Written => "stroke=\"var(--fig-gpu)\" fill=\"none\"",
            Look::Followed => {
                "stroke=\"var(--fig-gpu)\" fill=\"var(--fig-gpu)\" \
                 fill-opacity=\"0.25\""
            }
            Look::Foreign => {
                "stroke=\"currentColor\" stroke-opacity=\"0.5\" \
                 stroke-dasharray=\"5 5\" fill=\"none\""
            }
        }
    }
}

/// A picture in the making.
struct Board(String);

impl Board {
    /// Begins one that is so high; `said` is for those who cannot see it.
    fn new(high: usize, title: &str, said: &str) -> Board {
        Board(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"puzzle\" \
             viewBox=\"0 0 680 {high}\" role=\"img\">\n<title>{title}</title>\n\
             <desc>{said}</desc>\n<g font-size=\"22\" stroke-width=\"2\">\n"
        ))
    }

    fn end(self) -> String {
        self.0 + "</g>\n</svg>\n"
    }

    fn put(&mut self, line: &str) {
        writeln!(self.0, "{line}").expect("a String");
    }

    fn text(&mut self, [x, y]: [usize; 2], anchor: &str, text: &str) {
        self.put(&format!(
            "<text class=\"code\" stroke=\"none\" x=\"{x}\" y=\"{y}\" \
             text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    /// Draws cells side by side from the left upper corner on, so wide and so
    /// far from one another.
    fn cells(
        &mut self,
        [x, y]: [usize; 2],
        [wide, step]: [usize; 2],
        texts: &[(String, Look)],
    ) {
        for (i, (text, look)) in texts.iter().enumerate() {
            let x = x + i * step;
            self.put(&format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" \
                 height=\"{HIGH}\" {}/>",
                look.attributes()
            ));
            let middle = [x + wide / 2, y + HIGH / 2 + 8];
            self.text(middle, "middle", text);
        }
    }

    fn item(&mut self, [x, y]: [usize; 2], text: &str, look: Look) {
        self.put(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{ROUND}\" {}/>",
            look.attributes()
        ));
        self.text([x, y + 8], "middle", text);
    }

    /// Draws a line with an arrow at its end, where it goes down.
    fn arrow(&mut self, x: usize, [from, to]: [usize; 2]) {
        self.put(&format!(
            "<path d=\"M{x} {from}V{to}m-6 -9l6 9l6 -9\" fill=\"none\" \
             stroke=\"currentColor\" stroke-opacity=\"0.6\"/>"
        ));
    }
}

fn all(numbers: &[i32], look: Look) -> Vec<(String, Look)> {
    numbers.iter().map(|it| (it.to_string(), look)).collect()
}

/// Draws items in a row, each with a column of cells above and one below.
fn row(
    board: &mut Board,
    inputs: &[(&str, Vec<(String, Look)>)],
    out: Vec<(String, Look)>,
    items: usize,
    [wide, step]: [usize; 2],
) -> usize {
    let mut y = 14;
    for (name, cells) in inputs {
        board.text([LEFT - 18, y + 30], "end", name);
        board.cells([LEFT, y], [wide, step], cells);
        y += HIGH;
    }
    let middle = y + 40 + ROUND;
    let below = middle + ROUND + 40;
    board.text([LEFT - 18, middle + 8], "end", "item");
    board.text([LEFT - 18, below + 30], "end", "out");
    for i in 0..items {
        let x = LEFT + i * step + wide / 2;
        let has = i < out.len();
        let look = if has { Look::Followed } else { Look::Foreign };
        board.item([x, middle], &i.to_string(), look);
        if has {
            board.arrow(x, [y + 4, middle - ROUND - 4]);
            board.arrow(x, [middle + ROUND + 4, below - 4]);
        }
    }
    board.cells([LEFT, below], [wide, step], &out);
    middle
}

pub(crate) fn map() -> String {
    let a = [3, 1, 4, 1, 5, 9];
    let mut board = Board::new(
        240,
        "An item for each element",
        "Six numbers of a stand above six items, and six of out below. Item i \
         reads number i of a and writes ten times that number to place i of \
         out: 3, 1, 4, 1, 5, 9 become 30, 10, 40, 10, 50, 90.",
    );
    let out = all(&a.map(|a| 10 * a), Look::Written);
    row(&mut board, &[("a", all(&a, Look::Read))], out, a.len(), [76, 94]);
    board.end()
}

pub(crate) fn zip() -> String {
    let (a, b) = ([7, 2, 9, 4, 8, 5], [3, 1, 4, 6, 2, 5]);
    let mut board = Board::new(
        284,
        "An item for each pair",
        "Six numbers of a stand above six of b, these above six items, and six \
         numbers of out below. Item i reads number i of a and number i of b, \
         and writes their difference: 4, 1, 5, -2, 6, 0.",
    );
    let out: Vec<i32> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    let inputs = [("a", all(&a, Look::Read)), ("b", all(&b, Look::Read))];
    row(&mut board, &inputs, all(&out, Look::Written), a.len(), [76, 94]);
    board.end()
}

pub(crate) fn guard() -> String {
    let a = [3, 1, 4, 1, 5, 2];
    let items = 8;
    let mut board = Board::new(
        240,
        "Two items without an element",
        "Six numbers of a stand above eight items, which are two groups of \
         four. Items 0 to 5 write the squares 9, 1, 16, 1, 25, 4 to out. Items 6 \
         and 7 have no element: where theirs would be, in a and in out, is \
         memory of somebody else's.",
    );
    let (wide, step) = (58, 71);
    // Behind the items, and so before them in the text.
    let middle = 14 + HIGH + 40 + ROUND;
    for group in 0..2 {
        board.put(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"12\" \
             fill=\"var(--fig-gpu)\" fill-opacity=\"0.12\" stroke=\"none\"/>",
            LEFT + group * 4 * step - 4,
            middle - ROUND - 8,
            4 * step - 6,
            2 * ROUND + 16
        ));
    }
    let out = all(&a.map(|a| a * a), Look::Written);
    row(&mut board, &[("a", all(&a, Look::Read))], out, items, [wide, step]);
    let foreign = vec![(String::new(), Look::Foreign); items - a.len()];
    for y in [14, middle + ROUND + 40] {
        let x = LEFT + a.len() * step;
        board.cells([x, y], [wide, step], &foreign);
    }
    board.end()
}

/// Rows and columns of the matrices, and the place that is followed.
const ROWS: usize = 3;
const COLUMNS: usize = 4;
const PLACE: [usize; 2] = [1, 2];
const CELL: usize = 62;

/// Marks what the followed item touches.
fn mark(is_it: bool, look: Look) -> Look {
    if is_it { Look::Followed } else { look }
}

fn matrix(
    board: &mut Board,
    [x, y]: [usize; 2],
    number: impl Fn(usize, usize) -> i32,
    look: Look,
) {
    for r in 0..ROWS {
        let cell = |c| (number(r, c).to_string(), mark([r, c] == PLACE, look));
        let cells: Vec<(String, Look)> = (0..COLUMNS).map(cell).collect();
        board.cells([x, y + r * HIGH], [CELL, CELL], &cells);
    }
}

/// Draws the places of a matrix as they lie in memory.
fn memory(board: &mut Board, y: usize, words: &str) {
    let [row, column] = PLACE;
    let place = row * COLUMNS + column;
    let cell = |i: usize| (i.to_string(), mark(i == place, Look::Foreign));
    let cells: Vec<(String, Look)> = (0..ROWS * COLUMNS).map(cell).collect();
    board.text([20, y - 14], "start", words);
    board.cells([20, y], [52, 52], &cells);
}

pub(crate) fn stretch() -> String {
    let add = [10, 20, 30, 40];
    let a = |r: usize, c: usize| (r * COLUMNS + c) as i32 % 7 + 1;
    let mut board = Board::new(
        346,
        "A row that is added to each row of a matrix",
        "On the left the row 10, 20, 30, 40 stands above a matrix a of three \
         rows and four columns, on the right is their sum, out. Item 6 reads \
         what stands in row 1 and column 2 of a and number 2 of the row, and \
         writes their sum to row 1 and column 2 of out. Below are the 12 places \
         of a matrix in memory, row behind row: row 1, column 2 is place 6.",
    );
    let (left, right, top) = (20, 412, 96);
    let column = PLACE[1];
    let cell = |(c, it): (usize, &i32)| {
        (it.to_string(), mark(c == column, Look::Read))
    };
    let cells: Vec<(String, Look)> = add.iter().enumerate().map(cell).collect();
    board.cells([left, 14], [CELL, CELL], &cells);
    board.text([left + COLUMNS * CELL + 14, 44], "start", "row");
    for c in 0..COLUMNS {
        board.arrow(left + c * CELL + CELL / 2, [14 + HIGH + 4, top - 5]);
    }
    matrix(&mut board, [left, top], a, Look::Read);
    board.text([left + COLUMNS * CELL + 14, top + 30], "start", "a");
    matrix(&mut board, [right, top], |r, c| a(r, c) + add[c], Look::Written);
    board.text([right - 14, top + 30], "end", "out");
    let across = top + HIGH + HIGH / 2;
    let from = left + COLUMNS * CELL + 14;
    let item = [(from + right) / 2 - 4, across];
    board.item(item, "6", Look::Followed);
    board.put(&format!(
        "<path d=\"M{from} {across}H{}M{} {across}H{}m-9 -6l9 6l-9 6\" \
         fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.6\"/>",
        item[0] - ROUND - 4,
        item[0] + ROUND + 4,
        right - 6
    ));
    memory(&mut board, 288, "i = 6: row 6 / 4 = 1, column 6 % 4 = 2");
    board.end()
}

pub(crate) fn axes() -> String {
    let (a, b) = ([2, 3, 5], [1, 4, 6, 7]);
    let mut board = Board::new(
        340,
        "A multiplication table and the two numbers of an item",
        "A table of three rows and four columns. Beside its rows stand 2, 3, 5, \
         the numbers of a, and above its columns 1, 4, 6, 7, those of b. The \
         item with get_global_id(0) = 2 and get_global_id(1) = 1 writes 3 times \
         6 to row 1 and column 2. Below are the 12 places of the table in \
         memory, row behind row: row 1, column 2 is place 6.",
    );
    let (left, top) = (126, 76);
    let [row, column] = PLACE;
    let of = |numbers: &[i32], which: usize| -> Vec<(String, Look)> {
        let cell = |(i, it): (usize, &i32)| {
            (it.to_string(), mark(i == which, Look::Read))
        };
        numbers.iter().enumerate().map(cell).collect()
    };
    board.text([left - 30, 44], "end", "b");
    board.cells([left, 14], [CELL, CELL], &of(&b, column));
    board.text([22, top + 30], "start", "a");
    for (r, cell) in of(&a, row).into_iter().enumerate() {
        board.cells([left - CELL - 18, top + r * HIGH], [CELL, CELL], &[cell]);
    }
    let out = |r: usize, c: usize| a[r] * b[c];
    matrix(&mut board, [left, top], out, Look::Written);
    let x = left + COLUMNS * CELL + 26;
    board.text([x, 44], "start", "get_global_id(0): 2");
    board.text([x, top + HIGH + 30], "start", "get_global_id(1): 1");
    memory(&mut board, 282, "out[1 * 4 + 2]");
    board.end()
}

pub(crate) fn halo() -> String {
    const GROUP: usize = 5;
    const RADIUS: usize = 2;
    let a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7];
    let mut board = Board::new(
        352,
        "The tile of a group with its halo",
        "Fourteen numbers of a, of which the second group of five items has \
         those at places 5 to 9. Its tile below them also holds the two numbers \
         before these and the two behind them, the halo. Item 0 of the group \
         adds up the first five cells, 1, 5, 9, 2, 6, and writes 23 to its place \
         of out.",
    );
    let (left, cell) = (18, 46);
    let place = |i: usize| left + i * cell;
    let own = GROUP..2 * GROUP;
    let numbers: Vec<(String, Look)> = all(&a, Look::Read);
    board.cells([left, 34], [cell, cell], &numbers);
    for (group, first) in [(0, 0), (1, GROUP), (2, 2 * GROUP)] {
        let x = place(first) + 2;
        board.text([x, 26], "start", &format!("group {group}"));
        let line = format!("<path d=\"M{x} 32v50\" stroke=\"currentColor\"/>");
        board.put(&line);
    }
    let tile: Vec<(String, Look)> = (own.start - RADIUS..own.end + RADIUS)
        .map(|i| {
            let is_own = own.contains(&i);
            let look = if is_own { Look::Written } else { Look::Foreign };
            (a[i].to_string(), look)
        })
        .collect();
    let (top, round) = (128, 244);
    for i in own.start - RADIUS..own.end + RADIUS {
        board.arrow(place(i) + cell / 2, [34 + HIGH + 4, top - 5]);
    }
    board.cells([place(own.start - RADIUS), top], [cell, cell], &tile);
    board.text([left, top + 30], "start", "tile");
    board.text([left, round + 8], "start", "item");
    board.text([left, round + 80], "start", "out");
    let sum = |i: usize| -> i32 { a[i - RADIUS..=i + RADIUS].iter().sum() };
    let sums: Vec<i32> = own.clone().map(sum).collect();
    for i in own.clone() {
        let x = place(i) + cell / 2;
        let first = i == own.start;
        let look = if first { Look::Followed } else { Look::Written };
        board.item([x, round], &(i - own.start).to_string(), look);
        board.arrow(x, [round + ROUND + 3, round + ROUND + 26]);
        for near in (i - RADIUS..=i + RADIUS).filter(|_| first) {
            board.put(&format!(
                "<path d=\"M{} {}L{x} {}\" stroke=\"var(--fig-gpu)\"/>",
                place(near) + cell / 2,
                top + HIGH + 3,
                round - ROUND - 2
            ));
        }
    }
    let out = all(&sums, Look::Written);
    board.cells([place(own.start), round + 52], [cell, cell], &out);
    board.end()
}
