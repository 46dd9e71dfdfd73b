//! The page's half of the browser build.

#[cfg(target_arch = "wasm32")]
fn main() {
    fairlane::app::root::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("fairlane-app is the page; build it with Trunk (see the README).");
}
