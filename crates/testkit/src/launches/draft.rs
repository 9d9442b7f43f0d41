//! Random launches: the parameters of each kernel, and random arguments for
//! them.

use rungrad::engine::kernels::{TILES, Tiles};
use rungrad::opencl::{Extent, Kernel, Scalar};

use crate::random::Random;

/// The parameters of the kernels, one word each, and the size of a work-group
/// in each dimension, where 0 means any size.
///
/// - `in` and `words` are input buffers of floats and of uints, `out` is an
///   output buffer.
/// - `total` and `finished` are float and uint buffers of zeros, because an
///   atomic operation reads what it replaces.
/// - `count`, `side` and `few` are sizes, each smaller than the one before.
/// - `offset` is the start of the data in a buffer.
/// - `number` is any float, `epsilon` a float above 0, and `bits` any uint.
/// - `places` is the length of a text.
/// - `shape` and `sizes` are eight sizes, and `strides` eight arbitrary
///   strides.
/// - `dense` holds strides for the last shape that address no element twice,
///   and `rows` its row-major strides.
/// - `within` is at most the number of its elements.
const PARAMETERS: &[(&[&str], &str, &[usize])] = &[
    (&["ew_mul", "ew_add", "ew_div", "ew_mul4"], "in in out count", &[0]),
    (&["ew_fill"], "out number count", &[0]),
    (&["ew_scale"], "in out number count", &[0]),
    (&["ew_repeat", "reduce_axis"], "in out few few count", &[0]),
    (&["chain_f32", "chain_f64"], "in out count few", &[0]),
    (&["broadcast_*"], "in strides in strides out shape count", &[0]),
    (&["reduce_sum", "reduce_rows"], "in out count", &[256]),
    (
        &["reduce_interleaved", "reduce_packed", "reduce_coarse"],
        "in out count",
        &[256],
    ),
    (&["reduce_atomic"], "in total count", &[256]),
    (&["reduce_last"], "in total out finished count", &[256]),
    (&["softmax_log"], "in out count", &[64]),
    (&["transpose_tiled"], "in out side side", &[16, 16, 1]),
    (&["pick_labels", "pick_backward"], "in words out few count", &[0]),
    (&["matvec_rows"], "in in out side side", &[0]),
    (&["matvec_teams"], "in in out side side", &[32, 8]),
    (
        &["matmul1_naive", "matmul2_coalesced"],
        "in in out side side side",
        &[0, 0],
    ),
    (
        &["matmul3_tiled", "matmul5_block", "matmul_tiled_kahan"],
        "in in out side side side",
        &[16, 16],
    ),
    (&["matmul4_column"], "in in out side side side", &[64, 4]),
    (
        &["matmul6_vector", "matmul7_ahead", "matmul_ahead_kahan"],
        "in in out side side side",
        &[256, 1],
    ),
    (&["matmul8_tall"], "in in out side side side", &[128, 1]),
    (&["unary_*"], "in offset number out count", &[0]),
    (&["binary_*"], "in offset in offset out count", &[0]),
    (
        &["strided_*"],
        "in offset strides in offset strides shape out count",
        &[0],
    ),
    (&["where_cond"], "in offset in offset in offset out count", &[0]),
    (&["copy_strided"], "in offset shape strides out count", &[0]),
    (&["copy_to_strided"], "in offset out offset shape dense within", &[0]),
    (&["copy_indexed"], "in offset few words out count", &[0]),
    (
        // Few rows, because each costs eight barriers of a work-group, and the
        // simulator takes as long for one row as for the rest of a launch.
        &["reduce_rows_sum", "reduce_rows_max"],
        "in offset count count count out side",
        &[16, 8],
    ),
    (
        &["reduce_columns_sum", "reduce_columns_max"],
        "in offset side side few side side side few out",
        &[0],
    ),
    (
        &["reduce_short_sum", "reduce_short_max"],
        "in offset side side few side side side out",
        &[8, 16],
    ),
    (
        &["reduce_few_sum", "reduce_few_max"],
        "in offset shape strides out count",
        &[0],
    ),
    (
        &["reduce_few_share"],
        "in offset shape strides in offset in offset out rows kept",
        &[0],
    ),
    (&["copy_tiled"], "in offset shape strides out rows", &[32, 8]),
    (&["softmax_rows", "softmax_kept"], "in fours side few out side", &[16, 8]),
    (&["softmax_fours"], "in fours fours few out side", &[16, 8]),
    (&["softmax_grads"], "in offset in offset few out side", &[16, 8]),
    (&["attention_rows"], "in offset few few few out side", &[64]),
    (&["attention_grads"], "in offset in offset few few few out side", &[64]),
    (&["attention_long_rows"], "in fours places few fours out few", &[64]),
    (
        &["attention_long_queries"],
        "in fours in fours in fours places few fours out out few",
        &[64],
    ),
    (
        &["attention_long_keys"],
        "in fours in fours places few fours in out few",
        &[64],
    ),
    (
        &["norm_rows"],
        "in offset in offset in offset few epsilon out side",
        &[16, 8],
    ),
    (
        &["norm_grads", "norm_slopes"],
        "in offset in offset in offset few epsilon out out side",
        &[16, 8],
    ),
    (&["norm_sums"], "in offset in offset in few bits out out side", &[8, 16]),
    (
        &["product_vector"],
        "in offset in offset strides out side side",
        &[8, 16],
    ),
    (
        &["product_vector_fours"],
        "in fours in fours fours_apart out side fours",
        &[8, 16],
    ),
    // The arguments depend on each other: see [`product`].
    (PRODUCTS, "", &[]),
    (&["copy_lines"], "in offset strides out side side side", &[32, 8]),
    (&["index_select"], "in offset few few words out count", &[0]),
    (&["index_add"], "in offset few few words words out count", &[0]),
    (&["index_add_sorted"], "in offset few few words out count", &[0]),
    (&["fold_windows"], "in offset strides sizes out count", &[0]),
    (&["fill_uniform"], "out bits bits count", &[0]),
    // These have many arguments: see [`adam`] and [`sums`].
    (&["adam_*"], "", &[0]),
    (&["reduce_sums_*"], "", &[256]),
    (&["plain_copy"], "shape within in offset strides out offset dense", &[0]),
    (&["plain_where_cond"], "in in in out count", &[0]),
    (&["plain_sum", "plain_max"], "in side out side", &[0]),
    (&["plain_matmul"], "in in out few side side side", &[8, 4, 2]),
    (&["plain_index_select"], "in few side words side out", &[0, 0]),
    (&["plain_index_add"], "in side side words few out", &[0, 0]),
    (&["plain_fold"], "in sizes out count", &[0]),
    (&["plain_uniform"], "out bits bits count", &[0]),
    (
        &[
            "plain_add",
            "plain_mul",
            "plain_div",
            "plain_lt",
            "plain_le",
            "plain_eq",
            "plain_pow_tensor",
        ],
        "in in out count",
        &[0],
    ),
    // The unary operations of the plain device.
    (&["plain_*"], "in number out count", &[0]),
    // All other elementwise operations and their derivatives.
    (&["ew_*"], "in out count", &[0]),
    (&["*_backward"], "in in out count", &[0]),
];

