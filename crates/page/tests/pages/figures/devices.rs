//! The figures about memory, work-groups and kernels.

use rungrad::part1_cpu;
use rungrad::part2_gpu::matmul::{MATMUL_LADDER, MatmulRung};
use rungrad::part3_unified::{Array, Device};
use serde_json::{Value, json};

use super::{Figure, play};
use crate::engine::native;

#[path = "../../../../../examples/part2_cache_lines.rs"]
#[allow(dead_code, unreachable_pub)]
mod cache_lines;
#[path = "../../../../../examples/part2_race.rs"]
#[allow(dead_code, unreachable_pub)]
mod race;

#[test]
fn a_view_highlights_its_slots_and_moves_no_data() {
    play(
        "strides.html",
        "strides",
        "
        see .stage .way | 2x3 → permute=1,0; shape [3, 2] strides [1, 3] offset 0
        says | Element [2, 1]: 0 + 2 \u{b7} 1 + 1 \u{b7} 3 = slot 5
        button | Start over
        see .stage .way | 2x3; shape [2, 3] strides [3, 1] offset 0
        see .cells[aria-label^='the view'] > * | 0; 1; 2; 3; 4; 5
        button | transpose
        see .stage .way | 2x3 → permute=1,0; shape [3, 2] strides [1, 3] offset 0
        see .cells[aria-label^='the view'] > * | 0; 3; 1; 4; 2; 5
        keys .cells[aria-label^='the view'] .cell | ArrowRight
        says | Element [0, 1]: 0 + 0 \u{b7} 1 + 1 \u{b7} 3 = slot 3
        js [...all('.cells')[0].children].findIndex((it) => it.matches('.lit')) | 3
        button | flip the last axis
        see .stage .way | 2x3 → permute=1,0 → flip=1; shape [3, 2] strides [1, -3] offset 3
        see .cells[aria-label^='the view'] > * | 3; 0; 4; 1; 5; 2
        button | all but the first of the last axis
        see .stage .way | 2x3 → permute=1,0 → flip=1 → slice=..,1..; shape [3, 1] strides [1, -3] offset 0
        see .cells[aria-label^='the view'] > * | 0; 1; 2
        says | 3 slots are not in the view
        button | broadcast to two
        see .stage .way | 2x3 → permute=1,0 → flip=1 → slice=..,1.. → expand=2x3x1; shape [2, 3, 1] strides [0, 1, -3] offset 0
        see .cells[aria-label^='the view'] > * | 0; 1; 2; 0; 1; 2
        keys .cells .cell:nth-child(3) |
        says | Slot 2 is element [0, 2, 0] and [1, 2, 0]
        button | Undo
        see .stage .way | 2x3 → permute=1,0 → flip=1 → slice=..,1..; shape [3, 1] strides [1, -3] offset 0
        button | Start over
        button | transpose
        see .stage .way | 2x3 → permute=1,0; shape [3, 2] strides [1, 3] offset 0
        button | flatten
        see .stage .way | 2x3 → permute=1,0 → reshape=6; shape [6] strides [1] offset 0
        see .cells[aria-label^='the view'] > * | 0; 3; 1; 4; 2; 5
        says | The elements were copied.
        js all('.stage .array b')[0].innerText | a new memory: no strides can express this view, so the elements were copied
        js [...all('.cells')[0].children].map((it) => plain(it.innerText)) | 0 0,1 3,2 1,3 4,4 2,5 5
        see .stage [data-scrolls] .cells |
        js all('figcaption [data-when]').filter((it) => it.checkVisibility()).map((it) => it.innerText.slice(0, 16))[0] | At first each el
        has figcaption [data-when] | windows=2x2
        button | Start over
        button | every second of the last axis
        see .stage .way | 2x3 → slice=..,..:2; shape [2, 2] strides [3, 2] offset 0
        run all('.stage details')[0].open = true
        type .stage form input | compact
        keys | Enter
        see .stage .way | 2x3 → slice=..,..:2 → compact; shape [2, 2] strides [2, 1] offset 0
        js all('.stage .array b')[0].innerText | a new memory: the elements were copied
        choose .stage select | 6
        button | all but the first of the last axis
        says | 1 slot is not in the view.
        choose .stage select | 4x4
        see .stage .way | 4x4; shape [4, 4] strides [4, 1] offset 0
        type .stage form input | as_strided=2x2/9,4/0
        keys | Enter
        see .stage .way | 4x4 → as_strided=2x2/9,4/0; shape [2, 2] strides [9, 4] offset 0
        type .stage form input | as_strided=2x2/9,4/4
        keys | Enter
        see .refusal | view: shape [2, 2] with strides [9, 4] from offset 4 reaches from element 4 to 17, and the memory holds the elements 0 to 15; keep inside
        ",
    );
}

