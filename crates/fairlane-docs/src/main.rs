//! Writes the notices of the crates that are in a program of ours, with the texts of their licences.
//!
//! `cargo run -p fairlane-docs -- PACKAGE TARGET [FEATURES]` prints them. They come with the page, the package for
//! JavaScript, that for Python and the command. A crate whose licence is not known here, or has no text, is an error,
//! so that a new dependency cannot bring terms that nobody has read.

mod licence;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::Deserialize;

/// A crate as `cargo metadata` describes it.
#[derive(Clone, Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    #[serde(default)]
    authors: Vec<String>,
    manifest_path: PathBuf,
    /// Where it is from; nowhere else if it is ours.
    source: Option<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let notices = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [package, target] => notices(package, target, ""),
        [package, target, features] => notices(package, target, features),
        _ => Err("usage: fairlane-docs PACKAGE TARGET [FEATURES]".to_owned()),
    };
    match notices {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("fairlane-docs: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The notices of all crates in a package that is built for a target.
fn notices(package: &str, target: &str, features: &str) -> Result<String, String> {
    let shipped = shipped(package, target, features)?;
    let metadata = cargo(&["metadata", "--format-version", "1", "--locked", "--filter-platform", target])?;
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let Metadata { packages } =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let is_shipped = |one: &Package| shipped.contains(&format!("{} v{}", one.name, one.version));
    let mut packages: Vec<Package> =
        packages.into_iter().filter(|one| one.source.is_some() && is_shipped(one)).collect();
    packages.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    text(package, &packages)
}

/// Names and versions of the crates whose code is in the program: neither build scripts nor macros, which only run
/// while it is compiled.
fn shipped(package: &str, target: &str, features: &str) -> Result<BTreeSet<String>, String> {
    let mut arguments = vec!["tree", "--locked", "--package", package, "--target", target];
    arguments.extend(["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]);
    if !features.is_empty() {
        arguments.extend(["--features", features]);
    }
    let tree = cargo(&arguments)?;
    let name = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    Ok(tree.lines().map(name).collect())
}

fn cargo(arguments: &[&str]) -> Result<String, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(arguments).output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("cargo {}: {error}", arguments[0]))
}

fn text(package: &str, packages: &[Package]) -> Result<String, String> {
    let mut list = String::new();
    // Each text once, with all crates that it is of, in the order of the first of them.
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for one in packages {
        let name = format!("{} {}", one.name, one.version);
        let terms = one.license.as_deref().ok_or_else(|| format!("{name} names no licence"))?;
        let taken = licence::taken(terms).ok_or_else(|| {
            format!("{name} has the licence {terms}, which is not known; read it, and add it to licence.rs")
        })?;
        let address = one.repository.as_deref().map(|address| format!(" {address}")).unwrap_or_default();
        writeln!(list, "{name} ({terms}){address}").expect("a string takes everything");
        let folder = one.manifest_path.parent().unwrap_or(Path::new("."));
        let found = licence::texts(folder, &taken, &one.authors)
            .map_err(|error| format!("{name} ({terms}): {error}"))?;
        for found in found {
            let at = *index.entry(found.clone()).or_insert_with(|| {
                texts.push((found, Vec::new()));
                texts.len() - 1
            });
            texts[at].1.push(name.clone());
        }
    }
    let mut text = format!(
        "THIRD-PARTY NOTICES: {package}\n\nPrograms made of this contain the crates below and Rust's standard library (MIT \
         OR Apache-2.0,\nhttps://github.com/rust-lang/rust). Where a crate may be had under several licences, it is used \
         under the first\nwhose text follows. The source of each, also of those under the Mozilla Public License, is at \
         its address.\n\n{list}"
    );
    for (body, names) in texts {
        let rule = "-".repeat(100);
        write!(text, "\n{rule}\n{}\n\n{body}\n", names.join(", ")).expect("a string takes everything");
    }
    Ok(text)
}
