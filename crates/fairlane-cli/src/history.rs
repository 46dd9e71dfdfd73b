//! A Spark History Server: which applications it has, and their logs, by its REST interface (`/api/v1`). Nothing is
//! written: a log is held in memory while it is read.

mod http;

use serde::Deserialize;

use super::CliError;
use super::args::{HistoryArgs, ServerAddress};
use super::progress::DelayedProgressBar;
use super::table::{self, CellAlign};
use fairlane_import::spark::FileKind;
use http::{Client, Failure};

/// Most applications that are listed; the others are counted.
const MAX_LISTED: usize = 40;
/// Most bytes of a list: of some hundred thousand applications.
const MAX_LIST_BYTES: u64 = 128 << 20;
/// Most bytes of an application's logs, compressed.
const MAX_LOG_BYTES: u64 = 1 << 30;

/// What a command reads of a History Server.
pub(super) enum Chosen {
    /// Nothing was chosen: the server's applications, and how to choose, as text.
    List(String),
    /// These logs; none if the command line has no server.
    Logs(Vec<ServerLog>),
}

impl Chosen {
    /// What is chosen of the servers on a command line, of which there is at most one.
    pub(super) fn of(servers: &[&ServerAddress], args: &HistoryArgs) -> Result<Chosen, CliError> {
        let address = match servers {
            [] if args.applications.is_empty() && args.latest.is_none() => {
                return Ok(Chosen::Logs(Vec::new()));
            }
            [] => {
                let message = "choose from a History Server; give its address, such as http://history:18080";
                return Err(CliError::new("--app and --latest", message));
            }
            [address] => address,
            [_, second, ..] => {
                let message = "is a second History Server; give one, and logs of the other as files";
                return Err(CliError::new(second.to_string(), message));
            }
        };
        let (server, shown) = HistoryServer::of(address)?;
        let ids: Vec<String> = if args.latest.is_none() && args.applications.is_empty() {
            shown.into_iter().collect()
        } else {
            args.applications.clone()
        };
        if !ids.is_empty() {
            return ids.iter().map(|id| server.log(id)).collect::<Result<_, _>>().map(Chosen::Logs);
        }
        let applications = server.applications()?;
        Ok(match args.latest {
            None => Chosen::List(list(address, &applications)),
            Some(count) => Chosen::Logs(
                applications
                    .iter()
                    .take(count.get())
                    .map(|one| server.log(&one.id))
                    .collect::<Result<_, _>>()?,
            ),
        })
    }
}

/// An application as a History Server lists it.
#[derive(Deserialize)]
struct Application {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    attempts: Vec<Attempt>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attempt {
    /// Such as `2026-11-21T22:22:43.315GMT`.
    #[serde(default)]
    start_time: String,
    /// In milliseconds.
    #[serde(default)]
    duration: u64,
    #[serde(default)]
    spark_user: String,
    #[serde(default)]
    completed: bool,
}

impl Application {
    /// The attempt that started last.
    fn last(&self) -> Option<&Attempt> {
        self.attempts.iter().max_by(|one, other| one.start_time.cmp(&other.start_time))
    }
}

#[derive(Clone)]
struct HistoryServer {
    /// The address, on which the paths of the REST interface follow.
    base: String,
    client: Client,
}

impl HistoryServer {
    /// The server of an address, and the application whose page it is, if it is one's.
    fn of(address: &ServerAddress) -> Result<(HistoryServer, Option<String>), CliError> {
        if address.as_str().starts_with("https://") {
            let message = "is encrypted, which this command does not read; give the server's http address, a tunnel to it, \
                           or the file that its page gives for download";
            return Err(CliError::new(address.to_string(), message));
        }
        let end = address.as_str().find(['?', '#']).unwrap_or(address.as_str().len());
        let place = &address.as_str()[..end];
        let before = |mark: &str| place.find(mark).map(|at| (&place[..at], &place[at + mark.len()..]));
        let (base, shown) = match before("/history/") {
            Some((base, rest)) => {
                let mut parts = rest.split('/').filter(|part| !part.is_empty());
                let id = parts.next();
                let is_attempt = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
                let attempt = parts.next().filter(is_attempt).map(|attempt| format!("/{attempt}"));
                (base, id.map(|id| format!("{id}{}", attempt.unwrap_or_default())))
            }
            None => (before("/api/v1").map_or(place, |(base, _)| base), None),
        };
        let server = HistoryServer { base: base.trim_end_matches('/').to_owned(), client: Client::new() };
        Ok((server, shown))
    }

    /// All applications, that which started last first.
    fn applications(&self) -> Result<Vec<Application>, CliError> {
        let address = format!("{}/api/v1/applications", self.base);
        let error = |message: String| CliError::new(&address, message);
        const NONE: &str = "is no list of applications; give the address of a Spark History Server, such as \
                            http://history:18080";
        let text =
            self.client.get(&address, MAX_LIST_BYTES, |body| body).map_err(|failure| match failure {
                Failure::Status(404) => error(NONE.to_owned()),
                Failure::TooLong => {
                    error("is too long a list; choose an application with --app ID".to_owned())
                }
                other => error(other.to_string()),
            })?;
        let mut applications: Vec<Application> =
            serde_json::from_slice(&text).map_err(|_| error(NONE.to_owned()))?;
        applications.sort_by_cached_key(|application| {
            let start = application.last().map(|attempt| attempt.start_time.clone());
            (std::cmp::Reverse(start), application.id.clone())
        });
        Ok(applications)
    }

