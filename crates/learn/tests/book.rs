//! `cargo learn book`, mostly with a fake mdBook: which files are served, and
//! which are not.

mod scene;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use scene::{Scene, skip};

/// A fake mdBook that writes the number of its builds to its page.
const MDBOOK: &str = "
[ $1 = --version ] && { echo mdbook v0.5.4; exit; }
mkdir -p $4/css
echo build >> $SCENE/builds
grep -c build $SCENE/builds > $4/index.html
echo 'a { }' > \"$4/css/a b.css\"
echo lost > $4/404.html";

/// A companion that serves the book, and its output.
struct Server {
    scene: Scene,
    companion: Child,
    lines: BufReader<ChildStdout>,
    port: u16,
}

impl Server {
    /// Serves the output of this mdBook, with at most `files` file
    /// descriptors. Prints the reason and returns `None` if this machine
    /// cannot connect to itself.
    fn or_skip(script: &str, name: &str, files: u32) -> Option<Server> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        if TcpStream::connect(listener.local_addr().unwrap()).is_err() {
            skip(name, "no network, not even to this machine");
            return None;
        }
        let scene = Scene::new();
        scene.program_at("target/tools/bin/mdbook", script);
        scene.write("target/secret", "secret");
        scene.write("book/src/page.md", "one");
        let learn = scene.command(&["book"]);
        let limit = format!("ulimit -n {files}; exec \"$0\" \"$@\"");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &limit]).arg(learn.get_program());
        command.args(learn.get_args()).env_clear().stdin(Stdio::null());
        let set = learn.get_envs();
        command.envs(set.filter_map(|(name, it)| Some((name, it?))));
        command.current_dir(&scene.root);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut companion = command.spawn().unwrap();
        let lines = BufReader::new(companion.stdout.take().unwrap());
        let mut served = Server { scene, companion, lines, port: 0 };
        let line = served.wait_for_line("It is served at http://127.0.0.1:");
        let mut port = line.split([':', ' ']).filter_map(|it| it.parse().ok());
        served.port = port.next().expect("a port");
        Some(served)
    }

    /// Reads up to the line with this beginning.
    #[track_caller]
    fn wait_for_line(&mut self, start: &str) -> String {
        let mut line = String::new();
        while self.lines.read_line(&mut line).unwrap() > 0 {
            if line.starts_with(start) {
                return line;
            }
            line.clear();
        }
        panic!("it never said {start}");
    }

    /// Sends a request and returns the status and the body of the response.
    fn request(&self, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let text = format!("{request} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        // Much longer than the server's time limit for a connection.
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).expect("a status");
        (status.to_string(), body.trim().to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.companion.kill();
        let _ = self.companion.wait();
    }
}

#[track_caller]
fn assert_response(served: &Server, request: &str, status: &str, body: &str) {
    let answer = served.request(request);
    assert_eq!(answer, (status.into(), body.into()), "{request}");
}

/// Promise: `cargo learn book` serves the book and no other file, and only to
/// this machine.
#[test]
fn only_the_book_is_served() {
    let name = "only_the_book_is_served";
    let Some(served) = Server::or_skip(MDBOOK, name, 1024) else { return };
    assert_response(&served, "GET /", "200", "1");
    assert_response(&served, "GET /index.html?highlight=x#y", "200", "1");
    assert_response(&served, "HEAD /", "200", "");
    assert_response(&served, "GET /css/a%20b.css", "200", "a { }");
    let outside = ["/../secret", "/%2e%2e/secret", "/css/..%2f..%2fsecret"];
    // Invalid escapes name no file.
    let broken = ["/%", "/%2", "/%zz", "/%ff"];
    for target in outside.iter().chain(&broken) {
        assert_response(&served, &format!("GET {target}"), "404", "lost");
    }
    assert_response(&served, "POST /", "405", "");
    assert_response(&served, "", "405", "");
}

