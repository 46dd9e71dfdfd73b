//! The built page, served to browsers on this machine.

mod http;
mod link;
mod zipped;

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use http::{Connection, Takes};
use link::Line;
pub use link::Link;
pub use zipped::gzip;

/// What the server says instead of a file of the page.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    mime: &'static str,
    body: Arc<[u8]>,
    /// How the body is compressed, as HTTP calls it.
    encoding: Option<&'static str>,
    /// It may be kept: its name holds a digest of its contents, so it never changes.
    lasts: bool,
    delay: Duration,
}

impl Answer {
    /// Nothing but a status, such as 404 or 500.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            mime: "text/plain; charset=utf-8",
            body: Arc::default(),
            encoding: None,
            lasts: false,
            delay: Duration::ZERO,
        }
    }

    pub fn script(source: &str) -> Self {
        Self::body("text/javascript", source)
    }

    pub fn body(mime: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { mime, body: body.into().into(), ..Self::status(200) }
    }

    /// Gives this answer only after a while.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// What the connections of a [`Site`] have in common.
struct Shelf {
    folder: PathBuf,
    answers: Mutex<BTreeMap<String, Answer>>,
    closed: AtomicBool,
    line: Line,
    sent: Mutex<Vec<Sent>>,
}

/// A file that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its path.
    pub path: String,
    /// How long the answer was, with its head.
    pub bytes: usize,
}

/// A folder served on a free port of this machine until the value is dropped. Every connection has a
/// thread of its own, so that no request waits for another, however many files a page asks for at once.
pub struct Site {
    port: u16,
    shelf: Arc<Shelf>,
}

