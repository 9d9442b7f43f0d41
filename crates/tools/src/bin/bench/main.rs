//! Measures how fast Part 3 is, row by row, and compares it with other
//! engines. `cargo learn bench` runs this program.
//!
//! Reading order: [`work`], [`kinds`] and [`mod@rows`] define the work,
//! [`clock`] times it, [`peer`] runs it on other engines, and [`report`],
//! [`picture`] and [`baseline`] present the results.

mod baseline;
mod clock;
mod kinds;
mod machine;
mod peer;
mod picture;
mod report;
mod request;
mod rows;
mod tune;
mod work;

use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use rungrad::engine::tuning;
use rungrad::part3_unified::Device;
use rungrad::{Error, draw};

use baseline::Baseline;
use clock::Timed;
use machine::Machine;
use peer::{Peer, Place, RowTimes};
use report::{Line, Other, Report, Table, Times};
use request::Request;
use rows::rows;
use work::Work;

/// The number of rounds in which the engines take turns on a row.
const ROUNDS: usize = 3;

/// OpenBLAS's threads spin for 2^26 clock ticks after their work.
const REST: Duration = Duration::from_millis(40);

fn main() -> ExitCode {
    let mut is_slower = false;
    let code = rungrad::run_with_help(request::HELP, || {
        let request = Request::parse(&rungrad::args())?;
        is_slower = bench(&request)? > 0;
        Ok(())
    });
    if is_slower { ExitCode::FAILURE } else { code }
}

/// Runs the requested rows and returns how many became slower than the
/// baseline.
fn bench(request: &Request) -> Result<usize, Error> {
    // Loops of this thread run in this pool.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(request.threads.unwrap_or(0))
        .use_current_thread();
    let _pool = pool.build().map_err(|error| {
        Error::Device(format!("cannot start the threads: {error}"))
    })?;
    let mut machine = Machine::detect(request.device)?;
    if request.tune {
        tune::tune(request, &machine)?;
        return Ok(0);
    }
    if let Some(file) = &request.tuned {
        tuning::load(file)?;
    }
    let chosen = request.choose(rows(machine.class))?;
    if request.list {
        for work in chosen {
            let mark = if work.is_quick { "quick" } else { "" };
            println!("{work:<34} {mark:<6} {}", work.about);
        }
        return Ok(0);
    }
    let before = request.baseline.as_deref().map(Baseline::read).transpose()?;
    if let Some(before) = &before {
        before.check(&machine)?;
    }
    let mut peers = start(request, &mut machine)?;
    let report = measure(request, machine, chosen, &mut peers)?;
    drop(peers);
    let [json, svg] = ["json", "svg"].map(|it| request.out.with_extension(it));
    draw::save(&json, report.json().as_bytes())?;
    draw::save(&svg, picture::svg(&report).as_bytes())?;
    println!("\nkept in {} and {}", json.display(), svg.display());
    Ok(before.map_or(0, |before| before.tell(&report.lines, request.noise)))
}

/// Starts the peers and prints why a peer is missing. It is an error if the
/// peer was requested by name.
fn start(request: &Request, machine: &mut Machine) -> Result<Vec<Peer>, Error> {
    let place = Place {
        device: machine.place()?,
        threads: machine.threads,
        ours: machine.device,
    };
    let mut peers = vec![];
    for (name, source) in request.sources(machine.class) {
        eprintln!("starting {name}");
        match Peer::start(&source, &place) {
            Ok(peer) => {
                let [name, version, on] =
                    [&peer.name, &peer.version, &peer.on].map(String::clone);
                machine.engines.push([name, version, on]);
                peers.push(peer);
            }
            Err(why) => {
                let remedy = source.remedy();
                let why = format!("{name} is not here: {why}; {remedy}");
                if request.names_peers() {
                    return Err(Error::Device(format!("the peer {why}")));
                }
                println!("{why}.");
            }
        }
    }
    Ok(peers)
}

