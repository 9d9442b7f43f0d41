//! What was measured once: no run repeats its numbers, so a test looks at
//! everything else. Its words are those that the program prints today, and
//! its page says whose clock it was, and when.

use std::collections::{BTreeMap, BTreeSet};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::generated::program::{self, broken};
use crate::generated::tier::Tier;
use crate::manifest::{Manifest, Measured, Needs, Output};
use crate::page::Page;
use crate::tree::{Fault, Tree, fault};

/// Steps by each operation, by fused kernels, and by PyTorch in three ways.
const FUSED: &str = "cargo learn bench --device gpu --fused --seconds 0.6 \
                     --peer torch gpt \"seven 2^26\" \"softmax 16384x16384\" \
                     \"chain 1000\" mlp cnn copy";

/// All of them.
pub(crate) const MEASURED: &[Measured] = &[
    Measured {
        out: "book/listings/part3_how_fast_h200.out",
        command: "cargo run --release --example part3_how_fast",
        rehearsal: "cargo run --release --example part3_how_fast -- --quick",
        on: "one NVIDIA H200 with driver 580.159.04 in November 2026",
    },
    Measured {
        out: "book/listings/bench_h200.out",
        command: "cargo learn bench --device gpu --seconds 0.3",
        rehearsal: "cargo learn bench --device gpu --seconds 0.3",
        on: "one NVIDIA H200 with driver 580.159.04 in November 2026",
    },
    Measured {
        out: "book/listings/bench_fused_h200.out",
        command: FUSED,
        rehearsal: FUSED,
        on: "one NVIDIA H200 with driver 580.159.04 in November 2026",
    },
    Measured {
        out: "book/listings/bench_2cores.out",
        command: "cargo learn bench --quick --device cpu",
        rehearsal: "cargo learn bench --quick --device cpu",
        on: "two cores of an Intel Xeon in November 2026",
    },
    Measured {
        out: "book/listings/bench_2cores_first.out",
        command: "cargo learn bench --quick --device cpu",
        rehearsal: "cargo learn bench --quick --device cpu",
        on: "two cores of an Intel Xeon in November 2026",
    },
    Measured {
        out: "book/listings/bench_16cores_1thread.out",
        command: "cargo learn bench --device cpu --threads 1 --seconds 0.2",
        rehearsal: "cargo learn bench --device cpu --threads 1 --seconds 0.2",
        on: "an Intel Xeon of 16 threads in November 2026",
    },
    Measured {
        out: "book/listings/bench_16cores_8threads.out",
        command: "cargo learn bench --device cpu --threads 8 --seconds 0.2",
        rehearsal: "cargo learn bench --device cpu --threads 8 --seconds 0.2",
        on: "an Intel Xeon of 16 threads in November 2026",
    },
    Measured {
        out: "book/listings/part3_filters_splits.out",
        command: "cargo run --release --example part3_filters -- --splits 10",
        rehearsal: "cargo run --release --example part3_filters -- --splits 1 \
                    --epochs 1",
        on: "two cores of an Intel Xeon in November 2026",
    },
    Measured {
        out: "book/listings/part3_shakespeare.out",
        command: "cargo run --release --example part3_shakespeare",
        rehearsal: "cargo run --release --example part3_shakespeare -- \
                    --text README.md --steps 1 --count 9",
        on: "two cores of an AMD EPYC in November 2026",
    },
    Measured {
        out: "book/listings/part3_shakespeare_h200.out",
        command: "cargo run --release --example part3_shakespeare -- \
                  --large --device gpu --count 1600",
        rehearsal: "cargo run --release --example part3_shakespeare -- \
                    --text README.md --steps 1 --count 9 --device gpu",
        on: "one NVIDIA H200 with driver 580.159.04 in November 2026",
    },
    Measured {
        out: "book/listings/part3_names_small.out",
        command: "cargo run --release --example part3_names -- --small \
                  --count 0 --save target/names.safetensors",
        rehearsal: "cargo run --release --example part3_names -- --small \
                    --count 0 --steps 2",
        on: "two cores of an AMD EPYC in November 2026",
    },
    on_pocl_once(
        "book/listings/part2_stopwatch.out",
        "cargo run --release --example part2_stopwatch",
    ),
    on_pocl_once(
        "book/listings/part2_add.out",
        "cargo run --release --example part2_add",
    ),
    on_pocl_once(
        "book/listings/part2_copies.out",
        "cargo run --release --example part2_copies",
    ),
    on_pocl_once(
        "book/listings/part2_matvec.out",
        "cargo run --release --example part2_matvec",
    ),
    on_pocl_once(
        "book/listings/part2_reductions.out",
        "cargo run --release --example part2_reductions",
    ),
    on_pocl_once(
        "book/listings/part2_crossover_add.out",
        "cargo run --release --example part2_crossover -- add",
    ),
    on_pocl_once(
        "book/listings/part2_crossover_matmul.out",
        "cargo run --release --example part2_crossover -- matmul",
    ),
    Measured {
        rehearsal: "cargo run --release --example part2_ladder -- 64",
        ..on_pocl_once(
            "book/listings/part2_ladder.out",
            "cargo run --release --example part2_ladder -- 512",
        )
    },
    Measured {
        rehearsal: "cargo run --release --example part3_how_fast -- --quick",
        ..on_pocl_once(
            "book/listings/part3_how_fast.out",
            "cargo run --release --example part3_how_fast",
        )
    },
    on_pocl_once(
        "book/listings/bench_pocl.out",
        "cargo learn bench --device gpu --peer none --seconds 0.2",
    ),
    on_h200_once(
        "book/listings/part2_stopwatch_h200.out",
        "cargo run --release --example part2_stopwatch -- 16777216",
        "cargo run --release --example part2_stopwatch",
    ),
    on_h200_once(
        "book/listings/part2_add_h200.out",
        "cargo run --release --example part2_add",
        "cargo run --release --example part2_add",
    ),
    on_h200_once(
        "book/listings/part2_copies_h200.out",
        "cargo run --release --example part2_copies",
        "cargo run --release --example part2_copies",
    ),
    on_h200_once(
        "book/listings/part2_matvec_h200.out",
        "cargo run --release --example part2_matvec",
        "cargo run --release --example part2_matvec",
    ),
    on_h200_once(
        "book/listings/part2_matvec_long_h200.out",
        "cargo run --release --example part2_matvec -- 16384 4096",
        "cargo run --release --example part2_matvec -- 400 4096",
    ),
    on_h200_once(
        "book/listings/part2_precision_h200.out",
        "cargo run --release --example part2_precision -- 16777216",
        "cargo run --release --example part2_precision -- 256",
    ),
    on_h200_once(
        "book/listings/part2_reductions_h200.out",
        "cargo run --release --example part2_reductions -- 1048576 16777216 \
         268435456",
        "cargo run --release --example part2_reductions",
    ),
    counted_on_h200_once(
        "book/listings/part2_counters_reductions_h200.out",
        "python3 benches/peers/reductions.py",
    ),
    on_h200_once(
        "book/listings/part2_crossover_add_h200.out",
        "cargo run --release --example part2_crossover -- add",
        "cargo run --release --example part2_crossover -- add",
    ),
    on_h200_once(
        "book/listings/part2_crossover_matmul_h200.out",
        "cargo run --release --example part2_crossover -- matmul",
        "cargo run --release --example part2_crossover -- matmul",
    ),
    on_h200_once(
        "book/listings/part2_ladder_h200.out",
        "cargo run --release --example part2_ladder -- 4096 8192 \
         --numbers 268435456 --peer \"python3 benches/peers/gpu.py\"",
        "cargo run --release --example part2_ladder -- 32 64",
    ),
    on_h200_once(
        "book/listings/part2_ladder_sizes.out",
        "cargo run --release --example part2_ladder -- 64 256 1024 2048 4097 \
         --numbers 1000000 --peer \"python3 benches/peers/gpu.py\"",
        "cargo run --release --example part2_ladder -- 32 64",
    ),
    counted_on_h200_once(
        "book/listings/part2_counters_matvec_h200.out",
        "python3 benches/peers/counters.py matvec",
    ),
    counted_on_h200_once(
        "book/listings/part2_counters_matmul_h200.out",
        "python3 benches/peers/counters.py matmul",
    ),
    counted_on_h200_once(
        "book/listings/part2_rungs_h200.out",
        "python3 benches/peers/rungs.py",
    ),
    counted_on_h200_once(
        "book/listings/part2_waits_h200.out",
        "python3 benches/peers/rungs.py --waits",
    ),
    counted_on_h200_once(
        "book/listings/profile_card_h200.out",
        "python3 crates/profile/card.py",
    ),
];

