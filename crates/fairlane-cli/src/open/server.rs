//! The server of the page. It listens on the loopback addresses alone, answers only who has its secret, and writes nothing.
//!
//! The address that is printed has a token, which leads to a folder with a secret name until the page in it has opened,
//! and to nothing afterwards: what other users of the machine see of the browser's start is of no use to them.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tower_http::services::ServeFile;

use super::files::{self, Content, Opened};
use super::page::{INDEX, Page};
use super::presence::Presence;
use super::watch::Watch;
use super::{listen, unable};
use crate::CliError;

type Body = UnsyncBoxBody<Bytes, io::Error>;
type Answer = Response<Body>;

/// What every page has in it and asks for, beside its own files.
const PRESENCE_SCRIPT: &str = "fairlane-open.js";
const PRESENCE: &str = "fairlane-open";
/// What the page opens now, as its address says it.
const LISTED: &str = "fairlane-files";
/// A page in a frame is part of another. What comes in the answer announces a change. Nothing is kept for use without a
/// connection: each run has an address of its own, which never returns.
const SCRIPT: &str = "Object.defineProperty(navigator, 'serviceWorker', { value: undefined });
const read = async reader => {
  while (!(await reader.read()).done) dispatchEvent(new Event('fairlane-changed'));
};
const hold = () => fetch('fairlane-open').then(answer => read(answer.body.getReader())).catch(() => {});
if (top === self) {
  hold();
  addEventListener('pageshow', event => event.persisted && hold());
}
";

/// A server that has a port, and does not answer yet.
pub(super) struct Server {
    /// One for each loopback address.
    listeners: Vec<TcpListener>,
    address: String,
    site: Site,
}

/// What the connections share.
pub(super) struct Site {
    page: Page,
    opened: RwLock<Arc<Opened>>,
    /// Names of this server, as browsers send them in the header `Host`.
    hosts: [String; 3],
    /// The path of the address that is printed.
    token: String,
    /// The folder of everything else.
    secret: String,
    presence: Presence,
}

/// What an admitted request asks for.
enum Wanted<'a> {
    /// The way to the page.
    Entry,
    /// A path within the folder.
    Path(&'a str),
}

impl Server {
    pub(super) fn bind(page: Page, opened: Opened) -> Result<Server, CliError> {
        let listeners = listen()?;
        let port = listeners[0].local_addr().map_err(unable)?.port();
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        let (token, secret) = (random_name()?, random_name()?);
        let address = format!("http://{}/{token}", hosts[0]);
        let opened = RwLock::new(Arc::new(opened));
        let site = Site { page, opened, hosts, token, secret, presence: Presence::new() };
        Ok(Server { listeners, address, site })
    }

    /// The address of the page, for one browser.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Answers until the page is closed, and announces to it what changes in the files that are watched.
    pub(super) fn run(self, watch: Option<Watch>) -> Result<(), CliError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(unable)?;
        let site = Arc::new(self.site);
        runtime.block_on(async {
            for listener in self.listeners {
                listener.set_nonblocking(true).map_err(unable)?;
                let listener = tokio::net::TcpListener::from_std(listener).map_err(unable)?;
                tokio::spawn(accept(listener, Arc::clone(&site)));
            }
            if let Some(watch) = watch {
                tokio::spawn(watch.run(Arc::clone(&site)));
            }
            site.presence.ended().await;
            Ok(())
        })
    }
}

