//! The command `fairlane`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    fairlane::cli::main()
}

/// The browser has a page and no command.
#[cfg(target_arch = "wasm32")]
fn main() {}
