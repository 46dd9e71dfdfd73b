//! Whether the process was started with a standard output at all.
//!
//! Before `main`, Rust opens `/dev/null` in the place of a standard stream that is closed (`fairlane … >&-`), so that
//! no other file takes its number. Whatever is printed then is lost without an error. So this asks earlier.

use std::io;

/// Fails if standard output was closed when the process was started.
pub(super) fn check() -> io::Result<()> {
    match started::closed() {
        false => Ok(()),
        true => Err(io::Error::other("it is closed; give the command a standard output, such as /dev/null")),
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod started {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    // Functions in this section run before Rust's own start. This one only asks for a flag of a file number.
    #[expect(
        unsafe_code,
        reason = "what runs before main must not use what Rust's start sets up; this does not"
    )]
    #[used]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static BEFORE_MAIN: extern "C" fn() = ask;

    extern "C" fn ask() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        CLOSED.store(closed, Ordering::Relaxed);
    }

    pub(super) fn closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod started {
    pub(super) fn closed() -> bool {
        false
    }
}