#[test]
fn a_finger_can_point_at_a_cell() {
    play(
        "strides.html",
        "strides",
        "
        touch .cells[aria-label^='the view'] .cell:nth-child(5) |
        says | Element [2, 0]:
        js all('.cells')[0].children[2].matches('.lit') | true
        ",
    );
}

/// Compares the slots with an array of Part 3.
#[test]
fn the_slots_agree_with_an_array() {
    let values: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let array = Array::new(&[3, 4], &values, Device::Cpu).unwrap();
    let view = array.permute(&[1, 0]).unwrap().flip(&[0]).unwrap();
    let view = view.slice(&[1..4, 0..2]).unwrap();
    let words = "strides\n3x4\npermute=1,0\nflip=0\nslice=1..4,0..2";
    let answer = native(words);
    let last = answer.as_array().unwrap().last().unwrap();
    assert_eq!(last["strides"], json!(view.strides()));
    assert_eq!(numbers(&last["slots"]), view.to_vec().unwrap());
}

fn numbers(list: &Value) -> Vec<f32> {
    serde_json::from_value(list.clone()).expect("a list of numbers")
}

/// Promise: The warp figure shows which cache lines a warp touches.
#[test]
fn a_warp_shows_its_cache_lines() {
    play(
        "neighbors.html",
        "warp",
        "
        see .numbers td | 128; 128; 100.0 %
        js all('.stage svg rect[fill-opacity][fill*=gpu]').length | 4
        keys .stage input[type=range] | ArrowRight
        see .numbers td | 256; 128; 50.0 %
        says | in 2 lines of 128 bytes, in 8 sectors of 32
        js all('.stage svg rect[fill-opacity][fill*=gpu]').length | 8
        keys .stage .row:nth-of-type(3) input | ArrowRight
        has .stage .row:nth-of-type(3) output | a[1]
        type .stage input[type=number] | 100
        see .numbers td | 1024; 128; 12.5 %
        js all('.stage svg rect[fill-opacity][fill*=gpu]').length | 32
        run window.was = all('.stage svg')[0].clientHeight
        type .stage input[type=number] | 1024
        see .numbers td | 1024; 128; 12.5 %
        js all('.stage svg')[0].clientHeight === was | true
        js all('input[type=range].old').length | 1
        has .stage .legend | a sector that is loaded
        keys .stage button:nth-of-type(4) | Enter
        see .numbers td | 32; 4; 12.5 %
        js all('.stage .old').length | 0
        type .stage input[type=number] | 5000
        see .refusal | a warp takes a stride and a first place, each at most 1024
        js all('.stage .old').length | 3
        ",
    );
}

/// Compares the cache lines of the figure with the counts of the chapter's
/// program, for one item per row and for several items per row.
///
/// Promise: The warp figure counts the cache lines that the chapter's program
/// counts.
#[test]
fn the_cache_lines_agree_with_the_program() {
    let lines = |stride: usize, first: usize| {
        let answer = native(&format!("warp\n{stride}\n{first}"));
        answer["lines"].as_array().unwrap().len()
    };
    for step in 0..100 {
        assert_eq!(
            lines(100, step),
            cache_lines::lines(&cache_lines::rows(0, step))
        );
    }
    assert_eq!(lines(1, 32), cache_lines::lines(&cache_lines::team(0, 1)));
}

