//! What the rungs of the matmul ladder load, counted by Oclgrind.

use std::process::Command;

use rungrad::part2_gpu::matmul::LADDER;

use super::oclgrind::{multiply, simulator};
use testkit::child::{child_under, is_child, succeed};
use testkit::device::skip;

/// Whole tiles for every rung, and one step along `k` for most.
const SHAPE: [usize; 3] = [128, 16, 128];

/// Promise: Each kernel of the matmul ladder loads as many values per element
/// as its formula predicts, counted by Oclgrind.
#[test]
fn the_loads_of_each_rung_are_those_of_its_formula() {
    if is_child() {
        let gpu = simulator();
        return LADDER.iter().for_each(|rung| multiply(&gpu, rung, SHAPE));
    }
    if Command::new("oclgrind").arg("--version").output().is_err() {
        skip("no Oclgrind", "`cargo learn setup` installs it");
        return;
    }
    let mut tool = Command::new("oclgrind");
    tool.args(["--inst-counts", "--build-options", "-cl-opt-disable"]);
    let name = "loads::the_loads_of_each_rung_are_those_of_its_formula";
    child_under(&mut tool, name);
    let text = succeed(&mut tool);
    // ANCHOR: counted
    let [m, k, n] = SHAPE;
    for rung in &LADDER {
        let name = rung.kernel.name();
        let title = format!("Instructions executed for kernel '{name}':");
        let counts = text.split(&title).nth(1).expect("counts of each rung");
        let counted = ["load global (", "load local ("]
            .map(|what| bytes(counts, what) as f64 / 4.0 / (m * n) as f64);
        assert_eq!(counted, rung.loads(k), "{name}");
    }
    // ANCHOR_END: counted
}

/// The bytes of a kind of instruction of the first kernel in `counts`.
fn bytes(counts: &str, what: &str) -> u64 {
    let counts = counts.split("Instructions executed").next();
    let line = counts.and_then(|counts| counts.split(what).nth(1));
    let number = line.and_then(|line| line.split(' ').next());
    number.map_or(0, |number| number.parse().expect("a number of bytes"))
}
