//! The simulating half of the browser build: runs in Web Workers.

#[cfg(target_arch = "wasm32")]
fn main() {
    fairlane::app::worker::serve();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("fairlane-worker runs in a browser; build it with Trunk (see the README).");
}
