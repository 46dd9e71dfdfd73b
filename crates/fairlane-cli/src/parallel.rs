//! Work spread over threads, with results in the order of the items.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// How far work may run ahead of the oldest result that is still missing: bounds what is held.
const WINDOW: usize = 256;

/// What a thread sends: an item's index and result, or what it panicked with.
type ThreadResult<R> = Result<(usize, R), Box<dyn Any + Send>>;

/// As many threads as there are cores.
pub(super) fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does every item's work on a number of threads and hands the results to `emit` in the items' order, each as soon as
/// it and all before it are known. `worker` makes what each thread works with. Stops early if `emit` says so.
///
/// Items are asked for one by one, when a thread is free for the next, so that they may be read from a pipe. A panic in
/// a worker continues in the caller.
pub(super) fn ordered<I, R, W>(
    threads: usize,
    items: impl Iterator<Item = I> + Send,
    worker: impl Fn() -> W + Sync,
    mut emit: impl FnMut(R) -> ControlFlow<()>,
) where
    I: Send,
    R: Send,
    W: FnMut(I) -> R,
{
    let items = Mutex::new(items.enumerate());
    let gate = Gate::default();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (items, gate, worker, sender) = (&items, &gate, &worker, sender.clone());
            scope.spawn(move || {
                let work = AssertUnwindSafe(|| {
                    let mut work = worker();
                    while let Some((index, item)) = next(items, gate) {
                        // The receiver stays until all senders are gone.
                        let _ = sender.send(Ok((index, work(item))));
                    }
                });
                if let Err(payload) = panic::catch_unwind(work) {
                    let _ = sender.send(Err(payload));
                }
            });
        }
        drop(sender);
        if let Err(payload) = collect(&receiver, &gate, &mut emit) {
            panic::resume_unwind(payload);
        }
    });
}

/// The next item, once there is room for its result; `None` at the end or if nobody wants more.
fn next<I>(items: &Mutex<impl Iterator<Item = (usize, I)>>, gate: &Gate) -> Option<(usize, I)> {
    // The gate has a lock of its own: this one may be held for long, by a thread that waits for a line.
    let mut items = held(items);
    gate.wait();
    if gate.is_closed() {
        return None;
    }
    let item = items.next();
    if item.is_some() {
        gate.enter();
    }
    item
}

/// Emits the results in order. At its end, whatever the reason, the gate is closed unless all work is done.
fn collect<R>(
    results: &mpsc::Receiver<ThreadResult<R>>,
    gate: &Gate,
    emit: &mut impl FnMut(R) -> ControlFlow<()>,
) -> Result<(), Box<dyn Any + Send>> {
    let closing = GateGuard(gate);
    let mut early = BTreeMap::new();
    let mut due = 0;
    for result in results {
        let (index, result) = result?;
        early.insert(index, result);
        while let Some(result) = early.remove(&due) {
            due += 1;
            gate.leave();
            if emit(result).is_break() {
                return Ok(());
            }
        }
    }
    drop(closing);
    Ok(())
}

/// Lets items in as long as not too many are between here and their emission.
#[derive(Default)]
struct Gate {
    /// Items whose results were not emitted yet.
    between: Mutex<usize>,
    room: Condvar,
    closed: AtomicBool,
}

impl Gate {
    fn wait(&self) {
        let full = |between: &mut usize| *between >= WINDOW && !self.is_closed();
        let waited = self.room.wait_while(held(&self.between), full);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn enter(&self) {
        *held(&self.between) += 1;
    }

    fn leave(&self) {
        *held(&self.between) -= 1;
        self.room.notify_all();
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

/// Closes the gate when it goes, so that no thread waits for a collector who is gone, even one that panicked.
struct GateGuard<'a>(&'a Gate);

impl Drop for GateGuard<'_> {
    fn drop(&mut self) {
        // Under the lock, so that nobody is between asking and waiting.
        let between = held(&self.0.between);
        self.0.closed.store(true, Ordering::Release);
        drop(between);
        self.0.room.notify_all();
    }
}

/// A lock, whether or not a thread panicked while it held it: the panic is reported elsewhere.
pub(super) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn collected(threads: usize, items: u64, work: impl Fn(u64) -> u64 + Sync) -> Vec<u64> {
        let mut results = Vec::new();
        ordered(
            threads,
            0..items,
            || &work,
            |result| {
                results.push(result);
                ControlFlow::Continue(())
            },
        );
        results
    }

    #[test]
    fn results_keep_the_order_of_the_items() {
        let slow_first = |item: u64| {
            if item.is_multiple_of(100) {
                thread::sleep(Duration::from_millis(20));
            }
            item * 2
        };
        let expected: Vec<u64> = (0..1000).map(|item| item * 2).collect();
        for threads in [0, 1, 2, 7] {
            assert_eq!(collected(threads, 1000, slow_first), expected);
        }
        assert!(collected(3, 0, |item| item).is_empty());
    }

    #[test]
    fn work_does_not_run_ahead_without_bound() {
        let furthest = Mutex::new(0);
        let (release, wait) = mpsc::channel();
        let wait = Mutex::new(wait);
        let work = |item: u64| {
            let reached = {
                let mut furthest = held(&furthest);
                *furthest = item.max(*furthest);
                *furthest
            };
            if item == 0 {
                held(&wait).recv().expect("somebody reaches the end of the window");
                // Time enough for the others to overstep it.
                thread::sleep(Duration::from_millis(50));
                assert_eq!(*held(&furthest), WINDOW as u64 - 1);
            } else if reached == WINDOW as u64 - 1 {
                release.send(()).expect("the first waits or has continued");
            }
            item
        };
        assert_eq!(collected(3, 1000, work).len(), 1000);
    }

    #[test]
    fn nothing_more_is_done_once_nobody_wants_it() {
        let done = Mutex::new(0);
        let mut wanted = 3;
        ordered(
            2,
            0..u64::MAX,
            || {
                |item| {
                    *held(&done) += 1;
                    item
                }
            },
            |_| {
                wanted -= 1;
                if wanted == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert!(*held(&done) <= 3 + WINDOW);
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let caught = panic::catch_unwind(|| {
            collected(2, 10_000, |item| if item == 5 { panic!("five") } else { item });
        });
        let payload = caught.expect_err("it panicked");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"five"));
    }
}
