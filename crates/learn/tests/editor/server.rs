//! A language server that is connected by two pipes, and the part of its
//! protocol that an editor needs.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The time that a server may take to index the workspace on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
        .to_path_buf()
}

pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// Messages that arrived while waiting for a different one.
    pending: VecDeque<Value>,
    count: u64,
}

impl Server {
    /// Starts the server on this checkout with an editor's settings.
    pub(crate) fn new(program: &Path, settings: Value) -> Server {
        let mut child = Command::new(program)
            .current_dir(root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            while let Some(message) = message(&mut output) {
                let _ = sender.send(message);
            }
        });
        let pending = VecDeque::new();
        let mut server = Server { child, input, messages, pending, count: 0 };
        server.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": uri(&root()),
                "capabilities": {
                    "textDocument": {
                        "completion": {},
                        "hover": { "contentFormat": ["plaintext"] },
                        "diagnostic": {},
                    },
                    "experimental": { "serverStatusNotification": true },
                },
                "initializationOptions": settings,
            }),
        );
        server.notify("initialized", json!({}));
        server
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len())
            .and_then(|()| self.input.flush())
            .expect("the server reads on");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "method": method, "params": params }));
    }

    /// Sends a request and waits for the response. Requests of the server are
    /// answered with a default.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        let id = self.count;
        self.send(json!({ "id": id, "method": method, "params": params }));
        let is_answer =
            |it: &Value| it["id"] == json!(id) && it.get("method").is_none();
        let answer = self.receive(method, is_answer);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for a notification.
    pub(crate) fn wait_for_notification(
        &mut self,
        method: &str,
        fits: impl Fn(&Value) -> bool,
    ) -> Value {
        let is_meant =
            |it: &Value| it["method"] == json!(method) && fits(&it["params"]);
        self.receive(method, is_meant)["params"].clone()
    }

    fn receive(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.pending.iter().position(&fits) {
            return self.pending.remove(at).unwrap();
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|_| panic!("no {what}"));
            if fits(&message) {
                return message;
            }
            let is_request =
                message.get("id").is_some() && message.get("method").is_some();
            if is_request {
                self.send(json!({ "id": message["id"], "result": null }));
            } else {
                self.pending.push_back(message);
            }
        }
    }

    /// Opens a file with a text that differs from the file on disk, as an
    /// editor does while a person types.
    pub(crate) fn open(&mut self, file: &Path, language: &str, text: &str) {
        let document = json!({
            "uri": uri(file), "languageId": language, "version": 1, "text": text,
        });
        let document = json!({ "textDocument": document });
        self.notify("textDocument/didOpen", document);
    }

    pub(crate) fn close(&mut self, file: &Path) {
        let document = json!({ "textDocument": { "uri": uri(file) } });
        self.notify("textDocument/didClose", document);
    }

    /// Sends a request about the position after `before` in an open text.
    pub(crate) fn request_at(
        &mut self,
        method: &str,
        file: &Path,
        text: &str,
        before: &str,
    ) -> Value {
        let at = text.find(before).expect(before) + before.len();
        let above = &text[..at];
        let column = above.len() - above.rfind('\n').map_or(0, |it| it + 1);
        self.request(
            method,
            json!({
                "textDocument": { "uri": uri(file) },
                "position": {
                    "line": above.matches('\n').count(), "character": column,
                },
            }),
        )
    }

    /// Returns the names that the server offers after `before`.
    pub(crate) fn completions(
        &mut self,
        file: &Path,
        text: &str,
        before: &str,
    ) -> Vec<String> {
        let method = "textDocument/completion";
        let answer = self.request_at(method, file, text, before);
        let items = answer.get("items").unwrap_or(&answer).as_array().cloned();
        // The label of a method may continue with its arguments.
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let name = |item: &Value| {
            let label = item["label"].as_str().unwrap_or_default().trim_start();
            let end = label.find(|c| !is_name(c)).unwrap_or(label.len());
            label[..end].to_string()
        };
        items.unwrap_or_default().iter().map(name).collect()
    }

    /// Returns the description of the word that contains the end of `before`.
    pub(crate) fn hover(
        &mut self,
        file: &Path,
        text: &str,
        before: &str,
    ) -> String {
        let answer = self.request_at("textDocument/hover", file, text, before);
        answer["contents"].to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn uri(path: &Path) -> String {
    let path = path.to_str().unwrap();
    format!("file://{}", path.replace(' ', "%20"))
}

/// Reads a message: header lines, an empty line, and JSON.
fn message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|&count| count > 0)?;
        match line.trim().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Returns this checkout's VS Code settings of one extension in the form that
/// the server expects: the dots in a name become nested objects.
pub(crate) fn settings(extension: &str) -> Value {
    let text = fs::read_to_string(root().join(".vscode/settings.json"));
    let text = text.unwrap();
    let code = |line: &&str| !line.trim_start().starts_with("//");
    let text: String = text.lines().filter(code).collect();
    let all: Value = serde_json::from_str(&text).expect("settings are JSON");
    let mut settings = json!({});
    for (name, value) in all.as_object().unwrap() {
        let Some(name) = name.strip_prefix(&format!("{extension}.")) else {
            continue;
        };
        let path = format!("/{}", name.replace('.', "/"));
        put(&mut settings, &path, value.clone());
    }
    settings
}

/// Sets the value at a path of keys.
pub(crate) fn put(into: &mut Value, path: &str, value: Value) {
    let mut place = into;
    for name in path.split('/').skip(1) {
        place = &mut place[name];
    }
    *place = value;
}
