//! Requests over plain HTTP: with time-outs, and no more bytes than are asked for.

use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::time::Duration;

use ureq::{Agent, Error};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a server may be silent: it reads all logs' names before its first list, and packs a log while it sends it.
const SILENCE: Duration = Duration::from_secs(120);

/// Why there is no answer, and what to do.
#[derive(Debug)]
pub(super) enum Failure {
    /// The answer has this status.
    Status(u16),
    /// It has more bytes than were asked for.
    TooLong,
    /// A sentence.
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Status(status @ (401 | 403 | 407)) => write!(
                f,
                "the server asks who you are (status {status}); download the log in a browser, and give the file"
            ),
            Failure::Status(status) => {
                write!(f, "the server answers with status {status}; look into its log, or try again")
            }
            Failure::TooLong => f.write_str("is too long"),
            Failure::Other(sentence) => f.write_str(sentence),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let sentence = match error {
            Error::StatusCode(status) => return Failure::Status(status),
            Error::HostNotFound => "there is no such host; check the address".to_owned(),
            Error::Timeout(_) => {
                "the server does not answer in time; check that it is reached from here, or try again".to_owned()
            }
            Error::Io(error) => return error.into(),
            Error::BadUri(_) | Error::Http(_) => {
                "is no address; give that of a Spark History Server, such as http://history:18080".to_owned()
            }
            Error::Tls(_) | Error::TlsRequired => {
                "leads to an encrypted address, which this command does not read; download the log in a browser, and \
                 give the file"
                    .to_owned()
            }
            error => format!("there is no answer ({error}); check the address"),
        };
        Failure::Other(sentence)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.get_ref().is_some_and(|inner| inner.is::<Error>()) {
            return match Error::from(error) {
                Error::Io(error) => Failure::Other(format!("the connection breaks ({error}); try again")),
                error => error.into(),
            };
        }
        Failure::Other(match error.kind() {
            ErrorKind::ConnectionRefused => {
                "nothing answers there; start the server (sbin/start-history-server.sh), or check host and port".to_owned()
            }
            ErrorKind::TimedOut => "the server does not answer in time; try again".to_owned(),
            _ => format!("the connection breaks ({error}); try again"),
        })
    }
}

/// What asks servers.
#[derive(Clone)]
pub(super) struct Client(Agent);

impl Client {
    pub(super) fn new() -> Client {
        let config = Agent::config_builder().timeout_connect(Some(CONNECT));
        let config = config.timeout_recv_response(Some(SILENCE)).timeout_per_read(Some(SILENCE));
        Client(config.user_agent(concat!("fairlane/", env!("CARGO_PKG_VERSION"))).build().into())
    }

    /// What is at an address, of at most `most` bytes; `watch` sees the body as it is read.
    pub(super) fn get<R: Read>(
        &self,
        address: &str,
        most: u64,
        watch: impl FnOnce(ureq::BodyReader<'static>) -> R,
    ) -> Result<Vec<u8>, Failure> {
        let answer = self.0.get(address).call()?;
        let mut bytes = Vec::new();
        watch(answer.into_body().into_reader()).take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(Failure::TooLong) } else { Ok(bytes) }
    }
}