    /// The log of an application, or of one attempt at it (`ID/ATTEMPT`).
    fn log(&self, id: &str) -> Result<ServerLog, CliError> {
        let parts: Vec<&str> = id.split('/').collect();
        // What is part of an address, whatever a server calls its applications.
        let is_name = |part: &&str| {
            let is_usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !part.is_empty() && part.chars().all(is_usual) && part.chars().any(|c| c != '.')
        };
        if parts.len() > 2 || !parts.iter().all(is_name) {
            let message = "is no id of an application, such as application_1700000000000_0001, or with an attempt, ID/1";
            return Err(CliError::new(id, message));
        }
        Ok(ServerLog { server: self.clone(), id: id.to_owned() })
    }
}

/// The log of an application on a server.
pub(super) struct ServerLog {
    server: HistoryServer,
    id: String,
}

impl ServerLog {
    /// The name of the file, as the server's own download has it.
    pub(super) fn name(&self) -> String {
        format!("eventLogs-{}.zip", self.id.replace('/', "_"))
    }

    /// Fetches the log, which is a zip archive.
    pub(super) fn fetch(&self) -> Result<Vec<u8>, CliError> {
        let address = format!("{}/api/v1/applications/{}/logs", self.server.base, self.id);
        let error = |message: String| CliError::new(&address, message);
        let progress = DelayedProgressBar::new();
        progress.downloading(self.name());
        let log = self.server.client.get(&address, MAX_LOG_BYTES, |body| progress.reading_stream(body));
        let log = log.map_err(|failure| match failure {
            Failure::Status(404) => error(
                "the server has no such application; without --app, its applications are listed".to_owned(),
            ),
            Failure::TooLong => error(format!(
                "is larger than {} MB; download it, such as by curl -O, and give the file",
                MAX_LOG_BYTES >> 20
            )),
            other => error(other.to_string()),
        })?;
        let head = &log[..log.len().min(FileKind::HEAD_BYTES as usize)];
        match FileKind::from_head(head).is_log() {
            true => Ok(log),
            false => Err(error(
                "is no event log; open the address in a browser, which may have to log in, and give the downloaded file"
                    .to_owned(),
            )),
        }
    }
}

/// A server's applications, and how to choose from them.
fn list(address: &ServerAddress, applications: &[Application]) -> String {
    let [first, ..] = applications else {
        return format!("{address} has no applications.\n");
    };
    let heading = [
        ("application", CellAlign::Left),
        ("name", CellAlign::Left),
        ("user", CellAlign::Left),
        ("started (UTC)", CellAlign::Left),
        ("minutes", CellAlign::Right),
        ("attempts", CellAlign::Right),
    ];
    let rows = applications.iter().take(MAX_LISTED).map(|application| {
        let last = application.last();
        let start = last.map(|attempt| attempt.start_time.chars().take(16).collect::<String>());
        let minutes = last.map(|attempt| match attempt.completed {
            true => format!("{:.1}", attempt.duration as f64 / 60_000.0),
            false => "running".to_owned(),
        });
        vec![
            application.id.clone(),
            table::name(&application.name),
            table::name(last.map_or("", |attempt| &attempt.spark_user)),
            start.unwrap_or_default().replace('T', " "),
            minutes.unwrap_or_default(),
            application.attempts.len().to_string(),
        ]
    });
    let mut text = table::layout(heading.map(|(title, align)| (title.to_owned(), align)).into(), rows);
    if let Some(more) = applications.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        text += &format!("and {more} that started before\n");
    }
    text + &format!(
        "\nChoose with --app {}, several separated by commas, or with --latest NUMBER.\n",
        first.id
    )
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::args::LogSource;
    use crate::path::InputPath;

    #[test]
    fn the_address_of_any_page_of_the_server_leads_to_it() {
        for (text, base, shown) in [
            ("http://history:18080", "http://history:18080", None),
            ("http://history:18080/?showIncomplete=true", "http://history:18080", None),
            ("http://gate/spark/api/v1/applications", "http://gate/spark", None),
            ("http://h/history/application_1_1/jobs/", "http://h", Some("application_1_1")),
            ("http://h/history/application_1_1/2/stages/?x#y", "http://h", Some("application_1_1/2")),
        ] {
            let LogSource::Server(address) = LogSource::<InputPath>::from(OsString::from(text)) else {
                panic!("{text}");
            };
            let (server, id) = HistoryServer::of(&address).expect("an address");
            assert_eq!((server.base.as_str(), id.as_deref()), (base, shown), "{text}");
        }
    }
}
