//! The built page, served to browsers on this machine.

mod link;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use futures_util::{TryStreamExt, stream};
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyDataStream, BodyExt, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::sleep;
use tower_http::services::ServeDir;

pub use link::Link;
use link::SharedLink;

/// Bytes sent at once: a few packets, so that files sent at the same time share a slow link.
const CHUNK: usize = 4096;

/// What the server sends instead of a file of the page.
#[derive(Clone, Debug)]
pub struct Answer {
    status: StatusCode,
    mime: &'static str,
    body: Bytes,
    delay: Duration,
    /// Whether pages of other origins may read it.
    shared: bool,
    /// Whether the connection breaks before the body has been sent.
    broken: bool,
}

impl Answer {
    /// An empty body with a status such as 404 or 500.
    ///
    /// # Panics
    /// If `status` is not one of HTTP's.
    pub fn status(status: u16) -> Self {
        let status = StatusCode::from_u16(status).expect("a status of HTTP");
        Self {
            status,
            mime: "text/plain; charset=utf-8",
            body: Bytes::new(),
            delay: Duration::ZERO,
            shared: false,
            broken: false,
        }
    }

    /// A script with this source.
    pub fn script(source: &str) -> Self {
        Self { mime: "text/javascript", body: source.to_owned().into(), ..Self::status(200) }
    }

    /// A page with this source.
    pub fn html(source: &str) -> Self {
        Self { mime: "text/html", body: source.to_owned().into(), ..Self::status(200) }
    }

    /// This JSON text.
    pub fn json(text: &str) -> Self {
        Self { mime: "application/json", body: text.to_owned().into(), ..Self::status(200) }
    }

    /// No answer: the connection breaks after the first bytes.
    pub fn aborted() -> Self {
        Self { body: Bytes::from_static(b"/* the rest is missing"), broken: true, ..Self::status(200) }
    }

    /// The same answer, which pages of other origins may read.
    pub fn for_everybody(self) -> Self {
        Self { shared: true, ..self }
    }

    /// The same answer, sent after a delay.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// A folder served on a free port of this machine until the value is dropped. A file that has a Brotli version
/// beside it (`name.br`) is sent compressed.
pub struct Site {
    port: u16,
    state: Arc<State>,
    /// Dropped, it stops the server.
    _running: oneshot::Sender<()>,
}

/// What a [`Site`] has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How many requests were answered, also those with nothing new.
    pub requests: u64,
    /// Bytes of the answers without their headers, compressed as they were sent.
    pub bytes: u64,
}

/// What the connections of a [`Site`] share.
struct State {
    traffic: Mutex<Traffic>,
    files: ServeDir,
    answers: Mutex<BTreeMap<String, Answer>>,
    headers: Mutex<HeaderMap>,
    link: SharedLink,
}

impl Site {
    /// The page as `./fairlane-dev build` left it in `dist/` (or in the folder `FAIRLANE_DIST`).
    ///
    /// # Panics
    /// If the page has not been built.
    pub fn dist() -> Self {
        let folder = dist();
        assert!(
            folder.join("index.html").is_file(),
            "there is no page in {}: build it first with ./fairlane-dev build",
            folder.display()
        );
        Self::folder(folder)
    }

