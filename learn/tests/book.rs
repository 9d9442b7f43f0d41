//! `cargo learn book`, mostly with an mdBook that only pretends: what is
//! served, and what is not.

mod scene;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use scene::Scene;

/// An mdBook that counts its builds on its page.
const MDBOOK: &str = "
[ $1 = --version ] && { echo mdbook v0.5.4; exit; }
mkdir -p $4/css
echo build >> $SCENE/builds
grep -c build $SCENE/builds > $4/index.html
echo 'a { }' > '$4/css/a b.css'
echo lost > $4/404.html";

/// A companion that serves, and the lines that it says.
struct Served {
    scene: Scene,
    companion: Child,
    lines: BufReader<ChildStdout>,
    port: u16,
}

impl Served {
    /// None, loudly, where not even this machine can be reached.
    fn or_skip(name: &str) -> Option<Served> {
        let script = MDBOOK.replace("'$4/css/a b.css'", "\"$4/css/a b.css\"");
        Served::by(&script, name)
    }

    /// What this mdBook builds.
    fn by(script: &str, name: &str) -> Option<Served> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        if TcpStream::connect(listener.local_addr().unwrap()).is_err() {
            skip(name, "no network, not even to this machine");
            return None;
        }
        let scene = Scene::new();
        scene.program_at("target/tools/bin/mdbook", script);
        scene.write("target/secret", "secret");
        scene.write("book/src/page.md", "one");
        let mut command = scene.command(&["book"]);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut companion = command.spawn().unwrap();
        let lines = BufReader::new(companion.stdout.take().unwrap());
        let mut served = Served { scene, companion, lines, port: 0 };
        let line = served.hears("It is served at http://127.0.0.1:");
        let mut port = line.split([':', ' ']).filter_map(|it| it.parse().ok());
        served.port = port.next().expect("a port");
        Some(served)
    }

    /// Reads on to the line that begins like this.
    #[track_caller]
    fn hears(&mut self, start: &str) -> String {
        let mut line = String::new();
        while self.lines.read_line(&mut line).unwrap() > 0 {
            if line.starts_with(start) {
                return line;
            }
            line.clear();
        }
        panic!("it never said {start}");
    }

    /// The status and the body of the answer.
    fn asks(&self, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let text = format!("{request} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).expect("a status");
        (status.to_string(), body.trim().to_string())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.companion.kill();
        let _ = self.companion.wait();
    }
}

fn skip(name: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {name}: {why}");
}

#[track_caller]
fn answers(served: &Served, request: &str, status: &str, body: &str) {
    let answer = served.asks(request);
    assert_eq!(answer, (status.into(), body.into()), "{request}");
}

#[test]
fn the_book_is_served_and_nothing_beside_it() {
    let name = "the_book_is_served_and_nothing_beside_it";
    let Some(served) = Served::or_skip(name) else { return };
    answers(&served, "GET /", "200", "1");
    answers(&served, "GET /index.html?highlight=x#y", "200", "1");
    answers(&served, "HEAD /", "200", "");
    answers(&served, "GET /css/a%20b.css", "200", "a { }");
    let outside = ["/../secret", "/%2e%2e/secret", "/css/../../secret"];
    for target in
        outside.iter().chain(&["//../secret", "/css/..%2f..%2fsecret"])
    {
        answers(&served, &format!("GET {target}"), "404", "lost");
    }
    answers(&served, "POST /", "405", "");
    answers(&served, "", "405", "");
}

/// A browser opens connections that it may need, and closes them.
#[test]
fn a_browser_that_hangs_up_is_no_fault() {
    let name = "a_browser_that_hangs_up_is_no_fault";
    let Some(mut served) = Served::or_skip(name) else { return };
    drop(TcpStream::connect(("127.0.0.1", served.port)).unwrap());
    answers(&served, "GET /", "200", "1");
    served.companion.kill().unwrap();
    let mut said = String::new();
    let errors = served.companion.stderr.as_mut().expect("a pipe");
    errors.read_to_string(&mut said).unwrap();
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn who_says_nothing_keeps_nobody_waiting() {
    let name = "who_says_nothing_keeps_nobody_waiting";
    let Some(served) = Served::or_skip(name) else { return };
    let _silent = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    answers(&served, "GET /", "200", "1");
}

#[test]
fn a_page_that_changes_is_built_again() {
    let name = "a_page_that_changes_is_built_again";
    let Some(mut served) = Served::or_skip(name) else { return };
    served.scene.write("book/src/page.md", "one, and more");
    served.scene.write("book/src/other.md", "two");
    served.hears("Built again");
    let (status, body) = served.asks("GET /");
    assert_eq!(status, "200");
    assert_ne!(body, "1");
}

/// Who kept the address of a chapter by its number finds it by its name, from
/// the server and in the folder alone. Here the real mdBook builds the book.
#[test]
fn old_addresses_lead_to_the_new() {
    let name = "old_addresses_lead_to_the_new";
    let built = Path::new(env!("CARGO_BIN_EXE_learn")).ancestors().nth(2);
    let mdbook = built.expect("a target folder").join("tools/bin/mdbook");
    if !mdbook.is_file() {
        return skip(name, "no mdBook (cargo learn book --build builds it)");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mdbook, book) = (mdbook.display(), root.join("book"));
    let script = format!(
        "[ $1 = build ] && exec '{mdbook}' build '{}' --dest-dir \"$4\"\n\
         exec '{mdbook}' \"$@\"",
        book.display(),
    );
    let Some(served) = Served::by(&script, name) else { return };
    let folder = served.scene.root.join("target/book");
    let mut numbers: Vec<u32> = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let old = entry.unwrap().file_name().into_string().unwrap();
        let rest = old.strip_prefix("ch").and_then(|it| it.split_once('-'));
        let Some(number) = rest.and_then(|(digits, _)| digits.parse().ok())
        else {
            continue;
        };
        numbers.push(number);
        let (status, page) = served.asks(&format!("GET /{old}"));
        assert_eq!(status, "200", "{old}");
        assert_eq!(page, fs::read_to_string(folder.join(&old)).unwrap().trim());
        let (_, new) = page.split_once("; URL=").expect("an address");
        let (new, _) = new.split_once('"').expect("its end");
        assert!(folder.join(new).is_file(), "{old} leads to {new}");
        assert_eq!(served.asks(&format!("GET /{new}")).0, "200", "{new}");
    }
    numbers.sort();
    assert_eq!(numbers, (1..=27).collect::<Vec<_>>());
}
