//! The usual workload in WebAssembly, in Node and in Chromium.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use e2e::{Lab, Look, Site};

use super::{output, run};

/// Tasks per second, by policy or yardstick.
pub type Rates = BTreeMap<String, f64>;

/// What was measured.
pub struct Wasm {
    pub node: Rates,
    pub chromium: Rates,
}

const PAGE: &str = r#"<!doctype html><html lang="en"><title>bench</title><script type="module">
import init, { Bench } from "./fairlane_benches.js";
import { measure } from "./wasm.mjs";
await init();
window.figures = measure(Bench);
</script>"#;

/// Builds the module and measures it. Needs wasm-bindgen, wasm-opt and node on the path.
pub fn measure(root: &Path) -> Result<Wasm, String> {
    let folder = root.join("target/bench-wasm");
    let built = "target/wasm32-unknown-unknown/release/fairlane_benches.wasm";
    let target = ["--target", "wasm32-unknown-unknown"];
    run(Command::new("cargo")
        .args(["build", "--release", "-q", "-p", "fairlane-benches", "--lib"])
        .args(target))?;
    run(Command::new("wasm-bindgen")
        .args(["--target", "web", "--no-typescript", "--out-dir"])
        .arg(&folder)
        .arg(built))?;
    let module = folder.join("fairlane_benches_bg.wasm");
    let features = [
        "bulk-memory",
        "nontrapping-float-to-int",
        "sign-ext",
        "mutable-globals",
        "reference-types",
        "multivalue",
    ];
    let features = features.map(|feature| format!("--enable-{feature}"));
    run(Command::new("wasm-opt").arg("-O3").args(features).arg(&module).arg("-o").arg(&module))?;
    fs::write(folder.join("index.html"), PAGE).map_err(|error| error.to_string())?;
    fs::copy(root.join("benches/wasm.mjs"), folder.join("wasm.mjs")).map_err(|error| error.to_string())?;

    let node = output(Command::new("node").arg("benches/wasm.mjs").arg(&folder))?;
    let node = serde_json::from_str(&node).map_err(|error| format!("node printed {node:?}: {error}"))?;

    let site = Site::folder(&folder);
    let lab = Lab::open_as(&site, Look::DESK, "");
    let figures = lab.wait_at_most(Duration::from_secs(120), "window.figures");
    let chromium = serde_json::from_value(figures).map_err(|error| format!("in Chromium: {error}"))?;
    Ok(Wasm { node, chromium })
}