/// Returns the row of a kernel.
pub fn parameters(name: &str) -> Option<(&'static str, &'static [usize])> {
    let is_its = |known: &&str| match known.split_once('*') {
        Some((start, end)) => name.starts_with(start) && name.ends_with(end),
        None => *known == name,
    };
    let row = PARAMETERS.iter().find(|row| row.0.iter().any(is_its));
    row.map(|(_, words, group)| (*words, *group))
}

/// A random argument.
#[derive(Clone, Copy, Debug)]
pub enum Drawn {
    In,
    Words,
    Out,
    Total,
    Finished,
    Number(Scalar),
}

/// The arguments and sizes of a launch, without its buffers.
#[derive(Debug)]
pub struct Draft {
    pub arguments: Vec<Drawn>,
    pub global: Vec<usize>,
    pub local: Vec<usize>,
}

impl Draft {
    pub fn new(kernel: &Kernel, random: &mut Random) -> Draft {
        let (words, group) = parameters(kernel.name()).expect("a row");
        let listed = |start: &str| kernel.name().strip_prefix(start);
        let count = |it: &str| it.parse().expect("a number");
        let words = match (listed("adam_"), listed("reduce_sums_")) {
            (Some(it), _) => adam(count(it)),
            (_, Some(it)) => sums(count(it)),
            _ if words.is_empty() => return product(kernel, random),
            _ => words.to_string(),
        };
        let mut shape = [1; 8];
        let words = words.split_whitespace();
        let arguments = words.map(|word| draw(word, &mut shape, random));
        let arguments = arguments.collect();
        // Few groups with many items, because the simulator's cost is for each
        // group.
        let (any, rest) = if group.len() == 1 { (150, 1) } else { (20, 4) };
        let any = |&items: &usize| match items {
            0 => 1 + random.below(any),
            items => items,
        };
        let local: Vec<usize> = group.iter().map(any).collect();
        let some = |&items: &usize| {
            1 + random.below((items + items / rest).clamp(3, 300))
        };
        let global = local.iter().map(some).collect();
        Draft { arguments, global, local }
    }
}

