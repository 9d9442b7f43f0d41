//! A language server at the end of two pipes, and the few words of its
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

/// So long a server may take to read the whole workspace on a busy machine.
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
    said: Receiver<Value>,
    /// What it said while an answer was waited for.
    kept: VecDeque<Value>,
    count: u64,
}

impl Server {
    /// Starts it on this checkout, with an editor's settings.
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
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            while let Some(message) = message(&mut output) {
                let _ = sender.send(message);
            }
        });
        let kept = VecDeque::new();
        let mut server = Server { child, input, said, kept, count: 0 };
        server.ask(
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
        server.tell("initialized", json!({}));
        server
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len())
            .and_then(|()| self.input.flush())
            .expect("the server reads on");
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({ "method": method, "params": params }));
    }

    /// Asks and waits for the answer; what it asks back, it may decide itself.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        let id = self.count;
        self.send(json!({ "id": id, "method": method, "params": params }));
        let is_answer =
            |it: &Value| it["id"] == json!(id) && it.get("method").is_none();
        let answer = self.hear(method, is_answer);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits for what it says of itself.
    pub(crate) fn hears(
        &mut self,
        method: &str,
        fits: impl Fn(&Value) -> bool,
    ) -> Value {
        let is_meant =
            |it: &Value| it["method"] == json!(method) && fits(&it["params"]);
        self.hear(method, is_meant)["params"].clone()
    }

    fn hear(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&fits) {
            return self.kept.remove(at).unwrap();
        }
        loop {
            let message = self.said.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|_| panic!("no {what}"));
            if fits(&message) {
                return message;
            }
            let is_request =
                message.get("id").is_some() && message.get("method").is_some();
            if is_request {
                self.send(json!({ "id": message["id"], "result": null }));
            } else {
                self.kept.push_back(message);
            }
        }
    }

    /// Opens a file with another text than the disk's, as one types it.
    pub(crate) fn open(&mut self, file: &Path, language: &str, text: &str) {
        let document = json!({
            "uri": uri(file), "languageId": language, "version": 1, "text": text,
        });
        let document = json!({ "textDocument": document });
        self.tell("textDocument/didOpen", document);
    }

    pub(crate) fn close(&mut self, file: &Path) {
        let document = json!({ "textDocument": { "uri": uri(file) } });
        self.tell("textDocument/didClose", document);
    }

    /// Asks about the place behind `before` in an open text.
    pub(crate) fn ask_at(
        &mut self,
        method: &str,
        file: &Path,
        text: &str,
        before: &str,
    ) -> Value {
        let at = text.find(before).expect(before) + before.len();
        let above = &text[..at];
        let column = above.len() - above.rfind('\n').map_or(0, |it| it + 1);
        self.ask(
            method,
            json!({
                "textDocument": { "uri": uri(file) },
                "position": {
                    "line": above.matches('\n').count(), "character": column,
                },
            }),
        )
    }

    /// The names that it offers behind `before`.
    pub(crate) fn completions(
        &mut self,
        file: &Path,
        text: &str,
        before: &str,
    ) -> Vec<String> {
        let method = "textDocument/completion";
        let answer = self.ask_at(method, file, text, before);
        let items = answer.get("items").unwrap_or(&answer).as_array().cloned();
        // A method's label may go on with its arguments.
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let name = |item: &Value| {
            let label = item["label"].as_str().unwrap_or_default().trim_start();
            let end = label.find(|c| !is_name(c)).unwrap_or(label.len());
            label[..end].to_string()
        };
        items.unwrap_or_default().iter().map(name).collect()
    }

    /// What it says of the word that begins with the end of `before`.
    pub(crate) fn hover(
        &mut self,
        file: &Path,
        text: &str,
        before: &str,
    ) -> String {
        let answer = self.ask_at("textDocument/hover", file, text, before);
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

/// Reads a message: lines of a header, an empty one, and JSON.
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

/// Reads the settings that this checkout gives to VS Code, those of one
/// extension, as a server gets them: the points of a name are levels.
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

/// Puts a value where a path leads.
pub(crate) fn put(into: &mut Value, path: &str, value: Value) {
    let mut place = into;
    for name in path.split('/').skip(1) {
        place = &mut place[name];
    }
    *place = value;
}
