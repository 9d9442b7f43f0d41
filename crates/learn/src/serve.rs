//! Serves the book over HTTP to browsers on this machine. mdBook's own server
//! would add 140 packages to compile, and small public HTTP servers limit
//! neither connections nor time.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The maximum number of open connections, each with a thread. A browser opens
/// six.
const MAX_CONNECTIONS: usize = 16;

/// The time limit of a connection, so that slow clients block no thread.
const MAX_AGE: Duration = Duration::from_secs(3);

/// The pause after a connection that could not be accepted, usually because
/// the process has no free file descriptor.
const PAUSE: Duration = Duration::from_millis(50);

/// The maximum size of a request's head, far more than any request for a page
/// needs.
const MAX_HEAD: u64 = 16 * 1024;

/// Listens on mdBook's usual port, or on any free port.
pub(crate) fn listen() -> io::Result<TcpListener> {
    let bind = |port| TcpListener::bind(("127.0.0.1", port));
    bind(3000).or_else(|_| bind(0))
}

/// Serves files of the folder until the process ends.
pub(crate) fn start(listener: TcpListener, folder: &Path) -> io::Result<()> {
    let (listener, folder) = (Arc::new(listener), Arc::<Path>::from(folder));
    for _ in 0..MAX_CONNECTIONS {
        let (listener, folder) = (Arc::clone(&listener), Arc::clone(&folder));
        let work = move || {
            loop {
                let Ok((stream, _)) = listener.accept() else {
                    thread::sleep(PAUSE);
                    continue;
                };
                let client = Client { stream, until: Instant::now() + MAX_AGE };
                // If the client has hung up, there is nothing left to do.
                let _ = answer(&client, &folder);
            }
        };
        thread::Builder::new().spawn(work)?;
    }
    Ok(())
}

/// A connection with a deadline, however slowly the client reads or writes.
struct Client {
    stream: TcpStream,
    until: Instant,
}

impl Client {
    fn rest(&self) -> io::Result<Option<Duration>> {
        let rest = self.until.saturating_duration_since(Instant::now());
        match rest.is_zero() {
            true => Err(ErrorKind::TimedOut.into()),
            false => Ok(Some(rest)),
        }
    }
}

impl Read for &Client {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.rest()?)?;
        (&self.stream).read(bytes)
    }
}

impl Write for &Client {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.rest()?)?;
        (&self.stream).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn answer(mut client: &Client, folder: &Path) -> io::Result<()> {
    let mut head = BufReader::new(client.take(MAX_HEAD));
    let mut first = String::new();
    head.read_line(&mut first)?;
    let mut line = String::new();
    while head.read_line(&mut line)? > 2 {
        line.clear();
    }
    let words: Vec<&str> = first.split_whitespace().collect();
    let (status, kind, body) = match words[..] {
        ["GET" | "HEAD", target, _] => match page(folder, target) {
            Ok(Some((file, bytes))) => ("200 OK", kind(&file), bytes),
            Ok(None) => {
                let page = fs::read(folder.join("404.html"));
                ("404 Not Found", "text/html", page.unwrap_or_default())
            }
            Err(error) => {
                let text = format!("{target} cannot be read now: {error}\n");
                ("503 Service Unavailable", "text/plain", text.into_bytes())
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
    client.write_all(head.as_bytes())?;
    if words.first() != Some(&"HEAD") {
        client.write_all(&body)?;
    }
    Ok(())
}

/// Reads the file that a request names. `None` if the folder does not contain
/// it.
fn page(folder: &Path, target: &str) -> io::Result<Option<(PathBuf, Vec<u8>)>> {
    let Some(mut file) = path(folder, target) else { return Ok(None) };
    let read = fs::metadata(&file).and_then(|it| {
        if it.is_dir() {
            file.push("index.html");
        }
        fs::read(&file)
    });
    match read {
        Ok(bytes) => Ok(Some((file, bytes))),
        Err(error) => match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::InvalidFilename => Ok(None),
            _ => Err(error),
        },
    }
}

/// Joins the path of a request to the folder. `None` if it leads outside.
fn path(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = plain(target.split(['?', '#']).next()?)?;
    let mut file = folder.to_path_buf();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        if name == "." || name == ".." || name.contains(['\\', '\0']) {
            return None;
        }
        file.push(name);
    }
    Some(file)
}

/// Decodes percent escapes such as `%20`.
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
    fn a_client_that_does_not_read_times_out() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let _other = TcpStream::connect(listener.local_addr().unwrap());
        let (stream, _) = listener.accept().unwrap();
        let until = Instant::now() + Duration::from_millis(100);
        let client = Client { stream, until };
        // More than the system's buffers can hold.
        assert!((&client).write_all(&vec![0; 64 << 20]).is_err());
    }
}
