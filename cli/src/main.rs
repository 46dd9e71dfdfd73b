//! The command `fairlane`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    fairlane::cli::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
