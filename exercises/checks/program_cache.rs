//! Checks `program_cache`, which compiles each program once.
//!
//! Its compiler counts its calls, and a program remembers what it was built
//! from.

use std::cell::Cell;
use std::process::ExitCode;
use std::rc::Rc;

use exercises::{Outcome, Stop, check, wrong};
use yours::{Cache, Wanted};

exercises::yours!("part2_gpu/program_cache.rs");

fn main() -> ExitCode {
    check(
        "program_cache",
        YOURS,
        &[
            ("one source is built once", once),
            ("a different source is a different program", texts),
            ("a program is still cached after others", after_others),
            ("different options make a different program", options),
            ("each device gets its own", devices),
            ("two kernels of one source share a program", kernels),
            ("source and options are separate", joined),
            ("a failed build is reported and not cached", failures),
        ],
    )
}

const TEXT: &str = "kernel void ew_mul(..) {..} kernel void ew_add(..) {..}";

fn wanted() -> Wanted {
    Wanted {
        device: 0,
        file: "kernels/pairs.cl".into(),
        text: TEXT.into(),
        options: String::new(),
        kernel: "ew_mul".into(),
    }
}

/// Requests the programs in turn and returns the number of compilations.
fn builds(all: &[Wanted]) -> Result<usize, Stop> {
    let mut cache = Cache::<Rc<Wanted>>::default();
    let count = Cell::new(0);
    for wanted in all {
        let build = |wanted: &Wanted| {
            count.set(count.get() + 1);
            Ok(Rc::new(wanted.clone()))
        };
        let found = yours::program(&mut cache, wanted, build);
        let found = found.map_err(|error| {
            wrong(format!(
                "No build has failed, but your function returned this error: \
                 {error}"
            ))
        })?;
        is(&found, wanted)?;
    }
    Ok(count.get())
}

/// Checks that a program was built from the request.
fn is(found: &Wanted, wanted: &Wanted) -> Outcome {
    let what = if found.device != wanted.device {
        format!(
            "It was built for device {}, but device {} cannot run it.",
            found.device, wanted.device
        )
    } else if found.text != wanted.text {
        format!(
            "It was built from a different source, `{}`. {}",
            found.text,
            match found.file == wanted.file {
                true =>
                    "Both files have the same name, but the content of a file \
                     can change.",
                false => "",
            }
        )
    } else if found.options != wanted.options {
        format!(
            "It was built with the options `{}`, but requested with `{}`.",
            found.options, wanted.options
        )
    } else {
        return Ok(());
    };
    Err(wrong(format!(
        "The cache has returned a wrong program. {what} Everything that \
         differs must be part of the key."
    )))
}

/// Checks the number of compilations.
fn expect(all: &[Wanted], right: usize, why: &str) -> Outcome {
    let found = builds(all)?;
    match found == right {
        true => Ok(()),
        false => Err(wrong(format!(
            "The compiler ran {found} times for {} calls; {right} would be \
             enough. {why}",
            all.len()
        ))),
    }
}

fn once(_: &()) -> Outcome {
    expect(
        &[wanted(), wanted(), wanted()],
        1,
        "A compiled program must be inserted into the cache, and looked up \
         there before the next build.",
    )
}

fn texts(_: &()) -> Outcome {
    let other = Wanted { text: TEXT.replace("{..}", "{;}"), ..wanted() };
    expect(&[wanted(), other.clone(), other], 2, "There are only two sources.")
}

fn after_others(_: &()) -> Outcome {
    let named =
        |i: usize| Wanted { text: format!("{TEXT} // {i}"), ..wanted() };
    let all: Vec<Wanted> = (0..2).flat_map(|_| (0..20).map(named)).collect();
    expect(
        &all,
        20,
        "An engine uses many kernels in turn: keep the programs of all of \
         them.",
    )
}

fn options(_: &()) -> Outcome {
    let with =
        |tile: u32| Wanted { options: format!("-D TILE={tile}"), ..wanted() };
    expect(
        &[wanted(), with(8), with(16), with(8), wanted()],
        3,
        "The same source is compiled with three different options here.",
    )
}

fn devices(_: &()) -> Outcome {
    let on = |device: usize| Wanted { device, ..wanted() };
    expect(&[on(0), on(1), on(0), on(1)], 2, "There are only two devices.")
}

fn kernels(_: &()) -> Outcome {
    let add = Wanted { kernel: "ew_add".into(), ..wanted() };
    expect(
        &[wanted(), add.clone(), wanted(), add],
        1,
        "A program contains all kernels of its source, so the name of the \
         kernel does not belong in the key.",
    )
}

/// These two are unlikely in practice, but a cache key must distinguish them.
fn joined(_: &()) -> Outcome {
    let whole = Wanted { options: "-D N=12".into(), ..wanted() };
    let cut = Wanted {
        text: format!("{TEXT}-D N="),
        options: "12".into(),
        ..wanted()
    };
    match builds(&[whole, cut]) {
        Ok(2) => Ok(()),
        _ => Err(wrong(
            "One source ends in `-D N=` and has the option `12`; the other has \
             the option `-D N=12`. Joined to one string they are equal, so the \
             cache confuses them: keep source and options separate in the key.",
        )),
    }
}

/// A build that failed may succeed later, for example if memory was short.
fn failures(_: &()) -> Outcome {
    let mut cache = Cache::<Rc<Wanted>>::default();
    let count = Cell::new(0);
    let mut ask = |works: bool| {
        yours::program(&mut cache, &wanted(), |wanted: &Wanted| {
            count.set(count.get() + 1);
            match works {
                true => Ok(Rc::new(wanted.clone())),
                false => Err("out of host memory".to_string()),
            }
        })
    };
    let why = "out of host memory";
    match ask(false) {
        Err(said) if said == why => {}
        Err(said) => {
            return Err(wrong(format!(
                "The compiler failed with: {why}. Your function returned: \
                 {said}. Pass on the compiler's error."
            )));
        }
        Ok(_) => {
            return Err(wrong(
                "The build has failed, but your function returned a program. \
                 Pass on the error.",
            ));
        }
    }
    match ask(true) {
        Ok(_) if count.get() == 2 => Ok(()),
        _ => Err(wrong(
            "A build failed because memory was short, and the next one would \
             have worked. A cached failure is never retried: cache only \
             programs.",
        )),
    }
}