/// The kernels with the arguments of a matmul.
pub const PRODUCTS: &[&str] = &[
    "product",
    "product_tensor_cores",
    "product_warpgroups",
    "product_few_rows",
    "product_long_sums",
];

/// Returns the tiles that belong to a matmul kernel, if any.
pub fn tiles(kernel: &Kernel) -> Option<&'static Tiles> {
    let same = |known: &Kernel| {
        known.name() == kernel.name() && known.options() == kernel.options()
    };
    TILES.iter().find(|tiles| tiles.kernels.iter().any(same))
}

/// Returns the words of an Adam step with this number of parameters.
fn adam(parameters: usize) -> String {
    [
        ("number ", 8),
        ("in offset in offset out out offset ", 1),
        ("in in out ", parameters),
        ("count ", parameters),
    ]
    .map(|(words, times)| words.repeat(times))
    .concat()
}

/// Returns the words of column sums of this number of matrices.
fn sums(matrices: usize) -> String {
    format!("few {}", "in side few out ".repeat(matrices))
}

/// Draws a matmul of matrices or views for a kernel with these options.
fn product(kernel: &Kernel, random: &mut Random) -> Draft {
    let has = |option: &str| kernel.options().contains(option);
    let tiles = tiles(kernel);
    let few = kernel.name() == "product_few_rows";
    let long = kernel.name() == "product_long_sums";
    let items = tiles.map_or(if few { 128 } else { 256 }, |it| it.items);
    let (fours, views) = (has("-DFOURS=1"), has("-DVIEWS=1") || few || long);
    // Rows, columns and the summed dimension, each split into three axes.
    let axes = [0, 1, 2].map(|_| match (fours, views) {
        (true, _) => [1, 1, 4 + 4 * random.below(4)],
        (_, true) => [0, 1, 2].map(|_| 1 + random.below(3)),
        (false, false) => [1, 1, 1 + random.below(18)],
    });
    let [mut rows, columns, inner] = axes;
    if few {
        rows[0] = 1;
        rows[1] = 1 + random.below(2);
    }
    let [m, n, k] = [rows, columns, inner]
        .map(|axes| axes.iter().product::<usize>() as i32);
    let step = |random: &mut Random| random.below(6) as i32;
    let to = |along_inner: bool, random: &mut Random| {
        let mut to = [0; 8].map(|_: i32| step(random));
        if fours {
            to = to.map(|step| 4 * (step / 2));
            to[if along_inner { 5 } else { 2 }] = 1;
        }
        to
    };
    let a_to = to(has("-DA_ALONG_K=1"), random);
    let b_to = to(has("-DB_ALONG_N=0"), random);
    let four = if fours { 4 } else { 1 };
    let batch = 1 + random.below(2);
    // Few parts, because each is a separate loop.
    let length = four * (4 + random.below(40));
    let mut sizes = [
        rows[1], rows[2], columns[1], columns[2], inner[1], inner[2], batch,
        length,
    ]
    .map(|size| size as i32);
    // Contradictory sizes must be rejected.
    if random.below(20) == 0 {
        sizes[random.below(8)] = random.bits() as i32 >> random.below(32);
    }
    let offset = |random: &mut Random| (four * random.below(3)) as u32;
    let numbers = |number: Scalar| Drawn::Number(number);
    Draft {
        arguments: vec![
            Drawn::In,
            numbers(offset(random).into()),
            numbers(a_to.into()),
            Drawn::In,
            numbers(offset(random).into()),
            numbers(b_to.into()),
            numbers(sizes.into()),
            Drawn::Out,
            numbers(m.into()),
            numbers(k.into()),
            numbers(n.into()),
        ],
        global: match few {
            true => vec![items, 1 + random.below(2), 1],
            false if long => {
                vec![items * (1 + random.below(2)), 1, 1 + random.below(2)]
            }
            false => vec![items, 1, 1 + random.below(2)],
        },
        local: vec![items, 1, 1],
    }
}

