//! A kernel file with the tests that reach it.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use crate::Result;
use crate::program::Program;

/// The programs that test a part as a whole, by the start of the path of its
/// kernels.
const ENGINES: [(&str, &[&str]); 2] = [
    ("kernels/part2/", &["part2_gpu", "ladder", "matvec"]),
    ("", &["part3_unified"]),
];

/// The time limit of the tests of an engine, which take minutes.
const ENGINE_LIMIT: Duration = Duration::from_secs(3600);

pub(crate) struct Target {
    text: String,
    stages: Vec<Stage>,
}

/// Some tests of one program.
struct Stage {
    program: Program,
    tests: BTreeSet<String>,
    limit: Duration,
}

impl Target {
    /// Finds the tests of a kernel file: all tests of its family in the program
    /// `opencl`, and then the tests of the engine, except slow ones, which are
    /// ignored by default.
    pub(crate) fn new(file: &str, text: &str) -> Result<Target> {
        let family = family(file)?;
        let mut program = Program::new("opencl", text)?;
        let mut tests = program.tests(false)?;
        tests.retain(|test| test.starts_with(&family));
        program.plant(text)?;
        let start = Instant::now();
        if let Some(test) = program.run(&tests, ENGINE_LIMIT)? {
            return Err(format!("{test} fails without a mutant.").into());
        }
        let limit = 5 * start.elapsed() + Duration::from_secs(5);
        let stages = vec![Stage { program, tests, limit }];
        let mut target = Target { text: text.to_string(), stages };
        if target.try_text(&format!("#error {text}"))?.is_none() {
            return Err(format!("No test `{family}..` reaches {file}.").into());
        }
        let engine = ENGINES.iter().find(|it| file.starts_with(it.0));
        for name in engine.expect("each path begins with nothing").1 {
            let program = Program::new(name, text)?;
            let tests = &program.tests(false)? - &program.tests(true)?;
            target.stages.push(Stage { program, tests, limit: ENGINE_LIMIT });
        }
        Ok(target)
    }

    /// Runs the tests with this text instead of the kernel file, and returns what
    /// noticed the change.
    pub(crate) fn try_text(&mut self, text: &str) -> Result<Option<String>> {
        for Stage { program, tests, limit } in &mut self.stages {
            program.plant(text)?;
            let mut tests = tests.clone();
            while let Some(test) = program.run(&tests, *limit)? {
                if !tests.remove(&test) {
                    return Ok(Some(format!("caught by a {test}")));
                }
                // A test may fail for a different reason, such as a busy
                // machine: it has to fail again, and to pass without the mutant.
                let alone = BTreeSet::from([test.clone()]);
                let again = program.run(&alone, *limit)?;
                program.plant(&self.text)?;
                let without = program.run(&alone, *limit)?;
                if again.is_some() && without.is_none() {
                    return Ok(Some(format!("caught by {test}")));
                }
                program.plant(text)?;
            }
        }
        Ok(None)
    }
}

/// Returns the start of the names of a file's tests: the first family in the
/// table that names the file, or all families for a file that others include.
fn family(file: &str) -> Result<String> {
    let table = fs::read_to_string("tests/opencl/families.rs")?;
    let file = file.trim_start_matches("kernels/");
    // `    ladder: &[], 24, ["part2/matmul"];`
    let row = table.split(';').find(|row| {
        let mut patterns = row.split('"').skip(1).step_by(2);
        patterns.any(|it| {
            let start = it.split(' ').next().unwrap_or_default();
            !start.is_empty() && file.starts_with(start)
        })
    });
    let line = row.and_then(|row| row.lines().find(|it| it.contains(": ")));
    let name = line.and_then(|line| line.trim().split(':').next());
    Ok(name.map_or("families::".into(), |name| format!("families::{name}::")))
}
