//! The built page: within the command, or in a folder.

use std::borrow::Cow;
use std::fs;
use std::path::{Component, Path, PathBuf};

use include_dir::Dir;

use crate::CliError;
use crate::path::InputPath;

/// The page that `./fairlane-dev build command` puts into the command.
#[cfg(feature = "page")]
static EMBEDDED: Option<Dir<'static>> =
    Some(include_dir::include_dir!("$CARGO_MANIFEST_DIR/../../target/embedded-page"));
#[cfg(not(feature = "page"))]
static EMBEDDED: Option<Dir<'static>> = None;

/// The document that a browser shows first.
pub(crate) const INDEX: &str = "index.html";

/// What would keep the page for use without a connection.
const OFFLINE: &str = "fairlane-offline.js";

/// Where the files of the page come from.
pub(crate) enum Page {
    Embedded(&'static Dir<'static>),
    Folder(PathBuf),
}

impl Page {
    /// The page in a folder, or the one within the command.
    pub(crate) fn of(folder: Option<&InputPath>) -> Result<Page, CliError> {
        let page = match (folder, &EMBEDDED) {
            (Some(folder), _) => Page::Folder(folder.path().to_owned()),
            (None, Some(embedded)) => Page::Embedded(embedded),
            (None, None) => {
                let message = "this command was built without the page. Build it with ./fairlane-dev build command, or \
                               give --page FOLDER with what ./fairlane-dev build has made (dist)";
                return Err(CliError::new("the page", message));
            }
        };
        match (&page, page.read(INDEX)) {
            (_, Some(_)) => Ok(page),
            (Page::Folder(folder), None) => {
                let message = format!(
                    "has no {INDEX} that can be read; give the folder of a built page, such as dist after \
                     ./fairlane-dev build"
                );
                Err(CliError::new(folder.display().to_string(), message))
            }
            (Page::Embedded(_), None) => {
                Err(CliError::new("the page", "the one in this command is damaged; build the command again"))
            }
        }
    }

    /// A file of the page by its path from the page's folder on.
    pub(crate) fn read(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        let path = Path::new(path);
        let is_within = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_within || path == Path::new(OFFLINE) {
            return None;
        }
        match self {
            Page::Embedded(folder) => Some(Cow::Borrowed(folder.get_file(path)?.contents())),
            Page::Folder(folder) => fs::read(folder.join(path)).ok().map(Cow::Owned),
        }
    }
}