/// What a profiler has counted. Nothing here can rehearse it, so its words
/// have to stand in the text of its script.
const fn counted_on_h200_once(
    out: &'static str,
    command: &'static str,
) -> Measured {
    on_h200_once(out, command, command)
}

/// What was measured on a card, and what prints the same words here.
const fn on_h200_once(
    out: &'static str,
    command: &'static str,
    rehearsal: &'static str,
) -> Measured {
    let on = "one NVIDIA H200 with driver 580.159.04 in November 2026";
    Measured { out, command, rehearsal, on }
}

/// What was measured with PoCL.
const fn on_pocl_once(out: &'static str, command: &'static str) -> Measured {
    let on = "PoCL 3.1 on two cores of an Intel Xeon in November 2026";
    Measured { out, command, rehearsal: command, on }
}

/// A listing begins with its command, and a page that shows it says where and
/// when it was measured.
pub(crate) fn check(
    tree: &Tree,
    pages: &[Page],
    manifest: &Manifest,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for measured in manifest.measured {
        let text = tree.get(measured.out).unwrap_or_default();
        let command = format!("$ {}\n", broken(measured.command));
        if !text.starts_with(&command) {
            let what = format!(
                "this does not begin with its command. Measure it again with \
                 `{}`.",
                measured.command
            );
            faults.push(fault(measured.out, 1, what));
        }
        for page in pages {
            let mut includes = page.includes().into_iter();
            let shown = includes.find(|(_, _, i)| i.file == measured.out);
            let Some((at, _, _)) = shown else { continue };
            if !page.text.contains(measured.on) {
                let what = format!(
                    "this was measured, and the page does not say where and \
                     when. Write \"{}\".",
                    measured.on
                );
                faults.push(page.fault(at, what));
            }
        }
    }
    faults
}

