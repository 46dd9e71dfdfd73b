//! Measures everything and writes the table of ratios: `bench [--keep-native] [--no-page] [--plots]`.
//!
//! Native figures come from criterion, those of WebAssembly from the same workload in Node and in
//! Chromium, those of the page from `bench-page`'s parts. The table goes to benches/README.md, between its two
//! marks, with plots beside it.

mod native;
mod plots;
mod table;
mod wasm;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use e2e::bench::{Figure, PARTS};

/// The words that are understood.
const WORDS: [&str; 3] = ["--keep-native", "--no-page", "--plots"];

const USAGE: &str = "usage: bench [--keep-native] [--no-page] [--plots]
  --keep-native  takes the native figures of the last run
  --no-page      leaves the page out (else dist/ must hold it)
  --plots        only draws the plots, of the native figures of the last run";

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn main() -> ExitCode {
    match bench() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn bench() -> Result<(), String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some(unknown) = arguments.iter().find(|word| !WORDS.contains(&word.as_str())) {
        return Err(format!("{unknown} is not known\n{USAGE}"));
    }
    let asked = |word: &str| arguments.iter().any(|argument| argument == word);
    let plots = root().join("benches/plots");
    if asked("--plots") {
        return plots::draw(&native::Figures::read(&root().join("target/criterion"))?, &plots);
    }
    if !asked("--keep-native") {
        run(Command::new("cargo").args(["bench", "-p", "fairlane-benches", "--bench", "engine"]))?;
    }
    let native = native::Figures::read(&root().join("target/criterion"))?;
    let peak = output(Command::new("cargo").args([
        "run",
        "--release",
        "-q",
        "-p",
        "fairlane-benches",
        "--bin",
        "peak",
    ]))?;
    let wasm = wasm::measure(&root())?;
    let mut page: Vec<(&str, Vec<Figure>)> = Vec::new();
    if !asked("--no-page") {
        page.extend(PARTS.iter().map(|&(name, measure)| (name, measure())));
    }
    let text = table::write(&native, &wasm, peak.trim(), &page);
    println!("{text}");
    plots::draw(&native, &plots)?;
    let readme = root().join("benches/README.md");
    let before = fs::read_to_string(&readme).map_err(|error| format!("{}: {error}", readme.display()))?;
    fs::write(&readme, table::replaced(&before, &text)?)
        .map_err(|error| format!("{}: {error}", readme.display()))
}

/// Runs a command in the repository.
fn run(command: &mut Command) -> Result<(), String> {
    let status = command.current_dir(root()).status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed ({status})")) }
}

/// What a command in the repository prints.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command.current_dir(root()).output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{command:?}: {error}"))
}