/// Promise: The tile figure moves along `k` and counts its loads.
#[test]
fn a_tile_moves_along_k_and_counts_its_loads() {
    play(
        "the-matmul-ladder.html",
        "tiles",
        "
        see .numbers td | 32; 4; 128; 16
        says | After step 1 of 2: 32 elements
        says | After step 1 of 2: 32 elements loaded from global memory, 128 from local memory. Counted from 0, the sum in row 1, column 1 is 9. Each loaded element is used 4 times.
        keys .stage .row:nth-of-type(2) input | ArrowRight
        see .numbers td | 64; 4; 256; 16
        says | After step 2 of 2: 64 elements loaded from global memory, 256 from local memory. Counted from 0, the sum in row 1, column 1 is 9. Each loaded element is used 4 times.
        keys .stage .row:nth-of-type(3) input | ArrowRight
        says | After step 2 of 2: 64 elements loaded from global memory, 256 from local memory. Counted from 0, the sum in row 1, column 2 is 13. Each loaded element is used 4 times.
        drag .stage svg | [[box.width / 2 - 14, box.height / 2 - 14]]
        see .numbers td | 64; 4; 256; 16
        says | After step 2 of 2: 64 elements loaded from global memory, 256 from local memory. Counted from 0, the sum in row 7, column 7 is 15. Each loaded element is used 4 times.
        choose .stage select | 2
        see .numbers td | 8; 8; 16; 16
        says | After step 1 of 4: 8 elements loaded from global memory, 16 from local memory. Counted from 0, the sum in row 7, column 7 is 2. Each loaded element is used 2 times.
        ",
    );
}

/// Compares the sums with Part 1's matmul, and the loads with the formula of a
/// rung, which Oclgrind confirms.
///
/// Promise: The tile figure computes the matmul and counts the loads of the
/// chapter's formula.
#[test]
fn the_tiles_compute_the_matmul_and_its_loads() {
    let ask = |tile: usize, [row, column]: [usize; 2]| {
        native(&format!("tiles\n{tile}\n{row}\n{column}"))
    };
    let first = ask(2, [0, 0]);
    let [a, b] = ["a", "b"]
        .map(|key| part1_cpu::Tensor::new(&[8, 8], &numbers(&first[key])));
    let product = a.matmul(&b).to_vec();
    for tile in [2, 4, 8] {
        let rung = MatmulRung { tile, ..MATMUL_LADDER[2] };
        for corner in [[0, 0], [8 - tile, 0], [8 - tile, 8 - tile]] {
            let answer = ask(tile, corner);
            let steps = answer["steps"].as_array().unwrap();
            let sums = numbers(&steps.last().unwrap()["sums"]);
            for (item, sum) in sums.iter().enumerate() {
                let row = corner[0] + item / tile;
                let column = corner[1] + item % tile;
                assert_eq!(*sum, product[row * 8 + column]);
            }
            let each = |key: &str| {
                let steps = steps.iter().map(|it| it[key].as_f64().unwrap());
                steps.sum::<f64>() / (tile * tile) as f64
            };
            assert_eq!([each("global"), each("local")], rung.loads(8));
        }
    }
}

/// Promise: The reduction figure runs both orders of the tree.
#[test]
fn a_tree_is_reduced_in_two_orders() {
    let page = "how-fast-is-a-sum.html";
    let Some(mut figure) = Figure::open(page, "tree") else { return };
    // The smallest distance between a number and the sides of its cell.
    figure.value(
        "window.air = (picture) => {
            const boxes = (selector) => all(`${picture} ${selector}`).map((it) => it.getBBox());
            const cells = boxes('rect[fill=none]');
            return Math.min(...boxes('text.code').map(({ x, width, y }) => {
                const own = cells.find((it) => it.x <= x + width / 2 && it.x + it.width >= x + width / 2
                    && Math.abs(it.y - y) < 12);
                return Math.min(x - own.x, own.x + own.width - x - width);
            }));
        }",
    );
    figure.play(
        "
        see .stage .picture:first-child text.code | 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 10; 12; 14; 16; 18; 20; 22; 24
        see .stage .picture:last-child text.code | 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 3; 7; 11; 15; 19; 23; 27; 31
        has .stage .picture:first-child | round 1: 8 items in 2 warps
        has .stage .picture:last-child | round 1: 8 items in 4 warps, which diverge
        keys .stage input | End
        see .stage output | 4 of 4
        see .stage .picture:first-child text.code | 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 10; 12; 14; 16; 18; 20; 22; 24; 28; 32; 36; 40; 64; 72; 136
        js air('.stage .picture:first-child svg') > 0.9 | true
        js air('.stage .picture:last-child svg') > 0.9 | true
        says | interleaved addressing, round 4: 1 item in 1 of 4 warps. The sum is 136.
        see .numbers td | 5; 12; 11; 47
        ",
    );
}

