//! The book over HTTP, for the browsers of this machine and nobody else.
//! mdBook could serve it, with 140 packages more to compile.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Far longer than the head of any request for a page.
const LONGEST_HEAD: u64 = 16 * 1024;

pub(crate) struct Server {
    listener: TcpListener,
    folder: Arc<Path>,
}

impl Server {
    /// Listens on mdBook's usual port, or on any other that nobody uses.
    pub(crate) fn of(folder: &Path) -> io::Result<Server> {
        let bind = |port| TcpListener::bind(("127.0.0.1", port));
        let listener = bind(3000).or_else(|_| bind(0))?;
        Ok(Server { listener, folder: folder.into() })
    }

    pub(crate) fn address(&self) -> io::Result<String> {
        let port = self.listener.local_addr()?.port();
        Ok(format!("http://127.0.0.1:{port}"))
    }

    /// Answers for as long as the companion lives, each request in a thread
    /// of its own: a browser may open a connection and say nothing.
    pub(crate) fn start(self) {
        thread::spawn(move || {
            for stream in self.listener.incoming().flatten() {
                let folder = Arc::clone(&self.folder);
                // Who hangs up needs no answer.
                thread::spawn(move || answer(&stream, &folder).ok());
            }
        });
    }
}

fn answer(mut stream: &TcpStream, folder: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut head = BufReader::new(stream.take(LONGEST_HEAD));
    let mut first = String::new();
    head.read_line(&mut first)?;
    let mut line = String::new();
    while head.read_line(&mut line)? > 2 {
        line.clear();
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    let (status, kind, body) = match words[..] {
        ["GET" | "HEAD", target, _] => match page(folder, target) {
            Some(file) => ("200 OK", kind(&file), fs::read(&file)?),
            None => {
                let page = fs::read(folder.join("404.html"));
                ("404 Not Found", "text/html", page.unwrap_or_default())
            }
        },
        _ => ("405 Method Not Allowed", "text/plain", Vec::new()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\n\
         Content-Length: {length}\r\nCache-Control: no-cache\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    if words.first() != Some(&"HEAD") {
        stream.write_all(&body)?;
    }
    Ok(())
}

/// Finds the file behind the path of a request; none outside of the folder.
fn page(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = plain(target.split(['?', '#']).next()?)?;
    let mut file = folder.to_path_buf();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        if name == "." || name == ".." || name.contains(['\\', '\0']) {
            return None;
        }
        file.push(name);
    }
    if file.is_dir() {
        file.push("index.html");
    }
    file.is_file().then_some(file)
}

/// Reads `%20` as a space.
fn plain(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|it| it.to_str()).unwrap_or_default() {
        "html" => "text/html",
        "css" => "text/css",
        "js" => "text/javascript",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_path_is_read_and_a_broken_escape_is_none() {
        assert_eq!(plain("/a%20b%2fc").as_deref(), Some("/a b/c"));
        for broken in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(plain(broken), None, "{broken}");
        }
    }
}
