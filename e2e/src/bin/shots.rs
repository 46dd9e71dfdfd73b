//! Takes pictures of the page: `shots [FOLDER] [NAME=SUFFIX ...]`.
//!
//! Each `NAME=SUFFIX` is an address within the page (`drf=#...`); the default is the page as it opens. Each picture
//! is taken in both colour schemes, in a laptop's window and on a phone, as `NAME-SCHEME-SCREEN.png`.

use std::path::PathBuf;
use std::process::ExitCode;

use e2e::{Lab, Look, Scheme, Site};

fn main() -> ExitCode {
    let (scenes, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.contains('='));
    let folder = folders.first().map_or_else(|| PathBuf::from("e2e/shots"), PathBuf::from);
    let mut scenes: Vec<(&str, &str)> = scenes.iter().filter_map(|scene| scene.split_once('=')).collect();
    if scenes.is_empty() {
        scenes.push(("lab", ""));
    }

    let site = Site::dist();
    let mut errors = Vec::new();
    for (screen, look) in [("desk", Look::DESK), ("phone", Look::PHONE)] {
        for scheme in [Scheme::Light, Scheme::Dark] {
            let lab = Lab::open_as(&site, look.in_scheme(scheme).still(), "");
            for (name, suffix) in &scenes {
                lab.goto(suffix);
                lab.wait_until("document.documentElement.dataset.ready === 'true'");
                let file = folder.join(format!("{name}-{}-{screen}.png", scheme.name()));
                lab.screenshot(&file);
                println!("{}", file.display());
            }
            errors.extend(lab.console_errors());
        }
    }
    for error in &errors {
        eprintln!("console error: {error}");
    }
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