/// Promise: The work-group figure runs step by step, and its search finds a
/// breaking schedule.
#[test]
fn a_group_runs_step_by_step_and_a_search_breaks_it() {
    let page = "a-group-step-by-step.html";
    let Some(mut figure) = Figure::open(page, "group") else { return };
    // The steps in the table, and the steps that the engine returns.
    figure.value(
        "window.made = () => all('.schedule tbody tr:not(.barrier)')
            .map((row) => [...row.cells].map((it) => it.innerText))
            .filter((cells) => cells[5])
            .map((cells) => {
                const item = cells.slice(1, 5).findIndex((it) => it);
                return `${item} ${cells[item + 1]} ${cells[5]}`;
            }).join()",
    );
    figure.value(
        "window.right = async (order, count) =>
            (await ask('group', 'load', order, `${count}`)).steps.slice(0, count)
                .map(({ item, words, local }) => `${item} ${words} ${local}`).join()",
    );
    figure.play(
        "
        see .stage output | 4 of 13
        js made() === await right('0 1 2 3', 4) | true
        button | Find one that breaks it
        js made() === await right('0 1 2 3 0 0 0 0 0 0 1 1 1', 13) | true
        js /A race on \\[1\\]: item 0 reads/.test(texts('.said')) | true
        button | Back to the start
        see .stage output | 0 of 13
        drag .schedule th:nth-child(4) button |
        js document.activeElement.matches('.schedule button') | true
        see .stage output | 1 of 13
        drag .schedule th:nth-child(2) button |
        js made() === await right('2 0', 2) | true
        has .schedule th:nth-child(4) | waits
        keys .schedule th:nth-child(3) button | Enter
        see .stage output | 3 of 13
        keys .schedule th:nth-child(5) button | Enter
        see .stage output | 4 of 13
        keys .schedule th:nth-child(3) button | Enter
        js made() === await right('2 0 1 3 1', 5) | true
        choose .stage select | behind
        button | Find one that breaks it
        js /No order breaks it. 480 schedules. 480 end with .*[^.].$/.test(texts('.said')) | true
        choose .stage select | inside
        button | Lockstep
        says | A divergent barrier: items 0 and 1 wait, items 2 and 3 have left
        button | Try all
        js /schedules. [^:]* end otherwise. A divergent barrier/.test(texts('.said')) | true
        js texts('.said').includes('..') | false
        ",
    );
}

/// The figure's sentence about all schedules equals the output of the program.
///
/// Promise: The work-group figure counts the schedules that the chapter's
/// program counts.
#[test]
fn the_schedules_agree_with_the_program() {
    let answer = native("group\nload\nall");
    let search = race::search();
    assert_eq!(answer["schedules"], search.schedules() as f64);
    let endings = answer["endings"].as_array().unwrap();
    assert_eq!(endings.len(), search.endings.len());
    for (ours, program) in endings.iter().zip(&search.endings) {
        assert_eq!(ours["schedules"], program.schedules as f64);
        assert_eq!(ours["end"], program.trace.end.to_string());
    }
    let broken = race::broken(&search);
    assert_eq!(endings[0]["end"], broken.end.to_string());
    let order = "group\nload\n0 1 2 3 0 0 0 0 0 0 1 1 1\n13";
    let race = native(order)["race"].clone();
    assert_eq!(race, broken.race().unwrap().to_string());
}
