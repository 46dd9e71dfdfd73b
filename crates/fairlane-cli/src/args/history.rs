//! What is chosen of a Spark History Server, and sources that may be one.

use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;

use clap::Args;

/// The address of a Spark History Server, as the reader has given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerAddress(String);

impl ServerAddress {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A source of this machine, or a History Server that has logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LogSource<T> {
    /// A file, a folder or the like.
    Local(T),
    /// `http://…`.
    Server(ServerAddress),
}

impl<T: From<OsString>> From<OsString> for LogSource<T> {
    fn from(text: OsString) -> LogSource<T> {
        match text.to_str() {
            Some(address) if address.starts_with("http://") || address.starts_with("https://") => {
                LogSource::Server(ServerAddress(address.to_owned()))
            }
            _ => LogSource::Local(text.into()),
        }
    }
}

impl<T: Clone> LogSource<T> {
    /// The source, if it is one of this machine.
    pub(crate) fn local(self) -> Option<T> {
        match self {
            LogSource::Local(source) => Some(source),
            LogSource::Server(_) => None,
        }
    }

    /// The sources of this machine, and the servers.
    pub(crate) fn apart(sources: &[LogSource<T>]) -> (Vec<T>, Vec<&ServerAddress>) {
        let (mut local, mut servers) = (Vec::new(), Vec::new());
        for source in sources {
            match source {
                LogSource::Local(source) => local.push(source.clone()),
                LogSource::Server(address) => servers.push(address),
            }
        }
        (local, servers)
    }
}

/// Which applications of a History Server are read.
#[derive(Args, Debug)]
pub(crate) struct HistoryArgs {
    /// Read the applications with these ids from a History Server, separated by commas, or attempts at them (ID/ATTEMPT)
    #[arg(long = "app", value_name = "ID", value_delimiter = ',', conflicts_with = "latest")]
    pub(crate) applications: Vec<String>,

    /// Read this many applications from a History Server, those that started last
    #[arg(long, value_name = "NUMBER")]
    pub(crate) latest: Option<NonZeroUsize>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::InputPath;

    #[test]
    fn an_address_is_a_server_and_anything_else_a_file() {
        let read = |text: &str| LogSource::<InputPath>::from(OsString::from(text));
        assert!(matches!(read("http://history:18080"), LogSource::Server(_)));
        assert!(matches!(read("https://history/"), LogSource::Server(_)));
        for file in ["http", "logs/http://x", "app-1.zstd", "-"] {
            assert_eq!(read(file), LogSource::Local(InputPath::from(OsString::from(file))), "{file}");
        }
    }
}
