//! Links to files beside the page, which it opens as it starts: `#open=files/0/app.zstd&files/1/fairscheduler.xml`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::parts::percent_decoded;

const OPEN: &str = "open=";

/// What has a meaning of its own in an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// A file in the page's folder or below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedFile {
    /// The address from the page's folder on.
    pub address: String,
    /// The name of the file, as the reader knows it.
    pub name: String,
}

impl LinkedFile {
    /// A file with any name in a folder whose own name needs no escape.
    pub fn new(folder: &str, name: &str) -> LinkedFile {
        let address = format!("{folder}/{}", utf8_percent_encode(name, ESCAPED));
        LinkedFile { address, name: name.to_owned() }
    }

    /// The fragment of the page's address that has it open these files, which are at least one.
    pub fn to_fragment(files: &[LinkedFile]) -> String {
        let addresses: Vec<&str> = files.iter().map(|file| file.address.as_str()).collect();
        format!("#{OPEN}{}", addresses.join("&"))
    }

    /// The files that a fragment has the page open; `None` if it does not name files in the page's own folder.
    pub fn from_fragment(fragment: &str) -> Option<Vec<LinkedFile>> {
        fragment.strip_prefix('#').unwrap_or(fragment).strip_prefix(OPEN)?.split('&').map(linked).collect()
    }
}

fn linked(address: &str) -> Option<LinkedFile> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.%".contains(&byte);
    let mut name = String::new();
    for part in address.split('/') {
        name = String::from_utf8(percent_decoded(part)?).ok()?;
        // Also in escapes these lead elsewhere.
        if ["", ".", ".."].contains(&name.as_str()) || !part.bytes().all(is_plain) {
            return None;
        }
    }
    Some(LinkedFile { address: address.to_owned(), name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_the_files_that_it_was_made_of() {
        let files = [
            LinkedFile::new("files/0", "app-1.zstd"),
            LinkedFile::new("files/1", "Ana & Ben #1/ü 100%.xml"),
            LinkedFile::new("files/2", "a"),
        ];
        let fragment = LinkedFile::to_fragment(&files);
        assert!(
            fragment.starts_with("#open=files/0/app-1.zstd&files/1/Ana%20%26%20Ben%20%231%2F"),
            "{fragment}"
        );
        assert_eq!(LinkedFile::from_fragment(&fragment).as_deref(), Some(files.as_slice()));
        assert!(!crate::link::is_link(&fragment), "no session");
    }

    #[test]
    fn links_open_nothing_outside_of_the_pages_folder() {
        for fragment in [
            "",
            "#open",
            "#open=",
            "#catalog:skew",
            "#open=/etc/passwd",
            "#open=../app.zstd",
            "#open=%2e./app.zstd",
            "#open=files/./app.zstd",
            "#open=files//app.zstd",
            "#open=https://lab.example/app.zstd",
            "#open=app.zstd?query",
            "#open=app.zstd&",
            "#open=app%2",
            "#open=app%ff",
        ] {
            assert_eq!(LinkedFile::from_fragment(fragment), None, "{fragment}");
        }
        let beside = LinkedFile { address: "app.zstd".to_owned(), name: "app.zstd".to_owned() };
        assert_eq!(LinkedFile::from_fragment("#open=app.zstd"), Some(vec![beside]));
    }
}
