//! The benchmark as its reader uses it: errors, names, and saved files.

// This test program uses only part of the shared module.
#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use roxmltree::Document;
use serde_json::Value;

/// The output of one run, and a folder for its files.
struct RunOutput {
    code: Option<i32>,
    text: String,
    folder: PathBuf,
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a short benchmark without Python.
fn bench(name: &str, words: &[&str]) -> RunOutput {
    let folder = folder(name);
    let ended = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["--seconds", "0.001", "--out"])
        .arg(folder.join("kept"))
        .args(words)
        .env("RUNGRAD_PYTHON", folder.join("no-python"))
        .env_remove("RUNGRAD_DEVICE")
        .output()
        .expect("the bench starts");
    let text = [ended.stdout, ended.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    RunOutput { code: ended.status.code(), text, folder }
}

impl RunOutput {
    #[track_caller]
    fn exits_with(&self, code: i32, parts: &[&str]) -> &RunOutput {
        assert_eq!(self.code, Some(code), "{}", self.text);
        for part in parts {
            assert!(self.text.contains(part), "no {part:?} in {}", self.text);
        }
        self
    }

    fn saved(&self, what: &str) -> String {
        fs::read_to_string(self.folder.join(format!("kept.{what}"))).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.saved("json")).unwrap()
    }
}

/// Returns a peer that is a script, with its greeting and its answer to each
/// row.
fn peer(name: &str, greeting: &str, answer: &str) -> String {
    let file = folder(name).join("peer.sh");
    let script = format!(
        "echo '{greeting}'\nwhile read -r order; do echo \"$order\" >> \
         '{}.orders'\necho '{answer}'\ndone\n",
        file.display()
    );
    fs::write(&file, script).unwrap();
    format!("sh '{}'", file.display())
}

const SNAIL: &str = r#"{"peer": "snail", "version": "7", "on": "paper"}"#;

#[test]
fn an_unknown_row_is_rejected_with_the_known_kinds() {
    let said = bench("bad_row", &["sofmax"]);
    said.exits_with(2, &["no row of cpu has `sofmax`", "softmax", "--list"]);
    bench("bad_option", &["--quik"]).exits_with(2, &["`--quik` is no option"]);
    for words in [["--seconds", "soon"], ["--noise", "0.5"], ["--limit", "0"]] {
        bench("bad_number", &words)
            .exits_with(2, &["is no number for", words[0]]);
    }
}

#[test]
fn an_unknown_device_is_rejected_in_a_sentence() {
    let said = bench("bad_device", &["copy", "--device", "tpu"]);
    said.exits_with(
        2,
        &["error: `tpu` is not the name of a device", "write cpu"],
    );
    if testkit::device::gpu_or_skip().is_some() {
        let said = bench("far_device", &["copy", "--device", "gpu:99"]);

        said.exits_with(1, &["error: There is no device gpu:99"]);
    }
}

#[test]
fn a_complete_name_selects_only_that_row() {
    let listed = |word| {
        let said = bench("names", &["--list", word]);
        said.exits_with(0, &[]);
        said.text.lines().count()
    };
    assert_eq!(listed("multiply 1"), 1);
    assert!(listed("multiply") > 3);
    let all = bench("all", &["--list"]);
    all.exits_with(0, &["cnn 32x1x28x28", "  quick ", "a training step"]);
}

/// Promise: `cargo learn bench` names a missing peer and continues.
#[test]
fn a_missing_peer_is_named_and_the_run_continues() {
    let said = bench("no_peer", &["multiply 1"]);
    said.exits_with(
        0,
        &["numpy is not here", "torch is not here", "multiply 1 "],
    );
    assert!(!said.text.contains("clblast is"), "it needs an OpenCL device");
    let said = bench("no_torch", &["multiply 1", "--peer", "torch"]);
    said.exits_with(1, &["the peer torch is not here", "RUNGRAD_PYTHON"]);
    let said = bench("no_clblast", &["multiply 1", "--peer", "clblast"]);
    said.exits_with(1, &["the peer clblast is not here", "libclblast1"]);
    let said = bench("no_such_peer", &["--peer", "tensorflow"]);
    said.exits_with(2, &["`tensorflow` is no peer", "./tensorflow"]);
    let said = bench("none", &["multiply 1", "--peer", "none"]);
    assert!(
        !said.exits_with(0, &[]).text.contains("not here"),
        "{}",
        said.text
    );
}

