//! Licences: which of a crate's is taken, and where its text is.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The licences that we know, the one that is taken first at the top, and words of each one's text.
const KNOWN: [(&str, &str); 12] = [
    ("MIT", "Permission is hereby granted, free of charge"),
    ("0BSD", "Permission to use, copy, modify, and/or distribute"),
    ("Zlib", "This software is provided 'as-is'"),
    ("BSD-2-Clause", "Redistribution and use in source and binary forms"),
    ("BSD-3-Clause", "Redistribution and use in source and binary forms"),
    ("ISC", "Permission to use, copy, modify, and/or distribute"),
    ("Apache-2.0", "Apache License"),
    ("BSL-1.0", "Boost Software License"),
    ("CC0-1.0", "CC0"),
    ("Unlicense", "This is free and unencumbered software"),
    ("Unicode-3.0", "UNICODE LICENSE V3"),
    ("MPL-2.0", "Mozilla Public License"),
];

/// A known licence.
pub type Licence = (&'static str, &'static str);

/// The licences that are taken of an SPDX expression: one of those in each OR, all of those in each AND. `None` if there
/// is a licence that is not known.
pub fn taken(terms: &str) -> Option<Vec<Licence>> {
    let terms = terms.replace('/', " OR ").replace(['(', ')'], " ");
    let words = terms.split_whitespace().collect::<Vec<_>>().join(" ");
    words.split(" AND ").map(one_of).collect()
}

/// The first known licence of alternatives. An exception only permits more.
fn one_of(alternatives: &str) -> Option<Licence> {
    let plain = |one: &str| {
        let name = one.split(" WITH ").next().unwrap_or(one).trim();
        name.trim_end_matches('+').trim_end_matches("-or-later").to_owned()
    };
    let names: Vec<String> = alternatives.split(" OR ").map(plain).collect();
    KNOWN.into_iter().find(|(known, _)| names.iter().any(|name| name == known))
}

/// The texts of a crate's licences, as they are in its folder.
pub fn texts(folder: &Path, taken: &[Licence], authors: &[String]) -> Result<Vec<String>, String> {
    let files = files(folder)?;
    taken.iter().map(|licence| text(&files, *licence, authors)).collect()
}

fn text(files: &[(PathBuf, String)], (name, words): Licence, authors: &[String]) -> Result<String, String> {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let words = flat(words);
    let mut fitting: Vec<&(PathBuf, String)> =
        files.iter().filter(|(_, text)| flat(text).contains(&words)).collect();
    // A file with several licences in it comes after one with this alone.
    fitting.sort_by_key(|(path, text)| (text.len(), path.clone()));
    if let Some((_, text)) = fitting.first() {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        return Ok(lines.join("\n").trim_matches('\n').to_owned());
    }
    // Some crates name the licence and come without its text.
    match name {
        "MIT" | "Apache-2.0" | "BSD-2-Clause" | "BSD-3-Clause" | "CC0-1.0" | "0BSD" => {
            let by = match authors {
                [] => "its authors".to_owned(),
                authors => authors.join(", "),
            };
            Ok(format!("Copyright: {by}. {}", standard(name)))
        }
        _ => Err(format!("no file in its folder has the text of {name}")),
    }
}

/// What stands for a text that a crate does not bring.
fn standard(name: &str) -> String {
    let text = match name {
        "MIT" => include_str!("../../../LICENSE-MIT"),
        "Apache-2.0" => include_str!("../../../LICENSE-APACHE"),
        _ => return format!("Under the licence {name}, https://spdx.org/licenses/{name}.html"),
    };
    // Without our own names.
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("Copyright")).collect();
    format!("Under the following licence.\n\n{}", lines.join("\n").trim())
}

/// The files of a folder that may be licences or notices, also those in a folder of licences.
fn files(folder: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    const WORDS: [&str; 6] = ["LICEN", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE", "MIT"];
    let unreadable = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    let entries = |folder: &Path| -> Result<Vec<PathBuf>, String> {
        let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
        Ok(entries.flatten().map(|entry| entry.path()).collect())
    };
    let mut paths = Vec::new();
    for path in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if WORDS.iter().any(|word| name.contains(word)) {
            paths.extend(if path.is_dir() { entries(&path)? } else { vec![path] });
        }
    }
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).map_err(|error| unreadable(&path, error))?;
        Ok((path, String::from_utf8_lossy(&bytes).into_owned()))
    };
    paths.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alternative_is_taken_and_every_part_of_a_conjunction() {
        let names = |terms: &str| taken(terms).map(|taken| taken.into_iter().map(|(name, _)| name).collect());
        let taken =
            |terms: &str, expected: &[&'static str]| assert_eq!(names(terms), Some(expected.to_vec()));
        taken("MIT OR Apache-2.0", &["MIT"]);
        taken("Apache-2.0/MIT", &["MIT"]);
        taken("Apache-2.0 WITH LLVM-exception", &["Apache-2.0"]);
        taken("(MIT OR Apache-2.0) AND Unicode-3.0", &["MIT", "Unicode-3.0"]);
        taken("MPL-2.0+", &["MPL-2.0"]);
        taken("MIT OR Apache-2.0 OR LGPL-2.1-or-later", &["MIT"]);
        assert_eq!(names("GPL-3.0-only"), None);
        assert_eq!(names("MIT AND SSPL-1.0"), None);
    }
}
