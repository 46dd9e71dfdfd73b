//! Logs that are written on while the page shows them (`--watch`).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::files::{self, Content, Opened, OpenedFile};
use super::server::Site;
use crate::CliError;
use crate::args::ScenarioArg;
use crate::path::InputPath;

/// How often the files are looked at: a page that reads them again all the time shows nothing.
const INTERVAL: Duration = Duration::from_secs(2);

/// What the name of a log ends with as long as its application runs.
const RUNNING: &str = ".inprogress";

/// Logs, and what they were when they were last looked at.
pub(super) struct Watch {
    paths: Vec<InputPath>,
    seen: Vec<Seen>,
}

/// A file's name, bytes and last change.
#[derive(PartialEq)]
struct Seen(PathBuf, u64, Option<SystemTime>);

impl Watch {
    /// Watches what is opened, if these are logs of this machine.
    pub(super) fn of(sources: &[ScenarioArg], opened: &Opened) -> Result<Watch, CliError> {
        let unfit = || {
            CliError::new(
                "--watch",
                "follows logs that grow; give files or folders of logs, and nothing else",
            )
        };
        let path = |source: &ScenarioArg| match source {
            ScenarioArg::File(path) if !files::is_lesson(path.path()) => Ok(path.clone()),
            _ => Err(unfit()),
        };
        let paths: Vec<InputPath> = sources.iter().map(path).collect::<Result<_, _>>()?;
        match opened {
            Opened::Files(files) if !files.is_empty() => {
                let seen = files.iter().map(seen).collect::<Option<_>>().ok_or_else(unfit)?;
                Ok(Watch { paths, seen })
            }
            Opened::Files(_) | Opened::Session(_) => Err(unfit()),
        }
    }

    /// Looks at the files until the server ends.
    pub(super) async fn run(mut self, site: Arc<Site>) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let paths = self.paths.iter().map(|path| current(path.path()).into()).collect();
            // What cannot be read now, such as while it is renamed, may be there the next time.
            let Ok(files) = files::files(paths, &[]) else { continue };
            let Some(now) = files.iter().map(seen).collect::<Option<Vec<Seen>>>() else { continue };
            if now != self.seen {
                self.seen = now;
                site.reopen(Opened::Files(files));
            }
        }
    }
}

/// Where a log is now: when its application ends, its name changes.
fn current(path: &Path) -> PathBuf {
    let ended = path.to_str().and_then(|text| text.strip_suffix(RUNNING)).map(PathBuf::from);
    ended.filter(|ended| !path.exists() && ended.exists()).unwrap_or_else(|| path.to_owned())
}

/// A file as it is now; none if it is no file of this machine.
fn seen(file: &OpenedFile) -> Option<Seen> {
    let Content::Path(path) = &file.content else { return None };
    let metadata = fs::metadata(path).ok()?;
    Some(Seen(path.clone(), metadata.len(), metadata.modified().ok()))
}
