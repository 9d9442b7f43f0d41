//! Exports a timeline as a trace in JSON, one object per event, for
//! <https://ui.perfetto.dev> and Chrome's trace viewer.
//!
//! The host is a process with one track per thread, and each device is a
//! process. An arrow connects a call with the work that it started.

use std::fmt::Write;

use super::{Slice, Timeline};

/// The process id of the host; the devices' ids follow. Viewers may treat id 0
/// as the idle process.
const HOST: usize = 1;

impl Timeline {
    /// Returns the trace as JSON: one `X` event on the host for each call, and
    /// one on the device for each launch and copy.
    pub fn perfetto(&self) -> String {
        let mut events = vec![name("process_name", HOST, 0, "host")];
        let threads = self.slices.iter().map(|slice| slice.thread).max();
        for thread in 0..threads.map_or(0, |last| last + 1) {
            let title = format!("calls of thread {thread}");
            events.push(name("thread_name", HOST, thread, &title));
        }
        for (index, device) in &self.devices {
            let title = format!("gpu:{index} {device}");
            events.push(name("process_name", process(*index), 0, &title));
            events.push(name("thread_name", process(*index), 0, "queue"));
        }
        for (id, slice) in self.slices.iter().enumerate() {
            events.extend(host(id, slice));
            events.extend(device(id, slice));
        }
        format!(
            "{{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n{}\n]}}\n",
            events.join(",\n")
        )
    }
}

fn process(device: usize) -> usize {
    HOST + 1 + device
}

/// Returns the event that names a process or a thread.
fn name(what: &str, process: usize, thread: usize, title: &str) -> String {
    format!(
        "{{\"ph\": \"M\", \"name\": \"{what}\", \"pid\": {process}, \
         \"tid\": {thread}, \"args\": {{\"name\": {}}}}}",
        quoted(title)
    )
}

/// Returns the event of a call, and the start of its arrow.
fn host(id: usize, slice: &Slice) -> Vec<String> {
    let [from, to] = slice.call;
    let words = format!(
        "\"amount\": {}, \"bytes\": {}",
        quoted(&slice.amount),
        slice.bytes
    );
    let place = format!("\"pid\": {HOST}, \"tid\": {}", slice.thread);
    let mut events = vec![complete(&slice.name, &place, [from, to], &words)];
    if slice.times.is_some() {
        events.push(arrow("s", id, &place, from));
    }
    events
}

/// Returns the event of the work on the device, and the end of its arrow.
fn device(id: usize, slice: &Slice) -> Vec<String> {
    let Some(times) = slice.times else { return vec![] };
    let words = format!(
        "\"amount\": {}, \"bytes\": {}, \"queued\": {}, \"submitted\": {}, \
         \"waited\": {}{}{}",
        quoted(&slice.amount),
        slice.bytes,
        micro(times.queued),
        micro(times.submitted),
        micro(times.waited()),
        word("part", slice.part.as_deref()),
        word("holds", slice.holds.as_deref())
    );
    let place = format!("\"pid\": {}, \"tid\": 0", process(slice.device));
    let span = [times.started, times.ended];
    vec![
        complete(&slice.name, &place, span, &words),
        arrow("f", id, &place, times.started),
    ]
}

/// Returns an optional argument of an event, or nothing if it is absent.
fn word(name: &str, told: Option<&str>) -> String {
    let told = told.map(quoted);
    told.map_or(String::new(), |told| format!(", \"{name}\": {told}"))
}

/// Returns a complete event, with a start and a duration.
fn complete(name: &str, place: &str, span: [u64; 2], words: &str) -> String {
    let [from, to] = span;
    format!(
        "{{\"ph\": \"X\", \"name\": {}, {place}, \"ts\": {}, \"dur\": {}, \
         \"args\": {{{words}}}}}",
        quoted(name),
        micro(from),
        micro(to.saturating_sub(from))
    )
}

/// Returns one end of an arrow: `s` for the start, `f` for the end.
fn arrow(end: &str, id: usize, place: &str, at: u64) -> String {
    format!(
        "{{\"ph\": \"{end}\", \"bp\": \"e\", \"id\": {id}, \"cat\": \"call\", \
         \"name\": \"call\", {place}, \"ts\": {}}}",
        micro(at)
    )
}

/// Formats nanoseconds as microseconds, the unit of the format, without
/// rounding.
fn micro(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

/// Returns a quoted JSON string, with escapes where necessary.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => {
                write!(quoted, "\\u{:04x}", c as u32).expect("a String");
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_in_json() {
        assert_eq!(quoted("a \"b\" \\ \n µ"), r#""a \"b\" \\ \u000a µ""#);
    }

    #[test]
    fn an_empty_trace_has_no_host_thread() {
        let trace = Timeline::default().perfetto();
        assert!(trace.contains("process_name"), "{trace}");
        assert!(!trace.contains("thread_name"), "{trace}");
    }

    #[test]
    fn threads_and_devices_are_named_and_ordered() {
        let slice = |thread| super::super::Slice {
            kind: super::super::SliceKind::Finish,
            name: "finish".into(),
            amount: String::new(),
            bytes: 0,
            device: 0,
            thread,
            part: None,
            holds: None,
            call: [1000, 3500],
            times: None,
        };
        let devices = vec![(0, "one".to_string()), (1, "two".to_string())];
        let slices = vec![slice(0), slice(2)];
        let trace = Timeline { devices, slices }.perfetto();
        let lasts = "\"ts\": 1.000, \"dur\": 2.500";
        assert_eq!(trace.matches(lasts).count(), 2, "{trace}");
        let named = |what: &str, process: usize, thread: usize, title: &str| {
            let line = name(what, process, thread, title);
            assert_eq!(trace.matches(&line).count(), 1, "{line} in {trace}");
        };
        named("process_name", HOST, 0, "host");
        for thread in 0..3 {
            let title = format!("calls of thread {thread}");
            named("thread_name", HOST, thread, &title);
        }
        assert!(!trace.contains("calls of thread 3"), "{trace}");
        for (place, title) in [(1, "gpu:0 one"), (2, "gpu:1 two")] {
            named("process_name", HOST + place, 0, title);
            named("thread_name", HOST + place, 0, "queue");
        }
    }

    #[test]
    fn slices_include_their_part_and_fused_operations() {
        let mut slice = super::super::Slice {
            kind: super::super::SliceKind::Launch,
            name: "ew_add".into(),
            amount: String::new(),
            bytes: 0,
            device: 0,
            thread: 0,
            part: Some("blocks.\"0\"".into()),
            holds: Some("add, relu [2]".into()),
            call: [0, 1],
            times: Some(super::super::Times {
                queued: 0,
                submitted: 0,
                started: 0,
                ended: 0,
            }),
        };
        let escaped = "\"part\": \"blocks.\\\"0\\\"\"";
        let written = device(0, &slice).concat();
        assert!(written.contains(escaped), "{written}");
        assert!(written.contains("\"holds\": \"add, relu [2]\""), "{written}");
        (slice.part, slice.holds) = (None, None);
        let written = device(0, &slice).concat();
        assert!(!written.contains("part") && !written.contains("holds"));
    }

    #[test]
    fn microseconds_keep_nanosecond_precision() {
        assert_eq!(micro(12_003_004), "12003.004");
        assert_eq!(micro(7), "0.007");
    }
}
