//! A small server for the built page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tiny_http::{Header, Request, Response, Server};

/// A browser asks for several files at once; a slow [`Answer`] must not hold up the others.
const THREADS: usize = 6;

/// What the server says instead of a file of the page.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    mime: &'static str,
    body: Vec<u8>,
    delay: Duration,
}

impl Answer {
    /// Nothing but a status, such as 404 or 500.
    pub fn status(status: u16) -> Self {
        Self { status, mime: "text/plain; charset=utf-8", body: Vec::new(), delay: Duration::ZERO }
    }

    pub fn script(source: &str) -> Self {
        Self::body("text/javascript", source)
    }

    pub fn body(mime: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { mime, body: body.into(), ..Self::status(200) }
    }

    /// Gives this answer only after a while.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

type Answers = Arc<Mutex<BTreeMap<String, Answer>>>;

/// A folder served on a free port of this machine until the value is dropped.
pub struct Site {
    server: Arc<Server>,
    port: u16,
    answers: Answers,
}

impl Site {
    /// The page as `./fairlane-dev build` left it in `dist/` (or in the folder `FAIRLANE_DIST`).
    pub fn dist() -> Self {
        let folder = std::env::var_os("FAIRLANE_DIST")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist"), PathBuf::from);
        assert!(
            folder.join("index.html").is_file(),
            "there is no page in {}: build it first with ./fairlane-dev build",
            folder.display()
        );
        Self::folder(folder)
    }

    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a free port on this machine"));
        let port = server.server_addr().to_ip().expect("an address with a port").port();
        let answers = Answers::default();
        for _ in 0..THREADS {
            let (server, folder, answers) = (server.clone(), folder.clone(), answers.clone());
            thread::spawn(move || {
                while let Ok(request) = server.recv() {
                    let answer = answer(request.url(), &folder, &answers);
                    give(request, answer);
                }
            });
        }
        Self { server, port, answers }
    }

    /// Answers every path that starts with `prefix` (such as `/fairlane-worker`) in this way from now on.
    pub fn answer(&self, prefix: &str, answer: Answer) {
        lock(&self.answers).insert(prefix.to_owned(), answer);
    }

    /// Serves the real files again.
    pub fn restore(&self) {
        lock(&self.answers).clear();
    }

    /// The address of the page, or of a place in it when `suffix` is not empty.
    pub fn url(&self, suffix: &str) -> String {
        format!("http://127.0.0.1:{}/{}", self.port, suffix.trim_start_matches('/'))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        for _ in 0..THREADS {
            self.server.unblock();
        }
    }
}

fn lock(answers: &Answers) -> std::sync::MutexGuard<'_, BTreeMap<String, Answer>> {
    answers.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(url: &str, folder: &Path, answers: &Answers) -> Answer {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    if let Some((_, answer)) = lock(answers).iter().find(|(prefix, _)| path.starts_with(prefix.as_str())) {
        return answer.clone();
    }
    let name = path.trim_start_matches('/');
    if name.split('/').any(|part| part == "..") {
        return Answer::status(404);
    }
    let file = folder.join(if name.is_empty() { "index.html" } else { name });
    match std::fs::read(&file) {
        Ok(body) => Answer::body(mime(&file), body),
        Err(_) => Answer::status(404),
    }
}

fn give(request: Request, answer: Answer) {
    thread::sleep(answer.delay);
    let header = |name: &str, value: &str| Header::from_bytes(name, value).expect("a header in plain ASCII");
    let response = Response::from_data(answer.body)
        .with_status_code(answer.status)
        .with_header(header("Content-Type", answer.mime))
        // A test may replace a file between two loads of the page.
        .with_header(header("Cache-Control", "no-store"));
    // The browser may have gone: nobody is left to be told.
    let _ = request.respond(response);
}

fn mime(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css",
        Some("json" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("csv" | "md" | "txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