#[test]
fn a_peer_reports_its_times_and_failed_modes() {
    let answer = r#"{"eager": [2.0, 2.0], "graph": "no ink"}"#;
    let snail = peer("snail", SNAIL, answer);
    let said = bench("snail", &["multiply 1", "--peer", &snail]);
    let parts = ["snail 7 on paper", "2.0 s", "0.000 x", "snail graph: no ink"];
    said.exits_with(0, &parts);
    let orders = fs::read_to_string(said.folder.join("peer.sh.orders"));
    let orders = orders.unwrap();
    let order: Value =
        serde_json::from_str(orders.lines().next().expect("it was asked"))
            .unwrap();
    assert_eq!(order["row"], "multiply 1");
    assert_eq!(order["work"], "multiply");
    assert_eq!(order["sizes"], serde_json::json!([1]));
    let row = &said.json()["rows"][0];
    assert_eq!(row["others"]["snail"]["eager"]["median"], 2.0);
    assert_eq!(row["others"]["snail"]["eager"]["looks"], 6);
    assert_eq!(row["refused"]["snail graph"], "no ink");
}

/// Promise: `cargo learn bench` names a peer that fails below its row.
#[test]
fn a_failing_peer_is_named_below_its_row() {
    for (name, greeting, answer, says) in [
        ("refusing", SNAIL, r#"{"refused": "too far"}"#, "snail: too far"),
        ("babbling", SNAIL, "I am slow", "its answer is no JSON"),
        ("odd", SNAIL, r#"{"eager": [0.0]}"#, "are no times"),
    ] {
        let peer = peer(name, greeting, answer);
        let said = bench(name, &["multiply 1", "--peer", &peer]);
        said.exits_with(0, &[says, "multiply 1 "]);
    }
    let dead = folder("dead").join("peer.sh");
    fs::write(&dead, format!("echo '{SNAIL}'\nexit 3\n")).unwrap();
    let dead = format!("sh '{}'", dead.display());
    let said = bench("dead", &["multiply 1", "--peer", &dead]);
    said.exits_with(0, &["snail: it has ended"]);
    let said = bench("silent", &["multiply 1", "--peer", "sh -c true"]);
    said.exits_with(
        1,
        &["`sh -c true` is not here", "it has ended", "by hand"],
    );
    let mute = peer("mute", r#"{"missing": "no shell on it"}"#, "");
    let said = bench("mute", &["multiply 1", "--peer", &mute]);
    said.exits_with(1, &["is not here: no shell on it"]);
}

#[test]
fn work_beyond_the_limit_runs_once() {
    let said =
        bench("slow", &["matmul 64", "--limit", "1e-9", "--peer", "none"]);
    said.exits_with(0, &["matmul 64 "]);
    assert_eq!(said.json()["rows"][0]["seconds"]["looks"], 1);
}

/// Checks the type of each value that a later run or a page may read.
///
/// Promise: The file that `cargo learn bench` writes has a fixed schema.
#[test]
fn the_saved_file_has_a_fixed_schema() {
    let snail = peer("schema", SNAIL, r#"{"eager": [1.0]}"#);
    let words = ["multiply 1", "copy", "matmul 64", "--peer", &snail];
    let said = bench("schema", &words);
    let json = said.exits_with(0, &["kept in "]).json();
    assert_eq!(json["format"], 1);
    let machine = &json["machine"];
    for key in ["device", "model", "driver", "processor", "date", "command"] {
        assert!(machine[key].is_string(), "{key} in {machine}");
    }
    assert!(machine["threads"].as_u64().unwrap() >= 1);
    assert!(machine["load"].is_null() || machine["load"].is_f64());
    for engine in machine["engines"].as_array().unwrap() {
        for key in ["name", "version", "on"] {
            assert!(engine[key].is_string(), "{key} in {engine}");
        }
    }
    for key in ["bytes_per_second", "operations_per_second"] {
        assert!(json["limits"][key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert!(json["skipped"].is_object());
    let rows = json["rows"].as_array().unwrap();
    let names: Vec<&str> =
        rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["copy 2^24", "multiply 1", "matmul 64"]);
    for row in rows {
        assert!(row["sizes"].as_array().unwrap().iter().all(Value::is_u64));
        assert!(row["bytes"].as_f64().unwrap() > 0.0);
        assert!(row["operations"].as_f64().unwrap() > 0.0);
        assert!(row["counts"].is_null(), "the processor launches nothing");
        let mut times = vec![&row["seconds"]];
        for ways in row["others"].as_object().unwrap().values() {
            times.extend(ways.as_object().unwrap().values());
        }
        assert!(times.len() > 1, "{row}");
        for times in times {
            let [low, high] = [0, 1].map(|i| times["quartiles"][i].as_f64());
            let median = times["median"].as_f64().unwrap();
            assert!(low.unwrap() <= median && median <= high.unwrap());
            assert!(times["looks"].as_u64().unwrap() >= 1);
        }
    }
}

#[test]
fn a_device_reports_the_costs_of_a_run() {
    let Some(gpu) = testkit::device::gpu_or_skip() else { return };
    let device = format!("gpu:{}", gpu.info().index);
    let words = ["multiply 1", "notebook 2", "--peer", "none", "--device"];
    let said = bench("costs", &[&words[..], &[&device]].concat());
    let json = said.exits_with(0, &[&gpu.info().name]).json();
    let launches = |row: usize| &json["rows"][row]["counts"]["launches"];
    assert_eq!(*launches(0), 1);
    assert!(launches(1).as_u64().unwrap() > 4, "{}", json["rows"][1]);
    assert_eq!(json["rows"][1]["counts"]["builds"], 0);
    assert!(json["machine"]["driver"].as_str().unwrap().contains("OpenCL"));
}

#[test]
fn the_picture_is_a_valid_svg() {
    let snail =
        peer("picture", r#"{"peer": "a<b&c"}"#, r#"{"eager":[1],"graph":[2]}"#);
    let said = bench("picture", &["copy", "matmul 64", "--peer", &snail]);
    let svg = said.exits_with(0, &[]).saved("svg");
    let document = Document::parse(&svg).expect("it is XML");
    let root = document.root_element();
    let title = root.first_element_child().unwrap();
    assert_eq!(root.attribute("aria-labelledby"), title.attribute("id"));
    let count = |name: &str| {
        root.descendants().filter(|it| it.has_tag_name(name)).count()
    };
    assert_eq!((count("rect"), count("circle")), (2, 4), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let words: Vec<&str> =
        root.descendants().filter_map(|n| n.text()).collect();
    assert!(words.iter().any(|it| it.ends_with("x a<b&c")), "{words:?}");
    assert!(words.iter().any(|it| it.contains("the roof: ")), "{words:?}");
    // All words and marks are inside the picture.
    let size = root.attribute("viewBox").unwrap().split(' ').skip(2);
    let size: Vec<f64> = size.map(|it| it.parse().unwrap()).collect();
    for node in root.descendants() {
        for (names, most) in [(["x", "cx"], size[0]), (["y", "cy"], size[1])] {
            for at in names.iter().filter_map(|name| node.attribute(*name)) {
                let at: f64 = at.parse().unwrap();
                assert!((0.0..=most).contains(&at), "{node:?}");
            }
        }
    }
    let said = bench("alone", &["multiply 1", "--peer", "none"]);
    let svg = said.saved("svg");
    assert!(Document::parse(&svg).is_ok() && svg.contains("No roofline"));
}

/// Promise: `cargo learn bench --baseline` names each row that became slower
/// and exits with code 1.
#[test]
fn a_slower_row_is_named_with_code_1() {
    let first = bench("before", &["multiply 1", "--peer", "none"]);
    first.exits_with(0, &[]);
    let file = first.folder.join("kept.json");
    let beside = |change: &dyn Fn(&mut Value)| {
        let mut json = first.json();
        change(&mut json);
        let file = first.folder.join("changed.json");
        fs::write(&file, json.to_string()).unwrap();
        let file = file.display().to_string();
        let words = ["multiply 1", "--peer", "none", "--baseline", &file];
        bench("after", &[&words[..], &["--noise", "100"]].concat())
    };
    let file = file.display().to_string();
    let words = ["matmul 64", "--peer", "none", "--baseline", &file];
    bench("other_row", &words).exits_with(0, &["0 of 1 rows stand in both"]);
    beside(&|_| ()).exits_with(0, &["1 of 1 rows stand in both; 0 took more"]);
    let faster = |json: &mut Value| {
        json["rows"][0]["seconds"]["median"] = 1e-12.into();
    };
    beside(&faster)
        .exits_with(1, &["1 took more than 100", "slower  multiply 1: "]);
    let slow = |json: &mut Value| {
        json["rows"][0]["seconds"]["median"] = 1.0.into();
    };
    beside(&slow).exits_with(0, &["faster  multiply 1: 1.0 s before"]);
    let moved = |json: &mut Value| json["machine"]["model"] = "Z3".into();
    beside(&moved)
        .exits_with(2, &["was measured on Z3", "compare runs on one"]);
}

/// Promise: A damaged baseline file is rejected in one sentence.
#[test]
fn a_damaged_baseline_is_rejected_in_a_sentence() {
    let folder = folder("damaged");
    let file = folder.join("baseline.json");
    let name = file.display().to_string();
    let words = ["multiply 1", "--peer", "none", "--baseline", &name];
    let _ = fs::remove_file(&file);
    bench("damaged", &words).exits_with(1, &["cannot read"]);
    let machine = r#""machine": {"model": "a", "date": "b", "threads": 1}"#;
    for (text, why) in [
        ("", "it is no JSON"),
        ("{\"format\": 1", "it is no JSON"),
        ("[]", "it has no \"format\""),
        ("{\"format\": 7}", "its format is 7, not 1"),
        ("{\"format\": 1}", "it has no \"rows\""),
        ("{\"format\": 1, \"rows\": []}", "its machine has no \"model\""),
        (
            &format!("{{\"format\": 1, {machine}, \"rows\": [3]}}"),
            "a row has no name or time",
        ),
        (
            &format!(
                "{{\"format\": 1, {machine}, \"rows\": [{{\"name\": \"x\", \
                 \"others\": {{}}, \"seconds\": {{\"median\": -1}}}}]}}"
            ),
            "a row has no name or time",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let said = bench("damaged", &words);
        said.exits_with(1, &["is no table of `cargo learn bench`", why]);
        let complaint = said.text.lines().filter(|it| it.contains("error"));
        assert_eq!(complaint.count(), 1, "{}", said.text);
    }
}

/// Uses only the smallest matmul. The fastest tiles depend on the machine.
///
/// Promise: Tiles that `cargo learn bench --tune` measured are stored per
/// device and driver and used there.
#[test]
fn tuned_tiles_are_saved_per_device_and_used() {
    let said = bench("tune", &["--tune"]);
    said.exits_with(2, &["cpu has one way to multiply", "--device gpu"]);
    let Some(gpu) = testkit::device::gpu_or_skip() else { return };
    let device = format!("gpu:{}", gpu.info().index);
    let kept = folder("tune").join("tuned");
    let other = "a card\t1.0\t32x32x32\t64x64\t3.500\n";
    fs::write(&kept, other).unwrap();
    let tune = |product| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command.args(["--tune", product, "--seconds", "0.001", "--device"]);
        command.arg(&device).arg("--tuned").arg(&kept);
        let ended = command.output().unwrap();
        let text = [ended.stdout, ended.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        RunOutput { code: ended.status.code(), text, folder: folder("tune") }
    };
    tune("7x7x7").exits_with(2, &["no product of --tune", "32x128x512"]);
    let said = tune("32x32x32");
    said.exits_with(0, &[&gpu.info().name, "128x128", "kept in "]);
    let text = fs::read_to_string(&kept).unwrap();
    assert!(text.contains(other), "{text}");
    let own = text.lines().filter(|it| it.starts_with(&gpu.info().name));
    let own: Vec<&str> = own.flat_map(|it| it.split('\t')).collect();
    assert_eq!(own[1..3], [&gpu.info().driver, "32x32x32"], "{text}");
    // The last word of the table's row is what was saved.
    let row = said.text.lines().find(|it| it.starts_with("32x32x32"));
    assert!(row.unwrap().ends_with(own[3]), "{}", said.text);
}