/// Runs the rows one after the other, and prints each when it is done.
fn measure(
    request: &Request,
    machine: Machine,
    rows: Vec<Work>,
    peers: &mut [Peer],
) -> Result<Report, Error> {
    println!("{}", machine.text());
    let table = columns(request, &machine, peers);
    println!("{}", table.head());
    let memory = machine.memory()?;
    let mut report =
        Report { machine, lines: vec![], skipped: BTreeMap::new() };
    for row in rows {
        // A peer on the same device and the lazy device each need the same
        // amount of memory.
        let ours = 1 + usize::from(request.fused);
        let engines = ours + usize::from(!peers.is_empty());
        let name = row.to_string();
        let sign = StatusLine::show(&name);
        let line = row.fits(memory, engines).and_then(|()| {
            let line = run_row(request, report.machine.device, row, peers);
            line.map_err(|error| error.to_string())
        });
        drop(sign);
        match line {
            Ok(line) => {
                println!("{}", table.line(&line));
                report.lines.push(line);
            }
            Err(why) => {
                println!("{name:<32} skipped: {why}");
                report.skipped.insert(name, why);
            }
        }
    }
    Ok(report)
}

/// A status line that is shown on a terminal while a row runs.
struct StatusLine(bool);

impl StatusLine {
    fn show(name: &str) -> StatusLine {
        let is_seen = stderr().is_terminal();
        if is_seen {
            eprint!("  {name} ..");
        }
        StatusLine(is_seen)
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        if self.0 {
            eprint!("\r\x1b[K");
        }
    }
}

/// Returns the other engines in the order of the table.
fn columns(request: &Request, machine: &Machine, peers: &[Peer]) -> Table {
    let mut columns = vec![];
    if machine.device == Device::Cpu {
        columns.push(Other::new(PART_1, "eager"));
    }
    for peer in peers {
        columns.push(Other::new(&peer.name, "eager"));
        if peer.name == "PyTorch" && !peer.on.starts_with("cpu") {
            columns.push(Other::new(&peer.name, "graph"));
            if request.fused {
                columns.push(Other::new(&peer.name, "compiled"));
            }
        }
    }
    Table { fused: request.lazy().is_some(), others: columns }
}

const PART_1: &str = "part 1";

/// Runs one row, with our engine and the peers in turn.
fn run_row(
    request: &Request,
    device: Device,
    work: Work,
    peers: &mut [Peer],
) -> Result<Line, Error> {
    let Request { seconds, limit, .. } = *request;
    let patience = seconds / ROUNDS as f64;
    let timed = |device| Timed::new((work.part3)(device)?, device, limit);
    let mut part3 = timed(device)?;
    let mut fused = request.lazy().map(timed).transpose()?;
    let part1 = work.part1.as_ref().filter(|_| device == Device::Cpu);
    let part1 = part1.map(|prepare| Timed::new(prepare()?, device, limit));
    let mut part1 = part1.transpose()?;
    let mut theirs: Vec<RowTimes> =
        peers.iter().map(|_| RowTimes::default()).collect();
    for _ in 0..ROUNDS {
        part3.round(patience)?;
        if let Some(fused) = &mut fused {
            fused.round(patience)?;
        }
        if let Some(part1) = &mut part1 {
            part1.round(patience)?;
        }
        for (peer, heard) in peers.iter_mut().zip(&mut theirs) {
            heard.round(peer, &work, patience, limit);
        }
        // The threads of a peer spin for a while before they sleep, on the
        // cores that our engine needs next.
        if !peers.is_empty() && device == Device::Cpu {
            thread::sleep(REST);
        }
    }
    let mut line = Line {
        work,
        ours: Times::new(part3.times),
        counts: (device != Device::Cpu).then_some(part3.counts),
        fused: fused.map(|it| (Times::new(it.times), it.counts)),
        others: vec![],
        refused: BTreeMap::new(),
    };
    if let Some(part1) = part1 {
        line.add(PART_1, "eager", part1.times);
    }
    for (peer, RowTimes { times, refused }) in peers.iter().zip(theirs) {
        for (way, times) in times {
            line.add(&peer.name, &way, times);
        }
        for (way, why) in refused {
            let name = format!("{} {way}", peer.name).trim().to_string();
            line.refused.insert(name, why);
        }
    }
    Ok(line)
}
