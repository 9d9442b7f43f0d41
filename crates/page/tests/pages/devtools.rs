//! Drives a real browser over two pipes with the DevTools protocol: JSON
//! messages that end with a NUL. Pipes need no port, no socket and no crate.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{env, fs, thread};

use serde_json::{Value, json};

/// The time limit for an answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The possible names of Chromium.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Returns the path of a Chromium on the search path.
pub(crate) fn chromium() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let files = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    requests: ChildStdin,
    messages: Receiver<Value>,
    /// Events that arrived while waiting for an answer.
    events: Vec<Value>,
    session: Option<String>,
    count: u64,
    profile: PathBuf,
}

impl Browser {
    /// Starts a browser with an empty profile.
    pub(crate) fn start(program: &Path) -> Browser {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("browser-{}-{count}", std::process::id());
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // The browser reads from file descriptor 3 and writes to 4. Its other
        // output is discarded.
        let script = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--hide-scrollbars"])
            .args(["--disable-background-networking", "--disable-sync"])
            .args(["--disable-component-update", "--disable-extensions"])
            .args(["--disable-dev-shm-usage", "--mute-audio"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("--remote-debugging-pipe")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let requests = child.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, messages) = channel();
        thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                let text = message.strip_suffix(&[0]).unwrap_or(&message);
                let Ok(value) = serde_json::from_slice(text) else { return };
                if send.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let (events, session, count) = (Vec::new(), None, 0);
        let mut browser = Browser {
            child,
            requests,
            messages,
            events,
            session,
            count,
            profile,
        };
        let page = json!({ "url": "about:blank" });
        let page = browser.call("Target.createTarget", page);
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", target);
        browser.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method of the protocol and waits for its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        let id = self.count;
        let mut request = json!({
            "id": id, "method": method, "params": params
        });
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        let text = format!("{request}\0");
        self.requests.write_all(text.as_bytes()).expect("a browser that runs");
        loop {
            let message = self.next();
            if message["id"] == id {
                let error = &message["error"];
                assert!(error.is_null(), "{method}: {error}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn next(&mut self) -> Value {
        let next = self.messages.recv_timeout(PATIENCE);
        next.expect("the browser answers within a minute")
    }

    /// Returns and removes the events since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    /// Loads a page and waits until it and its scripts are loaded.
    pub(crate) fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        let loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        while !self.events.iter().any(loaded) {
            let event = self.next();
            self.events.push(event);
        }
        self.events.retain(|event| !loaded(event));
    }

    /// Evaluates JavaScript in the page, and awaits a promise.
    pub(crate) fn evaluate(&mut self, script: &str) -> Value {
        let answer = self.call(
            "Runtime.evaluate",
            json!({
                "expression": script,
                "awaitPromise": true,
                "returnByValue": true,
            }),
        );
        let failed = &answer["exceptionDetails"];
        assert!(failed.is_null(), "{script}\n{failed:#}");
        answer["result"]["value"].clone()
    }

    /// Sets the width of the screen and the color scheme.
    pub(crate) fn screen(&mut self, width: u32, scheme: &str) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({
                "width": width,
                "height": 800,
                "deviceScaleFactor": 1,
                "mobile": width < 600,
            }),
        );
        let touch = json!({ "enabled": width < 600 });
        self.call("Emulation.setTouchEmulationEnabled", touch);
        let features = [
            json!({ "name": "prefers-color-scheme", "value": scheme }),
            json!({ "name": "prefers-reduced-motion", "value": "reduce" }),
        ];
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Presses and releases a key.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "ArrowRight" => 39,
            "ArrowLeft" => 37,
            "Tab" => 9,
            "Enter" => 13,
            " " => 32,
            _ => 0,
        };
        let text = match key {
            "Enter" => "\r",
            _ if key.len() == 1 => key,
            _ => "",
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({
                "type": kind, "key": key, "code": key,
                "windowsVirtualKeyCode": code,
            });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Drags with the mouse through these positions of the window.
    pub(crate) fn drag(&mut self, places: &[[f64; 2]]) {
        let mut event = |kind: &str, [x, y]: [f64; 2], buttons: u32| {
            self.call(
                "Input.dispatchMouseEvent",
                json!({
                    "type": kind, "x": x, "y": y, "button": "left",
                    "buttons": buttons, "clickCount": 1,
                }),
            );
        };
        let (first, last) = (places[0], places[places.len() - 1]);
        event("mousePressed", first, 1);
        places.iter().for_each(|place| event("mouseMoved", *place, 1));
        event("mouseReleased", last, 0);
    }

    /// Touches the window with a finger, moves it through these positions, and
    /// lifts it.
    pub(crate) fn touch(&mut self, places: &[[f64; 2]]) {
        let enabled = json!({ "enabled": true });
        self.call("Emulation.setTouchEmulationEnabled", enabled);
        let mut event = |kind: &str, points: &[[f64; 2]]| {
            let points = points.iter().map(|[x, y]| json!({ "x": x, "y": y }));
            let points = points.collect::<Vec<_>>();
            self.call(
                "Input.dispatchTouchEvent",
                json!({ "type": kind, "touchPoints": points }),
            );
        };
        event("touchStart", &places[..1]);
        places[1..].iter().for_each(|place| event("touchMove", &[*place]));
        event("touchEnd", &[]);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        let text = "{\"id\":0,\"method\":\"Browser.close\"}\0";
        let _ = self.requests.write_all(text.as_bytes());
        for _ in 0..50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.profile);
    }
}
