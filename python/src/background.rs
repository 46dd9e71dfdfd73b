//! Work beside the interpreter: without its lock, on threads that end with the call, and stopped by an interrupt.

use std::any::Any;
use std::panic;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use fairlane::engine::Control;
use pyo3::prelude::*;

/// How often the interpreter is asked for an interrupt.
const PATIENCE: Duration = Duration::from_millis(50);

/// Set once the caller has been interrupted.
#[derive(Default)]
pub struct Stop(AtomicBool);

impl Stop {
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether a simulation goes on.
    pub fn control(&self) -> Control {
        if self.is_set() { Control::Stop } else { Control::Continue }
    }

    /// An observer that stops a simulation.
    pub fn observer<T>(&self) -> impl FnMut(T) -> Control {
        |_| self.control()
    }
}

/// Does some work on a thread of its own while the caller's waits without the interpreter's lock.
///
/// # Errors
/// What a handler of a signal raises meanwhile, such as `KeyboardInterrupt`. The work is told to stop.
pub fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> PyResult<T> {
    let stop = Stop::default();
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(1);
            let stop = &stop;
            let worker = scope.spawn(move || {
                // Nobody waits any more once the caller has been interrupted.
                let _ = sender.send(work(stop));
            });
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Timeout) => {
                        Python::attach(|py| py.check_signals())
                            .inspect_err(|_| stop.0.store(true, Ordering::Relaxed))?;
                    }
                    Err(RecvTimeoutError::Disconnected) => panic::resume_unwind(payload(worker.join())),
                }
            }
        })
    })
}

/// What a thread that has sent no result panicked with.
fn payload(ended: thread::Result<()>) -> Box<dyn Any + Send> {
    ended.err().unwrap_or_else(|| Box::new("a thread ended without a result"))
}

/// A result for each index below a count, computed on all cores. `worker` makes what each thread works with. Indices
/// that are not begun when the caller is interrupted have no result.
pub fn on_all_cores<R: Send, W: FnMut(usize) -> R>(
    count: usize,
    stop: &Stop,
    worker: impl Fn() -> W + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(count));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut work = worker();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || stop.is_set() {
                        break;
                    }
                    let result = work(index);
                    results.lock().expect("no thread panics with it").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics with it");
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