    /// Serves any folder.
    ///
    /// # Panics
    /// If this machine has no free port.
    pub fn folder(folder: impl AsRef<Path>) -> Self {
        let state = Arc::new(State {
            traffic: Mutex::default(),
            files: ServeDir::new(folder).precompressed_br().with_buf_chunk_size(CHUNK),
            answers: Mutex::default(),
            headers: Mutex::default(),
            link: SharedLink::default(),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port on this machine");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let port = listener.local_addr().expect("an address with a port").port();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (running, stopped) = oneshot::channel::<()>();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept(listener, shared) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { port, state, _running: running }
    }

    /// From now on sends this answer for every path that starts with `prefix`, such as `/fairlane-worker`.
    pub fn answer(&self, prefix: &str, answer: Answer) {
        lock(&self.state.answers).insert(prefix.to_owned(), answer);
    }

    /// From now on sends these headers with everything.
    pub fn send_headers(&self, headers: &[(&'static str, &'static str)]) {
        let headers = headers
            .iter()
            .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        lock(&self.state.headers).extend(headers);
    }

    /// Serves only the real files again.
    pub fn restore(&self) {
        lock(&self.state.answers).clear();
    }

    /// From now on sends everything over a link like this one; `None`: as fast as this machine can.
    pub fn slow_down(&self, link: Option<Link>) {
        self.state.link.set(link);
    }

    /// What was sent since it was last asked.
    pub fn take_traffic(&self) -> Traffic {
        std::mem::take(&mut lock(&self.state.traffic))
    }

    /// The address of the page followed by `suffix`, which may be empty.
    pub fn url(&self, suffix: &str) -> String {
        format!("http://127.0.0.1:{}/{}", self.port, suffix.trim_start_matches('/'))
    }
}

/// The folder of the built page.
pub fn dist() -> PathBuf {
    std::env::var_os("FAIRLANE_DIST")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist"), PathBuf::from)
}

/// Serves every connection in a task of its own.
async fn accept(listener: std::net::TcpListener, state: Arc<State>) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(stream, Arc::clone(&state)))),
            // Such as too many open files: browsers try again.
            Err(_) => sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Answers the requests of one connection until either side closes it.
async fn serve(stream: TcpStream, state: Arc<State>) {
    // The handshake takes a round trip.
    state.link.round_trip().await;
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| async { Ok::<_, Infallible>(state.respond(request).await) });
    // An error means that the browser has closed the connection, which it may.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

type Body = UnsyncBoxBody<Bytes, io::Error>;

impl State {
    async fn respond(self: &Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        self.link.round_trip().await;
        lock(&self.traffic).requests += 1;
        let mut path = request.uri().path().to_owned();
        if path.ends_with('/') {
            path.push_str("index.html");
        }
        let answer = lock(&self.answers)
            .iter()
            .find(|(prefix, _)| path.starts_with(*prefix))
            .map(|(_, answer)| answer.clone());
        let is_file = answer.is_none();
        let mut response = match answer {
            Some(answer) => {
                sleep(answer.delay).await;
                let length = answer.body.len() + usize::from(answer.broken);
                let missing = answer.broken.then(|| Err(io::Error::other("the connection breaks")));
                let chunks = [Ok(Frame::data(answer.body))].into_iter().chain(missing);
                let mut response = Response::new(self.slowed(StreamBody::new(stream::iter(chunks))));
                *response.status_mut() = answer.status;
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(answer.mime));
                response.headers_mut().insert(CONTENT_LENGTH, length.into());
                if answer.shared {
                    let everybody = HeaderValue::from_static("*");
                    response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, everybody);
                }
                response
            }
            None => match self.files.clone().try_call(request).await {
                Ok(response) => response.map(|body| self.slowed(body)),
                Err(_) => {
                    let mut response = Response::default();
                    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                    response
                }
            },
        };
        // As docs/embedding.md recommends. What a test sends instead of a file is not kept.
        let caching = match is_file {
            true if has_digest(&path) => "max-age=31536000, immutable",
            true => "no-cache",
            false => "no-store",
        };
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(caching));
        response.headers_mut().extend(lock(&self.headers).clone());
        response
    }

    /// A body that arrives as fast as the link carries it.
    fn slowed<B>(self: &Arc<Self>, body: B) -> Body
    where
        B: hyper::body::Body<Data = Bytes, Error = io::Error> + Send + 'static,
    {
        let state = Arc::clone(self);
        let chunks = BodyDataStream::new(body).and_then(move |chunk| {
            let state = Arc::clone(&state);
            async move {
                lock(&state.traffic).bytes += chunk.len() as u64;
                state.link.carry(chunk.len()).await;
                Ok(Frame::data(chunk))
            }
        });
        BodyExt::boxed_unsync(StreamBody::new(chunks))
    }
}

/// Locks a mutex; a test that panicked while holding it must not fail the others.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a part of a path contains a digest of the file: `fairlane-0123456789abcdef.css`.
fn has_digest(path: &str) -> bool {
    path.split(['/', '-', '_', '.'])
        .any(|part| part.len() == 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