/// Those whose words are not those of their programs. One rehearsal serves all
/// that were measured so.
pub(crate) fn outdated(
    tree: &Tree,
    manifest: &Manifest,
    tier: Tier,
) -> Vec<Fault> {
    let measured = manifest.measured.iter();
    let measured = measured.filter(|it| tier.has(it.rehearsal));
    let rehearsals = measured.clone().map(|m| m.rehearsal);
    let rehearsals = rehearsals.filter(|it| script(it).is_none());
    let rehearsals: BTreeSet<&str> = rehearsals.collect();
    let examples = program::built(rehearsals.iter().copied());
    let examples = examples.expect("the examples build");
    let texts = rehearsals.into_par_iter().map(|command| {
        let (out, needs) = ("", Needs::Device);
        let output = Output { out, command, code: 0, needs };
        (command, program::listing(&examples, &output, &[]))
    });
    let texts: BTreeMap<&str, Result<String, String>> = texts.collect();
    let differing = |measured: &Measured| {
        let Measured { out, command, rehearsal, .. } = *measured;
        let found = tree.get(out).unwrap_or_default();
        let what = match script(rehearsal) {
            Some(script) => {
                let texts = tree.list(script, "").map(|(_, text)| text);
                let word = foreign(found, &texts.collect::<String>())?;
                format!("the script of this listing does not have `{word}`")
            }
            None => {
                let text = texts[rehearsal].clone().map(|text| {
                    let [from, to] = [rehearsal, command].map(broken);
                    unlike(found, &text.replacen(&from, &to, 1))
                });
                let line = text.unwrap_or_else(Some)?;
                format!("the program and this listing differ in `{line}`")
            }
        };
        let what = format!("{what}. Measure it again with `{command}`.");
        Some(fault(out, 1, what))
    };
    measured.filter_map(differing).collect()
}

/// The script behind a command that no rehearsal runs, or the folder of the
/// program: the rows of a whole table would take minutes.
pub(crate) fn script(command: &str) -> Option<&str> {
    if command.starts_with("cargo learn bench") {
        return Some("crates/tools/src/bin/bench/");
    }
    command.strip_prefix("python3 ")?.split(' ').next()
}

/// A word of a listing, its command and what it says of the machine apart,
/// that its script does not have.
pub(crate) fn foreign(found: &str, script: &str) -> Option<String> {
    let lines = found.lines().skip_while(|line| line.starts_with(['$', ' ']));
    let mut words = lines
        .filter(|line| !MACHINE.iter().any(|start| line.starts_with(start)))
        .flat_map(str::split_whitespace)
        .map(|word| word.trim_end_matches([':', ',', '.']))
        .filter(|word| word.starts_with(char::is_alphabetic))
        .filter(|word| !UNITS.contains(word));
    words.find(|word| !script.contains(word)).map(str::to_string)
}

/// A line that one of two texts has and the other lacks, numbers, units and
/// names of machines apart. A faster machine may have more lines of a kind.
pub(crate) fn unlike(found: &str, wanted: &str) -> Option<String> {
    let (found, wanted) = (form(found), form(wanted));
    found.symmetric_difference(&wanted).next().cloned()
}

/// What stands behind a number.
const UNITS: [&str; 7] =
    ["ns", "\u{b5}s", "ms", "s", "GB/s", "GFLOP/s", "TFLOP/s"];

/// How lines begin that speak of a machine, or of one run.
const MACHINE: [&str; 7] =
    ["device  ", "host    ", "peer  ", "gpu:", "engines ", "date ", "kept in "];

/// What stands below this line a network has written, and each writes its own.
pub(crate) const WRITTEN: &str = "\nIt writes:\n";

/// The lines without what differs from run to run.
fn form(text: &str) -> BTreeSet<String> {
    let ours = text.split_inclusive(WRITTEN).next().unwrap_or_default();
    let lines = ours.lines().map(str::trim_end);
    lines
        .filter(|line| !MACHINE.iter().any(|start| line.starts_with(start)))
        .map(|line| {
            // A device is called as its vendor likes.
            let line = line.split_once(" on gpu:").map_or(line, |it| it.0);
            let mut words: Vec<&str> =
                line.split_whitespace().map(shape).collect();
            words.dedup();
            words.join(" ")
        })
        .collect()
}

/// A word, or what stands for words of its kind.
fn shape(word: &str) -> &str {
    match word {
        "ns" | "µs" | "ms" | "s" => "time",
        _ if word.parse::<f64>().is_ok() => "#",
        _ if !word.contains(char::is_alphabetic) => "#",
        // A size, or a number with its unit; the dots stand for one.
        _ if word.starts_with(|c: char| c.is_ascii_digit() || c == '…') => {
            "#"
        }
        _ => word,
    }
}
