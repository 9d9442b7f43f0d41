//! `cargo learn book`, with an mdBook that only pretends: what is served, and
//! what is not.

mod scene;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
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
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        if TcpStream::connect(listener.local_addr().unwrap()).is_err() {
            let why = "no network, not even to this machine";
            let _ = writeln!(std::io::stderr(), "SKIPPED {name}: {why}");
            return None;
        }
        let scene = Scene::new();
        let script = MDBOOK.replace("'$4/css/a b.css'", "\"$4/css/a b.css\"");
        scene.program_at("target/tools/bin/mdbook", &script);
        scene.write("target/secret", "secret");
        scene.write("book/src/page.md", "one");
        let mut command = scene.command(&["book"]);
        let mut companion = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(companion.stdout.take().unwrap());
        let mut served = Served { scene, companion, lines, port: 0 };
        let line = served.hears("It is served at http://localhost:");
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
