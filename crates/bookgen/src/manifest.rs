//! The list of the generated files of the book: the tables of `manifest.toml`,
//! and the figures. In addition, each `book/math/x.tex` becomes
//! `book/listings/x.mml`.

use std::sync::LazyLock;

use toml_span::Value;

use crate::figures::FIGURES;
use crate::generated::methods::Methods;

/// The manifest of the book.
pub(crate) static MANIFEST: LazyLock<Manifest> =
    LazyLock::new(|| Manifest::read(include_str!("../manifest.toml"), FIGURES));

pub(crate) struct Manifest {
    pub(crate) outputs: Vec<Output>,
    pub(crate) measured: Vec<Measured>,
    pub(crate) excerpts: Vec<Excerpt>,
    pub(crate) growths: Vec<Growth>,
    /// The wrong answers to the levels of `my_device` that pages show.
    pub(crate) first_tries: Vec<String>,
    pub(crate) methods: Vec<Methods>,
    /// The pages of the sources that no page quotes.
    rest: Vec<Row>,
    /// The names of the figures that one of the outputs draws.
    pub(crate) pictures: Vec<String>,
    /// The files that are compared with a tolerance, below `book/`.
    pub(crate) trained: Vec<String>,
    pub(crate) figures: &'static [Figure],
}

/// The output of a command, preceded by the command itself.
pub(crate) struct Output {
    pub(crate) out: String,
    /// The command that the reader types, with variables or a tool before it.
    pub(crate) command: String,
    pub(crate) needs: Needs,
}

/// The output of a command with times, from one run on one machine.
pub(crate) struct Measured {
    pub(crate) out: String,
    pub(crate) command: String,
    /// A quick command that prints the same words on any machine.
    pub(crate) rehearsal: String,
    /// The machine's name in `machines.md`.
    pub(crate) machine: String,
}

/// One region of a source (`src/part1_cpu/ops.rs:mul`), or the difference
/// between two.
pub(crate) struct Excerpt {
    pub(crate) out: String,
    pub(crate) regions: Vec<String>,
}

/// The lines that the operators of "Add an operator" add to a file.
pub(crate) struct Growth {
    pub(crate) out: String,
    pub(crate) file: String,
}

/// The name of a figure, and the function that draws it.
pub(crate) type Figure = (&'static str, fn() -> String);

/// The requirements for running a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Only this repository.
    Nothing,
    /// An OpenCL device.
    Device,
    /// A driver in which a user event can start a command. PoCL's `basic`
    /// device deadlocks, because it holds the event's lock while it runs the
    /// command.
    Gates,
    /// PoCL, because drivers disagree about the behavior of a kernel with a
    /// bug.
    Pocl,
    /// Oclgrind in the version of the book. The messages depend on the
    /// version.
    Oclgrind,
    /// Oclgrind, and a compiler for the profiler's plugin.
    Counters,
}

impl Needs {
    /// All requirements, with their names in `manifest.toml`.
    pub(crate) const ALL: [(Needs, &str); 6] = [
        (Needs::Nothing, "nothing"),
        (Needs::Device, "device"),
        (Needs::Gates, "gate"),
        (Needs::Pocl, "pocl"),
        (Needs::Oclgrind, "oclgrind"),
        (Needs::Counters, "counters"),
    ];
}

impl Manifest {
    /// Parses the tables of a manifest.
    pub(crate) fn read(text: &str, figures: &'static [Figure]) -> Manifest {
        let document = toml_span::parse(text).expect("the manifest is TOML");
        let table = |at: &str| document.pointer(at).map_or(vec![], rows);
        let list = |at: &str| document.pointer(at).map_or(vec![], strings);
        let listing = |name: &str| format!("book/listings/{name}");
        let outputs = Needs::ALL.into_iter().flat_map(|(needs, name)| {
            let output = move |(name, mut command): Row| Output {
                out: listing(&format!("{name}.out")),
                command: command.remove(0),
                needs,
            };
            table(&format!("/outputs/{name}")).into_iter().map(output)
        });
        let groups = document.pointer("/measured").and_then(Value::as_array);
        let measured = groups.into_iter().flatten().flat_map(|group| {
            let [machine, listings] = ["/machine", "/listings"]
                .map(|key| group.pointer(key).expect("a machine's listings"));
            rows(listings).into_iter().map(move |(name, commands)| Measured {
                out: listing(&format!("{name}.out")),
                command: commands[0].clone(),
                rehearsal: commands.last().expect("a command").clone(),
                machine: strings(machine).remove(0),
            })
        });
        let excerpt =
            |(name, regions): Row| Excerpt { out: listing(&name), regions };
        let growth = |(name, mut files): Row| Growth {
            out: listing(&format!("{name}.diff")),
            file: files.remove(0),
        };
        let methods = |(name, mut place): Row| Methods {
            out: listing(&format!("methods_{name}.md")),
            opening: place.remove(1),
            folder: place.remove(0),
        };
        Manifest {
            outputs: outputs.collect(),
            measured: measured.collect(),
            excerpts: table("/excerpts").into_iter().map(excerpt).collect(),
            growths: table("/growths").into_iter().map(growth).collect(),
            methods: table("/methods").into_iter().map(methods).collect(),
            first_tries: list("/first_tries/my_device"),
            rest: table("/rest"),
            pictures: list("/pictures"),
            trained: list("/trained"),
            figures,
        }
    }
}

impl Manifest {
    /// Returns the page that `[rest]` names for a source.
    pub(crate) fn page_of(&self, source: &str) -> Option<String> {
        let is_listed = |(_, files): &&Row| files.iter().any(|it| it == source);
        self.rest.iter().find(is_listed).map(|(page, _)| page.clone())
    }

    /// Returns the names of the regions of a source that excerpts show.
    pub(crate) fn regions(&self, source: &str) -> Vec<String> {
        let regions = self.excerpts.iter().flat_map(|it| &it.regions);
        let places = regions.filter_map(|place| place.split_once(':'));
        let names = places.filter(|(file, _)| *file == source);
        names.map(|(_, name)| name.to_string()).collect()
    }
}

/// A key and its strings.
type Row = (String, Vec<String>);

fn rows(table: &Value<'_>) -> Vec<Row> {
    let rows = table.as_table().into_iter().flatten();
    rows.map(|(key, value)| (key.name.to_string(), strings(value))).collect()
}

/// Returns a single string, or the strings of an array.
fn strings(value: &Value<'_>) -> Vec<String> {
    match value.as_array() {
        Some(values) => values.iter().flat_map(strings).collect(),
        None => vec![value.as_str().expect("a string").to_string()],
    }
}
