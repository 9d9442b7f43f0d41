//! Looks inside one step of a convolutional network or of a small GPT: what
//! each part computes, what it saves, and how large its values are.

#[allow(dead_code)]
#[path = "../part3_filters/training.rs"]
mod filters;
#[allow(dead_code)]
#[path = "../part3_names/training.rs"]
mod gpt;

use std::path::PathBuf;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::data::{SPLIT_SEED, TokenBatch, digits, names};
use rungrad::draw::{histograms, save, table};
use rungrad::io::State;
use rungrad::memory::memory;
use rungrad::nn::{Gpt, GptSizes, Module, Parameter, Parameters, Sequential};
use rungrad::opencl::record;
use rungrad::optim::{AdamW, Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor, trace};
use rungrad::rng::Random;
use rungrad::scope::{scope, watch};
use rungrad::tape::{Record, Tape};

const HELP: &str = "\
usage: cargo run --example part3_inside -- [filters or names] [options]

  filters     a step of the network of filters, on 32 digits (the default)
  names       a step of a small GPT, on 32 names
  --depth N   the number of name components that distinguish parts (1; for
              names 2)
  --times     also print how long each part took
  --svg FILE  write histograms of each part's outputs and their gradients
  --device D  cpu, gpu (the first OpenCL device) or gpu:1 (the second);
              default: RUNGRAD_DEVICE, or cpu";

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let request = Request::of(&rungrad::args())?;
        match request.names {
            false => look(Filters::new(request.device)?, &request),
            true => look(Name::new(request.device)?, &request),
        }
    })
}

/// A model with its optimizer and data.
trait Learner {
    /// Computes the loss of a batch.
    fn loss(&self) -> Result<Tensor, Error>;

    /// Updates the parameters from their gradients.
    fn step(&mut self);

    fn model(&self) -> &dyn Module;

    fn optimizer(&self) -> &dyn State;
}

// ANCHOR: look
/// Takes three steps: one to initialize the optimizer's state, one that is
/// recorded, and one whose values are saved.
fn look(mut learner: impl Learner, request: &Request) -> Result<(), Error> {
    learner.loss()?.backward();
    learner.step();
    let depth = request.depth;
    let watched = || {
        watch(|| {
            let loss = learner.loss()?;
            loss.backward();
            let (model, adam) = (learner.model(), learner.optimizer());
            let memory = memory(model, adam, &loss, depth);
            let tape = loss.tape().folded(depth);
            let _scope = scope("step");
            learner.step();
            Ok::<_, Error>((memory, tape))
        })
    };
    let ((told, parts), timeline) = record(watched)?;
    let (memory, tape) = told?;
    println!("one step on {}\n", request.device);
    println!("{}", parts.joined(depth).text());
    println!("bytes in use before the step\n\n{}", memory.text());
    println!("the tape, folded\n\n{}", lines(&tape));
    if request.times {
        println!("times\n\n{}", parts.joined(depth).times(&timeline));
    }
    let Some(path) = &request.svg else { return Ok(()) };
    let recorded = || Ok::<Tape, Error>(learner.loss()?.backward_recorded());
    let (tape, _) = trace(|| watch(recorded));
    let parameters = learner.model().parameters();
    let svg = drawn(&tape?.folded(depth), &parameters);
    save(path, svg.as_bytes())?;
    println!("the histograms are in {}", path.display());
    Ok(())
}
// ANCHOR_END: look

/// Formats a line for each record of a collapsed tape: its name, its inputs,
/// and its shape.
fn lines(tape: &Tape) -> String {
    let name = |record: &Record| {
        let op = || record.op.to_string();
        record.name.clone().unwrap_or_else(op)
    };
    let row = |record: &Record| {
        let parents = record.parents.iter();
        let given = parents.filter_map(|id| tape.position(*id));
        let given: Vec<String> =
            given.map(|at| name(&tape.records[at])).collect();
        [name(record), given.join(", "), format!("{:?}", record.shape)]
    };
    let head = ["part", "of", "shape"].map(str::to_string);
    let rows = tape.records.iter().map(row);
    table(&[head].into_iter().chain(rows).collect::<Vec<_>>())
}

