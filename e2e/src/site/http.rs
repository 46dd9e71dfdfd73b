//! As much of HTTP/1.1 as a browser needs to fetch files.

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;

use super::{Answer, Line};

/// Most bytes of a request; browsers' own are below 2 KB.
const MOST_BYTES: u64 = 64 * 1024;

/// What somebody asks for.
pub struct Request {
    /// The path, without what follows `?` or `#`.
    pub path: String,
    /// How the answer may be compressed.
    pub takes: Takes,
}

/// The compressions that somebody understands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Takes {
    pub gzip: bool,
    pub brotli: bool,
}

/// One connection to a browser, which asks for one file after the other.
pub struct Connection {
    from: BufReader<TcpStream>,
    to: TcpStream,
    bare: bool,
    last: bool,
}

impl Connection {
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { to: stream.try_clone()?, from: BufReader::new(stream), bare: false, last: false })
    }

    /// The next request; `None` once there will be no more.
    pub fn next(&mut self) -> io::Result<Option<Request>> {
        if self.last {
            return Ok(None);
        }
        let mut head = (&mut self.from).take(MOST_BYTES);
        let mut line = String::new();
        head.read_line(&mut line)?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [method @ ("GET" | "HEAD"), target, "HTTP/1.0" | "HTTP/1.1"] = words[..] else {
            return Ok(None);
        };
        self.bare = method == "HEAD";
        self.last = line.trim_end().ends_with("/1.0");
        let path = target.split(['?', '#']).next().unwrap_or_default().to_owned();
        let mut takes = Takes::default();
        loop {
            let mut line = String::new();
            if head.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                return Ok(Some(Request { path, takes }));
            }
            match line.split_once(':') {
                Some(("accept-encoding", value)) => {
                    let takes_this = |name: &str| value.split(',').any(|one| one.trim() == name);
                    takes = Takes { gzip: takes_this("gzip"), brotli: takes_this("br") };
                }
                Some(("connection", value)) => self.last |= value.trim() == "close",
                _ => {}
            }
        }
    }

    /// Answers the request read last over a line; how many bytes that took.
    pub fn give(&mut self, answer: &Answer, line: &Line) -> io::Result<usize> {
        let encoding = answer.encoding.map_or(String::new(), |name| format!("Content-Encoding: {name}\r\n"));
        let connection = if self.last { "close" } else { "keep-alive" };
        // A test may replace the other files between two loads of the page.
        let caching = if answer.lasts { "max-age=3600, immutable" } else { "no-store" };
        let head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{encoding}\
             Vary: Accept-Encoding\r\nCache-Control: {caching}\r\nConnection: {connection}\r\n\r\n",
            answer.status,
            if answer.status == 200 { "OK" } else { "No" },
            answer.mime,
            answer.body.len(),
        );
        let body = if self.bare { &[][..] } else { &answer.body };
        line.send(&mut self.to, head.as_bytes())?;
        line.send(&mut self.to, body)?;
        Ok(head.len() + body.len())
    }
}
