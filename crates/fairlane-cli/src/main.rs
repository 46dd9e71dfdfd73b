//! The command `fairlane`.

fn main() -> std::process::ExitCode {
    fairlane_cli::main()
}