/// Browsers open connections in advance and close them unused.
#[test]
fn unused_connections_do_no_harm() {
    let name = "unused_connections_do_no_harm";
    let Some(mut served) = Server::or_skip(MDBOOK, name, 1024) else { return };
    drop(TcpStream::connect(("127.0.0.1", served.port)).unwrap());
    let _silent = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    assert_response(&served, "GET /", "200", "1");
    served.companion.kill().unwrap();
    let mut said = String::new();
    let errors = served.companion.stderr.as_mut().expect("a pipe");
    errors.read_to_string(&mut said).unwrap();
    assert!(!said.contains("panicked"), "{said}");
}

/// The process has few file descriptors, and slow clients hold more
/// connections than the server accepts at once.
#[test]
fn stalled_connections_do_not_block_a_page() {
    let name = "stalled_connections_do_not_block_a_page";
    let Some(served) = Server::or_skip(MDBOOK, name, 24) else { return };
    let address = ("127.0.0.1", served.port);
    let connect = |_| TcpStream::connect(address).unwrap();
    let mut stalled: Vec<TcpStream> = (0..50).map(connect).collect();
    thread::spawn(move || {
        while !stalled.is_empty() {
            stalled.retain_mut(|it| it.write_all(b"T").is_ok());
            thread::sleep(Duration::from_millis(100));
        }
    });
    assert_response(&served, "GET /", "200", "1");
}

#[test]
fn an_unreadable_file_is_not_reported_as_missing() {
    let name = "an_unreadable_file_is_not_reported_as_missing";
    let script = format!("{MDBOOK}\nln -s loop.html $4/loop.html");
    let Some(served) = Server::or_skip(&script, name, 1024) else { return };
    let (status, body) = served.request("GET /loop.html");
    assert_eq!(status, "503");
    assert!(body.starts_with("/loop.html cannot be read now: "), "{body}");
    assert_response(&served, "GET /css/a%20b.css/more.html", "404", "lost");
}

#[test]
fn a_changed_page_is_rebuilt() {
    let name = "a_changed_page_is_rebuilt";
    let Some(mut served) = Server::or_skip(MDBOOK, name, 1024) else { return };
    served.scene.write("book/src/page.md", "one, and more");
    served.scene.write("book/src/other.md", "two");
    served.wait_for_line("Built again");
    let (status, body) = served.request("GET /");
    assert_eq!(status, "200");
    assert_ne!(body, "1");
}

/// Chapter addresses once contained numbers. The real mdBook builds the book
/// here.
///
/// Promise: Every redirect leads to an existing page, on a server and from a
/// folder.
#[test]
fn old_addresses_redirect_to_existing_pages() {
    let name = "old_addresses_redirect_to_existing_pages";
    let built = Path::new(env!("CARGO_BIN_EXE_learn")).ancestors().nth(2);
    let mdbook = built.expect("a target folder").join("tools/bin/mdbook");
    if !mdbook.is_file() {
        return skip(name, "no mdBook (cargo learn book --build builds it)");
    }
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let (mdbook, book) = (mdbook.display(), root.join("book"));
    let script = format!(
        "[ $1 = build ] && exec '{mdbook}' build '{}' --dest-dir \"$4\"\n\
         exec '{mdbook}' \"$@\"",
        book.display(),
    );
    let Some(served) = Server::or_skip(&script, name, 1024) else { return };
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
        let (status, page) = served.request(&format!("GET /{old}"));
        assert_eq!(status, "200", "{old}");
        assert_eq!(page, fs::read_to_string(folder.join(&old)).unwrap().trim());
        let (_, new) = page.split_once("; URL=").expect("an address");
        let (new, _) = new.split_once('"').expect("its end");
        assert!(folder.join(new).is_file(), "{old} leads to {new}");
        assert_eq!(served.request(&format!("GET /{new}")).0, "200", "{new}");
    }
    numbers.sort();
    assert_eq!(numbers, (1..=27).collect::<Vec<_>>());
}
