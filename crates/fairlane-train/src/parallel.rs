//! Work on two threads, with results in the order of the work.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads.
const THREADS: usize = 2;

/// The results of a function of each index below a count.
pub fn map<R: Send>(count: usize, function: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..THREADS.min(count) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = results.get(index) else { break };
                    *result.lock().expect("no panic") = Some(function(index));
                }
            });
        }
    });
    results.into_iter().map(|result| result.into_inner().expect("no panic").expect("a result")).collect()
}
