//! Checks `device_mismatch`, the error for operands on different devices.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use exercises::{Outcome, Stop, check, copies, elsewhere, namesake, wrong};
use rungrad::Error;
use rungrad::part3_unified::{Device, Tensor};

exercises::yours!("part3_unified/device_mismatch.rs");

fn main() -> ExitCode {
    check(
        "device_mismatch",
        YOURS,
        &[
            ("two operands on one device are accepted", through),
            ("two devices are rejected, and nothing is copied", refused),
            ("the sentence names the operation and both devices", names),
            ("the sentence says what to do", remedy),
            ("two devices with the same name are different", namesakes),
        ],
    )
}

fn on(device: Device) -> Result<Tensor, Stop> {
    Ok(Tensor::new(&[1], &[3.0], device)?)
}

/// Calls the learner's function with operands on two devices, and returns the
/// devices that its operation received if it was called.
fn run(op: &str, a: Device, b: Device) -> Result<Seen, Stop> {
    let (a, b) = (on(a)?, on(b)?);
    let seen = Cell::new(None);
    let work = || {
        yours::on_one_device(op, &a, &b, |a, b| {
            seen.set(Some([a.device(), b.device()]));
            a.clone()
        })
    };
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    let result = result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or(payload.downcast_ref::<&str>().copied());
        match text {
            // The exercise's own TODO; the harness reports it.
            Some(text) if text.starts_with("not yet implemented") => {
                panic::resume_unwind(payload)
            }
            _ => wrong(format!(
                "It panicked: \"{}\". Return the error instead, with a \
                 sentence that says what to do: the caller decides whether the \
                 program ends.",
                text.unwrap_or_default().replace('\n', " ")
            )),
        }
    })?;
    Ok(Seen { result, by: seen.take() })
}

struct Seen {
    result: Result<Tensor, Error>,
    by: Option<[Device; 2]>,
}

impl Seen {
    /// Returns the error message.
    fn sentence(self, a: Device, b: Device) -> Result<String, Stop> {
        match (self.by, self.result) {
            (Some([x, y]), _) if x == y && a != b => Err(wrong(format!(
                "The operands were on {a} and {b}, but the operation ran on \
                 {x}: one of them was copied silently. It would be hard to \
                 find out why such a program is slow."
            ))),
            (Some(_), _) => Err(wrong(format!(
                "The operands were on {a} and {b}, but the operation ran \
                 anyway: no kernel can read the memory of both."
            ))),
            (None, Ok(_)) => Err(wrong(format!(
                "The operands were on {a} and {b}, but you returned a result \
                 that the operation has not computed."
            ))),
            (None, Err(Error::Mistake(sentence))) => Ok(sentence),
            (None, Err(other)) => Err(wrong(format!(
                "Operands on two devices are a mistake in the program, so the \
                 error must be an Error::Mistake. Yours is {other:?}."
            ))),
        }
    }
}

fn through(_: &()) -> Outcome {
    for device in [Device::Cpu, elsewhere()] {
        let seen = run("mul", device, device)?;
        if let Err(error) = seen.result {
            return Err(wrong(format!(
                "Both operands were on {device}, but your function returned \
                 this error: {error}"
            )));
        }
        if seen.by != Some([device; 2]) {
            return Err(wrong(format!(
                "Both operands were on {device}, but the operation was not run \
                 there."
            )));
        }
    }
    Ok(())
}

fn pairs() -> [[Device; 2]; 2] {
    [[Device::Cpu, elsewhere()], [elsewhere(), Device::Cpu]]
}

fn refused(_: &()) -> Outcome {
    for [a, b] in pairs() {
        let up = copies()[0] + 1;
        let seen = run("mul", a, b)?;
        seen.sentence(a, b)?;
        // One of the two operands was created there.
        if copies() != [up, copies()[1]] {
            return Err(wrong(
                "A tensor was copied although the operation is \
                              rejected.",
            ));
        }
    }
    Ok(())
}

fn names(_: &()) -> Outcome {
    for ([a, b], op) in pairs().into_iter().zip(["mul", "less"]) {
        let sentence = run(op, a, b)?.sentence(a, b)?;
        if !sentence.contains(op) {
            return Err(wrong(format!(
                "The operation is {op}, but the sentence does not name it: \
                 \"{sentence}\""
            )));
        }
        let is_missing =
            |device: &Device| !sentence.contains(&device.to_string());
        let missing: Vec<Device> =
            [a, b].into_iter().filter(is_missing).collect();
        let (which, why) = match missing[..] {
            [] => continue,
            [it, ..] if sentence.contains(&format!("{it:?}")) => {
                (it.to_string(), "Print it with {}, not with {:?}.")
            }
            [it] => (
                it.to_string(),
                "If it names only one device, the reader still has to search \
                 for the other.",
            ),
            _ => (
                "either of them".to_string(),
                "The reader would have to search for both.",
            ),
        };
        return Err(wrong(format!(
            "The operands are on {a} and {b}, but the sentence does not name \
             {which}: \"{sentence}\" {why}"
        )));
    }
    Ok(())
}

fn remedy(_: &()) -> Outcome {
    let [a, b] = pairs()[0];
    let sentence = run("mul", a, b)?.sentence(a, b)?;
    if !sentence.contains(".to(") {
        return Err(wrong(format!(
            "The sentence says what is wrong, but not what to do: \
             \"{sentence}\" A tensor is moved with .to(..), so say that."
        )));
    }
    if sentence.contains('\n') {
        return Err(wrong("An error is one sentence, on one line."));
    }
    Ok(())
}

fn namesakes(_: &()) -> Outcome {
    let [a, b] = [Device::Cpu, namesake()];
    let seen = run("mul", a, b)?;
    if seen.by.is_some() {
        return Err(wrong(format!(
            "Both devices have the name \"{}\", but they are different: a \
             machine may have two identical cards. Compare the devices, not \
             their names.",
            a.name()?
        )));
    }
    seen.sentence(a, b).map(drop)
}
