//! Work spread over threads, with results that do not depend on their number. One thread means none but the
//! caller's, as in a browser: WebAssembly has no threads, and a program for it contains nothing to start them.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

/// Whether work is spread over this many threads.
pub(super) fn is_spread(threads: usize) -> bool {
    cfg!(not(target_arch = "wasm32")) && threads > 1
}

/// The results of a function for all items, in their order.
pub(super) fn map<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if !is_spread(threads) || items.len() < 2 {
        return items.iter().map(work).collect();
    }
    let on_chunk = |chunk: &[T]| chunk.iter().map(&work).collect::<Vec<R>>();
    thread::scope(|scope| {
        let chunks = items.chunks(items.len().div_ceil(threads));
        let handles: Vec<_> = chunks
            .map(|chunk| {
                let on_chunk = &on_chunk;
                scope.spawn(move || on_chunk(chunk))
            })
            .collect();
        handles.into_iter().flat_map(joined).collect()
    })
}

/// The results of two functions, of which the second runs on a thread of its own.
pub(super) fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    thread::scope(|scope| {
        let second = scope.spawn(second);
        (first(), joined(second))
    })
}

fn joined<R>(handle: ScopedJoinHandle<R>) -> R {
    handle.join().unwrap_or_else(|payload| resume_unwind(payload))
}