async fn accept(listener: tokio::net::TcpListener, site: Arc<Site>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many files are open; some will be closed.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let site = Arc::clone(&site);
        let service = service_fn(move |request| {
            let site = Arc::clone(&site);
            async move { Ok::<_, Infallible>(site.answer(request).await) }
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        // A connection that breaks is the browser's business.
        tokio::spawn(async move { drop(connection.await) });
    }
}

impl Site {
    fn opened(&self) -> Arc<Opened> {
        Arc::clone(&self.opened.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks the pages to open these files in place of the earlier ones.
    pub(super) fn reopen(&self, opened: Opened) {
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(opened);
        self.presence.announce();
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let mut answer = match self.admit(request.method(), request.uri(), request.headers()) {
            Err((status, reason)) => text(status, reason),
            Ok(Wanted::Entry) => self.entry(),
            Ok(Wanted::Path(path)) => {
                self.presence.hear();
                let path = path.to_owned();
                self.find(&path, request).await
            }
        };
        let headers = [
            (header::CACHE_CONTROL, "no-store"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
            (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ];
        answer.headers_mut().extend(headers.map(|(name, value)| (name, HeaderValue::from_static(value))));
        answer
    }

    /// Whether a request may be answered; else its status, and why not.
    fn admit<'a>(
        &self,
        method: &Method,
        uri: &'a Uri,
        headers: &HeaderMap,
    ) -> Result<Wanted<'a>, (StatusCode, &'static str)> {
        if ![Method::GET, Method::HEAD].contains(method) {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "Nothing can be changed here."));
        }
        // A name that leads here from elsewhere (DNS rebinding) makes another page one of this origin.
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().filter(|host| self.hosts.iter().any(|own| *host == own.as_str()));
        let Some(host) = host.filter(|_| hosts.next().is_none() && uri.authority().is_none()) else {
            return Err((StatusCode::FORBIDDEN, "This server has another name."));
        };
        let own = |origin: &HeaderValue| {
            origin.as_bytes().strip_prefix(b"http://").is_some_and(|name| name == host.as_bytes())
        };
        let is = |name: &str, values: &[&str]| {
            headers.get(name).is_none_or(|value| values.iter().any(|one| value == one))
        };
        // A link elsewhere may lead here; a page elsewhere may not read.
        let is_own = is("sec-fetch-site", &["same-origin", "none"])
            || (is("sec-fetch-mode", &["navigate"]) && is("sec-fetch-dest", &["document"]));
        if !headers.get_all(header::ORIGIN).iter().all(own) || !is_own {
            return Err((StatusCode::FORBIDDEN, "Pages of other origins are not answered."));
        }
        let path = uri.path().strip_prefix('/').unwrap_or_default();
        if path == self.token {
            return match self.presence.was_open() {
                false => Ok(Wanted::Entry),
                true => Err((
                    StatusCode::GONE,
                    "A page has opened here, after which this address leads nowhere. Go on in it, or run fairlane open again.",
                )),
            };
        }
        match path.strip_prefix(&self.secret).and_then(|rest| rest.strip_prefix('/')) {
            Some(path) => Ok(Wanted::Path(path)),
            None => Err((StatusCode::FORBIDDEN, "Open the address that fairlane open has printed.")),
        }
    }

    /// Leads to the page with what it opens.
    fn entry(&self) -> Answer {
        let mut answer = text(StatusCode::SEE_OTHER, "");
        let target = format!("/{}/{}", self.secret, self.opened().fragment());
        let target = HeaderValue::try_from(target).expect("escaped text");
        answer.headers_mut().insert(header::LOCATION, target);
        answer
    }

    /// What is at a path within the folder.
    async fn find(&self, path: &str, request: Request<Incoming>) -> Answer {
        if let Some(address) = path.strip_prefix(files::FOLDER).and_then(|rest| rest.strip_prefix('/')) {
            return self.file(address, request).await;
        }
        match path {
            PRESENCE if request.method() == Method::HEAD => bytes("text/plain", &b""[..]),
            PRESENCE => {
                typed("text/plain", self.presence.hold().map_err(|never| match never {}).boxed_unsync())
            }
            LISTED => bytes("text/plain", self.opened().fragment()),
            PRESENCE_SCRIPT => bytes("text/javascript", SCRIPT),
            _ => self.page_file(path),
        }
    }

    /// A file that the page opens.
    async fn file(&self, address: &str, request: Request<Incoming>) -> Answer {
        const GONE: &str = "The file can no longer be read.";
        /// Bytes that are read at once; another thread reads each piece.
        const PIECE: usize = 1 << 20;
        let opened = self.opened();
        let Some(file) = opened.find(address) else { return no_such_file() };
        match &file.content {
            Content::Scenario(text) => bytes("application/json", text.clone()),
            Content::Fetched(log) => bytes("application/zip", log.clone()),
            Content::Path(path) => {
                match ServeFile::new(path).with_buf_chunk_size(PIECE).try_call(request).await {
                    Ok(answer) if answer.status() != StatusCode::NOT_FOUND => {
                        answer.map(BodyExt::boxed_unsync)
                    }
                    Ok(_) | Err(_) => text(StatusCode::NOT_FOUND, GONE),
                }
            }
        }
    }

    /// A file of the page itself; its first document says that it is open.
    fn page_file(&self, path: &str) -> Answer {
        let path =
            if path.is_empty() || path.ends_with('/') { format!("{path}{INDEX}") } else { path.to_owned() };
        let Some(content) = self.page.read(&path) else { return no_such_file() };
        let kind = mime_guess::from_path(&path).first_or_octet_stream();
        if path != INDEX {
            return bytes(kind.essence_str(), content.into_owned());
        }
        let script = format!("<script src=\"{PRESENCE_SCRIPT}\"></script></head>");
        let document = String::from_utf8_lossy(&content).replacen("</head>", &script, 1);
        bytes(kind.essence_str(), document)
    }
}

fn no_such_file() -> Answer {
    text(StatusCode::NOT_FOUND, "There is no such file.")
}

fn text(status: StatusCode, reason: &'static str) -> Answer {
    let mut answer = bytes("text/plain", reason);
    *answer.status_mut() = status;
    answer
}

fn bytes(kind: &str, content: impl Into<Bytes>) -> Answer {
    let content = content.into();
    let length = content.len();
    let mut answer = typed(kind, Full::new(content).map_err(|never| match never {}).boxed_unsync());
    answer.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    answer
}

fn typed(kind: &str, body: Body) -> Answer {
    let mut answer = Response::new(body);
    let kind = match kind.starts_with("text/") {
        true => format!("{kind}; charset=utf-8"),
        false => kind.to_owned(),
    };
    let kind = HeaderValue::try_from(kind).expect("the name of a kind of file");
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    answer
}

/// A name that nobody guesses: 128 random bits.
fn random_name() -> Result<String, CliError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| {
        CliError::new("open", format!("the system has no random numbers for the address: {error}"))
    })?;
    Ok(format!("{:032x}", u128::from_be_bytes(random)))
}
