//! The loads of the matmul ladder, counted by Oclgrind.

use std::process::Command;

use rungrad::part2_gpu::matmul::MATMUL_LADDER;

use super::oclgrind::{multiply, simulator};
use testkit::child::{child_under, is_child, succeed};
use testkit::device::skip;

/// Full tiles for every kernel, and a single step along `k` for most of them.
const SHAPE: [usize; 3] = [128, 16, 128];

/// Promise: Each kernel of the matmul ladder loads as many values per element
/// as its formula predicts, counted by Oclgrind.
#[test]
fn oclgrind_loads_match_the_formula_of_each_rung() {
    if is_child() {
        let gpu = simulator();
        return MATMUL_LADDER
            .iter()
            .for_each(|rung| multiply(&gpu, rung, SHAPE));
    }
    if Command::new("oclgrind").arg("--version").output().is_err() {
        skip("no Oclgrind", "`cargo learn setup` installs it");
        return;
    }
    let mut tool = Command::new("oclgrind");
    tool.args(["--inst-counts", "--build-options", "-cl-opt-disable"]);
    let name = "loads::oclgrind_loads_match_the_formula_of_each_rung";
    child_under(&mut tool, name);
    let text = succeed(&mut tool);
    // ANCHOR: counted
    let [m, k, n] = SHAPE;
    for rung in &MATMUL_LADDER {
        let name = rung.kernel.name();
        let title = format!("Instructions executed for kernel '{name}':");
        let counts = text.split(&title).nth(1).expect("counts of each rung");
        let counted = ["load global (", "load local ("]
            .map(|what| bytes(counts, what) as f64 / 4.0 / (m * n) as f64);
        assert_eq!(counted, rung.loads(k), "{name}");
    }
    // ANCHOR_END: counted
}

/// Returns the bytes that one kind of instruction accessed in the first kernel
/// of `counts`.
fn bytes(counts: &str, what: &str) -> u64 {
    let counts = counts.split("Instructions executed").next();
    let line = counts.and_then(|counts| counts.split(what).nth(1));
    let number = line.and_then(|line| line.split(' ').next());
    number.map_or(0, |number| number.parse().expect("a number of bytes"))
}