impl Site {
    /// The page as `./fairlane-dev build` left it in `dist/` (or in the folder `FAIRLANE_DIST`).
    pub fn dist() -> Self {
        let folder = dist();
        assert!(
            folder.join("index.html").is_file(),
            "there is no page in {}: build it first with ./fairlane-dev build",
            folder.display()
        );
        Self::folder(folder)
    }

    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on this machine");
        let port = listener.local_addr().expect("an address with a port").port();
        let shelf = Arc::new(Shelf {
            folder: folder.into(),
            answers: Mutex::default(),
            closed: AtomicBool::new(false),
            line: Line::default(),
            sent: Mutex::default(),
        });
        let shared = Arc::clone(&shelf);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.closed.load(Ordering::Relaxed) {
                    return;
                }
                if let Ok(stream) = stream {
                    let shelf = Arc::clone(&shared);
                    thread::spawn(move || serve(stream, &shelf));
                }
            }
        });
        Self { port, shelf }
    }

    /// Answers every path that starts with `prefix` (such as `/fairlane-worker`) in this way from now on.
    pub fn answer(&self, prefix: &str, answer: Answer) {
        self.shelf.answers().insert(prefix.to_owned(), answer);
    }

    /// Serves the real files again.
    pub fn restore(&self) {
        self.shelf.answers().clear();
    }

    /// From now on the page comes over a line like this one; `None`: as fast as this machine can.
    pub fn slow_down(&self, link: Option<Link>) {
        self.shelf.line.set(link);
    }

    /// What was sent since it was asked last, in the order in which it was asked for.
    pub fn take_sent(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.shelf.sent.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The address of the page, or of a place in it when `suffix` is not empty.
    pub fn url(&self, suffix: &str) -> String {
        format!("http://127.0.0.1:{}/{}", self.port, suffix.trim_start_matches('/'))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.shelf.closed.store(true, Ordering::Relaxed);
        // The listener looks up only when somebody comes.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// Where the built page is.
pub fn dist() -> PathBuf {
    std::env::var_os("FAIRLANE_DIST")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist"), PathBuf::from)
}

/// Answers the requests of one connection until either side has gone.
fn serve(stream: TcpStream, shelf: &Shelf) {
    let Ok(mut connection) = Connection::new(stream) else { return };
    // Hands are shaken over the way there and back.
    shelf.line.wait();
    while let Ok(Some(request)) = connection.next() {
        if shelf.closed.load(Ordering::Relaxed) {
            return;
        }
        let answer = shelf.find(&request.path, request.takes);
        thread::sleep(answer.delay);
        shelf.line.wait();
        let Ok(bytes) = connection.give(&answer, &shelf.line) else { return };
        shelf.sent.lock().unwrap_or_else(PoisonError::into_inner).push(Sent { path: request.path, bytes });
    }
}

impl Shelf {
    fn answers(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Answer>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, path: &str, takes: Takes) -> Answer {
        if let Some((_, answer)) = self.answers().iter().find(|(prefix, _)| path.starts_with(prefix.as_str()))
        {
            return answer.clone();
        }
        let name = path.trim_start_matches('/');
        if name.split('/').any(|part| part == "..") {
            return Answer::status(404);
        }
        let file = self.folder.join(if name.is_empty() { "index.html" } else { name });
        let (mime, shrinks) = kind(&file);
        let (body, encoding) = if !shrinks {
            (std::fs::read(&file).map(Arc::from), None)
        } else if let (true, Ok(body)) = (takes.brotli, zipped::brotli(&file)) {
            (Ok(body), Some("br"))
        } else if takes.gzip {
            (zipped::read(&file), Some("gzip"))
        } else {
            (std::fs::read(&file).map(Arc::from), None)
        };
        match body {
            Ok(body) => Answer { mime, body, encoding, lasts: has_digest(name), ..Answer::status(200) },
            Err(_) => Answer::status(404),
        }
    }
}

/// Whether a name holds a digest of the file's contents, as Trunk puts it: `fairlane-0123456789abcdef.css`.
fn has_digest(name: &str) -> bool {
    name.split(['-', '_', '.'])
        .any(|part| part.len() == 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A file's content type, and whether it becomes smaller by compression.
fn kind(file: &Path) -> (&'static str, bool) {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => ("text/html; charset=utf-8", true),
        Some("js" | "mjs") => ("text/javascript", true),
        // Only under this type does a browser compile while it still receives.
        Some("wasm") => ("application/wasm", true),
        Some("css") => ("text/css", true),
        Some("json" | "webmanifest") => ("application/json", true),
        Some("svg") => ("image/svg+xml", true),
        Some("csv" | "md" | "txt") => ("text/plain; charset=utf-8", true),
        Some("png") => ("image/png", false),
        Some("ico") => ("image/x-icon", false),
        Some("woff2") => ("font/woff2", false),
        _ => ("application/octet-stream", false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn asked(site: &Site, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", site.port)).expect("the server");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn files_come_as_they_are_or_zipped_and_nothing_else_comes() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("index.html"), "<p>the page</p>").expect("a file");
        let site = Site::folder(folder.path());
        let plain = asked(&site, "GET /?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assert!(plain.starts_with("HTTP/1.1 200 ") && plain.ends_with("\r\n\r\n<p>the page</p>"), "{plain}");
        assert!(plain.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"), "{plain}");
        let zipped = asked(&site, "GET / HTTP/1.1\r\nConnection: close\r\nAccept-Encoding: br, gzip\r\n\r\n");
        assert!(
            zipped.contains("\r\nContent-Encoding: gzip\r\n") && !zipped.contains("the page"),
            "{zipped}"
        );
        std::fs::write(folder.path().join("index.html.br"), "as Brotli").expect("a file");
        let shorter =
            asked(&site, "GET / HTTP/1.1\r\nConnection: close\r\nAccept-Encoding: br, gzip\r\n\r\n");
        assert!(
            shorter.contains("\r\nContent-Encoding: br\r\n") && shorter.ends_with("as Brotli"),
            "{shorter}"
        );
        for path in ["/none", "/../Cargo.toml", "/a/../../b"] {
            let answer = asked(&site, &format!("GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        }
        assert_eq!(asked(&site, "nonsense\r\n\r\n"), "");
    }

    #[test]
    fn two_requests_go_over_one_connection_and_idle_ones_hold_up_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.txt"), "first").expect("a file");
        let site = Site::folder(folder.path());
        let idle: Vec<_> = (0..40).map(|_| TcpStream::connect(("127.0.0.1", site.port))).collect();
        let both =
            asked(&site, "GET /a.txt HTTP/1.1\r\n\r\nHEAD /a.txt HTTP/1.1\r\nConnection: close\r\n\r\n");
        assert_eq!((both.matches("HTTP/1.1 200 ").count(), both.matches("first").count()), (2, 1), "{both}");
        drop(idle);
    }
}
