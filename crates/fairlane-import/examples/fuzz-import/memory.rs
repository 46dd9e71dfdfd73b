//! How much memory the current input takes. An allocator that counts, and ends the process beyond a limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt;
use std::process;

/// More than any log of a few lines may take, in bytes. A zstd window or a line may have 64 MB, and a buffer that grows
/// is there twice.
const MOST: i64 = 300 << 20;

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

thread_local! {
    /// Bytes allocated and not freed since the input began, and their maximum.
    static NOW: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
    /// Seed and number of the input.
    static INPUT: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
}

/// Counts from 0 for an input on this thread.
pub(crate) fn watch(seed: u64, number: u64) {
    INPUT.set(Some((seed, number)));
    NOW.set(0);
    PEAK.set(0);
}

/// Most bytes at once since the input began.
pub(crate) fn peak() -> u64 {
    INPUT.set(None);
    PEAK.get().unsigned_abs()
}

/// The command line that runs an input again.
pub(crate) struct Replay(pub(crate) u64, pub(crate) u64);

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Replay(seed, number) = self;
        write!(
            f,
            "cargo run -p fairlane-import --example fuzz-import -- --seed {seed} --input {number} --keep FOLDER"
        )
    }
}

fn grow(bytes: i64) {
    let now = NOW.get() + bytes;
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
    if now > MOST
        && bytes > 0
        && let Some((seed, number)) = INPUT.take()
    {
        let most = MOST >> 20;
        eprintln!(
            "\ninput {number} of seed {seed} takes more than {most} MB\nReplay it: {}",
            Replay(seed, number)
        );
        process::exit(1);
    }
}

// SAFETY: every call is passed on to the system's allocator; counting allocates nothing.
#[expect(unsafe_code, reason = "an allocator is unsafe")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size() as i64);
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size() as i64);
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size as i64 - layout.size() as i64);
        // SAFETY: as the caller guarantees.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        grow(-(layout.size() as i64));
        // SAFETY: as the caller guarantees.
        unsafe { System.dealloc(pointer, layout) }
    }
}
