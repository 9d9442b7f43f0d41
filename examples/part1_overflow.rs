//! A graph of a million links and a 2 MB stack: recursive walks and drops
//! overflow, the engine's own do not. An overflow kills its process, so each
//! case runs in a child process.

use std::collections::HashSet;
use std::env;
use std::process::{Command, ExitCode};
use std::rc::Rc;
use std::thread;

use rungrad::part1_cpu::Tensor;
use rungrad::{Error, ledger};

// ANCHOR: walk
fn chain(links: usize) -> Tensor {
    let one = Tensor::new(&[1], &[1.0]);
    (0..links).fold(one.clone(), |y, _| y.mul(&one))
}

/// Orders the graph as step 4 does, with a set for the visited nodes.
fn recursive_walk(links: usize) {
    fn visit(tensor: &Tensor, seen: &mut HashSet<u64>, order: &mut Vec<u64>) {
        if seen.insert(tensor.id()) {
            for parent in tensor.parents() {
                visit(parent, seen, order);
            }
            order.push(tensor.id());
        }
    }
    visit(&chain(links), &mut HashSet::new(), &mut Vec::new());
}
// ANCHOR_END: walk

// ANCHOR: drops
/// The drop that Rust generates for a chain of owners.
fn recursive_drop(links: usize) {
    struct Link(Option<Rc<Link>>);
    let link = |parent, _| Some(Rc::new(Link(parent)));
    let last = (0..links).fold(None, link);
    assert!(last.is_some_and(|last| last.0.is_some()));
}

/// The engine's own drop, with rules that hold tensors the engine does not
/// know about.
fn rules_that_hold_tensors(links: usize) {
    let link = |y: Tensor, _| {
        let (data, held) = ((*y.data()).clone(), y.clone());
        Tensor::from_op("same", &[&y], data, move |grad_out| {
            assert_eq!(held.shape(), grad_out.shape());
            vec![grad_out.clone()]
        })
    };
    (0..links).fold(Tensor::new(&[1], &[1.0]), link);
}
// ANCHOR_END: drops

// ANCHOR: finished
/// Builds the graph, runs backward and frees it; no node stays alive.
fn finished_engine(links: usize) {
    let ((), counts) = ledger::measure(|| chain(links).backward());
    assert_eq!(counts.nodes, links as u64 + 1);
    assert_eq!(counts.live_nodes(), 0);
}
// ANCHOR_END: finished

type Way = (&'static str, fn(usize));

const WAYS: [Way; 4] = [
    ("a recursive walk", recursive_walk),
    ("a recursive drop", recursive_drop),
    ("rules that hold tensors", rules_that_hold_tensors),
    ("the finished engine", finished_engine),
];

fn main() -> ExitCode {
    let words = rungrad::args();
    rungrad::run(|| match &words[..] {
        [] => every_way(),
        [way, links] => one_way(way, links),
        _ => Err(usage()),
    })
}

// ANCHOR: child
fn every_way() -> Result<(), Error> {
    println!("on a stack of 2 MB        1,000 links  1,000,000 links");
    for (words, _) in WAYS {
        let [short, long] =
            [outcome(words, "1000")?, outcome(words, "1000000")?];
        println!("{words:<24}  {short:<11}  {long}");
    }
    Ok(())
}

/// Runs one case in a child process and returns how it ended.
fn outcome(way: &str, links: &str) -> Result<&'static str, Error> {
    let program = env::current_exe().map_err(broken)?;
    let child = Command::new(program).args([way, links]).output();
    let child = child.map_err(broken)?;
    let words = String::from_utf8_lossy(&child.stderr);
    match child.status.success() {
        true => Ok("done"),
        false if words.contains("overflowed its stack") => Ok("overflows"),
        false => Err(Error::Mistake(words.into_owned())),
    }
}
// ANCHOR_END: child

fn one_way(way: &str, links: &str) -> Result<(), Error> {
    let known = WAYS.iter().find(|(words, _)| *words == way);
    let (_, work) = *known.ok_or_else(usage)?;
    let links = links.parse().map_err(|_| usage())?;
    let small = thread::Builder::new().stack_size(2 << 20);
    let thread = small.spawn(move || work(links)).map_err(broken)?;
    let failed = |_| Error::Mistake(format!("{way} failed"));
    thread.join().map_err(failed)
}

fn usage() -> Error {
    let words = "part1_overflow takes no arguments";
    Error::Usage(words.to_string())
}

fn broken(error: std::io::Error) -> Error {
    Error::Device(format!("this program cannot start itself: {error}"))
}
