//! Measures the built page in a real Chromium: `bench-page [PART…]`, all parts by default.
//!
//! Prints a table of figures with their limits. A figure over its limit is marked in the table and makes the
//! command fail; measure on a machine that does nothing else.

use std::process::ExitCode;

use e2e::bench::{self, Figure};

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted.iter().find(|name| bench::PARTS.iter().all(|(part, _)| part != name)) {
        let parts = bench::PARTS.map(|(part, _)| part).join("|");
        eprintln!("bench-page: unknown part {unknown}; usage: bench-page [{parts}]");
        return ExitCode::from(2);
    }
    let mut figures: Vec<Figure> = Vec::new();
    for (part, measure) in bench::PARTS {
        if wanted.is_empty() || wanted.iter().any(|name| name == part) {
            println!("\n{part}");
            for figure in measure() {
                println!("{figure}");
                figures.push(figure);
            }
        }
    }
    if figures.iter().all(Figure::is_kept) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
