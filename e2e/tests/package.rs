//! The package for JavaScript in browsers: `./fairlane-dev package js` has left it in `target/js/package`.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::Path;

use e2e::{Lab, Look, Site, json};
use tempfile::TempDir;

const PAGE: &str = r#"<!doctype html><link rel="icon" href="data:,">
<script type="importmap">
  { "imports": { "fairlane": "./fairlane/index.js", "fairlane/worker": "./fairlane/worker/browser.js" } }
</script>
<script type="module">
  import init, { FairlaneError, scenario, simulate } from "fairlane";
  import { Simulator } from "fairlane/worker";

  const name = (error) => error.name;
  await init();
  const users = scenario("two-users");
  const simulator = new Simulator();
  const controller = new AbortController();
  const long = { ...users, jobs: Array.from({ length: 4000 }, () => (
    { user: "ana", arrival_s: 0, stages: [{ work_s: 1000, partitions: 1000 }] }
  )) };
  const cancelled = simulator.simulate(long, "uwfq", { signal: controller.signal }).catch(name);
  setTimeout(() => controller.abort(), 300);
  let path;
  try { simulate({ ...users, jobs: [{}] }, "uwfq"); } catch (error) { path = error instanceof FairlaneError && error.path; }
  window.results = {
    here: simulate(users, "uwfq-p").trace_hash,
    cancelled: await cancelled,
    worker: (await simulator.simulate(users, "uwfq-p")).trace_hash,
    worker_error: await simulator.compare({ ...users, jobs: [{}] }, ["fair"]).catch((error) => error.path),
    path,
  };
</script>"#;

fn site() -> (Site, TempDir) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/js/package");
    assert!(package.is_dir(), "there is no package: build it first with ./fairlane-dev package js");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("index.html"), PAGE).expect("a page");
    symlink(package, folder.path().join("fairlane")).expect("a link to the package");
    (Site::folder(folder.path()), folder)
}

#[track_caller]
fn simulates_as_the_native_program(lab: &Lab) {
    lab.wait_until("window.results");
    let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
    let hash = fairlane::simulate(&scenario, "uwfq-p".parse().expect("a policy")).hash();
    let hash = format!("{hash:016x}");
    assert_eq!(
        lab.eval("window.results"),
        json!({ "here": hash, "worker": hash, "cancelled": "AbortError", "path": "jobs[0]", "worker_error": "jobs[0]" })
    );
}

#[test]
fn the_package_in_chromium() {
    let (site, _folder) = site();
    let lab = Lab::open_as(&site, Look::DESK, "");
    simulates_as_the_native_program(&lab);
    assert_eq!(lab.console_errors(), Vec::<String>::new());
}

#[test]
fn the_package_in_firefox() {
    let (site, _folder) = site();
    simulates_as_the_native_program(&Lab::firefox(&site, ""));
}
