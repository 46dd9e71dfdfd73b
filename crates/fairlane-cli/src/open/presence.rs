//! Whether a page is open. Each open page holds a request that is never answered in full; the browser ends it when the
//! page is closed, however it is closed. What is written into the answer announces a change.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hyper::body::{Body, Bytes, Frame};

/// How long nothing is heard of any page before all count as closed: a page that is loaded again is gone for a moment.
const GRACE: Duration = Duration::from_secs(5);
/// How often that is looked at.
const INTERVAL: Duration = Duration::from_millis(250);

/// The pages that are open.
#[derive(Clone)]
pub(super) struct Presence(Arc<Mutex<State>>);

struct State {
    open: usize,
    /// Whether a page has been open.
    was_open: bool,
    /// When something was last heard of a page.
    heard: Instant,
    /// How many changes have been announced.
    changes: u64,
    /// What waits for the next one.
    waiting: Vec<Waker>,
}

impl Presence {
    pub(super) fn new() -> Presence {
        let heard = Instant::now();
        let state = State { open: 0, was_open: false, heard, changes: 0, waiting: Vec::new() };
        Presence(Arc::new(Mutex::new(state)))
    }

    /// Notes that a page has asked for something.
    pub(super) fn hear(&self) {
        self.state().heard = Instant::now();
    }

    /// Whether a page has been open.
    pub(super) fn was_open(&self) -> bool {
        self.state().was_open
    }

    /// Returns once all pages are closed, after there was one.
    pub(super) async fn ended(&self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let state = self.state();
            if state.was_open && state.open == 0 && state.heard.elapsed() >= GRACE {
                return;
            }
        }
    }

    /// Tells all open pages that something has changed.
    pub(super) fn announce(&self) {
        let mut state = self.state();
        state.changes += 1;
        state.waiting.drain(..).for_each(Waker::wake);
    }

    /// A body that has no end: the page is open while it exists. It has a line for what was announced since the last one.
    pub(super) fn hold(&self) -> HeldBody {
        let mut state = self.state();
        state.open += 1;
        state.was_open = true;
        let heard = state.changes;
        HeldBody { presence: self.clone(), heard }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of the request that a page holds.
pub(super) struct HeldBody {
    presence: Presence,
    /// How many changes it has told of.
    heard: u64,
}

impl Body for HeldBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut state = self.presence.state();
        let changes = state.changes;
        if changes == self.heard {
            // The connection drops the body when the browser ends the request.
            state.waiting.push(context.waker().clone());
            return Poll::Pending;
        }
        drop(state);
        self.heard = changes;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"changed\n")))))
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        let mut state = self.presence.state();
        state.open -= 1;
        state.heard = Instant::now();
    }
}