/// Draws the argument for a word. `shape` is kept for the following words.
fn draw(word: &str, shape: &mut [i32; 8], random: &mut Random) -> Drawn {
    let rare = random.below(40) == 0;
    Drawn::Number(match word {
        "in" => return Drawn::In,
        "words" => return Drawn::Words,
        "out" => return Drawn::Out,
        "total" => return Drawn::Total,
        "finished" => return Drawn::Finished,
        "number" => random.value().into(),
        "epsilon" => ((1 + random.below(8)) as f32 / 8.0).into(),
        "bits" => (random.bits() as u32).into(),
        "offset" if rare => (u32::MAX - random.below(3) as u32).into(),
        "offset" => (random.below(6) as u32).into(),
        "count" if rare => (u32::MAX >> random.below(3)).into(),
        "count" => {
            let most = [2, 8, 64, 300][random.below(4)];
            (random.below(most + 1) as u32).into()
        }
        "side" => (random.below(24) as u32).into(),
        "few" => (random.below(5) as u32).into(),
        // A few tiles of 32.
        "places" => (random.below(80) as u32).into(),
        "fours" => (4 * random.below(6) as u32 + u32::from(rare)).into(),
        "within" => {
            let size: i32 = shape.iter().product();
            (random.below(size as usize + 1) as u32).into()
        }
        "kept" => {
            let size: i32 = shape[..4].iter().product();
            (size.max(0) as u32).into()
        }
        "shape" => {
            *shape = [1; 8];
            for _ in 0..3 {
                shape[random.below(8)] = 1 + random.below(6) as i32;
            }
            let mut shape = *shape;
            if rare {
                shape[random.below(8)] = random.below(2) as i32 - 1;
            }
            shape.into()
        }
        // An image, and a window that often fits, with its strides.
        "sizes" => [9, 9, 3, 3, 3, 3, 3, 3]
            .map(|most| 1 + random.below(most) as i32)
            .into(),
        "strides" if rare => {
            [0; 8].map(|_: i32| random.bits() as i32 >> random.below(32)).into()
        }
        "strides" => [0; 8].map(|_: i32| random.below(12) as i32 - 1).into(),
        "fours_apart" => {
            let mut fours = || 4 * random.below(6) as i32;
            [fours(), fours(), 1, fours(), 1, 2, 4 + fours(), 0].into()
        }
        "dense" | "rows" => {
            let most = if word == "rows" { 1 } else { 3 };
            let mut step = 1 + random.below(most) as i32;
            let mut steps = [0; 8];
            for (axis, size) in shape.iter().enumerate().rev() {
                steps[axis] = step;
                step *= size;
            }
            steps.into()
        }
        other => panic!("no argument is drawn for {other}"),
    })
}

pub fn extent(sizes: &[usize]) -> Extent {
    match *sizes {
        [x] => [x].into(),
        [x, y] => [x, y].into(),
        [x, y, z] => [x, y, z].into(),
        _ => unreachable!("one, two or three dimensions"),
    }
}