/// Draws the outputs of each module with parameters, and their gradients.
fn drawn(tape: &Tape, parameters: &[Parameter]) -> String {
    let learns = |part: &str| {
        let mut names = parameters.iter().map(|(name, _)| name);
        names.any(|name| name.starts_with(&format!("{part}.")))
    };
    let mut rows = Vec::new();
    for record in &tape.records {
        let Some(name) = record.name.as_deref() else { continue };
        if learns(name) {
            rows.push((format!("{name} output"), record.values.as_deref()));
            rows.push((format!("{name} grad"), record.grad.as_deref()));
        }
    }
    let title = "Histograms of the outputs of each part, and of their \
                 gradients.";
    let rows = rows.iter();
    let known = rows.filter_map(|(name, numbers)| Some((&**name, (*numbers)?)));
    histograms("inside", title, known)
}

struct Filters {
    network: Sequential,
    sgd: Sgd,
    inputs: Tensor,
    labels: Vec<usize>,
}

impl Filters {
    fn new(device: Device) -> Result<Filters, Error> {
        let mut network = filters::network(&mut Random::new(0));
        network.to(device)?;
        let rows: Vec<usize> = (0..32).collect();
        let rows = digits().split(SPLIT_SEED).0.select(&rows);
        let inputs = Tensor::new(&rows.shape(), &rows.inputs, device)?;
        for (at, module) in network.modules.iter().enumerate() {
            println!("{at} {}", module.name());
        }
        let (sgd, labels) = (Sgd::new(0.1, 0.9), rows.labels);
        Ok(Filters { network, sgd, inputs, labels })
    }
}

impl Learner for Filters {
    fn loss(&self) -> Result<Tensor, Error> {
        let scores = self.network.forward(&self.inputs);
        let _scope = scope("loss");
        Ok(scores.cross_entropy(&self.labels))
    }

    fn step(&mut self) {
        self.sgd.step(self.network.parameters_mut());
    }

    fn model(&self) -> &dyn Module {
        &self.network
    }

    fn optimizer(&self) -> &dyn State {
        &self.sgd
    }
}

struct Name {
    gpt: Gpt,
    adam: AdamW,
    batch: TokenBatch,
}

impl Name {
    fn new(device: Device) -> Result<Name, Error> {
        use rungrad::loader::Rows;

        let list = names();
        let sizes = GptSizes {
            vocabulary: list.vocabulary.size(),
            context: 16,
            layers: 2,
            heads: 4,
            width: 32,
            dropout: 0.0,
        };
        let mut gpt = Gpt::new(sizes, &mut Random::new(0));
        gpt.to(device)?;
        let rows: Vec<usize> = (0..32).collect();
        let batch = list.whole(16).batch(&rows);
        println!("Gpt of {} parameters", gpt.count());
        Ok(Name { gpt, adam: gpt::optimizer(0.01), batch })
    }
}

impl Learner for Name {
    fn loss(&self) -> Result<Tensor, Error> {
        Ok(gpt::loss(&self.gpt, &self.batch))
    }

    fn step(&mut self) {
        self.adam.step(self.gpt.parameters_mut());
    }

    fn model(&self) -> &dyn Module {
        &self.gpt
    }

    fn optimizer(&self) -> &dyn State {
        &self.adam
    }
}

/// The parsed command line.
struct Request {
    names: bool,
    depth: usize,
    times: bool,
    svg: Option<PathBuf>,
    device: Device,
}

impl Request {
    fn of(words: &[String]) -> Result<Request, Error> {
        let (mut names, mut times) = (false, false);
        let (mut depth, mut svg, mut device) = (None, None, None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().map(String::as_str);
            let missing = |what: &str| {
                Error::Usage(format!("{word} takes {what}; see --help"))
            };
            match word.as_str() {
                "filters" => names = false,
                "names" => names = true,
                "--times" => times = true,
                "--depth" => {
                    let number = value().and_then(|word| word.parse().ok());
                    let number = number.filter(|number| *number > 0);
                    depth = Some(number.ok_or_else(|| {
                        missing("a whole number from 1, such as 2")
                    })?);
                }
                "--svg" => {
                    let file = value().map(PathBuf::from);
                    let name = || missing("the name of a file");
                    svg = Some(file.ok_or_else(name)?);
                }
                "--device" => device = Some(value().unwrap_or("").parse()?),
                _ => {
                    return Err(Error::Usage(format!(
                        "part3_inside does not know `{word}`; `--help` lists \
                         what it knows"
                    )));
                }
            }
        }
        let depth = depth.unwrap_or(if names { 2 } else { 1 });
        let device = device.map_or_else(Device::from_env, Ok)?;
        Ok(Request { names, depth, times, svg, device })
    }
}
