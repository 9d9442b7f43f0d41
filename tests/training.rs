//! Training learns, is reproducible and leaks nothing. The loop and its
//! command line are those from the example `part1_digits`; the border is that
//! from `part1_moons`.

#[path = "../examples/part1_moons/border.rs"]
mod border;
#[path = "../examples/part1_digits/request.rs"]
mod request;
#[path = "../examples/part1_digits/training.rs"]
mod training;

use std::sync::LazyLock;

use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::part1_cpu::nn::Mlp;
use rungrad::{Error, ledger};

use border::Border;
use request::{HELP, Request, request};
use training::{EPOCHS, train};

fn split() -> (Dataset, Dataset) {
    digits().split(SPLIT_SEED)
}

/// The final test accuracy for each of five seeds.
fn accuracies(split: &(Dataset, Dataset)) -> [f32; 5] {
    [0, 1, 2, 3, 4].map(|seed| {
        let mut accuracy = 0.0;
        train(split, seed, EPOCHS, |epoch| accuracy = epoch.accuracy);
        accuracy
    })
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}

/// Accuracies on a mixed split, where training and test set share their
/// writers.
static MIXED: LazyLock<[f32; 5]> = LazyLock::new(|| accuracies(&split()));

#[test]
fn the_mean_accuracy_of_five_seeds_is_96_percent() {
    let accuracies = *MIXED;
    let mean = mean(&accuracies);
    assert!(mean >= 0.96, "the mean of {accuracies:?} is {mean}");
}

/// The difference is not a matter of missing classes: the end of the file has
/// about the same number of each. Its digits are written by different people.
#[test]
#[ignore = "slow: 11 s, trains ten networks"]
fn digits_of_new_writers_are_harder() {
    let mixed = mean(&*MIXED);
    let others = mean(&accuracies(&digits().split_in_order()));
    assert!(others > 0.90, "the mean on other hands is {others}");
    assert!(mixed - others > 0.04, "{mixed} mixed, {others} on other hands");
}

#[test]
fn training_and_test_loss_fall() {
    let mut course = Vec::new();
    train(&split(), 0, EPOCHS, |epoch| course.push(epoch));
    let (first, last) = (&course[0], &course[EPOCHS - 1]);
    // A network that guesses has a loss of ln(10) = 2.3.
    assert!(first.loss < 1.5 && last.loss < 0.02, "{course:?}");
    assert!(last.held_out < first.held_out / 2.0, "{course:?}");
}

fn bits(network: &mut Mlp) -> Vec<u32> {
    let parameters = network.parameters();
    let values = parameters.iter().flat_map(|(_, p)| p.to_vec());
    values.map(f32::to_bits).collect()
}

#[test]
fn training_is_bitwise_reproducible() {
    let run = |seed| bits(&mut train(&split(), seed, 2, |_| ()));
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}

#[test]
fn an_epoch_leaves_no_node() {
    let split = split();
    let (network, counts) = ledger::measure(|| train(&split, 0, 1, |_| ()));
    // The network consists of four leaves.
    assert_eq!(counts.live_nodes(), 4);
    assert!(counts.nodes > 45 * 10, "45 batches of more than 10 operations");
    let ((), counts) = ledger::measure(|| drop(network));
    assert_eq!(counts.nodes_freed, 4);
}

fn ask(line: &str) -> Result<Request, Error> {
    let words: Vec<String> = line.split(' ').map(str::to_string).collect();
    request(&words)
}

#[test]
fn command_line_arguments_are_parsed() {
    let asked = ask("--seeds 5 --epochs 3 --last-fifth").unwrap();
    let expected = Request {
        seed: None,
        seeds: Some(5),
        splits: None,
        epochs: 3,
        last_fifth: true,
    };
    assert_eq!(asked, expected);
    assert_eq!(ask("--splits 9").unwrap().splits, Some(9));
    assert_eq!(request(&[]).unwrap().epochs, EPOCHS);
    assert!(HELP.contains(&format!("({EPOCHS})")));
}

#[test]
fn wrong_arguments_give_a_usage_error() {
    for (line, word) in [
        ("--seed", "not nothing"),
        ("--seed -1", "not `-1`"),
        ("--epochs 0", "from 1, not `0`"),
        ("--epochs many", "not `many`"),
        ("--epoch 3", "does not know `--epoch`"),
        ("--seed 1 --seeds 2", "one of the two"),
        ("--seeds 2 --splits 2", "without --seeds"),
        ("--last-fifth --splits 2", "without --seeds and --last-fifth"),
    ] {
        let error = ask(line).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(word), "{line}: {error}");
    }
}

#[test]
fn the_border_follows_probability_one_half() {
    // A round hill around (0.5, 0.2) whose height at distance 1 is one half.
    let far = |p: &[f32]| (p[0] - 0.5).hypot(p[1] - 0.2);
    let border = Border::new(|points| {
        points.chunks(2).map(|p| 1.0 / (1.0 + far(p).powi(4))).collect()
    });
    let pieces = border.pieces();
    let mut length = 0.0;
    for piece in pieces.chunks(2) {
        let [(ax, ay), (bx, by)] = *piece else { panic!("half a piece") };
        length += (bx - ax).hypot(by - ay);
        for (x, y) in [(ax, ay), (bx, by)] {
            assert!((far(&[x, y]) - 1.0).abs() < 1e-3, "({x}, {y})");
            assert!((border.share([x, y]) - 0.5).abs() < 1e-3);
        }
    }
    assert!((length - std::f32::consts::TAU).abs() < 0.01, "{length}");
}
